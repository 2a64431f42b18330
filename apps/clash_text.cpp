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

using files::columns;

/// A name without control characters, shortened on a terminal so that two of them fit into a line.
std::string clipped(const std::string& name) {
    constexpr std::size_t others = 36, least = 16;  // columns beside the two names, and of a name
    const std::string path = files::printable(name);
    const std::optional<std::size_t> terminal = terminal_width(stdout);
    return terminal ? shortened(path, std::max((std::max(*terminal, others) - others) / 2, least)) : path;
}

void pad(std::string& line, std::size_t to) {
    for (std::size_t n = columns(line); n < to; ++n) line += ' ';
}

bool is_fresh(const Clash& clash) { return clash.state == State::New || clash.state == State::Worse; }

void append_summary(std::string& out, const checks::ClashRun& run, bool compared) {
    const auto to = std::back_inserter(out);
    const checks::Clashes& found = run.clashes;
    fmt::format_to(to, "{}, {}", counted(run.parts.parts.size(), "part"),
                   counted(run.parts.triangle_count(), "triangle"));
    if (run.parts.models.size() < run.parts.parts.size())
        fmt::format_to(to, ", {}", counted(run.parts.models.size(), "shape"));
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

/// One row per clash, the gravest first. New and worse clashes come before all others: they decide the exit code.
void append_rows(std::string& out, const checks::ClashRun& run, bool compared) {
    std::vector<const Clash*> rows;
    for (const Clash& clash : run.clashes.clashes) rows.push_back(&clash);
    std::ranges::sort(rows, {}, [](const Clash* c) { return std::tuple(!is_fresh(*c), -c->severity, c->a, c->b); });
    const std::vector<std::string> names = checks::short_names(run.parts);
    std::size_t width_a = 1;
    for (const Clash* row : rows) width_a = std::max(width_a, columns(clipped(names[row->a])));
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "\n{}{:<9}  {:>9}  ", compared ? "state       " : "", "kind", "contacts");
    out += "A";
    for (std::size_t n = 1; n < width_a + 2; ++n) out += ' ';
    out += "B\n";
    for (const Clash* row : rows) {
        std::string line;
        if (compared) line += fmt::format("{:<10}  ", name(row->state));
        line += fmt::format("{:<9}  {:>9}  ", row->thin ? "thin" : name(row->kind), grouped(row->contacts));
        const std::size_t start = columns(line);
        line += clipped(names[row->a]);
        pad(line, start + width_a + 2);
        line += clipped(names[row->b]);
        if (!row->note.empty()) line += "  " + files::printable(row->note);
        out += line + "\n";
    }
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
    fmt::format_to(to, "{} of these clashes\n\nclashes  {}{:<9}  {:>8}  cause\n",
                   counted(rows.size(), "probable cause"), compared ? " new or worse  " : "", "kind", "extent");
    for (std::size_t i = 0; i < std::min(rows.size(), rows_shown); ++i) {
        const Row& row = rows[i];
        fmt::format_to(to, "{:>7}  ", grouped(row.clashes));
        if (compared) fmt::format_to(to, "{:>13}  ", grouped(row.fresh));
        fmt::format_to(to, "{:<9}  {:>8}  {}\n", row.worst->thin ? "thin" : name(row.worst->kind),
                       fmt::format("{:.3g}", row.worst->extent), files::printable(run.clashes.causes[i]));
    }
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
            append_rows(out, run, compared);
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
