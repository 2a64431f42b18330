// SPDX-License-Identifier: Apache-2.0
// The columns of a clash: one list for JSON, CSV, Python and the page.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "checks/clash_formats.hpp"

namespace graze::checks {

/// A column has no meaning for a clash: JSON leaves it out.
struct DoesNotApply {};
/// A value that nobody measured: null in JSON.
struct NotMeasured {};
/// The first two are empty in CSV and None in Python. JSON leaves out empty texts too.
using ClashValue = std::variant<DoesNotApply, NotMeasured, bool, std::uint64_t, double, std::string, Vec3>;

/// A format without a name for the column does not have it.
struct ClashColumn {
    const char* json = nullptr;    ///< member of an entry
    const char* csv = nullptr;     ///< header: three names for a vector. A bool is written as this word, or as nothing
    const char* python = nullptr;  ///< field of the named tuple
    const char* page = nullptr;    ///< label of a line that the report's page adds to what it knows of a clash
    ClashValue (*of)(const ClashRun& run, const Clash& clash);
    /// The value of a clash that is resolved; null where nothing is known.
    ClashValue (*of_gone)(const Gone& gone) = nullptr;
};

/// In the order of CSV, where new columns come last.
std::span<const ClashColumn> clash_columns();

/// A value as CSV has it: up to three fields, without the comma behind them.
std::string csv_of(const ClashColumn& column, const ClashValue& value);
/// A value as a line of text; empty when it is not known.
std::string line_of(const ClashValue& value);

}  // namespace graze::checks
