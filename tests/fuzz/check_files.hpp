// SPDX-License-Identifier: Apache-2.0
// The readers promise that any bytes give a mesh that the library takes, or a message of one line with its place. Each
// check is run by a fuzzer and, on the files of corpus/, by the tests.
#pragma once

#include <string_view>

#include "bytes.hpp"
#include "files/gltf.hpp"
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

inline void check_stl(std::string_view bytes) {
    check_mesh(files::parse_stl(bytes, "name"), bytes.size());
    // By its content, whatever it is.
    check_mesh(files::parse_mesh(bytes, "name"), bytes.size());
}

inline void check_obj(std::string_view bytes) {
    std::vector<files::ObjGroup> groups;
    const Result<files::Mesh> mesh = files::parse_obj(bytes, "name", &groups);
    check_mesh(mesh, bytes.size());
    if (!mesh) return;
    std::size_t last = 0;
    for (const files::ObjGroup& group : groups) {
        require(group.first >= last && group.first <= mesh->polygon_count(), "groups in order, of polygons that exist");
        last = group.first;
    }
}

inline void check_ply(std::string_view bytes) { check_mesh(files::parse_ply(bytes, "name"), bytes.size()); }

/// Also what a part has, whatever the document claims.
inline void check_gltf(std::string_view bytes) {
    const Result<files::Assembly> read = files::parse_gltf(bytes, "name", {});
    if (!read) return check_line(read.fault());
    for (const files::Part& part : read->parts) {
        require(part.mesh < read->meshes.size(), "a mesh that exists");
        const files::Mesh& mesh = read->meshes[part.mesh];
        require(mesh.polygon_count() > 1000 || Model::build(mesh.view(), {.threads = 1}).ok(), "a soup that builds");
    }
}

inline void check_poses(std::string_view bytes) {
    const Result<std::vector<Pose>> poses = files::parse_poses(bytes, "name");
    if (!poses) return check_line(poses.fault());
    require(poses->size() <= bytes.size() / 13 + 1, "no more than the bytes hold");  // seven digits, blanks between
}

/// As a robot, and as what is said of one: of itself where it is one, else of another.
inline void check_urdf(std::string_view bytes) {
    static const Result<files::Robot> other = files::parse_robot(
        R"(<robot name="o"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>)"
        R"(<child link="b"/></joint></robot>)",
        "name");
    const Result<files::Robot> robot = files::parse_robot(bytes, "name");
    if (robot) {
        require(robot->links.size() <= bytes.size() && robot->joints.size() <= bytes.size(), "what the bytes hold");
        static_cast<void>(files::place(*robot, std::vector<double>(robot->active.size(), 0.5)).ok());
    } else {
        check_line(robot.fault());
        if (!other) return;  // a build without robots
    }
    const Result<files::RobotSemantics> semantics = files::parse_semantics(bytes, "name", robot ? *robot : *other);
    if (!semantics) check_line(semantics.fault());
}

}  // namespace graze::fuzz
