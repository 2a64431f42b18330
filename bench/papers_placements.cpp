// SPDX-License-Identifier: Apache-2.0
// Random placements: figure 2 and tables 1 to 3 of the AABB paper.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "bench/papers.hpp"
#include "bench/papers_walk.hpp"
#include "scenes/deform.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench::papers {
namespace {

using detail::Aabb;
using detail::Obb;

constexpr double hit_rate = 0.6;

struct Shape {
    std::string name;
    scenes::Soup soup;
};
std::vector<Shape> shapes() {
    return {{"torus", scenes::torus()}, {"spacecraft", spacecraft()}, {"teapot", teapot_3752()}};
}

study::TreeSettings aabb_tree(study::Split split) {
    study::TreeSettings settings = paper_tree(study::Volume::Aabb);
    settings.split = split;
    return settings;
}

std::vector<Pose> random_poses(const scenes::Soup& soup, std::size_t count) {
    return placements_in_cube(built(soup), hit_rate, count, 1);
}

/// The number of placements at which the model meets itself.
std::size_t count_hits(const Model& model, const std::vector<Pose>& poses) {
    Scratch scratch;
    std::size_t hits = 0;
    for (const Pose& p : poses) hits += intersects(model, model, p, {.scratch = &scratch});
    return hits;
}

/// First contact at all placements.
template <class Bv, int axes, class Kept>
Tests first_contacts(const Model& model, std::span<const Pose> poses, Kept&& kept) {
    const detail::Frame& frame = tree_of<Bv>(model).frame;
    std::vector<NodePair> stack;
    Tests tests;
    for (const Pose& pose : poses) {
        kept.next();
        const AxisTest<Bv, axes> test(frame, frame, pose);
        walk_in_paper_order<Bv>(model, model, test, pose, true, stack, tests, kept);
    }
    return tests;
}

struct KeepNothing : NoRecord {
    void next() {}
};

/// The tests of each placement, to time them by themselves.
struct KeepAll {
    std::vector<Record> records;

    void next() { records.emplace_back(); }
    void boxes(const NodePair& pair) { records.back().boxes(pair); }
    void triangles(std::uint32_t i, std::uint32_t j) { records.back().triangles(i, j); }
};

/// The numbers of a row of tables 1 and 2.
struct Performance {
    Tests tests;
    double triangle_us = 0, total_s = 0;
};

/// `sample` is the number of placements whose triangle tests are timed by themselves.
template <class Bv, int axes>
Performance performance(const Model& model, const std::vector<Pose>& poses, std::size_t sample, bool quick) {
    Performance out;
    const std::span<const Pose> some = std::span(poses).first(std::min(sample, poses.size()));
    KeepAll kept;
    const Tests of_some = first_contacts<Bv, axes>(model, some, kept);
    std::size_t sum = 0;
    Span total;
    const auto spans = take_turns(2, {quick ? 0.0 : 1.0, quick ? 1 : 3, 9}, total, [&](std::size_t side) {
        if (side == 0)
            out.tests = first_contacts<Bv, axes>(model, poses, KeepNothing{});
        else
            for (std::size_t k = 0; k < some.size(); ++k)
                for (const NodePair& p : kept.records[k].triangle_pairs)
                    sum += triangles_meet(model, model, some[k], p);
    });
    use(sum);
    out.total_s = spans[0].cpu;
    out.triangle_us = spans[1].cpu * 1e6 / static_cast<double>(std::max<std::uint64_t>(1, of_some.triangles));
    return out;
}

/// The trees of tables 1 and 2. The paper describes the midpoint split (section 2) and measures with a modified RAPID,
/// which cuts at the mean: both are shown.
struct PlacementTree {
    const char* name;
    study::TreeSettings settings;
    Performance (*measure[2])(const Model&, const std::vector<Pose>&, std::size_t, bool);  ///< SAT, SAT lite
};
std::vector<PlacementTree> placement_trees() {
    return {
        {"OBB tree", paper_tree(study::Volume::Obb), {performance<Obb, 15>, performance<Obb, 6>}},
        {"AABB tree, midpoint split", aabb_tree(study::Split::Midpoint), {performance<Aabb, 15>, performance<Aabb, 6>}},
        {"AABB tree, mean split", aabb_tree(study::Split::Mean), {performance<Aabb, 15>, performance<Aabb, 6>}}};
}

/// The axes on which box tests of first-contact walks end.
template <class Bv>
void count_axes(const Model& model, const std::vector<Pose>& poses, std::array<std::uint64_t, 16>& counts) {
    const detail::BvTree<Bv>& tree = tree_of<Bv>(model);
    KeepAll kept;
    first_contacts<Bv, 15>(model, poses, kept);
    for (std::size_t k = 0; k < poses.size(); ++k) {
        const AxisTest<Bv, 15> test(tree.frame, tree.frame, poses[k]);
        for (const NodePair& p : kept.records[k].box_pairs)
            ++counts[static_cast<std::size_t>(test.axis(tree.volume(p.a), tree.volume(p.b)))];
    }
}

}  // namespace

std::vector<Pose> placements_in_cube(const Model& model, double rate, std::size_t count, std::uint64_t seed) {
    const auto poses = [&](double edge, std::size_t n) {
        scenes::Random random(seed);
        std::vector<Pose> out;
        for (std::size_t i = 0; i < n; ++i) {
            const Pose a = scenes::random_rotation(random), b = scenes::random_rotation(random);
            const Vec3 at_a = random.in_cube(0, edge), at_b = random.in_cube(0, edge);
            const Mat3 back = transpose(a.rotation());
            out.push_back(*Pose::from_matrix(back * b.rotation(), back * (at_b - at_a)));
        }
        return out;
    };
    constexpr std::size_t sample = 4000;
    double narrow = 0, wide = 8 * scenes::bounding_ball(model).radius;
    for (int i = 0; i < 16; ++i) {
        const double middle = (narrow + wide) / 2;
        const auto hits = static_cast<double>(count_hits(model, poses(middle, sample)));
        (hits < rate * sample ? wide : narrow) = middle;
    }
    return poses(narrow, count);
}

void separating_axes(Run& run) {
    std::array<std::uint64_t, 16> of_obb{}, of_aabb{};
    for (const Shape& shape : shapes()) {
        const std::vector<Pose> poses = random_poses(shape.soup, run.quick ? 300 : 3'000);
        count_axes<Obb>(built(shape.soup, paper_tree(study::Volume::Obb)), poses, of_obb);
        count_axes<Aabb>(built(shape.soup, aabb_tree(study::Split::Midpoint)), poses, of_aabb);
    }
    for (const auto& [name, counts] : {std::pair{"OBB tree", &of_obb}, std::pair{"AABB tree", &of_aabb}}) {
        double apart = 0, edges = 0;
        for (std::size_t i = 0; i < 15; ++i) {
            apart += static_cast<double>((*counts)[i]);
            if (i >= 6) edges += static_cast<double>((*counts)[i]);
        }
        const auto add = [&](const std::string& row, double value) {
            run.table.count("aabb-fig2", row, name, value, "%");
        };
        for (std::size_t i = 0; i < 15; ++i)
            add(std::to_string(i + 1), 100 * static_cast<double>((*counts)[i]) / apart);
        add("edge axes 7 to 15 together", 100 * edges / apart);
        add("box tests that overlap",
            100 * static_cast<double>((*counts)[15]) / (apart + static_cast<double>((*counts)[15])));
    }
}

void placements(Run& run, bool lite) {
    const char* experiment = lite ? "aabb-table2" : "aabb-table1";
    for (const Shape& shape : shapes()) {
        const std::vector<Pose> poses = random_poses(shape.soup, run.quick ? 5'000 : 100'000);
        const std::size_t hits = count_hits(built(shape.soup), poses);
        for (const PlacementTree& tree : placement_trees()) {
            const Model model = built(shape.soup, tree.settings);
            const Performance p = tree.measure[lite](model, poses, run.quick ? 500 : 3'000, run.quick);
            run.wrong += p.tests.contacts != hits;
            const std::string row = std::string(tree.name) + ", " + shape.name;
            const auto count = [&](const char* column, double value, const char* unit = "") {
                run.table.count(experiment, row, column, value, unit);
            };
            const auto time = [&](const char* column, double value, const char* unit) {
                run.table.time(experiment, row, column, value, unit);
            };
            const auto boxes = static_cast<double>(p.tests.boxes), triangles = static_cast<double>(p.tests.triangles);
            count("triangles", static_cast<double>(shape.soup.triangle_count()));
            count("placements", static_cast<double>(poses.size()));
            count("in contact", 100 * static_cast<double>(p.tests.contacts) / static_cast<double>(poses.size()), "%");
            // Time not spent on triangles is the cost of box tests: the tests and the walk that makes them.
            const double triangles_s = triangles * p.triangle_us / 1e6, boxes_s = p.total_s - triangles_s;
            count("N_b, box tests", boxes);
            time("C_b, per box test", boxes_s * 1e6 / boxes, "µs");
            time("T_b = N_b C_b", boxes_s, "s");
            count("N_p, triangle tests", triangles);
            time("C_p, per triangle test", p.triangle_us, "µs");
            time("T_p = N_p C_p", triangles_s, "s");
            time("T_total", p.total_s, "s");
            count("box tests per placement", boxes / static_cast<double>(poses.size()));
            count("triangle tests per placement", triangles / static_cast<double>(poses.size()));
        }
    }
}

void operations(Run& run) {
    const study::TreeSettings obb = paper_tree(study::Volume::Obb), aabb = aabb_tree(study::Split::Midpoint);
    const study::TreeSettings wide_obb{.volume = study::Volume::Obb, .threads = 1};
    const study::TreeSettings wide_aabb{.volume = study::Volume::Aabb, .threads = 1};
    for (const Shape& shape : shapes()) {
        const std::vector<Pose> poses = random_poses(shape.soup, run.quick ? 1'000 : 5'000);
        const std::vector<Vec3> shapes_of[2] = {scenes::waved(shape.soup, 0.05, 2), shape.soup.points};
        const Model a = built(shape.soup, obb), b = built(shape.soup, aabb), c = built(shape.soup, wide_obb),
                    d = built(shape.soup, wide_aabb);
        Model refitted = built(shape.soup, aabb), refitted_wide = built(shape.soup, wide_aabb);
        Scratch scratch;
        const auto n = static_cast<double>(poses.size());
        struct Operation {
            const char* name;
            double per_turn;
            std::function<void()> go;
        };
        const auto refit = [&](Model& model) {
            for (const auto& points : shapes_of)
                if (!model.refit(std::span<const Vec3>(points), {.rebuild = Rebuild::Never})) std::abort();
        };
        const auto query = [&](const Model& m) {
            for (const Pose& p : poses) intersects(m, m, p, {.scratch = &scratch});
        };
        const std::vector<Operation> list = {
            {"build an OBB tree", 1, [&] { built(shape.soup, obb); }},
            {"build an AABB tree", 1, [&] { built(shape.soup, aabb); }},
            {"refit an AABB tree", 2, [&] { refit(refitted); }},
            {"test a pair of OBB trees", n, [&] { first_contacts<Obb, 15>(a, poses, KeepNothing{}); }},
            {"test a pair of AABB trees", n, [&] { first_contacts<Aabb, 15>(b, poses, KeepNothing{}); }},
            {"build our default OBB tree", 1, [&] { built(shape.soup, wide_obb); }},
            {"build our default AABB tree", 1, [&] { built(shape.soup, wide_aabb); }},
            {"refit our default AABB tree", 2, [&] { refit(refitted_wide); }},
            {"test a pair of our default OBB trees", n, [&] { query(c); }},
            {"test a pair of our default AABB trees", n, [&] { query(d); }},
        };
        Span total;
        const auto spans =
            take_turns(list.size(), {run.quick ? 1.0 : 8.0, 3, 21}, total, [&](std::size_t k) { list[k].go(); });
        for (std::size_t k = 0; k < list.size(); ++k)
            run.table.time("aabb-table3", list[k].name, shape.name, spans[k].cpu * 1e3 / list[k].per_turn, "ms");
    }
}

}  // namespace graze::bench::papers
