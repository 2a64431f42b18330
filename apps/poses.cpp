// SPDX-License-Identifier: Apache-2.0
#include "poses.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "files/pose_file.hpp"
#include "scenes/placements.hpp"

namespace graze::apps {

namespace {

/// Random poses: any rotation, and the middle of B in a cube around the middle of A. The cube's size makes most boxes
/// overlap, so that the models meet in some poses and are apart in others.
Result<std::vector<Pose>> random_poses(const LoadedPair& pair, std::size_t count, std::uint64_t seed) {
    constexpr std::size_t most = 10'000'000;  // about a gigabyte
    if (count == 0 || count > most)
        return Fault{FaultKind::TooMany, fmt::format("--poses: {} random poses are not between 1 and {}", count, most)};
    const scenes::Ball a = scenes::bounding_ball(pair.a.model), b = scenes::bounding_ball(pair.b.model);
    const double reach = a.radius / 2 + b.radius / 2;
    scenes::Random random(seed);
    std::vector<Pose> poses;
    poses.reserve(count);
    while (poses.size() < count) {
        const Mat3 rotation = scenes::random_rotation(random).rotation();
        const Result<Pose> pose =
            Pose::from_matrix(rotation, a.centre + random.in_cube(-1, 1) * reach - rotation * b.centre);
        if (!pose) return Fault{pose.fault().kind, "--poses: " + pose.fault().message};
        poses.push_back(*pose);
    }
    return poses;
}

/// Appends a number of JSON that reads back bit for bit.
void append_number(fmt::memory_buffer& out, double x) {
    fmt::format_to(std::back_inserter(out), "{}", x);
    // -0 alone would be read as the integer 0.
    if (x == 0 && std::signbit(x)) fmt::format_to(std::back_inserter(out), ".0");
}

}  // namespace

std::optional<std::size_t> PoseArguments::random_count() const {
    if (!poses) return {};
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(poses->data(), poses->data() + poses->size(), count);
    std::error_code ignored;
    if (error != std::errc() || end != poses->data() + poses->size() || std::filesystem::exists(*poses, ignored))
        return {};
    return count;
}

CLI::Option* add_poses(CLI::App& command, PoseArguments& arguments) {
    CLI::Option* pose = command.add_option(
        "--pose", arguments.pose, "Pose of B in A's frame: \"x y z qx qy qz qw\", or the 12 numbers of a 3x4 matrix");
    CLI::Option* poses = command.add_option(
        "--poses", arguments.poses,
        "File of poses, one per line (# starts a comment) or an array in a .npy file, or a number of random poses");
    pose->type_name("TEXT")->excludes(poses);
    poses->type_name("FILE|N");
    command.add_option("--seed", arguments.seed, "Random seed of the poses")->type_name("N")->needs(poses);
    return poses;
}

Result<std::vector<Pose>> poses_of(const PoseArguments& arguments, const LoadedPair& pair) {
    if (arguments.pose) {
        const Result<Pose> pose = files::parse_pose(*arguments.pose);
        if (!pose) return Fault{pose.fault().kind, "--pose: " + pose.fault().message};
        return std::vector<Pose>{*pose};
    }
    if (!arguments.poses) return std::vector<Pose>(1);
    if (const std::optional<std::size_t> count = arguments.random_count())
        return random_poses(pair, *count, arguments.seed);
    return files::read_poses(*arguments.poses);
}

void append_matrix(fmt::memory_buffer& out, const Pose& pose) {
    for (int i = 0; i < 12; ++i) {
        out.append(std::string_view(i ? ", " : "["));
        append_number(
            out, i % 4 < 3 ? pose.rotation().row[static_cast<std::size_t>(i / 4)][i % 4] : pose.translation()[i / 4]);
    }
    out.push_back(']');
}

void append_vector(fmt::memory_buffer& out, const Vec3& v) {
    for (int i = 0; i < 3; ++i) {
        out.append(std::string_view(i ? ", " : "["));
        append_number(out, v[i]);
    }
    out.push_back(']');
}

}  // namespace graze::apps
