// SPDX-License-Identifier: Apache-2.0
#include "hull/convex_hull_build.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "tree/qhull.hpp"

namespace graze::detail {

namespace {

constexpr double u = 0x1p-53;
/// Points nearer to a plane or a line than this, relative to the size, count as lying in it. Qhull cannot tell them
/// apart either.
constexpr double flatness = 0x1p-46;

double norm(const Vec3& v) { return std::sqrt(dot(v, v)); }
double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

template <class Measure>
std::size_t farthest(const std::vector<Vec3>& points, Measure measure) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (const double m = measure(points[i]); m > most) most = m, best = i;
    return best;
}

double to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 d = b - a;
    const double dd = dot(d, d);
    const double t = dd > 0 ? std::clamp(dot(p - a, d) / dd, 0.0, 1.0) : 0;
    return norm(p - (a + d * t));
}

/// Points in boxes that are halved along the longest side down to a few points each. Finds the outermost points along a
/// direction.
class PointTree {
public:
    explicit PointTree(std::vector<Vec3> points) : points_(std::move(points)) { grow(0, 0, points_.size()); }

    /// Calls f(height, point) for all points higher along n than `above()`, which f may raise.
    template <class Above, class F>
    void higher(const Vec3& n, Above above, F f) const {
        std::vector<Range> stack{{0, 0, points_.size()}};
        while (!stack.empty()) {
            const Range r = stack.back();
            stack.pop_back();
            const Box& box = boxes_[r.node];
            const Vec3 top{n.x > 0 ? box.high.x : box.low.x, n.y > 0 ? box.high.y : box.low.y,
                           n.z > 0 ? box.high.z : box.low.z};
            if (dot(n, top) <= above()) continue;  // rounding is monotone, so no point of the box comes out higher
            if (r.end - r.begin <= leaf) {
                for (std::size_t i = r.begin; i < r.end; ++i)
                    if (const double h = dot(n, points_[i]); h > above()) f(h, points_[i]);
            } else {
                const std::size_t middle = (r.begin + r.end) / 2;
                stack.push_back({2 * r.node + 1, r.begin, middle});
                stack.push_back({2 * r.node + 2, middle, r.end});
            }
        }
    }

private:
    static constexpr std::size_t leaf = 8;
    struct Range {
        std::size_t node, begin, end;
    };
    struct Box {
        Vec3 low, high;
    };

    void grow(std::size_t node, std::size_t begin, std::size_t end) {
        if (node >= boxes_.size()) boxes_.resize(node + 1);
        Box box{points_[begin], points_[begin]};
        for (std::size_t i = begin; i < end; ++i)
            for (int k = 0; k < 3; ++k) {
                box.low[k] = std::min(box.low[k], points_[i][k]);
                box.high[k] = std::max(box.high[k], points_[i][k]);
            }
        boxes_[node] = box;
        if (end - begin <= leaf) return;
        const Vec3 size = box.high - box.low;
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        const std::size_t middle = (begin + end) / 2;
        const auto at = [this](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
        std::nth_element(at(begin), at(middle), at(end),
                         [axis](const Vec3& p, const Vec3& q) { return p[axis] < q[axis]; });
        grow(2 * node + 1, begin, middle);
        grow(2 * node + 2, middle, end);
    }

    std::vector<Vec3> points_;
    std::vector<Box> boxes_;
};

/// The normal of a face, from its corners in anticlockwise order; zero when it has no area. The normal of a long thin
/// face is off mostly along its length, where that matters most, so that part is removed by the longest side.
Vec3 face_normal(const std::vector<Vec3>& points, std::span<const std::uint32_t> loop) {
    const Vec3& origin = points[loop[0]];
    Vec3 n, longest;
    for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec3 &p = points[loop[i]], &q = points[loop[(i + 1) % loop.size()]];
        n = n + cross(p - origin, q - origin);
        if (dot(q - p, q - p) > dot(longest, longest)) longest = q - p;
    }
    const double length = norm(n);
    if (!(length > 0)) return {};
    n = n * (1 / length);
    n = n - longest * (dot(n, longest) / dot(longest, longest));
    return n * (1 / norm(n));
}

/// Makes the surface from loops of vertices, given as indices into `hull.vertices`. False when it is not closed, or not
/// a sphere.
bool assemble(HullData& hull, const std::vector<std::vector<std::uint32_t>>& loops) {
    const std::size_t n = hull.vertices.size();
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (const auto& loop : loops) {
        const auto face = static_cast<std::uint32_t>(hull.faces.size());
        const Vec3 normal = face_normal(hull.vertices, loop);
        if (!(dot(normal, normal) > 0)) return false;
        hull.faces.push_back(
            {normal, 0, static_cast<std::uint32_t>(hull.corners.size()), static_cast<std::uint32_t>(loop.size())});
        for (std::size_t i = 0; i < loop.size(); ++i) {
            const std::uint32_t p = loop[i], q = loop[(i + 1) % loop.size()];
            const std::uint64_t key = (std::uint64_t{std::min(p, q)} << 32) | std::max(p, q);
            const auto [entry, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(hull.edges.size()));
            if (fresh) {
                hull.edges.push_back({{p, q}, {face, none}});
            } else {
                HullEdge& e = hull.edges[entry->second];
                if (e.v[0] != q || e.f[1] != none) return false;
                e.f[1] = face;
            }
            hull.corners.push_back(p);
            hull.sides.push_back(entry->second);
        }
    }
    if (n + hull.faces.size() != hull.edges.size() + 2) return false;
    std::vector<std::uint32_t> degree(n, 0), first(n, none);
    for (std::uint32_t e = 0; e < hull.edges.size(); ++e) {
        if (hull.edges[e].f[1] == none) return false;
        for (const std::uint32_t v : hull.edges[e].v) ++degree[v], first[v] = e;
    }
    for (std::uint32_t v = 0; v < n; ++v) {
        hull.fan.push_back(static_cast<std::uint32_t>(hull.spokes.size()));
        std::uint32_t e = first[v], turns = 0;
        if (e == none) return false;
        do {
            const HullEdge& edge = hull.edges[e];
            const std::uint32_t f = edge.f[edge.v[0] == v ? 0 : 1];
            hull.spokes.push_back(e);
            hull.webs.push_back(f);
            const auto corners = hull.corners_of(f);
            const auto at = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), v) - corners.begin());
            e = hull.sides_of(f)[(at + corners.size() - 1) % corners.size()];
        } while (e != first[v] && ++turns < degree[v]);
        if (e != first[v] || hull.spokes.size() - hull.fan[v] != degree[v]) return false;
    }
    hull.fan.push_back(static_cast<std::uint32_t>(hull.spokes.size()));
    return true;
}

/// Takes the vertices that the loops name and renumbers them.
void take_vertices(HullData& hull, const std::vector<Vec3>& exact, const std::vector<Vec3>& local,
                   std::vector<std::vector<std::uint32_t>>& loops) {
    std::vector<std::uint32_t> number(exact.size(), none);
    for (auto& loop : loops)
        for (std::uint32_t& v : loop) {
            if (number[v] == none) {
                number[v] = static_cast<std::uint32_t>(hull.vertices.size());
                hull.exact.push_back(exact[v]);
                hull.vertices.push_back(local[v]);
            }
            v = number[v];
        }
}

void clear_surface(HullData& hull) {
    hull.exact.clear(), hull.vertices.clear(), hull.edges.clear(), hull.faces.clear();
    hull.corners.clear(), hull.sides.clear(), hull.fan.clear(), hull.spokes.clear(), hull.webs.clear();
}

bool solid(HullData& hull, const std::vector<Vec3>& exact, const std::vector<Vec3>& local) {
    for (const bool joggled : {false, true}) {
        clear_surface(hull);
        auto loops = hull_facets(local, joggled);
        if (loops.empty() || std::ranges::any_of(loops, [](const auto& loop) { return loop.size() < 3; })) continue;
        take_vertices(hull, exact, local, loops);
        Vec3 inside;
        for (const Vec3& v : hull.vertices) inside = inside + v * (1 / static_cast<double>(hull.vertices.size()));
        for (auto& loop : loops)
            if (dot(face_normal(hull.vertices, loop), hull.vertices[loop[0]] - inside) < 0) std::ranges::reverse(loop);
        hull.centre = inside;
        if (!assemble(hull, loops)) continue;
        // The cones from the centre require it to be inside.
        if (std::ranges::all_of(hull.faces, [&](const HullFace& f) {
                return dot(f.normal, hull.vertices[hull.corners[f.first]] - inside) > 0;
            }))
            return true;
    }
    clear_surface(hull);
    return false;
}

/// Makes bevels of edges whose faces are turned more than 120 degrees from each other, halfway between them, and of
/// vertices with a face more than 60 degrees off the direction opposite to their edges, if all edges are well below
/// that.
void bevel(HullData& hull) {
    hull.edge_bevel.assign(hull.edges.size(), none);
    hull.vertex_bevel.assign(hull.vertices.size(), none);
    const auto add = [&hull](const Vec3& n) {
        hull.bevels.push_back({n * (1 / norm(n)), 0, 0, 0});
        return static_cast<std::uint32_t>(hull.bevels.size() - 1);
    };
    for (std::uint32_t i = 0; i < hull.edges.size(); ++i) {
        const HullEdge& e = hull.edges[i];
        const Vec3 &n = hull.faces[e.f[0]].normal, &m = hull.faces[e.f[1]].normal;
        if (dot(n, m) > -0.5) continue;
        const Vec3 d = hull.vertices[e.v[1]] - hull.vertices[e.v[0]];
        hull.edge_bevel[i] = add((cross(d, n) - cross(d, m)) * (1 / norm(d)));
    }
    for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
        const auto away = [&](std::uint32_t e) {
            const Vec3 d = hull.vertices[v] - hull.vertices[hull.other_end(e, v)];
            return d * (1 / norm(d));
        };
        Vec3 out;
        for (const std::uint32_t e : hull.spokes_of(v)) out = out + away(e);
        for (int i = 0; i < 32; ++i) {  // adds the edge that is least along it, as a perceptron learns
            const auto worst = std::ranges::min(hull.spokes_of(v), {}, [&](auto e) { return dot(away(e), out); });
            if (dot(away(worst), out) > 0.1 * norm(out)) break;
            out = out * (1 / std::max(1.0, norm(out) / 8)) + away(worst);
        }
        const double size = norm(out);
        bool sharp = false, clear = size > 0;
        for (std::uint32_t i = hull.fan[v]; i < hull.fan[v + 1]; ++i) {
            sharp = sharp || dot(hull.faces[hull.webs[i]].normal, out) < 0.5 * size;
            clear = clear && dot(away(hull.spokes[i]), out) > 0.01 * size;
        }
        if (sharp && clear) hull.vertex_bevel[v] = add(out);
    }
}

/// Computes `outer` of each face, with 8u for the rounding of its products, and the slack. A point below all faces is
/// inside, because it sees the whole closed surface from behind. A point above a face is no further from the hull than
/// from that face.
void measure_solid(HullData& hull, const std::vector<Vec3>& local) {
    const PointTree tree(local);
    std::vector<std::pair<Vec3, double>> out;  // points above some face, and an upper bound of their distance from it
    for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
        HullFace& face = hull.faces[f];
        const auto corners = hull.corners_of(f);
        double top = -4;
        for (const std::uint32_t c : corners) top = std::max(top, dot(face.normal, hull.vertices[c]));
        double most = top;
        tree.higher(
            face.normal, [&] { return top; },
            [&](double height, const Vec3& p) {
                most = std::max(most, height);
                double distance = height - top, rim = 4;
                for (std::size_t i = 0; i < corners.size(); ++i) {
                    const Vec3 &a = hull.vertices[corners[i]], &b = hull.vertices[corners[(i + 1) % corners.size()]];
                    if (dot(cross(face.normal, b - a), p - a) < 0) rim = std::min(rim, to_segment(p, a, b));
                }
                if (rim < 4) distance = std::max(distance, rim);
                out.push_back({p, distance});
            });
        face.outer = most + 8 * u;
    }
    for (HullFace& b : hull.bevels) {
        double most = -4;
        tree.higher(b.normal, [&] { return most; }, [&](double height, const Vec3&) { most = height; });
        b.outer = most + 8 * u;
    }
    std::ranges::sort(out, [](const auto& p, const auto& q) {
        return before(p.first, q.first) || (p.first == q.first && p.second < q.second);
    });
    for (std::size_t i = 0; i < out.size(); ++i)
        if (i == 0 || out[i].first != out[i - 1].first) hull.slack = std::max(hull.slack, out[i].second);
    hull.slack += 8 * u;
}

/// Makes a polygon in the plane through `origin` along a and b. Its points may be off the plane.
void flat(HullData& hull, const std::vector<Vec3>& exact, const std::vector<Vec3>& local, const Vec3& origin,
          const Vec3& a, const Vec3& b) {
    std::vector<Point2> in_plane;
    for (const Vec3& p : local) in_plane.push_back({dot(a, p - origin), dot(b, p - origin)});
    std::vector<std::uint32_t> order(local.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t i, std::uint32_t j) { return in_plane[i] < in_plane[j]; });
    std::vector<Point2> sorted = in_plane;
    std::vector<std::vector<std::uint32_t>> loops(1);
    for (const Point2& p : convex_hull(sorted))
        loops[0].push_back(*std::ranges::lower_bound(order, p, {}, [&](std::uint32_t i) { return in_plane[i]; }));
    if (loops[0].size() < 3) return;
    loops.push_back({loops[0].rbegin(), loops[0].rend()});
    std::ranges::rotate(loops[1], loops[1].end() - 1);  // makes heights over the two faces, from one corner, opposite
    take_vertices(hull, exact, local, loops);
    if (!assemble(hull, loops)) return clear_surface(hull);
    const Vec3 n = hull.faces[0].normal;
    hull.faces[1].normal = -n;
    const Vec3 base = hull.vertices[hull.corners[0]];
    double warp = 0;  // distance of the corners themselves from the plane
    for (const Vec3& p : hull.vertices) warp = std::max(warp, std::abs(dot(n, p - base)));
    for (const Vec3& p : local) {
        double rim = 4;
        for (const HullEdge& e : hull.edges)
            if (dot(cross(n, hull.vertices[e.v[1]] - hull.vertices[e.v[0]]), p - hull.vertices[e.v[0]]) < 0)
                rim = std::min(rim, to_segment(p, hull.vertices[e.v[0]], hull.vertices[e.v[1]]));
        hull.slack = std::max(hull.slack, rim < 4 ? rim : std::abs(dot(n, p - base)) + warp);
    }
    hull.slack += 8 * u;
    bevel(hull);
    const PointTree tree(local);
    for (auto* planes : {&hull.faces, &hull.bevels})
        for (HullFace& f : *planes) {
            double most = -4;
            tree.higher(f.normal, [&] { return most; }, [&](double height, const Vec3&) { most = height; });
            f.outer = most + 8 * u;
        }
    hull.dimension = 2;
}

void segment(HullData& hull, const std::vector<Vec3>& exact, const std::vector<Vec3>& local, std::size_t i,
             std::size_t j) {
    hull.exact = {exact[i], exact[j]};
    hull.vertices = {local[i], local[j]};
    hull.edges = {{{0, 1}}};
    hull.fan = {0, 1, 2};
    hull.spokes = {0, 0};
    hull.webs = {none, none};
    for (const Vec3& p : local) hull.slack = std::max(hull.slack, to_segment(p, local[i], local[j]));
    hull.slack += 8 * u;
    hull.dimension = 1;
}

/// Chooses local coordinates in which no product overflows or underflows, relative to zero if the points are near it.
std::vector<Vec3> set_frame(HullData& hull, const std::vector<Vec3>& exact) {
    Vec3 low = exact[0], high = exact[0];
    for (const Vec3& p : exact)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    hull.largest = std::max(largest(low), largest(high));
    const double half_size = largest(high * 0.5 - low * 0.5);
    for (int k = 0; k < 3; ++k) {
        const double middle = low[k] * 0.5 + high[k] * 0.5;
        hull.origin[k] = std::abs(middle) > 16 * half_size ? middle : 0;
    }
    const double reach = std::max(largest(low - hull.origin), largest(high - hull.origin));
    hull.exponent = reach > 0 ? std::ilogb(reach) + 1 : std::numeric_limits<double>::min_exponent;
    std::vector<Vec3> local;
    for (const Vec3& p : exact) {
        local.push_back(hull.local(p));
        hull.radius = std::max(hull.radius, norm(local.back()));
    }
    hull.radius *= 1 + 8 * u;
    return local;
}

/// Makes the hull of distinct points.
void span_points(HullData& hull, const std::vector<Vec3>& exact) {
    const std::vector<Vec3> local = set_frame(hull, exact);
    const std::size_t i = farthest(local, [&](const Vec3& p) { return dot(p - local[0], p - local[0]); });
    const Vec3 a = local[i];
    const std::size_t j = farthest(local, [&](const Vec3& p) { return dot(p - a, p - a); });
    const Vec3 b = local[j];
    const double size = norm(b - a);
    if (size == 0) {
        hull.dimension = 0;
        hull.exact = {exact[0]};
        hull.vertices = {local[0]};
        hull.fan = {0, 0};
        for (const Vec3& p : local) hull.slack = std::max(hull.slack, norm(p - local[0]));
    } else {
        const Vec3 along = (b - a) * (1 / size);
        const auto off_line = [&](const Vec3& p) { return (p - a) - along * dot(along, p - a); };
        const auto k = farthest(local, [&](const Vec3& p) { return dot(off_line(p), off_line(p)); });
        Vec3 across = off_line(local[k]);
        if (norm(across) > flatness * size) {
            across = across * (1 / norm(across));
            across = across - along * dot(along, across);  // twice, because the first time it was mostly along
            across = across * (1 / norm(across));
            const Vec3 up = cross(along, across);
            const auto height = [&](const Vec3& p) { return std::abs(dot(up, p - a)); };
            const double thickness = height(local[farthest(local, height)]);
            if (thickness > flatness * size && solid(hull, exact, local)) {
                hull.dimension = 3;
                bevel(hull);
                measure_solid(hull, local);
            } else if (thickness <= 1e-9 * size) {
                flat(hull, exact, local, a, along, across);
            }
            if (hull.dimension < 0 && thickness > flatness * size) {
                // There is no surface to walk on. All points count as vertices.
                hull.dimension = 3;
                hull.exact = exact;
                hull.vertices = local;
                hull.fan.assign(local.size() + 1, 0);
            }
        }
        if (hull.dimension < 0) segment(hull, exact, local, i, j);
    }
    hull.centre = {};
    for (const Vec3& v : hull.vertices) hull.centre = hull.centre + v * (1 / static_cast<double>(hull.vertices.size()));
}

}  // namespace

std::shared_ptr<HullData> make_hull(std::vector<Vec3> points) {
    auto hull = std::make_shared<HullData>();
    std::ranges::sort(points, before);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (!points.empty()) span_points(*hull, points);
    return hull;
}

}  // namespace graze::detail
