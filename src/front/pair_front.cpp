// SPDX-License-Identifier: Apache-2.0
#include "front/pair_front.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace graze::detail {

namespace {

constexpr float untested = -std::numeric_limits<float>::infinity();

template <class T>
void copy_to(std::vector<T>& to, std::size_t at, const std::vector<T>& from, std::size_t first, std::size_t last) {
    std::copy(from.data() + first, from.data() + last, to.data() + at);
}

}  // namespace

void PairFront::Records::reserve(std::size_t more) {
    if (count + more <= due.size()) return;
    const std::size_t room = std::max(2 * due.size(), count + more);
    due.resize(room);
    level.resize(room);
    pair.resize(room);
    plane.resize(room);
}

inline void PairFront::Records::put(float when, std::uint32_t depth, const NodePair& nodes) {
    reserve(1);
    due[count] = when;
    level[count] = depth * 4 + Opened;
    pair[count] = nodes;
    ++count;
}

inline void PairFront::Records::put(float when, std::uint32_t depth, Kind kind, const NodePair& nodes,
                                    const SeparatingPlane& between) {
    put(when, depth, nodes);
    level[count - 1] += kind;
    plane[leaves] = between;
    ++leaves;
}

void PairFront::Records::append(const Records& other, std::size_t from, std::size_t to, std::size_t leaf_from,
                                std::size_t leaf_to) {
    reserve(to - from);
    copy_to(due, count, other.due, from, to);
    copy_to(level, count, other.level, from, to);
    copy_to(pair, count, other.pair, from, to);
    copy_to(plane, leaves, other.plane, leaf_from, leaf_to);
    count += to - from;
    leaves += leaf_to - leaf_from;
}

std::size_t PairFront::Records::bytes() const {
    return due.capacity() * sizeof(float) + level.capacity() * sizeof(std::uint32_t) +
           pair.capacity() * sizeof(NodePair) + plane.capacity() * sizeof(SeparatingPlane);
}

namespace {

/// A search from a front. It reads the records of the last query in order and writes those for the next one.
///
/// It is also the visitor of the walk below a pair that is no longer apart, where each test becomes a record.
template <PairTree A, PairTree B>
class PairFrontSearch {
    using Volume = typename A::Volume;
    using Kind = PairFront::Kind;
    using Records = PairFront::Records;

public:
    PairFrontSearch(const A& a, const B& b, const Search& search, const FrontStep& step, PairFront& front,
                    std::vector<NodePair>& scratch, QueryStats& stats)
        : a_(a),
          b_(b),
          search_(search),
          step_(step),
          front_(front),
          old_(front.records),
          next_(front.next),
          scratch_(scratch),
          stats_(stats),
          test_(a.frame, b.frame, search.a_from_b, search.margin),
          planes_(a.frame, b.frame, search.a_from_b, search.margin, front.planes ? &*front.planes : nullptr),
          // Clamped, so that no product with a gap overflows. Claims only become smaller.
          scale_(std::min(std::ldexp(step.inv_unit, test_.exponent()), 0x1p500)) {}

    bool run() {
        if (a_.empty() || b_.empty()) return true;
        const QueryStats before = stats_;
        start();
        const std::size_t asks = ask_planes(ask_dues());
        next_.clear();
        next_.reserve(old_.count);
        std::size_t done = 0, leaf = 0, k = 0;  // positions in the records of the last query
        bool finished = true;
        for (; k < asks && finished; ++k) {
            if (k + 3 < asks) fetch_both(old_.pair[front_.asks[k + 3].record]);
            const PairFront::Ask ask = front_.asks[k];
            if (ask.record < done) continue;  // below a pair that is apart
            next_.append(old_, done, ask.record, leaf, ask.leaf);
            done = ask.record + 1;
            leaf = ask.leaf;
            const std::uint32_t depth = old_.level[ask.record] / 4, kind = old_.level[ask.record] % 4;
            const NodePair pair = old_.pair[ask.record];
            if (kind == Kind::Opened) {
                if (still_open(pair, depth)) continue;
                for (; done < old_.count && old_.level[done] / 4 > depth; ++done)
                    leaf += old_.level[done] % 4 != Kind::Opened;
            } else {
                ++leaf;
                const SeparatingPlane& plane = old_.plane[ask.leaf];
                finished =
                    kind == Kind::Walked ? walk(pair, depth, old_.due[ask.record]) : look(pair, depth, kind, plane);
            }
        }
        next_.append(old_, done, old_.count, leaf, old_.leaves);
        assess(before);
        std::swap(front_.records, front_.next);
        return finished;
    }

    // The interface of a `PairVisitor`.
    using Task = PairFront::Open;
    static constexpr bool nearest_first = false;
    static constexpr double limit() { return 0; }
    Arrival arrive(const Task& task) {
        if (!small(task)) {
            next_.put(task.due, task.depth, task);
            return Arrival::Open;
        }
        next_.put(task.due, task.depth, Kind::Walked, task, {});
        return plain(task) ? Arrival::Done : Arrival::Stop;
    }
    template <class InA, class InB>
    double bound(const Task& parent, const NodePair& child, const InA& in_a, const InB& in_b, Task& next) {
        const Finding found = test_.find(in_a, in_b);
        if (found.gap > 0) {
            put_apart(child, parent.depth + 1, found);
            return std::numeric_limits<double>::infinity();
        }
        next = {child, parent.depth + 1, due(found.depth)};
        return 0;
    }
    Step leaves(const Task& task, std::span<const std::uint32_t> in_a, std::span<const std::uint32_t> in_b) {
        return meet(task, task.depth, in_a, in_b) ? Step::Continue : Step::Stop;
    }

private:
    void start() {
        // If the summed turns are large, the numbers noted with them have lost most of their precision.
        if (!(planes_.turned() < 256)) {
            front_.clear();
            front_.planes.reset();
        } else {
            const bool as_noted = !step_.reshaped && front_.planes && planes_.same_units(*front_.planes);
            for (std::size_t i = 0; i < old_.leaves && !as_noted; ++i) old_.plane[i].rest = untested;
            front_.planes = planes_;
        }
        if (old_.count == 0) old_.put(untested, 0, Kind::Volumes, {a_.root(), b_.root()}, {});
    }

    /// Compares the work of this search with that of a plain one, which tests about every pair on record. The weights
    /// were measured in units of a plain test. A front's tests cost more: they are of close pairs, share no work and
    /// are recorded.
    void assess(const QueryStats& before) {
        constexpr bool boxes = std::same_as<Volume, Obb>;
        const auto since = [&](std::uint64_t QueryStats::* n) { return static_cast<double>(stats_.*n - before.*n); };
        const auto records = static_cast<double>(old_.count);
        const double tests = (boxes ? 2.3 : 4.0) * since(&QueryStats::box_tests),
                     axes = (boxes ? 0.3 : 0.5) * since(&QueryStats::axis_tests),
                     triangles = 4 * since(&QueryStats::triangle_tests), reading = (boxes ? 0.05 : 0.1) * records;
        front_.pays = tests + axes + triangles + reading < 0.95 * records;
    }

    /// Lists the records whose claims have expired and returns their number. Branch-free: whether a claim has expired
    /// is unpredictable.
    std::size_t ask_dues() {
        auto& asks = front_.asks;
        if (asks.size() < old_.count) asks.resize(std::max(old_.count, 2 * asks.size()));
        const float reading = step_.reading();
        const unsigned pruning = step_.prune;
        std::size_t asked = 0, leaf = 0;
        for (std::size_t i = 0; i < old_.count; ++i) {
            const std::uint32_t kind = old_.level[i] % 4;
            const unsigned is_leaf = kind != Kind::Opened, is_walked = kind == Kind::Walked;
            const unsigned is_due = !(reading < old_.due[i]);
            asks[asked] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(leaf)};
            asked += (is_due & (is_leaf | pruning)) | is_walked;
            leaf += is_leaf;
        }
        stats_.kept += old_.leaves;
        return asked;
    }

    /// Renews the claims of listed leaves that their plane still separates. The others stay on the list; returns their
    /// number.
    std::size_t ask_planes(std::size_t asked) {
        auto& asks = front_.asks;
        std::size_t left = 0, opened = 0;
        for (std::size_t k = 0; k < asked; ++k) {
            const PairFront::Ask ask = asks[k];
            const unsigned kind = old_.level[ask.record] % 4;
            const unsigned by_plane = (kind == Kind::Volumes) | (kind == Kind::Triangles);
            // For other kinds this is some leaf's plane or none, and the result is not used. A gap that is not positive
            // is due at once.
            const double gap = planes_.gap(old_.plane[ask.leaf]);
            const float when[2] = {old_.due[ask.record], due(gap)};
            old_.due[ask.record] = when[by_plane];
            asks[left] = ask;
            left += !(by_plane & static_cast<unsigned>(gap > 0));
            opened += kind == Kind::Opened;
        }
        stats_.kept -= asked - opened;
        stats_.axis_tests += asked - left;
        return left;
    }

    /// Measures both volumes again along a plane that was noted. True when the plane still separates them.
    bool along_plane(const NodePair& pair, std::uint32_t depth, SeparatingPlane plane) {
        planes_.look(plane, a_.volume(pair.a), b_.volume(pair.b));
        const double gap = planes_.gap(plane);
        if (!(gap > 0)) return false;
        ++stats_.axis_tests;
        next_.put(due(gap), depth, Kind::Volumes, pair, plane);
        return true;
    }

    template <class Tree>
    static void fetch(const Tree& tree, std::uint32_t node) {
        if constexpr (std::is_reference_v<decltype(tree.volume(node))>) {
            const auto* at = reinterpret_cast<const char*>(&tree.volume(node));
            for (std::size_t i = 0; i < sizeof(Volume); i += 64) __builtin_prefetch(at + i);
        }
    }
    void fetch_both(const NodePair& pair) const {
        fetch(a_, pair.a);
        fetch(b_, pair.b);
    }

    float due(double gap) const { return step_.due(gap * scale_); }

    void put_apart(const NodePair& pair, std::uint32_t depth, const Finding& found) {
        next_.put(due(found.gap), depth, Kind::Volumes, pair, planes_.note(found, b_.volume(pair.b)));
    }

    bool still_open(const NodePair& pair, std::uint32_t depth) {
        ++stats_.box_tests;
        const Finding found = test_.find(a_.volume(pair.a), b_.volume(pair.b));
        if (found.gap > 0) {
            put_apart(pair, depth, found);
            return false;
        }
        next_.put(due(found.depth), depth, pair);
        return true;
    }

    bool look(const NodePair& pair, std::uint32_t depth, std::uint32_t kind, const SeparatingPlane& plane) {
        if (kind == Kind::Volumes && plane.rest == untested && along_plane(pair, depth, plane)) return true;
        ++stats_.box_tests;
        const Finding found = test_.find(a_.volume(pair.a), b_.volume(pair.b));
        if (!(found.gap > 0)) return sprout({pair, depth, due(found.depth)});
        put_apart(pair, depth, found);
        return true;
    }

    /// Goes down from a pair that is not apart. Pairs that the walk does not reach are recorded as untested.
    bool sprout(const PairFront::Open& top) {
        auto& stack = front_.stack;
        stack.push_back(top);
        const bool finished = walk_pairs(a_, b_, test_, stack, stats_.box_tests, *this);
        for (; !stack.empty(); stack.pop_back())
            next_.put(untested, stack.back().depth, Kind::Volumes, stack.back(), {});
        return finished;
    }

    /// Records a pair below which everything is walked each time.
    bool walk(const NodePair& pair, std::uint32_t depth, float when) {
        if (step_.reading() < when && small(pair)) {
            next_.put(when, depth, Kind::Walked, pair, {});
            return plain(pair);
        }
        return look(pair, depth, Kind::Volumes, {});
    }

    /// Whether both nodes are smaller than what the front keeps (equation 3).
    bool small(const NodePair& pair) const {
        const double size = std::max(test_.a_size(a_.volume(pair.a)), test_.b_size(b_.volume(pair.b)));
        return size * small_ < step_.motion;
    }

    /// Walks everything below a pair without keeping it.
    bool plain(const NodePair& pair) {
        const auto found = [&](std::uint32_t i, std::uint32_t j) { return search_.report(i, j); };
        ContactVisitor visitor(test_, search_.a.geometry, search_.b.geometry, search_.a_from_b, search_.margin, stats_,
                               found);
        scratch_.assign(1, pair);
        return walk_pairs(a_, b_, test_, scratch_, stats_.box_tests, visitor);
    }

    static TriangleSide corners(const Geometry& geometry, const Frame& frame, std::uint32_t triangle) {
        const Triangle t = geometry.triangle(triangle);
        return {{frame.local(t.a), frame.local(t.b), frame.local(t.c)}};
    }

    /// Tests two leaves that are not known to be apart. If each has one triangle, a plane between them is noted if
    /// there is one.
    bool meet(const NodePair& pair, std::uint32_t depth, std::span<const std::uint32_t> in_a,
              std::span<const std::uint32_t> in_b) {
        if (in_a.size() != 1 || in_b.size() != 1) {
            next_.put(untested, depth, Kind::Walked, pair, {});
            return plain(pair);
        }
        const auto side_a = [&] { return corners(search_.a.geometry, a_.frame, in_a[0]); };
        const auto side_b = [&] { return corners(search_.b.geometry, b_.frame, in_b[0]); };
        const Affine& map = search_.a_from_b;
        const Triangle s = search_.a.geometry.triangle(in_a[0]), own = search_.b.geometry.triangle(in_b[0]);
        const Triangle t{map(own.a), map(own.b), map(own.c)};
        ++stats_.triangle_tests;
        if (decide(s, t, search_.margin, stats_)) {
            next_.put(untested, depth, Kind::Triangles, pair, {});
            return search_.report(in_a[0], in_b[0]) == Step::Continue;
        }
        SeparatingPlane plane;
        double gap = 0;
        const double per_unit = std::ldexp(1, -planes_.exponent());
        const auto place = [&](const Vec3& p) { return (p - a_.frame.centre) * per_unit; };
        Vec3 axis;
        if (separating_axis({place(s.a), place(s.b), place(s.c)}, {place(t.a), place(t.b), place(t.c)}, axis)) {
            plane = planes_.note(axis, side_a(), side_b());
            gap = planes_.gap(plane);
        }
        next_.put(gap > 0 ? due(gap) : untested, depth, Kind::Triangles, pair, plane);
        return true;
    }

    const A& a_;
    const B& b_;
    const Search& search_;
    const FrontStep& step_;
    PairFront& front_;
    Records &old_, &next_;
    std::vector<NodePair>& scratch_;
    QueryStats& stats_;
    const PairTest<Volume> test_;
    const PlaneTest planes_;
    const double scale_;                          // from the tests' units to the front's lengths
    const double small_ = scale_ * step_.sprout;  // NaN on underflow; then nothing is small
};

}  // namespace

bool pair_front_search(const Search& search, const FrontStep& step, PairFront& front, std::vector<NodePair>& stack,
                       QueryStats& stats) {
    return with_trees(search.a, search.b, [&](const auto& a, const auto& b) {
        return PairFrontSearch(a, b, search, step, front, stack, stats).run();
    });
}

}  // namespace graze::detail
