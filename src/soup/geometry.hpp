// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graze/result.hpp"
#include "graze/soup.hpp"
#include "graze/triangle.hpp"

namespace graze::detail {

/// A read-only array that owns its memory or views a mapped file.
template <class T>
class Array {
public:
    Array() = default;
    Array(std::vector<T> own) : own_(std::move(own)), view_(own_) {}
    explicit Array(std::span<const T> view) : view_(view) {}
    Array(Array&&) = default;
    Array& operator=(Array&&) = default;
    /// A copy always owns its memory.
    Array(const Array& other) : own_(other.begin(), other.end()), view_(own_) {}

    /// The items, for changes. A view is copied first.
    std::span<T> edit() {
        if (view_.data() != own_.data()) *this = Array(*this);
        return own_;
    }

    const T& operator[](std::size_t i) const { return view_[i]; }
    std::size_t size() const { return view_.size(); }
    bool empty() const { return view_.empty(); }
    const T* data() const { return view_.data(); }
    auto begin() const { return view_.begin(); }
    auto end() const { return view_.end(); }
    std::size_t bytes() const { return view_.size_bytes(); }
    std::span<const T> span() const { return view_; }

private:
    std::vector<T> own_;
    std::span<const T> view_;
};

using Corners = std::array<std::uint32_t, 3>;

/// The exact triangles of a soup, in the caller's order.
struct Geometry {
    Array<Vec3> points;
    Array<Corners> triangles;
    Array<std::uint32_t> polygon_of;  ///< empty for a soup of triangles
    std::uint32_t polygon_count = 0;

    Triangle triangle(std::uint32_t i) const {
        const Corners& c = triangles[i];
        return {points[c[0]], points[c[1]], points[c[2]]};
    }
    std::uint32_t polygon(std::uint32_t i) const { return polygon_of.empty() ? i : polygon_of[i]; }
    std::size_t bytes() const { return points.bytes() + triangles.bytes() + polygon_of.bytes(); }
};

/// The fault of the first point that is not finite or beyond `max_coordinate`. There must be one. Points are counted
/// from `first`.
Fault bad_point(const std::string& what, const PointView& points, std::size_t first);

/// Checks a soup, triangulates its polygons and copies it.
Result<Geometry> make_geometry(const SoupView& soup);

}  // namespace graze::detail
