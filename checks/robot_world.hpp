// SPDX-License-Identifier: Apache-2.0
// Files of what stands around a robot.
#pragma once

#include "checks/ledger.hpp"
#include "checks/robot.hpp"

namespace graze::checks {

/// A mesh, a scene, or a folder of them.
struct WorldFile {
    std::string path;
    double scale = 1;     ///< factor for all lengths, applied before the pose
    Pose root_from_file;  ///< placement in the root link's frame
};

/// The surroundings of a robot.
struct World {
    std::vector<WorldObject> objects;
    std::vector<files::Conventions> files;
    std::vector<LeftOut> left_out;    ///< products of files that are in no part
    std::vector<std::string> unlike;  ///< `files::differences`, of the robot too
    std::vector<std::string> notes;
};

/// The ledger of an answer about a robot, by itself and in a world. `clearance` is `RobotQuestion::clearance`.
Ledger ledger_of(const RobotCheck& check, double clearance = 0, const World& world = {});

/// Reads each part of each file as an object. A file of one part gives it its file name. Parts have their own names
/// otherwise, with the file's before them where there are several files. Equal names get `#2` and so on. Notes say what
/// was skipped, scaled or turned, and which files state less than the robot's, which is in metres with z up. A file of
/// a folder that cannot be read is a fault: an obstacle would be missing. `allowed_folders` is that of
/// `files::ReadOptions`.
Result<World> read_world(const std::string& robot, std::span<const WorldFile> files,
                         const std::vector<std::string>& allowed_folders, unsigned threads);

}  // namespace graze::checks
