// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/report.hpp"
#include "graze/scene.hpp"
#include "graze/study.hpp"
#include "scenes/crowd.hpp"
#include "scenes/feeder.hpp"

namespace graze::bench {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  ///< pairs of objects, in ascending order

/// A scene under test: it is shown the frames and lists the pairs that touch.
class SceneSide {
public:
    virtual ~SceneSide() = default;
    /// The timed part: places all objects and finds the pairs.
    virtual void frame(const std::vector<Pose>& placed) = 0;
    virtual Pairs touching() const = 0;
    virtual const SceneStats* stats() const { return nullptr; }
    virtual std::size_t bytes() const { return 0; }
    /// A peer's errors are its own.
    virtual bool ours() const { return true; }
};
/// The stages of I-COLLIDE, which the tables show: boxes, hulls, and trees with fronts.
inline constexpr SceneSettings all_stages{.threads = 1, .hulls = true, .fronts = true};
std::unique_ptr<SceneSide> our_scene(const scenes::Objects& objects, const SceneSettings& settings = all_stages);
/// Nothing where there is no FCL.
std::unique_ptr<SceneSide> fcl_scene(const scenes::Objects& objects);
// Where the build found them.
std::unique_ptr<SceneSide> bullet_scene(const scenes::Objects& objects);
std::unique_ptr<SceneSide> ode_scene(const scenes::Objects& objects);

/// Medians over the frames.
struct SceneFigures {
    double wall_us = 0, cpu_us = 0;  ///< a frame
    double move_us = 0, broad_us = 0, hull_us = 0,
           tree_us = 0;                         ///< sums over threads; the first is all else, on one thread
    double boxes = 0, hulls = 0, touching = 0;  ///< pairs that come out of a stage
    double unmoved = 0, red = 0;
    std::size_t bytes = 0, wrong = 0, differ = 0;  ///< pairs that differ from the exact answer; from the first side's

    double us(bool by_cpu) const { return by_cpu ? cpu_us : wall_us; }
};

/// Takes the frames one after another: the first call shows where the objects are.
using Next = std::function<const scenes::Objects&()>;

/// The sides in turns of some frames; every frame's pairs are compared with the first side's. Where they differ, each
/// pair is asked for by itself, plainly: that is the exact answer.
std::vector<SceneFigures> compare(const Next& next, std::vector<std::unique_ptr<SceneSide>>& sides, int frames,
                                  bool by_cpu, Span& total);

/// Frames of something that steps.
template <class T>
Next frames_of(T& moving) {
    return [&moving, first = true]() mutable -> const scenes::Objects& {
        if (!first) moving.step();
        first = false;
        return moving.objects();
    };
}

/// One of the paper's graphs: fixed against dynamic boxes by one parameter of a crowd, with its sorted lists. Otherwise
/// there are 1,000 objects of about 1,000 triangles.
struct BoxGraph {
    const char *experiment, *name;
    std::vector<double> values;
    void (*set)(scenes::CrowdSettings& settings, std::uint32_t& triangles, double value);

    /// The values of a run: the first and the last of a quick one.
    std::vector<double> values_of(bool quick) const;
    /// Dynamic boxes, then fixed ones.
    std::vector<SceneFigures> run(double value, int frames, bool by_cpu, Span& total) const;
    /// The crowd at a value.
    std::pair<scenes::CrowdSettings, std::uint32_t> at(double value) const;
};
const std::vector<BoxGraph>& box_graphs();

/// The feeder when its parts have come down.
std::unique_ptr<scenes::Feeder> settled_feeder(std::size_t parts);

/// The paper's graphs and its table, and the feeder, as a table in a CSV file. Returns the program's exit status.
int run_papers(const Options& options);

}  // namespace graze::bench
