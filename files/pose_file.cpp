// SPDX-License-Identifier: Apache-2.0
#include "pose_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "mesh_file.hpp"
#include "npy.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

/// Reads the pose on the cursor's line.
Result<Pose> parse_line(TextCursor& cursor, std::string_view first) {
    std::array<double, 12> v{};
    std::size_t count = 0;
    for (std::string_view word = first; !word.empty(); word = cursor.word(), ++count) {
        const Result<double> x = parse_number(word);
        if (!x.ok()) return x.fault();
        if (count < v.size()) v[count] = *x;
    }
    if (count == 7) return Pose::from_quaternion({v[3], v[4], v[5], v[6]}, {v[0], v[1], v[2]});
    if (count == 12) return Pose::from_rows(v);
    return Fault{FaultKind::Damaged,
                 "a pose has 7 numbers (x y z qx qy qz qw) or 12 (a 3x4 matrix by rows), not " + std::to_string(count)};
}

/// Reads `count` poses, each of a rotation and a translation, from the cursor on.
Result<std::vector<Pose>> parse_blocks(TextCursor& cursor, std::string_view count, const std::string& name) {
    std::uint64_t frames = 0;
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), frames);
    if (error != std::errc() || end != count.data() + count.size())
        return located(name, cursor.line(),
                       {FaultKind::Damaged, "expected a pose or the number of poses, not " + in_quotes(count)});
    std::vector<Pose> poses;
    for (std::uint64_t i = 0; i < frames; ++i) {
        std::array<double, 12> v{};
        std::size_t line = 0;
        for (std::size_t k = 0; k < v.size(); ++k) {
            const std::string_view word = cursor.word_anywhere();
            if (word.empty())
                return located(name, cursor.line(),
                               {FaultKind::Damaged, "the file ends after " + std::to_string(i) + " of " +
                                                        std::to_string(frames) + " poses"});
            if (k == 0) line = cursor.line();
            const Result<double> x = parse_number(word);
            if (!x.ok()) return located(name, cursor.line(), x.fault());
            v[k] = *x;
        }
        const Mat3 rotation{{Vec3{v[0], v[1], v[2]}, Vec3{v[3], v[4], v[5]}, Vec3{v[6], v[7], v[8]}}};
        const Result<Pose> pose = Pose::from_matrix(rotation, {v[9], v[10], v[11]});
        if (!pose) return located(name, line, pose.fault());
        poses.push_back(*pose);
    }
    if (const std::string_view word = cursor.word_anywhere(); !word.empty())
        return located(
            name, cursor.line(),
            {FaultKind::Damaged, in_quotes(word) + " comes after the last of " + std::to_string(frames) + " poses"});
    return poses;
}

/// Poses from an array of shape (n, 4, 4), (n, 3, 4), (n, 12) or (n, 7).
Result<std::vector<Pose>> parse_array(std::string_view bytes, const std::string& name) {
    const Result<NpyArray> array = parse_npy(bytes, name);
    if (!array) return array.fault();
    const std::vector<std::size_t>& shape = array->shape;
    const std::size_t rank = shape.size();
    const bool rows = (rank == 3 && shape[1] == 3 && shape[2] == 4) || (rank == 2 && shape[1] == 12);
    const bool matrices = rank == 3 && shape[1] == 4 && shape[2] == 4;
    if (!rows && !matrices && (rank != 2 || shape[1] != 7))
        return Fault{FaultKind::Damaged, name + ": the shape is " + shape_text(shape) +
                                             ", not that of poses: (n, 4, 4), (n, 3, 4), (n, 12) or (n, 7)"};
    std::vector<Pose> poses;
    poses.reserve(shape[0]);
    const double* v = array->numbers.data();
    for (std::size_t i = 0; i < shape[0]; ++i) {
        const auto next = [&]<std::size_t n>(std::array<double, n>&& to) {
            std::copy_n(v, n, to.begin());
            v += n;
            return to;
        };
        Result<Pose> pose = Pose();
        if (rows) {
            pose = Pose::from_rows(next(std::array<double, 12>()));
        } else if (matrices) {
            pose = Pose::from_matrix4(next(std::array<double, 16>()));
        } else {
            const auto [x, y, z, qx, qy, qz, qw] = next(std::array<double, 7>());
            pose = Pose::from_quaternion({qx, qy, qz, qw}, {x, y, z});
        }
        if (!pose) return Fault{pose.fault().kind, name + ": pose " + std::to_string(i) + ": " + pose.fault().message};
        poses.push_back(*pose);
    }
    return poses;
}

}  // namespace

Result<Pose> parse_pose(std::string_view line) {
    TextCursor cursor(line);
    Result<Pose> pose = parse_line(cursor, cursor.word_anywhere());
    if (pose && !cursor.word_anywhere().empty()) return Fault{FaultKind::Damaged, "more than one line"};
    return pose;
}

Result<std::vector<Pose>> parse_poses(std::string_view text, const std::string& name) {
    if (starts_like_npy(text)) return parse_array(text, name);
    std::vector<Pose> poses;
    TextCursor cursor(text);
    for (std::string_view word = cursor.word_anywhere(); !word.empty(); word = cursor.word_anywhere()) {
        const std::size_t line = cursor.line();
        if (TextCursor ahead = cursor; poses.empty() && ahead.word().empty()) return parse_blocks(cursor, word, name);
        const Result<Pose> pose = parse_line(cursor, word);
        if (!pose) return located(name, line, pose.fault());
        poses.push_back(*pose);
    }
    return poses;
}

Result<std::vector<Pose>> read_poses(const std::string& path) {
    const Result<Bytes> bytes = Bytes::of(path);
    if (!bytes) return bytes.fault();
    Result<std::vector<Pose>> poses = parse_poses(bytes->view(), path);
    if (poses && poses->empty())
        return Fault{FaultKind::Damaged,
                     path + (starts_like_npy(bytes->view()) ? ": " : ":1: ") + "the file has no pose"};
    return poses;
}

}  // namespace graze::files
