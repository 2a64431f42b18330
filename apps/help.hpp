// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "commands.hpp"

namespace graze::apps {

/// Makes --help of all commands print lines of at most 80 columns. To be called once the commands are added.
void set_up_help(CLI::App& app);

/// `graze manual [--markdown]`: the help of all commands as a man page, or as a page of the documentation. Not listed
/// in the help itself.
void add_manual(CLI::App& app, Action& action);

/// An option or argument in the help.
struct HelpEntry {
    std::string names;  ///< "-q, --quiet", or an argument's
    std::string value;  ///< "FILE"; empty for flags and arguments
    std::string text;   ///< one line, with what is required, excluded or the default
};
/// The options and arguments that are not hidden.
std::vector<HelpEntry> arguments_of(const CLI::App& command);
std::vector<HelpEntry> options_of(const CLI::App& command);
std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// The commands, each followed by its own.
std::vector<const CLI::App*> commands_below(const CLI::App& app);
/// "graze clash plan"
std::string full_name(const CLI::App& command);
/// "graze collide [OPTIONS] A B"
std::string usage_of(const CLI::App& command);

/// A paragraph of a footer, or lines to be kept as they are: those that are indented.
struct HelpBlock {
    bool verbatim = false;
    std::vector<std::string> lines;  ///< without indent; a paragraph is one line
};
std::vector<HelpBlock> footer_of(const CLI::App& command);

}  // namespace graze::apps
