// SPDX-License-Identifier: Apache-2.0
// The parts of bench_fronts.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "graze/front.hpp"
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
    Side(Model a, Model b, Ask ask, How how, const study::FrontSettings& settings = {})
        : a_(std::move(a)), b_(std::move(b)), ask_(ask), how_(how), front_({.study = &settings}) {}

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

/// What one side did. Microseconds a query.
struct Figures {
    double wall_us = 0, cpu_us = 0;
    QueryStats stats;
    std::size_t hits = 0, wrong = 0;
    double pairs = 0;       ///< that the front holds, on average
    std::size_t bytes = 0;  ///< of the front, at most
};

/// Asks each side about all frames, compares what it finds with what the first one does, then times them turn by turn.
/// A turn is a part of the path: the machine's moods last longer than that, and a front is carried on by its own side
/// whoever comes between.
std::vector<Figures> compare(std::vector<Side>& sides, const std::vector<Affine>& frames, Ask ask, const Effort& effort,
                             Span& total);

/// At least `count` frames, each `size` from the one before. Where the path has more of them, stretches at even places;
/// where it has fewer, it is gone through again from other starts, as the paper repeats its own.
std::vector<Affine> frames_at(const scenes::Motion& motion, double size, std::size_t count);

/// Every `stride`-th frame from the first on, then from the second, and so on: all frames of the path.
std::vector<Affine> strided(const std::vector<Pose>& path, std::size_t stride);

/// How a path goes that takes every `stride`-th frame: the middle motion size, and the share of frames that move by
/// more than a tenth of the body.
Row path_row(const scenes::Motion& motion, const char* name, std::size_t stride);

}  // namespace graze::bench
