// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "graze/model.hpp"
#include "graze/query.hpp"

namespace graze {

/// All points with lo ≤ x ≤ hi by axis. Bounds may be infinite: a fat ray, a half-space, everything.
/// Equal bounds make it flat: a rectangle, a segment, a point, a plane, a line.
struct Box {
    Vec3 lo, hi;
};

/// All points with lo ≤ normal · x ≤ hi; the normal may have any length. Bounds may be infinite, or
/// equal: a plane.
struct Slab {
    Vec3 normal;
    double lo = -std::numeric_limits<double>::infinity();
    double hi = std::numeric_limits<double>::infinity();
};

/// normal · x ≤ offset: the normal points out of it.
constexpr Slab half_space(const Vec3& normal, double offset) {
    return {normal, -std::numeric_limits<double>::infinity(), offset};
}
/// normal · x = offset.
constexpr Slab plane(const Vec3& normal, double offset) { return {normal, offset, offset}; }

/// Slabs that `visible` takes at most.
inline constexpr std::size_t max_slabs = 64;

// The model is placed in the region's frame by `region_from_model` (a `Pose`, or any `Affine`). Answers
// are exact: a closed triangle, its corners mapped as every query maps them, and the closed region
// have a point in common. Finite bounds and normals up to `max_coordinate`; what is empty, not a
// number, without direction or beyond is a fault. The margin of the options must be zero.

/// The triangles that meet the region, in ascending order.
Result<std::vector<std::uint32_t>> overlapping(const Model& model, const Box& box, const Affine& region_from_model = {},
                                               const QuerySettings& options = {});
Result<std::vector<std::uint32_t>> overlapping(const Model& model, const Slab& slab,
                                               const Affine& region_from_model = {}, const QuerySettings& options = {});

/// Whether there is one. Stops at the first.
Result<bool> intersects(const Model& model, const Box& box, const Affine& region_from_model = {},
                        const QuerySettings& options = {});
Result<bool> intersects(const Model& model, const Slab& slab, const Affine& region_from_model = {},
                        const QuerySettings& options = {});

/// The triangles that no slab has wholly on one side of it, in ascending order: all that the common
/// part of the slabs may see, such as a view frustum, and for one slab just those that meet it.
Result<std::vector<std::uint32_t>> visible(const Model& model, std::span<const Slab> slabs,
                                           const Affine& region_from_model = {}, const QuerySettings& options = {});

namespace detail {
using TriangleSink = Step (*)(void* context, std::uint32_t triangle);
Result<bool> for_each_overlapping(const Model& model, const Box& box, const Affine& region_from_model,
                                  TriangleSink sink, void* context, const QuerySettings& options);
Result<bool> for_each_visible(const Model& model, std::span<const Slab> slabs, const Affine& region_from_model,
                              TriangleSink sink, void* context, const QuerySettings& options);

template <class F>
Step call_triangle_sink(void* f, std::uint32_t triangle) {
    return (*static_cast<F*>(f))(triangle);
}
}  // namespace detail

/// Calls `f(triangle)` for each as it is found, in no particular order, until f returns `Step::Stop`.
/// True when all were visited. f runs in the calling thread and must not throw.
template <class F>
    requires std::same_as<std::invoke_result_t<F&, std::uint32_t>, Step>
Result<bool> for_each_overlapping(const Model& model, const Box& box, const Affine& region_from_model, F&& f,
                                  const QuerySettings& options = {}) {
    return detail::for_each_overlapping(model, box, region_from_model,
                                        detail::call_triangle_sink<std::remove_reference_t<F>>,
                                        const_cast<void*>(static_cast<const void*>(std::addressof(f))), options);
}
template <class F>
    requires std::same_as<std::invoke_result_t<F&, std::uint32_t>, Step>
Result<bool> for_each_visible(const Model& model, std::span<const Slab> slabs, const Affine& region_from_model, F&& f,
                              const QuerySettings& options = {}) {
    return detail::for_each_visible(model, slabs, region_from_model,
                                    detail::call_triangle_sink<std::remove_reference_t<F>>,
                                    const_cast<void*>(static_cast<const void*>(std::addressof(f))), options);
}

}  // namespace graze
