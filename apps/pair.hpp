// SPDX-License-Identifier: Apache-2.0
// What `collide` and `path` share: two files, and the page on how they meet.
#pragma once

#include <span>

#include "checks/motion.hpp"
#include "options.hpp"

namespace graze::apps {

struct PairArguments {
    std::string a, b;      ///< mesh files
    bool first = false;    ///< stop at a pose's first contact
    unsigned threads = 0;  ///< of the build
    files::ReadOptions reading;
    Output output;

    /// Once parsed: nothing to print means no form of it.
    void settle() {
        if (output.quiet) output.json = output.csv = false;
    }
};

/// How much the output needs: a page and pairs in print do with no less than a contact for each pose.
checks::Ask what_to_ask(const PairArguments& arguments, bool pairs);

/// The files, --first and --all, and what all commands have.
void add_pair(CLI::App& command, PairArguments& arguments);

struct LoadedPair {
    LoadedModel a, b;
    bool same = false;  ///< one file: it was read once

    bool has_polygons() const { return a.has_polygons || b.has_polygons; }
};
Result<LoadedPair> load_pair(const PairArguments& arguments);

/// Two lines on what was read.
std::string heading(const PairArguments& arguments, const LoadedPair& pair);
/// `"box_tests": 1, …`, without braces.
std::string json_of(const QueryStats& stats);
/// 12 box tests, 3 triangle tests, …
std::string text_of(const QueryStats& stats);

/// Collects what a page shows, pose by pose: parts A and B, a clash for each interval, and a timeline where there is
/// more than one pose. Few contacts are kept for drawing, so that long motions stay small; counts are all there.
class PairPage {
public:
    /// Where A is at each pose, which may be empty when it stands still, and B.
    PairPage(const char* command, const PairArguments& arguments, const LoadedPair& pair,
             std::span<const Pose> world_from_a, std::span<const Pose> world_from_b);

    void add(const checks::FrameAnswer& frame);
    /// Where the page is asked for. `answer` is what --json prints.
    Result<Done> write(const checks::Motion& motion, std::span<const Pose> a_from_b, std::string answer);

private:
    const PairArguments& arguments_;
    const LoadedPair& pair_;
    std::span<const Pose> world_from_a_, world_from_b_;
    report::Document document_;
    std::size_t drawn_;  ///< contacts of a frame, at most
};

}  // namespace graze::apps
