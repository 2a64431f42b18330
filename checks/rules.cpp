// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

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

using Field = Selector::Field;
constexpr std::pair<std::string_view, Field> fields[] = {{"type=", Field::Type},     {"layer=", Field::Layer},
                                                         {"storey=", Field::Storey}, {"discipline=", Field::Discipline},
                                                         {"id=", Field::Id},         {"file=", Field::File}};

Fault damaged(std::string what) { return {FaultKind::Damaged, std::move(what)}; }

/// Takes a pattern off the beginning of a text: in quotes, or up to one of the characters `stops`.
Result<std::string> take_pattern(std::string_view& text, std::string_view stops) {
    const bool quoted = text.starts_with('"');
    if (quoted) text.remove_prefix(1);
    const std::size_t end = quoted ? text.find('"') : std::min(text.find_first_of(stops), text.size());
    if (end == text.npos) return damaged("a quote is not closed");
    const std::string pattern(text.substr(0, end));
    text.remove_prefix(end + quoted);
    if (pattern.empty()) return damaged("a pattern is empty");
    return pattern;
}

/// Takes a condition off the beginning of a text. After a field a pattern also ends at `&`.
Result<Selector::Condition> take_condition(std::string_view& text, const std::string& stops, const Rules& rules) {
    for (const auto& [name, field] : fields) {
        if (!text.starts_with(name)) continue;
        text.remove_prefix(name.size());
        Result<std::string> pattern = take_pattern(text, stops + "&");
        if (!pattern) return pattern.fault();
        return Selector::Condition{field, std::move(*pattern)};
    }
    const bool group = text.starts_with('@');
    if (group) text.remove_prefix(1);
    Result<std::string> pattern = take_pattern(text, stops);
    if (!pattern) return pattern.fault();
    if (!group) return Selector::Condition{Field::Path, std::move(*pattern)};
    for (std::size_t i = rules.groups.size(); i-- > 0;)
        if (rules.groups[i].name == *pattern) return Selector::Condition{Field::Group, std::move(*pattern), i};
    return damaged("there is no group " + files::in_quotes(*pattern));
}

/// Takes a selector off the beginning of a text, and the blanks after it. It ends before one of the characters `stops`.
Result<Selector> take_selector(std::string_view& text, const std::string& stops, const Rules& rules) {
    const std::string_view start = text;
    Selector selector;
    for (bool more = true; more;) {
        Result<Selector::Condition> condition = take_condition(text, stops, rules);
        if (!condition) return condition.fault();
        selector.conditions.push_back(std::move(*condition));
        const Field field = selector.conditions.back().field;
        const bool labelled = field != Field::Path && field != Field::Group;
        if (!labelled && selector.conditions.size() > 1) return damaged("FIELD=PATTERN is missing after &");
        more = labelled && text.starts_with('&');
        if (more) text.remove_prefix(1);
    }
    selector.text = start.substr(0, start.size() - text.size());
    if (start.starts_with('"')) selector.text = selector.conditions[0].pattern;
    if (!text.empty() && !stops.empty() && stops.find(text[0]) == stops.npos)
        return damaged(fmt::format("{} is missing after {}", stops == blanks ? "a blank" : "'" + stops + "'",
                                   files::in_quotes(selector.text)));
    if (stops == blanks) text = trimmed(text);
    return selector;
}

Result<void> add_group(std::string_view line, Rules& rules) {
    if (line.empty()) return damaged("the name of the group is missing");
    Result<std::string> name = take_pattern(line, blanks);
    if (!name) return name.fault();
    line = trimmed(line);
    for (std::size_t i = Rules::built_in; i < rules.groups.size(); ++i)
        if (rules.groups[i].name == *name) return damaged("the group " + files::in_quotes(*name) + " is defined twice");
    Group group{std::move(*name), {}};
    while (!line.empty() && line[0] != '#') {
        Result<Selector> selector = take_selector(line, std::string(blanks), rules);
        if (!selector) return selector.fault();
        group.selectors.push_back(std::move(*selector));
    }
    if (group.selectors.empty()) return damaged("the group " + files::in_quotes(group.name) + " has no patterns");
    rules.groups.push_back(std::move(group));
    return {};
}

/// Takes a word and the blanks after it off the beginning of a line. False when the line begins otherwise.
bool take_word(std::string_view& line, std::string_view word) {
    if (!line.starts_with(word)) return false;
    if (line.size() > word.size() && blanks.find(line[word.size()]) == blanks.npos) return false;
    line = trimmed(line.substr(word.size()));
    return true;
}

/// A length in a unit is its number times `times` over `over` metres. Powers of ten are divided by: this rounds once.
struct Unit {
    std::string_view name;
    double times, over;
};
constexpr Unit units[] = {{"mm", 1, 1000}, {"cm", 1, 100}, {"m", 1, 1}, {"in", 0.0254, 1}, {"ft", 0.3048, 1}};

Result<void> add_line(std::string_view line, const std::string& place, Rules& rules) {
    if (take_word(line, "group:")) return add_group(line, rules);
    const bool asks = take_word(line, "between:"), keeps = !asks && take_word(line, "clearance:");
    if (line.empty()) return damaged("the first pattern is missing");
    Result<Selector> a = take_selector(line, std::string(blanks), rules);
    if (!a) return a.fault();
    if (line.empty()) return damaged("the second pattern is missing");
    Result<Selector> b = take_selector(line, std::string(blanks), rules);
    if (!b) return b.fault();
    if (asks) {
        if (!line.empty() && line[0] != '#') return damaged("nothing may follow the two patterns");
        rules.between.push_back({std::move(*a), std::move(*b)});
        return {};
    }
    if (keeps) {
        Result<Length> length = parse_length(line.substr(0, line.find('#')));
        if (!length) return length.fault();
        rules.clearances.push_back({std::move(*a), std::move(*b), std::move(*length), place});
        return {};
    }
    if (line.size() > 1 && line.front() == '"' && line.back() == '"') line = trimmed(line.substr(1, line.size() - 2));
    if (line.empty() || line[0] == '#') return damaged("the reason is missing");
    rules.rules.push_back({std::move(*a), std::move(*b), std::string(line)});
    return {};
}

/// The text that a condition looks at. Not for groups.
const std::string& value_of(const Parts& parts, const Part& part, Field field) {
    static const std::string nothing;
    switch (field) {
        case Field::Type:
            return part.labels.type;
        case Field::Layer:
            return part.labels.layer;
        case Field::Storey:
            return part.labels.storey;
        case Field::Discipline:
            return part.labels.discipline;
        case Field::Id:
            return part.labels.id;
        case Field::File:
            return part.file < parts.files.size() ? parts.files[part.file].path : nothing;
        default:
            return part.path;
    }
}

std::vector<bool> members(const Parts& parts, const Rules& rules, const Group& group) {
    std::vector<bool> out(parts.parts.size());
    for (const Selector& selector : group.selectors) {
        const std::vector<bool> some = chosen(parts, rules, selector);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] || some[i];
    }
    return out;
}

}  // namespace

Rules::Rules() {
    [[maybe_unused]] const Result<void> known = add_rules(
        "group: all *\n"
        "group: architecture discipline=architecture type=IfcWall* type=IfcCurtainWall* type=IfcDoor* type=IfcWindow* "
        "type=IfcRoof* type=IfcStair* type=IfcRamp* type=IfcRailing* type=IfcCovering* type=IfcFurni*\n"
        "group: structure discipline=structure type=IfcBeam* type=IfcColumn* type=IfcSlab* type=IfcFooting* "
        "type=IfcPile* type=IfcMember* type=IfcPlate* type=IfcReinforcing* type=IfcTendon*\n"
        "group: services discipline=services type=IfcFlow* type=IfcPipe* type=IfcDuct* type=IfcCable* "
        "type=IfcDistribution* type=IfcEnergyConversion* type=IfcElectric* type=IfcAirTerminal* "
        "type=IfcSanitaryTerminal* type=IfcLightFixture* type=IfcOutlet* type=IfcValve* type=IfcPump* type=IfcFan* "
        "type=IfcTank* type=IfcBoiler*\n",
        "", *this);
    assert(known && groups.size() == built_in);
}

Result<void> add_rules(std::string_view text, const std::string& name, Rules& rules) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line[0] == '#') continue;
        if (const Result<void> added = add_line(line, fmt::format("{}:{}", name, number), rules); !added)
            return files::located(name, number, added.fault());
    }
    return {};
}

Result<Rules> parse_rules(std::string_view text, const std::string& name) {
    Rules rules;
    if (const Result<void> added = add_rules(text, name, rules); !added) return added.fault();
    return rules;
}

Result<Selector> parse_selector(std::string_view text, const Rules& rules) {
    // Blanks need no quotes: nothing follows.
    Result<Selector> selector = take_selector(text, "", rules);
    if (selector && !text.empty()) return damaged("nothing may follow the pattern");
    return selector;
}

Result<Rule> parse_rule(std::string_view text, const Rules& rules) {
    Result<Selector> a = take_selector(text, ":", rules);
    if (!a) return a.fault();
    if (text.empty()) return damaged("':' is missing after " + files::in_quotes(a->text));
    text.remove_prefix(1);
    Result<Selector> b = take_selector(text, "=", rules);
    if (!b) return b.fault();
    if (text.size() < 2) return damaged("the reason is missing");
    return Rule{std::move(*a), std::move(*b), std::string(text.substr(1))};
}

std::vector<bool> chosen(const Parts& parts, const Rules& rules, const Selector& selector) {
    std::vector<bool> out(parts.parts.size(), true);
    for (const Selector::Condition& condition : selector.conditions) {
        if (condition.field == Field::Group) {
            const std::vector<bool> some = members(parts, rules, rules.groups[condition.group]);
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] && some[i];
            continue;
        }
        const bool path = condition.field == Field::Path || condition.field == Field::File;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::string& value = value_of(parts, parts.parts[i], condition.field);
            out[i] = out[i] && (path ? finds(condition.pattern, value) : fits(condition.pattern, value));
        }
    }
    return out;
}

Result<void> check_between(const Parts& parts, const Rules& rules) {
    for (const Between& between : rules.between)
        for (const Selector* selector : {&between.a, &between.b}) {
            const std::vector<bool> some = chosen(parts, rules, *selector);
            if (std::ranges::find(some, true) == some.end())
                return Fault{FaultKind::Damaged, "between: the pattern " + files::in_quotes(selector->text) +
                                                     " matches no part, so there is nothing to check"};
        }
    return {};
}

Result<Length> parse_length(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return damaged("the length is missing");
    Length out{.text = std::string(text)};
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::size_t end = text.size();
    while (end > 0 && letter(text[end - 1])) --end;
    const std::string_view unit = text.substr(end);
    const Result<double> number = files::parse_number(trimmed(text.substr(0, end)));
    if (!number.ok() || !(*number >= 0)) return damaged(files::in_quotes(text) + " is not a length");
    out.value = *number;
    if (unit.empty()) return out;
    const Unit* known = std::ranges::find(units, unit, &Unit::name);
    if (known == std::end(units)) return damaged(files::in_quotes(unit) + " is not one of the units mm, cm, m, in, ft");
    out.value = *number * known->times / known->over;
    out.in_metres = true;
    return out;
}

bool in_metres(const Parts& parts, double scale) {
    return scale == 1 && std::ranges::all_of(parts.files, [](const files::FileConventions& file) {
               return file.conventions.metres > 0;
           });
}

Result<void> check_unit(const Parts& parts, const Length& length, const std::string& place, double scale) {
    if (!length.in_metres) return {};
    const auto refuse = [&](const std::string& why) {
        return damaged(fmt::format("{}: {} cannot be used: {}; give a number without a unit", place, length.text, why));
    };
    if (scale != 1) return refuse("with --scale the parts are not in metres");
    for (const files::FileConventions& file : parts.files)
        if (!(file.conventions.metres > 0)) return refuse(file.path + " does not state its unit");
    return {};
}

Result<void> check_units(const Parts& parts, const Rules& rules, double scale) {
    for (const ClearanceRule& rule : rules.clearances)
        if (const Result<void> known = check_unit(parts, rule.length, rule.place, scale); !known) return known;
    return {};
}

std::vector<std::string> unused(const Parts& parts, const Rules& rules) {
    std::vector<std::string> lines;
    const auto look = [&](const std::vector<bool>& some, const std::string& what) {
        const std::string line = what + " matches no part";
        if (std::ranges::find(some, true) == some.end() && std::ranges::find(lines, line) == lines.end())
            lines.push_back(line);
    };
    for (std::size_t i = Rules::built_in; i < rules.groups.size(); ++i)
        look(members(parts, rules, rules.groups[i]), "the group " + files::in_quotes(rules.groups[i].name));
    const auto look_at = [&](const Selector& selector) {
        look(chosen(parts, rules, selector), "the pattern " + files::in_quotes(selector.text));
    };
    for (const Rule& rule : rules.rules)
        for (const Selector* selector : {&rule.a, &rule.b}) look_at(*selector);
    for (const ClearanceRule& rule : rules.clearances) {
        const std::vector<bool> a = chosen(parts, rules, rule.a), b = chosen(parts, rules, rule.b);
        const auto in_a = std::ranges::count(a, true), in_b = std::ranges::count(b, true);
        // One part alone is no pair.
        if (in_a > 0 && in_b > 0 && !(in_a == 1 && in_b == 1 && a == b)) continue;
        lines.push_back(fmt::format("{}: the clearance of {} and {} applies to no pair", rule.place,
                                    files::in_quotes(rule.a.text), files::in_quotes(rule.b.text)));
    }
    return lines;
}

Clearances::Clearances(const Parts& parts, const Rules& rules, double otherwise)
    : otherwise_(otherwise), most_(otherwise) {
    for (auto rule = rules.clearances.rbegin(); rule != rules.clearances.rend(); ++rule) {
        entries_.push_back({ChosenPairs(parts, rules, rule->a, rule->b), rule->length.value});
        most_ = std::max(most_, rule->length.value);
    }
}

double Clearances::operator()(std::uint32_t p, std::uint32_t q) const {
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.pairs(p, q); });
    return found == entries_.end() ? otherwise_ : found->length;
}

WantedPairs::WantedPairs(const Parts& parts, const Rules& rules) {
    for (const Between& between : rules.between) between_.emplace_back(parts, rules, between.a, between.b);
}

bool WantedPairs::operator()(std::uint32_t p, std::uint32_t q) const {
    return between_.empty() || std::ranges::any_of(between_, [&](const ChosenPairs& pairs) { return pairs(p, q); });
}

std::uint64_t WantedPairs::count(std::size_t parts) const {
    const auto pairs_of = [](std::uint64_t n) { return n * (n - (n > 0)) / 2; };
    if (between_.empty()) return pairs_of(parts);
    // Parts that the same selectors choose are alike.
    struct Alike {
        std::uint32_t first = 0;
        std::uint64_t parts = 0;
    };
    std::map<std::vector<bool>, Alike> kinds;
    for (std::uint32_t i = 0; i < parts; ++i) {
        std::vector<bool> chosen_by;
        for (const ChosenPairs& pairs : between_) {
            chosen_by.push_back(pairs.in_a(i));
            chosen_by.push_back(pairs.in_b(i));
        }
        Alike& kind = kinds.try_emplace(std::move(chosen_by), Alike{i, 0}).first->second;
        ++kind.parts;
    }
    std::uint64_t count = 0;
    for (auto p = kinds.begin(); p != kinds.end(); ++p)
        for (auto q = p; q != kinds.end(); ++q)
            if ((*this)(p->second.first, q->second.first))
                count += p == q ? pairs_of(p->second.parts) : p->second.parts * q->second.parts;
    return count;
}

ObjectSettings WantedPairs::settings(std::uint32_t part) const {
    if (between_.empty() || between_.size() > 16) return {};
    // Two layers for each `between`: those of A touch those of B.
    ObjectSettings out{.layers = 0, .mask = 0};
    for (std::size_t i = 0; i < between_.size(); ++i) {
        const std::uint32_t a = 1u << 2 * i, b = a << 1;
        if (between_[i].in_a(part)) out.layers |= a, out.mask |= b;
        if (between_[i].in_b(part)) out.layers |= b, out.mask |= a;
    }
    return out;
}

}  // namespace graze::checks
