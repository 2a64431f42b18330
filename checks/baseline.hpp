// SPDX-License-Identifier: Apache-2.0
// Earlier runs, and what people have written about their clashes since.
#pragma once

#include <map>

#include "checks/clash.hpp"

namespace graze::checks {

struct Baseline {
    std::vector<Gone> clashes;              ///< clashes of an earlier run, resolved ones left out
    bool has_clashes = false;               ///< false for a file of reviews alone
    std::map<std::string, Review> reviews;  ///< by the ids of clashes
    std::vector<std::string> notes;         ///< one line each: what was skipped

    /// Adds another baseline, which has the last word.
    void add(Baseline other);
};

/// Reads the JSON of an earlier run (`to_json`), the reviews that a report exports, or a BCF file. A fault names the
/// place. Topics of a BCF file that graze did not write are skipped, with a note.
Result<Baseline> parse_baseline(std::string_view bytes, const std::string& name);

/// `parse_baseline` for BCF files.
Result<Baseline> parse_bcf(std::string_view bytes, const std::string& name);

struct CompareSettings {
    std::optional<double> worse_by;  ///< change of the extent, the depth or the distance that makes a clash worse
    double tolerance = 0;            ///< `ClashSettings::tolerance`
    double clearance = 0;            ///< `ClashSettings::clearance`
    Rules rules = {};                ///< `ClashSettings::rules`
};

/// Sets the states and reviews of clashes. Two parts that clash in the baseline too are
/// - worse when their kind has become graver, when they were thin and are not any more, or when the extent or the
///   depth has grown by more than `worse_by`. By default the extent may grow by a tenth of itself and a millionth
///   of the smaller part. The depth may double, or grow by a hundredth of the extent. Of parts that are too close
///   only the distance is compared, which may shrink by a tenth of itself. Measures that the baseline does not have are
///   not compared;
/// - persistent otherwise. The note says how the clash has changed.
///
/// Parts are the same by their GlobalIds where they have some, and by their paths otherwise (`PartsNow`). A clash that
/// the baseline has and the run has not is
/// - resolved when both parts are there;
/// - gone with its part when the part's file was read, or its folder, and the part is not there any more;
/// - not checked when the file of a part is not among those that were read, when the part was left out or not read
///   whole, when the check was stopped, and when a part that held the other is open now.
/// It is none of these when a rule ignores it or the pair was not to be checked. A clash that is only a fit now is
/// resolved, and a fit that has become a clash is new: lists of fits are not compared. Two parts that were too close
/// were not to be checked if they need not keep that distance now.
void compare(const Parts& parts, const Baseline& baseline, Clashes& clashes, const CompareSettings& settings = {});

}  // namespace graze::checks
