// SPDX-License-Identifier: Apache-2.0
#include "baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "checks/encode.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

using Json = nlohmann::json;

/// Reads a text without keeping anything. It finds where the text stops being JSON, which `Json::parse` does not say
/// without exceptions, and it refuses nesting deeper than any answer has.
class Checker : public nlohmann::json_sax<Json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return ++depth_ <= deepest; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return --depth_, true; }
    bool start_array(std::size_t) override { return ++depth_ <= deepest; }
    bool end_array() override { return --depth_, true; }
    bool parse_error(std::size_t byte, const std::string&, const Json::exception&) override {
        error_at = byte;
        return false;
    }

    std::optional<std::size_t> error_at;  ///< byte of the first error, counted from 1

private:
    static constexpr int deepest = 16;  // answers of graze have 4 levels
    int depth_ = 0;
};

Result<Json> parse(std::string_view text, const std::string& name) {
    Checker checker;
    if (!Json::sax_parse(text, &checker)) {
        if (!checker.error_at) return Fault{FaultKind::Damaged, name + ": nested too deeply"};
        const std::string_view before = text.substr(0, *checker.error_at - std::min<std::size_t>(*checker.error_at, 1));
        const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
        return files::located(name, line, {FaultKind::Damaged, "this is not JSON"});
    }
    return Json::parse(text, nullptr, false);
}

/// The text of a field. Nothing when there is no such field or it is not a string.
std::optional<std::string> text_of(const Json& object, const char* key) {
    const auto field = object.find(key);
    if (field == object.end() || !field->is_string()) return {};
    return field->get<std::string>();
}

std::optional<Kind> kind_of(const Json& clash) {
    const std::optional<std::string> word = text_of(clash, "kind");
    for (int i = 0; word && i < kind_count; ++i)
        if (*word == name(static_cast<Kind>(i))) return static_cast<Kind>(i);
    return {};
}

/// Identifies a pair of parts in either order. The paths are as they are in a file, which holds nothing but UTF-8.
using Key = std::pair<std::string, std::string>;

Key key_of(std::string_view a, std::string_view b) {
    Key key{as_utf8(a), as_utf8(b)};
    if (key.second < key.first) key.first.swap(key.second);
    return key;
}

}  // namespace

Result<std::vector<Gone>> parse_baseline(std::string_view json, const std::string& name) {
    if (json.starts_with("\xef\xbb\xbf")) json.remove_prefix(3);
    const Result<Json> document = parse(json, name);
    if (!document.ok()) return document.fault();
    const auto clashes = document->is_object() ? document->find("clashes") : document->end();
    if (clashes == document->end() || !clashes->is_array())
        return Fault{FaultKind::Damaged, name + ": this is not what graze clash --json writes: it has no \"clashes\""};
    std::vector<Gone> baseline;
    for (std::size_t i = 0; i < clashes->size(); ++i) {
        const Json& clash = (*clashes)[i];
        const auto fault = [&](const char* what) {
            return Fault{FaultKind::Damaged, fmt::format("{}: clash {} {}", name, i + 1, what)};
        };
        if (!clash.is_object()) return fault("is not an object");
        if (text_of(clash, "state") == checks::name(State::Resolved)) continue;
        const std::optional<std::string> a = text_of(clash, "a"), b = text_of(clash, "b");
        const std::optional<Kind> kind = kind_of(clash);
        if (!a) return fault("has no \"a\"");
        if (!b) return fault("has no \"b\"");
        if (!kind) return fault("has no \"kind\" that is known");
        baseline.push_back({*a, *b, *kind});
    }
    return baseline;
}

void compare(const Parts& parts, const std::vector<Gone>& baseline, Clashes& clashes) {
    const auto key = [&](const auto& pair) { return key_of(parts.parts[pair.a].path, parts.parts[pair.b].path); };
    std::map<Key, Kind> before;
    for (const Gone& one : baseline) before.emplace(key_of(one.a, one.b), one.kind);

    std::set<Key> there;
    for (Clash& clash : clashes.clashes) {
        const Key pair = key(clash);
        const auto known = before.find(pair);
        clash.state = known == before.end() ? State::New : State::Persistent;
        if (known != before.end() && known->second != clash.kind)
            clash.note += fmt::format("{}before: {}", clash.note.empty() ? "" : "; ", name(known->second));
        there.insert(pair);
    }
    for (const Ignored& pair : clashes.ignored) there.insert(key(pair));

    clashes.resolved.clear();
    for (const Gone& one : baseline)
        if (there.insert(key_of(one.a, one.b)).second) clashes.resolved.push_back(one);
}

}  // namespace graze::checks
