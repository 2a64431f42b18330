// SPDX-License-Identifier: Apache-2.0
#include "tree/qhull.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>
#include <unordered_map>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace graze::detail {

namespace {

constexpr double flatness = 1e-9;

double norm(const Vec3& v) { return std::sqrt(dot(v, v)); }

/// Qhull reports errors to a stream, and a null stream means stderr. This one is opened once and never closed.
std::FILE* nowhere() {
#ifdef _WIN32
    static std::FILE* const file = std::fopen("NUL", "w");
#else
    static std::FILE* const file = std::fopen("/dev/null", "w");
#endif
    return file;
}

/// Runs Qhull on points that span space, and calls read(qh) if it succeeds. `qh_new_qhull` catches Qhull's own jumps
/// and returns an exit code; `read` must not call anything that jumps.
template <class Read>
void with_qhull(std::vector<Vec3>& points, std::string options, Read read) {
    std::FILE* const errors = nowhere();
    if (!errors || points.size() > 0x7fffffff) return;
    qhT state;
    qhT* qh = &state;
    qh_zero(qh, errors);
    if (qh_new_qhull(qh, 3, static_cast<int>(points.size()), &points[0].x, False, options.data(), nullptr, errors) == 0)
        read(qh);
    qh_freeqhull(qh, !qh_ALL);
    int left = 0, total = 0;
    qh_memfreeshort(qh, &left, &total);
}

/// Qhull's tolerance grows with the coordinates, so they are measured from an origin among the points.
HullMesh solid_hull(std::span<const Vec3> points, const Vec3& origin) {
    std::vector<Vec3> local;
    local.reserve(points.size());
    for (const Vec3& p : points) local.push_back(p - origin);
    // Duplicates are removed first: the triangles of a surface name each point about six times.
    const auto key = [](const Vec3& p) { return std::tuple(p.x, p.y, p.z); };
    std::sort(local.begin(), local.end(), [&](const Vec3& p, const Vec3& q) { return key(p) < key(q); });
    local.erase(std::unique(local.begin(), local.end()), local.end());
    HullMesh hull;
    if (local.size() == 4) {  // two triangles with a common edge: half of all groups, and Qhull is slow to start
        for (const Vec3& p : local) hull.vertices.push_back(origin + p);
        hull.faces = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
        return hull;
    }
    // Qt cuts faces into triangles, Pp suppresses warnings about precision.
    with_qhull(local, "qhull Qt Pp", [&](qhT* qh) {
        std::unordered_map<const coordT*, std::uint32_t> number;
        facetT* facet;
        FORALLfacets {
            std::array<std::uint32_t, 3> face{};
            std::size_t corner = 0;
            vertexT *vertex, **vertexp;
            FOREACHvertex_(facet->vertices) {
                const auto found = number.try_emplace(vertex->point, static_cast<std::uint32_t>(hull.vertices.size()));
                if (found.second)
                    hull.vertices.push_back(origin + Vec3{vertex->point[0], vertex->point[1], vertex->point[2]});
                if (corner < 3) face[corner] = found.first->second;
                ++corner;
            }
            if (corner == 3) hull.faces.push_back(face);
        }
    });
    return hull;
}

/// The cycle that the pairs form. Empty if they form none.
std::vector<std::uint32_t> cycle(std::vector<std::array<std::uint32_t, 2>> pairs) {
    std::vector<std::uint32_t> out;
    if (pairs.size() < 3) return out;
    std::uint32_t at = pairs[0][0];
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        out.push_back(at);
        std::size_t next = k;
        while (next < pairs.size() && pairs[next][0] != at && pairs[next][1] != at) ++next;
        if (next == pairs.size()) return {};
        std::swap(pairs[k], pairs[next]);
        at = pairs[k][0] == at ? pairs[k][1] : pairs[k][0];
    }
    return at == out[0] ? out : std::vector<std::uint32_t>();
}

template <class Measure>
std::size_t farthest(std::span<const Vec3> points, Measure measure) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (const double m = measure(points[i]); m > most) most = m, best = i;
    return best;
}

HullMesh flat_hull(std::span<const Vec3> points, const Vec3& origin, const Vec3& u, const Vec3& v) {
    std::vector<Point2> flat;
    flat.reserve(points.size());
    for (const Vec3& p : points) flat.push_back({dot(u, p - origin), dot(v, p - origin)});
    HullMesh hull;
    for (const Point2& p : convex_hull(flat)) hull.vertices.push_back(origin + u * p.u + v * p.v);
    for (std::uint32_t i = 2; i < hull.vertices.size(); ++i) hull.faces.push_back({0, i - 1, i});
    return hull;
}

}  // namespace

std::vector<Point2> convex_hull(std::vector<Point2>& points) {
    // Andrew's monotone chain: the lower side from left to right, then the upper side back.
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return points;
    std::vector<Point2> hull;
    const auto add = [&hull](const Point2& p, std::size_t keep) {
        while (hull.size() > keep) {
            const Point2 &a = hull[hull.size() - 2], &b = hull.back();
            if ((b.u - a.u) * (p.v - b.v) - (b.v - a.v) * (p.u - b.u) > 0) break;
            hull.pop_back();
        }
        hull.push_back(p);
    };
    for (const Point2& p : points) add(p, 1);
    const std::size_t lower = hull.size();
    for (std::size_t i = points.size() - 1; i-- > 0;) add(points[i], lower);
    hull.pop_back();
    return hull;
}

HullMesh convex_hull(std::span<const Vec3> points) {
    if (points.empty()) return {};
    // The span is measured on the points themselves, because a covariance would square the rounding.
    const Vec3 a = points[farthest(points, [&](const Vec3& p) { return dot(p - points[0], p - points[0]); })];
    const Vec3 b = points[farthest(points, [&](const Vec3& p) { return dot(p - a, p - a); })];
    const double size = norm(b - a);
    if (size == 0) return {{a}, {}};
    const Vec3 u = (b - a) * (1 / size);
    const auto off_line = [&](const Vec3& p) { return (p - a) - u * dot(u, p - a); };
    const Vec3 off = off_line(points[farthest(points, [&](const Vec3& p) { return dot(off_line(p), off_line(p)); })]);
    if (norm(off) <= flatness * size) return {{a, b}, {}};
    const Vec3 v = off * (1 / norm(off));
    const Vec3 normal = cross(u, v);
    const auto height = [&](const Vec3& p) { return std::abs(dot(normal, p - a)); };
    if (height(points[farthest(points, height)]) <= flatness * size) return flat_hull(points, a, u, v);
    return solid_hull(points, a);
}

std::vector<std::vector<std::uint32_t>> hull_facets(std::span<const Vec3> points, bool joggled) {
    std::vector<Vec3> copy(points.begin(), points.end());  // Qhull's interface takes a pointer to mutable data
    std::vector<std::vector<std::uint32_t>> facets;
    with_qhull(copy, joggled ? "qhull QJ Pp" : "qhull Pp", [&](qhT* qh) {
        const coordT* const start = qh->first_point;  // joggled points are Qhull's own copy
        const auto number = [start](const vertexT* v) { return static_cast<std::uint32_t>((v->point - start) / 3); };
        facetT* facet;
        FORALLfacets {
            std::vector<std::uint32_t> corners;
            if (facet->simplicial) {
                vertexT *vertex, **vertexp;
                FOREACHvertex_(facet->vertices) corners.push_back(number(vertex));
            } else {
                std::vector<std::array<std::uint32_t, 2>> sides;
                ridgeT *ridge, **ridgep;
                FOREACHridge_(facet->ridges) {
                    sides.push_back({number(static_cast<vertexT*>(SETfirst_(ridge->vertices))),
                                     number(static_cast<vertexT*>(SETsecond_(ridge->vertices)))});
                }
                corners = cycle(std::move(sides));
            }
            facets.push_back(std::move(corners));
        }
    });
    return facets;
}

}  // namespace graze::detail
