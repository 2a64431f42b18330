// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "graze/study.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace graze::bench {

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        const bool more = i + 1 < argc;
        if (arg == "--quick")
            options.size.quick = true;
        else if (arg == "--no-peer")
            options.peer = false;
        else if (arg == "--cpu-time")
            options.by_cpu = true;
        else if (arg == "--only" && more)
            options.only = argv[++i];
        else if (arg == "--json" && more)
            options.json = argv[++i];
        else if (arg == "--csv" && more)
            options.csv = argv[++i];
        else if (arg == "--scale" && more)
            options.size.scale = std::atof(argv[++i]);
        else
            return {};
    }
    return options;
}

void print_disturbed(const std::vector<Row>& rows, bool by_cpu) {
    for (const Row& r : rows)
        if (!r.value && !by_cpu && r.cpu_share() < 0.97)
            std::printf(
                "%s: DISTURBED, only %.0f%% of the time was ours to use; the ratio is not reliable, "
                "try --cpu-time\n",
                r.scenario.c_str(), 100 * r.cpu_share());
}

bool write_json(const std::vector<Row>& rows, const std::string& path) {
    std::FILE* f = std::fopen(path.c_str(), "w");
    if (!f) return false;
    std::fprintf(f, "[");
    const char* separator = "\n";
    for (const Row& r : rows) {
        std::fprintf(f, "%s  {\"scenario\": \"%s\"", separator, r.scenario.c_str());
        if (!r.peer.empty()) std::fprintf(f, ", \"peer\": \"%s\"", r.peer.c_str());
        if (r.value) std::fprintf(f, ", \"value\": %.2f", *r.value);
        if (r.ratio) std::fprintf(f, ", \"ratio\": %.3f", *r.ratio);
        if (!r.value) {
            std::fprintf(f, ", \"wrong\": %zu", r.wrong);
            if (r.peer_us) std::fprintf(f, ", \"peer_wrong\": %zu, \"peer_us\": %.4f", r.peer_wrong, *r.peer_us);
            std::fprintf(f, ", \"ours_us\": %.4f, \"box_tests\": %.1f, \"triangle_tests\": %.1f", r.ours_us,
                         r.box_tests, r.triangle_tests);
            std::fprintf(f, ", \"queries\": %zu, \"checked\": %zu, \"differ\": %zu", r.queries, r.checked, r.differ);
            std::fprintf(f, ", \"cpu_share\": %.3f", r.cpu_share());
        }
        for (const auto& [name, figure] : r.more) std::fprintf(f, ", \"%s\": %.6g", name.c_str(), figure);
        std::fprintf(f, ", \"floor\": %g, \"aim\": %g}", r.floor, r.aim);
        separator = ",\n";
    }
    std::fprintf(f, "\n]\n");
    return std::fclose(f) == 0;
}

int finish(const std::vector<Row>& rows, const Options& options) {
    if (!options.json.empty() && !write_json(rows, options.json)) {
        std::fprintf(stderr, "bench: cannot write %s\n", options.json.c_str());
        return 1;
    }
    return std::ranges::any_of(rows, [](const Row& r) { return r.wrong > 0; }) ? 1 : 0;
}

void pin() {
#ifdef __linux__
    const char* core = std::getenv("GRAZE_CORE");
    if (core == nullptr) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(std::atoi(core), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) std::printf("cannot be pinned to core %s\n", core);
#endif
}

Model built(const SoupView& soup, const study::TreeSettings& settings) {
    auto model = study::build(soup, settings);
    if (!model) {
        std::fprintf(stderr, "bench: %s\n", model.fault().message.c_str());
        std::exit(1);
    }
    return std::move(*model);
}

std::vector<TrianglePair> Ours::pairs() const {
    std::vector<TrianglePair> out(contacts_.size());
    std::ranges::transform(contacts_, out.begin(), &Contact::triangles);
    return out;
}

}  // namespace graze::bench
