// SPDX-License-Identifier: Apache-2.0
// The C++ side of bench/python.py, which loads this as a shared library: the same models and placements, and the same
// questions asked in C++ loops.
#include <cstring>
#include <memory>

#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#ifdef GRAZE_BENCH_FCL
#include "bench/peer_fcl.hpp"
#endif

namespace {

using namespace graze;

struct BenchScene {
    scenes::Soup soup;
    Model model;
    std::vector<Pose> poses;
#ifdef GRAZE_BENCH_FCL
    std::unique_ptr<bench::FclModel> fcl;
    bench::FclQuery fcl_query;
#endif
};

}  // namespace

extern "C" {

/// 0 is a box, 1 the torus of 5,000 triangles, 2 a landscape of 999,698.
BenchScene* side_make(int kind) {
    auto side = std::make_unique<BenchScene>();
    side->soup = kind == 0 ? scenes::box() : kind == 1 ? scenes::torus() : scenes::landscape(707);
    side->model = *Model::build(side->soup, {.threads = 1});
    return side.release();
}

void side_free(BenchScene* side) { delete side; }

std::uint32_t side_points(const BenchScene* side) { return static_cast<std::uint32_t>(side->soup.points.size()); }
std::uint32_t side_triangles(const BenchScene* side) { return static_cast<std::uint32_t>(side->soup.triangle_count()); }

void side_copy(const BenchScene* side, double* points, std::uint32_t* triangles) {
    std::memcpy(points, side->soup.points.data(), side->soup.points.size() * sizeof(Vec3));
    std::memcpy(triangles, side->soup.corners.data(), side->soup.corners.size() * sizeof(std::uint32_t));
}

/// Random placements of the model against itself, half of which hit: three rows of four numbers each.
void side_place(BenchScene* side, std::size_t count, double* rows) {
    side->poses = scenes::placements_at_hit_rate(side->model, side->model, 0.5, count, 1);
    for (const Pose& pose : side->poses) {
        const std::array<double, 12> row = pose.rows();
        rows = std::copy(row.begin(), row.end(), rows);
    }
}

/// The number of hits among the first `count` placements.
std::size_t side_intersects(const BenchScene* side, std::size_t count) {
    Scratch scratch;
    std::size_t hits = 0;
    for (std::size_t i = 0; i < count; ++i)
        hits += intersects(side->model, side->model, side->poses[i], {.scratch = &scratch});
    return hits;
}

/// One placement, asked `count` times.
std::size_t side_repeat(const BenchScene* side, std::size_t count) {
    Scratch scratch;
    std::size_t hits = 0;
    for (std::size_t i = 0; i < count; ++i)
        hits += intersects(side->model, side->model, side->poses[0], {.scratch = &scratch});
    return hits;
}

std::uint32_t side_build(const BenchScene* side) { return Model::build(side->soup, {.threads = 1})->triangle_count(); }

/// FCL's answer to `side_intersects`. None when this was built without FCL: the count that cannot be.
std::size_t side_fcl([[maybe_unused]] BenchScene* side, [[maybe_unused]] std::size_t count) {
#ifdef GRAZE_BENCH_FCL
    if (!side->fcl) side->fcl = std::make_unique<bench::FclModel>(side->soup);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < count; ++i) hits += side->fcl_query.first(*side->fcl, *side->fcl, side->poses[i]);
    return hits;
#else
    return ~std::size_t{0};
#endif
}
}
