// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace graze::checks {

/// Kinds of clashes between two parts, the gravest first. A pair is of the first kind that holds.
enum class Kind : std::uint8_t {
    Duplicate,  ///< the same shape in the same place
    Crossing,   ///< each has a part outside the other, and part of one is within the other
    Inside,     ///< one lies within a closed other; their surfaces may touch
    Fit,        ///< they overlap by no more than the accuracy of their triangles: the surfaces may well coincide
    Touching,   ///< they meet, and neither has a part within the other
    Clearance,  ///< they do not meet, and are no further apart than the clearance asked for
};
inline constexpr int kind_count = 6;

/// How a clash compares with an earlier run.
enum class State : std::uint8_t {
    None,  ///< there is no earlier run
    New,
    Worse,       ///< existed before and has become graver
    Persistent,  ///< existed before
    Resolved,    ///< existed before: both parts are there and do not clash any more
    PartGone,    ///< existed before: a part is no longer in its file
    NotChecked,  ///< existed before: nobody knows, because a part was not read or the pair was not looked at
};

/// The words of people about a clash. Each may be empty.
struct Review {
    std::string status;  ///< `open`, `accepted`, `fixed`, or a word of the reviewer's
    std::string assignee;
    std::string comment;
    std::string priority = {};  ///< `Critical`, `Major`, `Normal`, `Minor`, or a word of the reviewer's
    std::string due = {};       ///< the day by which it is to be done: `2026-12-31`

    bool empty() const { return *this == Review(); }
    friend bool operator==(const Review&, const Review&) = default;
};

/// The name in lower case, as files and pages have it. The name of `None` is empty.
constexpr const char* name(Kind kind) {
    constexpr const char* names[] = {"duplicate", "crossing", "inside", "fit", "touching", "clearance"};
    return names[static_cast<int>(kind)];
}
constexpr const char* name(State state) {
    constexpr const char* names[] = {"", "new", "worse", "persistent", "resolved", "part gone", "not checked"};
    return names[static_cast<int>(state)];
}

}  // namespace graze::checks
