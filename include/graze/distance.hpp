// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "graze/closest.hpp"
#include "graze/query.hpp"

namespace graze {

/// Where two models are closest, and the two triangles there.
struct ClosestTriangles : Closest {
    TrianglePair triangles;
    friend bool operator==(const ClosestTriangles&, const ClosestTriangles&) = default;
};

/// Settings of a distance query. The defaults give the exact answer.
struct DistanceSettings {
    /// Models further apart than this count as infinitely far. A small value makes the query faster. A negative number
    /// or NaN counts as infinity.
    double max_distance = std::numeric_limits<double>::infinity();
    /// The query ends when it knows a pair of triangles no further apart than this, and returns that pair.
    double stop_below = 0;
    /// The returned distance d may exceed the least one by `relative_error` · d + `absolute_error`.
    double relative_error = 0, absolute_error = 0;
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;   ///< working memory to reuse
    /// Where the last query between these two models ended (graze/front.hpp). Its closest triangles are tried first.
    Front* front = nullptr;
};

/// The least distance between a point of A and a point of B, and where it is attained. `a_from_b` places B in A's
/// frame.
///
/// The distance is the true distance of A's triangles as given and B's as mapped (docs/exactness.md), rounded to the
/// nearest double; a distance that is not zero becomes at least 2^-1074. It is the same on every machine and for every
/// tree. It is zero exactly when `intersects` is true; both points are then near a common point. It is infinite when a
/// model is empty, or when the models are further apart than `max_distance`. Where several pairs of triangles are
/// equally close, any one of them is returned.
ClosestTriangles distance(const Model& a, const Model& b, const Affine& a_from_b,
                          const DistanceSettings& settings = {});

/// True when a point of A and a point of B are no further apart than `length`, decided without rounding: at exactly
/// that distance the answer is true. `within` at 0 is `intersects`. False for a negative length; true for one that is
/// infinite or not a number, unless a model is empty.
bool within(const Model& a, const Model& b, const Affine& a_from_b, double length,
            const IntersectSettings& settings = {});

/// All pairs of triangles that are no further apart than `length`, decided as `within` does, each once, in no
/// particular order. Takes hardly longer than a `collide` that finds as many contacts. `for_each_within` also measures
/// each pair.
std::vector<Contact> collide_within(const Model& a, const Model& b, const Affine& a_from_b, double length,
                                    const ContactSettings& settings = {});
/// Writes the pairs to a vector of the caller's, which is cleared first and keeps its memory.
void collide_within(const Model& a, const Model& b, const Affine& a_from_b, double length,
                    std::vector<Contact>& contacts, const ContactSettings& settings = {});

namespace detail {
using WithinSink = Step (*)(void* context, const ClosestTriangles&);
bool for_each_within(const Model& a, const Model& b, const Affine& a_from_b, double length, WithinSink sink,
                     void* context, const QuerySettings& settings);
}  // namespace detail

/// Calls `f(closest)` for each pair of triangles that are no further apart than `length`, decided as `within` does,
/// with their distance and where it is attained, until f returns `Step::Stop`. Returns true when every pair was
/// visited. The pairs come in no particular order. f runs in the calling thread and must not throw.
template <class F>
    requires std::same_as<std::invoke_result_t<F&, const ClosestTriangles&>, Step>
bool for_each_within(const Model& a, const Model& b, const Affine& a_from_b, double length, F&& f,
                     const QuerySettings& settings = {}) {
    using Fn = std::remove_reference_t<F>;
    return detail::for_each_within(
        a, b, a_from_b, length,
        [](void* c, const ClosestTriangles& closest) { return (*static_cast<Fn*>(c))(closest); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))), settings);
}

/// Settings of `clearances` and `closest_points`.
struct ClearanceSettings {
    double max_distance = std::numeric_limits<double>::infinity();  ///< models further away count as infinitely far
    unsigned threads = 0;                                           ///< 0 means one per core
};

/// The distance of each triangle of A from B, by the caller's indices: a clearance map. Rounded as `distance` rounds.
/// Infinite beyond `max_distance`, which also bounds the time.
std::vector<double> clearances(const Model& a, const Model& b, const Affine& a_from_b,
                               const ClearanceSettings& settings = {});

/// Settings of a query for the closest point of a model.
struct ClosestPointSettings {
    double max_distance = std::numeric_limits<double>::infinity();  ///< surfaces further away count as infinitely far
    QueryStats* stats = nullptr;                                    ///< receives the work done, added to what it holds
};

/// The point of a model that is closest to a given one.
struct ClosestPoint {
    /// Rounded as `distance` rounds; 0 exactly on the surface.
    double distance = std::numeric_limits<double>::infinity();
    Vec3 point;                  ///< on the model, up to a few units in the last place of the coordinates
    std::uint32_t triangle = 0;  ///< a triangle that the point is on
    friend bool operator==(const ClosestPoint&, const ClosestPoint&) = default;
};

/// The closest point on a model's surface, in the model's frame. The distance is infinite when the model is empty, when
/// the surface is further away than `max_distance`, and for a point that is not finite or beyond `max_coordinate`.
ClosestPoint closest_point(const Model& model, const Vec3& point, const ClosestPointSettings& settings = {});

/// The closest points of many, on threads. `closest` must be as long as `points`.
void closest_points(const Model& model, std::span<const Vec3> points, std::span<ClosestPoint> closest,
                    const ClearanceSettings& settings = {});

}  // namespace graze
