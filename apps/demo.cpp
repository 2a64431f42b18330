// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "commands.hpp"
#include "graze/graze.hpp"
#include "scenes/paths.hpp"
#include "scenes/pipes.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

constexpr double shrink = 15;

struct Models {
    Model environment, object;
    double build_ms = 0;
};

Result<Models> build(const scenes::Soup& large, const scenes::Soup& small, const BuildSettings& settings) {
    const Timer timer;
    const Result<Model> environment = Model::build(large, settings);
    if (!environment) return environment.fault();
    const Result<Model> object = Model::build(small, settings);
    if (!object) return object.fault();
    return Models{*environment, *object, timer.ms()};
}

struct Totals {
    QueryStats stats;
    std::uint64_t contacts = 0;
    double ms = 0;
};

Totals tumble(const Models& models, const std::vector<Pose>& path) {
    Totals totals;
    Scratch scratch;
    std::vector<Contact> contacts;
    ProgressBar bar(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        bar.show(i);
        const Timer timer;
        collide(models.environment, models.object, path[i], contacts, {.stats = &totals.stats, .scratch = &scratch});
        totals.ms += timer.ms();
        totals.contacts += contacts.size();
    }
    return totals;
}

/// The sorted contacts of both kinds of tree at the first, middle and last pose.
Result<std::size_t> check(const Models& wide, const Models& binary, const std::vector<Pose>& path) {
    for (const Model* model : {&wide.environment, &wide.object, &binary.environment, &binary.object})
        if (const Result<Done> valid = model->validate(); !valid) return valid.fault();
    std::vector<std::size_t> frames = {0, path.size() / 2, path.size() - 1};
    frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
    for (const std::size_t frame : frames) {
        std::vector<Contact> one = collide(wide.environment, wide.object, path[frame]);
        std::vector<Contact> other = collide(binary.environment, binary.object, path[frame]);
        std::sort(one.begin(), one.end());
        std::sort(other.begin(), other.end());
        if (one != other)
            return Fault{FaultKind::Damaged, fmt::format("frame {}: {} contacts by the wide tree, {} by the binary one",
                                                         frame, one.size(), other.size())};
    }
    return frames.size();
}

std::string grouped(std::uint64_t n) {
    std::string text = std::to_string(n);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    return text;
}

std::string duration(double ms) {
    if (ms >= 1000) return fmt::format("{:.1f} s", ms * 1e-3);
    if (ms >= 1) return fmt::format("{:.1f} ms", ms);
    if (ms >= 1e-3) return fmt::format("{:.1f} µs", ms * 1e3);
    return fmt::format("{:.1f} ns", ms * 1e6);
}

void print_row(const char* label, const std::string& ours, const std::string& paper) {
    fmt::print("{:<28}{:>16}{:>20}\n", label, ours, paper);
}

}  // namespace

int demo(const DemoArguments& arguments) {
    const scenes::Soup large = scenes::pipes();
    const scenes::Soup small = scenes::scale(large, 1 / shrink);
    const std::vector<Pose> path = scenes::tumble_path(arguments.frames, arguments.seed, 0.4);

    fmt::print("A cube of interweaving pipes, {} triangles, and inside it the same {:.0f} times smaller, tumbling.\n",
               grouped(large.triangle_count()), shrink);
    const Result<Models> models = build(large, small, {.threads = arguments.threads});
    if (!models) return complain(models.fault().message);
    fmt::print("Built both models in {}, {:.0f} bytes a triangle. All contacts of {} frames:\n",
               duration(models->build_ms),
               static_cast<double>(models->environment.bytes()) / models->environment.triangle_count(), path.size());
    std::fflush(stdout);

    const Totals totals = tumble(*models, path);
    const double steps = static_cast<double>(path.size());
    fmt::print("\n");
    print_row("", "here, one thread", "OBBTree paper*");
    print_row("environment, triangles", grouped(models->environment.triangle_count()), "143,690");
    print_row("object, triangles", grouped(models->object.triangle_count()), "143,690");
    print_row("steps", grouped(path.size()), "4,008");
    print_row("contacts", grouped(totals.contacts), "23,905");
    print_row("box tests", grouped(totals.stats.box_tests), "1,704,187");
    print_row("triangle tests", grouped(totals.stats.triangle_tests), "71,589");
    print_row("total time", duration(totals.ms), "16.9 s");
    print_row("average time per query", duration(totals.ms / steps), "4.2 ms");
    print_row("average time per box test",
              totals.stats.box_tests ? duration(totals.ms / static_cast<double>(totals.stats.box_tests)) : "-",
              "7.9 µs");
    print_row("contacts per step", fmt::format("{:.1f}", static_cast<double>(totals.contacts) / steps), "6.0");
    fmt::print("\n* Gottschalk, Lin, Manocha 1996, table 3, on an SGI with a 90 MHz R8000; its pipes and its path are\n"
               "  not at hand, so that only the sizes are alike. Per box test, here: total time over their number.\n");
    std::fflush(stdout);

    const Result<Models> binary = build(large, small, {.tree = TreeKind::Binary, .threads = arguments.threads});
    if (!binary) return complain(binary.fault().message);
    const Result<std::size_t> checked = check(*models, *binary, path);
    if (!checked) return complain("the check failed: " + checked.fault().message);
    fmt::print("Checked: all trees are sound, and the paper's binary tree finds the same contacts at {} frames.\n",
               *checked);
    return Clear;
}

}  // namespace graze::apps
