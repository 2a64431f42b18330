// SPDX-License-Identifier: Apache-2.0
// Scales and turns files by their unit and their axes, and says so.
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// The axis of the file that is turned to z. `Keep` when nothing is turned.
Up turned_axis(const Conventions& conventions, const ReadOptions& options);
/// The factor for all lengths of the file.
double length_factor(const Conventions& conventions, const ReadOptions& options);

/// A file that was read.
struct FileConventions {
    std::string path;
    Conventions conventions;
};

/// One line for each thing that some of the files state and others do not, or state otherwise, so that their lengths or
/// places may not go together. The files are compared as they are.
std::vector<std::string> differences(std::span<const FileConventions> files, const ReadOptions& options);

/// Notes for the user on files that are read for one question, one line each: what was turned and scaled that the
/// options did not ask for, once for all files alike; and their `differences`. `offers` says whether the command has
/// --up and --scale, which notes then name.
std::vector<std::string> notes_on(std::span<const FileConventions> files, const ReadOptions& options,
                                  bool offers = true);

}  // namespace graze::files
