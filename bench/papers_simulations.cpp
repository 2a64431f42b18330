// SPDX-License-Identifier: Apache-2.0
// Bodies that move among others: table 3 and figure 7 of the OBBTree paper.
#include <algorithm>

#include "bench/papers.hpp"
#include "scenes/motions.hpp"
#include "scenes/trig.hpp"

namespace graze::bench::papers {
namespace {

/// A torpedo that slides to and fro on its rollers and turns, pressed into them by up to a hundredth of its radius.
scenes::Motion torpedo_motion(std::size_t frames) {
    scenes::Motion out{"torpedo", pivot(), torpedo(), {}};
    for (std::size_t k = 0; k < frames; ++k) {
        const double t = static_cast<double>(k) / static_cast<double>(frames);
        const scenes::SinCos slide = scenes::sin_cos(2 * t), press = scenes::sin_cos(7 * t), roll = scenes::sin_cos(t);
        const Mat3 turn{{Vec3{1, 0, 0}, Vec3{0, roll.cos, -roll.sin}, Vec3{0, roll.sin, roll.cos}}};
        out.path.push_back(*Pose::from_matrix(turn, {0.3 * slide.sin, 0, -0.0022 - 0.0008 * press.sin}));
    }
    return out;
}

struct Totals {
    QueryStats stats;
    std::uint64_t contacts = 0;
    double seconds = 0;
};

}  // namespace

void simulations(Run& run) {
    const std::size_t share = run.quick ? 8 : 1;
    std::vector<scenes::Motion> motions;
    for (const auto& [name, frames] : {std::pair{"pipes", 4000}, std::pair{"torus", 1298}}) {
        motions.push_back(*scenes::motion(name));
        motions.back().path.resize(frames / share);
    }
    motions.push_back(torpedo_motion(1000 / share));

    for (const scenes::Motion& m : motions) {
        // The paper's tree and the one that queries use by default.
        const std::vector<NamedTree> sides{trees().front(), trees().back()};
        std::vector<std::pair<Model, Model>> models;
        for (const NamedTree& tree : sides)
            models.emplace_back(built(m.environment, tree.settings), built(m.body, tree.settings));
        std::vector<Contact> contacts;
        Scratch scratch;
        std::vector<Totals> totals(sides.size());
        const auto go = [&](std::size_t s, QueryStats* stats) {
            std::uint64_t found = 0;
            for (const Pose& pose : m.path) {
                collide(models[s].first, models[s].second, pose, contacts, {.stats = stats, .scratch = &scratch});
                found += contacts.size();
            }
            return found;
        };
        for (std::size_t s = 0; s < sides.size(); ++s) totals[s].contacts = go(s, &totals[s].stats);
        run.wrong += totals[0].contacts != totals[1].contacts;
        Span total;
        const auto spans =
            take_turns(sides.size(), {run.quick ? 0.0 : 3.0, 1, 7}, total, [&](std::size_t s) { go(s, nullptr); });
        for (std::size_t s = 0; s < sides.size(); ++s) {
            const std::string row = m.name + ", " + sides[s].name + " tree";
            const auto steps = static_cast<double>(m.path.size());
            const auto boxes = static_cast<double>(totals[s].stats.box_tests);
            const auto count = [&](const char* column, double value, const char* unit = "") {
                run.table.count("obb-table3", row, column, value, unit);
            };
            const auto time = [&](const char* column, double value, const char* unit) {
                run.table.time("obb-table3", row, column, value, unit);
            };
            count("environment size", static_cast<double>(m.environment.triangle_count()), "triangles");
            count("object size", static_cast<double>(m.body.triangle_count()), "triangles");
            count("steps", steps);
            count("contacts", static_cast<double>(totals[s].contacts));
            count("box-box tests", boxes);
            count("triangle-triangle tests", static_cast<double>(totals[s].stats.triangle_tests));
            time("time", spans[s].cpu, "s");
            time("time per query", spans[s].cpu / steps * 1e3, "ms");
            time("time per box test", spans[s].cpu / boxes * 1e6, "µs");
            count("contacts per step", static_cast<double>(totals[s].contacts) / steps);
            count("box tests per step", boxes / steps);
        }
    }
}

}  // namespace graze::bench::papers
