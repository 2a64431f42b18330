// SPDX-License-Identifier: Apache-2.0
// JSON and CSV.
#include "clash_formats.hpp"

#include <fmt/format.h>

#include <iterator>

#include "checks/encode.hpp"
#include "checks/json.hpp"

namespace graze::checks {

namespace {

Json entry_of(const ClashRun& run, const Clash& clash) {
    Json out;
    out["id"] = guid_of(run, clash);
    out["a"] = json_text(run.parts.parts[clash.a].path);
    out["b"] = json_text(run.parts.parts[clash.b].path);
    out["kind"] = name(clash.kind);
    if (clash.state != State::None) out["state"] = name(clash.state);
    out["contacts"] = clash.contacts;
    out["at"] = json_array(middle(clash));
    out["low"] = json_array(clash.low);
    out["high"] = json_array(clash.high);
    if (!clash.note.empty()) out["note"] = json_text(clash.note);
    return out;
}

Json entry_of(const ClashRun& run, const Ignored& pair) {
    return {{"a", json_text(run.parts.parts[pair.a].path)},
            {"b", json_text(run.parts.parts[pair.b].path)},
            {"reason", json_text(run.rules[pair.rule].reason)}};
}

Json entry_of(const ClashRun&, const Gone& gone) {
    return {
        {"id", guid(gone.a, gone.b)}, {"a", json_text(gone.a)}, {"b", json_text(gone.b)}, {"kind", name(gone.kind)}};
}

Json entry_of(const ClashRun&, const LeftOut& file) {
    return {{"file", json_text(file.path)}, {"reason", json_text(file.reason)}};
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
    const Clashes& all = run.clashes;
    const auto entry = [&](const auto& one) { return entry_of(run, one); };
    JsonLines out;
    out.add("title", json_text(run.title));
    out.add("parts", run.parts.parts.size());
    out.add("triangles", run.parts.triangle_count());
    if (!run.parts.left_out.empty()) out.add_list("left_out", run.parts.left_out, entry);
    out.add_list("clashes", all.clashes, entry);
    out.add_list("ignored", all.ignored, entry);
    out.add_list("resolved", all.resolved, entry);
    Json kinds, states;
    for (int i = 0; i < kind_count; ++i) kinds[name(static_cast<Kind>(i))] = all.count(static_cast<Kind>(i));
    for (const State state : {State::New, State::Persistent, State::Resolved}) states[name(state)] = all.count(state);
    out.add("summary", {{"clashes", all.clashes.size()},
                        {"ignored", all.ignored.size()},
                        {"kinds", std::move(kinds)},
                        {"states", std::move(states)}});
    return std::move(out).take();
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
