// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "graze/graze.hpp"
#include "scenes/soup.hpp"

namespace graze::scenes {

/// The right answers, by brute force with the exact predicate. No tree is involved: a sweep over
/// the triangles' own axis-aligned boxes, which are exact, leaves out pairs that cannot meet.
class Reference {
public:
    Reference(const Soup& a, const Soup& b);

    bool first(const Affine& a_from_b) const;
    /// All pairs that meet, sorted.
    std::vector<TrianglePair> all(const Affine& a_from_b) const;

private:
    struct Box {
        Vec3 low, high;
        std::uint32_t triangle;
    };
    static std::vector<Box> boxes(const std::vector<Vec3>& points, const std::vector<std::uint32_t>& corners);
    template <class F>
    void sweep(const Affine& a_from_b, F&& found) const;

    const Soup& a_;
    const Soup& b_;
    std::vector<Box> boxes_a_;
};

/// The number of pairs that are in one list and not in the other, duplicates counted.
std::size_t differing(std::vector<TrianglePair> found, const std::vector<TrianglePair>& sorted_truth);

}  // namespace graze::scenes
