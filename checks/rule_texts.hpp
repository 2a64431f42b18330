// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checks/rules.hpp"

namespace graze::checks {

/// Rules as people wrote them.
struct RuleTexts {
    std::vector<std::pair<std::string, std::string>> files;  ///< name and content
    std::vector<std::string> ignore;                         ///< `A:B=REASON`
    std::vector<std::pair<std::string, std::string>> between;

    friend bool operator==(const RuleTexts&, const RuleTexts&) = default;
};

/// The rules that the texts say. The files come first: they define the groups.
Result<Rules> parse_rules(const RuleTexts& texts);

}  // namespace graze::checks
