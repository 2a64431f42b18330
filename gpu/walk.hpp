// SPDX-License-Identifier: Apache-2.0
// The walk of a warp: each lane takes a pose through the two trees; when enough lanes have come to a pair of leaves,
// all lanes test their triangles. A `Warp` gives the lanes of a GPU, or 32 lanes that the CPU runs one after another.
#pragma once

#include <type_traits>

#include "gpu/lane.hpp"

namespace graze::gpu {

/// The answer that a walk finds for each pose.
enum class Find : std::uint8_t {
    Any,    ///< whether there is a contact
    Count,  ///< how many contacts there are
    Write,  ///< all contacts, to the place that their count made
};

/// How a walk treats placements that are not rigid, and ties.
enum class Kind : std::uint8_t {
    Rigid,    ///< leaves both to others
    General,  ///< takes any placement that float arithmetic bears, and leaves ties to another
    Exact,    ///< decides ties of up to 256 bits, and leaves the rest to the CPU
};

/// A list that lanes add to.
struct PoseList {
    std::uint32_t* poses;
    std::uint32_t* length;
};

/// A pair of triangles in contact, by the caller's indices.
struct Pair {
    std::uint32_t a, b;
};

/// A placement made ready for boxes, once per pose: lanes then begin a pose at little cost.
template <bool Rigid>
struct alignas(16) Prepared {
    std::conditional_t<Rigid, RigidPlacement, GeneralPlacement> placement;
    Fitness fitness;
};
inline constexpr std::size_t prepared_bytes = sizeof(Prepared<false>);
static_assert(sizeof(Prepared<true>) <= prepared_bytes);

/// A batch of poses between two trees.
template <class Real>
struct Job {
    const Box *a_boxes, *b_boxes;
    const LeafTriangle *a_triangles, *b_triangles;
    Frames frames;
    const Real* rows;              ///< twelve numbers per pose, by rows
    void* prepared;                ///< `Prepared` of every pose to take, in a walk of the same kind
    const std::uint32_t* list;     ///< poses to take; all of them when null
    std::uint32_t poses;           ///< number of poses to take
    std::uint32_t parts;           ///< lanes that share a pose: 1 or 16
    std::uint8_t* hit;             ///< set to 1 for a pose with a contact
    std::uint32_t* left;           ///< one bit per pose that is on a list
    PoseList general, ties;        ///< poses left to the walks of these kinds
    PoseList beyond;               ///< poses left to the CPU
    std::uint32_t* counts;         ///< number of contacts found or written, added to
    const std::uint64_t* offsets;  ///< where the contacts of each pose go in `pairs`
    Pair* pairs;
    std::uint32_t* next;  ///< number of items taken
};

/// A node that was opened against a partner, and which of its children are still to be visited.
struct Entry {
    std::uint32_t node;     ///< number of its first child, a multiple of four, plus 2^31 when it is A's
    std::uint32_t partner;  ///< number of the partner's box, and the mask of the children in the upper four bits
};
inline constexpr std::uint32_t entry_of_a = 1u << 31;
inline constexpr std::uint32_t entry_box = (1u << 28) - 1;
static_assert(4ull * ref::max_index < entry_box);

enum class LaneState : std::uint8_t { Idle, Walking, AtLeaves };

template <bool Rigid>
struct Lane {
    std::conditional_t<Rigid, RigidPlacement, GeneralPlacement> placement;
    std::uint32_t pose;
    std::uint32_t x, y;           ///< the boxes of A and of B
    std::uint32_t x_ref, y_ref;   ///< what is below them
    std::uint32_t count;          ///< contacts found
    std::uint32_t slot;           ///< first of its places when triangles are dealt
    std::uint32_t found, unsure;  ///< results of its triangles
    int bottom, top;              ///< entries of the stack, oldest first: [bottom, top)
    LaneState state;
    Verdict verdict;  ///< on the pair of triangles that the lane was dealt
    bool shared;      ///< other lanes may have the same pose
#ifdef __CUDA_ARCH__
    /// Entry i of the stack: threads of a block lie side by side in shared memory.
    __device__ __forceinline__ static Entry& entry(int i) {
        extern __shared__ Entry stacks[];
        return stacks[i * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x)];
    }
#else
    Entry* stack;
    Entry& entry(int i) { return stack[i]; }
#endif
};

GRAZE_LANE int ones(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __popc(bits);
#else
    return std::popcount(bits);
#endif
}
GRAZE_LANE int lowest(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return std::countr_zero(bits);
#endif
}

/// The number of the n-th bit that is set, counted from 0. There must be so many.
GRAZE_LANE int nth(std::uint32_t bits, int n) {
    for (; n > 0; --n) bits &= bits - 1;
    return lowest(bits);
}

template <Find find, Kind kind, class Real>
struct Walk {
    static constexpr bool rigid = kind == Kind::Rigid;
    using Lane = gpu::Lane<rigid>;
    const Job<Real>& job;

    GRAZE_LANE Prepared<rigid>& prepared(std::uint32_t pose) const {
        return static_cast<Prepared<rigid>*>(job.prepared)[pose];
    }

    /// Makes the i-th pose to take ready.
    GRAZE_LANE void prepare(std::uint32_t i) const {
        const std::uint32_t pose = job.list ? job.list[i] : i;
        Prepared<rigid> made;
        made.fitness = made.placement.set(job.frames, rows(pose));
        prepared(pose) = made;
    }

    GRAZE_LANE Rows<Real> rows(std::uint32_t pose) const {
        Rows<Real> r;
        const Real* p = job.rows + 12 * static_cast<std::uint64_t>(pose);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
#pragma unroll
            for (int j = 0; j < 3; ++j) r.m[i][j] = p[4 * i + j];
            r.t[i] = p[4 * i + 3];
        }
        return r;
    }

    /// Gives a pose up, to the walk or the CPU that can decide it.
    GRAZE_LANE void leave(Lane& lane, const PoseList& to) const {
        lane.state = LaneState::Idle;
        const std::uint32_t bit = 1u << (lane.pose & 31);
        // Lanes that share a pose may give it up together.
        if (set_bits(&job.left[lane.pose / 32], bit) & bit) return;
        to.poses[add(to.length, 1)] = lane.pose;
    }

    /// Begins with item number i.
    GRAZE_LANE void begin(Lane& lane, std::uint32_t i) const {
        const std::uint32_t at = i / job.parts, part = i % job.parts;
        lane.pose = job.list ? job.list[at] : at;
        lane.state = LaneState::Walking;
        lane.bottom = lane.top = 0;
        lane.count = 0;
        lane.shared = job.parts > 1;
        lane.x = lane.y = 0;
        if (job.list) {
            // Contacts that another walk counted before it gave up are dropped.
            if (find != Find::Any) job.counts[lane.pose] = 0;
            clear_bits(&job.left[lane.pose / 32], 1u << (lane.pose & 31));
        }
        const Prepared<rigid>& ready = prepared(lane.pose);
        lane.placement = ready.placement;
        switch (ready.fitness) {
            case Fitness::Good:
                break;
            case Fitness::FarApart:
                return finish(lane);
            case Fitness::NotRigid:
                return leave(lane, job.general);
            case Fitness::Beyond:
                return leave(lane, job.beyond);
        }
        // A part begins with one child of each root; a root that is a leaf counts as its only child.
        const auto down = [](const Box* boxes, std::uint32_t& box, std::uint32_t child) {
            const std::uint32_t r = boxes[0].ref;
            if (r & ref::leaf) return child == 0;
            box = 4 * ref::index(r) + child;
            return child < ref::count(r);
        };
        if (job.parts > 1 && !(down(job.a_boxes, lane.x, part / 4) && down(job.b_boxes, lane.y, part % 4)))
            return finish(lane);
        lane.x_ref = job.a_boxes[lane.x].ref;
        lane.y_ref = job.b_boxes[lane.y].ref;
        settle(lane);
    }

    GRAZE_LANE void settle(Lane& lane) const {
        if (lane.x_ref & lane.y_ref & ref::leaf) lane.state = LaneState::AtLeaves;
    }

    GRAZE_LANE void finish(Lane& lane) const {
        lane.state = LaneState::Idle;
        if (find == Find::Count && lane.count != 0) add(&job.counts[lane.pose], lane.count);
    }

    GRAZE_LANE static std::uint32_t add(std::uint32_t* to, std::uint32_t n) {
#ifdef __CUDA_ARCH__
        return atomicAdd(to, n);
#else
        *to += n;
        return *to - n;
#endif
    }

    GRAZE_LANE static std::uint32_t set_bits(std::uint32_t* of, std::uint32_t bits) {
#ifdef __CUDA_ARCH__
        return atomicOr(of, bits);
#else
        const std::uint32_t before = *of;
        *of |= bits;
        return before;
#endif
    }
    GRAZE_LANE static void clear_bits(std::uint32_t* of, std::uint32_t bits) {
#ifdef __CUDA_ARCH__
        atomicAnd(of, ~bits);
#else
        *of &= ~bits;
#endif
    }

    /// Whether some lane has found a contact of a pose.
    GRAZE_LANE bool known(std::uint32_t pose) const {
        return *static_cast<const volatile std::uint8_t*>(&job.hit[pose]) != 0;
    }

    /// Goes on with the youngest entry of the stack.
    GRAZE_LANE void pop(Lane& lane) const {
        if (lane.top == lane.bottom || (find == Find::Any && lane.shared && known(lane.pose))) return finish(lane);
        Entry& entry = lane.entry(lane.top - 1);
        const std::uint32_t mask = entry.partner >> 28, partner = entry.partner & entry_box;
        const int i = lowest(mask);
        const std::uint32_t child = (entry.node & entry_box) + static_cast<std::uint32_t>(i);
        const bool of_a = entry.node & entry_of_a;
        const std::uint32_t rest = mask & (mask - 1);
        if (rest == 0)
            --lane.top;
        else
            entry.partner = partner | rest << 28;
        lane.x = of_a ? child : partner;
        lane.y = of_a ? partner : child;
        lane.x_ref = job.a_boxes[lane.x].ref;
        lane.y_ref = job.b_boxes[lane.y].ref;
        lane.state = LaneState::Walking;
        settle(lane);
    }

    /// Opens the larger box of the pair against the other one.
    GRAZE_LANE void step(Lane& lane) const {
        const bool open_a =
            !(lane.x_ref & ref::leaf) &&
            ((lane.y_ref & ref::leaf) || ref::size(lane.x_ref) >= ref::size(lane.y_ref) + job.frames.size_offset);
        const std::uint32_t opened = open_a ? lane.x_ref : lane.y_ref;
        const std::uint32_t first = 4 * ref::index(opened), n = ref::count(opened);
        const Box* open = (open_a ? job.a_boxes : job.b_boxes) + first;
        Partner partner;
        {
            OpenBox box;
            unpack(open_a ? job.b_boxes + lane.y : job.a_boxes + lane.x, box);
            lane.placement.place(job.frames, box, open_a, partner);
        }
        // The deepest overlap is visited first: where there is a contact, it is found soonest there.
        std::uint32_t mask = 0, deepest = 0, deepest_ref = 0;
        float lowest_gap = 0;
#pragma unroll
        for (std::uint32_t i = 0; i < 4; ++i) {
            OpenBox box;
            unpack(open + i, box);
            const float g = gap<!rigid>(box, partner);
            // A NaN, should one arise, counts as an overlap.
            if (g > 0 || i >= n) continue;
            mask |= 1u << i;
            if (mask == 1u << i || g < lowest_gap) deepest = i, deepest_ref = box.ref, lowest_gap = g;
        }
        if (mask == 0) return pop(lane);
        const std::uint32_t rest = mask & ~(1u << deepest);
        if (rest != 0)
            lane.entry(lane.top++) = {first | (open_a ? entry_of_a : 0), (open_a ? lane.y : lane.x) | rest << 28};
        const std::uint32_t box = first + deepest;
        if (open_a)
            lane.x = box, lane.x_ref = deepest_ref;
        else
            lane.y = box, lane.y_ref = deepest_ref;
        settle(lane);
    }

    /// Tests triangle `q` of the pairs between two leaves of a pose.
    GRAZE_LANE Verdict test(std::uint32_t pose, std::uint32_t x_ref, std::uint32_t y_ref, std::uint32_t q) const {
        const std::uint32_t nb = ref::count(y_ref);
        const std::uint32_t i = ref::index(x_ref) + q / nb, j = ref::index(y_ref) + q % nb;
        const Rows<Real> r = rows(pose);
        const Triangle s = load(job.a_triangles, i), own = load(job.b_triangles, j);
        const Triangle t{mapped(r, own.a), mapped(r, own.b), mapped(r, own.c)};
        const Verdict verdict = kind == Kind::Exact ? thorough_verdict(s, t) : quick_verdict(s, t);
        if (find == Find::Write && verdict == Verdict::Meet)
            job.pairs[job.offsets[pose] + add(&job.counts[pose], 1)] = {job.a_triangles[i].id, job.b_triangles[j].id};
        return verdict;
    }

    /// Number of pairs of triangles between the leaves that a lane has come to.
    GRAZE_LANE static std::uint32_t pairs(const Lane& lane) {
        return lane.state == LaneState::AtLeaves ? ref::count(lane.x_ref) * ref::count(lane.y_ref) : 0;
    }

    /// Tests the triangles of all lanes that have come to leaves, 32 pairs at a time.
    template <class Warp>
    GRAZE_LANE void deal(Warp& warp) const {
        const std::uint32_t one = warp.ballot([](const Lane& l) { return pairs(l) == 1; });
        const std::uint32_t two = warp.ballot([](const Lane& l) { return pairs(l) == 2; });
        const std::uint32_t four = warp.ballot([](const Lane& l) { return pairs(l) == 4; });
        const auto places = [&](std::uint32_t lanes) {
            return static_cast<std::uint32_t>(ones(one & lanes) + 2 * ones(two & lanes) + 4 * ones(four & lanes));
        };
        const std::uint32_t total = places(~0u);
        warp.each([&](Lane& lane, int k) {
            lane.slot = places((1u << k) - 1);
            lane.found = lane.unsure = 0;
            for (std::uint32_t q = 0; q < pairs(lane); ++q)
                warp.slots()[lane.slot + q] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(k) | q << 5);
        });
        warp.sync();
        for (std::uint32_t base = 0; base < total; base += 32) {
            warp.each([&](Lane& lane, int k) {
                const std::uint32_t at = base + static_cast<std::uint32_t>(k);
                const std::uint32_t slot = at < total ? warp.slots()[at] : 0;
                const int owner = static_cast<int>(slot & 31);
                const std::uint32_t pose = warp.from(&Lane::pose, lane, owner);
                const std::uint32_t x_ref = warp.from(&Lane::x_ref, lane, owner);
                const std::uint32_t y_ref = warp.from(&Lane::y_ref, lane, owner);
                lane.verdict = at < total ? test(pose, x_ref, y_ref, slot >> 5) : Verdict::Apart;
            });
            const std::uint32_t met = warp.ballot([](const Lane& l) { return l.verdict == Verdict::Meet; });
            const std::uint32_t ties = warp.ballot([](const Lane& l) { return l.verdict == Verdict::Undecided; });
            warp.each([&](Lane& lane, int) {
                const std::uint32_t n = pairs(lane);
                if (n == 0 || lane.slot + n <= base || lane.slot >= base + 32) return;
                const std::uint32_t lo = lane.slot > base ? lane.slot - base : 0;
                const std::uint32_t hi = lane.slot + n - base;
                const std::uint32_t own = (hi >= 32 ? ~0u : (1u << hi) - 1) & ~((1u << lo) - 1);
                lane.found |= met & own;
                lane.unsure |= ties & own;
                lane.count += static_cast<std::uint32_t>(ones(met & own));
            });
        }
        warp.sync();
        warp.each([&](Lane& lane, int) {
            if (lane.state != LaneState::AtLeaves) return;
            if (find == Find::Any && lane.found != 0) {
                job.hit[lane.pose] = 1;
                lane.state = LaneState::Idle;
            } else if (lane.unsure != 0) {
                leave(lane, kind == Kind::Exact ? job.beyond : job.ties);
            } else {
                pop(lane);
            }
        });
    }

    /// Idle lanes take the oldest entries of others. Answers are joined in memory, so nobody waits for anybody.
    template <class Warp>
    GRAZE_LANE void steal(Warp& warp, std::uint32_t idle) const {
        const std::uint32_t rich =
            warp.ballot([](const Lane& l) { return l.state != LaneState::Idle && l.top > l.bottom; });
        if (rich == 0) return;
        warp.sync();  // entries that other lanes wrote are read
        const int moved = ones(rich) < ones(idle) ? ones(rich) : ones(idle);
        warp.each([&](Lane& lane, int k) {
            // The n-th idle lane takes from the n-th rich one.
            const int rank = ones((idle >> k & 1 ? idle : rich) & ((1u << k) - 1));
            const bool thief = (idle >> k & 1) && rank < moved;
            const int victim = thief ? nth(rich, rank) : k;
            const std::uint32_t pose = warp.from(&Lane::pose, lane, victim);
            const int bottom = warp.from(&Lane::bottom, lane, victim);
            if (thief) {
                lane.entry(0) = warp.entry_of(victim, k, bottom);
                lane.pose = pose;
            }
        });
        warp.sync();
        warp.each([&](Lane& lane, int k) {
            const int rank = ones((idle >> k & 1 ? idle : rich) & ((1u << k) - 1));
            if (rank >= moved) return;
            if (rich >> k & 1) {
                ++lane.bottom;
                lane.shared = true;
            } else if (idle >> k & 1) {
                lane.bottom = 0;
                lane.top = 1;
                lane.count = 0;
                lane.shared = true;
                lane.placement = prepared(lane.pose).placement;
                pop(lane);
            }
        });
    }

    /// Takes poses until none are left. A walk of few lanes costs as much as one of 32, so lanes wait for others.
    template <class Warp>
    GRAZE_LANE void run(Warp& warp) const {
        // Measured: where all contacts are wanted, leaves are most of the work.
        constexpr int enough_idle = find == Find::Any ? 8 : 4, enough_leaves = find == Find::Any ? 8 : 12;
        const std::uint64_t items = static_cast<std::uint64_t>(job.poses) * job.parts;
        bool more = true;
        for (;;) {
            const std::uint32_t idle = warp.ballot([](const Lane& l) { return l.state == LaneState::Idle; });
            if (more && (ones(idle) >= enough_idle)) {
                const std::uint32_t first = warp.take(job.next, static_cast<std::uint32_t>(ones(idle)));
                more = first + static_cast<std::uint64_t>(ones(idle)) < items;
                warp.each([&](Lane& lane, int k) {
                    const std::uint64_t i = first + static_cast<std::uint64_t>(ones(idle & ((1u << k) - 1)));
                    if (lane.state == LaneState::Idle && i < items) begin(lane, static_cast<std::uint32_t>(i));
                });
            } else if (!more && idle != 0) {
                if (idle == ~0u) return;
                steal(warp, idle);
            }
            warp.each([&](Lane& lane, int) {
                if (lane.state == LaneState::Walking) step(lane);
            });
            const std::uint32_t waiting = warp.ballot([](const Lane& l) { return l.state == LaneState::AtLeaves; });
            if (waiting != 0 && (ones(waiting) >= enough_leaves ||
                                 warp.ballot([](const Lane& l) { return l.state == LaneState::Walking; }) == 0))
                deal(warp);
        }
    }
};

}  // namespace graze::gpu
