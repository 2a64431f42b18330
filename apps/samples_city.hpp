// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace graze::apps {

/// `graze samples city`: a city of any size, and the list of its clashes.
void add_samples_city(CLI::App& samples, Action& action);

}  // namespace graze::apps
