// SPDX-License-Identifier: Apache-2.0
// Contacts of one mesh with itself against CGAL: one process, turn by turn, pairs compared.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/harness.hpp"
#include "bench/peer_self.hpp"
#include "bench/report.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench {
namespace {

/// The meshes, and two that cross themselves: copies of one, a little apart.
std::vector<NamedSoup> cases(const Size& size) {
    std::vector<NamedSoup> out;
    for (const NamedSoup& mesh : meshes(size)) out.push_back({mesh.name, scenes::welded(mesh.soup)});
    out.push_back({"landscape", scenes::landscape(size.quick ? 70 : 221, 1)});
    const scenes::Soup torus = scenes::wrinkled_torus();
    out.push_back({"two tori", scenes::joined(torus, scenes::scale(torus, 1.01))});
    return out;
}

Row run(const NamedSoup& named, const Options& options) {
    const CgalSelf peer(named.soup);
    const Model model = built(peer.taken());
    Scratch scratch;
    std::vector<Contact> contacts;
    std::vector<TrianglePair> pairs;
    Row row{.scenario = named.name, .peer = "CGAL", .queries = 1, .floor = 8, .aim = 20};
    // The second side is a new model, as a caller has it who asks only once.
    const auto turn = [&](std::size_t side) {
        if (side == 0) self_contacts(model, contacts, {.scratch = &scratch});
        if (side == 1) self_contacts(built(peer.taken()), contacts);
        if (side == 2 && options.peer) pairs = peer.pairs();
    };
    const Effort effort = options.size.quick ? Effort{2, 3, 9, options.by_cpu} : Effort{8, 5, 51, options.by_cpu};
    const std::vector<Span> spans = take_turns(3, effort, row.total, turn);
    QueryStats stats;
    self_contacts(model, contacts, {.stats = &stats});
    row.ours_us = spans[0].seconds(options.by_cpu) * 1e6;
    row.hits = contacts.size();
    row.box_tests = static_cast<double>(stats.box_tests);
    row.triangle_tests = static_cast<double>(stats.triangle_tests);
    const double built_us = spans[1].seconds(options.by_cpu) * 1e6, n = static_cast<double>(model.triangle_count());
    std::printf("%-16s %8.0f %9zu %9.0f %9.0f", named.name.c_str(), n, row.hits, row.ours_us / n * 1e3,
                built_us / n * 1e3);
    if (options.peer) {
        row.peer_us = spans[2].seconds(options.by_cpu) * 1e6;
        row.ratio = *row.peer_us / row.ours_us;
        row.more = {{"ratio_with_build", *row.peer_us / built_us}};
        std::vector<TrianglePair> ours;
        for (const Contact& c : contacts) ours.push_back(c.triangles);
        std::ranges::sort(ours);
        std::ranges::sort(pairs);
        row.checked = 1;
        row.wrong = ours != pairs;
        std::printf(" %9.0f %7.1fx %7.1fx %s", *row.peer_us / n * 1e3, *row.ratio, *row.peer_us / built_us,
                    row.wrong ? "THE PAIRS DIFFER" : "same pairs");
    }
    std::printf("  (per triangle: %.1f boxes, %.1f triangles, %.2f in double, %.3f exact)\n", row.box_tests / n,
                row.triangle_tests / n, static_cast<double>(stats.double_tests) / n,
                static_cast<double>(stats.exact_tests) / n);
    std::fflush(stdout);
    return row;
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        std::printf("bench_self [--quick] [--only MESH] [--no-peer] [--cpu-time] [--json FILE]\n");
        return argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2;
    }
    std::printf("%-16s %8s %9s %9s %9s %9s %8s %8s\n", "mesh", "triangles", "contacts", "ours ns", "and build",
                "CGAL ns", "ratio", "built");
    std::vector<Row> rows;
    for (const NamedSoup& mesh : cases(options->size))
        if (options->wanted(mesh.name)) rows.push_back(run(mesh, *options));
    print_disturbed(rows, options->by_cpu);
    std::printf("Times are per triangle of the mesh.\n");
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
