// SPDX-License-Identifier: Apache-2.0
// Two small models, the truth about them, and the search for poses between touching and apart.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "scenes/random.hpp"
#include "scenes/soup.hpp"

namespace graze::test {

struct Extent {
    Vec3 low, high;
};

inline Extent extent(const Triangle& t) {
    Extent e;
    for (int k = 0; k < 3; ++k) {
        e.low[k] = std::min({t.a[k], t.b[k], t.c[k]});
        e.high[k] = std::max({t.a[k], t.b[k], t.c[k]});
    }
    return e;
}

inline bool apart(const Extent& p, const Extent& q) {
    for (int k = 0; k < 3; ++k)
        if (p.low[k] > q.high[k] || q.low[k] > p.high[k]) return true;
    return false;
}

/// Half the longest side; at any scale, where squares under- or overflow.
inline double radius(const Model& m) {
    Extent all = extent(m.triangle(0));
    for (std::uint32_t i = 1; i < m.triangle_count(); ++i) {
        const Extent e = extent(m.triangle(i));
        for (int k = 0; k < 3; ++k) {
            all.low[k] = std::min(all.low[k], e.low[k]);
            all.high[k] = std::max(all.high[k], e.high[k]);
        }
    }
    const Vec3 d = all.high - all.low;
    return std::max({d.x, d.y, d.z}) / 2;
}

/// Numbers of comparisons in this process.
struct Tally {
    std::uint64_t evaluations = 0, pairs = 0, clear = 0;
};
inline Tally& tally() {
    static Tally t;
    return t;
}

/// Two models, and the truth about them by the exact predicate alone.
class Duel {
public:
    Duel(const scenes::Soup& a, const scenes::Soup& b, const study::TreeSettings& of_a = {.threads = 1},
         const study::TreeSettings& of_b = {.threads = 1})
        : a_(*study::build(a, of_a)), b_(*study::build(b, of_b)) {
        for (std::uint32_t i = 0; i < a_.triangle_count(); ++i) {
            ta_.push_back(a_.triangle(i));
            ea_.push_back(extent(ta_.back()));
        }
        for (const Model* m : {&a_, &b_}) {
            const auto sound = m->validate();
            EXPECT_TRUE(sound.ok()) << sound.fault().message;
        }
    }

    const Model& a() const { return a_; }
    const Model& b() const { return b_; }

    bool meets(const Affine& pose) const {
        return !each_pair(pose, [](std::uint32_t, std::uint32_t) { return false; });
    }

    /// Compares one answer with the truth. False, and a failure with all that repeats it, when wrong.
    bool agrees(const Affine& pose) {
        ++tally().evaluations;
        truth_.clear();
        each_pair(pose, [&](std::uint32_t i, std::uint32_t j) {
            truth_.push_back({i, j});
            return true;
        });
        std::sort(truth_.begin(), truth_.end());
        found_.clear();
        collide(a_, b_, pose, contacts_, {.scratch = &scratch_});
        for (const Contact& c : contacts_) found_.push_back(c.triangles);
        std::sort(found_.begin(), found_.end());
        tally().pairs += truth_.size();
        tally().clear += truth_.empty();
        const bool any = intersects(a_, b_, pose, {.scratch = &scratch_});
        if (found_ == truth_ && any == !truth_.empty()) return true;
        report(pose, any);
        return false;
    }

    /// How far the tree had to look: 0 when a box parted the models, 1 when the float filter did or
    /// said that they meet, 2 when the exact predicate was asked.
    int effort(const Affine& pose) {
        QueryStats stats;
        collide(a_, b_, pose, contacts_, {.stats = &stats, .scratch = &scratch_});
        return stats.double_tests > 0 ? 2 : stats.triangle_tests > 0 ? 1 : 0;
    }

private:
    /// True when f never returned false.
    template <class F>
    bool each_pair(const Affine& pose, F f) const {
        for (std::uint32_t j = 0; j < b_.triangle_count(); ++j) {
            const Triangle own = b_.triangle(j), t{pose(own.a), pose(own.b), pose(own.c)};
            const Extent e = extent(t);
            for (std::uint32_t i = 0; i < ta_.size(); ++i)
                if (!apart(ea_[i], e) && meet(ta_[i], t) && !f(i, j)) return false;
        }
        return true;
    }

    void report(const Affine& pose, bool any) const {
        std::vector<TrianglePair> wrong;
        std::set_symmetric_difference(found_.begin(), found_.end(), truth_.begin(), truth_.end(),
                                      std::back_inserter(wrong));
        ADD_FAILURE() << wrong.size() << " wrong pairs of " << truth_.size() << "; intersects: " << any;
        std::printf("pose");
        for (const Vec3& r : pose.linear().row) std::printf(" %a %a %a", r.x, r.y, r.z);
        std::printf(" %a %a %a\n", pose.translation().x, pose.translation().y, pose.translation().z);
        if (wrong.empty()) return;
        const auto print = [](const char* name, std::uint32_t i, const Triangle& t) {
            std::printf("%s %u: %a %a %a, %a %a %a, %a %a %a\n", name, i, t.a.x, t.a.y, t.a.z, t.b.x, t.b.y, t.b.z,
                        t.c.x, t.c.y, t.c.z);
        };
        print("a", wrong[0].a, a_.triangle(wrong[0].a));
        print("b", wrong[0].b, b_.triangle(wrong[0].b));
    }

    Model a_, b_;
    std::vector<Triangle> ta_;
    std::vector<Extent> ea_;
    Scratch scratch_;
    std::vector<TrianglePair> truth_, found_;
    std::vector<Contact> contacts_;
};

/// The way of B along a line: translation = from + direction · s.
struct Line {
    Pose rotation;
    Vec3 from, direction;

    std::optional<Pose> at(double s) const {
        const auto p = Pose::from_matrix(rotation.rotation(), from + direction * s);
        if (!p) return {};
        return *p;
    }
};

/// Halves [inside, outside] until `is_inside` changes between neighbours. `is_inside(inside)` holds.
template <class F>
void bisect(double& inside, double& outside, F is_inside) {
    for (;;) {
        const double middle = inside + (outside - inside) / 2;
        if (middle == inside || middle == outside) return;
        (is_inside(middle) ? inside : outside) = middle;
    }
}

/// The last place on the line, from one that hits at s = 0 outwards, where the models meet.
inline std::optional<double> tie(const Duel& duel, const Line& line, double far) {
    const auto hits = [&](double s) {
        const std::optional<Pose> p = line.at(s);
        return p && duel.meets(*p);
    };
    if (!hits(0) || !line.at(far) || hits(far)) return {};
    double inside = 0, outside = far;
    bisect(inside, outside, hits);
    return inside;
}

inline double stepped(double x, int ulps) {
    const double to = ulps < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    for (int k = std::abs(ulps); k > 0; --k) x = std::nextafter(x, to);
    return x;
}

inline constexpr int ulps[] = {0, 1, -1, 2, -2, 3, -3, 5, -7, 12, -17, 33, -40, 64, -64};

/// Answers around a tie: neighbours to 64 units in the last place along the line, then of the
/// translation's coordinates and the matrix, then distances down from a 64th of `size` by powers of two.
inline bool probe(Duel& duel, const Line& line, double s, double size, scenes::Random& random) {
    bool good = true;
    const auto check = [&](const std::optional<Pose>& p) { good = good && (!p || duel.agrees(*p)); };
    for (const int k : ulps) check(line.at(stepped(s, k)));
    for (int e = 6 + static_cast<int>(random.below(2)); e < 54; e += 2) {
        check(line.at(s + std::ldexp(size, -e)));
        check(line.at(s - std::ldexp(size, -e)));
    }
    for (int k = 0; k < 6; ++k) {
        const std::optional<Pose> p = line.at(s);
        Mat3 r = p->rotation();
        Vec3 t = p->translation();
        const int step = ulps[1 + random.below(14)], axis = static_cast<int>(random.below(3));
        if (k < 3)
            t[k] = stepped(t[k], step);
        else
            r.row[static_cast<std::size_t>(k - 3)][axis] = stepped(r.row[static_cast<std::size_t>(k - 3)][axis], step);
        const auto q = Pose::from_matrix(r, t);
        if (q) check(*q);
    }
    return good;
}

}  // namespace graze::test
