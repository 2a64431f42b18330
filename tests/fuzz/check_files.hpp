// SPDX-License-Identifier: Apache-2.0
// What the readers promise of any bytes: a mesh that the library takes, or a message of one line with its place. Run by
// the fuzzer and, on the files of corpus/files, by the tests.
#pragma once

#include <string_view>

#include "bytes.hpp"
#include "files/mesh_file.hpp"
#include "files/pose_file.hpp"
#include "files/robot.hpp"

namespace graze::fuzz {

inline void check_line(const Fault& fault) {
    require(fault.message.starts_with("name:") && fault.message.find('\n') == std::string::npos,
            "one line with the place");
}

inline void check_mesh(const Result<files::Mesh>& mesh, std::size_t size) {
    if (!mesh) return check_line(mesh.fault());
    require(mesh->corners.size() <= size && mesh->points.size() <= size, "no more than the bytes hold");
    require(mesh->polygon_count() > 1000 || Model::build(mesh->view(), {.threads = 1}).ok(), "a soup that builds");
}

inline void check_files(std::string_view bytes) {
    check_mesh(files::parse_stl(bytes, "name"), bytes.size());
    check_mesh(files::parse_obj(bytes, "name"), bytes.size());
    check_mesh(files::parse_ply(bytes, "name"), bytes.size());
    check_mesh(files::parse_mesh(bytes, "name"), bytes.size());
    const Result<std::vector<Pose>> poses = files::parse_poses(bytes, "name");
    if (!poses) check_line(poses.fault());
    const Result<files::Robot> robot = files::parse_robot(bytes, "name");
    if (!robot) return check_line(robot.fault());
    static_cast<void>(files::place(*robot, std::vector<double>(robot->active.size(), 0.5)).ok());
    const Result<files::RobotSemantics> semantics = files::parse_semantics(bytes, "name", *robot);
    if (!semantics) check_line(semantics.fault());
}

}  // namespace graze::fuzz
