// SPDX-License-Identifier: Apache-2.0
#include "pose_file.hpp"

#include <array>
#include <charconv>

#include "mesh_file.hpp"
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

}  // namespace

Result<Pose> parse_pose(std::string_view line) {
    TextCursor cursor(line);
    Result<Pose> pose = parse_line(cursor, cursor.word_anywhere());
    if (pose && !cursor.word_anywhere().empty()) return Fault{FaultKind::Damaged, "more than one line"};
    return pose;
}

Result<std::vector<Pose>> parse_poses(std::string_view text, const std::string& name) {
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
    if (poses && poses->empty()) return Fault{FaultKind::Damaged, path + ":1: the file has no pose"};
    return poses;
}

}  // namespace graze::files
