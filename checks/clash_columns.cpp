// SPDX-License-Identifier: Apache-2.0
#include "checks/clash_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checks/encode.hpp"

namespace graze::checks {

namespace {

using Run = const ClashRun&;
using OfClash = const Clash&;
using OfGone = const Gone&;

ClashValue measured(const std::optional<double>& value) { return value ? ClashValue(*value) : NotMeasured(); }

const Part& part_a(Run run, OfClash clash) { return run.parts.parts[clash.a]; }
const Part& part_b(Run run, OfClash clash) { return run.parts.parts[clash.b]; }

/// One of the points where parts that are too close are closest.
ClashValue closest_point(OfClash clash, Vec3 Closest::* point) {
    return clash.closest ? ClashValue(*clash.closest.*point) : DoesNotApply();
}

constexpr ClashColumn columns[] = {
    {.json = "id",
     .csv = "id",
     .python = "id",
     .of = [](Run run, OfClash clash) -> ClashValue { return guid_of(run, clash); },
     .of_gone = [](OfGone gone) -> ClashValue { return id_of(gone); }},
    {.json = "kind",
     .csv = "kind",
     .python = "kind",
     .of = [](Run, OfClash clash) -> ClashValue { return std::string(name(clash.kind)); },
     .of_gone = [](OfGone gone) -> ClashValue { return std::string(name(gone.kind)); }},
    {.json = "state",
     .csv = "state",
     .python = "state",
     .of = [](Run, OfClash clash) -> ClashValue { return std::string(name(clash.state)); },
     .of_gone = [](OfGone gone) -> ClashValue { return std::string(name(gone.state)); }},
    {.json = "a",
     .csv = "a",
     .python = "a",
     .of = [](Run run, OfClash clash) -> ClashValue { return part_a(run, clash).path; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.a; }},
    {.json = "b",
     .csv = "b",
     .python = "b",
     .of = [](Run run, OfClash clash) -> ClashValue { return part_b(run, clash).path; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.b; }},
    {.json = "contacts",
     .csv = "contacts",
     .python = "contacts",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.contacts; }},
    {.json = "at",
     .csv = "x,y,z",
     .python = "at",
     .of = [](Run, OfClash clash) -> ClashValue { return middle(clash); }},
    {.json = "low", .of = [](Run, OfClash clash) -> ClashValue { return clash.low; }},
    {.json = "high", .of = [](Run, OfClash clash) -> ClashValue { return clash.high; }},
    {.json = "note",
     .csv = "note",
     .python = "note",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.note; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.why; }},
    {.json = "extent",
     .csv = "extent",
     .python = "extent",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.extent; }},
    {.json = "depth",
     .csv = "depth",
     .python = "depth",
     .of = [](Run, OfClash clash) { return measured(clash.measures.depth); }},
    {.json = "depth_at_most",
     .python = "depth_at_most",
     .of = [](Run, OfClash clash) -> ClashValue {
         const std::optional<double>& most = clash.measures.depth_at_most;
         return most ? ClashValue(*most) : DoesNotApply();
     }},
    {.json = "thin",
     .csv = "thin",
     .python = "thin",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.thin; }},
    {.json = "severity",
     .csv = "severity",
     .python = "severity",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.severity; }},
    {.json = "cause",
     .csv = "cause",
     .python = "cause",
     .of = [](Run, OfClash clash) -> ClashValue {
         return clash.cause > 0 ? ClashValue(std::uint64_t{clash.cause}) : DoesNotApply();
     }},
    {.json = "cause_name",
     .csv = "cause_name",
     .python = "cause_name",
     .of = [](Run run, OfClash clash) -> ClashValue {
         return clash.cause > 0 ? run.clashes.causes[clash.cause - 1] : std::string();
     }},
    {.csv = "storey",
     .python = "storey",
     .of = [](Run run, OfClash clash) -> ClashValue {
         const std::string& of_a = part_a(run, clash).labels.storey;
         return of_a.empty() ? part_b(run, clash).labels.storey : of_a;
     }},
    {.csv = "status",
     .python = "status",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.review.status; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.review.status; }},
    {.csv = "assignee",
     .python = "assignee",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.review.assignee; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.review.assignee; }},
    {.csv = "comment",
     .python = "comment",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.review.comment; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.review.comment; }},
    {.json = "distance",
     .csv = "distance",
     .python = "distance",
     .of = [](Run, OfClash clash) -> ClashValue {
         return clash.closest ? ClashValue(clash.closest->distance) : DoesNotApply();
     }},
    {.json = "point_a",
     .csv = "ax,ay,az",
     .python = "point_a",
     .of = [](Run, OfClash clash) { return closest_point(clash, &Closest::point_a); }},
    {.json = "point_b",
     .csv = "bx,by,bz",
     .python = "point_b",
     .of = [](Run, OfClash clash) { return closest_point(clash, &Closest::point_b); }},
    {.json = "volume",
     .csv = "volume",
     .python = "volume",
     .of = [](Run, OfClash clash) { return measured(clash.measures.volume); }},
    {.json = "translation",
     .csv = "tx,ty,tz",
     .python = "translation",
     .of = [](Run, OfClash clash) -> ClashValue {
         const std::optional<Vec3>& by = clash.measures.translation;
         return by ? ClashValue(*by) : NotMeasured();
     }},
    {.json = "exact",
     .csv = "exact",
     .python = "exact",
     .of = [](Run, OfClash clash) -> ClashValue { return std::string(name(clash.exact)); }},
    {.json = "band",
     .csv = "band",
     .python = "band",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.band; }},
    {.json = "file_a",
     .of = [](Run run, OfClash clash) -> ClashValue { return run.parts.file_name(part_a(run, clash)); }},
    {.json = "file_b",
     .of = [](Run run, OfClash clash) -> ClashValue { return run.parts.file_name(part_b(run, clash)); }},
    // JSON has them among the labels of each part.
    {.csv = "id_a",
     .python = "id_a",
     .page = "id of A",
     .of = [](Run run, OfClash clash) -> ClashValue { return part_a(run, clash).labels.id; }},
    {.csv = "id_b",
     .python = "id_b",
     .page = "id of B",
     .of = [](Run run, OfClash clash) -> ClashValue { return part_b(run, clash).labels.id; }},
    {.csv = "type_a",
     .python = "type_a",
     .page = "type of A",
     .of = [](Run run, OfClash clash) -> ClashValue { return part_a(run, clash).labels.type; }},
    {.csv = "type_b",
     .python = "type_b",
     .page = "type of B",
     .of = [](Run run, OfClash clash) -> ClashValue { return part_b(run, clash).labels.type; }},
    {.csv = "priority",
     .python = "priority",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.review.priority; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.review.priority; }},
    {.csv = "due",
     .python = "due",
     .of = [](Run, OfClash clash) -> ClashValue { return clash.review.due; },
     .of_gone = [](OfGone gone) -> ClashValue { return gone.review.due; }},
};

template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};

}  // namespace

std::span<const ClashColumn> clash_columns() { return columns; }

std::string csv_of(const ClashColumn& column, const ClashValue& value) {
    const std::string_view header = column.csv;
    // A column that has no value still has all of its fields.
    const std::string empty(static_cast<std::size_t>(std::ranges::count(header, ',')), ',');
    return std::visit(
        Overloaded{[&](DoesNotApply) { return std::string(empty); }, [&](NotMeasured) { return std::string(empty); },
                   [&](bool x) { return x ? std::string(header) : ""; },
                   [](std::uint64_t x) { return fmt::to_string(x); }, [](double x) { return fmt::to_string(x); },
                   [](const std::string& text) { return as_csv(text); },
                   [](const Vec3& v) { return fmt::format("{},{},{}", v.x, v.y, v.z); }},
        value);
}

std::string line_of(const ClashValue& value) {
    return std::visit(
        Overloaded{[](DoesNotApply) { return std::string(); }, [](NotMeasured) { return std::string(); },
                   [](bool x) { return std::string(x ? "yes" : "no"); },
                   [](std::uint64_t x) { return fmt::to_string(x); }, [](double x) { return fmt::format("{:.6g}", x); },
                   [](const std::string& text) { return text; },
                   [](const Vec3& v) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z); }},
        value);
}

}  // namespace graze::checks
