// SPDX-License-Identifier: Apache-2.0
// Numbers of about a hundred bits that know how far off they are. They say whether a result is certainly rounded right;
// where they cannot, `Dyadic` computes it without rounding.
#pragma once

#include <cmath>

namespace graze::detail {

/// The unevaluated sum of two doubles, |low| ≤ 2^-53 |high|, and a bound of its distance from the true number. Where
/// something overflows, the bound is infinite or not a number.
///
/// With u = 2^-53: a sum rounds three times, by at most u² (|a| + |b|) each. A product drops low · low and rounds five
/// values, together at most 8u² |a b|. The code takes 2^-102 = 16u² for both, and 1.001 times errors that come from the
/// operands, which covers the rounding of the bounds. Below the normal doubles an operation is off by a few times
/// 2^-1074, and the code adds 2^-1000.
class DoubleDouble {
public:
    DoubleDouble(double x) : high_(x) {}  // NOLINT(google-explicit-constructor): a double is such a number

    bool negative() const { return high_ < 0; }

    friend DoubleDouble operator-(const DoubleDouble& a) { return {-a.high_, -a.low_, a.error_}; }
    friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
        const double sum = a.high_ + b.high_;
        return joined(sum, rest(a.high_, b.high_, sum) + (a.low_ + b.low_),
                      1.001 * (a.error_ + b.error_) +
                          (a.low_ == 0 && b.low_ == 0 ? 0 : rounding * (std::abs(a.high_) + std::abs(b.high_))));
    }
    friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
    friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
        const double product = a.high_ * b.high_, size_a = std::abs(a.high_), size_b = std::abs(b.high_);
        return joined(product, std::fma(a.high_, b.high_, -product) + (a.high_ * b.low_ + a.low_ * b.high_),
                      1.001 * (size_a * b.error_ + size_b * a.error_ + a.error_ * b.error_) +
                          rounding * std::abs(product) + tiny);
    }
    /// The second quotient is that of the rest by b.high, which differs from b by 2^-53 of itself and by its error. If
    /// that error is above a quarter of b, the bound is infinite.
    friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
        const double size = std::abs(b.high_), first = a.high_ / b.high_;
        const DoubleDouble left = a - b * first;
        const double off = left.error_ + std::abs(left.high_) * (0x1p-50 + 2 * b.error_ / size);
        return joined(first, left.high_ / b.high_, b.error_ < size / 4 ? 1.5 * off / size + tiny : INFINITY);
    }

    /// True when the double next to the true number is certain. It is then in x.
    bool round_to(double& x) const {
        x = high_;
        const double off = 1.001 * error_ + 0x1p-104 * std::abs(high_);
        return off < 0x1p1000 && high_ + (low_ + off) == high_ && high_ + (low_ - off) == high_;
    }

private:
    static constexpr double rounding = 0x1p-102, tiny = 0x1p-1000;

    DoubleDouble(double high, double low, double error) : high_(high), low_(low), error_(error) {}

    /// The exact rounding error a + b − sum of a rounded sum (Knuth).
    static double rest(double a, double b, double sum) {
        const double of_b = sum - a;
        return (a - (sum - of_b)) + (b - of_b);
    }
    static DoubleDouble joined(double high, double low, double error) {
        const double sum = high + low;
        return {sum, rest(high, low, sum), error};
    }

    double high_, low_ = 0, error_ = 0;
};

}  // namespace graze::detail
