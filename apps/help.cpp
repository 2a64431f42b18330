// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "files/text.hpp"

namespace graze::apps {

namespace {

constexpr std::size_t page_width = 80, last_text_column = 26;

using files::columns;

/// Adds the text in lines that are not too long, each from a column on that the last line has not reached yet.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
    std::size_t at = indent;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (at > indent && at + 1 + columns(word) > page_width) {
            out += "\n" + std::string(indent, ' ');
            at = indent;
        }
        if (at > indent) out += ' ', ++at;
        out += word;
        at += columns(word);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    out += '\n';
}

void append_row(std::string& out, const std::string& head, std::string_view text, std::size_t text_column) {
    out += "  " + head;
    const std::size_t at = 2 + columns(head);
    if (at + 2 > text_column)
        out += "\n" + std::string(text_column, ' ');
    else
        out += std::string(text_column - at, ' ');
    append_wrapped(out, text, text_column);
}

std::string head(const HelpEntry& entry) { return entry.names + (entry.value.empty() ? "" : " " + entry.value); }

/// The column where the texts of all entries start: the leftmost possible.
std::size_t text_column(std::initializer_list<const std::vector<HelpEntry>*> lists) {
    std::size_t column = 0;
    for (const std::vector<HelpEntry>* list : lists)
        for (const HelpEntry& one : *list) column = std::max(column, columns(head(one)) + 4);
    return std::min(column, last_text_column);
}

/// The text as it is written, with long lines broken. Lines with commands stay whole.
void append_footer(std::string& out, const std::string& footer) {
    for (const std::string& line : CLI::detail::split(footer, '\n')) {
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        if (columns(line) <= page_width || indent == 2)
            out += line + "\n";
        else
            append_wrapped(out += std::string(indent, ' '), std::string_view(line).substr(indent), indent);
    }
}

/// The description of a validator in plain words: "UINT in [1 - 10]" becomes "1 to 10".
std::string range_in(std::string_view validator) {
    const std::size_t open = validator.find(" in [");
    if (open == validator.npos || !validator.ends_with(']')) return {};
    std::string range(validator.substr(open + 5, validator.size() - open - 6));
    if (const std::size_t dash = range.find(" - "); dash != range.npos) range.replace(dash, 3, " to ");
    return range;
}

HelpEntry describe(const CLI::Option& option) {
    HelpEntry entry;
    const bool argument = option.get_positional();
    std::string validator;
    if (argument) {
        entry.names = option.get_name(true);
    } else {
        for (const std::string& one : option.get_snames()) entry.names += fmt::format("-{}, ", one);
        for (const std::string& one : option.get_lnames()) entry.names += fmt::format("--{}, ", one);
        entry.names.resize(entry.names.size() - std::min<std::size_t>(entry.names.size(), 2));
    }
    if (option.get_type_size() != 0) {
        const std::string type = option.get_type_name();
        const std::size_t colon = std::min(type.find(':'), type.size());
        if (!argument) entry.value = type.substr(0, colon);
        validator = type.substr(colon);
    }
    if (option.get_expected_max() >= CLI::detail::expected_max_vector_size)
        (argument ? entry.names : entry.value) += argument ? "..." : " ...";

    std::vector<std::string> remarks;
    if (option.get_required() && !argument) remarks.push_back("required");
    if (const std::string range = range_in(validator); !range.empty()) remarks.push_back(range);
    if (!option.get_default_str().empty()) remarks.push_back("default " + option.get_default_str());
    // Sorted by name: the order of a set of pointers changes from run to run.
    const auto names = [](const std::set<CLI::Option*>& options) {
        std::vector<std::string> all;
        for (const CLI::Option* one : options) all.push_back(one->get_name());
        std::sort(all.begin(), all.end());
        return fmt::format("{}", fmt::join(all, ", "));
    };
    if (!option.get_needs().empty()) remarks.push_back("with " + names(option.get_needs()));
    if (!option.get_excludes().empty()) remarks.push_back("not with " + names(option.get_excludes()));
    entry.text = option.get_description();
    std::replace(entry.text.begin(), entry.text.end(), '\n', ' ');
    if (!remarks.empty()) entry.text += fmt::format(" ({})", fmt::join(remarks, "; "));
    return entry;
}

std::vector<HelpEntry> entries(const CLI::App& command, bool arguments) {
    std::vector<HelpEntry> all;
    for (const CLI::Option* option : command.get_options({}))
        if (!option->get_group().empty() && option->get_positional() == arguments) all.push_back(describe(*option));
    return all;
}

class Formatter : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
        std::string out;
        append_wrapped(out, app->get_description(), 0);
        out += "\nUsage: " + usage_of(*app) + "\n";
        const auto section = [&](const char* title, const std::vector<HelpEntry>& list, std::size_t column) {
            if (!list.empty()) out += fmt::format("\n{}:\n", title);
            for (const HelpEntry& one : list) append_row(out, head(one), one.text, column);
        };
        const std::vector<HelpEntry> arguments = arguments_of(*app), options = options_of(*app);
        std::vector<HelpEntry> commands;
        for (const CLI::App* one : commands_of(*app)) commands.push_back({one->get_name(), "", one->get_description()});
        section("Commands", commands, text_column({&commands}));
        section("Arguments", arguments, text_column({&arguments, &options}));
        section("Options", options, text_column({&arguments, &options}));
        if (!app->get_footer().empty()) append_footer(out += "\n", app->get_footer());
        return out;
    }
};

}  // namespace

void set_up_help(CLI::App& app) {
    const auto formatter = std::make_shared<Formatter>();
    app.formatter(formatter);
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        command->formatter(formatter);
        for (CLI::App* below : command->get_subcommands([](CLI::App*) { return true; })) below->formatter(formatter);
    }
}

std::vector<HelpEntry> arguments_of(const CLI::App& command) { return entries(command, true); }

std::vector<HelpEntry> options_of(const CLI::App& command) { return entries(command, false); }

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
    std::vector<const CLI::App*> all;
    for (const CLI::App* command : commands_of(app)) {
        all.push_back(command);
        for (const CLI::App* below : commands_of(*command)) all.push_back(below);
    }
    return all;
}

std::string full_name(const CLI::App& command) {
    std::string name = command.get_name();
    for (const CLI::App* above = command.get_parent(); above; above = above->get_parent())
        name = above->get_name() + " " + name;
    return name;
}

std::string usage_of(const CLI::App& command) {
    std::string usage = full_name(command);
    const bool has_commands = !commands_of(command).empty();
    if (has_commands && command.get_parent() == nullptr) return usage + " COMMAND [OPTIONS]";
    usage += " [OPTIONS]";
    for (const CLI::Option* option : command.get_options({})) {
        if (!option->get_positional() || option->get_group().empty()) continue;
        const std::string one = describe(*option).names;
        // The arguments of a command that has commands of its own are needed where none of those is chosen.
        usage += option->get_required() || has_commands ? " " + one : " [" + one + "]";
    }
    return usage;
}

std::vector<HelpBlock> footer_of(const CLI::App& command) {
    std::vector<HelpBlock> blocks;
    const std::string text = command.get_footer();
    bool fresh = true;
    for (const std::string& line : CLI::detail::split(text, '\n')) {
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const bool verbatim = indent > 0;
        if (indent == line.size()) {
            fresh = true;
        } else if (fresh || verbatim != blocks.back().verbatim || line.starts_with("Exit code:")) {
            blocks.push_back({verbatim, {line.substr(std::min<std::size_t>(indent, 2))}});
            fresh = false;
        } else if (verbatim) {
            blocks.back().lines.push_back(line.substr(std::min<std::size_t>(indent, 2)));
        } else {
            blocks.back().lines[0] += " " + line;
        }
    }
    return blocks;
}

}  // namespace graze::apps
