// SPDX-License-Identifier: Apache-2.0
// Two spheres at a distance of epsilon: figures 5 and 6 of the OBBTree paper.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "bench/papers.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench::papers {
namespace {

using scenes::Soup;

/// Work per query of the trees of one kind at one distance.
struct Figure {
    double box_tests = 0, triangle_tests = 0, ms = 0;
};
/// By distance, then by tree.
using Curves = std::vector<std::vector<Figure>>;

/// Distances from 1 down to 1e-5 (in a quick run 1e-4), evenly spaced on a logarithmic axis.
std::vector<double> distances(bool quick) {
    const int per_decade = quick ? 4 : 6, decades = quick ? 4 : 5;
    std::vector<double> out;
    for (int k = 0; k <= decades * per_decade; ++k) out.push_back(std::pow(10.0, -static_cast<double>(k) / per_decade));
    return out;
}

std::string label(double distance) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", distance);
    return text;
}

/// A pair of models of each tree, and where they are.
struct Pair {
    std::vector<Model> a, b;
    Pose a_from_b;
};

std::vector<Model> all_trees(const Soup& soup) {
    std::vector<Model> out;
    for (const NamedTree& tree : trees()) out.push_back(built(soup, tree.settings));
    return out;
}

/// Adds the counts and times of all pairs at one distance.
std::vector<Figure> measure(const std::vector<Pair>& pairs, bool quick) {
    std::vector<Figure> out(trees().size());
    const auto n = static_cast<double>(pairs.size());
    std::vector<Contact> contacts;
    Scratch scratch;
    for (std::size_t k = 0; k < out.size(); ++k) {
        QueryStats stats;
        for (const Pair& p : pairs)
            collide(p.a[k], p.b[k], p.a_from_b, contacts, {.stats = &stats, .scratch = &scratch});
        out[k].box_tests = static_cast<double>(stats.box_tests) / n;
        out[k].triangle_tests = static_cast<double>(stats.triangle_tests) / n;
    }
    Span total;
    const auto spans = take_turns(out.size(), {quick ? 0.0 : 0.3, 1, 9}, total, [&](std::size_t k) {
        for (const Pair& p : pairs) collide(p.a[k], p.b[k], p.a_from_b, contacts, {.scratch = &scratch});
    });
    for (std::size_t k = 0; k < out.size(); ++k) out[k].ms = spans[k].cpu * 1e3 / n;
    return out;
}

/// The spheres are turned, so that aligned boxes do not gain from the symmetry of the model.
Soup turned_sphere(double radius, std::uint64_t seed) {
    scenes::Random random(seed);
    return scenes::transformed(scenes::sphere(32'000, radius), scenes::random_rotation(random));
}

Curves concentric_spheres(const std::vector<double>& gaps, bool quick) {
    const std::uint64_t turns = quick ? 1 : 2;
    std::vector<std::vector<Model>> inner;
    for (std::uint64_t t = 0; t < turns; ++t) inner.push_back(all_trees(turned_sphere(1, 3 + t)));
    Curves out;
    for (const double gap : gaps) {
        std::vector<Pair> pairs;
        for (std::uint64_t t = 0; t < turns; ++t)
            pairs.push_back({inner[t], all_trees(turned_sphere(1 + gap, 3 + t)), {}});
        out.push_back(measure(pairs, quick));
    }
    return out;
}

Curves neighbouring_spheres(const std::vector<double>& gaps, bool quick) {
    const Soup sphere = scenes::sphere(32'000, 1);
    const std::vector<Model> models = all_trees(sphere);
    const Model& guide = models.back();
    scenes::Random random(7);
    struct Way {
        scenes::Course course;
        double contact;
    };
    std::vector<Way> ways;
    for (int k = 0; k < (quick ? 4 : 12); ++k) {
        const Pose rotation = scenes::random_rotation(random);
        const scenes::Course course = scenes::central_course(guide, guide, rotation, scenes::random_direction(random));
        if (const auto way = scenes::approach(guide, guide, course)) ways.push_back({course, way->clear});
    }
    Curves out;
    for (const double gap : gaps) {
        std::vector<Pair> pairs;
        for (const Way& way : ways) pairs.push_back({models, models, way.course.at(way.contact + gap)});
        out.push_back(measure(pairs, quick));
    }
    return out;
}

void write_curves(Run& run, const char* experiment, const std::vector<double>& gaps, const Curves& curves) {
    for (std::size_t g = 0; g < gaps.size(); ++g)
        for (std::size_t k = 0; k < trees().size(); ++k) {
            const std::string &row = label(gaps[g]), &tree = trees()[k].name;
            run.table.count(experiment, row, "box tests, " + tree, curves[g][k].box_tests, "tests per query");
            run.table.count(experiment, row, "triangle tests, " + tree, curves[g][k].triangle_tests, "tests per query");
            run.table.time(experiment, row, "time, " + tree, curves[g][k].ms, "ms per query");
        }
}

/// A straight line through a part of a curve, both axes logarithmic to base 10.
struct Line {
    std::size_t first = 0, last = 0;
    double slope = 0, miss = 0;  ///< `miss` is the greatest distance of a point from the line
};

Line line_through(const std::vector<double>& x, const std::vector<double>& y, std::size_t first, std::size_t last) {
    const std::vector<double> xs(x.begin() + static_cast<std::ptrdiff_t>(first),
                                 x.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    const std::vector<double> ys(y.begin() + static_cast<std::ptrdiff_t>(first),
                                 y.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    Line line{first, last, slope(xs, ys), 0};
    double offset = 0;
    for (std::size_t i = 0; i < xs.size(); ++i)
        offset += (std::log10(ys[i]) - line.slope * std::log10(xs[i])) / static_cast<double>(xs.size());
    for (std::size_t i = 0; i < xs.size(); ++i)
        line.miss = std::max(line.miss, std::abs(std::log10(ys[i]) - line.slope * std::log10(xs[i]) - offset));
    return line;
}

/// The linear part of a curve: the widest range of distances whose points all lie within 15 % of one straight line.
/// Points above half of the greatest count belong to the part that flattens, and are left out. Of equally wide ranges,
/// the one whose line fits best counts.
Line linear_part(const std::vector<double>& gaps, const std::vector<double>& counts) {
    const double half = *std::ranges::max_element(counts) / 2;
    std::size_t end = 0;
    while (end < counts.size() && counts[end] < half) ++end;
    Line best;
    for (std::size_t first = 0; first < end; ++first)
        for (std::size_t last = first + 3; last < end; ++last) {
            const Line line = line_through(gaps, counts, first, last);
            if (line.miss > std::log10(1.15)) continue;
            const std::size_t wide = last - first, best_wide = best.last - best.first;
            if (wide > best_wide || (wide == best_wide && line.miss < best.miss)) best = line;
        }
    return best;
}

void write_slopes(Run& run, const std::vector<double>& gaps, const Curves& curves) {
    for (std::size_t k = 0; k < trees().size(); ++k) {
        std::vector<double> counts;
        for (const auto& at : curves) counts.push_back(at[k].box_tests);
        const Line line = linear_part(gaps, counts);
        const auto add = [&](const char* column, double value, const char* unit = "") {
            run.table.count("obb-fig5-slopes", trees()[k].name, column, value, unit);
        };
        // A curve may have no straight part.
        if (line.last > line.first) {
            add("slope", line.slope);
            add("from ε", gaps[line.first]);
            add("to ε", gaps[line.last]);
            add("points in the range", static_cast<double>(line.last - line.first + 1));
            add("farthest point from the line", 100 * (std::pow(10, line.miss) - 1), "%");
        }
        add("level where the curve flattens", *std::ranges::max_element(counts), "tests per query");
    }
}

}  // namespace

double slope(const std::vector<double>& x, const std::vector<double>& y) {
    const auto n = static_cast<double>(x.size());
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double u = std::log(x[i]), v = std::log(y[i]);
        sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void close_proximity(Run& run, bool concentric) {
    const std::vector<double> gaps = distances(run.quick);
    const Curves curves = concentric ? concentric_spheres(gaps, run.quick) : neighbouring_spheres(gaps, run.quick);
    write_curves(run, concentric ? "obb-fig5" : "obb-fig6", gaps, curves);
    if (concentric) write_slopes(run, gaps, curves);
}

}  // namespace graze::bench::papers
