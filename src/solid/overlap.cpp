// SPDX-License-Identifier: Apache-2.0
// Volume of the common part of two solids, by the divergence theorem.
//
// Let w_A and w_B be the winding numbers of A and B. The integral of w_A · w_B is the sum over A's triangles of
// h/3 times the integral of w_B over the triangle, where h is the height of its plane above an origin, plus the same
// with A and B exchanged. Over a triangle, w_B is constant but for jumps of 1 at the segments in which B cuts it. So
// the integral is half of a sum of cross products, over the parts of the triangle's border where w_B is not zero, and
// over the segments. Moving B by an infinitesimal amount, as src/solid/cut.hpp does, changes the volume by as little.
//
// All points in these sums are on the surface of the common part, and vectors are taken from points among them. So
// nothing in them is larger than the common part, however large the triangles are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/float_environment.hpp"
#include "exact/perturbed.hpp"
#include "graze/solid.hpp"
#include "solid/cut.hpp"
#include "solid/relate.hpp"
#include "solid/solid_data.hpp"

namespace graze {

namespace detail {
namespace {

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

/// A sum of doubles, and of products, with about twice the digits (Ogita, Rump and Oishi, "Accurate sum and dot
/// product", 2005).
class Sum {
public:
    void add(double x) {
        const double sum = high_ + x, of_x = sum - high_;
        low_ += (high_ - (sum - of_x)) + (x - of_x);
        high_ = sum;
    }
    void add_product(double a, double b) {
        const double product = a * b;
        low_ += std::fma(a, b, -product);
        add(product);
    }
    double value() const { return high_ + low_; }

private:
    double high_ = 0, low_ = 0;
};

/// A directed part of the border of what a triangle bounds of the common part. It counts `times` times.
struct Border {
    std::uint32_t triangle = 0;
    int times = 0;
    Vec3 from, to;
};

/// The borders of what the triangles of one model bound of the common part, ordered by triangle.
struct Borders {
    std::vector<Border> all;
    std::vector<bool> flush;  ///< triangles of which an area that bounds nothing was taken away

    /// Orders them by triangle and leaves the order within each as it is.
    void sort() {
        if (std::ranges::is_sorted(all, {}, &Border::triangle)) return;
        std::vector<std::size_t> next(flush.size() + 1);
        for (const Border& border : all) ++next[border.triangle + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        std::vector<Border> sorted(all.size());
        for (const Border& border : all) sorted[next[border.triangle]++] = border;
        all.swap(sorted);
    }
};

/// The nodes on the edges of model x, by edge and then in their order from the lower corner to the higher.
std::vector<std::pair<std::uint32_t, std::uint32_t>> nodes_on_edges(int x, const Placed& own, const Cut& cut) {
    const Surface& surface = own.surface;
    struct Place {
        std::uint32_t edge, node;
        double along;
    };
    std::vector<Place> places;
    for (std::uint32_t i = 0; i < cut.nodes.size(); ++i) {
        const CutNode& node = cut.nodes[i];
        if (node.x != x) continue;
        const std::uint32_t t = surface.first_of_edge[node.edge];
        const auto k =
            static_cast<std::size_t>(std::ranges::find(surface.edge_of[t], node.edge) - surface.edge_of[t].begin());
        const std::uint32_t p = surface.corners[t][k], q = surface.corners[t][(k + 1) % 3];
        const Vec3 way = own.point(std::max(p, q)) - own.point(std::min(p, q));
        int axis = 0;
        for (int d = 1; d < 3; ++d)
            if (std::abs(way[d]) > std::abs(way[axis])) axis = d;
        // Coordinates are rounded to the nearest double, which keeps their order.
        places.push_back({node.edge, i, way[axis] < 0 ? -node.point[axis] : node.point[axis]});
    }
    std::ranges::sort(places, {}, [](const Place& p) { return std::tuple(p.edge, p.along, p.node); });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
    for (const Place& place : places) out.emplace_back(place.edge, place.node);
    return out;
}

Borders borders_of(int x, const Placed& own, const Placed& other, const Cut& cut) {
    const Surface& surface = own.surface;
    const std::vector<int> winding = windings_at_corners(x, own, other, cut);
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> on_edges = nodes_on_edges(x, own, cut);
    Borders out;
    out.flush.resize(surface.shell_of.size());
    const auto add = [&](std::uint32_t t, const Vec3& from, const Vec3& to, int times) {
        if (times != 0 && from != to) out.all.push_back({t, times, from, to});
    };
    for (std::uint32_t t = 0; t < surface.shell_of.size(); ++t) {
        if (!bounds_solid(own, t)) continue;
        const Triangle triangle = own.triangle(t);
        const Vec3 corner[] = {triangle.a, triangle.b, triangle.c};
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t p = surface.corners[t][k], q = surface.corners[t][(k + 1) % 3];
            const std::uint32_t edge = surface.edge_of[t][k];
            Vec3 from = corner[k];
            int times = winding[p];
            if (edge != no_shell) {
                const auto nodes =
                    std::ranges::equal_range(on_edges, edge, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
                for (std::size_t i = 0; i < nodes.size(); ++i) {
                    const CutNode& node = cut.nodes[nodes[p < q ? i : nodes.size() - 1 - i].second];
                    add(t, from, node.point, times);
                    from = node.point;
                    times += p < q ? node.jump : -node.jump;
                }
            }
            add(t, from, corner[(k + 1) % 3], times);
        }
    }
    for (const CutSegment& segment : cut.segments) {
        const TrianglePair& pair = segment.triangles;
        add(x == 0 ? pair.a : pair.b, cut.nodes[segment.from].point, cut.nodes[segment.to].point,
            x == 0 ? other.turn(pair.b) : -other.turn(pair.a));
    }
    return out;
}

/// Takes away the areas where faces lie on each other from outside and B was moved into A: there is a part without
/// volume then, whose two borders the borders go around.
void take_slits(const Placed& a, const Placed& b, std::span<const TrianglePair> met, Borders (&borders)[2]) {
    for (const TrianglePair& pair : met) {
        if (!bounds_solid(a, pair.a) || !bounds_solid(b, pair.b)) continue;
        const Triangle s = a.triangle(pair.a), t = b.triangle(pair.b);
        const int turns_s = first_sign(s.a, s.b, s.c), turns_t = first_sign(t.a, t.b, t.c);
        if (a.turn(pair.a) * turns_s > 0 || b.turn(pair.b) * turns_t < 0) continue;
        const Intersection common = intersection(s, t);
        if (common.meeting != Meeting::Overlapping) continue;
        borders[0].flush[pair.a] = borders[1].flush[pair.b] = true;
        // The polygon turns as s does.
        for (int i = 0; i < common.count; ++i) {
            const Vec3 &from = common.points[i], &to = common.points[(i + 1) % common.count];
            borders[0].all.push_back({pair.a, -1, from, to});
            borders[1].all.push_back({pair.b, turns_s == turns_t ? -1 : 1, from, to});
        }
    }
}

/// Coordinates relative to the middle of the common part, in units of about its size: a small part far from the origin
/// loses no digits, and products stay in range.
struct Frame {
    Vec3 origin;
    int exponent = 0;
    double scale = 1;  ///< 2^-exponent

    explicit Frame(const Borders (&borders)[2]) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        Vec3 low{infinity, infinity, infinity}, high = -low;
        for (const Borders& some : borders)
            for (const Border& border : some.all)
                for (int d = 0; d < 3; ++d) {
                    low[d] = std::min(low[d], border.from[d]);
                    high[d] = std::max(high[d], border.from[d]);
                }
        double size = 0x1p-1000;
        if (low.x < infinity)
            for (int d = 0; d < 3; ++d) {
                origin[d] = low[d] / 2 + high[d] / 2;
                size = std::max(size, high[d] - low[d]);
            }
        exponent = std::ilogb(size);
        scale = std::ldexp(1.0, -exponent);
    }
};

/// Twice the area vector of what the borders of one triangle go around, computed with care where much of it cancels.
Vec3 doubled_area(std::span<const Border> borders, double scale, bool cancels) {
    const Vec3 origin = borders[0].from;
    Vec3 doubled;
    Sum sums[3];
    for (const Border& border : borders) {
        const Vec3 u = (border.from - origin) * (scale * border.times), v = (border.to - origin) * scale;
        if (!cancels) doubled = doubled + cross(u, v);
        for (int d = 0; d < 3 && cancels; ++d) {
            sums[d].add_product(u[(d + 1) % 3], v[(d + 2) % 3]);
            sums[d].add_product(-u[(d + 2) % 3], v[(d + 1) % 3]);
        }
    }
    return cancels ? Vec3{sums[0].value(), sums[1].value(), sums[2].value()} : doubled;
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
    Borders borders[2] = {borders_of(0, placed_a, placed_b, cut), borders_of(1, placed_b, placed_a, cut)};
    take_slits(placed_a, placed_b, related.met, borders);
    const Frame frame(borders);
    Sum volume, area;
    for (int x = 0; x < 2; ++x) {
        borders[x].sort();
        const std::span<const Border> all = borders[x].all;
        for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
            const std::uint32_t t = all[i].triangle;
            while (end < all.size() && all[end].triangle == t) ++end;
            const Vec3 doubled = doubled_area(all.subspan(i, end - i), frame.scale, borders[x].flush[t]);
            const Vec3 from = (all[i].from - frame.origin) * frame.scale;
            volume.add((x == 0 ? placed_a : placed_b).turn(t) * dot(from, doubled));
            area.add(length(doubled));
        }
    }
    out.area = std::ldexp(area.value() / 2, 2 * frame.exponent);
    // The common part has a volume, however small.
    out.volume =
        std::max(std::ldexp(volume.value() / 6, 3 * frame.exponent), std::numeric_limits<double>::denorm_min());
    return out;
}

}  // namespace graze
