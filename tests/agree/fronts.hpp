// SPDX-License-Identifier: Apache-2.0
// Queries with a front against the same without.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden.hpp"
#include "graze/distance.hpp"
#include "graze/front.hpp"
#include "graze/study.hpp"
#include "query/margin.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/soup.hpp"

namespace graze::test {

using Pairs = std::vector<TrianglePair>;

struct Tree {
    study::TreeKind kind;
    study::Volume volume;
};
inline constexpr std::array<Tree, 8> trees{{{study::TreeKind::Wide, study::Volume::Obb},
                                            {study::TreeKind::Wide, study::Volume::Aabb},
                                            {study::TreeKind::Binary, study::Volume::Obb},
                                            {study::TreeKind::Binary, study::Volume::Aabb},
                                            {study::TreeKind::Binary, study::Volume::Sphere},
                                            {study::TreeKind::Binary, study::Volume::Dop14},
                                            {study::TreeKind::Binary, study::Volume::Dop18},
                                            {study::TreeKind::Binary, study::Volume::Dop26}}};

/// The trees of A and B: each with itself, then mixtures.
struct Mixture {
    std::size_t a, b;
};
inline constexpr std::array<Mixture, 13> mixtures{
    {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}, {0, 1}, {0, 2}, {3, 1}, {2, 4}, {7, 3}}};

inline std::string name(const Tree& t) {
    return std::string(t.kind == study::TreeKind::Wide ? "wide " : "binary ") + name(t.volume);
}
inline std::string name(const Mixture& m) { return name(trees[m.a]) + ", " + name(trees[m.b]); }

/// The same without spaces, as names of tests have to be.
inline std::string label(const Mixture& m) {
    std::string text = name(m);
    std::erase_if(text, [](char c) { return c == ' ' || c == ',' || c == '-'; });
    return text;
}

inline Model built(const scenes::Soup& soup, const Tree& tree) {
    return *study::build(soup, {.tree = tree.kind, .volume = tree.volume});
}

/// GRAZE_LONG asks for the whole of everything.
inline bool at_length() { return std::getenv("GRAZE_LONG") != nullptr; }

inline Pairs sorted(std::span<const Contact> contacts) {
    Pairs out;
    for (const Contact& c : contacts) out.push_back(c.triangles);
    std::sort(out.begin(), out.end());
    return out;
}

inline Pairs plain(const Model& a, const Model& b, const Affine& pose, double margin = 0) {
    return sorted(collide_within(a, b, pose, margin));
}

enum class Question { All, Any, Some };

/// Asks for pairs within a margin with a front; false, and a failure, where the answer is not `expected`, sorted.
/// `Some` stops after `some` contacts, which have to be expected ones, each once.
inline bool answers(const Pairs& expected, const Model& a, const Model& b, const Affine& pose, Front& front,
                    Question question = Question::All, QuerySettings options = {}, std::size_t some = 1,
                    double margin = 0) {
    options.front = &front;
    if (question == Question::Any) {
        const bool any = margin > 0 ? within(a, b, pose, margin, options) : intersects(a, b, pose, options);
        if (any != expected.empty()) return true;
        ADD_FAILURE() << "with a front: " << (any ? "a contact" : "clear") << "; without: " << expected.size();
        return false;
    }
    std::vector<Contact> contacts;
    bool all = true;
    const auto take = [&](const Contact& c) {
        contacts.push_back(c);
        return contacts.size() < some ? Step::Continue : Step::Stop;
    };
    if (question == Question::All && margin > 0)
        collide_within(a, b, pose, margin, contacts, options);
    else if (question == Question::All)
        collide(a, b, pose, contacts, options);
    else
        all = detail::for_each_contact(a, b, pose, margin, take, options);
    for (const Contact& c : contacts)
        if (c.polygons != TrianglePair{a.polygon_of(c.triangles.a), b.polygon_of(c.triangles.b)}) {
            ADD_FAILURE() << "wrong polygons";
            return false;
        }
    const Pairs found = sorted(contacts);
    Pairs wrong;
    if (question == Question::All) {
        std::set_symmetric_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                                      std::back_inserter(wrong));
    } else {
        std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(), std::back_inserter(wrong));
    }
    const bool right_count = question == Question::All || found.size() == std::min(some, expected.size());
    const bool right_end = all == (question == Question::All || expected.size() < some);
    if (wrong.empty() && right_count && right_end) return true;
    ADD_FAILURE() << "with a front: " << found.size() << " contacts; without: " << expected.size() << "; "
                  << wrong.size() << " wrong"
                  << (wrong.empty() ? "" : ", first " + std::to_string(wrong[0].a) + " " + std::to_string(wrong[0].b))
                  << (question == Question::Some ? "; to stop after " + std::to_string(some) : "");
    return false;
}

/// A settings corner or the defaults.
inline FrontSettings some_settings(scenes::Random& random) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    FrontSettings s;
    const double coherence[] = {0, 1e-3, 0.5, 100, infinity}, prune[] = {0, 1e-3, 0.5, infinity};
    const double sprout[] = {0, 0.25, 1, 8, 100};
    const std::size_t bytes[] = {0, 300, 4000, 30'000};
    if (random.below(2)) s.coherence = coherence[random.below(5)];
    if (random.below(2)) s.prune = prune[random.below(4)];
    if (random.below(3) == 0) s.sprout = sprout[random.below(5)];
    if (random.below(6) == 0) s.max_bytes = bytes[random.below(4)];
    return s;
}

/// Around the pose: moved and turned by about `size`, the turn about B's origin.
inline Affine nudged(const Affine& pose, double size, scenes::Random& random) {
    const Vec3 axis = scenes::random_direction(random) * (0.5 * size * random.unit());
    const double w = 1;
    const Pose turn = *Pose::from_quaternion({axis.x, axis.y, axis.z, w}, {});
    const auto next = Affine::from_matrix(pose.linear() * turn.rotation(),
                                          pose.translation() + scenes::random_direction(random) * size);
    return next ? *next : pose;
}

}  // namespace graze::test
