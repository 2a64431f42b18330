// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

/// Pairs of parts that may meet, and why. In a pattern `*` stands for any text (slashes included) and `?` for one
/// character. A rule applies when one pattern matches one part and the other pattern the other part. A pattern matches
/// the whole path of a part or its end after any slash: `bolt-*` matches `frame/bolt-7`.
struct Rule {
    std::string a, b;
    std::string reason;  ///< never empty
};

bool matches(const Rule& rule, std::string_view path_a, std::string_view path_b);

/// Reads one rule per line: two patterns, in double quotes if they contain blanks, and the reason, which is the rest of
/// the line. Blank lines and lines that start with `#` are skipped. A fault names `name:line`.
Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& name);

}  // namespace graze::checks
