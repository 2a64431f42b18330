// SPDX-License-Identifier: Apache-2.0
// Shared by `collide`, `path` and `distance`: two files, and the page on how they meet. `self` lists contacts too.
#pragma once

#include <fmt/format.h>

#include <span>

#include "checks/json.hpp"
#include "checks/motion.hpp"
#include "options.hpp"

namespace graze::apps {

struct PairArguments {
    std::string a, b;      ///< mesh files
    bool first = false;    ///< stop at a pose's first contact
    double clearance = 0;  ///< poses no further apart than this are too close; 0 for none
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

/// Adds --first and --all.
void add_first(CLI::App& command, PairArguments& arguments);
/// Adds the two files, --clearance, and the options that all commands share.
void add_pair(CLI::App& command, PairArguments& arguments);

struct LoadedPair {
    LoadedModel a, b;
    bool same = false;  ///< both are the same file, which was read once
    std::string unit;   ///< the unit of lengths, `m`; empty when it is not known

    std::vector<std::string> unlike = {};  ///< `files::differences`

    bool has_polygons() const { return a.has_polygons || b.has_polygons; }
    std::vector<checks::LeftOut> left_out() const;
};
Result<LoadedPair> load_pair(const PairArguments& arguments);

/// The ledger of an answer about the pair.
checks::Ledger ledger_of(const PairArguments& arguments, const LoadedPair& pair);
/// Says what is missing in the answer about the pair. Returns the exit code.
int exit_code(Faults& faults, const PairArguments& arguments, const LoadedPair& pair, int answer);

/// Two lines that say what was read.
std::string heading(const PairArguments& arguments, const LoadedPair& pair);
/// `1.9 m apart, within 2 m`, or `within 2 m` when the distance was not measured.
std::string close_text(const std::optional<ClosestTriangles>& closest, double clearance, const std::string& unit);
using Buffer = fmt::memory_buffer;

/// Appends the triangles or polygons of the contacts as a JSON list of pairs.
void append_pairs(Buffer& out, std::span<const Contact> contacts, TrianglePair Contact::* member);
/// Appends some of the contacts in lines of text, and the number of the others.
void append_list(Buffer& out, std::span<const Contact> contacts);

/// An object of the counts.
checks::Json json_of(const QueryStats& stats);
/// Ends the JSON object of a pose with its matrix, unless that is null, the counts, unless `ms` is null the time, and
/// more members.
void append_end(Buffer& out, const Pose* matrix, const QueryStats& stats, const double* ms, const std::string& more);
/// The members that the object of the first pose has more than others: what was left out, and the ledger.
std::string members_of_first(const PairArguments& arguments, const LoadedPair& pair, std::size_t pose);
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
    /// Colours A and B by the distances of their triangles.
    void colour(double reach, std::vector<double> of_a, std::vector<double> of_b);
    /// Writes the page if one is asked for. `answer` is what --json prints.
    Result<void> write(const checks::Motion& motion, std::span<const Pose> a_from_b, std::string answer);
    /// Writes the page with a table of these figures.
    Result<void> write(const checks::Motion& motion, std::span<const Pose> a_from_b, std::string answer,
                       std::vector<std::pair<std::string, std::string>> figures);

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
