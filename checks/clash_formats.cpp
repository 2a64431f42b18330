// SPDX-License-Identifier: Apache-2.0
// JSON and CSV.
#include "clash_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <iterator>

#include "checks/clash_columns.hpp"
#include "checks/encode.hpp"
#include "checks/json.hpp"

namespace graze::checks {

namespace {

/// The labels that are not empty, if there are any.
void add_labels(Json& out, const char* key, const files::PartLabels& labels) {
    Json all;
    for (const auto& [name, value] :
         {std::pair("id", &labels.id), std::pair("type", &labels.type), std::pair("layer", &labels.layer),
          std::pair("storey", &labels.storey), std::pair("discipline", &labels.discipline)})
        if (!value->empty()) all[name] = json_text(*value);
    if (!all.empty()) out[key] = std::move(all);
}

void add_review(Json& out, const Review& review) {
    if (review.empty()) return;
    out["review"] = {{"status", json_text(review.status)},
                     {"assignee", json_text(review.assignee)},
                     {"comment", json_text(review.comment)},
                     {"priority", json_text(review.priority)},
                     {"due", json_text(review.due)}};
}

/// Adds a column's value to an entry. Empty texts are left out.
void add_value(Json& out, const char* key, const ClashValue& value) {
    std::visit(
        [&]<class T>(const T& x) {
            if constexpr (std::same_as<T, NotMeasured>) {
                out[key] = nullptr;
            } else if constexpr (std::same_as<T, std::string>) {
                if (!x.empty()) out[key] = json_text(x);
            } else if constexpr (std::same_as<T, Vec3>) {
                out[key] = json_array(x);
            } else if constexpr (!std::same_as<T, DoesNotApply>) {
                out[key] = x;
            }
        },
        value);
}

Json entry_of(const ClashRun& run, const Clash& clash) {
    Json out;
    for (const ClashColumn& column : clash_columns())
        if (column.json != nullptr) add_value(out, column.json, column.of(run, clash));
    add_labels(out, "labels_a", run.parts.parts[clash.a].labels);
    add_labels(out, "labels_b", run.parts.parts[clash.b].labels);
    add_review(out, clash.review);
    return out;
}

Json entry_of(const ClashRun& run, const Move& move) {
    return {{"part", json_text(run.parts.parts[move.part].path)},
            {"translation", json_array(move.translation)},
            {"clears", move.clears}};
}

Json entry_of(const ClashRun& run, const Ignored& pair) {
    return {{"a", json_text(run.parts.parts[pair.a].path)},
            {"b", json_text(run.parts.parts[pair.b].path)},
            {"reason", json_text(run.rules[pair.rule].reason)}};
}

/// All that the earlier run has said, so that this answer can be a baseline for the clash too.
Json entry_of(const ClashRun&, const Gone& gone) {
    Json out = {{"id", id_of(gone)}, {"a", json_text(gone.a)}, {"b", json_text(gone.b)}, {"kind", name(gone.kind)}};
    if (gone.state != State::Resolved) out["state"] = name(gone.state);
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty()) out[key] = json_text(text);
    };
    add("why", gone.why);
    add("note", gone.note);
    if (gone.thin) out["thin"] = true;
    for (const auto& [key, length] :
         {std::pair("extent", &gone.extent), std::pair("depth", &gone.depth), std::pair("distance", &gone.distance)})
        if (*length) out[key] = **length;
    if (!gone.id_a.empty()) out["labels_a"] = {{"id", json_text(gone.id_a)}};
    if (!gone.id_b.empty()) out["labels_b"] = {{"id", json_text(gone.id_b)}};
    add("file_a", gone.file_a);
    add("file_b", gone.file_b);
    add_review(out, gone.review);
    return out;
}

}  // namespace

std::string guid_of(const ClashRun& run, const Clash& clash) {
    if (!clash.id.empty()) return clash.id;
    return guid(run.parts.parts[clash.a].path, run.parts.parts[clash.b].path);
}

std::string id_of(const Gone& gone) { return gone.id.empty() ? guid(gone.a, gone.b) : gone.id; }

std::string in_words(const Clash& clash) {
    const Vec3 at = middle(clash);
    std::string where = fmt::format("around ({:.6g}, {:.6g}, {:.6g})", at.x, at.y, at.z);
    if (clash.closest) return fmt::format("{:.6g} apart, {}", clash.closest->distance, where);
    if (clash.contacts == 0) return where;
    return fmt::format("{} pair{} of triangles {}, {}", clash.contacts, clash.contacts == 1 ? "" : "s",
                       clash.contacts == 1 ? "meets" : "meet", where);
}

std::string more_in_words(const Clash& clash, const std::string& name_of_b) {
    std::string out;
    const auto add = [&](const std::string& words) { out += (out.empty() ? "" : ", ") + words; };
    const Measures& m = clash.measures;
    if (m.depth) add(fmt::format("depth {:.4g}", *m.depth));
    if (m.volume) add(fmt::format("volume {:.4g}", *m.volume));
    if (m.translation) {
        const Vec3& by = *m.translation;
        add(fmt::format("move {} by ({:.6g}, {:.6g}, {:.6g}) to clear it", name_of_b, by.x, by.y, by.z));
    }
    if (clash.exact != clash.kind)
        add(fmt::format("by their triangles {}, which are accurate to {:.3g}", name(clash.exact), clash.band));
    if (!out.empty()) out[0] = static_cast<char>(out[0] - 'a' + 'A');
    return out;
}

Vec3 middle(const Clash& clash) { return clash.low * 0.5 + clash.high * 0.5; }

std::string to_json(const ClashRun& run) {
    const Clashes& all = run.clashes;
    const auto entry = [&](const auto& one) { return entry_of(run, one); };
    JsonLines out;
    out.add("title", json_text(run.title));
    out.add("parts", run.parts.parts.size());
    out.add("triangles", run.parts.triangle_count());
    if (!run.parts.left_out.empty())
        out.add_list("left_out", run.parts.left_out, [](const LeftOut& one) { return entry_of(one); });
    out.add("checked", json_of(run.checked));
    out.add_list("clashes", all.clashes, entry);
    out.add_list("fits", all.fits, entry);
    if (!all.moves.empty()) out.add_list("moves", all.moves, entry);
    out.add_list("ignored", all.ignored, entry);
    out.add_list("resolved", all.resolved, entry);
    const auto add_gone = [&](const char* key, State state) {
        std::vector<Gone> some;
        std::ranges::copy_if(all.gone, std::back_inserter(some), [&](const Gone& gone) { return gone.state == state; });
        if (!some.empty()) out.add_list(key, some, entry);
    };
    add_gone("part_gone", State::PartGone);
    add_gone("not_checked", State::NotChecked);
    Json kinds, states;
    for (int i = 0; i < kind_count; ++i) kinds[name(static_cast<Kind>(i))] = all.count(static_cast<Kind>(i));
    for (const State state : {State::New, State::Worse, State::Persistent, State::Resolved})
        states[name(state)] = all.count(state);
    states["part_gone"] = all.count(State::PartGone);
    states["not_checked"] = all.count(State::NotChecked);
    out.add("summary", {{"clashes", all.clashes.size()},
                        {"ignored", all.ignored.size()},
                        {"kinds", std::move(kinds)},
                        {"thin", all.count_thin()},
                        {"fits", all.fits.size()},
                        {"measured", all.measured},
                        {"refined", all.refined},
                        {"causes", all.causes.size()},
                        {"states", std::move(states)}});
    return std::move(out).take();
}

std::string to_csv(const ClashRun& run) {
    std::string out;
    // A line of all columns: `of` says the field or the fields of each.
    const auto add_line = [&](auto&& of) {
        for (const ClashColumn& column : clash_columns())
            if (column.csv != nullptr) (out += of(column)) += ',';
        out.back() = '\n';
    };
    add_line([](const ClashColumn& column) { return column.csv; });
    for (const std::vector<Clash>* all : {&run.clashes.clashes, &run.clashes.fits})
        for (const Clash& clash : *all)
            add_line([&](const ClashColumn& column) { return csv_of(column, column.of(run, clash)); });
    for (const std::vector<Gone>* all : {&run.clashes.resolved, &run.clashes.gone})
        for (const Gone& gone : *all)
            add_line([&](const ClashColumn& column) {
                return csv_of(column, column.of_gone ? column.of_gone(gone) : DoesNotApply());
            });
    return out;
}

}  // namespace graze::checks
