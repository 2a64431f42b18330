// SPDX-License-Identifier: Apache-2.0
#include "soup/weld.hpp"

#include <array>
#include <bit>

#include "base/float_environment.hpp"
#include "graze/soup.hpp"

namespace graze {

void detail::first_of_equals(std::span<const Vec3> points, std::vector<std::uint32_t>& first,
                             std::vector<std::uint32_t>& slots) {
    using Bits = std::array<std::uint64_t, 3>;
    constexpr std::uint32_t none = ~std::uint32_t{0};
    first.resize(points.size());
    slots.assign(std::bit_ceil(2 * points.size() + 1), none);
    for (std::uint32_t i = 0; i < points.size(); ++i) {
        const Bits bits = std::bit_cast<Bits>(points[i] + Vec3{});  // -0 becomes 0
        std::uint64_t h = bits[0] * 0x9e3779b97f4a7c15u;
        h = (std::rotl(h, 29) ^ bits[1]) * 0xbf58476d1ce4e5b9u;
        h = (std::rotl(h, 29) ^ bits[2]) * 0x94d049bb133111ebu;
        std::size_t at = (h ^ h >> 32) & (slots.size() - 1);
        while (slots[at] != none && points[slots[at]] != points[i]) at = (at + 1) & (slots.size() - 1);
        if (slots[at] == none) slots[at] = i;
        first[i] = slots[at];
    }
}

std::vector<std::uint32_t> detail::first_of_equals(std::span<const Vec3> points) {
    std::vector<std::uint32_t> first, slots;
    first_of_equals(points, first, slots);
    return first;
}

std::vector<std::uint32_t> first_of_equals(std::span<const Vec3> points) {
    const detail::DefaultFloats floats;
    return detail::first_of_equals(points);
}

}  // namespace graze
