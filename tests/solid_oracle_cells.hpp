// SPDX-License-Identifier: Apache-2.0
// Pairs of solids made of cells of a grid. Counting the cells tells how they lie to each other.
//
// The unit cubes of a grid are cut into six tetrahedra each (Freudenthal, Kuhn): one for each order of the axes, along
// which a path leads from a cube's lowest corner to its highest. The tetrahedra of the grid with half the step divide
// them, also after a shift by half a unit. So two solids made of such cells have the same finer cells, and sets of
// integers tell all about them: every kind of contact occurs, and nothing is computed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "graze/math.hpp"
#include "scenes/random.hpp"
#include "scenes/soup.hpp"

namespace graze::test {

/// How two solids lie to each other, as `graze::Relation` names it.
enum class SolidRelation : std::uint8_t { Disjoint, Touching, Crossing, AInsideB, BInsideA, Equal };

struct SolidCase {
    scenes::Soup a, b;
    Affine a_from_b;
    SolidRelation relation;
    double volume;              ///< volume of the common part
    double volume_a, volume_b;  ///< in A's frame
    const char* kind;           ///< kind of the solids
};

namespace solid_oracle {

using scenes::Random;
using scenes::Soup;
using Int3 = std::array<int, 3>;

inline Int3 plus(const Int3& a, const Int3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 vector(const Int3& p) { return {1.0 * p[0], 1.0 * p[1], 1.0 * p[2]}; }

/// The six orders of the axes.
inline constexpr int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

/// A tetrahedron of the grid: its cube and an order.
struct Cell {
    Int3 cube;
    int order;
    friend auto operator<=>(const Cell&, const Cell&) = default;

    std::array<Int3, 4> corners() const {
        std::array<Int3, 4> v{cube, cube, cube, cube};
        for (int i = 1; i < 4; ++i)
            for (int k = i; k < 4; ++k) ++v[k][orders[order][i - 1]];
        return v;
    }
    /// Four times its centre.
    Int3 middle() const {
        Int3 sum{};
        for (const Int3& v : corners()) sum = plus(sum, v);
        return sum;
    }
};

using Cells = std::set<Cell>;

inline int floor_div(int a, int b) { return a / b - (a % b < 0); }

/// The cell of a point, in units of which `unit` are a step. A point on the border of cells gets one of them.
inline Cell cell_at(const Int3& p, int unit) {
    Cell c{};
    Int3 rest;
    for (int i = 0; i < 3; ++i) {
        c.cube[i] = floor_div(p[i], unit);
        rest[i] = p[i] - unit * c.cube[i];
    }
    for (int k = 0; k < 6; ++k)
        if (rest[orders[k][0]] >= rest[orders[k][1]] && rest[orders[k][1]] >= rest[orders[k][2]]) c.order = k;
    return c;
}

/// A map of the grid's axes with signs, then a scale in halves, then a shift in halves.
struct Placement {
    Int3 axis{0, 1, 2}, sign{1, 1, 1};
    int scale = 2;  ///< 1, 2 or 4
    Int3 shift{};

    int turn() const {
        const int even = (axis[1] - axis[0] + 3) % 3 == 1 ? 1 : -1;
        return even * sign[0] * sign[1] * sign[2];
    }
    /// The inverse, for points in sixteenths.
    Int3 back(const Int3& p) const {
        Int3 out{};
        for (int i = 0; i < 3; ++i) out[axis[i]] = sign[i] * (p[i] - 8 * shift[i]) * 2 / scale;
        return out;
    }
    Affine affine() const {
        Mat3 m{{Vec3{}, Vec3{}, Vec3{}}};
        for (int i = 0; i < 3; ++i) m.row[i][axis[i]] = sign[i] * scale / 2.0;
        const Vec3 t = vector(shift) * 0.5;
        if (scale == 2 && turn() > 0) return *Pose::from_matrix(m, t);
        return *Affine::from_matrix(m, t);
    }
};

/// The cells of half a step that a placed solid has, found among those around it by their centres.
inline Cells finer(const Cells& cells, const Placement& at) {
    Int3 low{1000, 1000, 1000}, high{-1000, -1000, -1000};
    for (const Cell& c : cells)
        for (const Int3& corner : {c.cube, plus(c.cube, {1, 1, 1})})
            for (int i = 0; i < 3; ++i) {
                const int x = at.sign[i] * corner[at.axis[i]] * at.scale + at.shift[i];
                low[i] = std::min(low[i], x);
                high[i] = std::max(high[i], x);
            }
    Cells out;
    Cell c{};
    for (c.cube[0] = low[0]; c.cube[0] < high[0]; ++c.cube[0])
        for (c.cube[1] = low[1]; c.cube[1] < high[1]; ++c.cube[1])
            for (c.cube[2] = low[2]; c.cube[2] < high[2]; ++c.cube[2])
                for (c.order = 0; c.order < 6; ++c.order) {
                    // A quarter of half a step is two sixteenths.
                    Int3 middle = c.middle();
                    for (int& x : middle) x *= 2;
                    if (cells.contains(cell_at(at.back(middle), 16))) out.insert(out.end(), c);
                }
    return out;
}

inline std::set<Int3> corners_of(const Cells& cells) {
    std::set<Int3> out;
    for (const Cell& c : cells)
        for (const Int3& v : c.corners()) out.insert(v);
    return out;
}

template <class Set>
bool share(const Set& a, const Set& b) {
    return std::ranges::any_of(a, [&](const auto& x) { return b.contains(x); });
}

/// Compares two sets of cells of one grid.
inline SolidRelation compare(const Cells& a, const Cells& b) {
    if (!share(a, b)) return share(corners_of(a), corners_of(b)) ? SolidRelation::Touching : SolidRelation::Disjoint;
    const auto within = [](const Cells& x, const Cells& y) { return std::ranges::includes(y, x); };
    if (within(a, b)) return within(b, a) ? SolidRelation::Equal : SolidRelation::AInsideB;
    return within(b, a) ? SolidRelation::BInsideA : SolidRelation::Crossing;
}

/// Collects triangles. Points with equal coordinates are one.
class Mesher {
public:
    void add(const Int3& a, const Int3& b, const Int3& c) {
        for (const Int3& p : {a, b, c}) {
            const auto [at, fresh] = numbers_.try_emplace(p, 0);
            if (fresh) at->second = soup_.add(vector(p));
            soup_.corners.push_back(at->second);
        }
    }
    /// The triangles in another order, each turned. The surface is the same.
    Soup shuffled(Random& random) {
        for (auto i = static_cast<std::uint32_t>(soup_.triangle_count()); i-- > 0;) {
            std::uint32_t *t = &soup_.corners[3 * i], *other = &soup_.corners[3 * random.below(i + 1)];
            std::swap_ranges(t, t + 3, other);
            std::rotate(t, t + random.below(3), t + 3);
        }
        return soup_;
    }

private:
    Soup soup_;
    std::map<Int3, std::uint32_t> numbers_;
};

/// The faces between a cell that a solid has and one that it has not.
inline Soup surface(const Cells& cells, Random& random) {
    struct Face {
        std::array<Int3, 3> corner;
        int count = 0;
    };
    std::map<std::array<Int3, 3>, Face> faces;
    for (const Cell& c : cells) {
        const std::array<Int3, 4> v = c.corners();
        // Orders that are even permutations have a positive volume.
        for (int i = 0; i < 4; ++i) {
            std::array<Int3, 3> f{v[(i + 1) % 4], v[(i + 2) % 4], v[(i + 3) % 4]};
            if ((i % 2 == 0) != (c.order < 3)) std::swap(f[0], f[1]);
            std::array<Int3, 3> key = f;
            std::ranges::sort(key);
            Face& face = faces[key];
            face.corner = f;
            ++face.count;
        }
    }
    Mesher mesh;
    for (const auto& [key, face] : faces)
        if (face.count == 1) mesh.add(face.corner[0], face.corner[1], face.corner[2]);
    return mesh.shuffled(random);
}

using Cubes = std::set<Int3>;

/// The surface of cubes, in rectangles with diagonals at random. Layers of the grid that are equal may become one.
inline Soup surface(const Cubes& cubes, Random& random) {
    std::array<std::vector<int>, 3> planes;
    const bool merge = random.below(2) == 0;
    for (int i = 0; i < 3; ++i) {
        std::map<int, std::set<Int3>> layers;
        for (Int3 c : cubes) layers[std::exchange(c[i], 0)].insert(c);
        for (int x = layers.begin()->first, last = layers.rbegin()->first + 1; x <= last; ++x)
            if (!merge || layers[x] != layers[x - 1]) planes[i].push_back(x);
    }
    Mesher mesh;
    const auto at = [&](const Int3& n) { return Int3{planes[0][n[0]], planes[1][n[1]], planes[2][n[2]]}; };
    const auto size = [&](int i) { return static_cast<int>(planes[i].size()) - 1; };
    Int3 n;
    for (n[0] = 0; n[0] < size(0); ++n[0])
        for (n[1] = 0; n[1] < size(1); ++n[1])
            for (n[2] = 0; n[2] < size(2); ++n[2])
                for (int i = 0; i < 3; ++i)
                    for (const int way : {0, 1}) {
                        if (!cubes.contains(at(n))) continue;
                        // The cube beyond the block's face.
                        Int3 beyond = at(n);
                        beyond[i] = way == 0 ? beyond[i] - 1 : planes[i][n[i] + 1];
                        if (cubes.contains(beyond)) continue;
                        const int j = (i + 1 + way) % 3, k = (i + 2 - way) % 3;
                        std::array<Int3, 4> q{n, n, n, n};  // turns left, seen from below
                        for (Int3& v : q) v[i] += way;
                        ++q[1][k], ++q[2][k], ++q[2][j], ++q[3][j];
                        const int first = random.below(2) ? 1 : 0;
                        mesh.add(at(q[first]), at(q[first + 1]), at(q[first + 2]));
                        mesh.add(at(q[first]), at(q[first + 2]), at(q[(first + 3) % 4]));
                    }
    return mesh.shuffled(random);
}

inline Cells cells_of(const Cubes& cubes) {
    Cells out;
    for (const Int3& c : cubes)
        for (int k = 0; k < 6; ++k) out.insert({c, k});
    return out;
}

inline Int3 random_int3(Random& random, int low, int high) {
    Int3 out;
    for (int& x : out) x = low + static_cast<int>(random.below(static_cast<std::uint32_t>(high - low + 1)));
    return out;
}

/// A few boxes, one of them perhaps hollow, or some cubes at random.
inline Cubes random_cubes(Random& random) {
    constexpr int most = 4;
    Cubes out;
    Int3 c;
    const auto each = [&](const Int3& low, const Int3& high, auto&& f) {
        for (c[0] = low[0]; c[0] < high[0]; ++c[0])
            for (c[1] = low[1]; c[1] < high[1]; ++c[1])
                for (c[2] = low[2]; c[2] < high[2]; ++c[2]) f(c);
    };
    switch (random.below(4)) {
        case 0:
            for (std::uint32_t n = 1 + random.below(20); n > 0; --n) out.insert(random_int3(random, 0, 2));
            break;
        case 1: {  // a hollow box
            const Int3 high = random_int3(random, 3, most);
            each({0, 0, 0}, high, [&](const Int3& p) { out.insert(p); });
            each({1, 1, 1}, plus(high, {-1, -1, -1}), [&](const Int3& p) {
                if (random.below(3) != 0) out.erase(p);
            });
            // Notches, which may touch the hollow in an edge or a corner, or open it.
            for (std::uint32_t n = random.below(4); n > 0; --n) out.erase(random_int3(random, 0, most - 1));
            break;
        }
        default:
            for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
                const Int3 low = random_int3(random, 0, most - 1), more = random_int3(random, 1, 3);
                Int3 high = plus(low, more);
                for (int& x : high) x = std::min(x, most);
                each(low, high, [&](const Int3& p) { out.insert(p); });
            }
    }
    return out;
}

inline Cells random_cells(Random& random) {
    Cells out;
    const std::uint32_t size = 1 + random.below(3), share = 1 + random.below(7);
    Cell c{};
    const auto n = static_cast<int>(size);
    for (c.cube[0] = 0; c.cube[0] < n; ++c.cube[0])
        for (c.cube[1] = 0; c.cube[1] < n; ++c.cube[1])
            for (c.cube[2] = 0; c.cube[2] < n; ++c.cube[2])
                for (c.order = 0; c.order < 6; ++c.order)
                    if (random.below(8) < share) out.insert(c);
    if (out.empty()) out.insert({{0, 0, 0}, static_cast<int>(random.below(6))});
    return out;
}

/// A placement of cubes, or of cells: their grid is symmetric under any order of the axes and a change of all signs.
inline Placement random_placement(Random& random, bool cubes) {
    Placement at;
    const auto& order = orders[random.below(6)];
    at.axis = {order[0], order[1], order[2]};
    const int all = random.below(2) ? 1 : -1;
    for (int& s : at.sign) s = cubes ? (random.below(2) ? 1 : -1) : all;
    // Mostly rigid.
    if (random.below(8) != 0 && at.turn() < 0) {
        if (cubes)
            at.sign[0] = -at.sign[0];
        else
            for (int& s : at.sign) s = -s;
    }
    if (random.below(8) == 0) at.scale = random.below(2) ? 1 : 4;
    const int step = random.below(3) == 0 ? 1 : 2;
    at.shift = random_int3(random, -5, 5);
    for (int i = 0; i < 3; ++i) {
        at.shift[i] *= step;
        // A negative sign takes the solid to the other side of the origin.
        if (at.sign[i] < 0) at.shift[i] += 4;
    }
    return at;
}

/// The set in its own frame that a placement, which is rigid or a mirror, takes to this one.
template <class Set>
Set placed_back(const Set& wanted, const Placement& at) {
    Set out;
    for (const auto& c : wanted) {
        if constexpr (std::is_same_v<Set, Cubes>) {
            Int3 middle;
            for (int i = 0; i < 3; ++i) middle[i] = 16 * c[i] + 8;
            out.insert(cell_at(at.back(middle), 16).cube);
        } else {
            Int3 middle = c.middle();
            for (int& x : middle) x *= 4;
            out.insert(cell_at(at.back(middle), 16));
        }
    }
    return out;
}

/// A set that has much to do with another one: itself, part of it, more than it, or what it leaves of a box.
template <class Set>
Set related(const Set& a, const Set& other, Random& random) {
    Set out = a;
    switch (random.below(5)) {
        case 0:
            return a;
        case 1:
            std::erase_if(out, [&](const auto&) { return random.below(3) == 0; });
            break;
        case 2:
            out.insert(other.begin(), other.end());
            return out;
        case 3:  // other without a
            out = other;
            std::erase_if(out, [&](const auto& c) { return a.contains(c); });
            break;
        default:  // all around a but for a
            for (const auto& c : a)
                for (int n = 0; n < 27; ++n) {
                    auto next = c;
                    Int3* cube;
                    if constexpr (std::is_same_v<Set, Cubes>)
                        cube = &next;
                    else
                        cube = &next.cube;
                    *cube = plus(*cube, {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1});
                    out.insert(next);
                }
            std::erase_if(out, [&](const auto& c) { return a.contains(c); });
    }
    return out.empty() ? other : out;
}

template <class A, class B>
SolidCase case_of(const A& a, const B& b, const Placement& at, const char* kind, Random& random) {
    const auto cells = [](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Cubes>)
            return cells_of(x);
        else
            return x;
    };
    const Cells fine_a = finer(cells(a), {}), fine_b = finer(cells(b), at);
    const auto common = std::ranges::count_if(fine_a, [&](const Cell& c) { return fine_b.contains(c); });
    // Half a step makes cubes of an eighth, and cells of a sixth of that.
    const auto volume = [](std::size_t n) { return static_cast<double>(n) / 48; };
    return {surface(a, random),
            surface(b, random),
            at.affine(),
            compare(fine_a, fine_b),
            volume(static_cast<std::size_t>(common)),
            volume(fine_a.size()),
            volume(fine_b.size()),
            kind};
}

/// Two sets of cells or of cubes, one perhaps derived from the other.
template <class Set, class Make>
SolidCase case_of_kind(const char* kind, bool cubes, Make&& make, Random& random) {
    const Set a = make(random), other = make(random);
    Placement at = random_placement(random, cubes);
    if (random.below(2) == 0) return case_of(a, other, at, kind, random);
    at.scale = 2;
    for (int& x : at.shift) x -= x % 2;
    return case_of(a, placed_back(related(a, other, random), at), at, kind, random);
}

}  // namespace solid_oracle

}  // namespace graze::test
