// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "assembly.hpp"

namespace graze::files {

/// Takes all of the bytes. Returns false when it cannot.
using Put = std::function<bool(const void* bytes, std::size_t count)>;
/// Fills all of the bytes. Returns false when it cannot.
using Get = std::function<bool(void* bytes, std::size_t count)>;

/// Sends an assembly, or the fault that prevented it, to another process of the same program: in the machine's own
/// layout, bit for bit. False when not all of it was taken.
bool send(const Result<Assembly>& read, const Put& put);

/// Receives what was sent. Nothing when the bytes end early or are not as `send` writes them: the sender may have
/// crashed. `Model::build` accepts every mesh received. Memory is allocated only for what has arrived.
std::optional<Result<Assembly>> receive(const Get& get);

}  // namespace graze::files
