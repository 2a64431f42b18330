// SPDX-License-Identifier: Apache-2.0
#include "clash_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>

#include "checks/causes.hpp"
#include "files/text.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

using checks::Clash;
using checks::Kind;
using checks::State;

constexpr std::size_t rows_shown = 20;  ///< clashes or causes

/// A name without control characters, shortened on a terminal so that two of them fit into a line.
std::string clipped(const std::string& name) {
    constexpr std::size_t others = 36, least = 16;  // columns beside the two names, and of a name
    const std::string path = files::printable(name);
    const std::optional<std::size_t> terminal = terminal_width(stdout);
    return terminal ? shortened(path, std::max((std::max(*terminal, others) - others) / 2, least)) : path;
}

bool is_fresh(const Clash& clash) { return clash.state == State::New || clash.state == State::Worse; }

std::string clash_count(std::size_t n) { return n == 1 ? "1 clash" : grouped(n) + " clashes"; }

void append_summary(std::string& out, const checks::ClashRun& run, bool compared) {
    const auto to = std::back_inserter(out);
    const checks::Clashes& found = run.clashes;
    fmt::format_to(to, "{}, {}", counted(run.parts.parts.size(), "part"),
                   counted(run.parts.triangle_count(), "triangle"));
    if (run.parts.shape_count() < run.parts.parts.size())
        fmt::format_to(to, ", {}", counted(run.parts.shape_count(), "shape"));
    const std::size_t n = found.clashes.size();
    fmt::format_to(to, "\n{}", n == 0 ? "No clashes" : clash_count(n));
    const char* before = ": ";
    for (int i = 0; i < checks::kind_count; ++i)
        if (const std::size_t of_kind = found.count(static_cast<Kind>(i)); of_kind > 0) {
            fmt::format_to(to, "{}{} {}", before, grouped(of_kind), name(static_cast<Kind>(i)));
            if (const std::size_t thin = found.count_thin(); thin > 0 && static_cast<Kind>(i) == Kind::Crossing)
                fmt::format_to(to, " ({} of them thin)", grouped(thin));
            before = ", ";
        }
    if (!found.fits.empty()) fmt::format_to(to, "; {}", counted(found.fits.size(), "fit"));
    out += "\n";
    if (!compared) return;
    fmt::format_to(to, "Since the baseline: {} new, {} worse, {} persistent, {} resolved",
                   grouped(found.count(State::New)), grouped(found.count(State::Worse)),
                   grouped(found.count(State::Persistent)), grouped(found.count(State::Resolved)));
    for (const State state : {State::PartGone, State::NotChecked})
        if (const std::size_t of_state = found.count(state); of_state > 0)
            fmt::format_to(to, ", {} {}", grouped(of_state), name(state));
    out += "\n";
}

void append_rules(std::string& out, const checks::ClashRun& run) {
    const auto to = std::back_inserter(out);
    std::vector<std::size_t> used(run.rules.size());
    for (const checks::Ignored& pair : run.clashes.ignored) ++used[pair.rule];
    if (!run.clashes.ignored.empty()) fmt::format_to(to, "{} ignored:\n", counted(run.clashes.ignored.size(), "pair"));
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i] > 0)
            fmt::format_to(to, "{:>8}  {} and {}: {}\n", grouped(used[i]), clipped(run.rules[i].a.text),
                           clipped(run.rules[i].b.text), files::printable(run.rules[i].reason));
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i] == 0)
            fmt::format_to(to, "No clash is ignored by the rule {} and {}\n", clipped(run.rules[i].a.text),
                           clipped(run.rules[i].b.text));
}

/// The distance of parts that are too close, and the note.
std::string remarks(const Clash& clash) {
    const std::string apart = clash.closest ? fmt::format("{:.6g} apart", clash.closest->distance) : "";
    return apart + (apart.empty() || clash.note.empty() ? "" : "; ") + files::printable(clash.note);
}

/// A length or, with the dimension 3, a volume: in the unit that suits it when the parts are in metres.
std::string measure_text(double value, int dimension, bool metres) {
    if (!metres) return fmt::format("{:.3g}", value);
    struct Unit {
        double metres;
        const char *length, *volume;
    };
    constexpr Unit units[] = {
        {1, "m", "m³"}, {0.1, nullptr, "dm³"}, {1e-2, nullptr, "cm³"}, {1e-3, "mm", "mm³"}, {1e-6, "µm", nullptr}};
    std::string out;
    for (const Unit& unit : units) {
        const char* name = dimension == 1 ? unit.length : unit.volume;
        const double scaled = value / std::pow(unit.metres, dimension);
        if (name == nullptr) continue;
        out = fmt::format("{:.3g} {}", scaled, name);
        if (scaled >= 1) break;
    }
    return out;
}

std::string length_in_words(double value, bool metres) { return measure_text(value, 1, metres); }

/// A translation: 52 mm up.
std::string way_text(const Vec3& way, bool metres) {
    const double size = length(way);
    std::string out = length_in_words(size, metres);
    if (!(size > 0)) return out;
    const Vec3 unit = way * (1 / size);
    if (std::abs(unit.z) > 0.9995) return out + (unit.z > 0 ? " up" : " down");
    for (int d = 0; d < 2; ++d)
        if (std::abs(unit[d]) > 0.9995) return out + fmt::format(" {}{}", unit[d] > 0 ? '+' : '-', "xy"[d]);
    return out + fmt::format(" ({:.2f} {:.2f} {:.2f})", unit.x + 0.0, unit.y + 0.0, unit.z + 0.0);
}

const char* kind_word(const Clash& clash) { return clash.thin ? "thin" : name(clash.kind); }

/// One row per clash: new and worse clashes first, since they decide the exit code; then the gravest kind, and of one
/// kind the largest volume.
void append_rows(std::string& out, const checks::ClashRun& run, bool metres) {
    std::vector<const Clash*> rows;
    for (const Clash& clash : run.clashes.clashes) rows.push_back(&clash);
    std::ranges::sort(rows, {}, [](const Clash* c) {
        return std::tuple(!is_fresh(*c), -checks::grade(*c), -c->measures.volume.value_or(0),
                          -c->measures.depth.value_or(0), -c->severity, c->a, c->b);
    });
    const std::vector<std::string> names = checks::short_names(run.parts);
    Table table({"state", "kind", "A", "B", "note"}, {"volume", "depth", "move B"});
    for (const Clash* row : rows) {
        const auto& [depth, volume, translation, depth_at_most] = row->measures;
        table.add({name(row->state), kind_word(*row), files::printable(names[row->a]), files::printable(names[row->b]),
                   remarks(*row), volume ? measure_text(*volume, 3, metres) : "",
                   depth ? (depth_at_most ? "> " : "") + length_in_words(*depth, metres) : "",
                   translation ? way_text(*translation, metres) : ""});
    }
    out += "\n" + table.text(terminal_width(stdout));
}

/// The moves that clear the most clashes.
void append_moves(std::string& out, const checks::ClashRun& run, bool metres, bool list) {
    const std::vector<checks::Move>& moves = run.clashes.moves;
    const std::vector<std::string> names = checks::short_names(run.parts);
    if (!moves.empty()) out += "\n";
    for (std::size_t i = 0; i < (list ? moves.size() : std::min<std::size_t>(moves.size(), 5)); ++i)
        fmt::format_to(std::back_inserter(out), "Move {} by {}: clears {}\n", clipped(names[moves[i].part]),
                       way_text(moves[i].translation, metres), clash_count(moves[i].clears));
}

/// The fits, and how far the files can tell.
void append_fits(std::string& out, const checks::ClashRun& run, bool metres, bool list) {
    const std::vector<Clash>& fits = run.clashes.fits;
    if (fits.empty()) return;
    const auto [least, most] = std::ranges::minmax(fits, {}, &Clash::band);
    const std::string low = length_in_words(least.band, metres), high = length_in_words(most.band, metres);
    fmt::format_to(std::back_inserter(out), "\n{}: {} by no more than their files can tell, {}\n",
                   counted(fits.size(), "fit"), fits.size() == 1 ? "two parts overlap" : "parts overlap",
                   low == high ? low : low + " to " + high);
    const std::vector<std::string> names = checks::short_names(run.parts);
    constexpr std::size_t shown = 10;
    Table table({"A", "B", "note"}, {"within"});
    for (std::size_t i = 0; i < (list ? fits.size() : std::min(fits.size(), shown)); ++i)
        table.add({files::printable(names[fits[i].a]), files::printable(names[fits[i].b]),
                   files::printable(fits[i].note), length_in_words(fits[i].band, metres)});
    out += table.text(terminal_width(stdout));
    if (!list && fits.size() > shown)
        fmt::format_to(std::back_inserter(out), "… and {} more (--list prints all)\n", grouped(fits.size() - shown));
}

/// Clashes of the baseline that the run does not have.
void append_gone(std::string& out, const char* title, const std::vector<checks::Gone>& gone, bool list) {
    if (gone.empty()) return;
    const std::size_t shown = list ? gone.size() : std::min<std::size_t>(gone.size(), 10);
    fmt::format_to(std::back_inserter(out), "\n{}:\n", title);
    for (std::size_t i = 0; i < shown; ++i) {
        fmt::format_to(std::back_inserter(out), "{:<9}  {}  {}", name(gone[i].kind), clipped(gone[i].a),
                       clipped(gone[i].b));
        if (!gone[i].why.empty())
            fmt::format_to(std::back_inserter(out), "  {}: {}", name(gone[i].state), files::printable(gone[i].why));
        out += "\n";
    }
    if (gone.size() > shown)
        fmt::format_to(std::back_inserter(out), "… and {} more (--list prints all)\n", grouped(gone.size() - shown));
}

/// One row per cause, the gravest first, with the largest volume and depth of its clashes.
void append_causes(std::string& out, const checks::ClashRun& run, bool compared, bool metres) {
    struct Row {
        std::size_t clashes = 0, fresh = 0;
        std::optional<double> volume, depth;
        const Clash* worst = nullptr;
    };
    std::vector<Row> rows(run.clashes.causes.size());
    for (const Clash& clash : run.clashes.clashes) {
        Row& row = rows[clash.cause - 1];
        ++row.clashes;
        row.fresh += is_fresh(clash);
        row.volume = std::max(row.volume, clash.measures.volume);
        row.depth = std::max(row.depth, clash.measures.depth);
        if (row.worst == nullptr || clash.severity > row.worst->severity) row.worst = &clash;
    }
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "{} of these clashes\n\n", counted(rows.size(), "probable cause"));
    Table table({"kind", "cause"}, {"volume", "depth", "clashes", "new or worse"});
    for (std::size_t i = 0; i < std::min(rows.size(), rows_shown); ++i)
        table.add({kind_word(*rows[i].worst), files::printable(run.clashes.causes[i]),
                   rows[i].volume ? measure_text(*rows[i].volume, 3, metres) : "",
                   rows[i].depth ? length_in_words(*rows[i].depth, metres) : "", grouped(rows[i].clashes),
                   compared ? grouped(rows[i].fresh) : ""});
    out += table.text(terminal_width(stdout));
    if (rows.size() > rows_shown) fmt::format_to(to, "… and {}\n", counted(rows.size() - rows_shown, "more cause"));
    out += "--list prints every clash, --csv and --json do so with all details\n";
}

}  // namespace

std::string clash_text(const checks::ClashRun& run, const ClashTextSettings& settings) {
    const auto [compared, list, metres] = settings;
    std::string out;
    append_summary(out, run, compared);
    append_rules(out, run);
    if (!run.clashes.clashes.empty()) {
        if (list || run.clashes.clashes.size() <= rows_shown)
            append_rows(out, run, metres);
        else
            append_causes(out, run, compared, metres);
    }
    append_moves(out, run, metres, list);
    append_fits(out, run, metres, list);
    append_gone(out, "Resolved", run.clashes.resolved, list);
    append_gone(out, "Gone or not checked", run.clashes.gone, list);
    if (const std::string checked = checks::text_of(run.checked); !checked.empty()) out += "\n" + checked;
    return out;
}

}  // namespace graze::apps
