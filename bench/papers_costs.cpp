// SPDX-License-Identifier: Apache-2.0
// Costs of trees: the cost equation, memory and tightness (OBBTree paper, sections 3, 6 and 7).
#include <algorithm>
#include <cmath>

#include "bench/papers.hpp"
#include "bench/papers_walk.hpp"
#include "graze/tree.hpp"
#include "scenes/motions.hpp"
#include "scenes/paths.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#include "tree/volumes.hpp"

namespace graze::bench::papers {
namespace {

/// Two models and the placements of a scene.
struct Scene {
    std::string name;
    scenes::Soup a, b;
    std::vector<Pose> poses;
};

std::vector<Scene> scenes_of(bool quick) {
    const scenes::Soup torus = scenes::torus();
    const Model model = built(torus);
    scenes::Motion pipes = *scenes::motion("pipes");
    const std::vector<Pose> lowered = scenes::stalagmite_path(400, 1);
    // Every `step`-th frame.
    const auto some = [](const std::vector<Pose>& path, std::size_t step) {
        std::vector<Pose> out;
        for (std::size_t k = step / 2; k < path.size(); k += step) out.push_back(path[k]);
        return out;
    };
    return {
        {"random tori", torus, torus, scenes::placements_at_hit_rate(model, model, 0.5, quick ? 100 : 400, 1)},
        {"torus around stalagmite", scenes::landscape(), scenes::wrinkled_torus(), some(lowered, quick ? 40 : 10)},
        {"concentric spheres, ε 0.01", scenes::sphere(32'000, 1), scenes::sphere(32'000, 1.01), {Pose()}},
        {"pipes in pipes", std::move(pipes.environment), std::move(pipes.body), some(pipes.path, quick ? 800 : 80)}};
}

/// The work of one query: the node pairs that were opened and the triangles that were tested, in order.
struct Kept {
    std::vector<NodePair> opened, triangles;
};

/// Keeps the work of the library's walk for all contacts.
template <class Bv>
struct KeepingVisitor : detail::OverlapVisitor<Bv> {
    Kept& kept;

    detail::Arrival arrive(const NodePair& pair) {
        kept.opened.push_back(pair);
        return detail::Arrival::Open;
    }
    Step leaves(const NodePair&, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
        kept.triangles.push_back({a[0], b[0]});
        return Step::Continue;
    }
};

/// The four numbers of the cost equation, and the time of the whole query.
struct Cost {
    double n_v = 0, c_v = 0, n_p = 0, c_p = 0;  ///< per query; nanoseconds per test
    double query_us = 0;
};

/// Walks once per pose and keeps what was tested, then times the box tests alone, the triangle tests alone and the
/// whole queries, turn by turn.
template <class Bv>
Cost cost_of(const Model& a, const Model& b, const std::vector<Pose>& poses, bool quick) {
    const detail::BvTree<Bv>&in_a = tree_of<Bv>(a), &in_b = tree_of<Bv>(b);
    std::vector<detail::PairTest<Bv>> tests;
    std::vector<Kept> kept(poses.size());
    std::vector<NodePair> stack;
    Cost cost;
    for (std::size_t k = 0; k < poses.size(); ++k) {
        tests.emplace_back(in_a.frame, in_b.frame, poses[k], 0);
        KeepingVisitor<Bv> visitor{{tests[k]}, kept[k]};
        std::uint64_t boxes = 1;
        stack.clear();
        if (!tests[k].apart(in_a.volume(0), in_b.volume(0))) stack.push_back({0, 0});
        detail::walk_pairs(in_a, in_b, tests[k], stack, boxes, visitor);
        cost.n_v += static_cast<double>(boxes), cost.n_p += static_cast<double>(kept[k].triangles.size());
    }
    std::size_t sum = 0;
    std::vector<Contact> contacts;
    Scratch scratch;
    Span total;
    const auto spans = take_turns(3, {quick ? 0.3 : 1.5, 2, 15}, total, [&](std::size_t side) {
        for (std::size_t k = 0; k < poses.size(); ++k) {
            if (side == 0)
                for (const NodePair& pair : kept[k].opened)
                    detail::open_pair(in_a, in_b, tests[k], pair, [&](const NodePair&, const auto& va, const auto& vb) {
                        sum += tests[k].apart(va, vb);
                    });
            else if (side == 1)
                for (const NodePair& pair : kept[k].triangles) sum += triangles_meet(a, b, poses[k], pair);
            else
                collide(a, b, poses[k], contacts, {.scratch = &scratch});
        }
    });
    use(sum);
    const auto n = static_cast<double>(poses.size());
    cost.c_v = spans[0].cpu * 1e9 / cost.n_v;
    cost.c_p = cost.n_p > 0 ? spans[1].cpu * 1e9 / cost.n_p : 0;
    cost.n_v /= n, cost.n_p /= n;
    cost.query_us = spans[2].cpu * 1e6 / n;
    return cost;
}

/// The counts and the time of whole queries only: in a wide tree the two kinds of tests are not separate.
Cost whole_cost(const Model& a, const Model& b, const std::vector<Pose>& poses, bool quick) {
    QueryStats stats;
    std::vector<Contact> contacts;
    Scratch scratch;
    for (const Pose& p : poses) collide(a, b, p, contacts, {.stats = &stats, .scratch = &scratch});
    Span total;
    const auto span = take_turns(1, {quick ? 0.1 : 0.5, 2, 15}, total, [&](std::size_t) {
        for (const Pose& p : poses) collide(a, b, p, contacts, {.scratch = &scratch});
    });
    const auto n = static_cast<double>(poses.size());
    return {.n_v = static_cast<double>(stats.box_tests) / n,
            .n_p = static_cast<double>(stats.triangle_tests) / n,
            .query_us = span[0].cpu * 1e6 / n};
}

}  // namespace

void cost_equation(Run& run) {
    for (const Scene& scene : scenes_of(run.quick)) {
        for (const NamedTree& tree : trees()) {
            // A sphere tree over the long triangles of pipes makes fifty million tests per query.
            const study::Volume volume = tree.settings.volume;
            if (volume == study::Volume::Sphere && scene.a.triangle_count() > 140'000) continue;
            const Model a = built(scene.a, tree.settings), b = built(scene.b, tree.settings);
            const bool wide = tree.settings.tree == study::TreeKind::Wide;
            const Cost c = wide                            ? whole_cost(a, b, scene.poses, run.quick)
                           : volume == study::Volume::Obb  ? cost_of<detail::Obb>(a, b, scene.poses, run.quick)
                           : volume == study::Volume::Aabb ? cost_of<detail::Aabb>(a, b, scene.poses, run.quick)
                                                           : cost_of<detail::Sphere>(a, b, scene.poses, run.quick);
            const auto add = [&](const char* column, double value, const char* unit, Table::Kind kind) {
                run.table.add("obb-cost", scene.name + ", " + tree.name + " tree", column, value, unit, kind);
            };
            add("N_v, box tests", c.n_v, "per query", Table::Kind::Count);
            if (!wide) add("C_v, per box test", c.c_v, "ns", Table::Kind::Time);
            add("N_p, triangle tests", c.n_p, "per query", Table::Kind::Count);
            if (!wide) {
                add("C_p, per triangle test", c.c_p, "ns", Table::Kind::Time);
                add("N_v C_v + N_p C_p", (c.n_v * c.c_v + c.n_p * c.c_p) / 1e3, "µs per query", Table::Kind::Time);
            }
            add("measured", c.query_us, "µs per query", Table::Kind::Time);
        }
    }
}

void memory(Run& run) {
    const scenes::Soup torus = scenes::torus(1, 0.4, 100, 50);
    const auto n = static_cast<double>(torus.triangle_count());
    std::vector<NamedTree> all = trees();
    all.push_back({"wide AABB", {.volume = study::Volume::Aabb, .threads = 1}});
    all.insert(all.begin() + 3, {{"14-DOP", paper_tree(study::Volume::Dop14)},
                                 {"18-DOP", paper_tree(study::Volume::Dop18)},
                                 {"26-DOP", paper_tree(study::Volume::Dop26)}});
    for (const NamedTree& tree : all) {
        const Model model = built(torus, tree.settings);
        const detail::ModelData& data = detail::Access::data(model);
        const std::size_t bytes =
            data.is_wide() ? data.wide.bytes() : std::visit([](const auto& t) { return t.bytes(); }, data.binary);
        const auto add = [&](const char* column, double value) {
            run.table.count("obb-memory", tree.name + " tree", column, value, "bytes per triangle");
        };
        add("tree", static_cast<double>(bytes) / n);
        add("triangles and points", (static_cast<double>(model.bytes()) - static_cast<double>(bytes)) / n);
        add("together", static_cast<double>(model.bytes()) / n);
    }
}

void tightness(Run& run) {
    const scenes::Soup sphere = scenes::sphere(8'000);
    for (const NamedTree& tree : trees()) {
        if (tree.settings.tree == study::TreeKind::Wide) continue;
        const Model model = built(sphere, tree.settings);
        std::vector<double> diameters, all_tau, all_off;
        for (unsigned level = 1; level <= (run.quick ? 7u : 8u); ++level) {
            const auto nodes = node_tightness(model, level, run.quick ? 0.05 : 0.02);
            // Geometric means over the nodes.
            const auto mean = [&](auto&& f) {
                double sum = 0;
                for (const NodeTightness& t : nodes) sum += std::log(f(t));
                return std::exp(sum / static_cast<double>(nodes.size()));
            };
            const double d = mean([](const auto& t) { return t.diameter; });
            const double tau = mean([](const auto& t) { return t.tightness; });
            const double off = mean([](const auto& t) { return t.off_surface; });
            const auto add = [&](const char* column, double value, const char* unit = "") {
                run.table.count("obb-tightness", tree.name + ", level " + std::to_string(level), column, value, unit);
            };
            add("nodes", static_cast<double>(nodes.size()));
            add("diameter d", d, "radii");
            add("tightness τ", tau, "radii");
            add("aspect ratio ρ = τ/d", tau / d);
            add("τ to the whole surface", off, "radii");
            add("aspect ratio to the whole surface", off / d);
            // The paper's law is for surfaces that are nearly flat.
            if (d < 1) diameters.push_back(d), all_tau.push_back(tau), all_off.push_back(off);
        }
        const auto power = [&](const char* column, const std::vector<double>& tau) {
            run.table.count("obb-tightness", tree.name + ", levels where d < 1", column, slope(diameters, tau));
        };
        power("power of d in τ", all_tau);
        power("power of d in τ to the whole surface", all_off);
    }
}

}  // namespace graze::bench::papers
