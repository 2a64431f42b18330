// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include "graze/math.hpp"

namespace graze {

namespace detail {

/// Three numbers of type T and nothing else: `std::array<T, 3>`, `Eigen::Matrix<T, 3, 1>`, a struct of x, y and z.
/// Types that own memory elsewhere, as a `std::vector` of the same size does, are excluded.
template <class P, class T>
concept Triple = sizeof(P) == 3 * sizeof(T) && std::is_trivially_destructible_v<P> && (requires(const P& p) {
                     { p[0] } -> std::same_as<const T&>;
                 } || requires(const P& p) {
                     requires std::same_as<decltype(p.x), T> && std::same_as<decltype(p.y), T>;
                     requires std::same_as<decltype(p.z), T>;
                 });

/// An Eigen matrix with triples one after the other in memory: N×3 by rows, or 3×N by columns. Maps and blocks may have
/// gaps, so they are excluded.
template <class M, class T>
concept TripleMatrix = requires(const M& m) {
    requires std::same_as<M, typename M::PlainObject>;
    requires int(M::IsRowMajor ? M::ColsAtCompileTime : M::RowsAtCompileTime) == 3;
    { m.data() } -> std::same_as<const T*>;
    m.size();
};

/// A contiguous container of such triples.
template <class R, class T>
concept Triples = requires(const R& r) {
    std::size(r);
    requires Triple<std::remove_cvref_t<decltype(*std::data(r))>, T>;
};

/// A contiguous container of numbers of type T, or of triples of them.
template <class R, class T>
concept Numbers = std::convertible_to<const R&, std::span<const T>> || TripleMatrix<R, T> || Triples<R, T>;

/// All numbers of the container, one after the other.
template <class T, class R>
    requires Numbers<R, T>
std::span<const T> numbers(const R& r) {
    if constexpr (std::convertible_to<const R&, std::span<const T>>)
        return r;
    else if constexpr (TripleMatrix<R, T>)
        return {r.data(), static_cast<std::size_t>(r.size())};
    else
        return {reinterpret_cast<const T*>(std::data(r)), 3 * std::size(r)};
}

}  // namespace detail

/// A view of the caller's points: float or double, x y z tightly packed. Containers of numbers, of `Vec3`, of
/// `std::array<T, 3>` and of other triples will do, and so will Eigen's matrices of N×3 by rows or of 3×N by columns.
/// Nothing is copied: the memory must live as long as the view. Floats widen to double exactly.
class PointView {
public:
    PointView() = default;
    template <detail::Numbers<float> R>
    PointView(const R& xyz) : floats_(detail::numbers<float>(xyz)) {}
    template <detail::Numbers<double> R>
    PointView(const R& xyz) : doubles_(detail::numbers<double>(xyz)) {}

    /// Number of coordinates. Building something from a count that is not a multiple of three is a fault.
    std::size_t coordinate_count() const { return floats_.empty() ? doubles_.size() : floats_.size(); }
    /// Number of points.
    std::size_t size() const { return coordinate_count() / 3; }
    Vec3 operator[](std::size_t i) const {
        return floats_.empty() ? Vec3{doubles_[3 * i], doubles_[3 * i + 1], doubles_[3 * i + 2]}
                               : Vec3{floats_[3 * i], floats_[3 * i + 1], floats_[3 * i + 2]};
    }

private:
    std::span<const float> floats_;
    std::span<const double> doubles_;
};

/// A view of the caller's indices: 32-bit numbers, signed or not, single ones or triples such as `std::array<int, 3>`.
/// Nothing is copied: the memory must live as long as the view. An index that names no point, such as a negative one,
/// is a fault when something is built from it.
class IndexView {
public:
    IndexView() = default;
    template <detail::Numbers<std::uint32_t> R>
    IndexView(const R& indices) : all_(detail::numbers<std::uint32_t>(indices)) {}
    template <detail::Numbers<std::int32_t> R>
    IndexView(const R& indices) : is_signed_(true) {
        const std::span<const std::int32_t> given = detail::numbers<std::int32_t>(indices);
        all_ = {reinterpret_cast<const std::uint32_t*>(given.data()), given.size()};
    }

    /// The indices. A negative one is 2^31 or more here.
    std::span<const std::uint32_t> all() const { return all_; }
    bool is_signed() const { return is_signed_; }

private:
    std::span<const std::uint32_t> all_;
    bool is_signed_ = false;
};

/// A view of the caller's polygon soup: points, and 32-bit indices of corners, three per triangle, or any number per
/// polygon with `with_polygons`. Nothing is copied: the memory must live as long as the view. No topology is assumed:
/// the surface may be open, and triangles may share points or not, cross, repeat or have no area.
class SoupView {
public:
    SoupView(const PointView& points, const IndexView& triangles) : points_(points), corners_(triangles) {}

    /// A view of the soup as polygons. Polygon i has the corners `[offsets[i], offsets[i + 1])`, so there is one offset
    /// more than there are polygons. An empty span means triangles.
    SoupView with_polygons(const IndexView& offsets) const {
        SoupView v = *this;
        v.offsets_ = offsets.all();
        return v;
    }

    /// The points, and the indices of corners and polygons, as they were given.
    const PointView& points() const { return points_; }
    std::size_t coordinate_count() const { return points_.coordinate_count(); }
    std::size_t point_count() const { return points_.size(); }
    Vec3 point(std::size_t i) const { return points_[i]; }
    std::span<const std::uint32_t> corners() const { return corners_.all(); }
    /// True when the corners were given as signed numbers.
    bool signed_corners() const { return corners_.is_signed(); }
    std::span<const std::uint32_t> offsets() const { return offsets_; }

private:
    PointView points_;
    IndexView corners_;
    std::span<const std::uint32_t> offsets_;
};

/// For each point the index of the first point with the same coordinates, where 0 and -0 are equal. Programs that need
/// to know which triangles of a soup are neighbours use it to weld (merge) vertices that a file repeats. There is no
/// tolerance.
std::vector<std::uint32_t> first_of_equals(std::span<const Vec3> points);

}  // namespace graze
