// SPDX-License-Identifier: Apache-2.0
#include "topology.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <memory>

#include "parallel.hpp"

namespace graze::detail {
namespace {

constexpr unsigned packet = 8;
constexpr unsigned bins = 16;
constexpr std::uint32_t sweep_below = 64;  ///< triangles; fewer are sorted instead of binned
constexpr std::uint32_t sample = 2048;     ///< triangles that a cut looks at, about
constexpr unsigned depth_limit = 64;       ///< halves by count below this, so recursion stays bounded
constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr Box4 nothing{{infinity, infinity, infinity, infinity}, {-infinity, -infinity, -infinity, -infinity}};

inline void grow(Box4& a, const Box4& b) {
    for (int i = 0; i < 4; ++i) a.lo[i] = b.lo[i] < a.lo[i] ? b.lo[i] : a.lo[i];
    for (int i = 0; i < 4; ++i) a.hi[i] = b.hi[i] > a.hi[i] ? b.hi[i] : a.hi[i];
}

inline float half_area(const Box4& b) {
    const float x = b.hi[0] - b.lo[0], y = b.hi[1] - b.lo[1], z = b.hi[2] - b.lo[2];
    return x * y + y * z + z * x;
}

inline float packets(std::uint32_t n) {
    const std::uint32_t whole = (n + packet - 1) / packet;
    return static_cast<float>(whole);
}

/// Twice the centre of a box.
inline float centre2(const Box4& b, int axis) { return b.lo[axis] + b.hi[axis]; }

struct Item {
    Box4 box;  ///< hi[3] carries the triangle
    std::uint32_t id() const {
        std::uint32_t i;
        std::memcpy(&i, &box.hi[3], 4);
        return i;
    }
};

/// Builds a small group by sorting it once along each axis: every cut at a multiple of eight is
/// weighed, and the three orders are kept through the cuts.
class Sweep {
public:
    Sweep(Item* items, std::uint32_t count) : items_(items), count_(count) {
        std::copy(items, items + count, item_);
        for (int axis = 0; axis < 3; ++axis) {
            std::uint64_t keys[sweep_below];  // the centre's bits in an order-keeping form, then the index
            for (std::uint32_t i = 0; i < count; ++i) {
                const auto b = std::bit_cast<std::uint32_t>(centre2(items[i].box, axis) + 0.0f);
                const std::uint32_t ordered = b ^ (b >> 31 ? 0xffffffffu : 0x80000000u);
                keys[i] = static_cast<std::uint64_t>(ordered) << 32 | i;
            }
            std::sort(keys, keys + count);
            for (std::uint32_t i = 0; i < count; ++i) order_[axis][i] = static_cast<std::uint8_t>(keys[i]);
        }
    }

    /// Grows nodes[at], whose items these are, and puts the items in the order of its packets.
    void build(std::vector<TopologyNode>& nodes, std::uint32_t at) {
        const std::uint32_t base = nodes[at].first;
        cut(nodes, at, base);
        for (std::uint32_t i = 0; i < count_; ++i) items_[i] = item_[order_[0][i]];
    }

private:
    /// At most sweep_below / 8 levels deep.
    void cut(std::vector<TopologyNode>& nodes, std::uint32_t at, std::uint32_t base) {
        const std::uint32_t first = nodes[at].first - base, count = nodes[at].count;
        if (count <= packet) return;
        float best = infinity;
        int best_axis = 0;
        std::uint32_t left = 0;
        float left_area = 0, right_area = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const std::uint8_t* o = order_[axis] + first;
            float area[sweep_below / packet];
            Box4 b = nothing;
            for (std::uint32_t i = count; i-- > packet;) {
                grow(b, item_[o[i]].box);
                if (i % packet == 0) area[i / packet] = half_area(b);
            }
            b = nothing;
            const std::uint32_t end = (count - 1) / packet * packet;
            for (std::uint32_t i = 0; i < end; ++i) {
                grow(b, item_[o[i]].box);
                const std::uint32_t n = i + 1;
                if (n % packet != 0) continue;
                const float a = half_area(b), c = area[n / packet];
                const float cost = a * packets(n) + c * packets(count - n);
                if (cost < best || left == 0) {
                    best = cost;
                    best_axis = axis;
                    left = n;
                    left_area = a;
                    right_area = c;
                }
            }
        }
        bool on_left[sweep_below];
        for (std::uint32_t i = 0; i < count; ++i) on_left[order_[best_axis][first + i]] = i < left;
        for (int axis = 0; axis < 3; ++axis) {
            if (axis == best_axis) continue;
            std::uint8_t* o = order_[axis] + first;
            std::uint8_t right[sweep_below];
            std::uint32_t l = 0, r = 0;
            for (std::uint32_t i = 0; i < count; ++i) {
                const std::uint8_t k = o[i];
                o[l] = k;
                right[r] = k;
                l += on_left[k];
                r += !on_left[k];
            }
            std::copy(right, right + r, o + l);
        }
        const auto child = static_cast<std::uint32_t>(nodes.size());
        nodes[at].child = child;
        nodes.push_back({left_area, 0, base + first, left});
        nodes.push_back({right_area, 0, base + first + left, count - left});
        cut(nodes, child, base);
        cut(nodes, child + 1, base);
    }

    Item* items_;
    std::uint32_t count_;
    Item item_[sweep_below];
    std::uint8_t order_[3][sweep_below];
};

struct Builder {
    Item* items;

    struct Cut {
        std::uint32_t left = 0;  ///< count
        Box4 left_box, right_box;
    };

    Box4 bounds(std::uint32_t first, std::uint32_t count) const {
        Box4 b = nothing;
        for (std::uint32_t i = first; i < first + count; ++i) grow(b, items[i].box);
        return b;
    }

    Cut halves(std::uint32_t first, std::uint32_t count) const {
        const Box4 all = bounds(first, count);
        int axis = 0;
        for (int i = 1; i < 3; ++i)
            if (all.hi[i] - all.lo[i] > all.hi[axis] - all.lo[axis]) axis = i;
        const std::uint32_t left = (count / 2 + packet - 1) / packet * packet;
        std::nth_element(items + first, items + first + left, items + first + count,
                         [axis](const Item& a, const Item& b) { return centre2(a.box, axis) < centre2(b.box, axis); });
        return {left, bounds(first, left), bounds(first + left, count - left)};
    }

    Cut binned(std::uint32_t first, std::uint32_t count) const {
        // A large group is judged by a sample: where it is cut hardly changes, and the boxes of the
        // parts serve only to compare areas.
        const std::uint32_t stride = std::max(1u, count / sample);
        float lo[4] = {infinity, infinity, infinity, infinity}, hi[4] = {-infinity, -infinity, -infinity, -infinity};
        for (std::uint32_t i = first; i < first + count; i += stride)
            for (int a = 0; a < 4; ++a) {
                const float c = items[i].box.lo[a] + items[i].box.hi[a];
                lo[a] = c < lo[a] ? c : lo[a];
                hi[a] = c > hi[a] ? c : hi[a];
            }
        float scale[3];
        for (int a = 0; a < 3; ++a) {
            const float width = hi[a] - lo[a];
            scale[a] = width > 0 ? bins * (1 - 1e-5f) / width : 0;
            if (!(scale[a] < infinity)) scale[a] = 0;  // a width that vanishes in float cuts nothing
        }
        auto bin_of = [&](const Item& item, int a) {
            const float at = (centre2(item.box, a) - lo[a]) * scale[a];
            return at > 0 ? std::min<unsigned>(static_cast<unsigned>(std::min(at, float{bins})), bins - 1) : 0;
        };
        Box4 box[3][bins];
        std::uint32_t n[3][bins] = {};
        std::fill_n(&box[0][0], 3 * bins, nothing);
        for (std::uint32_t i = first; i < first + count; i += stride)
            for (int a = 0; a < 3; ++a) {
                const unsigned b = bin_of(items[i], a);
                grow(box[a][b], items[i].box);
                ++n[a][b];
            }
        float best = infinity;
        int axis = -1;
        unsigned at = 0;
        Cut cut;
        for (int a = 0; a < 3; ++a) {
            Box4 right[bins];
            std::uint32_t n_right[bins];
            Box4 b = nothing;
            std::uint32_t m = 0;
            for (unsigned k = bins; k-- > 1;) {
                grow(b, box[a][k]);
                right[k] = b;
                n_right[k] = m += n[a][k];
            }
            b = nothing;
            m = 0;
            for (unsigned k = 1; k < bins; ++k) {
                grow(b, box[a][k - 1]);
                m += n[a][k - 1];
                if (m == 0 || n_right[k] == 0) continue;
                const float cost = half_area(b) * packets(m) + half_area(right[k]) * packets(n_right[k]);
                if (cost < best) {
                    best = cost;
                    axis = a;
                    at = k;
                    cut = {m, b, right[k]};
                }
            }
        }
        if (axis < 0) return halves(first, count);
        const Item* middle =
            std::partition(items + first, items + first + count, [&](const Item& i) { return bin_of(i, axis) < at; });
        cut.left = static_cast<std::uint32_t>(middle - (items + first));
        return cut.left == 0 || cut.left == count ? halves(first, count) : cut;
    }

    /// Cuts nodes[at], whose box is given, and all below it.
    void build(std::vector<TopologyNode>& nodes, std::uint32_t at, const Box4& box, unsigned depth) const {
        const std::uint32_t first = nodes[at].first, count = nodes[at].count;
        nodes[at].area = half_area(box);
        if (count <= packet) return;
        if (count <= sweep_below) return Sweep(items + first, count).build(nodes, at);
        const Cut cut = cut_of(first, count, depth);
        const std::uint32_t child = append(nodes, at, cut);
        build(nodes, child, cut.left_box, depth + 1);
        build(nodes, child + 1, cut.right_box, depth + 1);
    }

    Cut cut_of(std::uint32_t first, std::uint32_t count, unsigned depth) const {
        return depth > depth_limit ? halves(first, count) : binned(first, count);
    }

    static std::uint32_t append(std::vector<TopologyNode>& nodes, std::uint32_t at, const Cut& cut) {
        const auto child = static_cast<std::uint32_t>(nodes.size());
        const TopologyNode parent = nodes[at];
        nodes[at].child = child;
        nodes.push_back({0, 0, parent.first, cut.left});
        nodes.push_back({0, 0, parent.first + cut.left, parent.count - cut.left});
        return child;
    }
};

}  // namespace

Topology make_topology(std::span<const Box4> boxes, unsigned threads) {
    Topology t;
    const auto n = static_cast<std::uint32_t>(boxes.size());
    if (n == 0) return t;
    const auto items = std::make_unique_for_overwrite<Item[]>(n);
    Box4 all = nothing;
    for (std::uint32_t i = 0; i < n; ++i) {
        items[i].box = boxes[i];
        items[i].box.lo[3] = 0;
        std::memcpy(&items[i].box.hi[3], &i, 4);
        grow(all, boxes[i]);
    }
    const Builder builder{items.get()};
    t.nodes.reserve(n / 2 + 16);
    t.nodes.push_back({0, 0, 0, n});

    // The top is cut here, breadth first, until there are enough parts for the threads; each part
    // then grows in a vector of its own. The number of threads changes only the order of nodes, which
    // later steps do not see.
    struct Part {
        std::uint32_t node;
        Box4 box;
        unsigned depth;
    };
    std::vector<Part> parts{{0, all, 0}};
    if (threads != 1) {
        constexpr std::uint32_t worthwhile = 8192;
        for (std::size_t i = 0; i < parts.size() && parts.size() - i < 64; ++i) {
            const Part p = parts[i];
            const TopologyNode node = t.nodes[p.node];
            if (node.count < worthwhile) continue;
            t.nodes[p.node].area = half_area(p.box);
            const Builder::Cut cut = builder.cut_of(node.first, node.count, p.depth);
            const std::uint32_t child = Builder::append(t.nodes, p.node, cut);
            parts.push_back({child, cut.left_box, p.depth + 1});
            parts.push_back({child + 1, cut.right_box, p.depth + 1});
            parts[i].node = std::numeric_limits<std::uint32_t>::max();
        }
        std::erase_if(parts, [](const Part& p) { return p.node == std::numeric_limits<std::uint32_t>::max(); });
    }
    if (parts.size() == 1) {
        builder.build(t.nodes, parts[0].node, parts[0].box, parts[0].depth);
    } else {
        std::vector<std::vector<TopologyNode>> grown(parts.size());
        parallel_for(parts.size(), threads, [&](std::size_t i) {
            grown[i].push_back(t.nodes[parts[i].node]);
            builder.build(grown[i], 0, parts[i].box, parts[i].depth);
        });
        for (std::size_t i = 0; i < parts.size(); ++i) {
            // The part's root takes the place kept for it; the rest follow, moved by a constant.
            const auto shift = static_cast<std::uint32_t>(t.nodes.size()) - 1;
            for (std::size_t k = 0; k < grown[i].size(); ++k) {
                TopologyNode node = grown[i][k];
                if (node.child != 0) node.child += shift;
                if (k == 0)
                    t.nodes[parts[i].node] = node;
                else
                    t.nodes.push_back(node);
            }
        }
    }
    t.order.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) t.order[i] = items[i].id();
    return t;
}

Collapse::Collapse(const Topology& topology) : t_(topology), split_(topology.nodes.size() * 7) {
    // cost[n][k]: least summed area of opened nodes when the subtree n is shown by at most k + 1
    // boxes (k < 7); one box means that n itself is opened later. Children come after parents, so
    // a backward pass sees them first (Ylitie, Karras and Laine 2017, section 3.1, without leaves'
    // merging).
    std::vector<std::array<float, 7>> cost(t_.nodes.size());
    for (std::size_t n = t_.nodes.size(); n-- > 0;) {
        const TopologyNode& node = t_.nodes[n];
        if (node.child == 0) {
            cost[n].fill(0);
            continue;
        }
        const auto &left = cost[node.child], &right = cost[node.child + 1];
        // shown[k]: by at most k + 2 boxes, without opening n as a node of its own.
        float shown[7];
        for (unsigned k = 0; k < 7; ++k) {
            shown[k] = infinity;
            for (unsigned l = 1; l <= k + 1; ++l) {
                const float c = left[l - 1] + right[k + 1 - l];
                if (c < shown[k]) {
                    shown[k] = c;
                    split_[n * 7 + k] = static_cast<std::uint8_t>(l);
                }
            }
        }
        cost[n][0] = node.area + shown[6];
        for (unsigned k = 1; k < 7; ++k) {
            cost[n][k] = shown[k - 1];
            if (cost[n][k - 1] <= cost[n][k]) cost[n][k] = cost[n][k - 1];
        }
        // Where one box is no dearer than several, one is shown: remembered as a split of 0.
        for (unsigned k = 0; k < 6; ++k)
            if (cost[n][0] <= shown[k]) split_[n * 7 + k] = 0;
    }
}

unsigned Collapse::children(std::uint32_t root, std::uint32_t out[8]) const {
    struct Job {
        std::uint32_t node;
        unsigned slots;
    };
    Job stack[16];
    unsigned top = 0, n = 0;
    const std::uint32_t c = t_.nodes[root].child;
    assert(c != 0);
    const unsigned l = split_[root * 7 + 6];
    stack[top++] = {c + 1, 8 - l};
    stack[top++] = {c, l};
    while (top > 0) {
        const Job j = stack[--top];
        const TopologyNode& node = t_.nodes[j.node];
        const unsigned left = j.slots >= 2 && node.child != 0 ? split_[j.node * 7 + j.slots - 2] : 0;
        if (left == 0) {
            out[n++] = j.node;
            continue;
        }
        stack[top++] = {node.child + 1, j.slots - left};
        stack[top++] = {node.child, left};
    }
    return n;
}

}  // namespace graze::detail
