// SPDX-License-Identifier: Apache-2.0
// Batches on the GPU against the same batches on all cores of the CPU: one process, answers compared pose by pose.
#include "graze/gpu.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The median time of some runs.
template <class F>
double median_time(int runs, const F& f) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto start = Clock::now();
        f();
        times.push_back(seconds_since(start));
    }
    std::ranges::nth_element(times, times.begin() + runs / 2);
    return times[static_cast<std::size_t>(runs / 2)];
}

/// Stops the program with a fault's message.
template <class T>
T sure(Result<T> result) {
    if (!result.ok()) {
        std::fprintf(stderr, "bench_gpu: %s\n", result.fault().message.c_str());
        std::exit(1);
    }
    return *std::move(result);
}

/// Memory of the GPU for one array.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t n) {
        if (cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess) std::abort();
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    T* data() const { return static_cast<T*>(data_); }

private:
    void* data_ = nullptr;
};

struct Scene {
    std::string name;
    Model a, b;
    std::vector<Affine> poses;  ///< repeated to the length of a batch
};

template <class Real>
void fill(std::span<Real> rows, const std::vector<Affine>& poses) {
    for (std::size_t i = 0; i < rows.size() / 12; ++i) {
        const auto r = poses[i % poses.size()].rows();
        std::copy(r.begin(), r.end(), rows.begin() + static_cast<std::ptrdiff_t>(12 * i));
    }
}

/// Rates are per second.
struct Row {
    std::string scene;
    bool floats;
    std::size_t poses, wrong;
    double hits, kernel, through, counts, contacts, cpu;
};
std::vector<Row> rows_;

void write_json(const std::string& path, const std::string& device) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::perror(path.c_str());
        std::exit(1);
    }
    std::fprintf(file, "{\"device\": \"%s\", \"rows\": [", device.c_str());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& r = rows_[i];
        std::fprintf(file,
                     "%s\n{\"scene\": \"%s\", \"floats\": %s, \"poses\": %zu, \"wrong\": %zu, \"hits\": %.4f, "
                     "\"kernel\": %.6g, \"through\": %.6g, \"counts\": %.6g, \"contacts\": %.6g, \"cpu\": %.6g}",
                     i ? "," : "", r.scene.c_str(), r.floats ? "true" : "false", r.poses, r.wrong, r.hits, r.kernel,
                     r.through, r.counts, r.contacts, r.cpu);
    }
    std::fprintf(file, "\n]}\n");
    std::fclose(file);
}

template <class Real>
void run(const Scene& scene, std::size_t n, std::size_t checked, std::size_t counted = ~std::size_t{0}) {
    counted = std::min(counted, n);
    const gpu::Model a = sure(gpu::Model::make(scene.a)), b = sure(gpu::Model::make(scene.b));
    const auto memory = sure(gpu::PinnedMemory::make(n * 12 * sizeof(Real)));
    const auto answers_memory = sure(gpu::PinnedMemory::make(n));
    const std::span<Real> rows = memory.as<Real>();
    fill(rows, scene.poses);
    const std::span<std::uint8_t> answers = answers_memory.as<std::uint8_t>();
    const Poses poses = sure(Poses::from_numbers(std::span<const Real>(rows), PoseLayout::Rows));

    DeviceArray<Real> on_gpu(12 * n);
    DeviceArray<std::uint8_t> answers_on_gpu(n);
    DeviceArray<std::uint32_t> counts_on_gpu(n);
    cudaMemcpy(on_gpu.data(), rows.data(), rows.size_bytes(), cudaMemcpyHostToDevice);
    const gpu::DevicePoses there{on_gpu.data(), n, sizeof(Real) == 4};
    const auto kernel = [&] { sure(gpu::intersects(a, b, there, answers_on_gpu.data())); };
    const auto through = [&] { sure(gpu::intersects(a, b, poses, answers)); };
    const auto count = [&] {
        sure(gpu::count_contacts(a, b, {on_gpu.data(), counted, sizeof(Real) == 4}, counts_on_gpu.data()));
    };
    kernel(), through(), count();
    const int runs = 7;
    const double kernel_s = median_time(runs, kernel), through_s = median_time(runs, through),
                 count_s = median_time(3, count);

    // The CPU's answers, to as many poses as take a moment. The first pass warms it up.
    const std::size_t m = std::min(checked, n);
    std::vector<std::uint8_t> cpu(m);
    std::vector<std::uint32_t> cpu_counts(m), counts(n);
    const auto on_cpu = [&] { sure(graze::intersects(scene.a, scene.b, poses.part(0, m), cpu)); };
    on_cpu();
    const double cpu_s = median_time(runs, on_cpu);
    sure(graze::count_contacts(scene.a, scene.b, poses.part(0, std::min(m, counted)),
                               std::span(cpu_counts).first(std::min(m, counted))));
    cudaMemcpy(counts.data(), counts_on_gpu.data(), 4 * n, cudaMemcpyDeviceToHost);
    std::vector<std::uint8_t> kernel_answers(n);
    cudaMemcpy(kernel_answers.data(), answers_on_gpu.data(), n, cudaMemcpyDeviceToHost);
    std::size_t wrong = 0, hits = 0;
    double contacts = 0;
    for (std::size_t i = 0; i < n; ++i) {
        hits += answers[i];
        wrong += answers[i] != kernel_answers[i];
        if (i < m) wrong += answers[i] != cpu[i];
        if (i >= counted) continue;
        contacts += counts[i];
        wrong += answers[i] != (counts[i] > 0);
        if (i < m) wrong += counts[i] != cpu_counts[i];
    }
    const double p = static_cast<double>(n);
    Row row{.scene = scene.name, .floats = sizeof(Real) == 4, .poses = n, .wrong = wrong};
    row.hits = static_cast<double>(hits) / p;
    row.kernel = p / kernel_s, row.through = p / through_s, row.counts = static_cast<double>(counted) / count_s;
    row.contacts = contacts / count_s, row.cpu = static_cast<double>(m) / cpu_s;
    std::printf("%-22s %-6s %10zu %4.0f %% %11.1f %11.1f %11.1f %9.2f %8.2f %8.0f %6zu\n", row.scene.c_str(),
                row.floats ? "float" : "double", n, 100 * row.hits, row.kernel / 1e6, row.through / 1e6,
                row.counts / 1e6, row.contacts / 1e9, row.cpu / 1e6, row.kernel / row.cpu, wrong);
    std::fflush(stdout);
    rows_.push_back(row);
}

std::vector<Affine> affine(const std::vector<Pose>& poses) { return {poses.begin(), poses.end()}; }

struct Options {
    bool quick = false;
    std::string json;                 ///< file for the figures
    std::string scene;                ///< only scenes whose names contain it
    std::vector<std::string> models;  ///< saved models to try as well
};

Options options_of(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string arg(argv[i]);
        if (arg == "--quick")
            o.quick = true;
        else if (arg == "--json" && i + 1 < argc)
            o.json = argv[++i];
        else if (arg == "--scene" && i + 1 < argc)
            o.scene = argv[++i];
        else
            o.models.push_back(arg);
    }
    return o;
}

/// Poses by whole numbers, where most pairs of triangles touch exactly.
std::vector<Affine> whole_steps(int most, std::size_t n) {
    scenes::Random random(3);
    const auto step = [&] {
        return static_cast<double>(random.below(static_cast<std::uint32_t>(2 * most + 1))) - most;
    };
    std::vector<Affine> out;
    while (out.size() < n) {
        const double x = step(), y = step(), z = step();
        out.push_back(*Pose::from_translation({x, y, z}));
    }
    return out;
}

std::vector<Affine> stretched(const std::vector<Affine>& poses) {
    std::vector<Affine> out;
    for (const Affine& p : poses) {
        auto r = p.rows();
        for (std::size_t k = 0; k < 12; k += 4) r[k] *= 1.25, r[k + 1] *= 0.8;
        out.push_back(*Affine::from_rows(r));
    }
    return out;
}

void run_all(const Options& o) {
    const std::size_t full = o.quick ? 1'000'000 : 10'000'000, few = o.quick ? 20'000 : 2'000'000;
    const std::size_t kinds = o.quick ? 100'000 : 1'000'000;
    const auto wanted = [&](const std::string& name) { return name.find(o.scene) != std::string::npos; };
    const auto at_random = [&](const Model& a, const Model& b, std::size_t n) {
        return affine(scenes::placements_at_hit_rate(a, b, 0.6, n, 1));
    };
    const Model torus = *Model::build(scenes::torus());
    if (wanted("tori")) {
        const Scene tori{"tori", torus, torus, at_random(torus, torus, kinds)};
        for (std::size_t n = 1'000; n < full; n *= 10) run<float>(tori, n, few);
        run<float>(tori, full, few);
        run<double>(tori, full, few);
        run<float>({"tori stretched", torus, torus, stretched(tori.poses)}, full, few);
    }
    for (const double rate : {0.02, 0.98})
        if (const std::string name = rate < 0.5 ? "tori, few hits" : "tori, most hit"; wanted(name))
            run<float>({name, torus, torus, affine(scenes::placements_at_hit_rate(torus, torus, rate, kinds / 10, 2))},
                       full, few);
    for (const std::uint32_t n : {22u, 224u, 707u}) {
        const std::string name = "tori of " + std::to_string(2 * n * n);
        if (!wanted(name)) continue;
        const Model other = *Model::build(scenes::torus(1, 0.4, n, n));
        run<float>({name, other, other, at_random(other, other, kinds / 10)}, full, few / 4, full / 100);
    }
    if (wanted("teapots")) {
        const Model teapot = *Model::build(scenes::teapot());
        run<float>({"teapots", teapot, teapot, at_random(teapot, teapot, kinds)}, full, few);
    }
    if (wanted("lattices")) {
        const Model lattice = *Model::build(scenes::cube_lattice(8));
        run<float>({"lattices of ties", lattice, lattice, whole_steps(7, 10'000)}, full, few / 50, few / 50);
    }
    for (const std::string& path : o.models) {
        const Model mesh = sure(Model::load(path));
        const std::string name = path.substr(path.find_last_of('/') + 1);
        if (wanted(name + " random"))
            run<float>({name + " random", mesh, mesh, at_random(mesh, mesh, kinds / 4)}, full, few);
        if (wanted(name + " close"))
            run<float>({name + " close", mesh, mesh, affine(scenes::placements_at_gap(mesh, mesh, 1e-6, 200, 5))},
                       full / 4, few / 20, full / 40);
    }
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) {
    using namespace graze;
    const bench::Options options = bench::options_of(argc, argv);
    const std::string device = bench::sure(gpu::device_name());
    std::printf("%s; rates in millions per second\n", device.c_str());
    std::printf("%-22s %-6s %10s %6s %11s %11s %11s %9s %8s %8s %6s\n", "scene", "rows", "poses", "hits", "on the GPU",
                "from host", "counted", "1e9 con.", "CPU", "ratio", "wrong");
    bench::run_all(options);
    if (!options.json.empty()) bench::write_json(options.json, device);
    return std::ranges::any_of(bench::rows_, [](const bench::Row& r) { return r.wrong != 0; });
}
