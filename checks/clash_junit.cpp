// SPDX-License-Identifier: Apache-2.0
// What Jenkins, GitLab and GitHub's actions read of JUnit's XML: suites, cases, failures, skipped ones.
#include <fmt/format.h>

#include <iterator>

#include "checks/clash_formats.hpp"
#include "checks/encode.hpp"

namespace graze::checks {

namespace {

/// The case's start without its end. The class is the same for all, so that a pair keeps its history when its kind
/// changes.
std::string head(std::string_view a, std::string_view b) {
    return fmt::format(R"(    <testcase classname="graze.clash" name="{} and {}" time="0")", as_xml(a), as_xml(b));
}

bool fails(const Clash& clash) { return clash.state != State::Persistent; }

}  // namespace

std::string to_junit(const ClashRun& run) {
    const auto path = [&](std::uint32_t part) -> const std::string& { return run.parts.parts[part].path; };
    std::string cases;
    const auto to = std::back_inserter(cases);
    std::size_t failures = 0;
    for (const Clash& clash : run.clashes.clashes) {
        const std::string state = clash.state == State::None ? "" : fmt::format("{}, ", name(clash.state));
        const std::string what = fmt::format("{}{}: {}", state, name(clash.kind), in_words(clash));
        const std::string note = clash.note.empty() ? "" : as_xml(clash.note) + "\n";
        cases += head(path(clash.a), path(clash.b)) + ">\n";
        if (fails(clash))
            fmt::format_to(to, "      <failure message=\"{}\" type=\"{}\">{}\nid {}\n{}</failure>\n", what,
                           name(clash.kind), what, guid_of(run, clash), note);
        else
            fmt::format_to(to, "      <system-out>{}\nid {}\n{}</system-out>\n", what, guid_of(run, clash), note);
        cases += "    </testcase>\n";
        failures += fails(clash);
    }
    for (const Gone& gone : run.clashes.resolved)
        fmt::format_to(to, "{}>\n      <system-out>resolved, before: {}</system-out>\n    </testcase>\n",
                       head(gone.a, gone.b), name(gone.kind));
    for (const Ignored& pair : run.clashes.ignored)
        fmt::format_to(to, "{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", head(path(pair.a), path(pair.b)),
                       as_xml(run.rules[pair.rule].reason));
    std::size_t tests = run.clashes.clashes.size() + run.clashes.resolved.size() + run.clashes.ignored.size();
    if (tests == 0) {
        fmt::format_to(to, "    <testcase classname=\"graze.clash\" name=\"all pairs of {} parts\" time=\"0\"/>\n",
                       run.parts.parts.size());
        tests = 1;
    }
    const std::string counts = fmt::format(R"(tests="{}" failures="{}" errors="0" time="0")", tests, failures);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"graze clash\" {0}>\n"
        "  <testsuite name=\"{1}\" {0} skipped=\"{2}\">\n{3}  </testsuite>\n</testsuites>\n",
        counts, as_xml(run.title), run.clashes.ignored.size(), cases);
}

}  // namespace graze::checks
