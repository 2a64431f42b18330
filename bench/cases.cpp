// SPDX-License-Identifier: Apache-2.0
#include "bench/cases.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "files/assembly.hpp"
#include "scenes/paths.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze::bench {
namespace {

using scenes::Soup;

/// A count along one side of a surface, when its number of triangles is scaled.
std::uint32_t side(const Size& size, std::uint32_t full) {
    return static_cast<std::uint32_t>(std::max(3.0, std::round(full * std::sqrt(size.scale))));
}

Model model_of(const Soup& soup) {
    auto model = Model::build(soup);
    if (!model) {
        std::fprintf(stderr, "bench: %s\n", model.fault().message.c_str());
        std::exit(1);
    }
    return std::move(*model);
}

/// Tori of several shapes and sizes, and the teapot, each with itself: one alone flatters or punishes by a third.
std::vector<Case> random_placements(const Size& size, Ask ask) {
    std::vector<Case> cases;
    const auto add = [&](std::string name, const Soup& soup, std::uint64_t seed) {
        const Model model = model_of(soup);
        std::size_t count = ask == Ask::First ? 6000 : size.quick ? 1500 : 5000;
        // All contacts of large models take long, and their many steps are not learned by heart so soon.
        if (ask == Ask::All && soup.triangle_count() > 10'000) count /= soup.triangle_count() > 50'000 ? 10 : 4;
        cases.push_back({std::move(name), soup, soup, scenes::placements_at_hit_rate(model, model, 0.5, count, seed)});
    };
    const auto torus = [&](double minor, std::uint32_t n_major, std::uint32_t n_minor) {
        return scenes::torus(1, minor, side(size, n_major), side(size, n_minor));
    };
    add("torus 1:0.4", torus(0.4, 50, 50), 1);
    add("torus 1:0.2, coarse", torus(0.2, 50, 10), 3);
    add("torus 1:0.2", torus(0.2, 100, 25), 4);
    add("torus 1:0.3", torus(0.3, 160, 64), 5);
    add("torus 1:0.5, fine", torus(0.5, 250, 200), 6);
    add("teapot", scenes::teapot(side(size, 9)), 2);
    return cases;
}

std::vector<Case> random_first(const Size& size) { return random_placements(size, Ask::First); }
std::vector<Case> random_all(const Size& size) { return random_placements(size, Ask::All); }

/// Several landscapes: with where the top cuts of one happen to fall, its box tests swing by a tenth.
std::vector<Case> around_stalagmite(const Size& size, std::size_t count) {
    std::vector<Case> cases;
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        cases.push_back({"torus around stalagmite " + std::to_string(seed), scenes::landscape(side(size, 221), seed),
                         scenes::wrinkled_torus(), scenes::stalagmite_path(count, 1)});
    return cases;
}

std::vector<Case> landscape_first(const Size& size) { return around_stalagmite(size, 6000); }
std::vector<Case> landscape_all(const Size& size) { return around_stalagmite(size, size.quick ? 200 : 800); }

std::vector<Case> concentric(const Size& size, double gap, std::size_t count) {
    const auto triangles = static_cast<std::uint32_t>(32'000 * size.scale);
    scenes::Random random(3);
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < count; ++i) poses.push_back(scenes::random_rotation(random));
    return {{"sphere in sphere", scenes::sphere(triangles, 1), scenes::sphere(triangles, 1 + gap), std::move(poses)}};
}

std::vector<Case> spheres_1e_2(const Size& size) { return concentric(size, 1e-2, size.quick ? 300 : 1000); }
std::vector<Case> spheres_1e_3(const Size& size) { return concentric(size, 1e-3, size.quick ? 30 : 100); }
std::vector<Case> spheres_3e_4(const Size& size) { return concentric(size, 3e-4, size.quick ? 12 : 40); }
std::vector<Case> spheres_touching(const Size& size) { return concentric(size, 1e-5, 6000); }

/// The real meshes; nothing when one of them cannot be read.
std::vector<NamedSoup> real_meshes() {
    std::vector<NamedSoup> out;
    for (const char* name : {"stanford-bunny", "rocker-arm", "fandisk", "teapot", "beetle"}) {
        auto mesh = files::read_mesh(std::string(GRAZE_BENCH_MESHES) + "/" + name + ".obj");
        if (!mesh || mesh->has_polygons()) return {};
        out.push_back({name, {std::move(mesh->points), std::move(mesh->corners)}});
    }
    return out;
}

/// Each mesh and the next one, `depth` into it along the way on which they came, as a fraction of the smaller one's
/// radius; negative: that far apart.
std::vector<Case> neighbours(const Size& size, double depth, std::size_t count) {
    const std::vector<NamedSoup> list = meshes(size);
    std::vector<Case> cases;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const NamedSoup &a = list[i], &b = list[(i + 1) % list.size()];
        const Model model_a = model_of(a.soup), model_b = model_of(b.soup);
        const char* where = depth < 0 ? " beside " : depth > 0 ? " in " : " on ";
        auto poses = depth < 0 ? scenes::placements_at_gap(model_a, model_b, -depth, count, 4 + i)
                               : scenes::placements_at_depth(model_a, model_b, depth, count, 4 + i);
        cases.push_back({a.name + where + b.name, a.soup, b.soup, std::move(poses)});
    }
    return cases;
}

// Fractions of the radius: a gap of 1e-5 of the diameter, and one hundredth of it deep.
std::vector<Case> near_first(const Size& size) { return neighbours(size, -2e-5, size.quick ? 200 : 1000); }
std::vector<Case> touching_first(const Size& size) { return neighbours(size, 0, size.quick ? 200 : 1000); }
std::vector<Case> deep_all(const Size& size) { return neighbours(size, 0.02, size.quick ? 100 : 400); }

std::vector<Case> cold_first(const Size& size) {
    std::vector<Case> cases;
    for (const std::uint32_t n : {50u, 707u}) {
        const Soup soup = scenes::torus(1, 0.4, side(size, n), side(size, n));
        const Model model = model_of(soup);
        cases.push_back({n == 50 ? "torus" : "torus, fine", soup, soup,
                         scenes::placements_at_hit_rate(model, model, 0.5, size.quick ? 50 : 300, 7)});
    }
    return cases;
}

}  // namespace

std::vector<NamedSoup> meshes(const Size& size) {
    std::vector<NamedSoup> list = real_meshes();
    if (list.empty()) {
        std::printf("  ../shared/models/meshes is absent: generated shapes instead of real meshes\n");
        list = {{"teapot", scenes::teapot(side(size, 10))},
                {"wrinkled torus", scenes::wrinkled_torus()},
                {"sphere", scenes::sphere(static_cast<std::uint32_t>(32'000 * size.scale))},
                {"torus", scenes::torus(1, 0.4, side(size, 50), side(size, 50))},
                {"landscape", scenes::landscape(side(size, 100))}};
    }
    for (NamedSoup& m : list) {
        const double radius = scenes::bounding_ball(model_of(m.soup)).radius;
        m.soup = scenes::scale(std::move(m.soup), 0.5 / radius);
    }
    return list;
}

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> list = {
        {"random-first", Ask::First, 25, 48, random_first, 200, 20},
        {"random-all", Ask::All, 40, 77, random_all, 100, 10},
        {"landscape-first", Ask::First, 20, 32, landscape_first, 60, 20},
        {"landscape-all", Ask::All, 35, 66, landscape_all, 40, 10},
        {"spheres-1e-2", Ask::All, 20, 36, spheres_1e_2, 10, 3},
        {"spheres-1e-3", Ask::All, 24, 43, spheres_1e_3, 5, 2},
        {"spheres-3e-4", Ask::All, 40, 70, spheres_3e_4, 5, 2},
        {"spheres-touching", Ask::First, 15, 30, spheres_touching, 20, 5},
        {"near-first", Ask::First, 18, 30, near_first, 20, 5},
        {"touching-first", Ask::First, 0, 0, touching_first, 20, 5},
        {"deep-all", Ask::All, 28, 45, deep_all, 20, 5},
        {"cold-first", Ask::First, 0, 0, cold_first, 5, 2, true},
    };
    return list;
}

Soup million(const Size& size) { return scenes::landscape(side(size, 707)); }

Case million_check(const Size& size) {
    Case c{"torus on the large landscape", million(size), scenes::wrinkled_torus(), {}};
    // From above the stalagmite's tip down to the ground.
    const std::vector<Pose> path = scenes::stalagmite_path(201, 5);
    for (std::size_t i = 0; i < path.size(); i += 50) c.poses.push_back(path[i]);
    return c;
}

}  // namespace graze::bench
