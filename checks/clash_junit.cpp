// SPDX-License-Identifier: Apache-2.0
// JUnit's XML as Jenkins, GitLab and GitHub Actions read it: suites, test cases, failures, skipped cases.
#include <algorithm>

#include "checks/clash_formats.hpp"
#include "checks/xml_writer.hpp"

namespace graze::checks {

namespace {

/// Opens a test case. The class is the same for all, so that a pair keeps its history when its kind changes.
void open_case(XmlWriter& xml, std::string_view name) {
    xml.open("testcase").attribute("classname", "graze.clash").attribute("name", name).attribute("time", 0);
}
void open_case(XmlWriter& xml, const std::string& a, const std::string& b) { open_case(xml, a + " and " + b); }

/// A test that could not be made.
void add_error(XmlWriter& xml, std::string_view name, const std::string& message, const char* type) {
    open_case(xml, name);
    xml.open("error").attribute("message", message).attribute("type", type).close().close();
}

bool fails(const Clash& clash) { return clash.state != State::Persistent; }

void add_clash(XmlWriter& xml, const ClashRun& run, const Clash& clash) {
    const std::string state = clash.state == State::None ? "" : fmt::format("{}, ", name(clash.state));
    const std::string worse = clash.state == State::Worse ? fmt::format(" ({})", clash.note) : "";
    const std::string what = fmt::format("{}{}{}: {}", state, name(clash.kind), worse, in_words(clash));
    const std::string note = clash.note.empty() ? "" : clash.note + "\n";
    const std::string& b = run.parts.parts[clash.b].path;
    const std::string more = more_in_words(clash, b);
    const std::string text =
        fmt::format("{}\nid {}\n{}{}{}", what, guid_of(run, clash), more, more.empty() ? "" : "\n", note);
    open_case(xml, run.parts.parts[clash.a].path, b);
    if (fails(clash))
        xml.open("failure").attribute("message", what).attribute("type", name(clash.kind)).text(text).close();
    else
        xml.leaf("system-out", text);
    xml.close();
}

void add_counts(XmlWriter& xml, std::size_t tests, std::size_t failures, std::size_t errors) {
    xml.attribute("tests", tests).attribute("failures", failures).attribute("errors", errors).attribute("time", 0);
}

}  // namespace

std::string to_junit(const ClashRun& run) {
    const Clashes& all = run.clashes;
    const std::vector<LeftOut>& left_out = run.parts.left_out;
    const std::vector<std::string> missing = run.checked.errors();
    const std::size_t cases = all.clashes.size() + all.resolved.size() + all.gone.size() + all.ignored.size() +
                              left_out.size() + missing.size();
    const std::size_t tests = std::max<std::size_t>(cases, 1);
    const std::size_t errors = left_out.size() + all.count(State::NotChecked) + missing.size();
    const auto failures = static_cast<std::size_t>(std::ranges::count_if(all.clashes, fails));
    XmlWriter xml;
    xml.open("testsuites").attribute("name", "graze clash");
    add_counts(xml, tests, failures, errors);
    xml.open("testsuite").attribute("name", run.title);
    add_counts(xml, tests, failures, errors);
    xml.attribute("skipped", all.ignored.size());
    xml.open("properties");
    const auto add_property = [&](const std::string& name, const auto& value) {
        xml.open("property").attribute("name", name).attribute("value", value).close();
    };
    if (!all.fits.empty()) add_property("fits", all.fits.size());
    for (const auto& [name, value] : rows_of(run.checked)) add_property(name, value);
    xml.close();
    for (const LeftOut& one : left_out) add_error(xml, one.name(), one.reason, "left out");
    for (const std::string& one : missing) add_error(xml, one, one, "not checked");
    for (const Clash& clash : all.clashes) add_clash(xml, run, clash);
    for (const Gone& gone : all.resolved) {
        open_case(xml, gone.a, gone.b);
        xml.leaf("system-out", fmt::format("resolved, before: {}", name(gone.kind))).close();
    }
    for (const Gone& gone : all.gone) {
        if (gone.state == State::NotChecked) {
            add_error(xml, gone.a + " and " + gone.b, gone.why, "not checked");
            continue;
        }
        open_case(xml, gone.a, gone.b);
        xml.leaf("system-out", fmt::format("{}, before: {}; {}", name(gone.state), name(gone.kind), gone.why)).close();
    }
    for (const Ignored& pair : all.ignored) {
        open_case(xml, run.parts.parts[pair.a].path, run.parts.parts[pair.b].path);
        xml.open("skipped").attribute("message", run.rules[pair.rule].reason).close().close();
    }
    if (cases == 0) {
        open_case(xml, fmt::format("all pairs of {} parts", run.parts.parts.size()));
        xml.close();
    }
    return xml.close().close().take();
}

}  // namespace graze::checks
