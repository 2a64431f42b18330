// SPDX-License-Identifier: Apache-2.0
// Names in the form that each file format accepts.
#pragma once

#include <cstdint>
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

/// Two hashes of 64 bits with different multipliers, which are odd and have well spread bits. They do not withstand an
/// adversary.
struct Hash {
    std::uint64_t high = 0x9e3779b97f4a7c15, low = 0xc2b2ae3d27d4eb4f;

    void add(std::string_view text) {
        for (const char c : text) add(static_cast<unsigned char>(c));
        add(0x100);  // not a byte, so it separates this text from the next
    }
    void add(unsigned value) {
        high = (high ^ value) * 0xbf58476d1ce4e5b9;
        high ^= high >> 29;
        low = (low ^ value) * 0x94d049bb133111eb;
        low ^= low >> 31;
    }
};

/// A GUID for a pair of parts. It depends on their paths alone: the order of the two does not matter, and every run
/// gives the same. `what` distinguishes several GUIDs of one pair.
std::string guid(std::string_view path_a, std::string_view path_b, std::string_view what = "clash");

/// The time in UTC, as 2026-11-30T12:00:00Z. With SOURCE_DATE_EPOCH (seconds since 1970) in the environment it is that
/// time, so that equal runs write equal files.
Result<std::string> timestamp();

/// True for a day of the calendar, as 2026-11-30.
bool is_day(std::string_view text);

}  // namespace graze::checks
