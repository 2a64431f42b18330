// SPDX-License-Identifier: Apache-2.0
// The readers on any bytes: a mesh that the library takes, or a message of one line with its place.
#include <string_view>

#include "apps/mesh_file.hpp"
#include "apps/pose_file.hpp"
#include "bytes.hpp"

namespace {

using namespace graze;

void check(const Result<files::Mesh>& mesh, std::size_t size) {
    if (!mesh) {
        const std::string& what = mesh.fault().message;
        fuzz::require(what.starts_with("name:") && what.find('\n') == std::string::npos, "one line with the place");
        return;
    }
    fuzz::require(mesh->corners.size() <= size && mesh->points.size() <= size, "no more than the bytes hold");
    fuzz::require(mesh->polygon_count() > 1000 || Model::build(mesh->view(), {.threads = 1}).ok(),
                  "a soup that builds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check(files::parse_stl(bytes, "name"), size);
    check(files::parse_obj(bytes, "name"), size);
    check(files::parse_mesh(bytes, "name"), size);
    const Result<std::vector<Pose>> poses = files::parse_poses(bytes, "name");
    fuzz::require(poses.ok() || poses.fault().message.starts_with("name:"), "the place of a bad pose");
    return 0;
}
