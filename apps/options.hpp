// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "checks/ledger.hpp"
#include "files/assembly.hpp"
#include "report/report.hpp"

namespace graze::apps {

/// The form of a command's answer.
struct Output {
    bool json = false, csv = false;
    bool quiet = false;       ///< print nothing; the exit code is the answer
    bool verbose = false;     ///< print times and counts too
    bool everything = false;  ///< each gap in what was checked is an error
    std::string html;         ///< file of the report; empty for none

    bool text() const { return !json && !csv && !quiet; }
    /// True when a progress bar may be shown.
    bool progress() const { return !quiet; }
};

/// The forms that a command offers in addition to text.
struct Offers {
    bool csv = false, html = false, require = false;
};

/// Adds -q, -v, and those of --json, --csv, --html and --require that the command offers.
void add_output(CLI::App& command, Output& output, Offers offers);
/// Adds --allow-folder.
void add_allow_folder(CLI::App& command, std::vector<std::string>& folders);
/// Adds --scale and --up, for files that do not state their unit and axes, --allow-folder, and --deflection, for files
/// with curves.
void add_reading(CLI::App& command, files::ReadOptions& options);
/// Adds --strict, which stops at the first file that cannot be read.
void add_strict(CLI::App& command, bool& strict);
/// Adds --threads; 0 means one per core.
void add_threads(CLI::App& command, unsigned& threads);

/// Adds --clearance, a length above 0. `what` says which of those that are closer are reported.
void add_clearance(CLI::App& command, double& clearance, const char* what);

/// For options that take a length: it must be finite and above 0.
CLI::Validator above_zero();
/// For options that name a file to write: its folder must exist. Said before the work begins, not after hours.
CLI::Validator in_a_folder();
/// For options that name a mesh to write: its format must be one that is written.
CLI::Validator of_written_format();

/// Prints `graze: what` on stderr and returns `Bad`.
int complain(const std::string& what);
/// Remembers that something went wrong while the rest goes on: one output that cannot be written does not cost the
/// others.
class Faults {
public:
    /// Complains about the fault if there is one.
    void add(const Result<void>& done) {
        if (!done) code_ = complain(done.fault().message);
    }
    /// Says that one of several files could not be read and is missing in the answer.
    void leave_out(const std::string& reason) { code_ = complain("left out: " + reason); }
    /// Says so of some of the list, and how many others there are.
    void leave_out(const std::vector<checks::LeftOut>& list);
    /// Says what was not reached, and what --require misses.
    void require(const checks::Ledger& ledger);
    void not_checked(const std::string& what) { code_ = complain("not checked: " + what); }
    /// The exit code of a command that would return `answer` if nothing had gone wrong.
    int exit_code(int answer) const { return code_.value_or(answer); }

private:
    std::optional<int> code_;
};

/// Prints `graze: note: what` on stderr, unless the output is quiet.
void note(const Output& output, const std::string& what);
/// Prints text for people to standard output, without characters that steer a terminal. The end of the program checks
/// that everything arrived.
void print(std::string_view text);
/// Prints an answer in the form that the output asks for. JSON and CSV arrive byte for byte unless they go to a
/// terminal.
void print(std::string_view answer, const Output& output);

/// A length in six digits, with the unit if it is known: `1.9 m`.
std::string length_text(double length, const std::string& unit);

/// A model that was read from a file.
struct LoadedModel {
    Model model;
    bool has_polygons = false;              ///< some polygons have more than three corners
    bool open = false;                      ///< `checks::is_open`
    double error = 0;                       ///< how far the triangles may be from what the file describes
    bool simplified = false;                ///< `checks::is_simplified`
    std::vector<checks::LeftOut> left_out;  ///< products of the file that are in no part
    files::Conventions conventions;
    double read_ms = 0, build_ms = 0;
};
/// The ledger of an answer about one file.
checks::Ledger ledger_of(const std::string& path, const LoadedModel& loaded, const Output& output);
/// Adds the file to a ledger.
void add_to(checks::Ledger& ledger, const std::string& path, const LoadedModel& loaded);
/// Rows for the table of a page: what a reader should know of what was not checked.
std::vector<std::pair<std::string, std::string>> figures_of(const checks::Ledger& ledger);
/// Reads all parts of a file into one model. Notes go to stderr, except what `files::notes_on` says of all files of a
/// command. A file without triangles is a fault.
Result<LoadedModel> load_model(const std::string& path, const files::ReadOptions& reading, unsigned threads,
                               const Output& output);

/// Writes the page if the output asks for it. A fault when this build has no page.
Result<void> write_page(const report::Document& document, const Output& output);

}  // namespace graze::apps
