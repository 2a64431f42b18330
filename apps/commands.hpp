// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace graze::apps {

/// The exit codes.
enum ExitCode : int { Clear = 0, Collision = 1, Bad = 2 };

/// The work of a command, run once the arguments are parsed. Returns the exit code.
using Action = std::function<int()>;

// Each function adds a command with its help and examples, which sets the action when the user asks for it.
void add_collide(CLI::App& app, Action& action);
void add_distance(CLI::App& app, Action& action);
void add_path(CLI::App& app, Action& action);
void add_clash(CLI::App& app, Action& action);
void add_robot(CLI::App& app, Action& action);
void add_self(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_samples(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);

}  // namespace graze::apps
