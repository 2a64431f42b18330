// SPDX-License-Identifier: Apache-2.0
// The counts of our trees beside those of RAPID, the program of the OBBTree paper: a torus of 5,000 triangles with
// itself at random placements.
#include <string>
#include <vector>

#include "bench/papers.hpp"
#include "bench/papers_walk.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench::papers {
namespace {

struct Variant {
    std::string name;
    study::TreeSettings settings;
};

std::vector<Variant> variants() {
    const auto with = [](study::Fit fit, bool refine, study::Split split) {
        study::TreeSettings s = paper_tree(study::Volume::Obb);
        s.fit = fit, s.refine = refine, s.split = split;
        return s;
    };
    using study::Fit, study::Split;
    return {{"vertices, mean split", with(Fit::Vertices, false, Split::Mean)},
            {"hull vertices, mean split", with(Fit::HullVertices, false, Split::Mean)},
            {"hull surface, mean split", with(Fit::HullSurface, false, Split::Mean)},
            {"vertices, turned to shrink, mean split", with(Fit::Vertices, true, Split::Mean)},
            {"vertices, turned to shrink, area split (our default)", with(Fit::Vertices, true, Split::Area)}};
}

}  // namespace

void rapid(Run& run) {
    const scenes::Soup torus = scenes::torus();
    const Model guide = built(torus);
    const auto pool = [&](double rate) {
        return scenes::placements_at_hit_rate(guide, guide, rate, run.quick ? 400 : 6'000, 1);
    };
    for (const double rate : {0.5, 0.6}) {
        const std::vector<Pose> poses = pool(rate);
        std::size_t contacts = 0;
        for (const Pose& pose : poses) contacts += collide(guide, guide, pose).size();
        for (const Variant& v : variants()) {
            const Model model = built(torus, v.settings);
            const detail::Frame& frame = tree_of<detail::Obb>(model).frame;
            std::vector<NodePair> stack;
            Tests first, all;
            for (const Pose& pose : poses) {
                const detail::PairTest<detail::Obb> test(frame, frame, pose, 0);
                walk_in_paper_order<detail::Obb>(model, model, test, pose, true, stack, first, NoRecord{});
                walk_in_paper_order<detail::Obb>(model, model, test, pose, false, stack, all, NoRecord{});
            }
            run.wrong += all.contacts != contacts;
            const auto add = [&](const char* column, std::uint64_t value, const char* unit) {
                const std::string row = v.name + (rate == 0.5 ? ", half in contact" : ", 60 % in contact");
                run.table.count("obb-rapid", row, column,
                                static_cast<double>(value) / static_cast<double>(poses.size()), unit);
            };
            add("box tests, first contact", first.boxes, "per query");
            add("triangle tests, first contact", first.triangles, "per query");
            add("box tests, all contacts", all.boxes, "per query");
            add("triangle tests, all contacts", all.triangles, "per query");
            add("contacts", all.contacts, "per query");
            add("placements in contact", 100 * first.contacts, "%");
        }
    }
}

}  // namespace graze::bench::papers
