// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "files/conventions.hpp"

namespace graze::checks {

/// A part of an assembly: a model and its placement.
struct Part {
    std::string path;         ///< file and nodes, separated by slashes; unique
    std::uint32_t model = 0;  ///< index into `Parts::models`
    Affine world_from_model;
    files::PartLabels labels = {};
    std::uint32_t file = 0;  ///< index into `Parts::files`
};

/// A file or folder that cannot be read.
struct LeftOut {
    std::string path;
    std::string reason;  ///< one line that begins with the path
};

/// What happens when one of several files cannot be read: the others are checked without it, or none is.
enum class BadFiles : std::uint8_t { LeaveOut, Stop };

struct Parts {
    std::vector<Model> models;  ///< no two have the same points and triangles, bit for bit
    std::vector<Part> parts;
    std::vector<files::FileConventions> files;  ///< what the parts were read from
    std::vector<LeftOut> left_out;
    std::vector<std::string> notes;  ///< one line each: what was skipped or changed

    std::size_t triangle_count() const;  ///< triangles of all parts together
    std::size_t bytes() const;           ///< memory of the models
};

/// The model with its points placed.
Result<Model> placed_model(const Model& model, const Affine& placement, unsigned threads = 0);

/// Called from time to time with the progress, by one thread at a time.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Reads scenes, meshes, and folders. Of a folder and its subfolders all files of known formats are read, in the order
/// of their names; hidden files are skipped. The path of a part is the path of the file below the folder, without
/// extension, followed by the names of the nodes below the root of the scene. With a single file the path has the nodes
/// only. Equal paths get `#2` and so on. It is a fault when there is no part at all.
///
/// If a `Scene` does not accept a placement, the points are transformed instead.
Result<Parts> read_parts(std::span<const std::string> paths, const files::ReadOptions& options, unsigned threads = 0,
                         const Progress& progress = {}, BadFiles bad_files = BadFiles::LeaveOut);

}  // namespace graze::checks
