// SPDX-License-Identifier: Apache-2.0
// The parts of bench_fronts.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/report.hpp"
#include "graze/front.hpp"
#include "graze/study.hpp"
#include "scenes/motions.hpp"

namespace graze::bench {

/// How a query is asked.
enum class How {
    Plain,
    Fronted,
    Full,  ///< plain, aligned boxes tested on all fifteen axes: the paper's AABB as against its AABBlite
};

/// All contacts of two binary trees of aligned boxes, by boxes tested on all fifteen axes.
void collide_full(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
                  QueryStats& stats);

/// One side of a comparison, as a serious caller has it: scratch, front and result kept between queries.
class Side {
public:
    Side(Model a, Model b, Ask ask, How how, const FrontSettings& settings = {})
        : a_(std::move(a)), b_(std::move(b)), ask_(ask), how_(how), front_(settings) {}

    /// How many contacts, or whether there is one.
    std::size_t operator()(const Affine& a_from_b, QueryStats* stats = nullptr);
    std::vector<TrianglePair> sorted_pairs() const;
    const Front& front() const { return front_; }

private:
    Model a_, b_;
    Ask ask_;
    How how_;
    Front front_;
    Scratch scratch_;
    std::vector<Contact> contacts_;
};

/// Figures of one side. Times are in microseconds per query.
struct Figures {
    double wall_us = 0, cpu_us = 0;
    QueryStats stats;
    std::size_t hits = 0, wrong = 0;
    double pairs = 0;       ///< that the front holds, on average
    std::size_t bytes = 0;  ///< largest size of the front
};

/// Asks each side about all frames, compares what it finds with what the first one does, then times them turn by turn.
/// A turn is a part of the path: the machine's moods last longer than that, and a front is carried on by its own side
/// whoever comes between.
std::vector<Figures> compare(std::vector<Side>& sides, const std::vector<Affine>& frames, Ask ask, const Effort& effort,
                             Span& total);

/// A kind of tree.
struct Tree {
    std::string name;
    study::TreeSettings settings;

    bool wide() const { return settings.tree == study::TreeKind::Wide; }
    /// The others are asked at one motion size only.
    bool box() const { return aligned() || settings.volume == study::Volume::Obb; }
    bool aligned() const { return settings.volume == study::Volume::Aabb; }
};
Tree tree_of(std::string name, study::TreeKind kind, study::Volume volume);

/// Which frames of a scene's path.
struct Pace {
    std::string name;
    double size = 0;  ///< motion per frame; 0: as the name says
};

/// At least `count` frames, each `size` from the one before. Where the path has more of them, stretches at even places;
/// where it has fewer, it is gone through again from other starts, as the paper repeats its own.
std::vector<Affine> frames_at(const scenes::Motion& motion, double size, std::size_t count);

/// Every `stride`-th frame from the first on, then from the second, and so on: all frames of the path.
std::vector<Affine> strided(const std::vector<Pose>& path, std::size_t stride);

/// How a path goes that takes every `stride`-th frame: the middle motion size, and the share of frames that move by
/// more than a tenth of the body.
Row path_row(const scenes::Motion& motion, const char* name, std::size_t stride);

/// A scene, with what is made once for all comparisons in it. Every `stride`-th frame makes its path uneven.
class MotionScene {
public:
    /// `count` frames of each motion size. `begin_only`: also no more than that of the path as it is.
    MotionScene(scenes::Motion motion, std::size_t stride, std::size_t count, bool begin_only)
        : motion_(std::move(motion)), stride_(stride), count_(count), begin_only_(begin_only) {}

    const scenes::Motion& motion() const { return motion_; }
    std::size_t stride() const { return stride_; }
    const std::vector<Affine>& frames(const Pace& pace);
    std::pair<Model, Model> models(const Tree& tree);

private:
    scenes::Motion motion_;
    std::size_t stride_, count_;
    bool begin_only_;
    std::map<std::string, std::vector<Affine>> frames_;
    std::map<std::string, std::pair<Model, Model>> models_;
};

/// Stretches of 150 frames, one of `k`: where there are many sides.
std::vector<Affine> thinned(const std::vector<Affine>& frames, std::size_t k);

/// The paper's tables and figures, as a table in a CSV file. Returns the program's exit status.
int run_papers(const Options& options);

}  // namespace graze::bench
