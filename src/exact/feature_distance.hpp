// SPDX-License-Identifier: Apache-2.0
// Distances between the features of two triangles, as exact fractions.
#pragma once

#include <array>
#include <cstdint>

#include "graze/math.hpp"

namespace graze::detail {

/// A corner, an edge or the face of a triangle. Edge i runs from corner i to corner i + 1. The face is number 0.
struct TriangleFeature {
    enum class Kind : std::uint8_t { Corner, Edge, Face } kind;
    std::uint8_t index;
};

/// A feature of each of two triangles: corner and corner, corner and edge, corner and face, or edge and edge.
struct TriangleFeatures {
    TriangleFeature s, t;
};

/// The corners of two triangles.
struct TrianglePoints {
    std::array<Vec3, 3> s, t;
};

// The functions below take the distance of two features as infinite unless it is attained in the interior of both.
// Otherwise another pair of features of the two triangles is as near.

/// Compares the distance of two features with a number that is at least zero: −1 when the distance is less, 0 when it
/// is equal, 1 when it is greater. Nothing is rounded.
int compare_distance(const TrianglePoints& points, const TriangleFeatures& features, double length);

/// The distance of two features, rounded to the nearest double, ties to even. It is zero only if the true distance is:
/// a smaller one becomes the smallest positive double. `below` is a number up to which the result matters: any distance
/// that rounds to at least that may be returned as infinity.
double rounded_distance(const TrianglePoints& points, const TriangleFeatures& features, double below);

}  // namespace graze::detail
