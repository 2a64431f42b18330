// SPDX-License-Identifier: Apache-2.0
// Names as formats take them.
#pragma once

#include <string>
#include <string_view>

#include "graze/graze.hpp"

namespace graze::checks {

/// The text with U+FFFD for every byte that is no UTF-8.
std::string as_utf8(std::string_view text);

/// The same escaped for XML 1.0, in elements and attributes alike; what XML cannot hold becomes U+FFFD as well.
std::string as_xml(std::string_view text);

/// A cell of CSV, in quotes where it needs them. Spreadsheets run text that starts with = + - or @ as a formula, and
/// names come from files of anyone: an apostrophe in front makes it text to them. JSON has the names as they are.
std::string as_csv(std::string_view text);

/// For a pair of parts, by their paths; the same either way round and in every run. `what` parts uses of one pair.
std::string guid(std::string_view path_a, std::string_view path_b, std::string_view what = "clash");

/// The time in UTC, as 2026-11-30T12:00:00Z: the clock's, or that of the environment's SOURCE_DATE_EPOCH (seconds since
/// 1970), with which equal runs write equal files.
Result<std::string> timestamp();

}  // namespace graze::checks
