// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graze::report {

/// Receives a page piece by piece.
using Sink = std::function<void(std::string_view)>;

/// Makes a zlib stream of each buffer of four-byte words. The first bytes of all words come first, then the second
/// bytes and so on, which compresses better. The number of threads does not change the result.
std::vector<std::string> packed(std::span<const std::span<const std::byte>> buffers, unsigned threads);

void write_base64(std::string_view bytes, const Sink& to);

}  // namespace graze::report
