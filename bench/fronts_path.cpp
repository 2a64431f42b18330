// SPDX-License-Identifier: Apache-2.0
// The frames that are asked about.
#include <algorithm>

#include "bench/fronts.hpp"

namespace graze::bench {

namespace {

/// How far the body has gone by each frame.
std::vector<double> ways(const scenes::Motion& motion) {
    const scenes::MotionSize size(motion.body);
    std::vector<double> out(motion.path.size());
    for (std::size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] + size(motion.path[i - 1], motion.path[i]);
    return out;
}

/// The first `count` frames from one place of the path on.
void append_stretch(const scenes::Motion& motion, double size, std::size_t from, std::size_t count,
                    std::vector<Affine>& out) {
    std::vector<Pose> frames;
    for (std::size_t length = 64; frames.size() < count && length < 2 * motion.path.size(); length *= 2) {
        const std::size_t to = std::min(motion.path.size(), from + length);
        frames = scenes::resampled({motion.path.data() + from, to - from}, motion.body, size);
    }
    out.insert(out.end(), frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(std::min(count, frames.size())));
}

}  // namespace

std::vector<Affine> frames_at(const scenes::Motion& motion, double size, std::size_t count) {
    std::vector<Affine> out;
    const std::size_t n = motion.path.size();
    const std::vector<double> way = ways(motion);
    const double length = way.back(), steps = static_cast<double>(count) * size;
    // A body that turns back goes less far than its way is long, and one at rest nowhere: twice as much is enough.
    if (length > 2 * steps) {
        // Places that are even by the way gone, as all frames at that size would be: a body thrown every so many
        // frames is often at rest at even frames.
        const std::size_t places = std::clamp<std::size_t>(count / 200, 1, 12);
        for (std::size_t k = 0; k < places; ++k) {
            const double at = length * static_cast<double>(k) / static_cast<double>(places);
            const auto from = std::ranges::lower_bound(way, at) - way.begin();
            append_stretch(motion, size, static_cast<std::size_t>(from), (count + places - 1) / places, out);
        }
        return out;
    }
    // Starts within one step of each other, while that many frames are there.
    const double starts = steps / length + 1, between = size / length * static_cast<double>(n) / starts;
    const std::size_t stride = std::max<std::size_t>(1, static_cast<std::size_t>(between));
    for (std::size_t from = 0; out.size() < count && from + 1 < n; from += stride)
        append_stretch(motion, size, from, n + count, out);
    return out;
}

std::vector<Affine> strided(const std::vector<Pose>& path, std::size_t stride) {
    std::vector<Affine> out;
    for (std::size_t phase = 0; phase < stride; ++phase)
        for (std::size_t i = phase; i < path.size(); i += stride) out.emplace_back(path[i]);
    return out;
}

Row path_row(const scenes::Motion& motion, const char* name, std::size_t stride) {
    const scenes::MotionSize size(motion.body);
    std::vector<double> sizes;
    for (std::size_t i = stride; i < motion.path.size(); ++i)
        sizes.push_back(size(motion.path[i - stride], motion.path[i]));
    const auto large = std::ranges::count_if(sizes, [](double s) { return s > 0.1; });
    return {.scenario = "path-" + motion.name + "-" + name,
            .more = {{"frames", static_cast<double>(motion.path.size())},
                     {"stride", static_cast<double>(stride)},
                     {"median", median(sizes)},
                     {"large", static_cast<double>(large) / static_cast<double>(sizes.size())}}};
}

const std::vector<Affine>& MotionScene::frames(const Pace& pace) {
    std::vector<Affine>& out = frames_[pace.name];
    if (!out.empty()) return out;
    out = pace.size > 0 ? frames_at(motion_, pace.size, count_)
                        : strided(motion_.path, pace.name == "uneven" ? stride_ : 1);
    if (begin_only_) out.resize(std::min(out.size(), count_));
    return out;
}

std::pair<Model, Model> MotionScene::models(const Tree& tree) {
    auto& out = models_[tree.name];
    if (out.first.triangle_count() == 0)
        out = {built(motion_.environment, tree.settings), built(motion_.body, tree.settings)};
    return out;
}

std::vector<Affine> thinned(const std::vector<Affine>& frames, std::size_t k) {
    std::vector<Affine> out;
    for (std::size_t i = 0; i < frames.size(); ++i)
        if (i / 150 % k == 0) out.push_back(frames[i]);
    return out;
}

Tree tree_of(std::string name, study::TreeKind kind, study::Volume volume) {
    return {std::move(name), {.tree = kind, .volume = volume, .threads = 1}};
}

}  // namespace graze::bench
