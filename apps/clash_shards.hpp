// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace graze::apps {

/// `graze clash plan`, `shard`, `merge` and `run`.
void add_clash_shards(CLI::App& clash, Action& action);

}  // namespace graze::apps
