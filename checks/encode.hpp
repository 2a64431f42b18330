// SPDX-License-Identifier: Apache-2.0
// Names in the form that each file format accepts.
#pragma once

#include <string>
#include <string_view>

#include "graze/graze.hpp"

namespace graze::checks {

/// The text with U+FFFD in place of every byte that is not UTF-8.
std::string as_utf8(std::string_view text);

/// The text with U+FFFD in place of every byte and character that XML 1.0 cannot hold. Nothing is escaped.
std::string as_xml(std::string_view text);

/// A cell of CSV, in quotes where it needs them. Spreadsheets run text that starts with = + - or @ as a formula, and
/// names come from files of anyone: an apostrophe in front makes it text to them. JSON has the names as they are.
std::string as_csv(std::string_view text);

/// A GUID for a pair of parts. It depends on their paths alone: the order of the two does not matter, and every run
/// gives the same. `what` distinguishes several GUIDs of one pair.
std::string guid(std::string_view path_a, std::string_view path_b, std::string_view what = "clash");

/// The time in UTC, as 2026-11-30T12:00:00Z. With SOURCE_DATE_EPOCH (seconds since 1970) in the environment it is that
/// time, so that equal runs write equal files.
Result<std::string> timestamp();

}  // namespace graze::checks
