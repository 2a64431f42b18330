// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checks/clash.hpp"
#include "report/report.hpp"

namespace graze::report {

/// The page on the clashes of an assembly, without figures. Moves the triangle pairs out of the clashes. `answer` is
/// what `graze clash --json` prints.
Document clash_page(const checks::Parts& parts, checks::Clashes& clashes, std::string title, std::string answer);

}  // namespace graze::report
