// SPDX-License-Identifier: Apache-2.0
#include "clash_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "files/text.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

using checks::Clash;
using checks::Kind;
using checks::State;

constexpr std::size_t rows_shown = 40;  ///< clashes

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
            before = ", ";
        }
    out += "\n";
    if (compared)
        fmt::format_to(to, "Since the baseline: {} new, {} persistent, {} resolved\n", grouped(found.count(State::New)),
                       grouped(found.count(State::Persistent)), grouped(found.count(State::Resolved)));
}

void append_rules(std::string& out, const checks::ClashRun& run) {
    const auto to = std::back_inserter(out);
    std::vector<std::size_t> used(run.rules.size());
    for (const checks::Ignored& pair : run.clashes.ignored) ++used[pair.rule];
    if (!run.clashes.ignored.empty()) fmt::format_to(to, "{} ignored:\n", counted(run.clashes.ignored.size(), "pair"));
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i] > 0)
            fmt::format_to(to, "{:>8}  {} and {}: {}\n", grouped(used[i]), clipped(run.rules[i].a),
                           clipped(run.rules[i].b), clipped(run.rules[i].reason));
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i] == 0)
            fmt::format_to(to, "No clash is ignored by the rule {} and {}\n", clipped(run.rules[i].a),
                           clipped(run.rules[i].b));
}

void append_table(std::string& out, const checks::ClashRun& run, bool compared) {
    const std::vector<Clash>& clashes = run.clashes.clashes;
    if (clashes.empty()) return;
    // New clashes come first: they decide the exit code.
    std::vector<const Clash*> rows;
    for (const bool persistent : {false, true})
        for (const Clash& clash : clashes)
            if ((clash.state == State::Persistent) == persistent) rows.push_back(&clash);
    rows.resize(std::min(rows.size(), rows_shown));
    std::size_t width_a = 1;
    for (const Clash* row : rows) width_a = std::max(width_a, columns(clipped(run.parts.parts[row->a].path)));
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "\n{}{:<9}  {:>9}  ", compared ? "state       " : "", "kind", "contacts");
    out += "A";
    for (std::size_t n = 1; n < width_a + 2; ++n) out += ' ';
    out += "B\n";
    for (const Clash* row : rows) {
        std::string line;
        if (compared) line += fmt::format("{:<10}  ", name(row->state));
        line += fmt::format("{:<9}  {:>9}  ", name(row->kind), grouped(row->contacts));
        const std::size_t start = columns(line);
        line += clipped(run.parts.parts[row->a].path);
        pad(line, start + width_a + 2);
        line += clipped(run.parts.parts[row->b].path);
        if (!row->note.empty()) line += "  " + files::printable(row->note);
        out += line + "\n";
    }
    if (clashes.size() > rows.size())
        fmt::format_to(to, "… and {} more (--csv lists all)\n", grouped(clashes.size() - rows.size()));
}

}  // namespace

std::string clash_text(const checks::ClashRun& run, bool compared) {
    std::string out;
    append_summary(out, run, compared);
    append_rules(out, run);
    append_table(out, run, compared);
    constexpr std::size_t most = 10;
    const std::vector<checks::Gone>& gone = run.clashes.resolved;
    if (!gone.empty()) out += "\nResolved:\n";
    for (std::size_t i = 0; i < std::min(most, gone.size()); ++i)
        fmt::format_to(std::back_inserter(out), "{:<9}  {}  {}\n", name(gone[i].kind), clipped(gone[i].a),
                       clipped(gone[i].b));
    if (gone.size() > most)
        fmt::format_to(std::back_inserter(out), "… and {} more (--csv lists all)\n", grouped(gone.size() - most));
    return out;
}

}  // namespace graze::apps
