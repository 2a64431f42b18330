// SPDX-License-Identifier: Apache-2.0
#include "checks/robot_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <tuple>

#include "checks/encode.hpp"
#include "checks/json.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

const std::string& name_a(const RobotRun& run, std::uint32_t pair) {
    return run.check.bodies()[run.check.pairs()[pair].a].name;
}
const std::string& name_b(const RobotRun& run, std::uint32_t pair) {
    return run.check.bodies()[run.check.pairs()[pair].b].name;
}

std::string counted(std::uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

void append_runs(const RobotRun& run, std::string& out) {
    constexpr std::size_t shown = 20;
    std::size_t count = 0;
    std::string list;
    const std::size_t n = run.answers.size();
    for (std::size_t i = 0; i < n; ++i) {
        if (run.answers.of(i).empty()) continue;
        const std::size_t begin = i;
        while (i + 1 < n && !run.answers.of(i + 1).empty()) ++i;
        if (count++ < shown)
            list += begin == i ? fmt::format("{}{}", list.empty() ? "" : ", ", i)
                               : fmt::format("{}{}–{}", list.empty() ? "" : ", ", begin, i);
    }
    if (count == 0) return;
    fmt::format_to(std::back_inserter(out), "{}: {}{}\n",
                   run.question.clearance > 0 ? "in collision or too close" : "in collision", list,
                   count > shown ? fmt::format(" … and {} more", count - shown) : "");
}

bool collides(const BodyHit& hit) { return hit.kind != Kind::Clearance; }

/// The pair's kind of contact in its worst configuration.
std::string worst(const RobotRun& run, const PairFrequency& f) {
    if (f.most > 0) return counted(f.most, "contact");
    if (f.inside > 0) return inside_text(run.check, f.pair, f.nesting);
    return f.least ? apart_text(*f.least) : "in collision";
}

/// ` (inside in 3, close in 7)`; empty when they meet in all configurations, or do the same in all of them.
std::string kinds_text(const PairFrequency& f) {
    std::string out;
    if (f.inside > 0 && f.inside < f.configurations) out = fmt::format("inside in {}", f.inside);
    if (f.close > 0 && f.close < f.configurations)
        out += fmt::format("{}close in {}", out.empty() ? "" : ", ", f.close);
    return out.empty() ? "" : " (" + out + ")";
}

}  // namespace

std::string inside_text(const RobotCheck& check, std::uint32_t pair, Nesting nesting) {
    const auto [a, b] = check.pairs()[pair];
    const bool a_inside = nesting == Nesting::AInB;
    return fmt::format("{} is inside {}", check.bodies()[a_inside ? a : b].name, check.bodies()[a_inside ? b : a].name);
}

std::string apart_text(double distance) { return fmt::format("{:.6g} m apart", distance); }

std::size_t collision_count(const RobotAnswers& answers) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) count += std::ranges::any_of(answers.of(i), collides);
    return count;
}

std::size_t close_count(const RobotAnswers& answers) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) count += !answers.of(i).empty();
    return count - collision_count(answers);
}

std::vector<PairFrequency> frequencies(const RobotRun& run) {
    std::vector<PairFrequency> all(run.check.pairs().size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i].pair = i;
    for (std::size_t i = 0; i < run.answers.size(); ++i)
        for (const BodyHit& hit : run.answers.of(i)) {
            PairFrequency& f = all[hit.pair];
            const bool only_close = f.configurations == f.close;
            const bool nearest = hit.closest && (!f.least || hit.closest->distance < *f.least);
            if (nearest) f.least = hit.closest->distance;
            if (hit.contacts > f.most || (only_close && (collides(hit) || nearest))) f.at = i;
            f.most = std::max(f.most, hit.contacts);
            f.close += !collides(hit);
            if (hit.kind == Kind::Inside && f.inside++ == 0) f.nesting = hit.nesting;
            ++f.configurations;
        }
    std::erase_if(all, [](const PairFrequency& f) { return f.configurations == 0; });
    std::ranges::sort(all, {}, [](const PairFrequency& f) {
        const auto many = [](std::size_t n) { return -static_cast<std::ptrdiff_t>(n); };
        return std::tuple(many(f.configurations - f.close), many(f.close), f.pair);
    });
    return all;
}

std::string to_json(const RobotRun& run) {
    const files::Robot& robot = run.check.robot();
    const std::size_t joints = robot.active.size();
    JsonLines out;
    out.add("robot", json_text(robot.name));
    out.add("pairs_checked", run.check.pairs().size() + run.check.fixed_pairs());
    out.add("pairs_left_out", run.check.left_out());
    if (!run.left_out.empty()) out.add_list("left_out", run.left_out, [](const LeftOut& one) { return entry_of(one); });
    out.add("checked", json_of(run.checked));
    if (!run.check.fixed_hits().empty())
        out.add_list("fixed", run.check.fixed_hits(), [&](const FixedHit& hit) {
            const std::vector<RobotBody>& bodies = run.check.bodies();
            return Json{{"a", json_text(bodies[hit.a].name)},
                        {"b", json_text(bodies[hit.b].name)},
                        {"contacts", hit.contacts},
                        {"kind", name(hit.kind)}};
        });
    out.add("collisions", collision_count(run.answers));
    if (run.question.clearance > 0) {
        out.add("clearance", run.question.clearance);
        if (run.question.ask != RobotAsk::Free) out.add("close", close_count(run.answers));
    }
    out.add("beyond_limits", run.answers.beyond);
    Json names = Json::array();
    for (const std::uint32_t joint : robot.active) names.push_back(json_text(robot.joints[joint].name));
    out.add("joints", names);
    out.add_list("configurations", std::views::iota(std::size_t{0}, run.answers.size()), [&](std::size_t i) {
        const std::span<const BodyHit> hits = run.answers.of(i);
        Json entry{{"index", i}, {"hit", !hits.empty()}, {"values", run.values.subspan(i * joints, joints)}};
        if (run.question.ask == RobotAsk::Free) {
            if (!hits.empty())
                entry["first"] = {{"a", json_text(name_a(run, hits[0].pair))},
                                  {"b", json_text(name_b(run, hits[0].pair))}};
            return entry;
        }
        Json& pairs = entry["pairs"] = Json::array();
        for (const BodyHit& hit : hits) {
            Json& pair = pairs.emplace_back(Json{{"a", json_text(name_a(run, hit.pair))},
                                                 {"b", json_text(name_b(run, hit.pair))},
                                                 {"contacts", hit.contacts},
                                                 {"kind", name(hit.kind)}});
            if (hit.kind == Kind::Inside) pair["inside"] = hit.nesting == Nesting::AInB ? "a" : "b";
            if (hit.closest) {
                pair["distance"] = hit.closest->distance;
                pair["point_a"] = json_array(hit.closest->point_a);
                pair["point_b"] = json_array(hit.closest->point_b);
            }
        }
        return entry;
    });
    return std::move(out).take();
}

std::string to_csv(const RobotRun& run) {
    const bool free = run.question.ask == RobotAsk::Free;
    const bool distances = run.question.clearance > 0;
    std::string out = free ? "index,a,b\n" : fmt::format("index,a,b,contacts,kind{}\n", distances ? ",distance" : "");
    for (std::size_t i = 0; i < run.answers.size(); ++i)
        for (const BodyHit& hit : run.answers.of(i))
            if (free)
                fmt::format_to(std::back_inserter(out), "{},{},{}\n", i, as_csv(name_a(run, hit.pair)),
                               as_csv(name_b(run, hit.pair)));
            else
                fmt::format_to(std::back_inserter(out), "{},{},{},{},{}{}{}\n", i, as_csv(name_a(run, hit.pair)),
                               as_csv(name_b(run, hit.pair)), hit.contacts, name(hit.kind), distances ? "," : "",
                               hit.closest ? fmt::to_string(hit.closest->distance) : "");
    return out;
}

std::string to_text(const RobotRun& run, bool path) {
    std::string out;
    const auto to = std::back_inserter(out);
    const std::size_t n = run.answers.size(), hit = collision_count(run.answers);
    const std::vector<PairFrequency> met = frequencies(run);
    const bool free = run.question.ask == RobotAsk::Free;
    const std::string within = fmt::format("within {:.6g} m", run.question.clearance);
    const bool clearance = run.question.clearance > 0;
    // `Free` does not tell the two apart.
    const std::string or_close = free && clearance ? " or " + within : "";
    const auto both = [&](std::uint32_t pair) {
        return files::printable(name_a(run, pair)) + " – " + files::printable(name_b(run, pair));
    };
    for (const FixedHit& one : run.check.fixed_hits())
        fmt::format_to(to, "always: {} – {}, which are fixed to each other: {}\n",
                       files::printable(run.check.bodies()[one.a].name),
                       files::printable(run.check.bodies()[one.b].name),
                       one.contacts > 0 ? counted(one.contacts, "contact") : name(one.kind));
    if (n == 1 && met.empty()) return out + "clear\n";
    if (n == 1 && free) return out + "collision" + or_close + ": " + both(met[0].pair) + "\n";
    if (n == 1) {
        const auto close = static_cast<std::size_t>(std::ranges::count(met, 1u, &PairFrequency::close));
        if (met.size() > close) fmt::format_to(to, "collision: {}\n", counted(met.size() - close, "pair"));
        if (close > 0) fmt::format_to(to, "{}: {}\n", within, counted(close, "pair"));
    } else {
        fmt::format_to(to, "{} configurations: {} in collision{} ({:.1f} %)", n, hit, or_close,
                       100.0 * static_cast<double>(hit) / static_cast<double>(std::max<std::size_t>(n, 1)));
        if (clearance && !free) fmt::format_to(to, ", {} others {}", close_count(run.answers), within);
        out += '\n';
    }
    if (path) append_runs(run, out);
    std::size_t wide = 0;
    for (const PairFrequency& f : met) wide = std::max(wide, files::columns(both(f.pair)));
    for (const PairFrequency& f : met) {
        const std::string names = both(f.pair);
        const std::string blanks(wide - files::columns(names), ' ');
        if (free)
            fmt::format_to(to, "  {}{}  found first in {}\n", names, blanks, f.configurations);
        else if (n == 1)
            fmt::format_to(to, "  {}{}  {}\n", names, blanks, worst(run, f));
        else
            fmt::format_to(to, "  {}{}  in {}{}, {} in {}: {}\n", names, blanks, f.configurations, kinds_text(f),
                           f.most > 0                   ? "most"
                           : f.close < f.configurations ? "first"
                                                        : "least",
                           f.at, worst(run, f));
    }
    return out;
}

}  // namespace graze::checks
