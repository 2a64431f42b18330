// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "graze/result.hpp"

namespace graze::apps {

/// A fault when an option of the chosen command names a file to write that is one of its inputs, by whatever name. To
/// be called once the arguments are parsed: nothing has been read then.
Result<void> check_outputs(const CLI::App& app);

}  // namespace graze::apps
