// SPDX-License-Identifier: Apache-2.0
// How far the numbers of a file may be from the numbers that were written to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "mesh_file.hpp"

namespace graze::files {

/// The largest magnitude of a coordinate.
double largest_coordinate(std::span<const Vec3> points);

/// Half the distance between numbers of single precision near x: what rounding to one may change.
double single_rounding(double x);
/// Half the distance between numbers of double precision near x.
double double_rounding(double x);

/// How much rounding may have changed a number of a placement that comes from JSON or from single precision. Numbers of
/// at most four digits are taken as exact, those of at most nine and those of single precision as rounded to it.
double placement_rounding(double x);
double placement_rounding(float x);

/// An upper bound on the factor by which a matrix stretches a vector. Exact for rotations, mirrorings and even scales.
double stretch(const Mat3& m);

/// Multiplies all lengths of a mesh, its error included.
void scale(Mesh& mesh, double factor);

/// The rounding error of a writer of decimal numbers, judged by the numbers of a file.
///
/// Where all numbers have the same decimals, more than four, the error is half a unit in the last decimal. Otherwise
/// the numbers of one magnitude usually have the same count of digits, six from `%g`: the error is half a unit in the
/// last of them, at the magnitude where that is most. Whole numbers, and those of at most four digits, are taken as
/// exact, and so is a file that has no others. Up to nine digits may be shortest forms of single precision.
class WrittenDigits {
public:
    /// Takes a word that is a number. Of many numbers, one in sixteen is looked at.
    void add(std::string_view word) {
        ++seen_;
        if (seen_ <= 10'000 || seen_ % 16 == 0) count(word);
    }

    /// The error of all points whose coordinates were added, of which `largest` is the largest. `single` says that the
    /// file declares single precision.
    double error(double largest, bool single = false) const;

private:
    static constexpr int exact = 4, longest = 20, lowest = -20, highest = 19;
    static constexpr int varying = 1000;  // decimals of a number with an exponent

    void count(std::string_view word);

    std::uint64_t seen_ = 0;
    int least_decimals_ = varying, most_decimals_ = 0;
    /// Numbers by the power of ten of their first digit and by their count of digits.
    std::array<std::array<std::uint32_t, longest + 1>, highest - lowest + 1> counts_{};
};

}  // namespace graze::files
