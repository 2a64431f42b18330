// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "base/parallel.hpp"
#include "gpu/cuda_batch.cuh"
#include "gpu/robot_plan.hpp"

namespace graze::gpu {

struct Robot::Impl {
    RobotPlan plan;
    std::vector<Model> models;  ///< one per body
    Buffer joints, balls, pairs, cells, points;
};

namespace {

__global__ void begin(const RobotChunk chunk) {
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < chunk.size; i += gridDim.x * blockDim.x)
        RobotLane{chunk}.begin(i);
}

/// Lists the configurations that pair p is to be walked for. Lanes of a warp take their places together.
__global__ void gather(const RobotChunk chunk, std::uint32_t p, std::uint32_t* count) {
    const std::uint32_t all = (chunk.size + 31) / 32 * 32, lane = threadIdx.x & 31;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
        const bool wanted = i < chunk.size && RobotLane{chunk}.wanted(p, i);
        const std::uint32_t mask = __ballot_sync(~0u, wanted);
        std::uint32_t first = 0;
        if (lane == 0 && mask != 0) first = atomicAdd(count, static_cast<std::uint32_t>(__popc(mask)));
        first = __shfl_sync(~0u, first, 0);
        if (wanted)
            RobotLane{chunk}.gather(p, i, first + static_cast<std::uint32_t>(__popc(mask & ((1u << lane) - 1))));
    }
}

__global__ void finish(const RobotChunk chunk, std::uint32_t p, const std::uint32_t* count, const std::uint8_t* hit,
                       const std::uint32_t* left, std::uint32_t* hits) {
    for (std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x; n < *count; n += gridDim.x * blockDim.x)
        if (RobotLane{chunk}.finish(p, n, hit[n] != 0, left[n / 32] >> (n & 31) & 1)) atomicAdd(hits, 1u);
}

/// The memory of a chunk on the GPU, cut from one buffer.
class ChunkMemory {
public:
    ChunkMemory(const RobotPlan& plan, std::size_t n, bool first) {
        const std::size_t words = plan.words();
        values_ = take(8 * n * plan.robot.value_count()), worlds_ = take(4 * n);
        links_ = take(96 * n * plan.robot.link_count());
        balls_ = take(32 * n * plan.balls.size()), near_ = take(4 * n * words), state_ = take(n);
        members_ = take(4 * n), rows_ = take(96 * n), found_ = take(first ? 4 * n : 0);
        cleared_ = bytes_;
        counts_ = take(8 * plan.pairs.size()), bits_ = take(first ? 0 : 4 * n * words);
        inside_ = take(first ? 0 : 4 * n * words), unsure_ = take(4 * n * words);
    }
    std::size_t bytes() const { return bytes_; }

    RobotChunk chunk(const Robot::Impl& robot, const Buffer& buffer, std::size_t n, bool first, bool worlds) const {
        const RobotPlan& plan = robot.plan;
        RobotChunk c{};
        c.joints = robot.joints.as<RobotJoint>(), c.balls = robot.balls.as<RobotBall>();
        c.pairs = robot.pairs.as<RobotPair>();
        c.root = plan.robot.root(), c.value_count = plan.robot.value_count();
        c.joint_count = static_cast<std::uint32_t>(plan.joints.size());
        c.ball_count = static_cast<std::uint32_t>(plan.balls.size());
        c.pair_count = static_cast<std::uint32_t>(plan.pairs.size());
        c.size = static_cast<std::uint32_t>(n);
        c.first = first;
        c.values = buffer.as<double>(values_);
        c.worlds = worlds ? buffer.as<std::uint32_t>(worlds_) : nullptr;
        c.links = buffer.as<double>(links_), c.placed_balls = buffer.as<double>(balls_);
        c.near = buffer.as<std::uint32_t>(near_), c.state = buffer.as<std::uint8_t>(state_);
        c.bits = buffer.as<std::uint32_t>(bits_), c.members = buffer.as<std::uint32_t>(members_);
        c.rows = buffer.as<double>(rows_);
        c.found = buffer.as<std::uint32_t>(found_), c.inside = buffer.as<std::uint32_t>(inside_);
        c.unsure = buffer.as<std::uint32_t>(unsure_);
        return c;
    }
    /// How many configurations were walked for each pair, then in how many of them it collides.
    std::uint32_t* counts(const Buffer& buffer) const { return buffer.as<std::uint32_t>(counts_); }
    cudaError_t clear(const Buffer& buffer, cudaStream_t stream) const {
        return cudaMemsetAsync(buffer.as<std::byte>(cleared_), 0, bytes_ - cleared_, stream);
    }

private:
    std::size_t take(std::size_t size) {
        const std::size_t from = bytes_;
        bytes_ += (size + 255) / 256 * 256;
        return from;
    }
    std::size_t values_, worlds_, links_, balls_, near_, state_, members_, rows_, found_, counts_, bits_, inside_,
        unsure_, cleared_, bytes_ = 0;
};

/// A question about many configurations: one pair of each, or all of them.
struct Ask {
    std::span<const double> values;
    std::span<const std::uint32_t> worlds;
    bool first;
    std::span<std::uint32_t> pairs, bits, inside;
    std::size_t size;
};

/// Runs configurations in chunks over three streams: while one copies, waits for its last lanes or for the CPU, another
/// walks.
class Checker {
public:
    Checker(Workspace& w, const Robot::Impl& robot, const Ask& ask)
        : w_(w), robot_(robot), plan_(robot.plan), ask_(ask) {
        order_.resize(plan_.pairs.size());
        std::iota(order_.begin(), order_.end(), 0u);
        walked_.resize(order_.size()), hits_.resize(order_.size());
    }

    Result<std::size_t> run() {
        auto done = run_chunks();
        for (const Slot& slot : slots_)
            if (slot.lane) cudaStreamSynchronize(slot.lane->stream);
        if (!done) return done.fault();
        return left_;
    }

private:
    struct Slot {
        Workspace::Lane* lane = nullptr;
        std::size_t first = 0, size = 0;
        RobotChunk chunk{};                     ///< on the GPU
        const std::uint32_t* on_gpu = nullptr;  ///< counts of the pairs
        std::vector<std::uint8_t> state;
        std::vector<std::uint32_t> counts, unsure;
    };

    Result<void> run_chunks() {
        for (std::size_t k = 0; k < std::size(slots_); ++k) slots_[k].lane = &w_.lanes[k];
        // The first chunk is small and goes alone: it shows which pairs collide most often.
        const std::size_t usual = chunk_size();
        std::size_t first = 0, begun = 0, ended = 0;
        while (ended < begun || first < ask_.size) {
            if (first < ask_.size && begun < ended + std::size(slots_) && !(begun == 1 && ended == 0)) {
                Slot& slot = slots_[begun % std::size(slots_)];
                slot.first = first;
                slot.size = std::min(begun == 0 ? std::min(usual, learning) : usual, ask_.size - first);
                if (const auto e = start(slot); e != cudaSuccess) return fault_of(e, "the GPU failed");
                first += slot.size;
                ++begun;
                continue;
            }
            Slot& slot = slots_[ended++ % std::size(slots_)];
            if (const auto e = collect(slot); e != cudaSuccess) return fault_of(e, "the GPU failed");
            learn(slot);
            if (auto done = finish_on_cpu(slot); !done) return done;
        }
        return {};
    }

    std::size_t chunk_size() const {
        constexpr std::size_t sample = 1024;
        const std::size_t each =
            (ChunkMemory(plan_, sample, ask_.first).bytes() + State(nullptr, sample).bytes) / sample;
        std::size_t free = 0, all = 0;
        if (cudaMemGetInfo(&free, &all) != cudaSuccess) free = 0;
        // Memory that the streams have already counts as free.
        for (const Slot& slot : slots_)
            if (slot.lane) free += slot.lane->robot.bytes() + slot.lane->state.bytes();
        return std::clamp<std::size_t>(free / 5 / (each + 1), 1024, chunk_poses);
    }

    cudaError_t start(Slot& slot) {
        Workspace::Lane& lane = *slot.lane;
        const std::size_t n = slot.size;
        const bool worlds = !ask_.worlds.empty();
        const ChunkMemory memory(plan_, n, ask_.first);
        if (const auto e = lane.robot.reserve(memory.bytes()); e != cudaSuccess) return e;
        if (const auto e = lane.state.reserve(State(nullptr, n).bytes); e != cudaSuccess) return e;
        const RobotChunk chunk = memory.chunk(robot_, lane.robot, n, ask_.first, worlds);
        const State state(&lane.state, n);
        const auto copy = [&](const void* to, const void* from, std::size_t bytes) {
            return cudaMemcpyAsync(const_cast<void*>(to), from, bytes, cudaMemcpyHostToDevice, lane.stream);
        };
        const std::size_t joints = plan_.robot.value_count();
        if (const auto e = copy(chunk.values, ask_.values.data() + joints * slot.first, 8 * n * joints);
            e != cudaSuccess)
            return e;
        if (worlds)
            if (const auto e = copy(chunk.worlds, ask_.worlds.data() + slot.first, 4 * n); e != cudaSuccess) return e;
        if (const auto e = memory.clear(lane.robot, lane.stream); e != cudaSuccess) return e;
        const auto blocks =
            static_cast<unsigned>(std::min<std::size_t>(static_cast<std::size_t>(w_.processors) * 16, (n + 127) / 128));
        begin<<<blocks, 128, 0, lane.stream>>>(chunk);
        std::uint32_t* counts = memory.counts(lane.robot);
        for (const std::uint32_t p : order_) {
            const auto e = walk_pair(p, chunk, state, lane.stream, blocks, counts + p, counts + plan_.pairs.size() + p);
            if (e != cudaSuccess) return e;
        }
        slot.chunk = chunk, slot.on_gpu = counts;
        return cudaSuccess;
    }

    /// Copies the answers of a chunk to the host when its walks have ended. Copies to memory that is not pinned wait,
    /// so they are not queued before: the next chunk would wait as well.
    cudaError_t collect(Slot& slot) {
        cudaStream_t stream = slot.lane->stream;
        if (const auto e = cudaStreamSynchronize(stream); e != cudaSuccess) return e;
        const auto copy = [&]<class T>(std::span<T> to, const T* from) {
            return cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream);
        };
        const std::size_t n = slot.size, words = plan_.words();
        const auto part = [&](std::span<std::uint32_t> all, std::size_t each) {
            return all.empty() ? all : all.subspan(each * slot.first, each * n);
        };
        slot.state.resize(n), slot.counts.resize(2 * plan_.pairs.size()), slot.unsure.resize(n * words);
        for (const auto e :
             {copy(std::span(slot.state), slot.chunk.state), copy(std::span(slot.counts), slot.on_gpu),
              copy(std::span(slot.unsure), slot.chunk.unsure), copy(part(ask_.pairs, 1), slot.chunk.found),
              copy(part(ask_.bits, words), slot.chunk.bits), copy(part(ask_.inside, words), slot.chunk.inside)})
            if (e != cudaSuccess) return e;
        return cudaStreamSynchronize(stream);
    }

    cudaError_t walk_pair(std::uint32_t p, const RobotChunk& chunk, const State& state, cudaStream_t stream,
                          unsigned blocks, std::uint32_t* walked, std::uint32_t* hits) {
        const Model::Impl& a = Access::impl(robot_.models[plan_.pairs[p].a]);
        const Model::Impl& b = Access::impl(robot_.models[plan_.pairs[p].b]);
        if (a.empty || b.empty) return cudaSuccess;
        gather<<<blocks, 128, 0, stream>>>(chunk, p, walked);
        if (const auto e = cudaMemsetAsync(state.next, 0, state.cleared, stream); e != cudaSuccess) return e;
        const auto job = make_job<double>(a, b, chunk.rows, chunk.size, true, w_.processors);
        if (const auto e = walk_chunk<Find::Any>(job, state, w_, stream, walked); e != cudaSuccess) return e;
        finish<<<blocks, 128, 0, stream>>>(chunk, p, walked, state.hit, state.left, hits);
        return cudaGetLastError();
    }

    /// Sorts the pairs such that those whose walks decide most come first. The order changes no answer.
    void learn(const Slot& slot) {
        if (!ask_.first) return;
        const std::size_t pairs = order_.size();
        for (std::size_t p = 0; p < pairs; ++p) walked_[p] += slot.counts[p], hits_[p] += slot.counts[pairs + p];
        std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t p, std::uint32_t q) {
            return hits_[p] * (walked_[q] + 1.0) > hits_[q] * (walked_[p] + 1.0);
        });
    }

    /// Reads the answers of a chunk, and decides what the GPU did not.
    Result<void> finish_on_cpu(const Slot& slot) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < slot.size; ++i) {
            const std::uint8_t s = slot.state[i];
            if (ask_.first && !(s & known::collides)) ask_.pairs[slot.first + i] = Robot::none;
            if ((s & (known::unsure | known::refused)) && !(ask_.first && (s & known::collides)))
                open.push_back(slot.first + i);
        }
        left_ += open.size();
        std::mutex telling;
        std::size_t first_bad = ~std::size_t{0};
        Fault fault{};
        const std::size_t joints = plan_.robot.value_count(), words = plan_.words();
        detail::parallel_for(open.size(), 0, [&](std::size_t k) {
            const std::size_t i = open[k];
            const auto words_of = [&](std::span<std::uint32_t> all) {
                return all.empty() ? all : all.subspan(words * i, words);
            };
            const std::span<std::uint32_t> bits = words_of(ask_.bits), inside = words_of(ask_.inside);
            // The pairs of a configuration that was refused are all open.
            const std::size_t own = i - slot.first;
            const bool refused = slot.state[own] & known::refused;
            const auto only = refused ? std::span<const std::uint32_t>{}
                                      : std::span<const std::uint32_t>(slot.unsure).subspan(words * own, words);
            const auto done = plan_.decide(ask_.values.subspan(joints * i, joints),
                                           ask_.worlds.empty() ? std::nullopt : std::optional(ask_.worlds[i]), only,
                                           [&](std::uint32_t p, bool nested) {
                                               if (ask_.first) ask_.pairs[i] = p;
                                               if (!bits.empty()) bits[p / 32] |= 1u << (p % 32);
                                               if (!inside.empty() && nested) inside[p / 32] |= 1u << (p % 32);
                                               return !ask_.first;
                                           });
            if (!done) {
                const std::lock_guard lock(telling);
                if (i < first_bad) first_bad = i, fault = done.fault();
            }
        });
        if (first_bad == ~std::size_t{0}) return {};
        return Fault{fault.kind, "configuration " + std::to_string(first_bad) + ": " + fault.message};
    }

    static constexpr std::size_t learning = std::size_t{1} << 15;
    Workspace& w_;
    const Robot::Impl& robot_;
    const RobotPlan& plan_;
    const Ask& ask_;
    Slot slots_[3];
    std::vector<std::uint32_t> order_;
    std::vector<double> walked_, hits_;  ///< per pair
    std::size_t left_ = 0;
};

template <class T>
cudaError_t upload(Buffer& to, std::span<const T> from) {
    if (const auto e = to.reserve(std::max<std::size_t>(from.size_bytes(), 16)); e != cudaSuccess) return e;
    return cudaMemcpy(to.as<T>(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice);
}

/// Copies joints, balls, grids and pairs to the GPU.
cudaError_t upload(Robot::Impl& robot) {
    const RobotPlan& plan = robot.plan;
    std::vector<CellSide> cells;
    std::vector<Vec3> points;
    std::vector<std::size_t> cells_at, points_at;
    for (std::size_t i = 0; i < plan.balls.size(); ++i) {
        cells_at.push_back(cells.size()), points_at.push_back(points.size());
        cells.insert(cells.end(), plan.grids[i].cells.begin(), plan.grids[i].cells.end());
        points.insert(points.end(), plan.shells[i].points.begin(), plan.shells[i].points.end());
    }
    if (const auto e = upload<CellSide>(robot.cells, cells); e != cudaSuccess) return e;
    if (const auto e = upload<Vec3>(robot.points, points); e != cudaSuccess) return e;
    std::vector<const CellSide*> cells_of;
    std::vector<const Vec3*> points_of;
    for (std::size_t i = 0; i < plan.balls.size(); ++i) {
        cells_of.push_back(robot.cells.as<CellSide>() + cells_at[i]);
        points_of.push_back(robot.points.as<Vec3>() + points_at[i]);
    }
    if (const auto e = upload<RobotJoint>(robot.joints, plan.joints); e != cudaSuccess) return e;
    if (const auto e = upload<RobotBall>(robot.balls, plan.balls); e != cudaSuccess) return e;
    return upload<RobotPair>(robot.pairs, plan.pairs_at(cells_of, points_of));
}

Result<std::size_t> check(const Robot::Impl& robot, const Ask& ask) {
    if (ask.values.size() != ask.size * robot.plan.robot.value_count())
        return Fault{FaultKind::OutOfRange, std::to_string(ask.values.size()) + " values given, but " +
                                                std::to_string(ask.size) + " configurations have " +
                                                std::to_string(ask.size * robot.plan.robot.value_count())};
    if (!ask.worlds.empty() && ask.worlds.size() != ask.size)
        return Fault{FaultKind::OutOfRange, std::to_string(ask.worlds.size()) + " worlds given for " +
                                                std::to_string(ask.size) + " configurations"};
    for (const RobotPair& pair : robot.plan.pairs)
        if (ask.worlds.empty() && pair.world != all_worlds)
            return Fault{FaultKind::OutOfRange, "the robot has several worlds: say which one each configuration is in"};
    if (ask.size == 0) return std::size_t{0};
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    return Checker(**w, robot, ask).run();
}

}  // namespace

Result<Robot> Robot::make(const graze::Robot& robot) {
    auto plan = make_plan(robot);
    if (!plan) return plan.fault();
    auto impl = std::make_shared<Impl>();
    impl->plan = std::move(*plan);
    const std::vector<RobotBody>& bodies = robot.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        // Bodies with the same shape share its memory.
        const auto same = [&](const Model& other) {
            return other.host().points().data() == bodies[i].model.points().data() &&
                   other.host().triangles().data() == bodies[i].model.triangles().data();
        };
        const auto known = std::find_if(impl->models.begin(), impl->models.end(), same);
        const Result<Model> model = known != impl->models.end() ? Result<Model>(*known) : Model::make(bodies[i].model);
        if (!model) {
            const std::string name = bodies[i].name.empty() ? "body " + std::to_string(i) : bodies[i].name;
            return Fault{model.fault().kind, name + ": " + model.fault().message};
        }
        impl->models.push_back(*model);
    }
    for (std::size_t p = 0; p < robot.pairs().size(); ++p) {
        const auto& [a, b] = robot.pairs()[p];
        const Model::Impl &on_a = Access::impl(impl->models[a]), &on_b = Access::impl(impl->models[b]);
        if (!on_a.empty && !on_b.empty && !comparable(on_a, on_b))
            return Fault{
                FaultKind::OutOfRange,
                "pair " + std::to_string(p) + ": the models' sizes differ too much, or a tree is too deep, for a GPU"};
    }
    if (const auto e = upload(*impl); e != cudaSuccess) return fault_of(e, "the robot does not go to the GPU");
    return Robot(std::move(impl));
}

const graze::Robot& Robot::host() const { return impl_->plan.robot; }

Result<std::size_t> Robot::any_pair(std::span<const double> values, std::span<std::uint32_t> pairs,
                                    std::span<const std::uint32_t> worlds) const {
    return check(*impl_, {values, worlds, true, pairs, {}, {}, pairs.size()});
}

Result<std::size_t> Robot::all_pairs(std::span<const double> values, std::span<std::uint32_t> bits,
                                     std::span<std::uint32_t> inside, std::span<const std::uint32_t> worlds) const {
    if (words() == 0) return std::size_t{0};
    if (bits.size() % words() != 0)
        return Fault{FaultKind::OutOfRange, "room for " + std::to_string(bits.size()) +
                                                " numbers, which is no multiple of " + std::to_string(words())};
    if (!inside.empty() && inside.size() != bits.size())
        return Fault{FaultKind::OutOfRange, "the numbers of pairs inside one another are not as many as those of all"};
    return check(*impl_, {values, worlds, false, {}, bits, inside, bits.size() / words()});
}

}  // namespace graze::gpu
