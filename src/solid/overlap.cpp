// SPDX-License-Identifier: Apache-2.0
// Volume of the common part of two solids, by the divergence theorem.
//
// Let w_A and w_B be the winding numbers of A and B. The integral of w_A · w_B is the sum over A's triangles of
// h/3 times the integral of w_B over the triangle, where h is the height of its plane above an origin, plus the same
// with A and B exchanged. Over a triangle, w_B is constant but for jumps of 1 at the segments in which B cuts it. So
// the integral is half of a sum of cross products, over the triangle's border with w_B as it is there, and over the
// segments. Moving B by an infinitesimal amount, as src/solid/cut.hpp does, changes the volume by as little.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/float_environment.hpp"
#include "exact/perturbed.hpp"
#include "graze/solid.hpp"
#include "solid/cut.hpp"
#include "solid/relate.hpp"
#include "solid/solid_data.hpp"

namespace graze {

namespace detail {
namespace {

/// Coordinates relative to the middle of what two boxes have in common, in units of about its size: a small part far
/// from the origin loses no digits, and products stay in range.
struct Frame {
    Vec3 origin;
    int exponent = 0;
    double scale = 1;  ///< 2^-exponent

    Frame(const FrameBox& a, const FrameBox& b) {
        double size = 0x1p-1000;
        for (int d = 0; d < 3; ++d) {
            const double low = std::max(a.lo[d], b.lo[d]), high = std::min(a.hi[d], b.hi[d]);
            origin[d] = low / 2 + high / 2;
            size = std::max(size, high - low);
        }
        exponent = std::ilogb(size);
        scale = std::ldexp(1.0, -exponent);
    }
};

bool bounds_solid(const Placed& model, std::uint32_t t) {
    const std::uint32_t shell = model.surface.shell_of[t];
    return shell != no_shell && model.surface.shells[shell].inside;
}

/// For each corner of model x the winding number of the other model there.
std::vector<int> windings_at_corners(int x, const Placed& own, const Placed& other, const Cut& cut) {
    const Surface& surface = own.surface;
    // How the number changes along each edge, from the lower corner to the higher.
    std::vector<int> jump(surface.edges);
    for (const CutNode& node : cut.nodes)
        if (node.x == x) jump[node.edge] += node.jump;
    // Triangles by their corners.
    const std::size_t n = own.model.point_count();
    std::vector<std::uint32_t> first(n + 1), at;
    for (const auto& c : surface.corners)
        for (const std::uint32_t p : c) ++first[p + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    at.resize(3 * surface.corners.size());
    std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
    for (std::uint32_t t = 0; t < surface.corners.size(); ++t)
        for (const std::uint32_t p : surface.corners[t]) at[fill[p]++] = t;

    std::vector<int> winding(n);
    std::vector<bool> known(n);
    std::vector<std::uint32_t> stack;
    for (std::uint32_t start = 0; start < surface.corners.size(); ++start) {
        const std::uint32_t shell = surface.shell_of[start], p = surface.corners[start][0];
        if (shell == no_shell || !surface.shells[shell].inside || known[p]) continue;
        known[p] = true;
        winding[p] = total_winding(other, ExactPoint(own.point(p)), x == 0 ? -1 : 1);
        stack.push_back(p);
        while (!stack.empty()) {
            const std::uint32_t u = stack.back();
            stack.pop_back();
            for (std::uint32_t i = first[u]; i < first[u + 1]; ++i)
                for (int k = 0; k < 3; ++k) {
                    const std::uint32_t edge = surface.edge_of[at[i]][k];
                    const std::uint32_t from = surface.corners[at[i]][k], to = surface.corners[at[i]][(k + 1) % 3];
                    if (edge == no_shell || (from != u && to != u)) continue;
                    const std::uint32_t v = from == u ? to : from;
                    if (known[v]) continue;
                    known[v] = true;
                    winding[v] = winding[u] + (u < v ? jump[edge] : -jump[edge]);
                    stack.push_back(v);
                }
        }
    }
    return winding;
}

/// Adds up what the triangles of model x bound of the common part.
void add_surface(int x, const Placed& own, const Placed& other, const Cut& cut, const Frame& frame, Overlap& sum) {
    const Surface& surface = own.surface;
    const std::vector<int> winding = windings_at_corners(x, own, other, cut);
    // Nodes by edges and segments by triangles.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> on_edge, on_triangle;
    for (std::uint32_t i = 0; i < cut.nodes.size(); ++i)
        if (cut.nodes[i].x == x) on_edge.emplace_back(cut.nodes[i].edge, i);
    for (std::uint32_t i = 0; i < cut.segments.size(); ++i) {
        const TrianglePair& pair = cut.segments[i].triangles;
        on_triangle.emplace_back(x == 0 ? pair.a : pair.b, i);
    }
    std::ranges::sort(on_edge);
    std::ranges::sort(on_triangle);
    const auto of = [](const auto& list, std::uint32_t key) {
        return std::ranges::equal_range(list, key, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
    };
    for (std::uint32_t t = 0; t < surface.shell_of.size(); ++t) {
        if (!bounds_solid(own, t)) continue;
        const Triangle triangle = own.triangle(t);
        const Vec3 corner[] = {triangle.a, triangle.b, triangle.c};
        const auto from_a = [&](const Vec3& p) { return (p - triangle.a) * frame.scale; };
        Vec3 doubled;  // twice the area vector
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t p = surface.corners[t][k], q = surface.corners[t][(k + 1) % 3];
            const Vec3 end = from_a(corner[(k + 1) % 3]);
            doubled = doubled + cross(from_a(corner[k]), end) * winding[p];
            if (surface.edge_of[t][k] == no_shell) continue;
            for (const auto& [_, i] : of(on_edge, surface.edge_of[t][k]))
                doubled =
                    doubled + cross(from_a(cut.nodes[i].point), end) * (p < q ? cut.nodes[i].jump : -cut.nodes[i].jump);
        }
        for (const auto& [_, i] : of(on_triangle, t)) {
            const CutSegment& segment = cut.segments[i];
            const int faces = x == 0 ? other.turn(segment.triangles.b) : -other.turn(segment.triangles.a);
            doubled =
                doubled + cross(from_a(cut.nodes[segment.from].point), from_a(cut.nodes[segment.to].point)) * faces;
        }
        sum.volume += own.turn(t) * dot((triangle.a - frame.origin) * frame.scale, doubled) / 6;
        sum.area += length(doubled) / 2;
    }
}

/// Twice the area where faces lie on each other from outside and B was moved into A: there is a part without volume
/// then, whose two sides the sums have as area.
double area_of_slits(const Placed& a, const Placed& b, std::span<const TrianglePair> met, double scale) {
    double sum = 0;
    for (const TrianglePair& pair : met) {
        const Triangle s = a.triangle(pair.a), t = b.triangle(pair.b);
        const Intersection common = intersection(s, t);
        if (common.meeting != Meeting::Overlapping || !bounds_solid(a, pair.a) || !bounds_solid(b, pair.b)) continue;
        const int faces_a = a.turn(pair.a) * first_sign(s.a, s.b, s.c);
        if (faces_a > 0 || b.turn(pair.b) * first_sign(t.a, t.b, t.c) < 0) continue;
        Vec3 doubled;
        for (int i = 2; i < common.count; ++i)
            doubled = doubled + cross((common.points[i - 1] - common.points[0]) * scale,
                                      (common.points[i] - common.points[0]) * scale);
        sum += length(doubled);
    }
    return sum;
}

}  // namespace
}  // namespace detail

Overlap overlap(const Solid& a, const Solid& b, const Affine& a_from_b, const QuerySettings& settings) {
    using namespace detail;
    const DefaultFloats floats;
    const Related related(a, b, a_from_b, settings);
    Overlap out;
    if (related.relation == Relation::Disjoint || related.relation == Relation::Touching) return out;
    const Placed &placed_a = *related.a, &placed_b = *related.b;
    if (!placed_a.surface.has_inside || !placed_b.surface.has_inside) return out;
    const Cut cut(placed_a, placed_b, related.met, true);
    const Frame frame(placed_a.bounds, placed_b.bounds);
    add_surface(0, placed_a, placed_b, cut, frame, out);
    add_surface(1, placed_b, placed_a, cut, frame, out);
    out.area = std::max(0.0, out.area - area_of_slits(placed_a, placed_b, related.met, frame.scale));
    out.area = std::ldexp(out.area, 2 * frame.exponent);
    // The common part has a volume, however small.
    out.volume = std::max(std::ldexp(out.volume, 3 * frame.exponent), std::numeric_limits<double>::denorm_min());
    return out;
}

}  // namespace graze
