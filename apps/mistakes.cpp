// SPDX-License-Identifier: Apache-2.0
#include "mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

#include "files/text.hpp"
#include "help.hpp"

namespace graze::apps {

namespace {

/// Number of characters to insert, remove or exchange, and of neighbours to swap, to get from one word to the other.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, above, row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        before = std::exchange(above, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({above[j + 1] + 1, row[j] + 1, above[j] + (a[i] != b[j])});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
        }
    }
    return row.back();
}

/// `; did you mean …?` with the known word that is nearest, when one is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
    const auto nearest = std::ranges::min_element(known, {}, [&](const std::string& k) { return edits(word, k); });
    if (nearest == known.end() || edits(word, *nearest) > std::clamp<std::size_t>(word.size() / 2, 1, 3)) return "";
    return fmt::format("; did you mean {}?", *nearest);
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options({}))
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// A description of an option's values, by the name of their type in the help.
std::string kind_of_value(const CLI::App& command, const std::string& option) {
    const CLI::Option* found = command.get_option_no_throw(option);
    const std::string type = found ? found->get_type_name() : "";
    return type.starts_with("N") && !type.starts_with("NAME") ? "a whole number" : "a number";
}

std::string unexpected(const CLI::App& app, const CLI::App& command, std::span<const char* const> arguments) {
    const std::vector<std::string> names = option_names(command);
    for (const std::string argument : arguments) {
        const std::string name = argument.substr(0, argument.find('='));
        if (name.starts_with("--") && name != "--" && std::ranges::find(names, name) == names.end())
            return fmt::format("there is no option {}{}", name, suggestion(name, names));
        const bool letter = name.size() == 2 && name[0] == '-' && std::isalpha(static_cast<unsigned char>(name[1]));
        if (letter && !command.get_option_no_throw(name)) return fmt::format("there is no option {}", name);
    }
    const std::vector<std::string> left = app.remaining(true);
    return left.empty() ? "there are too many arguments"
                        : fmt::format("{} is one argument too many", files::in_quotes(left[0]));
}

std::string no_command(const CLI::App& app, std::span<const char* const> arguments) {
    std::vector<std::string> commands;
    for (const CLI::App* one : commands_of(app)) commands.push_back(one->get_name());
    if (!arguments.empty() && arguments[0][0] == '-') return unexpected(app, app, arguments.first(1));
    if (arguments.empty())
        return fmt::format("a command is missing: {} or {}",
                           fmt::join(std::span(commands).first(commands.size() - 1), ", "), commands.back());
    return fmt::format("there is no command {}{}", files::in_quotes(arguments[0]), suggestion(arguments[0], commands));
}

/// The messages of CLI11 in plain words; others as they are.
std::string reworded(const std::string& message, const CLI::App& command) {
    std::smatch part;
    const auto matches = [&](const char* pattern) { return std::regex_match(message, part, std::regex(pattern)); };
    const auto quoted = [&](std::size_t i) { return files::in_quotes(part[i].str()); };
    if (matches("Could not convert: (\\S+) = (.*)"))
        return fmt::format("{} takes {}; got {}", part[1].str(), kind_of_value(command, part[1]), quoted(2));
    if (matches("(\\S+): Value (.*) not in range \\[?(\\S+) (?:to|-) ([^\\]]+)\\]?"))
        return fmt::format("{} takes a whole number from {} to {}; got {}", part[1].str(), part[3].str(), part[4].str(),
                           quoted(2));
    if (matches("(\\S+): (takes .*)")) return fmt::format("{} {}", part[1].str(), part[2].str());
    if (matches("(\\S+): 1 required (\\S+) missing"))
        return fmt::format("{} needs a value, {}", part[1].str(), part[2].str());
    if (matches("(\\S+): At [Mm]ost 1 required but received .*"))
        return fmt::format("{} may be given only once", part[1].str());
    if (matches("(\\S+) excludes (\\S+)"))
        return fmt::format("{} and {} cannot be used together", part[1].str(), part[2].str());
    if (matches("(\\S+) requires (\\S+)")) return fmt::format("{} works only with {}", part[1].str(), part[2].str());
    if (matches("(\\S+) is required")) return fmt::format("{} is missing: {}", part[1].str(), usage_of(command));
    return message;
}

}  // namespace

std::string in_plain_words(const CLI::App& app, const CLI::ParseError& error, std::span<const char* const> arguments) {
    std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty()) return no_command(app, arguments) + " (see graze --help)";
    while (!chosen.back()->get_subcommands().empty()) chosen.push_back(chosen.back()->get_subcommands()[0]);
    const CLI::App& command = *chosen.back();
    const std::string hint = fmt::format(" (see {} --help)", full_name(command));
    // An option that does not exist also leaves its value over, and may take a place of the arguments.
    const std::string extra = unexpected(app, command, arguments.subspan(1));
    if (dynamic_cast<const CLI::ExtrasError*>(&error) || extra.starts_with("there is no option")) return extra + hint;
    return reworded(error.what(), command) + hint;
}

}  // namespace graze::apps
