// SPDX-License-Identifier: Apache-2.0
// The search for the nearest triangles: what all walks and kinds of distances share.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "exact/triangle_distance.hpp"
#include "graze/query.hpp"
#include "soup/geometry.hpp"

namespace graze::detail {

/// The pairs of triangles of two models.
struct ModelPairs {
    using Id = TrianglePair;

    const Geometry &a, &b;
    const Affine& a_from_b;

    std::pair<Triangle, Triangle> shapes(const TrianglePair& id) const {
        const Triangle t = b.triangle(id.b);
        return {a.triangle(id.a), {a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)}};
    }
};

/// A point and the triangles of a model.
struct PointTriangles {
    using Id = std::uint32_t;

    const Geometry& geometry;
    Vec3 point;

    std::pair<Vec3, Triangle> shapes(std::uint32_t triangle) const { return {point, geometry.triangle(triangle)}; }
};

/// The distance of a candidate.
template <class Candidates>
TriangleDistance distance_of(const Candidates& candidates, const typename Candidates::Id& id) {
    const auto [s, t] = candidates.shapes(id);
    return {s, t};
}

/// When a search for the nearest may end. Numbers that are negative or not numbers count as their defaults.
struct NearestSettings {
    double max_distance = std::numeric_limits<double>::infinity();
    double stop_below = 0, relative_error = 0, absolute_error = 0;
};

/// The search for the nearest of some candidates. A walk passes those on that are not certainly further than `limit()`,
/// which only shrinks, and may shrink it by an upper bound of its own.
///
/// The answer is the least distance as `TriangleDistance::rounded` gives it, so it does not depend on the order of the
/// candidates. Among candidates of that distance the first one decided counts.
template <class Candidates>
class NearestSearch {
public:
    using Id = typename Candidates::Id;

    NearestSearch(const Candidates& candidates, const NearestSettings& settings)
        : candidates_(candidates),
          factor_(1 / (1 + positive(settings.relative_error))),
          less_(positive(settings.absolute_error)),
          enough_(positive(settings.stop_below)),
          eager_(factor_ < 1 || less_ > 0 || enough_ > 0),
          most_(settings.max_distance >= 0 ? settings.max_distance : infinite),
          limit_(most_) {}

    /// Candidates further away than this do not matter.
    double limit() const { return limit_; }
    /// Takes note that some candidate is no further away than this. That candidate must be passed on too.
    void shrink(double high) { limit_ = high < limit_ ? high : limit_; }

    /// Shrinks the limit by a candidate that is likely to be near, and returns the direction of its shortest line. The
    /// candidate must be passed on too.
    Vec3 expect(const Id& id) {
        ++stats.double_tests;
        const TriangleDistance distance = distance_of(candidates_, id);
        shrink(distance.high());
        return distance.on_t() - distance.on_s();
    }

    /// Takes a candidate whose distance is at least `low`. Stop means that nothing else matters.
    Step add(double low, const Id& id) {
        // A candidate that may touch is decided at once, because nothing is nearer. So is every one where an early
        // answer will do.
        if (!(low > 0) || eager_) return decide({low, id});
        waiting_[count_++] = {low, id};
        return count_ == room ? finish() : Step::Continue;
    }

    /// Decides the candidates that wait.
    Step finish() {
        std::sort(waiting_, waiting_ + count_, [](const auto& x, const auto& y) { return x.low < y.low; });
        const unsigned n = std::exchange(count_, 0u);
        for (unsigned i = 0; i < n; ++i)
            if (decide(waiting_[i]) == Step::Stop) return Step::Stop;
        return Step::Continue;
    }

    /// The least distance after `finish`; infinite when there is none within the greatest distance asked for.
    double distance() const { return best_; }
    const Id& nearest() const { return nearest_; }
    /// The closest points of that candidate.
    const Vec3& on_s() const { return on_s_; }
    const Vec3& on_t() const { return on_t_; }
    const Candidates& candidates() const { return candidates_; }

    QueryStats stats;

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    static double positive(double x) { return x > 0 ? x : 0; }

    struct Waiting {
        double low;
        Id id;
    };

    Step decide(const Waiting& w) {
        if (w.low > limit_) return Step::Continue;
        const auto [s, t] = candidates_.shapes(w.id);
        if (proof_.covers(s, t)) return Step::Continue;
        ++stats.double_tests;
        const TriangleDistance distance(s, t);
        if (distance.low() > limit_) return Step::Continue;
        bool exact = false;
        const double rounded = distance.rounded(best_, exact);
        stats.exact_tests += exact;
        if (!(rounded < best_)) return Step::Continue;
        if (best_ == infinite && most_ < infinite && !distance.within(most_, exact)) return Step::Continue;
        best_ = rounded;
        nearest_ = w.id;
        on_s_ = distance.on_s();
        on_t_ = distance.on_t();
        proof_ = DistanceProof(distance);
        // A candidate that is nearer by no more than the errors allowed does not matter.
        shrink(std::max(0.0, (rounded - less_) * factor_));
        return best_ <= enough_ ? Step::Stop : Step::Continue;
    }

    Candidates candidates_;
    double factor_,
        less_;       ///< the errors allowed: beside d, a distance of at least (d − less) · factor does not matter
    double enough_;  ///< a distance of at most this ends the search
    bool eager_;     ///< an early answer will do
    double most_;    ///< the greatest distance asked for
    double limit_;
    double best_ = infinite;
    Id nearest_{};
    Vec3 on_s_, on_t_;
    DistanceProof proof_;  ///< that others are no nearer than `nearest_`
    static constexpr unsigned room = 64;
    Waiting waiting_[room];
    unsigned count_ = 0;
};

}  // namespace graze::detail
