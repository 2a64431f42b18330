// SPDX-License-Identifier: Apache-2.0
// The help as a man page and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "checks/encode.hpp"
#include "files/text.hpp"
#include "help.hpp"
#include "options.hpp"

namespace graze::apps {

namespace {

/// Text for roff. No line starts with a dot or an apostrophe, which would make it a request. Hyphens can be pasted into
/// a shell. Everything is ASCII, since groff does not read UTF-8 by itself.
std::string roff(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(files::character(text), 1);
        const char c = text[0];
        if (length > 1) {
            std::uint32_t code = static_cast<unsigned char>(c) & (0x7f >> length);
            for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
            out += fmt::format("\\[u{:04X}]", code);
        } else if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if (c == '\'') {
            out += "\\(aq";
        } else if (c == '"') {
            out += "\\(dq";
        } else if (c == '`') {
            out += "\\(ga";
        } else if (c == '^') {
            out += "\\(ha";
        } else if (c == '~') {
            out += "\\(ti";
        } else {
            if (out.empty() && c == '.') out += "\\&";
            out += c;
        }
        text.remove_prefix(length);
    }
    return out;
}

std::string roff_blocks(const std::vector<HelpBlock>& blocks) {
    std::string out;
    for (const HelpBlock& block : blocks) {
        out += block.verbatim ? ".PP\n.RS 4\n.EX\n" : ".PP\n";
        for (const std::string& line : block.lines) out += roff(line) + "\n";
        if (block.verbatim) out += ".EE\n.RE\n";
    }
    return out;
}

std::string roff_entries(const std::vector<HelpEntry>& list) {
    std::string out;
    for (const HelpEntry& one : list) {
        out += fmt::format(".TP\n\\fB{}\\fR", roff(one.names));
        if (!one.value.empty()) out += fmt::format(" \\fI{}\\fR", roff(one.value));
        out += "\n" + roff(one.text) + "\n";
    }
    return out;
}

std::string man_page(const CLI::App& app, const std::string& date) {
    std::string summary = app.get_description();
    if (summary.ends_with('.')) summary.pop_back();
    if (!summary.empty() && summary[0] >= 'A' && summary[0] <= 'Z')
        summary[0] = static_cast<char>(summary[0] - 'A' + 'a');
    std::string out = fmt::format(".TH GRAZE 1 {} \"graze {}\" \"User Commands\"\n", date, GRAZE_VERSION);
    out += fmt::format(".SH NAME\n{} \\- {}\n", roff(app.get_name()), roff(summary));
    out += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n", roff(app.get_name()));
    out += fmt::format(".SH DESCRIPTION\n{}\n", roff(app.get_description()));
    out += ".SH OPTIONS\n" + roff_entries(options_of(app));
    out += ".SH COMMANDS\n";
    for (const CLI::App* command : commands_below(app)) {
        out += fmt::format(".SS {}\n{}.\n", roff(usage_of(*command)), roff(command->get_description()));
        out += roff_entries(arguments_of(*command)) + roff_entries(options_of(*command));
        out += roff_blocks(footer_of(*command));
    }
    // The program's own footer goes into the sections where readers look for it.
    constexpr std::string_view code = "Exit code: ";
    std::string status;
    std::vector<HelpBlock> rest;
    for (const HelpBlock& block : footer_of(app)) {
        if (block.lines[0].starts_with(code))
            status = block.lines[0].substr(code.size());
        else if (block.verbatim || block.lines[0] != "Examples:")
            rest.push_back(block);
    }
    out += ".SH EXAMPLES\n" + roff_blocks(rest);
    return out + fmt::format(".SH \"EXIT STATUS\"\n{}\n", roff(status));
}

/// Text for Markdown that may also stand in the cell of a table.
std::string markdown(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '<') {
            out += "&lt;";
            continue;
        }
        if (std::string_view("\\`*_|[]").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string markdown_blocks(const std::vector<HelpBlock>& blocks) {
    std::string out;
    for (const HelpBlock& block : blocks) {
        out += block.verbatim ? "\n```text\n" : "\n";
        for (const std::string& line : block.lines) out += (block.verbatim ? line : markdown(line)) + "\n";
        if (block.verbatim) out += "```\n";
    }
    return out;
}

std::string markdown_entries(const char* title, const std::vector<HelpEntry>& list) {
    if (list.empty()) return {};
    std::string out = fmt::format("\n| {} | |\n|---|---|\n", title);
    for (const HelpEntry& one : list) {
        std::string head = one.names + (one.value.empty() ? "" : " " + one.value);
        // The only way to write a bar in a cell that all dialects understand.
        for (std::size_t at; (at = head.find('|')) != head.npos;) head.replace(at, 1, "&#124;");
        out += fmt::format("| <code>{}</code> | {} |\n", head, markdown(one.text));
    }
    return out;
}

std::string markdown_page(const CLI::App& app) {
    std::string out = fmt::format("# The command `{}`\n\n{}\n\n```text\n{}\n```\n", app.get_name(),
                                  markdown(app.get_description()), usage_of(app));
    out += markdown_entries("Option", options_of(app)) + markdown_blocks(footer_of(app));
    for (const CLI::App* command : commands_below(app)) {
        out += fmt::format("\n## {}\n\n{}.\n\n```text\n{}\n```\n", full_name(*command),
                           markdown(command->get_description()), usage_of(*command));
        out += markdown_entries("Argument", arguments_of(*command));
        out += markdown_entries("Option", options_of(*command)) + markdown_blocks(footer_of(*command));
    }
    return out;
}

}  // namespace

void add_manual(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("manual", "Print the help of all commands as a man page");
    command->group("");
    const auto as_markdown = std::make_shared<bool>(false);
    command->add_flag("--markdown", *as_markdown, "As Markdown");
    command->callback([as_markdown, &app, &action] {
        action = [as_markdown, &app] {
            const Result<std::string> date = checks::timestamp();
            if (!date) return complain(date.fault().message);
            print(*as_markdown ? markdown_page(app) : man_page(app, date->substr(0, 10)));
            return static_cast<int>(Clear);
        };
    });
}

}  // namespace graze::apps
