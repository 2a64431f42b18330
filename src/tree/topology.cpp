// SPDX-License-Identifier: Apache-2.0
#include "tree/topology.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "base/large_pages.hpp"
#include "base/parallel.hpp"
#include "tree/wide_sweep.hpp"

namespace graze::detail {
namespace {

constexpr unsigned bins = 16;
constexpr std::uint32_t group_below = 128;  ///< groups of cells with more triangles are cut between cells
constexpr std::uint32_t sample = 2048;      ///< about the number of items that a cut looks at
constexpr unsigned depth_limit = 64;        ///< groups below this level are halved by count, which bounds the recursion
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

/// A triangle's box. lo[3] holds the triangle's index, as an integer; growing a box by it does no harm.
struct Item {
    Box4 box;
    std::uint32_t id() const { return std::bit_cast<std::uint32_t>(box.lo[3]); }
    std::uint32_t weight() const { return 1; }
};

/// The triangles of one cell of a grid, contiguous in the sorted items.
struct Cell {
    Box4 box;
    std::uint32_t first, count;
    std::uint32_t weight() const { return count; }
};

/// Where items are cut in two.
struct Cut {
    std::uint32_t left = 0;  ///< number of items on the left
    Box4 left_box, right_box;
};

template <class T>
Box4 bounds(std::span<const T> items) {
    Box4 b = nothing;
    for (const T& i : items) grow(b, i.box);
    return b;
}

template <class T>
Cut halves(std::span<T> items) {
    const Box4 all = bounds<T>(items);
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (all.hi[i] - all.lo[i] > all.hi[axis] - all.lo[axis]) axis = i;
    const auto count = static_cast<std::uint32_t>(items.size());
    const std::uint32_t left = count <= packet ? count / 2 : (count / 2 + packet - 1) / packet * packet;
    std::nth_element(items.begin(), items.begin() + left, items.end(),
                     [axis](const T& a, const T& b) { return centre2(a.box, axis) < centre2(b.box, axis); });
    return {left, bounds<T>(items.first(left)), bounds<T>(items.subspan(left))};
}

/// Cuts where the heuristic says, with sixteen bins per axis. `spare` has room for all items.
template <class T>
Cut binned(std::span<T> items, T* spare) {
    // A large group is judged by a sample. The cut hardly changes, and the boxes of the parts serve only to compare
    // areas.
    const std::size_t stride = std::max<std::size_t>(1, items.size() / sample);
    float lo[4] = {infinity, infinity, infinity, infinity}, hi[4] = {-infinity, -infinity, -infinity, -infinity};
    for (std::size_t i = 0; i < items.size(); i += stride)
        for (int a = 0; a < 4; ++a) {
            const float c = items[i].box.lo[a] + items[i].box.hi[a];
            lo[a] = c < lo[a] ? c : lo[a];
            hi[a] = c > hi[a] ? c : hi[a];
        }
    float scale[3];
    for (int a = 0; a < 3; ++a) {
        const float width = hi[a] - lo[a];
        scale[a] = width > 0 ? bins * (1 - 1e-5f) / width : 0;
        if (!(scale[a] < infinity)) scale[a] = 0;  // a width that vanishes in float cannot be cut
    }
    // An item outside the sample may lie outside its range.
    const auto bin_of = [&](const T& item, int a) {
        const float at = (centre2(item.box, a) - lo[a]) * scale[a];
        return static_cast<unsigned>(std::min(std::max(at, 0.0f), bins - 1.0f));
    };
    Box4 box[3][bins];
    std::uint32_t n[3][bins] = {};
    std::fill_n(&box[0][0], 3 * bins, nothing);
    for (std::size_t i = 0; i < items.size(); i += stride)
        for (int a = 0; a < 3; ++a) {
            const unsigned b = bin_of(items[i], a);
            grow(box[a][b], items[i].box);
            n[a][b] += items[i].weight();
        }
    float best = infinity;
    int axis = -1;
    unsigned at = 0;
    Cut cut;
    for (int a = 0; a < 3; ++a) {
        if (scale[a] == 0) continue;
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
    if (axis < 0) return halves(items);
    // Branch-free: which side an item goes to is unpredictable.
    std::size_t left = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const T item = items[i];
        items[left] = item;
        spare[i - left] = item;
        left += bin_of(item, axis) < at;
    }
    std::copy(spare, spare + (items.size() - left), items.begin() + static_cast<std::ptrdiff_t>(left));
    cut.left = static_cast<std::uint32_t>(left);
    return left == 0 || left == items.size() ? halves(items) : cut;
}

template <class T>
Cut cut_of(std::span<T> items, T* spare, unsigned depth) {
    return depth > depth_limit ? halves(items) : binned(items, spare);
}

/// Gives nodes[at] two children and returns the first. `left` is the number of its triangles.
std::uint32_t append(std::vector<TopologyNode>& nodes, std::uint32_t at, std::uint32_t left) {
    const auto child = static_cast<std::uint32_t>(nodes.size());
    const TopologyNode parent = nodes[at];
    nodes[at].child = child;
    nodes.push_back({0, 0, parent.first, left});
    nodes.push_back({0, 0, parent.first + left, parent.count - left});
    return child;
}

/// Cuts nodes[at], whose box and items are given, and everything below it. Lists the triangles in `order`.
void build(std::vector<TopologyNode>& nodes, std::uint32_t at, const Box4& box, std::span<Item> items, Item* spare,
           unsigned depth, std::uint32_t* order) {
    nodes[at].area = half_area(box);
    if (items.size() <= packet) {
        for (std::size_t i = 0; i < items.size(); ++i) order[nodes[at].first + i] = items[i].id();
        return;
    }
    if (items.size() <= sweep_below) return sweep(&items[0].box, nodes, at, order);
    const Cut cut = cut_of(items, spare, depth);
    const std::uint32_t child = append(nodes, at, cut.left);
    build(nodes, child, cut.left_box, items.first(cut.left), spare, depth + 1, order);
    build(nodes, child + 1, cut.right_box, items.subspan(cut.left), spare, depth + 1, order);
}

/// A grid of near cubes over the centres. Triangles spread evenly in space would be a few per cell; on surfaces most
/// cells are empty and others hold some hundred.
struct Grid {
    std::uint32_t size[3] = {1, 1, 1};
    float lo[3], scale[3];  ///< for twice the centre

    Grid(const Box4& all, std::size_t triangles) {
        const double most = std::clamp(static_cast<double>(triangles) / 4, 1.0, 0x1p18);
        // Computes the side of a cell. Flat directions get a single layer and leave the cells to the others.
        double volume = 1;
        int dimensions = 0;
        bool thin[3] = {};
        double side = 0;
        const auto width = [&](int a) { return static_cast<double>(all.hi[a]) - all.lo[a]; };
        for (int round = 0; round < 3; ++round) {
            volume = 1;
            dimensions = 0;
            for (int a = 0; a < 3; ++a)
                if (!thin[a] && width(a) > 0) volume *= width(a), ++dimensions;
            if (dimensions == 0) break;
            side = std::pow(volume / most, 1.0 / dimensions);
            for (int a = 0; a < 3; ++a) thin[a] = thin[a] || !(width(a) > side);
        }
        for (int a = 0; a < 3; ++a) {
            if (!thin[a] && side > 0)
                size[a] = static_cast<std::uint32_t>(std::clamp(std::floor(width(a) / side), 1.0, 0x1p18));
            lo[a] = 2 * all.lo[a];
            scale[a] = size[a] > 1 ? static_cast<float>(size[a] * (0.5 - 1e-5) / width(a)) : 0;
            if (!(scale[a] < infinity)) scale[a] = 0;
        }
    }

    std::uint32_t cells() const { return size[0] * size[1] * size[2]; }
    std::uint32_t cell(const Box4& b) const {
        std::uint32_t at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = std::min(static_cast<std::uint32_t>((centre2(b, a) - lo[a]) * scale[a]), size[a] - 1);
        return (at[2] * size[1] + at[1]) * size[0] + at[0];
    }
};

/// The triangles sorted by the cells of a grid. Within a cell they keep their order, whatever the number of threads.
struct Sorted {
    Item* items;  ///< in the memory given
    std::vector<Cell> cells;

    Sorted(std::size_t n, const BoxSource& boxes, const Box4& all, std::span<std::byte> room, unsigned threads) {
        assert(room.size() >= n * sizeof(Item));
        items = reinterpret_cast<Item*>(room.data());
        std::uninitialized_default_construct_n(items, n);
        const Grid grid(all, n);
        const std::size_t parts = threads == 1 || n < 65536 ? 1 : threads == 0 ? 4 : std::min(threads, 8u);
        // Calls f(i, box) for the triangles of a part.
        const auto each_of = [&](std::size_t p, auto&& f) {
            const std::size_t blocks = (n + box_block - 1) / box_block;
            Box4 box[box_block];
            for (std::size_t b = blocks * p / parts; b < blocks * (p + 1) / parts; ++b) {
                const std::size_t first = b * box_block, last = std::min(n, first + box_block);
                boxes(first, last, box);
                for (std::size_t i = first; i < last; ++i) f(i, box[i - first]);
            }
        };
        const auto cell = make_large<std::uint32_t>(n);
        std::vector<std::uint32_t> at(parts * grid.cells());  // counts, then where the next triangle of each cell goes
        parallel_for(parts, threads, [&](std::size_t p) {
            std::uint32_t* count = &at[p * grid.cells()];
            each_of(p, [&](std::size_t i, const Box4& box) { ++count[cell[i] = grid.cell(box)]; });
        });
        std::uint32_t next = 0;
        for (std::uint32_t c = 0; c < grid.cells(); ++c) {
            const std::uint32_t first = next;
            for (std::size_t p = 0; p < parts; ++p) {
                const std::uint32_t count = at[p * grid.cells() + c];
                at[p * grid.cells() + c] = next;
                next += count;
            }
            if (next > first) cells.push_back({nothing, first, next - first});
        }
        parallel_for(parts, threads, [&](std::size_t p) {
            std::uint32_t* place = &at[p * grid.cells()];
            each_of(p, [&](std::size_t i, const Box4& box) {
                Item item{box};
                item.box.lo[3] = std::bit_cast<float>(static_cast<std::uint32_t>(i));
                items[place[cell[i]]++] = item;
            });
        });
        constexpr std::size_t chunk = 256;
        parallel_for((cells.size() + chunk - 1) / chunk, threads, [&](std::size_t k) {
            for (std::size_t c = k * chunk; c < std::min(cells.size(), (k + 1) * chunk); ++c)
                cells[c].box = bounds<Item>({&items[cells[c].first], cells[c].count});
        });
    }
};

/// A node still to be cut, and the cells of its triangles.
struct Part {
    std::uint32_t node, first, count;
    Box4 box;
    unsigned depth;
};

/// Cuts parts into nodes: between cells down to groups of some hundred triangles or of one cell. Each group is then
/// copied out of its cells and cut to the end within a cache.
class Grower {
public:
    Grower(Sorted& sorted, std::vector<TopologyNode>& nodes, std::uint32_t* order)
        : sorted_(sorted), nodes_(nodes), order_(order) {}

    bool is_group(const Part& p) const { return p.count == 1 || nodes_[p.node].count <= group_below; }

    /// Cuts a part that is larger than a group in two.
    std::array<Part, 2> cut(const Part& p) {
        nodes_[p.node].area = half_area(p.box);
        if (spare_.size() < p.count) spare_.resize(p.count);
        const std::span<Cell> cells(&sorted_.cells[p.first], p.count);
        const Cut cut = cut_of(cells, spare_.data(), p.depth);
        std::uint32_t left = 0;
        for (const Cell& c : cells.first(cut.left)) left += c.count;
        const std::uint32_t child = append(nodes_, p.node, left);
        return {{{child, p.first, cut.left, cut.left_box, p.depth + 1},
                 {child + 1, p.first + cut.left, p.count - cut.left, cut.right_box, p.depth + 1}}};
    }

    void grow(const Part& part) {
        std::vector<Part> stack{part};
        while (!stack.empty()) {
            const Part p = stack.back();
            stack.pop_back();
            if (is_group(p)) {
                grow_group(p);
                continue;
            }
            const auto [left, right] = cut(p);
            stack.push_back(right);
            stack.push_back(left);
        }
    }

private:
    void grow_group(const Part& p) {
        const std::size_t count = nodes_[p.node].count;
        if (items_.size() < 2 * count) items_.resize(2 * count);
        Item* to = items_.data();
        for (std::uint32_t c = p.first; c < p.first + p.count; ++c)
            to = std::copy_n(&sorted_.items[sorted_.cells[c].first], sorted_.cells[c].count, to);
        build(nodes_, p.node, p.box, std::span(items_).first(count), to, p.depth, order_);
    }

    Sorted& sorted_;
    std::vector<TopologyNode>& nodes_;
    std::uint32_t* order_;
    std::vector<Cell> spare_;
    std::vector<Item> items_;
};

}  // namespace

Topology make_topology(std::size_t n, const BoxSource& boxes, const Box4& all, std::span<std::byte> room,
                       unsigned threads) {
    Topology t;
    if (n == 0) return t;
    Sorted sorted(n, boxes, all, room, threads);
    reserve_large(t.order, n);
    t.order.resize(n);
    reserve_large(t.nodes, n / 3 + 16);
    t.nodes.push_back({0, 0, 0, static_cast<std::uint32_t>(n)});
    Grower grower(sorted, t.nodes, t.order.data());
    std::vector<Part> parts{{0, 0, static_cast<std::uint32_t>(sorted.cells.size()), all, 0}};
    if (threads == 1) {
        grower.grow(parts[0]);
        return t;
    }

    // The top is cut here, breadth first, until there are enough parts for the threads. Each part then grows in a
    // vector of its own. The number of threads changes only the order of nodes, which later steps do not depend on.
    constexpr std::uint32_t worthwhile = 8192;
    std::vector<Part> growing;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part p = parts[i];
        if (parts.size() - i + growing.size() >= 64 || t.nodes[p.node].count < worthwhile || grower.is_group(p)) {
            growing.push_back(p);
            continue;
        }
        const auto [left, right] = grower.cut(p);
        parts.push_back(left);
        parts.push_back(right);
    }
    std::vector<std::vector<TopologyNode>> grown(growing.size());
    parallel_for(growing.size(), threads, [&](std::size_t i) {
        Part p = growing[i];
        grown[i].reserve(t.nodes[p.node].count / 3 + 16);
        grown[i].push_back(t.nodes[p.node]);
        p.node = 0;
        Grower(sorted, grown[i], t.order.data()).grow(p);
    });
    // A part's root takes the place kept for it. The other nodes follow, moved by a constant.
    std::vector<std::size_t>& start = t.runs;
    start.resize(growing.size());
    std::size_t size = t.nodes.size();
    for (std::size_t i = 0; i < growing.size(); ++i) {
        start[i] = size;
        size += grown[i].size() - 1;
    }
    t.nodes.resize(size);
    parallel_for(growing.size(), threads, [&](std::size_t i) {
        for (std::size_t k = 0; k < grown[i].size(); ++k) {
            TopologyNode node = grown[i][k];
            if (node.child != 0) node.child += static_cast<std::uint32_t>(start[i] - 1);
            t.nodes[k == 0 ? growing[i].node : start[i] + k - 1] = node;
        }
    });
    return t;
}

}  // namespace graze::detail
