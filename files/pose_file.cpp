// SPDX-License-Identifier: Apache-2.0
#include "pose_file.hpp"

#include <array>

#include "text.hpp"

namespace graze::files {

namespace {

/// The pose on the cursor's line.
Result<Pose> read_pose(TextCursor& cursor, std::string_view first) {
    std::array<double, 12> v{};
    std::size_t count = 0;
    for (std::string_view word = first; !word.empty(); word = cursor.word(), ++count) {
        const Result<double> x = parse_number(word);
        if (!x) return x.fault();
        if (count < v.size()) v[count] = *x;
    }
    if (count == 7) return Pose::from_quaternion({v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]});
    if (count == 12) return Pose::from_rows(v);
    return Fault{FaultKind::Damaged,
                 "a pose has 7 numbers (x y z qx qy qz qw) or 12 (a 3x4 matrix by rows), not " + std::to_string(count)};
}

}  // namespace

Result<Pose> parse_pose(std::string_view line) {
    TextCursor cursor(line);
    Result<Pose> pose = read_pose(cursor, cursor.word_anywhere());
    if (pose && !cursor.word_anywhere().empty()) return Fault{FaultKind::Damaged, "more than one line"};
    return pose;
}

Result<std::vector<Pose>> parse_poses(std::string_view text, const std::string& name) {
    std::vector<Pose> poses;
    TextCursor cursor(text);
    for (std::string_view word = cursor.word_anywhere(); !word.empty(); word = cursor.word_anywhere()) {
        const std::size_t line = cursor.line();
        const Result<Pose> pose = read_pose(cursor, word);
        if (!pose) return located(name, line, pose.fault());
        poses.push_back(*pose);
    }
    return poses;
}

}  // namespace graze::files
