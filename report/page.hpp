// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace graze::report {

/// The page that web/build.mjs made, in pieces, since compilers limit the length of a literal. The piece `data_mark`
/// stands where the data goes.
std::span<const std::string_view> page();
inline constexpr std::string_view data_mark = "<!--graze:data-->";

}  // namespace graze::report
