// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "checks/clash.hpp"
#include "checks/ledger.hpp"

namespace graze::checks {

/// The input of the formats below. Names may hold any bytes: those that a format cannot hold become U+FFFD.
struct ClashRun {
    const Parts& parts;
    const Clashes& clashes;
    const std::vector<Rule>& rules;
    std::string title;    ///< what was checked
    Ledger checked = {};  ///< `ledger_of` these
};

/// A JSON object. Lengths, volumes and translations are in the units of the world; a null was not measured.
/// `parse_baseline` reads the clashes back.
std::string to_json(const ClashRun& run);
/// A header and one row per clash, then one per fit, resolved clashes last: RFC 4180 with plain line feeds. A name that
/// a spreadsheet would take for a formula gets an apostrophe in front. The columns are those of
/// checks/clash_columns.cpp.
std::string to_csv(const ClashRun& run);
/// JUnit: one test case per clash. With a baseline only new and worse clashes fail, otherwise all. Ignored pairs are
/// skipped tests with their reason. Files and products that are left out, clashes of the baseline that were not checked
/// and `Ledger::errors` are errors. Properties of the suite are the number of fits and the rows of the ledger. There is
/// always at least one test, because some servers refuse an empty suite.
std::string to_junit(const ClashRun& run);

/// PNG pictures of clashes by their ids.
using Snapshots = std::map<std::string, std::string>;

/// Versions of BCF-XML, the format of buildingSMART.
enum class BcfVersion : std::uint8_t { V2_1, V3_0 };

/// BCF, in zip archives: one topic per clash, none for fits, with a viewpoint unless the clash is resolved. The GUID of
/// a topic depends on the paths of the parts, so it stays the same from run to run. Topics are dated by `timestamp`.
/// There is more than one archive when there are more than some 20,000 clashes, as no archive holds more.
/// `parse_baseline` reads the kinds and the reviews of both versions back.
Result<std::vector<std::string>> to_bcf(const ClashRun& run, const Snapshots& snapshots = {},
                                        BcfVersion version = BcfVersion::V2_1);
/// The priority of a topic whose review has none.
const char* priority_of(Kind kind, bool thin);

/// The id of the clash in all of these formats.
std::string guid_of(const ClashRun& run, const Clash& clash);
std::string id_of(const Gone& gone);
/// "12 pairs of triangles meet, around (1, 2, 3)", or "1.9 apart, around (1, 2, 3)"
std::string in_words(const Clash& clash);
/// "Depth 0.1, volume 0.02, move NAME by (0, 0, 0.1) to clear it, by their triangles crossing, which are accurate to
/// 0.001": as much of it as is known and says more than the kind. `name_of_b` is what part b is called.
std::string more_in_words(const Clash& clash, const std::string& name_of_b);
/// The middle of the clash's box.
Vec3 middle(const Clash& clash);

}  // namespace graze::checks
