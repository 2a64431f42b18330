// SPDX-License-Identifier: Apache-2.0
// Memory, streams, and batches in chunks, which all calls on a GPU share.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/walk.hpp"
#include "graze/gpu.hpp"

namespace graze::gpu {

inline Fault fault_of(cudaError_t error, const char* what) {
    return {FaultKind::Device, std::string(what) + ": " + cudaGetErrorString(error)};
}

/// Memory of the GPU.
class Buffer {
public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    // Freed when the process ends, too: an error then means that the driver was faster.
    ~Buffer() { cudaFree(data_); }

    /// Makes room for so many bytes. What it held is lost if it has to grow.
    cudaError_t reserve(std::size_t bytes) {
        if (bytes <= bytes_) return cudaSuccess;
        cudaFree(data_);
        data_ = nullptr;
        bytes_ = 0;
        const cudaError_t error = cudaMalloc(&data_, bytes);
        if (error == cudaSuccess) bytes_ = bytes;
        return error;
    }
    template <class T>
    T* as(std::size_t offset = 0) const {
        return reinterpret_cast<T*>(static_cast<std::byte*>(data_) + offset);
    }
    std::size_t bytes() const { return bytes_; }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

struct Model::Impl {
    graze::Model host;
    Buffer boxes, triangles;
    TreeFrame frame{};
    bool empty = true;
};

/// Opens what `Model` hides from users.
struct Access {
    static const Model::Impl& impl(const Model& model) { return *model.impl_; }
};

/// The streams and memory of one thread of the host for batches, made once.
class Workspace {
public:
    static Result<Workspace*> get() {
        thread_local std::unique_ptr<Workspace> own;
        if (own) return own.get();
        auto made = std::make_unique<Workspace>();
        int device = 0;
        if (const auto e = cudaGetDevice(&device); e != cudaSuccess) return fault_of(e, "no GPU can be used");
        if (const auto e = cudaDeviceGetAttribute(&made->processors, cudaDevAttrMultiProcessorCount, device);
            e != cudaSuccess)
            return fault_of(e, "no GPU can be used");
        if (const auto e =
                cudaDeviceGetAttribute(&made->shared_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
            e != cudaSuccess)
            return fault_of(e, "no GPU can be used");
        for (Lane& lane : made->lanes) {
            if (const auto e = cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking); e != cudaSuccess)
                return fault_of(e, "no stream of the GPU");
            if (const auto e = cudaMallocHost(&lane.left, 16); e != cudaSuccess) return fault_of(e, "no pinned memory");
        }
        own = std::move(made);
        return own.get();
    }

    /// One of several streams with memory of its own, so that copies and walks overlap.
    struct Lane {
        cudaStream_t stream = nullptr;
        Buffer rows, quaternions, state, pairs, offsets, robot;
        std::uint32_t* left = nullptr;  ///< pinned: number of poses left to the CPU
        ~Lane() {
            if (stream) cudaStreamDestroy(stream);
            cudaFreeHost(left);
        }
    };
    Lane lanes[3];
    int processors = 1;
    int shared_memory = 0;  ///< bytes that a block may have
};

/// The memory of a chunk of poses on the GPU, cut from one buffer whose first part one call clears.
struct State {
    std::uint8_t* hit;
    std::uint32_t *counts, *left, *next, *general_length, *ties_length, *beyond_length, *general, *ties, *beyond;
    void* prepared;
    std::size_t cleared, bytes;

    State(const Buffer* buffer, std::size_t n) {
        std::size_t at = 0;
        const auto take = [&](std::size_t size) {
            const std::size_t from = at;
            at += (size + 15) / 16 * 16;
            return from;
        };
        const std::size_t counter_at = take(32), left_at = take(n / 8 + 4), hit_at = take(n), counts_at = take(4 * n);
        cleared = at;
        const std::size_t lists_at = take(12 * n), prepared_at = take(prepared_bytes * n);
        bytes = at;
        if (!buffer) return;
        prepared = buffer->as<std::byte>(prepared_at);
        next = buffer->as<std::uint32_t>(counter_at);
        general_length = next + 3, ties_length = next + 4, beyond_length = next + 5;
        left = buffer->as<std::uint32_t>(left_at);
        hit = buffer->as<std::uint8_t>(hit_at), counts = buffer->as<std::uint32_t>(counts_at);
        general = buffer->as<std::uint32_t>(lists_at), ties = general + n, beyond = ties + n;
    }
};

/// Queues the walks of one chunk whose rows are on the GPU: the quick one, then those for what it left. With `poses` on
/// the GPU, its number is only known there, and that of the job is the most that it may be.
template <Find find, class Real>
cudaError_t walk_chunk(Job<Real> job, const State& s, const Workspace& w, cudaStream_t stream,
                       const std::uint32_t* poses = nullptr);

template <class Real>
Job<Real> make_job(const Model::Impl& a, const Model::Impl& b, const Real* rows, std::uint32_t poses, bool may_share,
                   int processors) {
    Job<Real> job{};
    job.a_boxes = a.boxes.as<Box>(), job.b_boxes = b.boxes.as<Box>();
    job.a_triangles = a.triangles.as<LeafTriangle>(), job.b_triangles = b.triangles.as<LeafTriangle>();
    job.frames = frames_of(a.frame, b.frame);
    job.rows = rows;
    job.poses = poses;
    // With few poses most lanes would be idle, so several share a pose.
    job.parts = may_share && poses < static_cast<std::uint32_t>(processors) * 256 ? 16 : 1;
    return job;
}

/// Whether float arithmetic does for the two trees at all.
inline bool comparable(const Model::Impl& a, const Model::Impl& b) {
    return !a.empty && !b.empty && a.frame.unit <= 0x1p36 * b.frame.unit && b.frame.unit <= 0x1p36 * a.frame.unit &&
           a.frame.depth + b.frame.depth <= 350;
}

inline constexpr std::size_t chunk_poses = std::size_t{1} << 20;

/// Placement i, or a fault that names it.
inline Result<Affine> placement(const Poses& poses, std::size_t i) {
    Result<Affine> pose = poses[i];
    if (!pose) return Fault{pose.fault().kind, "placement " + std::to_string(i) + ": " + pose.fault().message};
    return pose;
}

/// Whether the rows can be copied to the GPU as they are.
template <class Real>
bool packed(const Poses& poses) {
    return poses.layout() == PoseLayout::Rows && poses.has_floats() == std::is_same_v<Real, float> &&
           poses.stride_bytes() == 12 * sizeof(Real);
}

/// Whether placements are quaternions that the GPU can read as they are.
inline bool packed_quaternions(const Poses& poses) {
    return poses.layout() == PoseLayout::Quaternions &&
           poses.stride_bytes() == 7 * (poses.has_floats() ? sizeof(float) : sizeof(double));
}

/// Queues the conversion of quaternions on the GPU to rows, with the rounding of `Pose::from_quaternion`. One that is
/// no placement becomes NaN, and is left to the CPU.
cudaError_t rows_of_quaternions(const void* quaternions, bool floats, std::uint32_t n, double* rows,
                                cudaStream_t stream);

/// Runs a batch in chunks over the streams. `queue(job, state, lane, first, n)` queues the walks of poses [first, first
/// + n) and what is to be copied back. `finish(first, n, lane)` is called when the chunk is complete.
template <class Real>
class Stream {
public:
    Stream(Workspace& w, const Model::Impl& a, const Model::Impl& b, const Poses& poses)
        : w_(w), a_(a), b_(b), poses_(poses) {}

    template <class Queue, class Finish>
    Result<void> run(bool may_share, const Queue& queue, const Finish& finish) {
        auto done = run_chunks(may_share, queue, finish);
        // After a fault no copy may still be on its way to the caller's memory.
        if (!done)
            for (const Workspace::Lane& lane : w_.lanes) cudaStreamSynchronize(lane.stream);
        return done;
    }

private:
    template <class Queue, class Finish>
    Result<void> run_chunks(bool may_share, const Queue& queue, const Finish& finish) {
        const std::size_t n = poses_.size();
        // Enough chunks to keep all streams busy, and few enough that each fills the GPU.
        const std::size_t step = std::min(chunk_poses, n);
        std::size_t begun = 0, ended = 0;
        const auto chunks = (n + step - 1) / step;
        while (ended < chunks) {
            if (begun < chunks && begun < ended + std::size(w_.lanes)) {
                auto started = start(begun, step, may_share, queue);
                if (!started) return started;
                ++begun;
                continue;
            }
            Workspace::Lane& lane = w_.lanes[ended % std::size(w_.lanes)];
            if (const auto e = cudaStreamSynchronize(lane.stream); e != cudaSuccess)
                return fault_of(e, "the GPU failed");
            const std::size_t first = ended * step;
            auto finished = finish(first, std::min(step, n - first), lane);
            if (!finished) return finished;
            ++ended;
        }
        return {};
    }

    template <class Queue>
    Result<void> start(std::size_t chunk, std::size_t step, bool may_share, const Queue& queue) {
        Workspace::Lane& lane = w_.lanes[chunk % std::size(w_.lanes)];
        const std::size_t first = chunk * step, n = std::min(step, poses_.size() - first);
        const auto failed = [](cudaError_t e) { return fault_of(e, "the GPU failed"); };
        if (const auto e = lane.rows.reserve(12 * sizeof(Real) * n); e != cudaSuccess) return failed(e);
        if (const auto e = lane.state.reserve(State(nullptr, n).bytes); e != cudaSuccess) return failed(e);
        if (const auto e = copy_rows(lane, first, n); !e) return e;
        const State state(&lane.state, n);
        if (const auto e = cudaMemsetAsync(state.next, 0, state.cleared, lane.stream); e != cudaSuccess)
            return failed(e);
        const auto job =
            make_job<Real>(a_, b_, lane.rows.as<Real>(), static_cast<std::uint32_t>(n), may_share, w_.processors);
        if (const auto e = queue(job, state, lane, first, n); e != cudaSuccess) return failed(e);
        if (const auto e = cudaMemcpyAsync(lane.left, state.beyond_length, 4, cudaMemcpyDeviceToHost, lane.stream);
            e != cudaSuccess)
            return failed(e);
        return {};
    }

    /// Brings the rows of poses [first, first + n) to the GPU. Quaternions are converted there, other layouts here.
    Result<void> copy_rows(Workspace::Lane& lane, std::size_t first, std::size_t n) {
        const auto copy = [&](const Buffer& to, const void* from, std::size_t bytes) -> Result<void> {
            const auto e = cudaMemcpyAsync(to.as<std::byte>(), from, bytes, cudaMemcpyHostToDevice, lane.stream);
            if (e != cudaSuccess) return fault_of(e, "the GPU failed");
            return {};
        };
        if (packed<Real>(poses_))
            return copy(lane.rows, static_cast<const Real*>(poses_.data()) + 12 * first, 12 * sizeof(Real) * n);
        if constexpr (std::is_same_v<Real, double>)
            if (packed_quaternions(poses_)) {
                const std::size_t bytes = poses_.stride_bytes() * n;
                if (const auto e = lane.quaternions.reserve(bytes); e != cudaSuccess)
                    return fault_of(e, "the GPU failed");
                const auto* from = static_cast<const std::byte*>(poses_.data()) + poses_.stride_bytes() * first;
                if (auto done = copy(lane.quaternions, from, bytes); !done) return done;
                const auto e = rows_of_quaternions(lane.quaternions.as<void>(), poses_.has_floats(),
                                                   static_cast<std::uint32_t>(n), lane.rows.as<double>(), lane.stream);
                if (e != cudaSuccess) return fault_of(e, "the GPU failed");
                return {};
            }
        converted_.resize(12 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const Result<Affine> pose = placement(poses_, first + i);
            if (!pose) return pose.fault();
            const auto numbers = pose->rows();
            std::copy(numbers.begin(), numbers.end(), converted_.begin() + static_cast<std::ptrdiff_t>(12 * i));
        }
        return copy(lane.rows, converted_.data(), 12 * sizeof(Real) * n);
    }

    Workspace& w_;
    const Model::Impl &a_, &b_;
    const Poses& poses_;
    std::vector<Real> converted_;
};

/// The poses of a chunk that were left to the CPU.
inline Result<std::vector<std::uint32_t>> left_over(const Workspace::Lane& lane, std::size_t n) {
    std::vector<std::uint32_t> list(*lane.left);
    const State state(&lane.state, n);
    if (!list.empty())
        if (const auto e = cudaMemcpy(list.data(), state.beyond, 4 * list.size(), cudaMemcpyDeviceToHost);
            e != cudaSuccess)
            return fault_of(e, "the GPU failed");
    std::sort(list.begin(), list.end());
    return list;
}

}  // namespace graze::gpu
