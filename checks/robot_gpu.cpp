// SPDX-License-Identifier: Apache-2.0
#include "checks/robot_gpu.hpp"

#include <algorithm>

#include "base/first_fault.hpp"
#include "base/parallel.hpp"
#include "graze/gpu.hpp"

namespace graze::checks {

#ifdef GRAZE_CUDA

namespace {

Fault at(std::size_t configuration, const Fault& fault) {
    return detail::numbered("configuration", configuration, fault);
}

/// Configurations from `first` on, as many as a GPU takes at a time or fewer.
class GpuPiece {
public:
    GpuPiece(const RobotCheck& check, const gpu::Robot& robot, std::span<const double> values,
             const RobotQuestion& question, std::size_t first, std::size_t size)
        : check_(check), robot_(robot), question_(question), first_(first), size_(size) {
        joints_ = check.robot().active.size();
        values_ = values.subspan(first * joints_, size * joints_);
    }

    /// Adds the answers.
    Result<void> run(unsigned threads, RobotAnswers& out) {
        if (auto good = look_at_limits(threads, out); !good) return good;
        if (auto asked = ask(); !asked) return asked;
        struct Answered {
            std::vector<std::size_t> counts;
            std::vector<BodyHit> hits;
            RobotStats stats;
            std::optional<Fault> fault;
        };
        std::vector<Answered> parts((size_ + block - 1) / block);
        detail::parallel_for(parts.size(), threads, [&](std::size_t p) {
            Answered& part = parts[p];
            RobotCheck::Memory memory;
            files::RobotPose pose;
            for (std::size_t i = p * block; i < std::min(size_, (p + 1) * block) && !part.fault; ++i) {
                const std::size_t before = part.hits.size();
                const auto done = add_hits(i, pose, memory, part.hits);
                if (!done) part.fault = at(first_ + i, done.fault());
                part.counts.push_back(part.hits.size() - before);
            }
            part.stats = memory.stats;
        });
        for (const Answered& part : parts) {
            if (part.fault) return *part.fault;
            for (const std::size_t n : part.counts) out.first.push_back(out.first.back() + n);
            out.hits.insert(out.hits.end(), part.hits.begin(), part.hits.end());
            out.stats += part.stats;
        }
        out.stats.pairs += size_ * check_.pairs().size();
        return {};
    }

private:
    std::span<const double> values_of(std::size_t i) const { return values_.subspan(i * joints_, joints_); }

    /// Counts the configurations beyond the limits. A fault names the first one that cannot be placed.
    Result<void> look_at_limits(unsigned threads, RobotAnswers& out) {
        std::vector<std::vector<std::size_t>> found((size_ + block - 1) / block);
        detail::parallel_for(found.size(), threads, [&](std::size_t p) {
            for (std::size_t i = p * block; i < std::min(size_, (p + 1) * block); ++i)
                if (!files::within_limits(check_.robot(), values_of(i))) found[p].push_back(i);
        });
        for (const auto& part : found)
            for (const std::size_t i : part) {
                const auto pose = files::place(check_.robot(), values_of(i));
                if (!pose) return at(first_ + i, pose.fault());
                if (out.beyond++ == 0) out.beyond_first = pose->beyond[0];
            }
        return {};
    }

    Result<void> ask() {
        if (question_.ask == RobotAsk::Free) {
            found_.resize(size_);
            const auto done = robot_.any_pair(values_, found_);
            return done.ok() ? Result<void>() : done.fault();
        }
        bits_.resize(size_ * robot_.words());
        inside_.resize(bits_.size());
        const auto done = robot_.all_pairs(values_, bits_, inside_);
        return done.ok() ? Result<void>() : done.fault();
    }

    Result<void> add_hits(std::size_t i, files::RobotPose& pose, RobotCheck::Memory& memory,
                          std::vector<BodyHit>& hits) const {
        if (question_.ask == RobotAsk::Free) {
            if (found_[i] != gpu::Robot::none) hits.push_back({found_[i]});
            return {};
        }
        bool placed = false;
        for (std::uint32_t p = 0; p < check_.pairs().size(); ++p) {
            const std::size_t word = i * robot_.words() + p / 32;
            if (!(bits_[word] >> (p % 32) & 1)) continue;
            if (question_.ask == RobotAsk::Pairs && !(inside_[word] >> (p % 32) & 1)) {
                hits.push_back({p});
                continue;
            }
            if (!placed)
                if (auto good = files::place(check_.robot(), values_of(i), pose); !good) return good;
            placed = true;
            check_.check_pairs(pose.world_from_link, question_, {&p, 1}, memory, hits);
        }
        return {};
    }

    static constexpr std::size_t block = 512;  ///< configurations that a thread takes at a time
    const RobotCheck& check_;
    const gpu::Robot& robot_;
    const RobotQuestion& question_;
    std::size_t first_, size_, joints_;
    std::span<const double> values_;
    std::vector<std::uint32_t> found_, bits_, inside_;
};

}  // namespace

Result<RobotAnswers> check_all_on_gpu(const RobotCheck& check, std::size_t configurations,
                                      std::span<const double> values, const RobotQuestion& question, unsigned threads,
                                      const std::function<void(std::size_t)>& progress, const std::atomic<bool>* stop) {
    if (question.clearance > 0) return Fault{FaultKind::OutOfRange, "a GPU does not check a clearance"};
    const Result<gpu::Robot> robot = gpu::Robot::make(check.prepared());
    if (!robot) return robot.fault();
    constexpr std::size_t piece = std::size_t{1} << 22;
    RobotAnswers out;
    out.first.push_back(0);
    for (std::size_t first = 0; first < configurations; first += piece) {
        if (stop && *stop) return Fault{FaultKind::BadObject, "the check was stopped"};
        const std::size_t size = std::min(piece, configurations - first);
        const auto done = GpuPiece(check, *robot, values, question, first, size).run(threads, out);
        if (!done) return done.fault();
        if (progress) progress(first + size);
    }
    return out;
}

#else

Result<RobotAnswers> check_all_on_gpu(const RobotCheck&, std::size_t, std::span<const double>, const RobotQuestion&,
                                      unsigned, const std::function<void(std::size_t)>&, const std::atomic<bool>*) {
    return Fault{FaultKind::Device, "this graze was built without GPU support"};
}

#endif

}  // namespace graze::checks
