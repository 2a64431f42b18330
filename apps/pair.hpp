// SPDX-License-Identifier: Apache-2.0
// What `collide` and `path` share: two files, and the page on how they meet.
#pragma once

#include <span>

#include "checks/json.hpp"
#include "checks/motion.hpp"
#include "options.hpp"

namespace graze::apps {

struct PairArguments {
    std::string a, b;      ///< mesh files
    bool first = false;    ///< stop at a pose's first contact
    unsigned threads = 0;  ///< number of threads that build models; 0 means one per core
    files::ReadOptions reading;
    Output output;

    /// To be called once the arguments are parsed: --quiet overrides --json and --csv.
    void settle() {
        if (output.quiet) output.json = output.csv = false;
    }
};

/// The least that the output needs to know. A page, and a list of pairs, need a contact of each pose at least.
checks::Ask what_to_ask(const PairArguments& arguments, bool pairs);

/// Adds the two files, --first, --all, and the options that all commands share.
void add_pair(CLI::App& command, PairArguments& arguments);

struct LoadedPair {
    LoadedModel a, b;
    bool same = false;  ///< both are the same file, which was read once

    bool has_polygons() const { return a.has_polygons || b.has_polygons; }
};
Result<LoadedPair> load_pair(const PairArguments& arguments);

/// Two lines that say what was read.
std::string heading(const PairArguments& arguments, const LoadedPair& pair);
/// An object of the counts.
checks::Json json_of(const QueryStats& stats);
/// The counts in words: 12 box tests, 3 triangle tests, …
std::string text_of(const QueryStats& stats);

/// Collects what a page shows, pose by pose: parts A and B, a clash per interval, and a timeline when there is more
/// than one pose. Only some contacts, and of a long motion only some frames, are kept for drawing, so that the page
/// stays small. Counts are true.
class PairPage {
public:
    /// The placements of A and B at each pose. `world_from_a` is empty when A stands still.
    PairPage(const char* command, const PairArguments& arguments, const LoadedPair& pair,
             std::span<const Pose> world_from_a, std::span<const Pose> world_from_b);

    void add(const checks::FrameAnswer& frame);
    /// Writes the page if one is asked for. `answer` is what --json prints.
    Result<Done> write(const checks::Motion& motion, std::span<const Pose> a_from_b, std::string answer);

private:
    void add_clash(const checks::Interval& interval, std::span<const Pose> a_from_b, std::size_t drawn, bool timeline);
    void thin(const checks::Motion& motion);

    const PairArguments& arguments_;
    const LoadedPair& pair_;
    std::span<const Pose> world_from_a_, world_from_b_;
    report::Document document_;
    std::size_t drawn_;  ///< largest number of contacts drawn per frame
};

}  // namespace graze::apps
