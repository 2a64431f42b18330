// SPDX-License-Identifier: Apache-2.0
// JSON and CSV.
#include "clash_formats.hpp"

#include <fmt/format.h>

#include <iterator>

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
                     {"comment", json_text(review.comment)}};
}

template <class T>
Json json_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

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
    if (clash.closest) {
        out["distance"] = clash.closest->distance;
        out["point_a"] = json_array(clash.closest->point_a);
        out["point_b"] = json_array(clash.closest->point_b);
    }
    if (!clash.note.empty()) out["note"] = json_text(clash.note);
    out["extent"] = clash.extent;
    out["exact"] = name(clash.exact);
    out["band"] = clash.band;
    if (clash.measures.depth_at_most) out["depth_at_most"] = *clash.measures.depth_at_most;
    out["depth"] = json_or_null(clash.measures.depth);
    out["volume"] = json_or_null(clash.measures.volume);
    out["translation"] = clash.measures.translation ? json_array(*clash.measures.translation) : Json();
    out["thin"] = clash.thin;
    out["severity"] = clash.severity;
    if (clash.cause > 0) {
        out["cause"] = clash.cause;
        out["cause_name"] = json_text(run.clashes.causes[clash.cause - 1]);
    }
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

Json entry_of(const ClashRun&, const Gone& gone) {
    Json out = {{"id", id_of(gone)}, {"a", json_text(gone.a)}, {"b", json_text(gone.b)}, {"kind", name(gone.kind)}};
    add_review(out, gone.review);
    return out;
}

Json entry_of(const ClashRun&, const LeftOut& file) {
    return {{"file", json_text(file.path)}, {"reason", json_text(file.reason)}};
}

}  // namespace

std::string guid_of(const ClashRun& run, const Clash& clash) {
    return guid(run.parts.parts[clash.a].path, run.parts.parts[clash.b].path);
}

std::string id_of(const Gone& gone) { return gone.id.empty() ? guid(gone.a, gone.b) : gone.id; }

std::string in_words(const Clash& clash) {
    const Vec3 at = middle(clash);
    const std::string where = fmt::format("around ({:.6g}, {:.6g}, {:.6g})", at.x, at.y, at.z);
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
    if (!run.parts.left_out.empty()) out.add_list("left_out", run.parts.left_out, entry);
    out.add_list("clashes", all.clashes, entry);
    out.add_list("fits", all.fits, entry);
    if (!all.moves.empty()) out.add_list("moves", all.moves, entry);
    out.add_list("ignored", all.ignored, entry);
    out.add_list("resolved", all.resolved, entry);
    Json kinds, states;
    for (int i = 0; i < kind_count; ++i) kinds[name(static_cast<Kind>(i))] = all.count(static_cast<Kind>(i));
    for (const State state : {State::New, State::Worse, State::Persistent, State::Resolved})
        states[name(state)] = all.count(state);
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
    std::string out =
        "id,kind,state,a,b,contacts,x,y,z,note,extent,depth,thin,severity,cause,cause_name,storey,status,assignee,"
        "comment,distance,ax,ay,az,bx,by,bz,volume,tx,ty,tz,exact,band\n";
    const auto to = std::back_inserter(out);
    const auto add_review = [&](const Review& review) {
        fmt::format_to(to, "{},{},{},", as_csv(review.status), as_csv(review.assignee), as_csv(review.comment));
    };
    const auto add_closest = [&](const std::optional<Closest>& closest) {
        if (!closest) {
            out += ",,,,,,,";
            return;
        }
        const Vec3 &p = closest->point_a, &q = closest->point_b;
        fmt::format_to(to, "{},{},{},{},{},{},{},", closest->distance, p.x, p.y, p.z, q.x, q.y, q.z);
    };
    const auto number = [](const std::optional<double>& x) { return x ? fmt::to_string(*x) : ""; };
    const auto add_clash = [&](const Clash& clash) {
        const Vec3 at = middle(clash);
        const Part &a = run.parts.parts[clash.a], &b = run.parts.parts[clash.b];
        fmt::format_to(to, "{},{},{},{},{},{},{},{},{},{},", guid_of(run, clash), name(clash.kind), name(clash.state),
                       as_csv(a.path), as_csv(b.path), clash.contacts, at.x, at.y, at.z, as_csv(clash.note));
        fmt::format_to(to, "{},{},{},{},", clash.extent, number(clash.measures.depth), clash.thin ? "thin" : "",
                       clash.severity);
        if (clash.cause > 0)
            fmt::format_to(to, "{},{},", clash.cause, as_csv(run.clashes.causes[clash.cause - 1]));
        else
            out += ",,";
        fmt::format_to(to, "{},", as_csv(a.labels.storey.empty() ? b.labels.storey : a.labels.storey));
        add_review(clash.review);
        add_closest(clash.closest);
        fmt::format_to(to, "{},", number(clash.measures.volume));
        if (const std::optional<Vec3>& by = clash.measures.translation)
            fmt::format_to(to, "{},{},{},", by->x, by->y, by->z);
        else
            out += ",,,";
        fmt::format_to(to, "{},{}\n", name(clash.exact), clash.band);
    };
    for (const std::vector<Clash>* all : {&run.clashes.clashes, &run.clashes.fits})
        for (const Clash& clash : *all) add_clash(clash);
    for (const Gone& gone : run.clashes.resolved) {
        fmt::format_to(to, "{},{},{},{},{},,,,,,,,,,,,,", id_of(gone), name(gone.kind), name(State::Resolved),
                       as_csv(gone.a), as_csv(gone.b));
        add_review(gone.review);
        add_closest({});
        out += ",,,,,\n";
    }
    return out;
}

}  // namespace graze::checks
