// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include "base/simd_targets.hpp"
#include "scene/broad_finder.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/broad_tree.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide/wide_lanes-inl.hpp"

#ifndef GRAZE_BROAD_TREE_ONCE
#define GRAZE_BROAD_TREE_ONCE
namespace graze::detail {

inline constexpr std::uint32_t nothing = 0xffffffff;

/// Eight boxes. A lane without a box holds NaN, which overlaps nothing.
struct alignas(32) EightBoxes {
    float low[3][wide], high[3][wide];

    EightBoxes() {
        for (int i = 0; i < 3; ++i)
            for (std::size_t l = 0; l < wide; ++l) low[i][l] = high[i][l] = std::numeric_limits<float>::quiet_NaN();
    }
    void put(std::size_t lane, const WorldBox& b) {
        for (int i = 0; i < 3; ++i) {
            low[i][lane] = b.low[i];
            high[i][lane] = b.high[i];
        }
    }
    WorldBox get(std::size_t lane) const {
        return {{low[0][lane], low[1][lane], low[2][lane]}, {high[0][lane], high[1][lane], high[2][lane]}};
    }
    /// The box around all eight. From +infinity to -infinity if there is none.
    WorldBox all() const {
        constexpr float inf = std::numeric_limits<float>::infinity();
        WorldBox out{{inf, inf, inf}, {-inf, -inf, -inf}};
        for (int i = 0; i < 3; ++i)
            for (std::size_t l = 0; l < wide; ++l) {
                out.low[i] = low[i][l] < out.low[i] ? low[i][l] : out.low[i];
                out.high[i] = high[i][l] > out.high[i] ? high[i][l] : out.high[i];
            }
        return out;
    }
};

/// A full tree with `wide` children per node and no references: the children of node i are the nodes from wide · i on
/// of the level below, or on the lowest level the boxes of `slots` with these indices.
struct EightTree {
    std::vector<std::uint32_t> slots;             ///< `nothing` where a box was taken out
    std::vector<std::vector<EightBoxes>> levels;  ///< from the lowest
    std::vector<float> area;                      ///< areas of the lowest nodes when they were built
    int height = 0;                               ///< levels in use

    std::size_t bytes() const {
        std::size_t sum = bytes_of(slots) + bytes_of(area);
        for (const auto& l : levels) sum += bytes_of(l);
        return sum;
    }
};

struct TreeTask {
    const Candidates& in;
    const EightTree& tree;
    std::size_t first, last;  ///< a range of the changes, or of the lowest nodes
    std::vector<SlotPair>& out;
};

}  // namespace graze::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

HWY_INLINE unsigned lanes_at(const EightBoxes& node, const WorldBox& box) {
    unsigned out = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        M meet = hn::Le(load(node.low[0] + l), set(box.high[0]));
        meet = hn::And(meet, hn::Ge(load(node.high[0] + l), set(box.low[0])));
        for (int i = 1; i < 3; ++i) {
            meet = hn::And(meet, hn::Le(load(node.low[i] + l), set(box.high[i])));
            meet = hn::And(meet, hn::Ge(load(node.high[i] + l), set(box.low[i])));
        }
        out |= bits(meet) << l;
    }
    return out;
}

/// Calls leaf(node) for the lowest nodes, from index `from` on, that overlap `box`. The stack is large enough: 2^32
/// slots take eleven levels, and at most eight nodes of each level below the highest wait.
template <class Leaf>
HWY_INLINE void descend(const EightTree& tree, const WorldBox& box, std::uint32_t from, Leaf&& leaf) {
    std::uint64_t stack[128];
    int top = 0;
    stack[top++] = static_cast<std::uint64_t>(tree.height - 1) << 32;
    while (top > 0) {
        const std::uint64_t task = stack[--top];
        const auto level = static_cast<int>(task >> 32);
        const auto node = static_cast<std::uint32_t>(task);
        if (level == 0) {
            leaf(node);
            continue;
        }
        unsigned lanes = lanes_at(tree.levels[static_cast<std::size_t>(level)][node], box);
        // The first child that reaches to `from`.
        const std::uint32_t least = from >> (std::countr_zero(wide) * (level - 1));
        if (least > wide * node) lanes &= every_lane << std::min(wide, least - wide * node);
        for (lanes &= every_lane; lanes != 0; lanes &= lanes - 1)
            stack[top++] = static_cast<std::uint64_t>(level - 1) << 32 |
                           (wide * node + static_cast<std::uint32_t>(std::countr_zero(lanes)));
    }
}

void find_changed(const TreeTask& t) {
    for (std::size_t k = t.first; k < t.last; ++k) {
        const std::uint32_t slot = t.in.changes[k];
        if (!(t.in.state[slot] & Candidates::present)) continue;
        const WorldBox& box = t.in.boxes[slot];
        descend(t.tree, box, 0, [&](std::uint32_t node) {
            for (unsigned lanes = lanes_at(t.tree.levels[0][node], box); lanes != 0; lanes &= lanes - 1) {
                const std::uint32_t other = t.tree.slots[wide * node + static_cast<unsigned>(std::countr_zero(lanes))];
                // If both changed, the one in the lower slot finds the pair.
                if (other == slot || (other < slot && (t.in.state[other] & Candidates::changed))) continue;
                if (t.in.may_pair(slot, other)) add_pair(t.out, slot, other);
            }
        });
    }
}

void find_all(const TreeTask& t) {
    for (std::size_t k = t.first; k < t.last; ++k) {
        const auto own = static_cast<std::uint32_t>(k);
        const EightBoxes& boxes = t.tree.levels[0][k];
        descend(t.tree, boxes.all(), own, [&](std::uint32_t node) {
            const EightBoxes& others = t.tree.levels[0][node];
            for (std::uint32_t l = 0; l < wide; ++l) {
                unsigned lanes = lanes_at(others, boxes.get(l));
                if (node == own) lanes &= every_lane << (l + 1);
                for (; lanes != 0; lanes &= lanes - 1) {
                    const std::uint32_t a = t.tree.slots[wide * own + l],
                                        b = t.tree.slots[wide * node + static_cast<unsigned>(std::countr_zero(lanes))];
                    if (t.in.may_pair(a, b)) add_pair(t.out, a, b);
                }
            }
        });
    }
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {
namespace {

HWY_EXPORT(find_changed);
HWY_EXPORT(find_all);

float area_of(const WorldBox& b) {
    const float x = b.high[0] - b.low[0], y = b.high[1] - b.low[1], z = b.high[2] - b.low[2];
    return x * y + y * z + z * x;
}

/// Two trees. The main tree is built now and then; boxes that move a little are refitted where they are. Boxes that
/// would spoil it, and new boxes, wait in a small tree that is built at every change, until they are many.
class Tree final : public PairFinder {
public:
    explicit Tree(std::unique_ptr<PairFinder> sweep) : sweep_(std::move(sweep)) {}

    bool find(const Candidates& in, unsigned threads, std::vector<SlotPair>& out) override {
        where_.resize(in.boxes.size(), nothing);
        // Searching for the pairs of one box costs three times its share of finding all pairs. If the tree is stale,
        // it must pay for being built, too.
        const bool most = 3 * in.changes.size() > (stale_ ? in.count / 2 : in.count);
        if (most && sweep_) {
            stale_ = true;
            return sweep_->find(in, threads, out);
        }
        if (!most && !stale_) {
            for (const std::uint32_t slot : in.changes) place(in, slot);
            if (waiting_.size() + holes_ > in.count / 8 + 64) stale_ = true;
        }
        if (most || stale_) {
            rebuild(in);
        } else if (waiting_changed_) {
            build(in, waiting_, small_);
            waiting_changed_ = false;
        }
        if (most) {
            run(in, main_, threads, out, main_.height ? main_.levels[0].size() : 0,
                [](const TreeTask& t) { HWY_DYNAMIC_DISPATCH(find_all)(t); });
            return true;
        }
        for (const EightTree* tree : {&main_, &small_})
            run(in, *tree, threads, out, in.changes.size(),
                [](const TreeTask& t) { HWY_DYNAMIC_DISPATCH(find_changed)(t); });
        return false;
    }

    std::size_t bytes() const override {
        return main_.bytes() + small_.bytes() + bytes_of(where_) + bytes_of(waiting_) + bytes_of(items_) +
               bytes_of(edges_) + parts_.bytes() + (sweep_ ? sweep_->bytes() : 0);
    }

private:
    struct Item {
        float centre[3];
        std::uint32_t slot;
    };

    void run(const Candidates& in, const EightTree& tree, unsigned threads, std::vector<SlotPair>& out, std::size_t n,
             void (*f)(const TreeTask&)) {
        if (tree.height == 0) return;
        parts_.run(n, 128, threads, out, [&](std::size_t first, std::size_t last, std::vector<SlotPair>& to) {
            f({in, tree, first, last, to});
        });
    }

    void rebuild(const Candidates& in) {
        waiting_.clear();
        for (std::uint32_t s = 0; s < in.boxes.size(); ++s)
            if (in.state[s] & Candidates::present)
                waiting_.push_back(s);
            else
                where_[s] = nothing;
        build(in, waiting_, main_);
        main_.area.clear();
        for (std::size_t i = 0; i < main_.slots.size(); ++i) {
            if (main_.slots[i] != nothing) where_[main_.slots[i]] = static_cast<std::uint32_t>(2 * i);
            if (i % wide == 0) main_.area.push_back(area_of(main_.levels[0][i / wide].all()));
        }
        waiting_.clear();
        small_.height = 0;
        holes_ = 0;
        stale_ = waiting_changed_ = false;
    }

    /// Brings one change into the trees.
    void place(const Candidates& in, std::uint32_t slot) {
        const bool present = in.state[slot] & Candidates::present;
        const std::uint32_t where = where_[slot];
        if (where != nothing && where & 1) {
            waiting_changed_ = true;
            if (!present) {
                waiting_[where >> 1] = waiting_.back();
                where_[waiting_.back()] = where;
                waiting_.pop_back();
                where_[slot] = nothing;
            }
            return;
        }
        if (where != nothing) {
            const std::uint32_t at = where >> 1;
            EightBoxes& node = main_.levels[0][at / wide];
            if (present) {
                node.put(at % wide, in.boxes[slot]);
                if (area_of(node.all()) <= 2 * main_.area[at / wide]) {
                    refit(at / wide);
                    return;
                }
            }
            node.put(at % wide, EightBoxes().get(0));
            refit(at / wide);
            main_.slots[at] = nothing;
            where_[slot] = nothing;
            ++holes_;
        }
        if (present) {
            where_[slot] = static_cast<std::uint32_t>(2 * waiting_.size() + 1);
            waiting_.push_back(slot);
            waiting_changed_ = true;
        }
    }

    void refit(std::size_t node) {
        for (int level = 0; level + 1 < main_.height; ++level, node /= wide)
            main_.levels[static_cast<std::size_t>(level) + 1][node / wide].put(
                node % wide, main_.levels[static_cast<std::size_t>(level)][node].all());
    }

    void build(const Candidates& in, const std::vector<std::uint32_t>& slots, EightTree& tree) {
        items_.clear();
        for (const std::uint32_t s : slots) {
            Item item;
            item.slot = s;
            for (int i = 0; i < 3; ++i) {
                constexpr float limit = 0x1p126f;
                item.centre[i] = 0.5f * std::clamp(in.boxes[s].low[i], -limit, limit) +
                                 0.5f * std::clamp(in.boxes[s].high[i], -limit, limit);
            }
            items_.push_back(item);
        }
        arrange_by_size(in);

        const std::size_t n = items_.size();
        tree.height = 0;
        tree.slots.assign((n + wide - 1) / wide * wide, nothing);
        for (std::size_t count = n; count > 0 && (count > 1 || tree.height == 0); ++tree.height) {
            const auto level = static_cast<std::size_t>(tree.height);
            if (tree.levels.size() <= level) tree.levels.emplace_back();
            std::vector<EightBoxes>& nodes = tree.levels[level];
            nodes.assign((count + wide - 1) / wide, EightBoxes());
            for (std::size_t i = 0; i < count; ++i)
                nodes[i / wide].put(i % wide, level == 0 ? in.boxes[items_[i].slot] : tree.levels[level - 1][i].all());
            count = nodes.size();
        }
        for (std::size_t i = 0; i < n; ++i) tree.slots[i] = items_[i].slot;
    }

    /// Large boxes come last, grouped by powers of eight, so that few nodes become as large as they are.
    void arrange_by_size(const Candidates& in) {
        const auto edge = [&](const Item& item) {
            const WorldBox& b = in.boxes[item.slot];
            return std::max({b.high[0] - b.low[0], b.high[1] - b.low[1], b.high[2] - b.low[2]});
        };
        edges_.clear();
        for (std::size_t i = 0; i < items_.size(); i += items_.size() / 256 + 1) edges_.push_back(edge(items_[i]));
        float limit = 0;
        if (!edges_.empty()) {
            const auto middle = edges_.begin() + static_cast<std::ptrdiff_t>(edges_.size() / 2);
            std::nth_element(edges_.begin(), middle, edges_.end());
            limit = std::max(8 * *middle, 0x1p-100f);
        }
        for (std::size_t begin = 0; begin < items_.size(); limit *= 8) {
            const auto first = items_.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto last = std::partition(first, items_.end(), [&](const Item& i) { return !(edge(i) > limit); });
            const auto end = static_cast<std::size_t>(last - items_.begin());
            arrange(begin, end);
            begin = end;
        }
    }

    /// Splits into halves at a node boundary of the tree, of as high a level as possible.
    void arrange(std::size_t begin, std::size_t end) {
        if (begin / wide == (end - 1) / wide || begin >= end) return;
        std::size_t step = wide;
        while (begin / (step * wide) != (end - 1) / (step * wide)) step *= wide;
        std::size_t middle = (begin + end + step) / 2 / step * step;
        if (middle >= end) middle -= step;
        float low[3], high[3];
        std::copy_n(items_[begin].centre, 3, low);
        std::copy_n(items_[begin].centre, 3, high);
        for (std::size_t k = begin + 1; k < end; ++k)
            for (int i = 0; i < 3; ++i) {
                low[i] = std::min(low[i], items_[k].centre[i]);
                high[i] = std::max(high[i], items_[k].centre[i]);
            }
        int axis = 0;
        for (int i = 1; i < 3; ++i)
            if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
        const auto at = [&](std::size_t k) { return items_.begin() + static_cast<std::ptrdiff_t>(k); };
        std::nth_element(at(begin), at(middle), at(end),
                         [axis](const Item& a, const Item& b) { return a.centre[axis] < b.centre[axis]; });
        arrange(begin, middle);
        arrange(middle, end);
    }

    std::unique_ptr<PairFinder> sweep_;
    EightTree main_, small_;
    std::vector<std::uint32_t> waiting_;  ///< slots of the small tree, in no order
    /// By slot: twice the index in the main tree, or twice the index in waiting_ plus one.
    std::vector<std::uint32_t> where_;
    std::size_t holes_ = 0;
    bool stale_ = true, waiting_changed_ = false;
    std::vector<Item> items_;
    std::vector<float> edges_;
    PairParts parts_;
};

}  // namespace

std::unique_ptr<PairFinder> make_tree(std::unique_ptr<PairFinder> sweep) {
    return std::make_unique<Tree>(std::move(sweep));
}

}  // namespace graze::detail
#endif  // HWY_ONCE
