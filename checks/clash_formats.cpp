// SPDX-License-Identifier: Apache-2.0
// JSON and CSV.
#include "clash_formats.hpp"

#include <fmt/format.h>

#include <iterator>

#include "checks/encode.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

std::string quoted(std::string_view text) {
    std::string out;
    files::append_json(out, text);
    return out;
}

/// Numbers in the shortest form that gives them back bit for bit.
std::string array(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

/// `"a": …, "b": …`
template <class Pair>
std::string both(const ClashRun& run, const Pair& pair) {
    return fmt::format(R"("a": {}, "b": {})", quoted(run.parts.parts[pair.a].path),
                       quoted(run.parts.parts[pair.b].path));
}

std::string object(const ClashRun& run, const Clash& clash) {
    std::string out =
        fmt::format(R"({{"id": "{}", {}, "kind": "{}")", guid_of(run, clash), both(run, clash), name(clash.kind));
    const auto to = std::back_inserter(out);
    if (clash.state != State::None) fmt::format_to(to, R"(, "state": "{}")", name(clash.state));
    fmt::format_to(to, R"(, "contacts": {}, "at": {}, "low": {}, "high": {})", clash.contacts, array(middle(clash)),
                   array(clash.low), array(clash.high));
    if (!clash.note.empty()) fmt::format_to(to, R"(, "note": {})", quoted(clash.note));
    return out + "}";
}

std::string object(const ClashRun& run, const Ignored& pair) {
    return fmt::format(R"({{{}, "reason": {}}})", both(run, pair), quoted(run.rules[pair.rule].reason));
}

std::string object(const ClashRun&, const Gone& gone) {
    return fmt::format(R"({{"id": "{}", "a": {}, "b": {}, "kind": "{}"}})", guid(gone.a, gone.b), quoted(gone.a),
                       quoted(gone.b), name(gone.kind));
}

/// One object a line, so that two runs can be compared line by line.
template <class T>
void append_list(std::string& out, const char* key, const ClashRun& run, const std::vector<T>& list) {
    fmt::format_to(std::back_inserter(out), " \"{}\": [", key);
    for (std::size_t i = 0; i < list.size(); ++i) (out += i == 0 ? "\n  " : ",\n  ") += object(run, list[i]);
    out += list.empty() ? "],\n" : "\n ],\n";
}

}  // namespace

std::string guid_of(const ClashRun& run, const Clash& clash) {
    return guid(run.parts.parts[clash.a].path, run.parts.parts[clash.b].path);
}

std::string in_words(const Clash& clash) {
    const Vec3 at = middle(clash);
    const std::string where = fmt::format("around ({:.6g}, {:.6g}, {:.6g})", at.x, at.y, at.z);
    if (clash.contacts == 0) return where;
    return fmt::format("{} pair{} of triangles {}, {}", clash.contacts, clash.contacts == 1 ? "" : "s",
                       clash.contacts == 1 ? "meets" : "meet", where);
}

Vec3 middle(const Clash& clash) { return clash.low * 0.5 + clash.high * 0.5; }

std::string to_json(const ClashRun& run) {
    std::string out = fmt::format("{{\"title\": {},\n \"parts\": {}, \"triangles\": {},\n", quoted(run.title),
                                  run.parts.parts.size(), run.parts.triangle_count());
    append_list(out, "clashes", run, run.clashes.clashes);
    append_list(out, "ignored", run, run.clashes.ignored);
    append_list(out, "resolved", run, run.clashes.resolved);
    const auto to = std::back_inserter(out);
    fmt::format_to(to, R"( "summary": {{"clashes": {}, "ignored": {}, "kinds": {{)", run.clashes.clashes.size(),
                   run.clashes.ignored.size());
    for (int i = 0; i < kind_count; ++i)
        fmt::format_to(to, R"({}"{}": {})", i == 0 ? "" : ", ", name(static_cast<Kind>(i)),
                       run.clashes.count(static_cast<Kind>(i)));
    fmt::format_to(to, R"(}}, "states": {{"new": {}, "persistent": {}, "resolved": {}}}}}}})",
                   run.clashes.count(State::New), run.clashes.count(State::Persistent),
                   run.clashes.count(State::Resolved));
    return out + "\n";
}

std::string to_csv(const ClashRun& run) {
    std::string out = "id,kind,state,a,b,contacts,x,y,z,note\n";
    const auto to = std::back_inserter(out);
    for (const Clash& clash : run.clashes.clashes) {
        const Vec3 at = middle(clash);
        fmt::format_to(to, "{},{},{},{},{},{},{},{},{},{}\n", guid_of(run, clash), name(clash.kind), name(clash.state),
                       as_csv(run.parts.parts[clash.a].path), as_csv(run.parts.parts[clash.b].path), clash.contacts,
                       at.x, at.y, at.z, as_csv(clash.note));
    }
    for (const Gone& gone : run.clashes.resolved)
        fmt::format_to(to, "{},{},{},{},{},,,,,\n", guid(gone.a, gone.b), name(gone.kind), name(State::Resolved),
                       as_csv(gone.a), as_csv(gone.b));
    return out;
}

}  // namespace graze::checks
