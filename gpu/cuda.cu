// SPDX-License-Identifier: Apache-2.0
#include "exact/placing.hpp"
#include "gpu/cuda_batch.cuh"

namespace graze::gpu {
namespace {

/// Answers one number per pose: on the GPU, or by `on_cpu(pose)` where it cannot.
template <Find find, class Real, class Number, class OnCpu>
Result<void> number_per_pose(Workspace& w, const Model::Impl& a, const Model::Impl& b, const Poses& poses,
                             std::span<Number> out, const OnCpu& on_cpu) {
    Stream<Real> stream(w, a, b, poses);
    return stream.run(
        true,
        [&](const Job<Real>& job, const State& s, Workspace::Lane& lane, std::size_t first, std::size_t n) {
            if (const auto e = walk_chunk<find>(job, s, w, lane.stream); e != cudaSuccess) return e;
            const void* from = find == Find::Any ? static_cast<const void*>(s.hit) : s.counts;
            return cudaMemcpyAsync(out.data() + first, from, n * sizeof(Number), cudaMemcpyDeviceToHost, lane.stream);
        },
        [&](std::size_t first, std::size_t n, Workspace::Lane& lane) -> Result<void> {
            const auto left = left_over(lane, n);
            if (!left) return left.fault();
            for (const std::uint32_t i : *left) {
                const Result<Affine> pose = placement(poses, first + i);
                if (!pose) return pose.fault();
                out[first + i] = on_cpu(*pose);
            }
            return {};
        });
}

Result<void> right_size(std::size_t poses, std::size_t answers) {
    if (poses == answers) return {};
    return Fault{FaultKind::OutOfRange, "room for " + std::to_string(answers) + " answers, but there are " +
                                            std::to_string(poses) + " placements"};
}

template <class Real>
__global__ void convert(const Real* quaternions, std::uint32_t n, double* rows) {
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const Real* p = quaternions + 7 * static_cast<std::uint64_t>(i);
        const Mat3 m = detail::rotation_of({p[3], p[4], p[5], p[6]});
        double* to = rows + 12 * static_cast<std::uint64_t>(i);
        for (int k = 0; k < 3; ++k)
            to[4 * k] = m.row[k].x, to[4 * k + 1] = m.row[k].y, to[4 * k + 2] = m.row[k].z, to[4 * k + 3] = p[k];
    }
}

}  // namespace

cudaError_t rows_of_quaternions(const void* quaternions, bool floats, std::uint32_t n, double* rows,
                                cudaStream_t stream) {
    const std::uint32_t blocks = std::min(4096u, (n + 127) / 128);
    if (floats)
        convert<<<blocks, 128, 0, stream>>>(static_cast<const float*>(quaternions), n, rows);
    else
        convert<<<blocks, 128, 0, stream>>>(static_cast<const double*>(quaternions), n, rows);
    return cudaGetLastError();
}

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

Result<void> intersects(const Model& a, const Model& b, const Poses& poses, std::span<std::uint8_t> answers) {
    if (auto r = right_size(poses.size(), answers.size()); !r) return r;
    if (!comparable(Access::impl(a), Access::impl(b)) || poses.empty())
        return graze::intersects(a.host(), b.host(), poses, answers);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    const auto cpu = [&](const Affine& pose) { return graze::intersects(a.host(), b.host(), pose); };
    return packed<float>(poses)
               ? number_per_pose<Find::Any, float>(**w, Access::impl(a), Access::impl(b), poses, answers, cpu)
               : number_per_pose<Find::Any, double>(**w, Access::impl(a), Access::impl(b), poses, answers, cpu);
}

Result<void> count_contacts(const Model& a, const Model& b, const Poses& poses, std::span<std::uint32_t> counts) {
    if (auto r = right_size(poses.size(), counts.size()); !r) return r;
    if (!comparable(Access::impl(a), Access::impl(b)) || poses.empty())
        return graze::count_contacts(a.host(), b.host(), poses, counts);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    const auto cpu = [&](const Affine& pose) {
        return static_cast<std::uint32_t>(graze::collide(a.host(), b.host(), pose).size());
    };
    return packed<float>(poses)
               ? number_per_pose<Find::Count, float>(**w, Access::impl(a), Access::impl(b), poses, counts, cpu)
               : number_per_pose<Find::Count, double>(**w, Access::impl(a), Access::impl(b), poses, counts, cpu);
}

namespace {

/// Poses that are walked at a time: as many as a quarter of the free memory holds the working memory of, since every
/// chunk ends with lanes that wait for the last.
std::size_t device_chunk() {
    std::size_t free = 0, all = 0;
    if (cudaMemGetInfo(&free, &all) != cudaSuccess) return chunk_poses;
    return std::clamp<std::size_t>(free / 4 / (prepared_bytes + 20), 1024, std::size_t{1} << 24);
}
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
Result<void> on_device(Workspace& w, const Model::Impl& a, const Model::Impl& b, const DevicePoses& poses, Number* out,
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
    return {};
}

template <Find find, class Number, class OnCpu>
Result<void> on_device(const Model& a, const Model& b, const DevicePoses& poses, Number* out, void* stream,
                       const OnCpu& on_cpu) {
    const auto before = static_cast<cudaStream_t>(stream);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    if (Access::impl(a).empty || Access::impl(b).empty) {
        if (const auto e = cudaMemset(out, 0, poses.size * sizeof(Number)); e != cudaSuccess)
            return fault_of(e, "the GPU failed");
        return {};
    }
    if (!comparable(Access::impl(a), Access::impl(b)))
        return Fault{FaultKind::OutOfRange, "the models' sizes differ too much, or a tree is too deep, for a GPU"};
    return poses.floats ? on_device<find, float>(**w, Access::impl(a), Access::impl(b), poses, out, before, on_cpu)
                        : on_device<find, double>(**w, Access::impl(a), Access::impl(b), poses, out, before, on_cpu);
}

}  // namespace

Result<void> intersects(const Model& a, const Model& b, const DevicePoses& poses, std::uint8_t* answers, void* stream) {
    return on_device<Find::Any>(a, b, poses, answers, stream, [&](const Affine& pose) {
        return static_cast<std::uint8_t>(graze::intersects(a.host(), b.host(), pose));
    });
}

Result<void> intersects(const Model& a, const Model& b, const DevicePoses& poses, std::span<std::uint8_t> answers,
                        void* stream) {
    if (auto r = right_size(poses.size, answers.size()); !r) return r;
    Buffer on_gpu;
    if (const auto e = on_gpu.reserve(poses.size); e != cudaSuccess) return fault_of(e, "no memory for the answers");
    auto done = intersects(a, b, poses, on_gpu.as<std::uint8_t>(), stream);
    if (!done) return done;
    if (const auto e = cudaMemcpy(answers.data(), on_gpu.as<std::byte>(), poses.size, cudaMemcpyDeviceToHost);
        e != cudaSuccess)
        return fault_of(e, "the GPU failed");
    return {};
}

Result<void> count_contacts(const Model& a, const Model& b, const DevicePoses& poses, std::uint32_t* counts,
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
