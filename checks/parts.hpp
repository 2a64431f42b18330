// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "files/assembly.hpp"

namespace graze::checks {

/// A part in its place, ready for queries.
struct Part {
    std::string path;         ///< file and node, parted by slashes; no two parts have the same
    std::uint32_t model = 0;  ///< into `Parts::models`
    Affine world_from_model;
};

struct Parts {
    std::vector<Model> models;  ///< no two have the same points and triangles, bit for bit
    std::vector<Part> parts;
    std::vector<std::string> notes;  ///< one line each: what was left out or taken differently

    std::size_t triangle_count() const;  ///< of all parts
    std::size_t bytes() const;           ///< of the models
};

/// Called now and then with what is done of how much; from one thread at a time.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Scenes, meshes, and folders, of which all files of known kinds are taken, in the order of their names, deeper ones
/// too; hidden ones are not looked at. A part's path is that of the file below the folder given, without extension,
/// and the names of nodes below the scene's root; where there is only one file, the nodes' alone. Where that is not
/// unique, `#2` and so on follow. No part at all is a fault.
///
/// A placement that a `Scene` does not take goes into the points.
Result<Parts> read_parts(std::span<const std::string> paths, const files::ReadOptions& options, unsigned threads = 0,
                         const Progress& progress = {});

}  // namespace graze::checks
