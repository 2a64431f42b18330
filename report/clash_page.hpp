// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checks/clash.hpp"
#include "report/report.hpp"

namespace graze::report {

/// Parts that a page draws at most. Beyond that it draws those of the gravest clashes. It lists all clashes.
inline constexpr std::size_t most_parts = 20'000;

/// The parts that the page draws, by their numbers, in ascending order. The page needs the models of these.
std::vector<std::uint32_t> drawn_parts(const checks::Parts& parts, const checks::Clashes& clashes);

/// The page on the clashes of an assembly, fits last, without figures. Moves the triangle pairs out of the clashes.
/// `answer` is what `graze clash --json` prints.
Document clash_page(const checks::Parts& parts, checks::Clashes& clashes, std::string title, std::string answer);

}  // namespace graze::report
