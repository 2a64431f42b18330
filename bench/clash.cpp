// SPDX-License-Identifier: Apache-2.0
// From files to all clashes of an assembly, as `graze clash` goes, on one thread. Where the time goes, stage by stage.
#include "checks/clash.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "bench/report.hpp"
#include "bench/table.hpp"
#include "files/temporary_folder.hpp"
#include "files/write.hpp"
#include "scenes/fits.hpp"
#include "scenes/plant.hpp"
#include "scenes/reference.hpp"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using checks::Clash;
using checks::Clashes;
using checks::Kind;
using checks::Parts;

using Names = std::pair<std::string, std::string>;  ///< names of two parts, in ascending order

/// An assembly, and how it is checked.
struct Job {
    files::Assembly assembly;
    checks::ClashSettings settings{.threads = 1};
    /// Number of wrong answers.
    std::function<std::size_t(const Parts&, const Clashes&)> wrong;
};

files::Mesh to_mesh(scenes::Soup soup) {
    return {.points = std::move(soup.points), .corners = std::move(soup.corners)};
}

Names in_order(std::string a, std::string b) {
    if (b < a) a.swap(b);
    return {std::move(a), std::move(b)};
}

/// Clashes and fits by the names of their parts.
std::map<Names, const Clash*> by_names(const Parts& parts, const Clashes& found) {
    std::map<Names, const Clash*> out;
    for (const std::vector<Clash>* list : {&found.clashes, &found.fits})
        for (const Clash& clash : *list) out[in_order(parts.parts[clash.a].path, parts.parts[clash.b].path)] = &clash;
    return out;
}

/// Copies of the plant side by side, each with its mistakes and all else allowed.
Job plants(std::uint32_t count) {
    const scenes::Plant plant = scenes::plant();
    const auto each = static_cast<std::uint32_t>(plant.parts.size());
    const std::uint32_t copies = std::max(1u, count / each);
    std::uint32_t across = 1;
    while (across * across < copies) ++across;
    Job job;
    for (const scenes::Soup& shape : plant.shapes) job.assembly.meshes.push_back(to_mesh(shape));
    const auto name = [](const std::string& part, std::uint32_t copy) { return part + "-in-" + std::to_string(copy); };
    std::map<Names, std::string> mistakes;
    for (std::uint32_t i = 0; i < copies; ++i) {
        const Vec3 at{8.0 * (i % across), 8.0 * (i / across), 0};
        for (const scenes::Plant::Part& part : plant.parts) {
            const Pose& world = part.world_from_shape;
            const std::string own = name(part.name, i);
            job.assembly.parts.push_back(
                {own, own, part.shape, *Pose::from_matrix(world.rotation(), world.translation() + at)});
        }
        for (const scenes::Plant::Mistake& m : plant.mistakes) mistakes[in_order(name(m.a, i), name(m.b, i))] = m.kind;
    }
    for (const scenes::Plant::Allowed& rule : plant.allowed)
        job.settings.rules.rules.push_back({rule.a.c_str(), rule.b.c_str(), rule.reason});
    job.wrong = [mistakes](const Parts& parts, const Clashes& found) {
        std::size_t right = 0;
        const std::map<Names, const Clash*> clashes = by_names(parts, found);
        for (const auto& [names, clash] : clashes) {
            const auto at = mistakes.find(names);
            right += at != mistakes.end() && at->second == checks::name(clash->kind);
        }
        return std::max(clashes.size(), mistakes.size()) - right;
    };
    return job;
}

scenes::Soup soup_of(const Model& model) {
    scenes::Soup soup;
    soup.points.assign(model.points().begin(), model.points().end());
    for (const auto& corners : model.triangles())
        soup.corners.insert(soup.corners.end(), corners.begin(), corners.end());
    return soup;
}

/// Parts of any shape, thrown together.
Job heap(std::uint32_t count, std::uint32_t triangles) {
    const scenes::LargePlant plant(count, triangles);
    Job job;
    for (std::uint32_t i = 0; i < count; ++i) {
        job.assembly.meshes.push_back(to_mesh(plant.part(i)));
        job.assembly.parts.push_back({plant.name(i), plant.name(i), i, {}});
    }
    // The first pairs whose boxes overlap, against brute force.
    job.wrong = [](const Parts& parts, const Clashes& found) {
        std::map<std::array<std::uint32_t, 2>, std::uint64_t> contacts;
        for (const std::vector<Clash>* list : {&found.clashes, &found.fits})
            for (const Clash& clash : *list) contacts[{clash.a, clash.b}] = clash.contacts;
        const std::vector<checks::Bounds> boxes = checks::world_boxes(parts, 1);
        const auto near = [&](std::uint32_t a, std::uint32_t b) {
            for (int d = 0; d < 3; ++d)
                if (boxes[a].lo[d] > boxes[b].hi[d] || boxes[b].lo[d] > boxes[a].hi[d]) return false;
            return true;
        };
        std::size_t wrong = 0, checked = 0;
        for (std::uint32_t a = 0; a < parts.parts.size() && checked < 40; ++a)
            for (std::uint32_t b = a + 1; b < parts.parts.size() && checked < 40; ++b) {
                if (!near(a, b)) continue;
                const scenes::Soup one = soup_of(parts.models[parts.parts[a].model]),
                                   other = soup_of(parts.models[parts.parts[b].model]);
                const Affine place = *relative(parts.parts[a].world_from_model, parts.parts[b].world_from_model);
                const auto at = contacts.find({a, b});
                const std::size_t ours = at == contacts.end() ? 0 : at->second;
                wrong += scenes::Reference(one, other).all(place).size() != ours;
                ++checked;
            }
        return wrong;
    };
    return job;
}

/// Parts that fit each other two by two; half of them do not quite.
Job fits(std::uint32_t count, std::uint32_t triangles) {
    const scenes::ManyFits many(count / 2, triangles);
    Job job;
    struct Planted {
        Names names;
        double low, high;
        bool copy;
    };
    std::vector<Planted> planted;
    double error = 0;
    for (std::uint32_t i = 0; i < many.size(); ++i) {
        scenes::FitPair pair = many.pair(i);
        const Names names{many.name(i) + "-a", many.name(i) + "-b"};
        planted.push_back({names, pair.low, pair.high, pair.kind == scenes::Fit::Copy});
        for (std::size_t k = 0; k < 2; ++k) {
            scenes::FitPair::Part& part = pair.parts[k];
            const std::string& name = k == 0 ? names.first : names.second;
            error = std::max(error, part.error);
            if (k == 0 || pair.kind != scenes::Fit::Copy) job.assembly.meshes.push_back(to_mesh(std::move(part.shape)));
            job.assembly.parts.push_back(
                {name, name, static_cast<std::uint32_t>(job.assembly.meshes.size() - 1), part.world_from_shape});
        }
    }
    constexpr double single = 1e-5;  // largest change of a coordinate by single precision
    error += single;
    job.settings.error = error;
    job.wrong = [planted, band = 2 * error](const Parts& parts, const Clashes& found) {
        const std::map<Names, const Clash*> clashes = by_names(parts, found);
        std::size_t wrong = 0, known = 0;
        for (const Planted& p : planted) {
            const auto at = clashes.find(p.names);
            known += at != clashes.end();
            const bool deep =
                at != clashes.end() && at->second->kind != Kind::Fit && at->second->kind != Kind::Touching;
            const bool shallow = p.high + single<band, certain = p.low - single> band;
            if (p.copy && shallow)
                wrong += at == clashes.end() || at->second->kind != Kind::Duplicate;
            else
                wrong += (certain && !deep) || (shallow && deep);
        }
        return wrong + (clashes.size() - known);
    };
    return job;
}

bool put(const std::string& path, const Result<std::string>& bytes) {
    return bytes && files::write_bytes(path, *bytes);
}

/// Writes a folder of STL files, or a GLB file.
bool write(const files::Assembly& assembly, const std::string& path, bool stl) {
    if (!stl) return put(path, files::to_glb(assembly));
    fs::create_directories(path);
    return std::ranges::all_of(assembly.parts, [&](const files::Part& part) {
        files::Mesh mesh = assembly.meshes[part.mesh];
        for (Vec3& p : mesh.points) p = part.world_from_mesh(p);
        return put(path + "/" + part.name + ".stl", files::to_stl(files::single(std::move(mesh))));
    });
}

/// Milliseconds of a run.
struct Stages {
    double whole = 0, read = 0, build = 0, find = 0, relate = 0, measure = 0;
    Span span;
};

class Bench {
public:
    explicit Bench(const Options& options) : options_(options) {
        std::printf("%-12s %6s %10s %10s %6s %6s %6s %6s %6s %6s  %8s %8s %8s %8s\n", "scene", "parts", "triangles",
                    "ms", "read", "build", "find", "relate", "meas.", "rest", "pairs", "contacts", "fits", "measured");
    }

    void run(const std::string& scene, std::uint32_t count, const Job& job) {
        for (const bool stl : {true, false}) {
            const std::string name = scene + (stl ? "-stl" : "-glb");
            if (options_.wanted(scene) || options_.wanted(name)) run(name, count, job, stl);
        }
    }
    int finish() const {
        if (!options_.csv.empty() && !table_.write(options_.csv)) return 2;
        return wrong_ > 0 ? 1 : 0;
    }

private:
    void run(const std::string& name, std::uint32_t count, const Job& job, bool stl) {
        const files::TemporaryFolder folder;
        const std::string path = folder.at(stl ? "parts" : "parts.glb");
        if (!write(job.assembly, path, stl)) {
            std::fprintf(stderr, "bench_clash: cannot write %s\n", path.c_str());
            ++wrong_;
            return;
        }
        std::vector<Stages> runs;
        const std::size_t rounds = count > 1000 || options_.size.quick ? 1 : 5;
        for (std::size_t round = 0; round < rounds; ++round) {
            const Stopwatch watch;
            const std::string paths[] = {path};
            const Result<Parts> parts = checks::read_parts(paths, {}, 1);
            const Result<Clashes> found = parts ? find_clashes(*parts, job.settings) : parts.fault();
            const Span span = watch.elapsed();
            if (!found) {
                std::fprintf(stderr, "bench_clash: %s\n", found.fault().message.c_str());
                ++wrong_;
                return;
            }
            const checks::StageTimes& t = found->times;
            // Stages are timed by the clock; the processor had other work as well in any of them.
            const double part = options_.by_cpu ? span.cpu / span.wall : 1;
            runs.push_back({.whole = part * span.wall * 1e3,
                            .read = part * parts->times.read,
                            .build = part * parts->times.build,
                            .find = part * t.find,
                            .relate = part * (t.relate + t.refine),
                            .measure = part * t.measure,
                            .span = span});
            if (round + 1 < rounds) continue;
            if (const std::size_t wrong = job.wrong(*parts, *found)) {
                std::printf("%s, %u parts: %zu WRONG ANSWERS\n", name.c_str(), count, wrong);
                ++wrong_;
                return;
            }
            std::ranges::nth_element(runs, runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2), {},
                                     &Stages::whole);
            print(name, *parts, *found, runs[runs.size() / 2]);
        }
    }

    void print(const std::string& name, const Parts& parts, const Clashes& found, const Stages& s) {
        const double rest = s.whole - s.read - s.build - s.find - s.relate - s.measure;
        std::uint64_t contacts = 0;
        for (const std::vector<Clash>* list : {&found.clashes, &found.fits})
            for (const Clash& clash : *list) contacts += clash.contacts;
        const std::size_t pairs = found.clashes.size() + found.fits.size() + found.ignored.size();
        std::printf("%-12s %6zu %10zu %10.1f", name.c_str(), parts.parts.size(), parts.triangle_count(), s.whole);
        for (const double part : {s.read, s.build, s.find, s.relate, s.measure, rest})
            std::printf(" %5.1f%%", 100 * part / s.whole);
        std::printf("  %8zu %8zu %8zu %8zu", pairs, static_cast<std::size_t>(contacts), found.fits.size(),
                    found.measured);
        if (!options_.by_cpu && s.span.cpu < 0.97 * s.span.wall)
            std::printf("  DISTURBED, %.0f %%", 100 * s.span.cpu / s.span.wall);
        std::printf("\n");
        std::fflush(stdout);
        const std::string experiment = "clash-" + name, row = std::to_string(parts.parts.size());
        for (const auto& [column, ms] : {std::pair{"whole", s.whole},
                                         {"read", s.read},
                                         {"build", s.build},
                                         {"find", s.find},
                                         {"relate", s.relate},
                                         {"measure", s.measure},
                                         {"rest", rest}})
            table_.time(experiment, row, column, ms, "ms");
        for (const auto& [column, number] : {std::pair{"triangles", parts.triangle_count()},
                                             {"pairs", pairs},
                                             {"clashes", found.clashes.size()},
                                             {"contacts", static_cast<std::size_t>(contacts)},
                                             {"fits", found.fits.size()},
                                             {"measured", found.measured}})
            table_.count(experiment, row, column, static_cast<double>(number));
    }

    const Options& options_;
    Table table_;
    std::size_t wrong_ = 0;
};

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        std::printf("bench_clash [--quick] [--only SCENE] [--cpu-time] [--csv FILE]\n");
        return argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2;
    }
    constexpr std::uint32_t triangles = 500;
    Bench bench(*options);
    for (const std::uint32_t count : {100u, 1'000u, 5'000u, 20'000u}) {
        if (options->size.quick && count > 1'000) break;
        const auto scene = [&](const std::string& name, auto&& make) {
            if (options->wanted(name) || options->wanted(name + "-stl") || options->wanted(name + "-glb"))
                bench.run(name, count, make());
        };
        scene("plant", [&] { return plants(count); });
        scene("heap", [&] { return heap(count, triangles); });
        scene("fits", [&] { return fits(count, triangles); });
    }
    return bench.finish();
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
