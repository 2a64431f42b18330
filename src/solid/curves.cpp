// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/float_environment.hpp"
#include "graze/solid.hpp"
#include "solid/cut.hpp"
#include "solid/relate.hpp"

namespace graze {

namespace detail {
namespace {

/// Joins segments that share nodes.
class Joiner {
public:
    explicit Joiner(const Cut& cut) : cut_(cut), used_(cut.segments.size()), at_(cut.nodes.size()) {
        for (std::uint32_t i = 0; i < cut.segments.size(); ++i) {
            at_[cut.segments[i].from].push_back(i);
            at_[cut.segments[i].to].push_back(i);
        }
    }

    std::vector<Curve> run() {
        // Curves with ends come first, so that what is left is closed.
        for (std::uint32_t n = 0; n < at_.size(); ++n)
            if (at_[n].size() % 2 != 0) follow(n);
        for (std::uint32_t n = 0; n < at_.size(); ++n)
            while (unused(n) != none) follow(n);
        return std::move(curves_);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// A segment at the node that no curve has, one that begins there before one that ends there.
    std::uint32_t unused(std::uint32_t n) const {
        std::uint32_t found = none;
        for (const std::uint32_t i : at_[n])
            if (!used_[i] && (found == none || cut_.segments[i].from == n)) found = i;
        return found;
    }

    void follow(std::uint32_t start) {
        Curve curve;
        std::uint32_t n = start;
        for (std::uint32_t i = unused(n); i != none; i = unused(n)) {
            used_[i] = true;
            const std::uint32_t next = cut_.segments[i].from == n ? cut_.segments[i].to : cut_.segments[i].from;
            if (curve.points.empty()) curve.points.push_back(cut_.nodes[n].point);
            if (cut_.nodes[next].point != curve.points.back()) {
                curve.points.push_back(cut_.nodes[next].point);
                curve.triangles.push_back(cut_.segments[i].triangles);
            }
            n = next;
            if (n == start) break;
        }
        curve.closed = n == start;
        if (curve.triangles.empty()) return;
        if (curve.closed) curve.points.pop_back();
        curves_.push_back(std::move(curve));
    }

    const Cut& cut_;
    std::vector<bool> used_;
    std::vector<std::vector<std::uint32_t>> at_;  ///< segments at each node
    std::vector<Curve> curves_;
};

}  // namespace
}  // namespace detail

std::vector<Curve> intersection_curves(const Solid& a, const Solid& b, const Affine& a_from_b,
                                       const QuerySettings& settings) {
    using namespace detail;
    const DefaultFloats floats;
    const Related related(a, b, a_from_b, settings);
    if (related.relation != Relation::Crossing) return {};
    const Cut cut(*related.a, *related.b, related.met, false);
    return Joiner(cut).run();
}

}  // namespace graze
