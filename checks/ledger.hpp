// SPDX-License-Identifier: Apache-2.0
// The coverage of a result: files and parts that were read or left out, and pairs that nobody asked about.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/rules.hpp"

namespace graze::checks {

struct Clashes;

/// Pairs that were not checked, and why.
struct NotAsked {
    std::string why;  ///< `ignored by rules`
    std::uint64_t pairs = 0;
    bool gap = false;  ///< nobody wanted it so
};

/// A length, and whether the user gave it.
struct GivenLength {
    double value = 0;
    bool given = false;
};

/// The coverage of a result. All formats write it.
struct Ledger {
    std::size_t files = 0, unitless = 0;  ///< files that were read, and those of them that state no unit
    std::size_t meshed = 0;               ///< parts with triangles
    std::size_t left_out = 0;             ///< files, folders and products of files: `Parts::left_out`
    std::size_t unmeshed = 0;             ///< products among them that are in no part
    std::vector<std::string> open;        ///< paths of parts with surfaces that have no inside
    /// Parts whose triangles may be further than 0.01 mm from what their file describes, beyond rounding: curves and
    /// fillets as polygons, solids that a reader has cut.
    std::size_t simplified = 0;
    /// How far the parts' triangles may be from what they stand for; empty when that is not known.
    std::optional<double> least_error, most_error;
    bool error_given = false;            ///< the user said so, and not the files
    std::vector<std::string> unlike;     ///< `files::differences`
    std::optional<std::uint64_t> pairs;  ///< all pairs; empty when the question is not about pairs of parts
    std::vector<NotAsked> not_asked;     ///< those of them that were not checked
    std::optional<GivenLength> tolerance, clearance;
    bool everything = false;  ///< whether doubts are errors (--require everything)
    bool metres = false;      ///< lengths are known to be in metres

    std::uint64_t asked() const;  ///< pairs that were checked
    /// One line for each thing that could hide a clash and that nobody wanted so: what is left out, `not_reached`, and
    /// `doubts`.
    std::vector<std::string> gaps() const;
    /// Pairs that nobody came to look at.
    std::vector<std::string> not_reached() const;
    /// Open parts, unlike files, and several files without a unit.
    std::vector<std::string> doubts() const;
    /// The gaps that are errors, besides what is left out: `not_reached`, and with `everything` the doubts.
    std::vector<std::string> errors() const;

    /// Adds a file that was read.
    void add_file(const files::Conventions& conventions);
    /// Adds a part with triangles. `simplified` counts among the simplified parts.
    void add_part(const std::string& path, bool is_open, std::optional<double> error = {}, bool is_simplified = false);
    void add_left_out(const std::vector<LeftOut>& list);
};

struct LedgerSettings {
    double tolerance = 0, clearance = 0;  ///< as in `ClashSettings`
    std::optional<double> error = {};     ///< `ClashSettings::error`
    files::ReadOptions reading = {};
    bool everything = false;  ///< `Ledger::everything`
};
/// The ledger of a clash check.
Ledger ledger_of(const Parts& parts, const Clashes& clashes, const Rules& rules, const LedgerSettings& settings = {});

/// True when the triangles stand for curves, or may be further than 0.01 mm from what their file describes.
bool is_simplified(double error, bool curved, const files::Conventions& conventions, const files::ReadOptions& reading,
                   double largest_coordinate);

/// An entry of the list `left_out` of an answer.
nlohmann::ordered_json entry_of(const LeftOut& one);
/// The member `checked` of an answer.
nlohmann::ordered_json json_of(const Ledger& ledger);
/// Names and values, for tables and properties. What is not known has no row.
std::vector<std::pair<std::string, std::string>> rows_of(const Ledger& ledger);
/// Lines for people, one for each thing to be said; empty when there is none.
std::string text_of(const Ledger& ledger);

/// Some of the names, and how many others there are: `a, b and 3 others`.
std::string some_of(const std::vector<std::string>& names);

}  // namespace graze::checks
