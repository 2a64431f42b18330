// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace graze::report {

/// The text in quotes, as JSON that may stand inside a script element: `<` is escaped, so that no name ends the
/// element. Bytes that are no UTF-8 become U+FFFD.
void append_json(std::string& out, std::string_view text);

/// Words of four bytes: the first bytes of all, then the second ones and so on (which packs better), compressed by
/// zlib, in base64.
void append_packed(std::string& out, std::span<const std::byte> words);

}  // namespace graze::report
