// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "gpu/cuda_walk.cuh"
#include "graze/gpu.hpp"

namespace graze::gpu {
namespace {

Fault fault_of(cudaError_t error, const char* what) {
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

}  // namespace

struct Model::Impl {
    graze::Model host;
    Buffer boxes, triangles;
    TreeFrame frame{};
    bool empty = true;
};

namespace {

/// What one thread of the host needs for batches: a stream and memory, made once.
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
        Buffer rows, state, pairs, offsets;
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

/// Launches a walk on as many warps as the GPU runs at a time, or as there is work for.
template <Find find, Kind kind, class Real>
cudaError_t launch(const Job<Real>& job, const std::uint32_t* poses, const Workspace& w, cudaStream_t stream) {
    const auto kernel = walk<find, kind, Real>;
    const std::size_t stack = sizeof(Entry) * (job.frames.a.depth + job.frames.b.depth);
    // Deep trees have fewer threads per block, so that their stacks find room.
    const std::size_t room = static_cast<std::size_t>(w.shared_memory) - 1024;
    const std::size_t threads = std::min<std::size_t>(most_threads, room / stack / 32 * 32);
    // Asked once per kernel and size: both calls take microseconds.
    static thread_local std::size_t known = 0;
    static thread_local int per_processor = 0;
    if (known != stack) {
        if (const auto e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(threads * stack));
            e != cudaSuccess)
            return e;
        if (const auto e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel,
                                                                         static_cast<int>(threads), threads * stack);
            e != cudaSuccess)
            return e;
        known = stack;
    }
    prepare<kind><<<std::min(static_cast<unsigned>(w.processors) * 8, (job.poses + 127) / 128), 128, 0, stream>>>(
        Launch<Real>{job, poses});
    const std::uint64_t items = static_cast<std::uint64_t>(job.poses) * job.parts;
    const auto blocks = static_cast<unsigned>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(w.processors) * static_cast<unsigned>(per_processor),
                                (items + threads - 1) / threads));
    kernel<<<blocks, static_cast<unsigned>(threads), threads * stack, stream>>>(Launch<Real>{job, poses});
    return cudaGetLastError();
}

/// The walks of one chunk whose rows are on the GPU: the quick one, then those for what it left.
template <Find find, class Real>
cudaError_t walk_chunk(Job<Real> job, const State& s, const Workspace& w, cudaStream_t stream) {
    job.hit = s.hit, job.counts = s.counts, job.left = s.left, job.next = s.next;
    job.prepared = s.prepared;
    job.general = {s.general, s.general_length};
    job.ties = {s.ties, s.ties_length};
    job.beyond = {s.beyond, s.beyond_length};
    if (const auto e = launch<find, Kind::Rigid>(job, nullptr, w, stream); e != cudaSuccess) return e;
    job.parts = 1;
    job.list = s.general, job.next = s.next + 1;
    if (const auto e = launch<find, Kind::General>(job, s.general_length, w, stream); e != cudaSuccess) return e;
    job.list = s.ties, job.next = s.next + 2;
    return launch<find, Kind::Exact>(job, s.ties_length, w, stream);
}

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
bool comparable(const Model::Impl& a, const Model::Impl& b) {
    return !a.empty && !b.empty && a.frame.unit <= 0x1p36 * b.frame.unit && b.frame.unit <= 0x1p36 * a.frame.unit &&
           a.frame.depth + b.frame.depth <= 350;
}

constexpr std::size_t chunk_poses = std::size_t{1} << 20;

/// Placement i, or a fault that names it.
Result<Affine> placement(const Poses& poses, std::size_t i) {
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

/// Runs a batch in chunks over the streams. `queue(job, state, lane, first, n)` queues the walks of poses [first, first
/// + n) and what is to be copied back. `finish(first, n, lane)` is called when the chunk is complete.
template <class Real>
class Stream {
public:
    Stream(Workspace& w, const Model::Impl& a, const Model::Impl& b, const Poses& poses)
        : w_(w), a_(a), b_(b), poses_(poses) {}

    template <class Queue, class Finish>
    Result<Done> run(bool may_share, const Queue& queue, const Finish& finish) {
        auto done = run_chunks(may_share, queue, finish);
        // After a fault no copy may still be on its way to the caller's memory.
        if (!done)
            for (const Workspace::Lane& lane : w_.lanes) cudaStreamSynchronize(lane.stream);
        return done;
    }

private:
    template <class Queue, class Finish>
    Result<Done> run_chunks(bool may_share, const Queue& queue, const Finish& finish) {
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
        return Done{};
    }

    template <class Queue>
    Result<Done> start(std::size_t chunk, std::size_t step, bool may_share, const Queue& queue) {
        Workspace::Lane& lane = w_.lanes[chunk % std::size(w_.lanes)];
        const std::size_t first = chunk * step, n = std::min(step, poses_.size() - first);
        const auto failed = [](cudaError_t e) { return fault_of(e, "the GPU failed"); };
        if (const auto e = lane.rows.reserve(12 * sizeof(Real) * n); e != cudaSuccess) return failed(e);
        if (const auto e = lane.state.reserve(State(nullptr, n).bytes); e != cudaSuccess) return failed(e);
        const void* rows = nullptr;
        if (packed<Real>(poses_)) {
            rows = static_cast<const Real*>(poses_.data()) + 12 * first;
        } else {
            converted_.resize(12 * n);
            for (std::size_t i = 0; i < n; ++i) {
                const Result<Affine> pose = placement(poses_, first + i);
                if (!pose) return pose.fault();
                const auto numbers = pose->rows();
                std::copy(numbers.begin(), numbers.end(), converted_.begin() + static_cast<std::ptrdiff_t>(12 * i));
            }
            rows = converted_.data();
        }
        if (const auto e =
                cudaMemcpyAsync(lane.rows.as<Real>(), rows, 12 * sizeof(Real) * n, cudaMemcpyHostToDevice, lane.stream);
            e != cudaSuccess)
            return failed(e);
        const State state(&lane.state, n);
        if (const auto e = cudaMemsetAsync(state.next, 0, state.cleared, lane.stream); e != cudaSuccess)
            return failed(e);
        const auto job =
            make_job<Real>(a_, b_, lane.rows.as<Real>(), static_cast<std::uint32_t>(n), may_share, w_.processors);
        if (const auto e = queue(job, state, lane, first, n); e != cudaSuccess) return failed(e);
        if (const auto e = cudaMemcpyAsync(lane.left, state.beyond_length, 4, cudaMemcpyDeviceToHost, lane.stream);
            e != cudaSuccess)
            return failed(e);
        return Done{};
    }

    Workspace& w_;
    const Model::Impl &a_, &b_;
    const Poses& poses_;
    std::vector<Real> converted_;
};

/// The poses of a chunk that were left to the CPU.
Result<std::vector<std::uint32_t>> left_over(const Workspace::Lane& lane, std::size_t n) {
    std::vector<std::uint32_t> list(*lane.left);
    const State state(&lane.state, n);
    if (!list.empty())
        if (const auto e = cudaMemcpy(list.data(), state.beyond, 4 * list.size(), cudaMemcpyDeviceToHost);
            e != cudaSuccess)
            return fault_of(e, "the GPU failed");
    std::sort(list.begin(), list.end());
    return list;
}

/// Answers one number per pose: on the GPU, or by `on_cpu(pose)` where it cannot.
template <Find find, class Real, class Number, class OnCpu>
Result<Done> number_per_pose(Workspace& w, const Model::Impl& a, const Model::Impl& b, const Poses& poses,
                             std::span<Number> out, const OnCpu& on_cpu) {
    Stream<Real> stream(w, a, b, poses);
    return stream.run(
        true,
        [&](const Job<Real>& job, const State& s, Workspace::Lane& lane, std::size_t first, std::size_t n) {
            if (const auto e = walk_chunk<find>(job, s, w, lane.stream); e != cudaSuccess) return e;
            const void* from = find == Find::Any ? static_cast<const void*>(s.hit) : s.counts;
            return cudaMemcpyAsync(out.data() + first, from, n * sizeof(Number), cudaMemcpyDeviceToHost, lane.stream);
        },
        [&](std::size_t first, std::size_t n, Workspace::Lane& lane) -> Result<Done> {
            const auto left = left_over(lane, n);
            if (!left) return left.fault();
            for (const std::uint32_t i : *left) {
                const Result<Affine> pose = placement(poses, first + i);
                if (!pose) return pose.fault();
                out[first + i] = on_cpu(*pose);
            }
            return Done{};
        });
}

template <class Number>
Result<Done> right_size(const Poses& poses, std::span<Number> out) {
    if (poses.size() == out.size()) return Done{};
    return Fault{FaultKind::OutOfRange, "room for " + std::to_string(out.size()) + " answers, but there are " +
                                            std::to_string(poses.size()) + " placements"};
}

}  // namespace

Result<std::string> device_name() {
    int n = 0;
    if (const auto e = cudaGetDeviceCount(&n); e != cudaSuccess) return fault_of(e, "no GPU can be used");
    if (n == 0) return Fault{FaultKind::Device, "no GPU can be used: there is none"};
    int device = 0;
    cudaDeviceProp properties{};
    if (const auto e = cudaGetDevice(&device); e != cudaSuccess) return fault_of(e, "no GPU can be used");
    if (const auto e = cudaGetDeviceProperties(&properties, device); e != cudaSuccess)
        return fault_of(e, "no GPU can be used");
    return std::string(properties.name);
}

Result<Model> Model::make(const graze::Model& model) {
    Result<DeviceTree> tree = make_tree(model);
    if (!tree) return tree.fault();
    auto impl = std::make_shared<Impl>();
    impl->host = model;
    impl->frame = tree->frame;
    impl->empty = tree->boxes.empty();
    const auto upload = [](Buffer& to, const void* from, std::size_t bytes) {
        if (const auto e = to.reserve(bytes); e != cudaSuccess) return e;
        return cudaMemcpy(to.as<std::byte>(), from, bytes, cudaMemcpyHostToDevice);
    };
    if (impl->empty) return Model(std::move(impl));
    if (const auto e = upload(impl->boxes, tree->boxes.data(), tree->boxes.size() * sizeof(Box)); e != cudaSuccess)
        return fault_of(e, "the model does not go to the GPU");
    if (const auto e = upload(impl->triangles, tree->triangles.data(), tree->triangles.size() * sizeof(LeafTriangle));
        e != cudaSuccess)
        return fault_of(e, "the model does not go to the GPU");
    return Model(std::move(impl));
}

const graze::Model& Model::host() const { return impl_->host; }
std::size_t Model::bytes() const { return impl_->boxes.bytes() + impl_->triangles.bytes(); }

Result<Done> intersects(const Model& a, const Model& b, const Poses& poses, std::span<std::uint8_t> answers) {
    if (auto r = right_size(poses, answers); !r) return r;
    if (!comparable(a.impl(), b.impl()) || poses.empty()) return graze::intersects(a.host(), b.host(), poses, answers);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    const auto cpu = [&](const Affine& pose) { return graze::intersects(a.host(), b.host(), pose); };
    return packed<float>(poses) ? number_per_pose<Find::Any, float>(**w, a.impl(), b.impl(), poses, answers, cpu)
                                : number_per_pose<Find::Any, double>(**w, a.impl(), b.impl(), poses, answers, cpu);
}

Result<Done> count_contacts(const Model& a, const Model& b, const Poses& poses, std::span<std::uint32_t> counts) {
    if (auto r = right_size(poses, counts); !r) return r;
    if (!comparable(a.impl(), b.impl()) || poses.empty())
        return graze::count_contacts(a.host(), b.host(), poses, counts);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    const auto cpu = [&](const Affine& pose) {
        return static_cast<std::uint32_t>(graze::collide(a.host(), b.host(), pose).size());
    };
    return packed<float>(poses) ? number_per_pose<Find::Count, float>(**w, a.impl(), b.impl(), poses, counts, cpu)
                                : number_per_pose<Find::Count, double>(**w, a.impl(), b.impl(), poses, counts, cpu);
}

namespace {

/// Poses that are walked at a time: as many as a quarter of the free memory holds the working memory of, since every
/// chunk ends with lanes that wait for the last.
std::size_t device_chunk() {
    std::size_t free = 0, all = 0;
    if (cudaMemGetInfo(&free, &all) != cudaSuccess) return chunk_poses;
    return std::clamp<std::size_t>(free / 4 / (prepared_bytes + 20), 1024, std::size_t{1} << 24);
}
constexpr std::size_t contact_poses = std::size_t{1} << 18;  ///< poses whose contacts are counted at a time
constexpr std::size_t contact_room = std::size_t{1} << 26;   ///< contacts that are written at a time

Result<Affine> pose_on_device(const void* rows, bool floats, std::size_t i) {
    std::array<double, 12> numbers;
    std::array<float, 12> narrow;
    const auto e = floats ? cudaMemcpy(narrow.data(), static_cast<const float*>(rows) + 12 * i, sizeof narrow,
                                       cudaMemcpyDeviceToHost)
                          : cudaMemcpy(numbers.data(), static_cast<const double*>(rows) + 12 * i, sizeof numbers,
                                       cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) return fault_of(e, "the GPU failed");
    if (floats) std::copy(narrow.begin(), narrow.end(), numbers.begin());
    Result<Affine> pose = Affine::from_rows(numbers);
    if (!pose) return Fault{pose.fault().kind, "placement " + std::to_string(i) + ": " + pose.fault().message};
    return pose;
}

/// Answers one number per pose where both are in the memory of the GPU.
template <Find find, class Real, class Number, class OnCpu>
Result<Done> on_device(Workspace& w, const Model::Impl& a, const Model::Impl& b, const DevicePoses& poses, Number* out,
                       cudaStream_t before, const OnCpu& on_cpu) {
    const auto failed = [](cudaError_t e) { return fault_of(e, "the GPU failed"); };
    Workspace::Lane& lane = w.lanes[0];
    if (const auto e = cudaStreamSynchronize(before); e != cudaSuccess) return failed(e);
    const std::size_t step = poses.size <= chunk_poses ? chunk_poses : std::max(device_chunk(), chunk_poses);
    for (std::size_t first = 0; first < poses.size; first += step) {
        const std::size_t n = std::min(step, poses.size - first);
        if (const auto e = lane.state.reserve(State(nullptr, n).bytes); e != cudaSuccess) return failed(e);
        State state(&lane.state, n);
        if constexpr (find == Find::Any)
            state.hit = out + first;
        else
            state.counts = out + first;
        if (const auto e = cudaMemsetAsync(state.next, 0, state.cleared, lane.stream); e != cudaSuccess)
            return failed(e);
        if (const auto e = cudaMemsetAsync(out + first, 0, n * sizeof(Number), lane.stream); e != cudaSuccess)
            return failed(e);
        const auto job = make_job(a, b, static_cast<const Real*>(poses.rows) + 12 * first,
                                  static_cast<std::uint32_t>(n), true, w.processors);
        if (const auto e = walk_chunk<find>(job, state, w, lane.stream); e != cudaSuccess) return failed(e);
        if (const auto e = cudaMemcpyAsync(lane.left, state.beyond_length, 4, cudaMemcpyDeviceToHost, lane.stream);
            e != cudaSuccess)
            return failed(e);
        if (const auto e = cudaStreamSynchronize(lane.stream); e != cudaSuccess) return failed(e);
        const auto left = left_over(lane, n);
        if (!left) return left.fault();
        for (const std::uint32_t i : *left) {
            const Result<Affine> pose = pose_on_device(poses.rows, poses.floats, first + i);
            if (!pose) return pose.fault();
            const Number answer = on_cpu(*pose);
            if (const auto e = cudaMemcpy(out + first + i, &answer, sizeof answer, cudaMemcpyHostToDevice);
                e != cudaSuccess)
                return failed(e);
        }
    }
    return Done{};
}

template <Find find, class Number, class OnCpu>
Result<Done> on_device(const Model& a, const Model& b, const DevicePoses& poses, Number* out, void* stream,
                       const OnCpu& on_cpu) {
    const auto before = static_cast<cudaStream_t>(stream);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    if (a.impl().empty || b.impl().empty) {
        if (const auto e = cudaMemset(out, 0, poses.size * sizeof(Number)); e != cudaSuccess)
            return fault_of(e, "the GPU failed");
        return Done{};
    }
    if (!comparable(a.impl(), b.impl()))
        return Fault{FaultKind::OutOfRange, "the models' sizes differ too much, or a tree is too deep, for a GPU"};
    return poses.floats ? on_device<find, float>(**w, a.impl(), b.impl(), poses, out, before, on_cpu)
                        : on_device<find, double>(**w, a.impl(), b.impl(), poses, out, before, on_cpu);
}

/// Gathers the contacts of chunks of poses: they are counted, given room, and written.
template <class Real>
class ContactWriter {
public:
    ContactWriter(Workspace& w, const Model& a, const Model& b, const Poses& poses, BatchContacts& found)
        : w_(w), a_(a), b_(b), poses_(poses), found_(found) {}

    Result<Done> run() {
        found_.contacts.clear();
        found_.offsets.assign(1, 0);
        for (std::size_t first = 0; first < poses_.size(); first += contact_poses) {
            auto done = chunk(first, std::min(contact_poses, poses_.size() - first));
            if (!done) {
                found_ = {};
                return done;
            }
        }
        return Done{};
    }

private:
    /// Adds the contacts of poses [first, first + n).
    Result<Done> chunk(std::size_t first, std::size_t n) {
        const Poses part = poses_.part(first, n);
        std::vector<std::uint32_t> counts(n);
        by_cpu_.clear();
        Stream<Real> stream(w_, a_.impl(), b_.impl(), part);
        auto counted = stream.run(
            false,
            [&](const Job<Real>& job, const State& s, Workspace::Lane& lane, std::size_t, std::size_t) {
                if (const auto e = walk_chunk<Find::Count>(job, s, w_, lane.stream); e != cudaSuccess) return e;
                return cudaMemcpyAsync(counts.data(), s.counts, 4 * n, cudaMemcpyDeviceToHost, lane.stream);
            },
            [&](std::size_t, std::size_t, Workspace::Lane& lane) -> Result<Done> {
                const auto left = left_over(lane, n);
                if (!left) return left.fault();
                for (const std::uint32_t i : *left) {
                    const Result<Affine> pose = placement(poses_, first + i);
                    if (!pose) return pose.fault();
                    by_cpu_.push_back({i, graze::collide(a_.host(), b_.host(), *pose)});
                    counts[i] = static_cast<std::uint32_t>(by_cpu_.back().contacts.size());
                }
                return Done{};
            });
        if (!counted) return counted;
        const std::size_t begin = found_.offsets.size() - 1;
        for (const std::uint32_t c : counts) found_.offsets.push_back(found_.offsets.back() + c);
        found_.contacts.resize(found_.offsets.back());
        // As many poses at a time as there is room for; one at least.
        for (std::size_t i = 0; i < n;) {
            std::size_t j = i + 1;
            while (j < n && found_.offsets[begin + j + 1] - found_.offsets[begin + i] <= contact_room) ++j;
            auto written = write(n, i, j, begin);
            if (!written) return written;
            i = j;
        }
        for (const Left& left : by_cpu_)
            std::copy(left.contacts.begin(), left.contacts.end(),
                      found_.contacts.begin() + static_cast<std::ptrdiff_t>(found_.offsets[begin + left.pose]));
        return Done{};
    }

    /// Writes the contacts of poses [i, j) of a chunk of n, whose rows are still on the GPU.
    Result<Done> write(std::size_t n, std::size_t i, std::size_t j, std::size_t begin) {
        const auto failed = [](cudaError_t e) { return fault_of(e, "the GPU failed"); };
        Workspace::Lane& lane = w_.lanes[0];
        const std::size_t base = found_.offsets[begin + i], total = found_.offsets[begin + j] - base;
        if (total == 0) return Done{};
        if (const auto e = lane.pairs.reserve(total * sizeof(Pair)); e != cudaSuccess) return failed(e);
        if (const auto e = lane.offsets.reserve((j - i) * sizeof(std::uint64_t)); e != cudaSuccess) return failed(e);
        std::vector<std::uint64_t> offsets(j - i);
        for (std::size_t k = i; k < j; ++k) offsets[k - i] = found_.offsets[begin + k] - base;
        if (const auto e = cudaMemcpyAsync(lane.offsets.as<std::uint64_t>(), offsets.data(), offsets.size() * 8,
                                           cudaMemcpyHostToDevice, lane.stream);
            e != cudaSuccess)
            return failed(e);
        const State state(&lane.state, n);
        if (const auto e = cudaMemsetAsync(state.next, 0, state.cleared, lane.stream); e != cudaSuccess)
            return failed(e);
        auto job = make_job<Real>(a_.impl(), b_.impl(), lane.rows.as<Real>() + 12 * i,
                                  static_cast<std::uint32_t>(j - i), false, w_.processors);
        job.offsets = lane.offsets.as<std::uint64_t>();
        job.pairs = lane.pairs.as<Pair>();
        if (const auto e = walk_chunk<Find::Write>(job, state, w_, lane.stream); e != cudaSuccess) return failed(e);
        pairs_.resize(total);
        if (const auto e =
                cudaMemcpyAsync(pairs_.data(), job.pairs, total * sizeof(Pair), cudaMemcpyDeviceToHost, lane.stream);
            e != cudaSuccess)
            return failed(e);
        if (const auto e = cudaStreamSynchronize(lane.stream); e != cudaSuccess) return failed(e);
        for (std::size_t k = 0; k < total; ++k)
            found_.contacts[base + k] = {{pairs_[k].a, pairs_[k].b},
                                         {a_.host().polygon_of(pairs_[k].a), b_.host().polygon_of(pairs_[k].b)}};
        return Done{};
    }

    struct Left {
        std::uint32_t pose;
        std::vector<Contact> contacts;
    };
    Workspace& w_;
    const Model &a_, &b_;
    const Poses& poses_;
    BatchContacts& found_;
    std::vector<Left> by_cpu_;
    std::vector<Pair> pairs_;
};

}  // namespace

Result<Done> collide(const Model& a, const Model& b, const Poses& poses, BatchContacts& found) {
    if (!comparable(a.impl(), b.impl()) || poses.empty()) return graze::collide(a.host(), b.host(), poses, found);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    return packed<float>(poses) ? ContactWriter<float>(**w, a, b, poses, found).run()
                                : ContactWriter<double>(**w, a, b, poses, found).run();
}

Result<Done> intersects(const Model& a, const Model& b, const DevicePoses& poses, std::uint8_t* answers, void* stream) {
    return on_device<Find::Any>(a, b, poses, answers, stream, [&](const Affine& pose) {
        return static_cast<std::uint8_t>(graze::intersects(a.host(), b.host(), pose));
    });
}

Result<Done> count_contacts(const Model& a, const Model& b, const DevicePoses& poses, std::uint32_t* counts,
                            void* stream) {
    return on_device<Find::Count>(a, b, poses, counts, stream, [&](const Affine& pose) {
        return static_cast<std::uint32_t>(graze::collide(a.host(), b.host(), pose).size());
    });
}

Result<PinnedMemory> PinnedMemory::make(std::size_t bytes) {
    void* data = nullptr;
    if (const auto e = cudaMallocHost(&data, bytes); e != cudaSuccess) return fault_of(e, "no pinned memory");
    return PinnedMemory(data, bytes);
}

PinnedMemory::~PinnedMemory() { cudaFreeHost(data_); }

}  // namespace graze::gpu
