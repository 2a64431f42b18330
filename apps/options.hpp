// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "files/assembly.hpp"
#include "report/report.hpp"

namespace graze::apps {

/// How a command answers.
struct Output {
    bool json = false, csv = false;
    bool quiet = false;    ///< the exit code says it all
    bool verbose = false;  ///< times and counts too
    std::string html;      ///< file of the report; empty: none

    bool text() const { return !json && !csv && !quiet; }
    /// Whether a progress bar may show.
    bool progress() const { return !quiet; }
};

/// What a command can answer in, beside text.
struct Offers {
    bool csv = false, html = false;
};

/// --json, --csv, --html, -q, -v, as far as offered.
void add_output(CLI::App& command, Output& output, Offers offers);
/// --scale and --up, for files that do not say.
void add_reading(CLI::App& command, files::ReadOptions& options);
/// --threads; 0 is all.
void add_threads(CLI::App& command, unsigned& threads);

/// Prints `graze: what` on stderr and returns `Bad`.
int complain(const std::string& what);
/// The same as a note, unless the output is quiet.
void note(const Output& output, const std::string& what);
/// To standard output. What does not arrive is found out at the end of the program.
void print(std::string_view text);

/// A file read and built.
struct LoadedModel {
    Model model;
    bool has_polygons = false;  ///< some have more than three corners
    double read_ms = 0, build_ms = 0;
};
/// All parts of the file in one model; notes go to stderr. No triangle at all is a fault.
Result<LoadedModel> load_model(const std::string& path, const files::ReadOptions& reading, unsigned threads,
                               const Output& output);

/// Writes the page if the output asks for it; a fault also where this build has none.
Result<Done> write_page(const report::Document& document, const Output& output);

}  // namespace graze::apps
