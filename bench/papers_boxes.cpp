// SPDX-License-Identifier: Apache-2.0
// Tests of two boxes: tables 1 and 2 of the OBBTree paper.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "../tests/counting.hpp"
#include "bench/papers.hpp"
#include "graze/hull.hpp"
#include "hull/closest_features.hpp"
#include "model/access.hpp"
#include "scenes/placements.hpp"
#include "tree/box_axes.hpp"

namespace graze::bench::papers {
namespace {

using test::Counting;
using test::Counts;

/// Two boxes in the frame of the first one: half sizes, rotation and the vector between the centres.
struct BoxPair {
    std::uint32_t box_a = 0, box_b = 0;  ///< indices into the pool
    double a[3], b[3], t[3], r[3][3];
    Affine a_from_b;
};

struct BoxPool {
    std::vector<Vec3> halves;
    std::vector<Hull> hulls;
    std::vector<BoxPair> pairs;
};

/// Boxes with sides of 0.2 to 2 at random placements, nearly half of which overlap.
BoxPool random_boxes(std::size_t count) {
    scenes::Random random(11);
    BoxPool pool;
    for (int k = 0; k < 256; ++k) {
        const Vec3 h = random.in_cube(0.1, 1);
        std::vector<Vec3> corners;
        for (int c = 0; c < 8; ++c) corners.push_back({c & 1 ? h.x : -h.x, c & 2 ? h.y : -h.y, c & 4 ? h.z : -h.z});
        pool.halves.push_back(h);
        pool.hulls.push_back(*Hull::around(std::span<const Vec3>(corners)));
    }
    for (std::size_t k = 0; k < count; ++k) {
        BoxPair pair;
        pair.box_a = random.below(256), pair.box_b = random.below(256);
        const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-1.5, 1.5));
        pair.a_from_b = pose;
        for (int i = 0; i < 3; ++i) {
            pair.a[i] = pool.halves[pair.box_a][i], pair.b[i] = pool.halves[pair.box_b][i];
            pair.t[i] = pose.translation()[i];
            for (int j = 0; j < 3; ++j) pair.r[i][j] = pose.rotation().row[i][j];
        }
        pool.pairs.push_back(pair);
    }
    return pool;
}

bool overlap_by_axes(const BoxPair& p) { return !detail::boxes_apart<3, 3>(p.a, p.b, p.t, p.r, 0.0, 0.0); }

/// A positive number is the distance along the best of the 15 axes, a negative one how deep the boxes reach.
double gap(const BoxPair& p) {
    Vec3 a[3], b[3];
    for (int i = 0; i < 3; ++i) a[i][i] = 1, b[i] = {p.r[0][i], p.r[1][i], p.r[2][i]};
    const Vec3 t{p.t[0], p.t[1], p.t[2]};
    double best = -1e300;
    const auto along = [&](const Vec3& l) {
        const double n = length(l);
        if (n < 1e-9) return;
        double radii = 0;
        for (int i = 0; i < 3; ++i) radii += p.a[i] * std::abs(dot(a[i], l)) + p.b[i] * std::abs(dot(b[i], l));
        best = std::max(best, (std::abs(dot(t, l)) - radii) / n);
    };
    for (int i = 0; i < 3; ++i) along(a[i]), along(b[i]);
    for (const Vec3& x : a)
        for (const Vec3& y : b) along(cross(x, y));
    return best;
}

// Linear programming (Seidel 1991): a point in all half-spaces of both boxes.

template <int n>
struct HalfSpace {
    std::array<double, n> normal;
    double offset;  ///< normal · x ≤ offset
};
constexpr double bound = 100;  ///< bound of all coordinates
constexpr double tie = 1e-12;

template <int n>
double product(const std::array<double, n>& a, const std::array<double, n>& b) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// The point of the first `count` half-spaces that is farthest along `aim`; nothing when they have no point in common.
/// The half-spaces come in random order. Whenever the best point so far violates one, the new best point lies on its
/// plane, which is a problem of one dimension less.
template <int n>
std::optional<std::array<double, n>> farthest(const HalfSpace<n>* spaces, int count, const std::array<double, n>& aim) {
    if constexpr (n == 1) {
        double low = -bound, high = bound;
        for (int i = 0; i < count; ++i) {
            const auto& [normal, offset] = spaces[i];
            if (normal[0] > tie)
                high = std::min(high, offset / normal[0]);
            else if (normal[0] < -tie)
                low = std::max(low, offset / normal[0]);
            else if (offset < -tie)
                return {};
        }
        if (low > high + tie) return {};
        return std::array<double, 1>{aim[0] >= 0 ? high : low};
    } else {
        std::array<double, n> best;
        for (int i = 0; i < n; ++i) best[i] = aim[i] >= 0 ? bound : -bound;
        for (int i = 0; i < count; ++i) {
            const HalfSpace<n>& violated = spaces[i];
            if (product<n>(violated.normal, best) <= violated.offset + tie) continue;
            int k = 0;
            for (int j = 1; j < n; ++j)
                if (std::abs(violated.normal[j]) > std::abs(violated.normal[k])) k = j;
            if (std::abs(violated.normal[k]) <= tie) return {};
            // On the plane coordinate k depends on the others.
            const double inverse = 1 / violated.normal[k];
            const auto without_k = [&](const std::array<double, n>& v) {
                std::array<double, n - 1> out;
                for (int j = 0, at = 0; j < n; ++j)
                    if (j != k) out[at++] = v[j] - v[k] * inverse * violated.normal[j];
                return out;
            };
            std::array<HalfSpace<n - 1>, 24> reduced;
            int at = 0;
            for (int h = 0; h < i; ++h)
                reduced[at++] = {without_k(spaces[h].normal),
                                 spaces[h].offset - spaces[h].normal[k] * inverse * violated.offset};
            std::array<double, n> unit{};
            for (const double side : {1.0, -1.0}) {
                unit[k] = side;
                reduced[at++] = {without_k(unit), bound - side * inverse * violated.offset};
            }
            const auto lower = farthest<n - 1>(reduced.data(), at, without_k(aim));
            if (!lower) return {};
            double rest = violated.offset;
            for (int j = 0, from = 0; j < n; ++j)
                if (j != k) best[j] = (*lower)[from++], rest -= violated.normal[j] * best[j];
            best[k] = rest * inverse;
        }
        return best;
    }
}

bool overlap_by_linear_program(const BoxPair& p, scenes::Random& random) {
    std::array<HalfSpace<3>, 12> spaces;
    for (int i = 0; i < 3; ++i) {
        std::array<double, 3> own{}, other{};
        own[i] = 1;
        for (int k = 0; k < 3; ++k) other[k] = p.r[k][i];
        const double middle = product<3>(other, {p.t[0], p.t[1], p.t[2]});
        const auto opposite = [](const std::array<double, 3>& v) { return std::array<double, 3>{-v[0], -v[1], -v[2]}; };
        spaces[4 * i] = {own, p.a[i]};
        spaces[4 * i + 1] = {opposite(own), p.a[i]};
        spaces[4 * i + 2] = {other, p.b[i] + middle};
        spaces[4 * i + 3] = {opposite(other), p.b[i] - middle};
    }
    for (std::uint32_t i = 12; i > 1; --i) std::swap(spaces[i - 1], spaces[random.below(i)]);
    return farthest<3>(spaces.data(), 12, {1, 0, 0}).has_value();
}

/// Whether an edge of the second box meets a face of the first one: 12 edges, 6 faces. The first box is about the
/// origin, along the axes.
bool edge_meets_face(const double (&a)[3], const double (&b)[3], const Vec3& t, const Vec3 (&axis)[3]) {
    for (int along = 0; along < 3; ++along)
        for (int corner = 0; corner < 4; ++corner) {
            const int u = (along + 1) % 3, v = (along + 2) % 3;
            const Vec3 middle = t + axis[u] * (corner & 1 ? b[u] : -b[u]) + axis[v] * (corner & 2 ? b[v] : -b[v]);
            const Vec3 way = axis[along] * b[along];
            for (int face = 0; face < 6; ++face) {
                const int i = face / 2, j = (i + 1) % 3, k = (i + 2) % 3;
                const double plane = face % 2 ? a[i] : -a[i];
                if (std::abs(plane - middle[i]) > std::abs(way[i])) continue;
                const double s = way[i] == 0 ? 0 : (plane - middle[i]) / way[i];
                if (std::abs(middle[j] + s * way[j]) <= a[j] && std::abs(middle[k] + s * way[k]) <= a[k]) return true;
            }
        }
    return false;
}

/// Without an edge on a face, boxes overlap only where one holds the other.
bool overlap_by_edges(const BoxPair& p) {
    const Vec3 rows[3] = {
        {p.r[0][0], p.r[0][1], p.r[0][2]}, {p.r[1][0], p.r[1][1], p.r[1][2]}, {p.r[2][0], p.r[2][1], p.r[2][2]}};
    const Vec3 columns[3] = {
        {p.r[0][0], p.r[1][0], p.r[2][0]}, {p.r[0][1], p.r[1][1], p.r[2][1]}, {p.r[0][2], p.r[1][2], p.r[2][2]}};
    const Vec3 t{p.t[0], p.t[1], p.t[2]}, back{-dot(columns[0], t), -dot(columns[1], t), -dot(columns[2], t)};
    if (edge_meets_face(p.a, p.b, t, columns) || edge_meets_face(p.b, p.a, back, rows)) return true;
    const auto within = [](const Vec3& v, const double(&half)[3]) {
        return std::abs(v.x) <= half[0] && std::abs(v.y) <= half[1] && std::abs(v.z) <= half[2];
    };
    return within(t, p.a) || within(back, p.b);
}

/// The methods of table 2, the paper's first.
constexpr std::array<const char*, 5> methods{"separating axes", "closest features (Lin and Canny)",
                                             "closest features (GJK)", "linear programming (Seidel)",
                                             "144 edge-face tests"};

bool overlap(std::size_t method, const BoxPool& pool, const BoxPair& p, scenes::Random& random) {
    const Hull &a = pool.hulls[p.box_a], &b = pool.hulls[p.box_b];
    switch (method) {
        case 0:
            return overlap_by_axes(p);
        case 1:
            return closest_features(a, b, p.a_from_b).overlap;
        case 2:
            return detail::gjk({detail::Access::data(a), detail::Access::data(b), p.a_from_b}).overlap;
        case 3:
            return overlap_by_linear_program(p, random);
        default:
            return overlap_by_edges(p);
    }
}

/// Operations per test of random boxes, tests that end early included.
template <int thick_a, int thick_b>
double average_operations(const BoxPool& pool) {
    Counting::counts = {};
    for (const BoxPair& p : pool.pairs) {
        Counting a[3], b[3], t[3], r[3][3];
        for (int i = 0; i < 3; ++i) {
            a[i] = {p.a[i]}, b[i] = {p.b[i]}, t[i] = {p.t[i]};
            for (int j = 0; j < 3; ++j) r[i][j] = {p.r[i][j]};
        }
        detail::boxes_apart<thick_a, thick_b, true>(a, b, t, r, Counting{}, Counting{});
    }
    return Counting::counts.total() / static_cast<double>(pool.pairs.size());
}

}  // namespace

void operation_counts(Run& run) {
    const BoxPool pool = random_boxes(20'000);
    const auto column = [&](const char* name, const Counts& c, double average) {
        // The error bounds are an addition per axis and one per entry of the rotation, where there is an abs too.
        const int bounds = c.abs;
        const auto add = [&](const char* row, double value) {
            run.table.count("obb-table1", row, name, value, "operations");
        };
        add("compare", c.compare);
        add("add/sub", c.add - bounds);
        add("mult", c.multiply);
        add("abs", c.abs);
        add("total", c.total() - bounds);
        add("further additions for our error bounds", bounds);
        if (average > 0) add("total with bounds, average of random boxes", average);
    };
    using test::count_overlapping;
    column("box-box", count_overlapping<3, 3, true>(), average_operations<3, 3>(pool));
    column("box-rectangle", count_overlapping<3, 2, true>(), average_operations<3, 2>(pool));
    column("rectangle-rectangle", count_overlapping<2, 2, true>(), average_operations<2, 2>(pool));
    column("box-rectangle, needed axes only", count_overlapping<3, 2, false>(), 0);
    column("box-segment, needed axes only", count_overlapping<3, 1, false>(), 0);
}

void box_overlap_methods(Run& run) {
    const BoxPool pool = random_boxes(run.quick ? 4'000 : 20'000);
    std::vector<const BoxPair*> apart, overlapping;
    std::size_t ties = 0;
    std::array<std::size_t, methods.size()> differ{};
    scenes::Random random(5);
    for (const BoxPair& p : pool.pairs) {
        const bool truth = overlap_by_axes(p), tied = std::abs(gap(p)) < 1e-9;
        (truth ? overlapping : apart).push_back(&p);
        ties += tied;
        for (std::size_t m = 0; m < methods.size(); ++m) differ[m] += !tied && overlap(m, pool, p, random) != truth;
    }
    for (const auto& [name, pairs] :
         {std::pair{"boxes apart", &apart}, std::pair{"boxes that overlap", &overlapping}}) {
        Span total;
        std::size_t sum = 0;
        const auto spans = take_turns(methods.size(), {run.quick ? 1.0 : 10.0, 3, 15}, total, [&](std::size_t m) {
            for (const BoxPair* p : *pairs) sum += overlap(m, pool, *p, random);
        });
        use(sum);
        for (std::size_t m = 0; m < methods.size(); ++m)
            run.table.time("obb-table2", methods[m], name, spans[m].cpu * 1e6 / static_cast<double>(pairs->size()),
                           "µs per test");
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const auto add = [&](const char* column, std::size_t value) {
            run.table.count("obb-table2", methods[m], column, static_cast<double>(value), "pairs");
        };
        add("tested", pool.pairs.size());
        add("overlapping", overlapping.size());
        add("within 1e-9 of touching, not compared", ties);
        add("other answers than separating axes", differ[m]);
        run.wrong += differ[m];
    }
}

}  // namespace graze::bench::papers
