// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace graze::report {

/// The page that vite built, in pieces (compilers limit a literal's length); where its data goes it has `data_mark`.
std::span<const std::string_view> page();
inline constexpr std::string_view data_mark = "<!--graze:data-->";

}  // namespace graze::report
