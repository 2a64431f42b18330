// SPDX-License-Identifier: Apache-2.0
#include "graze/region.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <optional>
#include <string>

#include "base/float_environment.hpp"
#include "exact/region_exact.hpp"
#include "model/model_data.hpp"
#include "walk/region_search.hpp"
#include "walk/scratch.hpp"

namespace graze {

namespace {

/// The first thing that is wrong with two bounds.
std::optional<Fault> check_bounds(const std::string& what, double lo, double hi) {
    for (const double b : {lo, hi}) {
        if (std::isnan(b)) return Fault{FaultKind::NotFinite, what + " is not a number"};
        if (std::isfinite(b) && std::abs(b) > max_coordinate)
            return Fault{FaultKind::OutOfRange, what + " is beyond 2^1000"};
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (lo > hi || lo == infinity || hi == -infinity) return Fault{FaultKind::BadRegion, what + " is empty"};
    return {};
}

std::optional<Fault> check(const Box& box) {
    for (int i = 0; i < 3; ++i)
        if (auto fault = check_bounds(std::string("box: its range in ") + "xyz"[i], box.lo[i], box.hi[i])) return fault;
    return {};
}

std::optional<Fault> check(std::span<const Slab> slabs) {
    if (slabs.size() > max_slabs) return Fault{FaultKind::TooMany, "slabs: more than " + std::to_string(max_slabs)};
    for (std::size_t k = 0; k < slabs.size(); ++k) {
        const Slab& s = slabs[k];
        const std::string what = slabs.size() == 1 ? "slab" : "slab " + std::to_string(k);
        for (int i = 0; i < 3; ++i) {
            const std::string entry = what + ": entry " + std::to_string(i) + " of the normal ";
            if (!std::isfinite(s.normal[i])) return Fault{FaultKind::NotFinite, entry + "is not finite"};
            if (std::abs(s.normal[i]) > max_coordinate) return Fault{FaultKind::OutOfRange, entry + "is beyond 2^1000"};
        }
        if (s.normal == Vec3{}) return Fault{FaultKind::Singular, what + ": the normal is zero"};
        if (auto fault = check_bounds(what + ": its range", s.lo, s.hi)) return fault;
    }
    return {};
}

/// Adds all triangles to `all`, or hands each to the sink; false when that stopped.
bool search(const Model& model, std::span<const Slab> slabs, const Box* box, const Affine& region_from_model,
            std::vector<std::uint32_t>* all, detail::TriangleSink each, void* context, const QuerySettings& options) {
    const detail::DefaultFloats floats;
    assert(options.margin == 0);
    const detail::ModelData& data = model.data();
    detail::RegionQuery query{data.geometry, region_from_model, slabs, box, all, each, context, {}};
    std::optional<Scratch::Impl> own;
    Scratch::Impl& scratch = options.scratch ? options.scratch->impl() : own.emplace();
    const bool finished = detail::region_search(data, scratch.region, scratch.tasks, query);
    if (options.stats) *options.stats += query.stats;
    return finished;
}

/// A box as its three slabs; one that is bounded along a single axis, or none, is just them.
bool search(const Model& model, const Box& box, const Affine& region_from_model, std::vector<std::uint32_t>* all,
            detail::TriangleSink each, void* context, const QuerySettings& options) {
    const Slab slabs[3] = {
        {{1, 0, 0}, box.lo.x, box.hi.x}, {{0, 1, 0}, box.lo.y, box.hi.y}, {{0, 0, 1}, box.lo.z, box.hi.z}};
    const auto free = [](const Slab& s) { return std::isinf(s.lo) && std::isinf(s.hi); };
    const auto bounded = std::find_if_not(slabs, slabs + 3, free);
    const auto count = 3 - std::count_if(slabs, slabs + 3, free);
    if (count >= 2) return search(model, slabs, &box, region_from_model, all, each, context, options);
    const std::span<const Slab> rest(bounded, static_cast<std::size_t>(count));
    return search(model, rest, nullptr, region_from_model, all, each, context, options);
}

Step stop_at_once(void*, std::uint32_t) { return Step::Stop; }

/// Indices below n, each at most once, in ascending order: many by a bit each, few by comparing.
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

Result<std::vector<std::uint32_t>> overlapping(const Model& model, const Box& box, const Affine& region_from_model,
                                               const QuerySettings& options) {
    if (auto fault = check(box)) return *std::move(fault);
    std::vector<std::uint32_t> all;
    search(model, box, region_from_model, &all, nullptr, nullptr, options);
    return sorted(std::move(all), model.triangle_count());
}

Result<std::vector<std::uint32_t>> overlapping(const Model& model, const Slab& slab, const Affine& region_from_model,
                                               const QuerySettings& options) {
    return visible(model, {&slab, 1}, region_from_model, options);
}

Result<std::vector<std::uint32_t>> visible(const Model& model, std::span<const Slab> slabs,
                                           const Affine& region_from_model, const QuerySettings& options) {
    if (auto fault = check(slabs)) return *std::move(fault);
    std::vector<std::uint32_t> all;
    search(model, slabs, nullptr, region_from_model, &all, nullptr, nullptr, options);
    return sorted(std::move(all), model.triangle_count());
}

Result<bool> intersects(const Model& model, const Box& box, const Affine& region_from_model,
                        const QuerySettings& options) {
    if (auto fault = check(box)) return *std::move(fault);
    return !search(model, box, region_from_model, nullptr, stop_at_once, nullptr, options);
}

Result<bool> intersects(const Model& model, const Slab& slab, const Affine& region_from_model,
                        const QuerySettings& options) {
    if (auto fault = check({&slab, 1})) return *std::move(fault);
    return !search(model, {&slab, 1}, nullptr, region_from_model, nullptr, stop_at_once, nullptr, options);
}

Result<bool> detail::for_each_overlapping(const Model& model, const Box& box, const Affine& region_from_model,
                                          TriangleSink sink, void* context, const QuerySettings& options) {
    if (auto fault = check(box)) return *std::move(fault);
    return search(model, box, region_from_model, nullptr, sink, context, options);
}

Result<bool> detail::for_each_visible(const Model& model, std::span<const Slab> slabs, const Affine& region_from_model,
                                      TriangleSink sink, void* context, const QuerySettings& options) {
    if (auto fault = check(slabs)) return *std::move(fault);
    return search(model, slabs, nullptr, region_from_model, nullptr, sink, context, options);
}

}  // namespace graze
