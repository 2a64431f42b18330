// SPDX-License-Identifier: Apache-2.0
// Scales and turns files by their unit and their axes, and says so.
#pragma once

#include <span>

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

/// The placement, in a file that is on a map, of another file that is: in metres, as both are read with the options.
/// The identity when one of them is on no map, or both have the same conversion. A fault, which says neither file's
/// name, when their reference systems are known to differ. Systems are known by their EPSG codes.
Result<Affine> placement_by_map(const Conventions& first, const Conventions& other, const ReadOptions& options);

/// A note on a file that such a placement, which is not the identity, has moved: `moved by 1000 m to where the map has
/// it beside a.ifc (EPSG:25832)`.
std::string map_move_note(const Affine& placement, const FileConventions& first, const ReadOptions& options);

/// How notes call several files: the first and the number of the others.
std::string names_of(const std::string& first, std::size_t count);

/// One line for each thing that some of the files state and others do not, or state otherwise, so that their lengths or
/// places may not go together: a unit, an up axis, or in IFC a place on a map. The files are compared as they are.
std::vector<std::string> differences(std::span<const FileConventions> files, const ReadOptions& options);

/// Notes for the user on files that are read for one question, one line each: what was turned and scaled that the
/// options did not ask for, once for all files alike; and their `differences`. `offers` says whether the command has
/// --up and --scale, which notes then name.
std::vector<std::string> notes_on(std::span<const FileConventions> files, const ReadOptions& options,
                                  bool offers = true);

}  // namespace graze::files
