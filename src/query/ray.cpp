// SPDX-License-Identifier: Apache-2.0
#include "graze/ray.hpp"

#include <algorithm>
#include <cmath>

#include "model/any_view.hpp"
#include "walk/wide_rays.hpp"

namespace graze {
namespace detail {

bool RaySearch::before(const Found& a, const Found& b) const {
    if (a.time.t + a.time.error < b.time.t - b.time.error) return true;
    if (b.time.t + b.time.error < a.time.t - a.time.error) return false;
    const int order = ray.compare(geometry.triangle(a.triangle), geometry.triangle(b.triangle));
    return order < 0 || (order == 0 && a.triangle < b.triangle);
}

Step RaySearch::decide(std::uint32_t triangle) {
    Found here{triangle, {}};
    bool exact = false;
    const bool hits = ray.hits(geometry.triangle(triangle), here.time, exact);
    ++stats.double_tests;
    stats.exact_tests += exact;
    if (!hits) return Step::Continue;
    if (goal == Goal::All) all.push_back(here);
    if (goal == Goal::Nearest && (!hit || before(here, nearest))) {
        nearest = here;
        // Twice the error: the sum is rounded.
        limit = std::min(limit, here.time.t + 2 * here.time.error);
    }
    hit = true;
    return goal == Goal::Any ? Step::Stop : Step::Continue;
}

namespace {

/// The walk for any tree, in double and in the coordinates of the tree's frame.
///
/// A box is |A (p − c)| ≤ h by rows, all of magnitude 3 at most, p = o + t·d with |d| ≤ 1. For points of the
/// model (below 4) t is at most 2 (|o| + 4) =: L. With u = 2^-53, in the distance along a row: the origin is
/// off by u|o| and its difference to c by u (|o| + 3), three products and sums by 3·3 u (|o| + 3), the rate
/// A·d by 4·3 u, times L, and the quotients' errors by 4 u (3 (|o| + 3) + h): together below 64 u (L + 8).
/// A rate is at least 2^-60 in magnitude, which adds 2^-60 L.
class BoxWalk {
public:
    BoxWalk(const AnyView& tree, RaySearch& search) : tree_(tree), search_(search) {
        const ScaledDirection scaled(search.ray.ray().direction);
        d_ = scaled.d;
        o_ = tree.frame.local(search.ray.ray().origin);
        shift_ = scaled.exponent - tree.frame.exponent;
        length_ = 2 * (std::max({std::abs(o_.x), std::abs(o_.y), std::abs(o_.z)}) + 4);
        slack_ = (64 * 0x1p-53 + 0x1p-59) * (length_ + 8);
    }

    void run() {
        if (tree_.empty()) return;
        RayStack<double> stack;
        stack.push({0, tree_.root()});
        while (!stack.empty()) {
            const auto [near, node] = stack.pop();
            const double end = limit();
            if (near > end) continue;
            if (tree_.leaf(node)) {
                for (const std::uint32_t triangle : tree_.triangles(node)) {
                    ++search_.stats.triangle_tests;
                    if (search_.decide(triangle) == Step::Stop) return;
                }
                continue;
            }
            RayStack<double>::Entry entered[wide];
            unsigned n = 0;
            for (const std::uint32_t child : tree_.children(node)) {
                ++search_.stats.box_tests;
                entered[n].node = child;
                n += enters(tree_.volume(child), end, entered[n].near);
            }
            if (n > 0) stack.push(stack.push_all_but_nearest(entered, n));
        }
    }

private:
    /// The search's limit in the frame, upwards.
    double limit() const { return std::min(length_, std::ldexp(search_.limit, shift_) * (1 + 0x1p-50) + 0x1p-1000); }

    /// Not certainly missed within [0, end]. A number that overflowed compares as entered.
    bool enters(const Obb& box, double end, double& near) const {
        const Vec3 w = box.centre - o_;
        near = 0;
        double far = end;
        for (int i = 0; i < 3; ++i) {
            const double rate = dot(box.axes.row[i], d_), at = dot(box.axes.row[i], w);
            const double inverse = 1 / std::copysign(std::max(std::abs(rate), 0x1p-60), rate);
            const double middle = at * inverse, radius = (box.half[i] + slack_) * std::abs(inverse);
            if (middle - radius > near) near = middle - radius;
            if (middle + radius < far) far = middle + radius;
        }
        return !(near > far);
    }

    const AnyView& tree_;
    RaySearch& search_;
    Vec3 o_, d_;
    int shift_;  ///< a t of the caller's is t · 2^shift here
    double length_, slack_;
};

std::optional<Fault> fault_of(const Ray& ray) {
    for (const Vec3* v : {&ray.origin, &ray.direction})
        for (int i = 0; i < 3; ++i) {
            if (!std::isfinite((*v)[i])) return Fault{FaultKind::NotFinite, "ray: a number is not finite"};
            if (std::abs((*v)[i]) > max_coordinate)
                return Fault{FaultKind::OutOfRange, "ray: a number is beyond 2^1000"};
        }
    if (std::isnan(ray.t_max)) return Fault{FaultKind::NotFinite, "ray: t_max is not a number"};
    if (ray.t_max < 0) return Fault{FaultKind::OutOfRange, "ray: t_max is negative"};
    if (ray.direction == Vec3{}) return Fault{FaultKind::Singular, "ray: the direction is zero"};
    return std::nullopt;
}

void cast(const ModelData& model, RaySearch& search, const QuerySettings& options) {
    if (!model.is_wide() || !wide_cast(model.wide, search)) BoxWalk(AnyView(model), search).run();
    if (options.stats) *options.stats += search.stats;
}

RayHit hit_of(const Geometry& g, const RaySearch::Found& f) { return {f.triangle, g.polygon(f.triangle), f.time.t}; }

}  // namespace
}  // namespace detail

using detail::RaySearch;

Result<std::optional<RayHit>> nearest_hit(const Model& model, const Ray& ray, const QuerySettings& options) {
    if (auto fault = detail::fault_of(ray)) return *fault;
    const detail::ModelData& data = model.data();
    RaySearch search(data.geometry, ray, RaySearch::Goal::Nearest);
    detail::cast(data, search, options);
    if (!search.hit) return std::optional<RayHit>();
    return std::optional(detail::hit_of(data.geometry, search.nearest));
}

Result<bool> any_hit(const Model& model, const Ray& ray, const QuerySettings& options) {
    if (auto fault = detail::fault_of(ray)) return *fault;
    RaySearch search(model.data().geometry, ray, RaySearch::Goal::Any);
    detail::cast(model.data(), search, options);
    return search.hit;
}

Result<std::vector<RayHit>> all_hits(const Model& model, const Ray& ray, const QuerySettings& options) {
    if (auto fault = detail::fault_of(ray)) return *fault;
    const detail::ModelData& data = model.data();
    RaySearch search(data.geometry, ray, RaySearch::Goal::All);
    detail::cast(data, search, options);
    std::sort(search.all.begin(), search.all.end(), [&](const auto& a, const auto& b) { return search.before(a, b); });
    std::vector<RayHit> hits;
    for (const auto& f : search.all) hits.push_back(detail::hit_of(data.geometry, f));
    return hits;
}

}  // namespace graze
