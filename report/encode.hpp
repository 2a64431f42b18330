// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graze::report {

/// Where a page goes, piece by piece.
using Sink = std::function<void(std::string_view)>;

/// A zlib stream for each buffer of four-byte words: the first bytes of all, then the second ones and so on, which
/// packs better. The same whatever the threads.
std::vector<std::string> packed(std::span<const std::span<const std::byte>> buffers, unsigned threads);

void write_base64(std::string_view bytes, const Sink& to);

}  // namespace graze::report
