// SPDX-License-Identifier: Apache-2.0
// A search for the largest rounding error of a computation, measured against the bound that was derived for it.
// It climbs: a case is a list of doubles, a step changes a few of them in the ways that rounding errors feed on, and
// a change that does not lower the ratio |computed − exact| / bound is kept. A million random cases reach a sixth to a
// half of what the climb reaches.
#pragma once

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "case_count.hpp"
#include "graze/math.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"

namespace graze::test {

/// The reference. It carries 256 bits, so its own rounding is far below every bound measured here.
using Real = mpf_class;
using RealVector = std::array<Real, 3>;

inline constexpr unsigned reference_bits = 256;

/// Sets the precision that expressions of `Real` are computed with.
inline void use_reference_bits() { mpf_set_default_prec(reference_bits); }

inline RealVector real(const Vec3& v) { return {Real(v.x), Real(v.y), Real(v.z)}; }
inline RealVector minus(const RealVector& a, const RealVector& b) {
    return {Real(a[0] - b[0]), Real(a[1] - b[1]), Real(a[2] - b[2])};
}
inline Real dot(const RealVector& a, const RealVector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline RealVector cross(const RealVector& a, const RealVector& b) {
    return {Real(a[1] * b[2] - a[2] * b[1]), Real(a[2] * b[0] - a[0] * b[2]), Real(a[0] * b[1] - a[1] * b[0])};
}
inline RealVector mapped(const Mat3& m, const RealVector& v) {
    return {dot(real(m.row[0]), v), dot(real(m.row[1]), v), dot(real(m.row[2]), v)};
}

/// |computed − exact| / bound.
inline double error_ratio(double computed, const Real& exact, double bound) {
    const Real off = abs(exact - computed);
    return off.get_d() / bound;
}

using Genes = std::vector<double>;

/// One bound that the search attacks.
struct Target {
    std::string name;
    /// Draws a case to start from.
    std::function<Genes(scenes::Random&)> start;
    /// The ratio of a case. A negative number rejects a case that cannot occur.
    std::function<double(const Genes&)> ratio;
    /// A change that keeps a relation between genes, for example that nine of them are a rotation. May be empty.
    std::function<void(Genes&, scenes::Random&)> change;
};

namespace search {

inline double with_bits(double x, std::uint64_t clear, std::uint64_t set) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) & ~clear) | set);
}

/// Changes one gene: a bit of its mantissa, its exponent, its sign, or its relation to another gene.
inline void mutate(Genes& genes, scenes::Random& random) {
    const auto pick = [&]() -> double& { return genes[random.below(static_cast<std::uint32_t>(genes.size()))]; };
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
    double& x = pick();
    const double y = pick();
    switch (random.below(12)) {
        case 0:
        case 1:
        case 2:
            x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ std::uint64_t{1} << random.below(52));
            break;
        case 3:
            x = std::ldexp(x, random.below(2) ? 1 : -1);
            break;
        case 4:
            x = random.below(2) ? y : -y;
            break;
        case 5:  // cancels against the other
            x = random.below(2) ? x - y : x + y;
            break;
        case 6:  // next to the other
            x = y * (1 + std::ldexp(random.between(-1, 1), -static_cast<int>(random.below(54))));
            break;
        case 7:
            x = x * (1 + std::ldexp(random.between(-1, 1), -static_cast<int>(random.below(30))));
            break;
        case 8:  // a full or an empty mantissa
            x = with_bits(x, mantissa, random.below(2) ? mantissa : random.below(8));
            break;
        case 9: {  // next to the middle between two floats
            const std::uint64_t low = (std::uint64_t{1} << 29) - 1, middle = std::uint64_t{1} << 28;
            x = with_bits(x, low, random.below(2) ? middle - 1 : middle + 1);
            break;
        }
        case 10:
            x = std::nextafter(x, random.below(2) ? 1e300 : -1e300);
            break;
        default:
            x = random.between(-1, 1);
    }
}

}  // namespace search

/// The number of cases per bound. A case takes a few microseconds, so there are ten for each that GRAZE_LONG
/// asks for.
inline unsigned search_cases() { return 10 * static_cast<unsigned>(case_count(10'000, 2'000)); }

/// The largest ratio found in `cases` evaluations; the climb starts eight times. A ratio above 1 ends the search.
inline double climb(const Target& target, unsigned cases, std::uint64_t seed) {
    use_reference_bits();
    scenes::Random random(seed);
    double best = 0;
    const unsigned restarts = 8, steps = std::max(1u, cases / restarts);
    for (unsigned r = 0; r < restarts && best <= 1; ++r) {
        Genes now = target.start(random), next;
        double ratio = target.ratio(now);
        for (unsigned k = 1; k < steps && best <= 1; ++k) {
            next = now;
            if (target.change && random.below(8) == 0) target.change(next, random);
            for (unsigned n = 1 + random.below(3); n > 0; --n) search::mutate(next, random);
            const double changed = target.ratio(next);
            // Early on a step may lose a little: that leads out of small maxima.
            const double loss = 0.1 * (1 - 1.5 * k / steps);
            if (!(changed >= ratio * (1 - std::max(0.0, loss)))) continue;
            now.swap(next);
            ratio = changed;
            best = std::max(best, ratio);
        }
    }
    return best;
}

/// Attacks a bound, prints and records the fraction of it that was attained, and fails where that exceeds 1.
inline double attack(const Target& target, std::uint64_t seed) {
    const double attained = climb(target, search_cases(), seed);
    std::printf("%-28s %5.1f %% of the bound attained\n", target.name.c_str(), 100 * attained);
    testing::Test::RecordProperty(target.name, std::to_string(attained));
    EXPECT_LE(attained, 1) << target.name;
    return attained;
}

}  // namespace graze::test
