// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

/// Pairs of parts that may meet, and why. The patterns have `*` for any text (slashes included), `?` for one character.
/// One is for one part and the other for the other, either way round; each is matched with the path's end from a
/// slash on, so that `bolt-*` finds `frame/bolt-7`.
struct Rule {
    std::string a, b;
    std::string reason;  ///< never empty
};

bool matches(const Rule& rule, std::string_view path_a, std::string_view path_b);

/// One a line: two patterns, in double quotes where they hold blanks, and the reason, which is the rest of the line.
/// Blank lines and those that start with `#` are skipped. A fault names `name:line`.
Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& name);

}  // namespace graze::checks
