// SPDX-License-Identifier: Apache-2.0
// The public broad phase against all pairs in rational arithmetic.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "graze/broad_phase.hpp"
#include "scenes/random.hpp"

namespace graze {

void PrintTo(const BoxPair& p, std::ostream* out) { *out << p.a << '-' << p.b; }

namespace {

using scenes::Random;
constexpr double infinity = std::numeric_limits<double>::infinity();

Box box(const Vec3& lo, const Vec3& hi) { return *Box::between(lo, hi); }

bool near(const Box& a, const Box& b, double length) {
    if (a.empty() || b.empty() || length < 0) return false;
    if (!std::isfinite(length)) return true;
    mpq_class sum = 0;
    for (int i = 0; i < 3; ++i) {
        mpq_class gap = 0;
        if (b.lo()[i] > a.hi()[i]) gap = mpq_class(b.lo()[i]) - mpq_class(a.hi()[i]);
        if (a.lo()[i] > b.hi()[i]) gap = mpq_class(a.lo()[i]) - mpq_class(b.hi()[i]);
        sum += gap * gap;
    }
    return sum <= mpq_class(length) * mpq_class(length);
}

/// Boxes of many sizes; with a grid, so that bounds and distances are often equal.
std::vector<Box> boxes_of(Random& random, std::size_t n, double grid, double scale) {
    std::vector<Box> out;
    for (std::size_t i = 0; i < n; ++i) {
        if (random.below(40) == 0) {
            out.emplace_back();
            continue;
        }
        Vec3 lo = random.in_cube(0, 12), size = random.in_cube(0, 2);
        if (random.below(10) == 0) size = size * 5;
        Vec3 hi = lo + size;
        for (int k = 0; k < 3; ++k) {
            if (grid > 0) {
                lo[k] = std::round(lo[k] / grid) * grid;
                hi[k] = std::round(hi[k] / grid) * grid;
            }
            lo[k] *= scale;
            hi[k] *= scale;
            if (random.below(60) == 0) lo[k] = -infinity;
            if (random.below(60) == 0) hi[k] = infinity;
        }
        out.push_back(box(lo, hi));
    }
    return out;
}

std::vector<BoxPair> all_pairs(const std::vector<Box>& boxes, double length) {
    std::vector<BoxPair> out;
    for (std::uint32_t a = 0; a < boxes.size(); ++a)
        for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
            if (near(boxes[a], boxes[b], length)) out.push_back({a, b});
    return out;
}

std::vector<BoxPair> all_pairs(const std::vector<Box>& as, const std::vector<Box>& bs, double length) {
    std::vector<BoxPair> out;
    for (std::uint32_t a = 0; a < as.size(); ++a)
        for (std::uint32_t b = 0; b < bs.size(); ++b)
            if (near(as[a], bs[b], length)) out.push_back({a, b});
    return out;
}

TEST(BoxPairs, AgreeWithAllPairs) {
    Random random(41);
    std::size_t found = 0;
    for (const double scale : {1.0, 0x1p-90, 0x1p200, 0x1p-600, 0x1p600})
        for (const std::size_t n : {5u, 80u, 160u})
            for (const double grid : {0.0, 0.5}) {
                const std::vector<Box> a = boxes_of(random, n, grid, scale), b = boxes_of(random, 70, grid, scale);
                const auto lap = overlapping_pairs(a);
                EXPECT_EQ(lap, all_pairs(a, 0));
                EXPECT_EQ(overlapping_pairs(a, b), all_pairs(a, b, 0));
                for (const double length : {0.0, 0.5, std::sqrt(0.5), 1.25, -1.0}) {
                    EXPECT_EQ(pairs_within(a, length * scale, {.threads = 2}), all_pairs(a, length * scale))
                        << n << ' ' << grid << ' ' << scale << ' ' << length;
                    EXPECT_EQ(pairs_within(a, b, length * scale), all_pairs(a, b, length * scale))
                        << n << ' ' << grid << ' ' << scale << ' ' << length;
                }
                found += lap.size();
            }
    EXPECT_GT(found, 1000u);
}

TEST(BoxPairs, ExactlyAtTheLength) {
    // Gaps of 3, 4 and 12 are a distance of 13; each neighbouring double of a bound decides.
    const Box a = box({0, 0, 0}, {1, 1, 1}), b = box({4, 5, 13}, {6, 6, 14});
    EXPECT_TRUE(within(a, b, 13));
    EXPECT_FALSE(within(a, b, std::nextafter(13.0, 0)));
    EXPECT_FALSE(within(a, box({4, 5, std::nextafter(13.0, 14)}, {6, 6, 14}), 13));
    // The gap 1 + 2^-60 is no double.
    const Box c = box({-1, 0, 0}, {-0x1p-60, 1, 1}), d = box({1, 0, 0}, {2, 1, 1});
    EXPECT_FALSE(within(c, d, 1));
    EXPECT_TRUE(within(c, d, std::nextafter(1.0, 2)));
    // Boxes that share a corner, and boxes that miss it by the least double.
    EXPECT_TRUE(overlap(a, box({1, 1, 1}, {2, 2, 2})));
    EXPECT_FALSE(overlap(box({-1, -1, -1}, {0, 0, 0}), box({5e-324, 0, 0}, {1, 1, 1})));
    EXPECT_FALSE(overlap(Box(), box({-infinity, -infinity, -infinity}, {infinity, infinity, infinity})));
}

TEST(BoxPairs, MoreThanFloatsCanTellApart) {
    // A thousand boxes in a row whose gaps are below the precision of floats: every second gap is closed.
    std::vector<Box> row;
    double x = 1;
    for (int i = 0; i < 1000; ++i) {
        const double end = std::nextafter(x, 2);
        row.push_back(box({x, 0, 0}, {end, 1, 1}));
        x = i % 2 == 0 ? end : std::nextafter(end, 2);
    }
    EXPECT_EQ(overlapping_pairs(row).size(), 500u);
    EXPECT_EQ(pairs_within(row, 0x1p-52).size(), 999u);
}

TEST(BoxPairs, NoLimitMeansEveryPair) {
    const std::vector<Box> boxes{box({0, 0, 0}, {1, 1, 1}), Box(), box({9e99, 0, 0}, {9e99, 1, 1})};
    const std::vector<BoxPair> one{{0, 2}};
    EXPECT_EQ(pairs_within(boxes, infinity), one);
    EXPECT_EQ(pairs_within(boxes, std::numeric_limits<double>::quiet_NaN()), one);
    EXPECT_EQ(pairs_within(boxes, 1e300), one);
    EXPECT_TRUE(pairs_within(boxes, -infinity).empty());
    EXPECT_TRUE(overlapping_pairs(std::span<const Box>()).empty());
}

}  // namespace
}  // namespace graze
