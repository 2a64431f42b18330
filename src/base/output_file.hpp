// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <span>
#include <string>

#include "graze/result.hpp"

namespace graze::detail {

/// Receives the contents of a file piece by piece.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// Writes what `produce` sends to `path`. A plain file is replaced at once, after the new one is complete and on disk:
/// until then the old one stays whole, also for processes that have it mapped. The new file takes over its permissions,
/// and a fault leaves nothing behind. Symbolic links are followed. Devices and pipes are written to and never replaced,
/// and so is a file that standard output or standard error goes to.
Result<void> write_file(const std::string& path, const std::function<void(const ByteSink&)>& produce);

}  // namespace graze::detail
