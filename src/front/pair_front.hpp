// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "front/front_step.hpp"
#include "front/plane_test.hpp"
#include "walk/pair_search.hpp"

namespace graze::detail {

/// Where a pair walk ended: the tree of the tests it made, in depth-first order. A record is a pair of nodes. The
/// tree's leaves are the front and cover all pairs of triangles; the pairs above them, which were not apart, are only
/// tested again to see whether they are by now, and then take the place of what is below them.
struct PairFront {
    // `FrontSettings`, as measured.
    static constexpr double prune = 0.3;
    /// By kind: the cheaper a kind's plain test, the smaller the motions that a front pays for.
    static constexpr double coherence_of(graze::Volume kind) {
        return kind == graze::Volume::Obb || kind == graze::Volume::Dop26 ? 0.04
               : kind == graze::Volume::Sphere                            ? 0.006
                                                                          : 0.012;
    }

    enum Kind : std::uint32_t {
        Opened,     ///< not apart when last tested: what is below it follows. Due when it might be
        Volumes,    ///< a pair of volumes. If they were apart, their plane tells them apart
        Triangles,  ///< a pair of leaves of a triangle each, whose volumes were not apart: the plane is the triangles'
        Walked,     ///< not apart, and all below it is walked each time, nothing of it kept. Due when it might be apart
    };

    /// Each part has an array of its own: a claim that still holds costs a glance at `due`.
    struct Records {
        std::vector<float> due;
        std::vector<std::uint32_t> level;  ///< depth · 4 + kind
        std::vector<NodePair> pair;
        std::size_t count = 0;
        std::vector<SeparatingPlane> plane;  ///< of the leaves only
        std::size_t leaves = 0;

        void put(float when, std::uint32_t depth, const NodePair& nodes);
        void put(float when, std::uint32_t depth, Kind kind, const NodePair& nodes, const SeparatingPlane& between);
        /// Appends others' [from, to), and [leaf_from, leaf_to) of their leaves.
        void append(const Records& other, std::size_t from, std::size_t to, std::size_t leaf_from, std::size_t leaf_to);
        void reserve(std::size_t more);
        void clear() { count = leaves = 0; }
        std::size_t bytes() const;
    };
    Records records, next;  ///< those of the last query, and of the one under way

    struct Ask {
        std::uint32_t record, leaf;  ///< the leaf's number, or that of the next
    };
    std::vector<Ask> asks;
    /// A pair that is not apart and has no record yet.
    struct Open : NodePair {
        std::uint32_t depth;
        float due;
    };
    std::vector<Open> stack;
    std::optional<PlaneTest> planes;  ///< of the last query

    bool pays = true;  ///< whether the last query took less, by its counts, than a plain one would have

    bool empty() const { return records.count == 0; }
    std::size_t size() const { return records.leaves; }
    std::size_t bytes() const {
        return records.bytes() + next.bytes() + asks.capacity() * sizeof(Ask) + stack.capacity() * sizeof(Open);
    }
    void clear() { records.clear(); }
};

/// As `pair_search`, from the front; fills one that is empty.
bool pair_front_search(const Search& search, const FrontStep& step, PairFront& front, std::vector<NodePair>& stack,
                       QueryStats& stats);

}  // namespace graze::detail
