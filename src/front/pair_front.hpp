// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "front/front_step.hpp"
#include "front/plane_test.hpp"
#include "walk/pair_search.hpp"

namespace graze::detail {

/// Where a pair walk ended: the tree of its tests, in depth-first order. A record is a pair of nodes. The leaves of
/// this tree are the front and cover all pairs of triangles. The pairs above them were not apart. They are tested again
/// only to see whether they have moved apart, in which case they replace everything below them.
struct PairFront {
    // The measured defaults of `FrontSettings`.
    static constexpr double prune = 0.3;
    /// The cheaper a plain test of a kind is, the smaller are the motions for which a front pays.
    static constexpr double coherence_of(graze::Volume kind) {
        return kind == graze::Volume::Obb || kind == graze::Volume::Dop26 ? 0.04
               : kind == graze::Volume::Sphere                            ? 0.006
                                                                          : 0.012;
    }

    enum Kind : std::uint32_t {
        Opened,     ///< not apart when last tested; records of what is below follow. Due when it might be apart
        Volumes,    ///< a pair of volumes; if they were apart, the plane separates them
        Triangles,  ///< two leaves of one triangle each, whose volumes were not apart; the plane is the triangles'
        Walked,     ///< not apart; everything below is walked each time and not kept. Due when it might be apart
    };

    /// Each member has an array of its own, so a claim that still holds costs only a look at `due`.
    struct Records {
        std::vector<float> due;
        std::vector<std::uint32_t> level;  ///< depth · 4 + kind
        std::vector<NodePair> pair;
        std::size_t count = 0;
        std::vector<SeparatingPlane> plane;  ///< for leaves only
        std::size_t leaves = 0;

        void put(float when, std::uint32_t depth, const NodePair& nodes);
        void put(float when, std::uint32_t depth, Kind kind, const NodePair& nodes, const SeparatingPlane& between);
        /// Appends the other's records [from, to), and its planes [leaf_from, leaf_to).
        void append(const Records& other, std::size_t from, std::size_t to, std::size_t leaf_from, std::size_t leaf_to);
        void reserve(std::size_t more);
        void clear() { count = leaves = 0; }
        std::size_t bytes() const;
    };
    Records records, next;  ///< records of the last query, and of the current one

    struct Ask {
        std::uint32_t record, leaf;  ///< indices of a record and of its leaf, or of the next leaf
    };
    std::vector<Ask> asks;
    /// A pair that is not apart and has no record yet.
    struct Open : NodePair {
        std::uint32_t depth;
        float due;
    };
    std::vector<Open> stack;
    std::optional<PlaneTest> planes;  ///< the plane test of the last query

    bool pays = true;  ///< whether the last query did less work, by its counts, than a plain one would have

    bool empty() const { return records.count == 0; }
    std::size_t size() const { return records.leaves; }
    std::size_t bytes() const {
        return records.bytes() + next.bytes() + asks.capacity() * sizeof(Ask) + stack.capacity() * sizeof(Open);
    }
    void clear() { records.clear(); }
};

/// Works as `pair_search`, but starts from the front. Fills a front that is empty.
bool pair_front_search(const Search& search, const FrontStep& step, PairFront& front, std::vector<NodePair>& stack,
                       QueryStats& stats);

}  // namespace graze::detail
