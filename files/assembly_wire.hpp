// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "assembly.hpp"

namespace graze::files {

/// Takes all of these bytes, or is false.
using Put = std::function<bool(const void* bytes, std::size_t count)>;
/// Fills all of these bytes, or is false.
using Get = std::function<bool(void* bytes, std::size_t count)>;

/// An assembly, or why there is none, from one process to another of the same program: in the machine's own layout, bit
/// for bit. False when not all was taken.
bool send(const Result<Assembly>& read, const Put& put);

/// What was sent. Nothing when the bytes end early, or are such as `send` never writes: the sender may have run wild.
/// Meshes are such that models can be built of them, and memory is taken only for what arrives.
std::optional<Result<Assembly>> receive(const Get& get);

}  // namespace graze::files
