// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace graze::apps {

/// What the command answers to the shell.
enum ExitCode : int { Clear = 0, Collision = 1, Bad = 2 };

/// What runs once the arguments are understood; it returns the exit code.
using Action = std::function<int()>;

/// Each adds its command with help and examples, and sets the action when it was called for.
void add_collide(CLI::App& app, Action& action);
void add_path(CLI::App& app, Action& action);
void add_clash(CLI::App& app, Action& action);
void add_robot(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_samples(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);

}  // namespace graze::apps
