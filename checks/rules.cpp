// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <algorithm>

#include "files/text.hpp"

namespace graze::checks {

namespace {

/// Number of bytes of the first character; 1 when it is not UTF-8.
std::size_t step(std::string_view text) { return std::max<std::size_t>(files::character(text), 1); }

/// Matches a pattern. Only the last star is ever tried again, so the time is at most the product of the lengths.
bool fits(std::string_view pattern, std::string_view text) {
    std::string_view pattern_after_star, text_after_star;
    bool star = false;
    while (!text.empty()) {
        if (pattern.starts_with('*')) {
            pattern.remove_prefix(1);
            star = true;
            pattern_after_star = pattern;
            text_after_star = text;
        } else if (pattern.starts_with('?')) {
            pattern.remove_prefix(1);
            text.remove_prefix(step(text));
        } else if (!pattern.empty() && pattern[0] == text[0]) {
            pattern.remove_prefix(1);
            text.remove_prefix(1);
        } else if (star) {
            text_after_star.remove_prefix(step(text_after_star));
            pattern = pattern_after_star;
            text = text_after_star;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*') == pattern.npos;
}

/// Matches the whole path, or its end after any slash.
bool finds(const std::string& pattern, std::string_view path) {
    return fits(pattern, path) || fits("*/" + pattern, path);
}

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Takes a pattern off the beginning of the line.
Result<std::string> take_pattern(std::string_view& line) {
    const bool quoted = line.starts_with('"');
    if (quoted) line.remove_prefix(1);
    const std::size_t end = quoted ? line.find('"') : std::min(line.find_first_of(blanks), line.size());
    if (end == line.npos) return Fault{FaultKind::Damaged, "a quote is not closed"};
    const std::string pattern(line.substr(0, end));
    line.remove_prefix(end + quoted);
    if (quoted && !line.empty() && blanks.find(line[0]) == blanks.npos)
        return Fault{FaultKind::Damaged, "a blank is missing after " + files::in_quotes(pattern)};
    if (pattern.empty()) return Fault{FaultKind::Damaged, "a pattern is empty"};
    line = trimmed(line);
    return pattern;
}

Result<Rule> parse_rule(std::string_view line) {
    Result<std::string> a = take_pattern(line);
    if (!a) return a.fault();
    if (line.empty()) return Fault{FaultKind::Damaged, "the second pattern is missing"};
    Result<std::string> b = take_pattern(line);
    if (!b) return b.fault();
    if (line.size() > 1 && line.front() == '"' && line.back() == '"') line = trimmed(line.substr(1, line.size() - 2));
    if (line.empty() || line[0] == '#') return Fault{FaultKind::Damaged, "the reason is missing"};
    return Rule{std::move(*a), std::move(*b), std::string(line)};
}

}  // namespace

bool matches(const Rule& rule, std::string_view path_a, std::string_view path_b) {
    return (finds(rule.a, path_a) && finds(rule.b, path_b)) || (finds(rule.a, path_b) && finds(rule.b, path_a));
}

Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& name) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::vector<Rule> rules;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line[0] == '#') continue;
        Result<Rule> rule = parse_rule(line);
        if (!rule) return files::located(name, number, rule.fault());
        rules.push_back(std::move(*rule));
    }
    return rules;
}

}  // namespace graze::checks
