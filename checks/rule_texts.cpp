// SPDX-License-Identifier: Apache-2.0
#include "checks/rule_texts.hpp"

#include <fmt/format.h>

#include "files/text.hpp"

namespace graze::checks {

Result<Rules> parse_rules(const RuleTexts& texts) {
    Rules all;
    for (const auto& [name, text] : texts.files)
        if (const Result<void> added = add_rules(text, name, all); !added) return added.fault();
    for (const std::string& text : texts.ignore) {
        Result<Rule> rule = parse_rule(text, all);
        if (!rule)
            return Fault{FaultKind::Damaged,
                         fmt::format("--ignore: {} is not two patterns and a reason, A:B=REASON: {}",
                                     files::in_quotes(text), rule.fault().message)};
        all.rules.push_back(std::move(*rule));
    }
    for (const auto& [one, other] : texts.between) {
        if (other == "--between" || other.empty())
            return Fault{FaultKind::Damaged, "--between: two patterns are needed"};
        Result<Selector> a = parse_selector(one, all), b = parse_selector(other, all);
        for (const Result<Selector>* side : {&a, &b})
            if (!*side) return Fault{FaultKind::Damaged, "--between: " + side->fault().message};
        all.between.push_back({std::move(*a), std::move(*b)});
    }
    return all;
}

}  // namespace graze::checks
