// SPDX-License-Identifier: Apache-2.0
#include "tree/volume.hpp"

#include <algorithm>

namespace graze::detail {

namespace {

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

}  // namespace

std::array<int, 3> longest_first(const Vec3& sizes) {
    std::array<int, 3> order{0, 1, 2};
    const auto longer = [&](int i, int j) { return sizes[i] > sizes[j] || (sizes[i] == sizes[j] && i < j); };
    std::sort(order.begin(), order.end(), longer);
    return order;
}

Placement::Placement(const Frame& a, const Frame& b, const Affine& a_from_b, double margin_length)
    : matrix(a_from_b.linear()) {
    double most = 2;  // no entry of a pose exceeds 1.01
    int shift = 0;
    if (!a_from_b.rigid()) {
        most = std::max({largest(matrix.row[0]), largest(matrix.row[1]), largest(matrix.row[2])});
        shift = std::ilogb(most);
        // Entry by entry, because 2^-shift may overflow.
        for (Vec3& row : matrix.row)
            row = {std::ldexp(row.x, -shift), std::ldexp(row.y, -shift), std::ldexp(row.z, -shift)};
    }
    // At most slightly more than 9 · 2^1020.
    const double full = largest(a.centre) + largest(a_from_b.translation()) +
                        3 * most * (largest(b.centre) + std::ldexp(1, b.exponent));
    exponent = std::max({a.exponent, b.exponent + shift, std::ilogb(full) - 60});
    const double per_unit = std::ldexp(1, -exponent);
    a_unit = std::ldexp(1, a.exponent - exponent);
    b_unit = std::ldexp(1, b.exponent + shift - exponent);
    offset = (a_from_b(b.centre) - a.centre) * per_unit;
    reach = full * per_unit;
    margin = margin_length * per_unit * (1 + 0x1p-50);
}

}  // namespace graze::detail
