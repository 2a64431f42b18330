// SPDX-License-Identifier: Apache-2.0
#include "samples_city.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/first_fault.hpp"
#include "base/parallel.hpp"
#include "checks/json.hpp"
#include "files/write.hpp"
#include "options.hpp"
#include "scenes/city.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

namespace fs = std::filesystem;

struct CityArguments {
    std::string folder = "city";
    std::uint32_t parts = 1'000, triangles = 1'000;
    std::optional<std::uint32_t> clashes;
    std::uint64_t seed = 1;
    bool force = false;
    Output output;
};

/// The planted clashes: a header and a line each.
std::string planted_list(const scenes::City& city) {
    std::string out = "a,b,kind\n";
    for (std::uint32_t i = 0; i < city.clash_count(); ++i) {
        const scenes::City::Planted one = city.planted(i);
        out += fmt::format("{},{},{}\n", city.name(one.a), city.name(one.b), one.kind);
    }
    return out;
}

int samples_city(const CityArguments& arguments) {
    const scenes::City city(arguments.parts, arguments.triangles, arguments.clashes.value_or(arguments.parts / 50),
                            arguments.seed);
    const fs::path folder(arguments.folder), parts = folder / "parts", list = folder / "planted.csv";
    std::error_code error;
    if (!arguments.force)
        for (const fs::path& one : {parts, list})
            if (fs::exists(one, error)) return complain(one.string() + ": exists already; --force replaces its files");
    fs::create_directories(parts, error);
    if (error) return complain(parts.string() + ": " + error.message());

    ProgressBar bar(city.size(), arguments.output.progress());
    std::mutex mutex;
    std::uint32_t done = 0;
    std::uint64_t bytes = 0;
    detail::FirstFault faults;
    const unsigned threads = std::max(8u, 2 * std::thread::hardware_concurrency());
    const auto write_part = [&](std::size_t k) {
        if (k > faults.at()) return;
        const auto i = static_cast<std::uint32_t>(k);
        scenes::Soup soup = city.part(i);
        files::Mesh mesh;
        mesh.points = std::move(soup.points);
        mesh.corners = std::move(soup.corners);
        const Result<std::string> stl = files::to_stl(files::single(std::move(mesh)));
        const Result<void> written =
            stl ? files::write_bytes((parts / (city.name(i) + ".stl")).string(), *stl) : Result<void>(stl.fault());
        if (!written) faults.report(k, written.fault());
        const std::lock_guard lock(mutex);
        if (stl) bytes += stl->size();
        bar.show(++done);
    };
    detail::parallel_for(city.size(), threads, write_part, detail::LoopWork::Waits);
    if (faults.any()) return complain(faults.fault().message);
    if (const Result<void> written = files::write_bytes(list.string(), planted_list(city)); !written)
        return complain(written.fault().message);
    if (arguments.output.json) {
        const checks::Json json{{"folder", checks::json_text(arguments.folder)},
                                {"parts", city.size()},
                                {"clashes", city.clash_count()},
                                {"bytes", bytes}};
        print(json.dump() + "\n", arguments.output);
    } else if (arguments.output.text()) {
        print(fmt::format("Wrote {} to {}, {:.1f} MB, and a list of {} planted clashes to {}.\n",
                          counted(city.size(), "part"), parts.string(), static_cast<double>(bytes) * 1e-6,
                          grouped(city.clash_count()), list.string()));
    }
    return Clear;
}

}  // namespace

void add_samples_city(CLI::App& samples, Action& action) {
    CLI::App* command = samples.add_subcommand("city", "Write a city of any size and the list of its clashes");
    const auto arguments = std::make_shared<CityArguments>();
    command->add_option("FOLDER", arguments->folder, "Folder to write to; created if it does not exist")
        ->capture_default_str()
        ->type_name("FOLDER");
    command->add_option("--parts", arguments->parts, "Number of parts")
        ->capture_default_str()
        ->type_name("N")
        ->check(CLI::Range(1u, 10'000'000u));
    command->add_option("--triangles", arguments->triangles, "Triangles per part, about")
        ->capture_default_str()
        ->type_name("N")
        ->check(CLI::Range(100u, 1'000'000u));
    command
        ->add_option("--clashes", arguments->clashes,
                     "Number of pairs that clash, half of the parts' number at most; by default a fiftieth of it")
        ->type_name("N");
    command->add_option("--seed", arguments->seed, "Random seed")->capture_default_str()->type_name("N");
    command->add_flag("--force", arguments->force, "Replace existing files");
    add_output(*command, arguments->output, {});
    command->footer(R"(Examples:
  graze samples city --parts 100000 --triangles 1000
      100,000 parts of 1,000 triangles each in the folder city (5 GB)

planted.csv lists every pair of parts that clashes, and how. No other pair does:
all others are at least 0.25 apart.

Exit code: 0 all written, 2 bad input or usage.)");
    command->callback([arguments, &action] { action = [arguments] { return samples_city(*arguments); }; });
}

}  // namespace graze::apps
