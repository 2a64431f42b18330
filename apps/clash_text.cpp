// SPDX-License-Identifier: Apache-2.0
#include "clash_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

void append_summary(std::string& out, const checks::ClashRun& run, bool compared) {
    const auto to = std::back_inserter(out);
    const checks::Clashes& found = run.clashes;
    fmt::format_to(to, "{}, {}", counted(run.parts.parts.size(), "part"),
                   counted(run.parts.triangle_count(), "triangle"));
    if (run.parts.shape_count() < run.parts.parts.size())
        fmt::format_to(to, ", {}", counted(run.parts.shape_count(), "shape"));
    const std::size_t n = found.clashes.size();
    fmt::format_to(to, "\n{}", n == 0 ? "No clashes" : n == 1 ? "1 clash" : grouped(n) + " clashes");
    const char* before = ": ";
    for (int i = 0; i < checks::kind_count; ++i)
        if (const std::size_t of_kind = found.count(static_cast<Kind>(i)); of_kind > 0) {
            fmt::format_to(to, "{}{} {}", before, grouped(of_kind), name(static_cast<Kind>(i)));
            if (const std::size_t thin = found.count_thin(); thin > 0 && static_cast<Kind>(i) == Kind::Crossing)
                fmt::format_to(to, " ({} of them thin)", grouped(thin));
            before = ", ";
        }
    out += "\n";
    if (compared)
        fmt::format_to(to, "Since the baseline: {} new, {} worse, {} persistent, {} resolved\n",
                       grouped(found.count(State::New)), grouped(found.count(State::Worse)),
                       grouped(found.count(State::Persistent)), grouped(found.count(State::Resolved)));
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

const char* kind_word(const Clash& clash) { return clash.thin ? "thin" : name(clash.kind); }

/// One row per clash, the gravest first. New and worse clashes come before all others: they decide the exit code.
void append_rows(std::string& out, const checks::ClashRun& run) {
    std::vector<const Clash*> rows;
    for (const Clash& clash : run.clashes.clashes) rows.push_back(&clash);
    std::ranges::sort(rows, {}, [](const Clash* c) { return std::tuple(!is_fresh(*c), -c->severity, c->a, c->b); });
    const std::vector<std::string> names = checks::short_names(run.parts);
    Table table({"state", "kind", "A", "B", "note"}, {"contacts"});
    for (const Clash* row : rows)
        table.add({name(row->state), kind_word(*row), files::printable(names[row->a]), files::printable(names[row->b]),
                   remarks(*row), row->contacts > 0 ? grouped(row->contacts) : ""});
    out += "\n" + table.text(terminal_width(stdout));
}

/// One row per cause, the gravest first, with the extent of its largest clash.
void append_causes(std::string& out, const checks::ClashRun& run, bool compared) {
    struct Row {
        std::size_t clashes = 0, fresh = 0;
        const Clash* worst = nullptr;
    };
    std::vector<Row> rows(run.clashes.causes.size());
    for (const Clash& clash : run.clashes.clashes) {
        Row& row = rows[clash.cause - 1];
        ++row.clashes;
        row.fresh += is_fresh(clash);
        if (row.worst == nullptr || clash.severity > row.worst->severity) row.worst = &clash;
    }
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "{} of these clashes\n\n", counted(rows.size(), "probable cause"));
    Table table({"kind", "cause"}, {"extent", "clashes", "new or worse"});
    for (std::size_t i = 0; i < std::min(rows.size(), rows_shown); ++i)
        table.add({kind_word(*rows[i].worst), files::printable(run.clashes.causes[i]),
                   fmt::format("{:.3g}", rows[i].worst->extent), grouped(rows[i].clashes),
                   compared ? grouped(rows[i].fresh) : ""});
    out += table.text(terminal_width(stdout));
    if (rows.size() > rows_shown) fmt::format_to(to, "… and {}\n", counted(rows.size() - rows_shown, "more cause"));
    out += "--list prints every clash, --csv and --json do so with all details\n";
}

}  // namespace

std::string clash_text(const checks::ClashRun& run, bool compared, bool list) {
    std::string out;
    append_summary(out, run, compared);
    append_rules(out, run);
    if (!run.clashes.clashes.empty()) {
        if (list || run.clashes.clashes.size() <= rows_shown)
            append_rows(out, run);
        else
            append_causes(out, run, compared);
    }
    const std::vector<checks::Gone>& gone = run.clashes.resolved;
    const std::size_t shown = list ? gone.size() : std::min<std::size_t>(gone.size(), 10);
    if (!gone.empty()) out += "\nResolved:\n";
    for (std::size_t i = 0; i < shown; ++i)
        fmt::format_to(std::back_inserter(out), "{:<9}  {}  {}\n", name(gone[i].kind), clipped(gone[i].a),
                       clipped(gone[i].b));
    if (gone.size() > shown)
        fmt::format_to(std::back_inserter(out), "… and {} more (--list prints all)\n", grouped(gone.size() - shown));
    return out;
}

}  // namespace graze::apps
