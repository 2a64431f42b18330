// SPDX-License-Identifier: Apache-2.0
#include "graze/region.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/float_environment.hpp"
#include "exact/region_exact.hpp"
#include "model/access.hpp"
#include "wide_walk/run.hpp"

namespace graze {

namespace {

/// Adds all triangles to `all`, or passes each to the sink. False when the sink stopped it.
bool search(const Model& model, std::span<const Slab> slabs, const Box* box, const Affine& region_from_model,
            std::vector<std::uint32_t>* all, detail::TriangleSink each, void* context, const RegionSettings& settings) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    detail::RegionQuery query{data.geometry, region_from_model, slabs, box, all, each, context, {}};
    std::optional<Scratch::Impl> own;
    Scratch::Impl& scratch = settings.scratch ? detail::Access::impl(*settings.scratch) : own.emplace();
    const bool finished = detail::run(data, query, scratch);
    if (settings.stats) *settings.stats += query.stats;
    return finished;
}

/// Searches with a box as its three slabs. A box that is bounded along at most one axis needs only the slab of that
/// axis.
bool search(const Model& model, const Box& box, const Affine& region_from_model, std::vector<std::uint32_t>* all,
            detail::TriangleSink each, void* context, const RegionSettings& settings) {
    if (box.empty()) return true;
    const Slab slabs[3] = {detail::Access::slab({1, 0, 0}, box.lo().x, box.hi().x),
                           detail::Access::slab({0, 1, 0}, box.lo().y, box.hi().y),
                           detail::Access::slab({0, 0, 1}, box.lo().z, box.hi().z)};
    const auto free = [](const Slab& s) { return std::isinf(s.lo()) && std::isinf(s.hi()); };
    const auto bounded = std::find_if_not(slabs, slabs + 3, free);
    const auto count = 3 - std::count_if(slabs, slabs + 3, free);
    if (count >= 2) return search(model, slabs, &box, region_from_model, all, each, context, settings);
    const std::span<const Slab> rest(bounded, static_cast<std::size_t>(count));
    return search(model, rest, nullptr, region_from_model, all, each, context, settings);
}

Step stop_at_once(void*, std::uint32_t) { return Step::Stop; }

/// Sorts distinct indices below n. Many are sorted by setting one bit each, few by comparison.
std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> indices, std::uint32_t n) {
    if (indices.size() < n / 128) {
        std::sort(indices.begin(), indices.end());
        return indices;
    }
    std::vector<std::uint64_t> bits(n / 64 + 1);
    for (const std::uint32_t i : indices) bits[i / 64] |= std::uint64_t{1} << i % 64;
    auto out = indices.begin();
    for (std::uint32_t w = 0; w < bits.size(); ++w)
        for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
            *out++ = 64 * w + static_cast<std::uint32_t>(std::countr_zero(left));
    return indices;
}

}  // namespace

Step detail::RegionQuery::decide(std::uint32_t triangle, std::uint64_t open) {
    const Triangle own = geometry.triangle(triangle);
    const Triangle t{region_from_model(own.a), region_from_model(own.b), region_from_model(own.c)};
    bool exact = false, meets = true;
    if (box != nullptr)
        meets = meet(t, *box, exact);
    else
        for (; meets && open != 0; open &= open - 1) meets = meet(t, slabs[std::countr_zero(open)], exact);
    ++stats.double_tests;
    stats.exact_tests += exact;
    return meets ? report(triangle) : Step::Continue;
}

std::vector<std::uint32_t> overlapping(const Box& box, const Model& model, const Affine& region_from_model,
                                       const RegionSettings& settings) {
    std::vector<std::uint32_t> all;
    search(model, box, region_from_model, &all, nullptr, nullptr, settings);
    return sorted(std::move(all), model.triangle_count());
}

std::vector<std::uint32_t> overlapping(const Slab& slab, const Model& model, const Affine& region_from_model,
                                       const RegionSettings& settings) {
    return visible({&slab, 1}, model, region_from_model, settings);
}

std::vector<std::uint32_t> visible(std::span<const Slab> slabs, const Model& model, const Affine& region_from_model,
                                   const RegionSettings& settings) {
    // The walk keeps one bit per slab. Triangles that it finds are then tested against any further slabs.
    const std::span<const Slab> walked = slabs.first(std::min(slabs.size(), detail::max_slabs));
    std::vector<std::uint32_t> all;
    search(model, walked, nullptr, region_from_model, &all, nullptr, nullptr, settings);
    const auto outside = [&](std::uint32_t i) {
        const Triangle own = model.triangle(i);
        const Triangle t{region_from_model(own.a), region_from_model(own.b), region_from_model(own.c)};
        bool exact = false;
        const auto rest = slabs.subspan(walked.size());
        return !std::all_of(rest.begin(), rest.end(), [&](const Slab& s) { return detail::meet(t, s, exact); });
    };
    if (walked.size() < slabs.size()) std::erase_if(all, outside);
    return sorted(std::move(all), model.triangle_count());
}

bool intersects(const Box& box, const Model& model, const Affine& region_from_model, const RegionSettings& settings) {
    return !search(model, box, region_from_model, nullptr, stop_at_once, nullptr, settings);
}

bool intersects(const Slab& slab, const Model& model, const Affine& region_from_model, const RegionSettings& settings) {
    return !search(model, {&slab, 1}, nullptr, region_from_model, nullptr, stop_at_once, nullptr, settings);
}

bool detail::for_each_overlapping(const Box& box, const Model& model, const Affine& region_from_model,
                                  TriangleSink sink, void* context, const RegionSettings& settings) {
    return search(model, box, region_from_model, nullptr, sink, context, settings);
}

bool detail::for_each_overlapping(const Slab& slab, const Model& model, const Affine& region_from_model,
                                  TriangleSink sink, void* context, const RegionSettings& settings) {
    return search(model, {&slab, 1}, nullptr, region_from_model, nullptr, sink, context, settings);
}

}  // namespace graze
