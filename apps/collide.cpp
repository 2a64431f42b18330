// SPDX-License-Identifier: Apache-2.0
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "files/mesh_file.hpp"
#include "files/pose_file.hpp"

namespace graze::apps {

namespace {

struct LoadedModel {
    Model model;
    bool has_polygons = false;  ///< some have more than three corners
    double read_ms = 0, build_ms = 0;
};

Result<LoadedModel> load(const std::string& path, unsigned threads) {
    LoadedModel loaded;
    const Timer read;
    const Result<files::Mesh> mesh = files::read_mesh(path);
    if (!mesh) return mesh.fault();
    loaded.has_polygons = mesh->has_polygons();
    loaded.read_ms = read.ms();

    const Timer build;
    Result<Model> model = Model::build(mesh->view(), {.threads = threads});
    if (!model) return Fault{model.fault().kind, path + ": " + model.fault().message};
    loaded.model = std::move(*model);
    loaded.build_ms = build.ms();
    return loaded;
}

Result<std::vector<Pose>> read_poses(const CollideArguments& arguments) {
    if (arguments.pose) {
        const Result<Pose> pose = files::parse_pose(*arguments.pose);
        if (!pose) return Fault{pose.fault().kind, "--pose: " + pose.fault().message};
        return std::vector<Pose>{*pose};
    }
    if (!arguments.poses) return std::vector<Pose>(1);
    const std::string& path = *arguments.poses;
    const Result<std::string> text = files::read_bytes(path);
    if (!text) return text.fault();
    Result<std::vector<Pose>> poses = files::parse_poses(*text, path);
    if (poses && poses->empty()) return Fault{FaultKind::Damaged, path + ":1: the file has no pose"};
    return poses;
}

void find_contacts(const Model& a, const Model& b, const Pose& a_from_b, bool first, std::vector<Contact>& contacts,
                   const QueryOptions& options) {
    if (!first) {
        collide(a, b, a_from_b, contacts, options);
        std::sort(contacts.begin(), contacts.end());
        return;
    }
    contacts.clear();
    for_each_contact(
        a, b, a_from_b,
        [&](const Contact& c) {
            contacts.push_back(c);
            return Step::Stop;
        },
        options);
}

void append_pairs(fmt::memory_buffer& out, const std::vector<Contact>& contacts, TrianglePair Contact::* member) {
    out.push_back('[');
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const TrianglePair& pair = contacts[i].*member;
        fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}[{}, {}]"), i ? ", " : "", pair.a, pair.b);
    }
    out.push_back(']');
}

/// One pose's line. `polygons` is aligned to `pairs`.
void append_json(fmt::memory_buffer& out, std::size_t pose, const std::vector<Contact>& contacts, bool polygons,
                 const QueryStats& stats) {
    fmt::format_to(std::back_inserter(out), R"({{"pose": {}, "intersects": {}, "contacts": {}, "pairs": )", pose,
                   !contacts.empty(), contacts.size());
    append_pairs(out, contacts, &Contact::triangles);
    if (polygons) {
        fmt::format_to(std::back_inserter(out), R"(, "polygons": )");
        append_pairs(out, contacts, &Contact::polygons);
    }
    fmt::format_to(std::back_inserter(out),
                   R"(, "stats": {{"box_tests": {}, "triangle_tests": {}, "double_tests": {}, "exact_tests": {}}}}})"
                   "\n",
                   stats.box_tests, stats.triangle_tests, stats.double_tests, stats.exact_tests);
}

void append_text(fmt::memory_buffer& out, std::size_t pose, const std::vector<Contact>& contacts, bool first,
                 double ms) {
    constexpr std::size_t shown = 24, in_a_line = 6;
    auto to = std::back_inserter(out);
    if (contacts.empty())
        fmt::format_to(to, "pose {}: clear, {:.3f} ms\n", pose, ms);
    else if (first)
        fmt::format_to(to, "pose {}: collision, {:.3f} ms\n", pose, ms);
    else
        fmt::format_to(to, "pose {}: {} contact{}, {:.3f} ms\n", pose, contacts.size(), contacts.size() == 1 ? "" : "s",
                       ms);
    const std::size_t count = std::min(shown, contacts.size());
    for (std::size_t i = 0; i < count; ++i) {
        const TrianglePair& pair = contacts[i].triangles;
        const bool ends = i % in_a_line == in_a_line - 1 || i + 1 == count;
        fmt::format_to(to, "{}{}-{}{}", i % in_a_line == 0 ? "  " : "", pair.a, pair.b, ends ? "\n" : "  ");
    }
    if (contacts.size() > count) fmt::format_to(to, "  … and {} more\n", contacts.size() - count);
}

void print_model(const char* label, const std::string& path, const LoadedModel& loaded) {
    fmt::print("{}: {}, {} triangles", label, path, loaded.model.triangle_count());
    if (loaded.has_polygons) fmt::print(" of {} polygons", loaded.model.polygon_count());
    fmt::print(", read in {:.1f} ms, built in {:.1f} ms\n", loaded.read_ms, loaded.build_ms);
}

}  // namespace

int collide_files(const CollideArguments& arguments) {
    const Result<LoadedModel> a = load(arguments.a, arguments.threads);
    if (!a) return complain(a.fault().message);
    std::error_code ignored;
    const bool same = std::filesystem::equivalent(arguments.a, arguments.b, ignored);
    std::optional<Result<LoadedModel>> other;
    if (!same) other = load(arguments.b, arguments.threads);
    const Result<LoadedModel>& b = same ? a : *other;
    if (!b) return complain(b.fault().message);
    const Result<std::vector<Pose>> poses = read_poses(arguments);
    if (!poses) return complain(poses.fault().message);

    if (!arguments.json) {
        print_model("A", arguments.a, *a);
        if (same)
            fmt::print("B: the same\n");
        else
            print_model("B", arguments.b, *b);
    }

    Scratch scratch;
    std::vector<Contact> contacts;
    std::size_t hits = 0, total = 0;
    for (std::size_t i = 0; i < poses->size(); ++i) {
        QueryStats stats;
        const Timer timer;
        find_contacts(a->model, b->model, (*poses)[i], arguments.first, contacts,
                      {.stats = &stats, .scratch = &scratch});
        const double ms = timer.ms();
        hits += !contacts.empty();
        total += contacts.size();
        fmt::memory_buffer out;
        if (arguments.json)
            append_json(out, i, contacts, a->has_polygons || b->has_polygons, stats);
        else
            append_text(out, i, contacts, arguments.first, ms);
        if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) break;
    }
    if (!arguments.json && poses->size() > 1) {
        fmt::print("{} poses: {} in collision{}\n", poses->size(), hits,
                   arguments.first ? "" : fmt::format(", {} contacts", total));
    }
    return hits ? Collision : Clear;
}

}  // namespace graze::apps
