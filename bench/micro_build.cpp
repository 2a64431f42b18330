// SPDX-License-Identifier: Apache-2.0
// Time of a build and of refits by volume, in nanoseconds a triangle of one thread's processor time;
// builds by two threads in elapsed time beside it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "graze/model.hpp"
#include "graze/study.hpp"
#include "scenes/shapes.hpp"

namespace {

using namespace graze;

template <class T>
T value(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "micro_build: %s\n", result.fault().message.c_str());
    std::exit(1);
}

/// Medians of seven.
template <class F>
bench::Span measure(F&& f) {
    std::vector<double> wall, cpu;
    for (int i = 0; i < 7; ++i) {
        const bench::Stopwatch watch;
        f(i);
        const bench::Span span = watch.elapsed();
        wall.push_back(span.wall);
        cpu.push_back(span.cpu);
    }
    return {bench::median(wall), bench::median(cpu)};
}

double built(const char* name, const scenes::Soup& soup, study::Volume volume) {
    study::TreeSettings settings;
    settings.volume = volume;
    const double per = 1e9 / (static_cast<double>(soup.corners.size()) / 3);
    bench::Span span[3];
    for (unsigned threads = 1; threads <= 2; ++threads) {
        settings.threads = threads;
        span[threads] = measure([&](int) { value(study::build(soup, settings)); });
    }
    std::printf("%-28s %-15s build %7.1f ns (%.1f elapsed, %.1f with two threads)\n", name, graze::name(volume),
                span[1].cpu * per, span[1].wall * per, span[2].wall * per);
    return span[1].cpu;
}

void refit(const char* name, const scenes::Soup& soup, study::Volume volume) {
    study::TreeSettings settings;
    settings.volume = volume;
    settings.threads = 1;
    const double rebuilt = built(name, soup, volume);
    const double per = 1e9 / (static_cast<double>(soup.corners.size()) / 3);
    Model model = value(study::build(soup, settings));
    std::vector<Vec3> waved[2];
    for (int k = 0; k < 2; ++k) {
        waved[k] = soup.points;
        for (Vec3& p : waved[k]) p.z += (0.01 + 0.01 * k) * std::sin(8 * p.x);
    }
    RefitSettings never;
    never.rebuild = Rebuild::Never;
    double decay = 1;
    value(model.refit(waved[1], never));
    const bench::Span all = measure([&](int i) { decay = value(model.refit(waved[i % 2], never)).decay; });
    const auto count = static_cast<std::uint32_t>(soup.points.size());
    value(model.refit(std::span(waved[0]).first(10), never));
    const bench::Span part = measure([&](int i) {
        for (std::uint32_t k = 0; k < 100; ++k) {
            never.first = (k * 997 + static_cast<std::uint32_t>(i)) % (count - 10);
            value(model.refit(std::span(waved[i % 2]).subspan(never.first, 10), never));
        }
    });
    std::printf("%-28s %-15s refit %7.1f ns, 1/%.1f of a build; of ten points %.2f us; decay %.3f\n", name,
                graze::name(volume), all.cpu * per, rebuilt / all.cpu, part.cpu * 1e4, decay);
}

}  // namespace

int main() {
    const scenes::Soup torus = scenes::torus(1, 0.4, 224, 224);
    for (const study::Volume v : {study::Volume::Obb, study::Volume::Aabb}) refit("torus of 100k triangles", torus, v);
    const scenes::Soup landscape = scenes::landscape(707);
    for (const study::Volume v : {study::Volume::Obb, study::Volume::Aabb, study::Volume::Auto})
        built("landscape of 1M triangles", landscape, v);
}
