// SPDX-License-Identifier: Apache-2.0
// The parts of bench_papers: the experiments of the OBBTree paper and of the AABB-tree paper.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/table.hpp"
#include "graze/study.hpp"
#include "scenes/soup.hpp"

namespace graze::bench::papers {

/// An experiment's options, and where its figures go.
struct Run {
    bool quick = false;
    std::string pictures;  ///< folder for pictures; none are written if it is empty
    Table& table;
    std::size_t wrong = 0;  ///< answers that differ where all must agree
    bool failed = false;    ///< a file could not be written
};

// One function per file and topic. The names of the experiments are in papers.cpp.
void operation_counts(Run& run);
void box_overlap_methods(Run& run);
void close_proximity(Run& run, bool concentric);
void simulations(Run& run);
void tree_levels(Run& run);
void tightness(Run& run);
void cost_equation(Run& run);
void memory(Run& run);
void rapid(Run& run);
void separating_axes(Run& run);
void placements(Run& run, bool lite);
void operations(Run& run);

/// The trees as the OBBTree paper builds them: two children per node, one triangle per leaf, cut at the mean of the
/// longest axis. Oriented boxes follow the vertices and are not turned afterwards: the convex hull, which the paper
/// calls optional, gives nearly the same counts (obb-rapid) and takes many times as long to build.
inline study::TreeSettings paper_tree(study::Volume volume) {
    return {.tree = study::TreeKind::Binary,
            .volume = volume,
            .fit = study::Fit::Vertices,
            .refine = false,
            .split = study::Split::Mean,
            .threads = 1};
}

/// A model and the name of its tree.
struct NamedTree {
    std::string name;
    study::TreeSettings settings;
};
/// The trees of `paper_tree` and, last, the tree that queries use by default.
const std::vector<NamedTree>& trees();

/// Placements of two copies of a model as in the AABB paper, section 5: uniform rotations, and both origins uniform in
/// a cube that is as large as gives about the hit rate.
std::vector<Pose> placements_in_cube(const Model& model, double hit_rate, std::size_t count, std::uint64_t seed);

/// Uses a number, so that a compiler does not leave out the loop that makes it.
inline void use(std::size_t value) {
    [[maybe_unused]] static volatile std::size_t sink;
    sink = value;
}

/// The slope of the straight line through the points (log x, log y) with the least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y);

// Models that stand in for those of the papers, which are not available.

/// A slender craft with four wings, engines and guns: 6,084 triangles in closed parts, about 2 long.
scenes::Soup spacecraft();
/// The teapot with 3,752 triangles: fewer cells in handle and spout than elsewhere.
scenes::Soup teapot_3752();
/// 4,780 triangles along the x axis: a body with four fins, 4 long, of radius 0.25.
scenes::Soup torpedo();
/// A cradle of two rows of rollers that carries the torpedo: 44,920 triangles.
scenes::Soup pivot();

}  // namespace graze::bench::papers
