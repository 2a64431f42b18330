// SPDX-License-Identifier: Apache-2.0
#include "rounding.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace graze::files {

namespace {

/// Longest number that a person writes, and that stands for itself.
constexpr int exact_digits = 4;
/// Digits that tell all numbers of single precision apart.
constexpr int single_digits = 9;

/// Half a unit in the last of `bits` binary digits of x.
double half_ulp(double x, int bits) {
    if (x == 0 || !std::isfinite(x)) return 0;
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(0.5, exponent - bits);
}

/// Number of significant digits of the shortest text that reads as x.
template <class T>
int digits_of(T x) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific).ptr;
    int digits = 0;
    for (const char* at = text.data(); at != end && *at != 'e'; ++at) digits += *at >= '0' && *at <= '9';
    return x == 0 ? 0 : digits;
}

/// The number after the `e` of another one.
int exponent_of(std::string_view text) {
    int out = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    std::from_chars(text.data(), text.data() + text.size(), out);
    return std::clamp(out, -1000, 1000);
}

}  // namespace

double largest_coordinate(std::span<const Vec3> points) {
    double most = 0;
    for (const Vec3& p : points) most = std::max({most, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    return most;
}

double single_rounding(double x) { return half_ulp(x, std::numeric_limits<float>::digits); }
double double_rounding(double x) { return half_ulp(x, std::numeric_limits<double>::digits); }

double placement_rounding(double x) {
    const int digits = digits_of(x);
    if (digits <= exact_digits) return 0;
    return digits <= single_digits || static_cast<double>(static_cast<float>(x)) == x ? single_rounding(x)
                                                                                      : double_rounding(x);
}
double placement_rounding(float x) { return digits_of(x) <= exact_digits ? 0 : single_rounding(x); }

double stretch(const Mat3& m) {
    // The largest eigenvalue of m mᵀ is at most its largest sum of a row.
    double most = 0;
    for (const Vec3& a : m.row) {
        double sum = 0;
        for (const Vec3& b : m.row) sum += std::abs(dot(a, b));
        most = std::max(most, sum);
    }
    return std::sqrt(most);
}

void scale(Mesh& mesh, double factor) {
    if (factor == 1) return;
    for (Vec3& p : mesh.points) p = p * factor;
    for (SimpleFace& face : mesh.faces) {
        face.point = face.point * factor;
        face.radius *= factor;
    }
    mesh.error = mesh.error * factor + double_rounding(largest_coordinate(mesh.points));
}

void WrittenDigits::count(std::string_view word) {
    int digits = 0, whole = 0, decimals = 0, zeros = 0, exponent = 0;
    bool after = false;
    for (const char& c : word) {
        if (c >= '0' && c <= '9') {
            zeros += after && digits == 0 && c == '0';
            digits += digits > 0 || c != '0';
            whole += digits > 0 && !after;
            decimals += after;
        } else if (c == '.') {
            after = true;
        } else if (c == 'e' || c == 'E') {
            exponent = exponent_of(word.substr(static_cast<std::size_t>(&c - word.data()) + 1));
            decimals = varying;
            break;
        }
    }
    least_decimals_ = std::min(least_decimals_, decimals);
    most_decimals_ = std::max(most_decimals_, decimals);
    if (digits <= exact || decimals == 0) return;
    const int magnitude = std::clamp((whole > 0 ? whole - 1 : -1 - zeros) + exponent, lowest, highest);
    ++counts_[static_cast<std::size_t>(magnitude - lowest)][static_cast<std::size_t>(std::min(digits, longest))];
}

double WrittenDigits::error(double largest, bool single) const {
    constexpr std::uint64_t few = 100;  // magnitudes with less than a hundredth of the numbers are ignored
    if (least_decimals_ == most_decimals_ && most_decimals_ > exact && most_decimals_ < varying)
        return std::max(0.5 * std::pow(10.0, -most_decimals_), double_rounding(largest));
    std::uint64_t all = 0;
    for (const auto& of_magnitude : counts_)
        for (const std::uint32_t count : of_magnitude) all += count;
    if (all == 0) return 0;
    double most = 0;
    int most_digits = 0;
    for (std::size_t m = 0; m < counts_.size(); ++m) {
        std::uint64_t sum = 0;
        for (const std::uint32_t count : counts_[m]) sum += count;
        if (sum == 0 || sum * few < all) continue;
        const int digits = static_cast<int>(std::ranges::max_element(counts_[m]) - counts_[m].begin());
        most = std::max(most, 0.5 * std::pow(10.0, static_cast<int>(m) + lowest + 1 - digits));
        most_digits = std::max(most_digits, digits);
    }
    const bool shortest = most_digits <= single_digits && least_decimals_ != most_decimals_;
    return std::max(most, single || shortest ? single_rounding(largest) : double_rounding(largest));
}

}  // namespace graze::files
