// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/clash.hpp"

namespace graze::checks {

/// All that the formats below write. Names may hold anything: what a format cannot take is replaced by U+FFFD.
struct ClashRun {
    const Parts& parts;
    const Clashes& clashes;
    const std::vector<Rule>& rules;
    std::string title;  ///< what was checked
};

/// One object. `parse_baseline` reads it back.
std::string to_json(const ClashRun& run);
/// A head and a row for each clash, resolved ones last; RFC 4180, but with plain line feeds. A name that a spreadsheet
/// would take for a formula has an apostrophe in front.
std::string to_csv(const ClashRun& run);
/// JUnit: a test case for each clash. Failures are those that a build should fail for: with a baseline the new ones,
/// otherwise all. Ignored pairs are skipped tests with their reason. Never without a test, which some servers refuse.
std::string to_junit(const ClashRun& run);
/// BCF 2.1, a zip: a topic with a viewpoint for each clash, and one without for each that is resolved. Topics' GUIDs
/// follow from the parts' paths, so that they stay the same from run to run. They are dated by the clock, or by the
/// environment's SOURCE_DATE_EPOCH (seconds since 1970), with which equal runs make equal files.
Result<std::string> to_bcf(const ClashRun& run);

/// The clash's id in all of these.
std::string guid_of(const ClashRun& run, const Clash& clash);
/// "12 pairs of triangles meet, around (1, 2, 3)"
std::string in_words(const Clash& clash);
/// Of its box.
Vec3 middle(const Clash& clash);

}  // namespace graze::checks
