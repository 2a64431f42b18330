// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "encode.hpp"
#include "report.hpp"

namespace graze::report {

/// Writes what a page shows as HTML elements that the page reads back (web/src/data.js): a JSON document, a base64 text
/// for each array of numbers, and the answer of the command. The number of threads does not change the output.
void write_data(const Document& document, const Limits& limits, const Sink& to);

}  // namespace graze::report
