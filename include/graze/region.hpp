// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "graze/query.hpp"

namespace graze {

/// The points between two parallel planes: lo ≤ normal · x ≤ hi. A bound may be infinite, which makes a half-space.
/// Equal bounds make a plane. Every `Slab` that exists is valid, so region queries cannot fail.
class Slab {
public:
    /// A normal of any length but zero, and the bounds of normal · x. A fault for a normal that is not finite, for a
    /// bound that is NaN, for finite numbers beyond `max_coordinate`, and when lo exceeds hi or both are the same
    /// infinity.
    static Result<Slab> between(const Vec3& normal, double lo, double hi);
    /// The points with normal · x ≤ offset. The normal points out of it.
    static Result<Slab> half_space(const Vec3& normal, double offset);
    /// The points with normal · x = offset.
    static Result<Slab> plane(const Vec3& normal, double offset);

    /// The normal and the bounds, as they were given.
    const Vec3& normal() const { return normal_; }
    double lo() const { return lo_; }
    double hi() const { return hi_; }

private:
    friend struct detail::Access;
    Slab(const Vec3& normal, double lo, double hi) : normal_(normal), lo_(lo), hi_(hi) {}
    Vec3 normal_;
    double lo_, hi_;
};

/// Settings of a query with a region. They never change an answer.
struct RegionSettings {
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;   ///< working memory to reuse
};

// `region_from_model` places the second argument, the model, in the frame of the first, the region: a `Pose`, or any
// `Affine`. A triangle overlaps a region when the closed triangle, mapped as every query maps it, and the closed region
// have a point in common, decided exactly.

/// The triangles that overlap the region, in ascending order.
std::vector<std::uint32_t> overlapping(const Box& box, const Model& model, const Affine& region_from_model = {},
                                       const RegionSettings& settings = {});
std::vector<std::uint32_t> overlapping(const Slab& slab, const Model& model, const Affine& region_from_model = {},
                                       const RegionSettings& settings = {});

/// True when a triangle overlaps the region. Stops at the first one found.
bool intersects(const Box& box, const Model& model, const Affine& region_from_model = {},
                const RegionSettings& settings = {});
bool intersects(const Slab& slab, const Model& model, const Affine& region_from_model = {},
                const RegionSettings& settings = {});

/// The triangles that overlap each of the slabs, in ascending order. For the planes of a view frustum, these are all
/// triangles that it shows, and perhaps some near its edges.
std::vector<std::uint32_t> visible(std::span<const Slab> slabs, const Model& model,
                                   const Affine& region_from_model = {}, const RegionSettings& settings = {});

namespace detail {
using TriangleSink = Step (*)(void* context, std::uint32_t triangle);
bool for_each_overlapping(const Box& box, const Model& model, const Affine& region_from_model, TriangleSink sink,
                          void* context, const RegionSettings& settings);
bool for_each_overlapping(const Slab& slab, const Model& model, const Affine& region_from_model, TriangleSink sink,
                          void* context, const RegionSettings& settings);
}  // namespace detail

/// Calls `f(triangle)` for each triangle that overlaps the box or slab as it is found, in no particular order, until f
/// returns `Step::Stop`. Returns true when every such triangle was visited. f runs in the calling thread and must not
/// throw.
template <class Region, class F>
    requires(std::same_as<Region, Box> || std::same_as<Region, Slab>) &&
            std::same_as<std::invoke_result_t<F&, std::uint32_t>, Step>
bool for_each_overlapping(const Region& region, const Model& model, const Affine& region_from_model, F&& f,
                          const RegionSettings& settings = {}) {
    using Fn = std::remove_reference_t<F>;
    return detail::for_each_overlapping(
        region, model, region_from_model, [](void* c, std::uint32_t t) { return (*static_cast<Fn*>(c))(t); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))), settings);
}

}  // namespace graze
