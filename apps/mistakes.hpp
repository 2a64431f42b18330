// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

namespace graze::apps {

/// Says in one line of plain words what is wrong with a command line, and where to look it up. `arguments` are those of
/// the program without its name.
std::string in_plain_words(const CLI::App& app, const CLI::ParseError& error, std::span<const char* const> arguments);

}  // namespace graze::apps
