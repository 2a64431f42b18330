// SPDX-License-Identifier: Apache-2.0
#include "scenes/city.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/parts.hpp"
#include "scenes/random.hpp"

namespace graze::scenes {

namespace {

constexpr std::array<const char*, 4> names = {"tank", "pipe", "beam", "cabinet"};
constexpr std::array<const char*, 4> kinds = {"crossing", "inside", "duplicate", "touching"};
enum Shape : std::size_t { tank, pipe, beam, cabinet };

double snapped(double x) { return std::floor(x * 0x1p13 + 0.5) * 0x1p-13; }

/// The soup stretched to fill [0, 1]³.
Soup filling(Soup soup) {
    Vec3 low = soup.points[0], high = low;
    for (const Vec3& p : soup.points)
        for (int d = 0; d < 3; ++d) {
            low[d] = std::min(low[d], p[d]);
            high[d] = std::max(high[d], p[d]);
        }
    for (Vec3& p : soup.points)
        for (int d = 0; d < 3; ++d) p[d] = (p[d] - low[d]) / (high[d] - low[d]);
    return soup;
}

std::vector<Soup> shapes_of(std::uint32_t triangles) {
    const Knot of_tank[] = {{0, 0},      {0.35, 0},    {0.35, 0.2}, {0.45, 0.3}, {0.45, 1.3},
                            {0.4, 1.43}, {0.28, 1.53}, {0.14, 1.6}, {0, 1.625}};
    const Knot of_pipe[] = {{0.75, 0}, {1, 0}, {1, 8}, {0.75, 8}};
    std::vector<Cell> of_beam;
    for (int z = 0; z < 8; ++z)
        for (const auto& [x, y] : {std::pair(0, 0), {1, 0}, {2, 0}, {1, 1}, {0, 2}, {1, 2}, {2, 2}})
            of_beam.push_back({x, y, z});
    const Cell of_cabinet[] = {{0, 0, 0}};
    return {filling(revolved(of_tank, false, triangles)), filling(revolved(of_pipe, true, triangles)),
            filling(cells(of_beam, {1, 1, 1}, triangles)), filling(cells(of_cabinet, {1, 1, 1}, triangles))};
}

}  // namespace

City::City(std::uint32_t parts, std::uint32_t triangles, std::uint32_t clashes, std::uint64_t seed)
    : parts_(parts),
      clashes_(std::min(clashes, parts / 2)),
      pairs_(std::min(clashes_ + parts / 5, parts / 2)),
      across_(1),
      seed_(seed),
      shapes_(shapes_of(triangles)) {
    // Eight times as long and wide as it is high; the smallest are one layer.
    while (1.0 * across_ * across_ * std::max(1.0, across_ / 8.0) < rooms()) ++across_;
}

std::uint32_t City::room_of_pair(std::uint32_t pair) const {
    // Somewhere within its share of the rooms, which has at least one: rows of rooms are to show no pattern.
    const std::uint64_t first = std::uint64_t{pair} * rooms() / pairs_,
                        next = (std::uint64_t{pair} + 1) * rooms() / pairs_;
    Random random(seed_ + pair);
    return static_cast<std::uint32_t>(first + random.bits() % (next - first));
}

std::uint32_t City::pair_of_clash(std::uint32_t clash) const {
    return static_cast<std::uint32_t>(std::uint64_t{clash} * pairs_ / clashes_);
}

std::optional<std::uint32_t> City::clash_of_pair(std::uint32_t pair) const {
    if (clashes_ == 0) return {};
    const auto clash = static_cast<std::uint32_t>((std::uint64_t{pair} * clashes_ + pairs_ - 1) / pairs_);
    if (clash >= clashes_ || pair_of_clash(clash) != pair) return {};
    return clash;
}

City::Place City::place(std::uint32_t i) const {
    if (pairs_ == 0) return {i, {}, false};
    // The first part of pair k has the number room_of_pair(k) + k, which grows with k.
    std::uint32_t low = 0, high = pairs_;  // pairs whose first part comes no later than part i
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (room_of_pair(middle) + middle <= i)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return {i, {}, false};
    const std::uint32_t pair = low - 1, room = room_of_pair(pair), first = room + pair;
    if (i <= first + 1) return {room, pair, i > first};
    return {i - low, {}, false};
}

City::Planted City::planted(std::uint32_t clash) const {
    const std::uint32_t pair = pair_of_clash(clash), a = room_of_pair(pair) + pair;
    return {a, a + 1, kinds[clash % kinds.size()]};
}

City::Form City::form(std::uint32_t i) const {
    const Place at = place(i);
    if (const auto clash = at.pair ? clash_of_pair(*at.pair) : std::nullopt) {
        switch (*clash % kinds.size()) {
            case 0:
                if (at.second) return {pipe, {0.25, 1.875, 1.875}, {3.75, 2.125, 2.125}, 0};
                return {tank, {1, 1, 0.5}, {3, 3, 3.5}};
            case 1:
                if (at.second) return {cabinet, {1.75, 1.75, 1.75}, {2.25, 2.25, 2.25}};
                return {tank, {0.5, 0.5, 0.5}, {3.5, 3.5, 3.5}};
            case 2:
                break;  // any part
            default:
                if (at.second) return {cabinet, {0.5, 1.5, 2}, {2.5, 2.5, 3.5}};
                return {cabinet, {1, 1, 0.5}, {3, 3, 2}};
        }
    } else if (at.pair) {
        if (at.second) return {pipe, {0.25, 1.75, 1.75}, {3.75, 2.25, 2.25}, 0};
        return {pipe, {0.5, 1, 1}, {3.5, 3, 3}, 0};
    }
    Random random(seed_ * 0x9e3779b97f4a7c15u + at.room);
    for (int k = 0; k < 2; ++k) random.bits();
    Form out{random.below(static_cast<std::uint32_t>(shapes_.size())), {}, {}, 2};
    Vec3 half = random.in_cube(0.5, 0.875);
    if (out.shape == pipe || out.shape == beam) {
        out.along = static_cast<int>(random.below(3));
        half = half * 0.25;
        half[out.along] = random.between(1, 1.625);
    }
    for (int d = 0; d < 3; ++d) {
        const double room = 1.75 - half[d], middle = 2 + random.between(-room, room);
        out.low[d] = snapped(middle - half[d]);
        out.high[d] = snapped(middle + half[d]);
    }
    return out;
}

std::string City::name(std::uint32_t i) const {
    std::string number = std::to_string(i + 1);
    number.insert(0, std::to_string(parts_).size() - number.size(), '0');
    return std::string(names[form(i).shape]) + "-" + number;
}

Soup City::part(std::uint32_t i) const {
    const Form form = this->form(i);
    const std::uint32_t room = place(i).room;
    const Vec3 corner{4.0 * (room % across_), 4.0 * (room / across_ % across_), 4.0 * (room / across_ / across_)};
    Soup soup = shapes_[form.shape];
    for (Vec3& p : soup.points) {
        // Cyclic, so that the surface still looks outwards.
        const Vec3 turned{p[(2 - form.along) % 3], p[(3 - form.along) % 3], p[(4 - form.along) % 3]};
        for (int d = 0; d < 3; ++d) {
            const double t = turned[d];
            p[d] = snapped(corner[d] + form.low[d] + (form.high[d] - form.low[d]) * t);
        }
    }
    return soup;
}

}  // namespace graze::scenes
