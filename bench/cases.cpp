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

std::vector<Case> random_placements(const Size& size, std::size_t count) {
    std::vector<Case> cases;
    const auto add = [&](const char* name, const Soup& soup, std::uint64_t seed) {
        const Model model = model_of(soup);
        cases.push_back({name, soup, soup, scenes::placements_at_hit_rate(model, model, 0.5, count, seed)});
    };
    add("torus with itself", scenes::torus(1, 0.4, side(size, 50), side(size, 50)), 1);
    add("teapot with itself", scenes::teapot(side(size, 9)), 2);
    return cases;
}

std::vector<Case> random_first(const Size& size) { return random_placements(size, 6000); }
std::vector<Case> random_all(const Size& size) { return random_placements(size, size.quick ? 1500 : 5000); }

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

/// Each mesh beside the next one.
std::vector<Case> near_first(const Size& size) {
    const std::vector<NamedSoup> list = meshes(size);
    std::vector<Case> cases;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const NamedSoup &a = list[i], &b = list[(i + 1) % list.size()];
        // The gap is a fraction of the radius: 1e-4 of the diameter.
        auto poses =
            scenes::placements_at_gap(model_of(a.soup), model_of(b.soup), 2e-4, size.quick ? 200 : 1000, 4 + i);
        cases.push_back({a.name + " beside " + b.name, a.soup, b.soup, std::move(poses)});
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
        {"random-first", Ask::First, 17, 35, random_first, 400, 100},
        {"random-all", Ask::All, 30, 46, random_all, 200, 50},
        {"landscape-first", Ask::First, 16, 24, landscape_first, 60, 20},
        {"landscape-all", Ask::All, 27, 44, landscape_all, 40, 10},
        {"spheres-1e-2", Ask::All, 15, 24, spheres_1e_2, 10, 3},
        {"spheres-1e-3", Ask::All, 15, 27, spheres_1e_3, 5, 2},
        {"spheres-3e-4", Ask::All, 30, 47, spheres_3e_4, 5, 2},
        {"near-first", Ask::First, 13, 20, near_first, 20, 5},
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
