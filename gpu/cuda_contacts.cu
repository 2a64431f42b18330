// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_batch.cuh"

namespace graze::gpu {
namespace {

constexpr std::size_t contact_poses = std::size_t{1} << 18;  ///< poses whose contacts are counted at a time
constexpr std::size_t contact_room = std::size_t{1} << 26;   ///< contacts that are written at a time

/// Gathers the contacts of chunks of poses: they are counted, given room, and written.
template <class Real>
class ContactWriter {
public:
    ContactWriter(Workspace& w, const Model& a, const Model& b, const Poses& poses, BatchContacts& found)
        : w_(w), a_(a), b_(b), poses_(poses), found_(found) {}

    Result<void> run() {
        found_.contacts.clear();
        found_.offsets.assign(1, 0);
        for (std::size_t first = 0; first < poses_.size(); first += contact_poses) {
            auto done = chunk(first, std::min(contact_poses, poses_.size() - first));
            if (!done) {
                found_ = {};
                return done;
            }
        }
        return {};
    }

private:
    /// Adds the contacts of poses [first, first + n).
    Result<void> chunk(std::size_t first, std::size_t n) {
        const Poses part = poses_.part(first, n);
        std::vector<std::uint32_t> counts(n);
        by_cpu_.clear();
        Stream<Real> stream(w_, Access::impl(a_), Access::impl(b_), part);
        auto counted = stream.run(
            false,
            [&](const Job<Real>& job, const State& s, Workspace::Lane& lane, std::size_t, std::size_t) {
                if (const auto e = walk_chunk<Find::Count>(job, s, w_, lane.stream); e != cudaSuccess) return e;
                return cudaMemcpyAsync(counts.data(), s.counts, 4 * n, cudaMemcpyDeviceToHost, lane.stream);
            },
            [&](std::size_t, std::size_t, Workspace::Lane& lane) -> Result<void> {
                const auto left = left_over(lane, n);
                if (!left) return left.fault();
                for (const std::uint32_t i : *left) {
                    const Result<Affine> pose = placement(poses_, first + i);
                    if (!pose) return pose.fault();
                    by_cpu_.push_back({i, graze::collide(a_.host(), b_.host(), *pose)});
                    counts[i] = static_cast<std::uint32_t>(by_cpu_.back().contacts.size());
                }
                return {};
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
        return {};
    }

    /// Writes the contacts of poses [i, j) of a chunk of n, whose rows are still on the GPU.
    Result<void> write(std::size_t n, std::size_t i, std::size_t j, std::size_t begin) {
        const auto failed = [](cudaError_t e) { return fault_of(e, "the GPU failed"); };
        Workspace::Lane& lane = w_.lanes[0];
        const std::size_t base = found_.offsets[begin + i], total = found_.offsets[begin + j] - base;
        if (total == 0) return {};
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
        auto job = make_job<Real>(Access::impl(a_), Access::impl(b_), lane.rows.as<Real>() + 12 * i,
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
        return {};
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

Result<void> collide(const Model& a, const Model& b, const Poses& poses, BatchContacts& found) {
    if (!comparable(Access::impl(a), Access::impl(b)) || poses.empty())
        return graze::collide(a.host(), b.host(), poses, found);
    const Result<Workspace*> w = Workspace::get();
    if (!w.ok()) return w.fault();
    return packed<float>(poses) ? ContactWriter<float>(**w, a, b, poses, found).run()
                                : ContactWriter<double>(**w, a, b, poses, found).run();
}

}  // namespace graze::gpu
