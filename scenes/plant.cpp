// SPDX-License-Identifier: Apache-2.0
#include "scenes/plant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "scenes/parts.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

/// To a multiple of 2^-16.
Soup snapped(Soup soup) {
    for (Vec3& p : soup.points)
        for (int i = 0; i < 3; ++i) p[i] = std::floor(p[i] * 0x1p16 + 0.5) * 0x1p-16;
    return soup;
}

/// With points in between, no two farther apart than `step`.
std::vector<double> filled(const std::vector<double>& ends, double step) {
    std::vector<double> out{ends.front()};
    for (std::size_t i = 1; i < ends.size(); ++i) {
        const double n = std::ceil((ends[i] - ends[i - 1]) / step);
        for (double k = 1; k < n; ++k) out.push_back(ends[i - 1] + (ends[i] - ends[i - 1]) * k / n);
        out.push_back(ends[i]);
    }
    return out;
}

using Lattice = std::array<std::vector<double>, 3>;

/// The surface of those cells of a lattice whose middle is solid, cut at `step`.
Soup carved(const Lattice& coarse, double step, const std::function<bool(const Vec3&)>& solid) {
    Lattice at;
    for (std::size_t d = 0; d < 3; ++d) at[d] = filled(coarse[d], step);
    const auto cells = [&](std::size_t d) { return static_cast<int>(at[d].size()) - 1; };
    const auto full = [&](const std::array<int, 3>& cell) {
        Vec3 middle;
        for (std::size_t d = 0; d < 3; ++d) {
            if (cell[d] < 0 || cell[d] >= cells(d)) return false;
            const auto i = static_cast<std::size_t>(cell[d]);
            middle[static_cast<int>(d)] = (at[d][i] + at[d][i + 1]) / 2;
        }
        return solid(middle);
    };
    Soup s;
    for (int x = 0; x < cells(0); ++x)
        for (int y = 0; y < cells(1); ++y)
            for (int z = 0; z < cells(2); ++z)
                for (std::size_t d = 0; d < 3; ++d)
                    for (const int side : {0, 1}) {
                        const std::array<int, 3> cell{x, y, z};
                        std::array<int, 3> beside = cell;
                        beside[d] += 2 * side - 1;
                        if (!full(cell) || full(beside)) continue;
                        const auto corner = [&](int i, int j) {
                            std::array<int, 3> c = cell;
                            c[d] += side;
                            c[(d + 1) % 3] += i;
                            c[(d + 2) % 3] += j;
                            const auto value = [&](std::size_t k) { return at[k][static_cast<std::size_t>(c[k])]; };
                            return s.add({value(0), value(1), value(2)});
                        };
                        const std::uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), e = corner(0, 1);
                        side ? s.add_quad(a, b, c, e) : s.add_quad(a, e, c, b);
                    }
    return snapped(welded(s));
}

Soup block(const Vec3& low, const Vec3& high, double step) {
    return carved({{{low.x, high.x}, {low.y, high.y}, {low.z, high.z}}}, step, [](const Vec3&) { return true; });
}

/// An H across, of half the width given, along z from 0.
Soup girder(double half, double tall, double length) {
    const double wall = 0x1p-5;
    return carved({{{-half, -wall / 2, wall / 2, half}, {-tall, wall - tall, tall - wall, tall}, {0, length}}}, 0x1p-3,
                  [=](const Vec3& p) { return std::abs(p.x) < wall / 2 || std::abs(p.y) > tall - wall; });
}

Soup turned(std::span<const Knot> profile, bool closed, std::uint32_t triangles) {
    return snapped(revolved(profile, closed, triangles));
}

constexpr double bore = 3.0 / 64, pipe_radius = 4.0 / 64, bend = 1.0 / 4;

/// Along z from 0.
Soup tube(double inner, double outer, double length, std::uint32_t triangles) {
    const Knot profile[] = {{inner, 0}, {outer, 0}, {outer, length}, {inner, length}};
    return turned(profile, true, triangles);
}

/// A quarter bend from the origin, where it goes along z, to where it goes along x.
Soup elbow() {
    constexpr std::uint32_t around = 24, along = 12;
    Soup s;
    // Rings of the outside from the start to the end, then of the inside back: a surface closed both ways.
    for (std::uint32_t i = 0; i < 2 * (along + 1); ++i) {
        const bool outside = i <= along;
        const double r = outside ? pipe_radius : bore;
        const SinCos at = sin_cos((outside ? i : 2 * along + 1 - i) / (4.0 * along));
        for (std::uint32_t j = 0; j < around; ++j) {
            const SinCos ring = sin_cos(static_cast<double>(j) / around);
            const double out = bend + r * ring.cos;
            s.add({bend - out * at.cos, r * ring.sin, out * at.sin});
        }
    }
    const std::uint32_t rings = 2 * (along + 1);
    for (std::uint32_t i = 0; i < rings; ++i)
        for (std::uint32_t j = 0; j < around; ++j) {
            const std::uint32_t here = i * around, next = (i + 1) % rings * around, k = (j + 1) % around;
            s.add_quad(here + j, next + j, next + k, here + k);
        }
    return snapped(s);
}

/// Turns that map axes onto axes, named by where some of them go.
constexpr Mat3 upright{};
constexpr Mat3 z_to_x{{Vec3{0, 0, 1}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}};   // y up
constexpr Mat3 z_to_y{{Vec3{-1, 0, 0}, Vec3{0, 0, 1}, Vec3{0, 1, 0}}};  // y up
constexpr Mat3 z_to_x_x_down{{Vec3{0, 0, 1}, Vec3{0, 1, 0}, Vec3{-1, 0, 0}}};
constexpr Mat3 z_down_x_to_x{{Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 0, -1}}};
constexpr Mat3 z_to_x_x_up{{Vec3{0, 0, 1}, Vec3{0, -1, 0}, Vec3{1, 0, 0}}};

class Yard {
public:
    std::uint32_t shape(Soup soup) {
        plant.shapes.push_back(std::move(soup));
        return static_cast<std::uint32_t>(plant.shapes.size() - 1);
    }
    void put(const std::string& kind, std::uint32_t shape, const Vec3& at, const Mat3& turn = upright) {
        const auto number = 1 + std::ranges::count_if(
                                    plant.parts, [&](const Plant::Part& p) { return p.name.starts_with(kind + "-"); });
        plant.parts.push_back({kind + "-" + std::to_string(number), shape, *Pose::from_matrix(turn, at)});
    }

    Plant plant;
};

constexpr double deck = 3, plate = 0x1p-5;  ///< where the deck lies, and how thick plates are

void build_frame(Yard& yard) {
    // Two bolts a column, left and right of it.
    const double at = 3.0 / 8, pocket = 1.0 / 16, hole = 5.0 / 128;
    const auto near_bolt = [=](const Vec3& p, double half) {
        return std::abs(std::abs(p.x) - at) < half && std::abs(p.y) < half;
    };
    const std::uint32_t foundation =
        yard.shape(carved({{{-0.5, -at - pocket, -at + pocket, at - pocket, at + pocket, 0.5},
                            {-0.5, -pocket, pocket, 0.5},
                            {-0.5, -3.0 / 8, 0}}},
                          0x1p-3, [=](const Vec3& p) { return p.z < -3.0 / 8 || !near_bolt(p, pocket); }));
    const std::uint32_t base = yard.shape(
        carved({{{-0.5, -at - hole, -at + hole, at - hole, at + hole, 0.5}, {-0.25, -hole, hole, 0.25}, {0, plate}}},
               0x1p-4, [=](const Vec3& p) { return !near_bolt(p, hole); }));
    const std::uint32_t column = yard.shape(girder(0x1p-3, 0x1p-3, deck - plate));
    const Knot bolt_profile[] = {{0, -1.0 / 4},         {3.0 / 64, -1.0 / 4, 1}, {3.0 / 64, -3.0 / 16, 1},
                                 {1.0 / 32, -3.0 / 16}, {1.0 / 32, 15.0 / 128},  {3.0 / 128, 1.0 / 8},
                                 {0, 1.0 / 8}};
    const Knot nut_profile[] = {{0.03, 0}, {7.0 / 128, 0, 1}, {7.0 / 128, 3.0 / 64, 1}, {0.03, 3.0 / 64}};
    const std::uint32_t bolt = yard.shape(turned(bolt_profile, false, 900));
    const std::uint32_t nut = yard.shape(turned(nut_profile, true, 700));
    for (const double y : {0.0, 3.0})
        for (const double x : {0.0, 4.0}) {
            yard.put("foundation", foundation, {x, y, 0});
            yard.put("base-plate", base, {x, y, 0});
            yard.put("column", column, {x, y, plate});
            for (const double side : {-at, at}) {
                yard.put("bolt", bolt, {x + side, y, 0});
                yard.put("nut", nut, {x + side, y, plate});
            }
        }
    yard.put("bolt", bolt, {4, 3, -3.0 / 16});  // a mistake: within foundation-4

    const std::uint32_t along = yard.shape(girder(7.0 / 64, 0x1p-3, 3.75));
    const std::uint32_t across = yard.shape(girder(7.0 / 64, 0x1p-3, 2.75));
    for (const double y : {0.0, 3.0}) yard.put("beam", along, {0x1p-3, y, deck - 0x1p-3}, z_to_x);
    for (const double x : {0.0, 4.0}) yard.put("beam", across, {x, 0x1p-3, deck - 0x1p-3}, z_to_y);
}

void build_deck(Yard& yard) {
    const double low = -1.0 / 8, high = 25.0 / 8, gap = 1.0 / 64;
    const auto slab = [&](double from, double to) {
        yard.put("deck", yard.shape(block({from, low, 0}, {to, high, plate}, 0x1p-2)), {0, 0, deck});
    };
    slab(low, 5.0 / 4);
    // Openings for two pipes. It lies flush with the first, a mistake, and a gap away from the third.
    const double y = 9.0 / 4, left = 13.0 / 8, right = 19.0 / 8, half = 3.0 / 32;
    const std::uint32_t pierced = yard.shape(
        carved({{{5.0 / 4, left - half, left + half, right - half, right + half, 11.0 / 4 - gap},
                 {low, y - half, y + half, high},
                 {0, plate}}},
               0x1p-2, [=](const Vec3& p) {
                   return std::abs(p.y - y) > half || std::min(std::abs(p.x - left), std::abs(p.x - right)) > half;
               }));
    yard.put("deck", pierced, {0, 0, deck});
    slab(11.0 / 4, 33.0 / 8);

    const std::uint32_t post = yard.shape(block({-0x1p-5, -0x1p-5, 0}, {0x1p-5, 0x1p-5, 1}, 0x1p-4));
    for (int x = 0; x < 5; ++x) yard.put("post", post, {1.0 * x, 0, deck + plate});
    yard.put("rail", yard.shape(block({-0x1p-4, -0x1p-5, 0}, {4 + 0x1p-4, 0x1p-5, 0x1p-4}, 0x1p-4)),
             {0, 0, deck + plate + 1});
}

void build_pipework(Yard& yard) {
    const Knot vessel_profile[] = {{0, 0},      {0.35, 0},    {0.35, 0.2}, {0.45, 0.3}, {0.45, 1.3},
                                   {0.4, 1.43}, {0.28, 1.53}, {0.14, 1.6}, {0, 1.625}};
    const Knot pump_profile[] = {{0, 0},      {0.22, 0},        {0.22, 0.08},        {0.16, 0.1}, {0.25, 0.25},
                                 {0.25, 0.5}, {1.0 / 16, 0.65}, {1.0 / 16, 7.0 / 8}, {0, 7.0 / 8}};
    const std::uint32_t vessel = yard.shape(turned(vessel_profile, false, 4000));
    const std::uint32_t pump = yard.shape(turned(pump_profile, false, 3000));
    const std::uint32_t flange = yard.shape(tube(bore, 9.0 / 64, plate, 800));
    const std::uint32_t bent = yard.shape(elbow());
    const std::uint32_t stub = yard.shape(tube(bore, pipe_radius, 5.0 / 16, 1200));
    const auto pipe = [&](const char* kind, double length, const Vec3& at, const Mat3& turn) {
        yard.put(kind, yard.shape(tube(bore, pipe_radius, length, 1200)), at, turn);
    };

    // From vessel to vessel by way of the floor below, symmetric about x = 2.
    const double y = 9.0 / 4, top = deck + plate + 1, low = 5.0 / 4;
    yard.put("vessel", vessel, {0.5, y, deck + plate});
    yard.put("vessel", vessel, {3.5, y, deck + plate});
    yard.put("nozzle", stub, {7.0 / 8, y, top}, z_to_x);
    yard.put("flange", flange, {19.0 / 16, y, top}, z_to_x);
    yard.put("flange", flange, {39.0 / 32, y, top}, z_to_x);
    pipe("pipe", 1.0 / 8, {5.0 / 4, y, top}, z_to_x);
    yard.put("elbow", bent, {11.0 / 8, y, top}, z_to_x_x_down);
    const double fall = top - bend - (low + bend);
    pipe("pipe", fall, {13.0 / 8, y, low + bend}, upright);
    yard.put("elbow", bent, {13.0 / 8, y, low + bend}, z_down_x_to_x);
    pipe("pipe", 1.0 / 4, {15.0 / 8, y, low}, z_to_x);
    yard.put("elbow", bent, {17.0 / 8, y, low}, z_to_x_x_up);
    pipe("pipe", fall, {19.0 / 8, y, low + bend}, upright);
    yard.put("elbow", bent, {19.0 / 8, y, top - bend});
    pipe("pipe", 1.0 / 8, {21.0 / 8, y, top}, z_to_x);
    yard.put("flange", flange, {11.0 / 4, y, top}, z_to_x);
    yard.put("flange", flange, {89.0 / 32, y, top}, z_to_x);
    yard.put("nozzle", stub, {45.0 / 16, y, top}, z_to_x);
    pipe("pipe", fall, {19.0 / 8, y, low + bend}, upright);  // a mistake: pipe-4 once more
    pipe("vent", 1, {2, 5.0 / 2, deck - 1.0 / 8}, z_to_y);   // a mistake: through beam-2

    // Two pumps on a skid, and the loop over them.
    yard.put("skid",
             yard.shape(carved({{{1, 1.125, 2.875, 3}, {0.625, 0.75, 1.25, 1.375}, {-0.5, -3.0 / 8}}}, 0x1p-3,
                               [](const Vec3& p) { return std::abs(p.x - 2) > 0.875 || std::abs(p.y - 1) > 0.25; })),
             {0, 0, 0});
    const std::uint32_t tray = yard.shape(block({1, 0.625, 0}, {3, 1.375, plate}, 0x1p-3));
    yard.put("tray", tray, {0, 0, -3.0 / 8});
    const double floor = plate - 3.0 / 8, outlet = floor + 7.0 / 8, over = 9.0 / 4;
    for (const double x : {1.5, 2.5}) yard.put("pump", pump, {x, 1, floor});
    pipe("pipe", over - bend - outlet, {1.5, 1, outlet}, upright);
    yard.put("elbow", bent, {1.5, 1, over - bend});
    pipe("pipe", 0.5, {1.75, 1, over}, z_to_x);
    yard.put("elbow", bent, {2.25, 1, over}, z_to_x_x_down);
    pipe("pipe", over - bend - outlet, {2.5, 1, outlet}, upright);
}

}  // namespace

Plant plant() {
    Yard yard;
    build_frame(yard);
    build_deck(yard);
    build_pipework(yard);
    yard.plant.allowed = {
        {"bolt-*", "nut-*", "threads engage"},
        {"nut-*", "base-plate-*", "tightened against the plate"},
        {"base-plate-*", "foundation-*", "grouted"},
        {"column-*", "base-plate-*", "welded"},
        {"beam-*", "column-*", "welded"},
        {"deck-*", "beam-*", "the deck's plates rest on the beams"},
        {"deck-*", "column-*", "the deck's plates rest on the columns"},
        {"post-*", "deck-*", "welded"},
        {"rail-*", "post-*", "welded"},
        {"vessel-*", "deck-*", "stands on it"},
        {"nozzle-*", "vessel-*", "welded into the shell"},
        {"flange-*", "flange-*", "bolted face to face"},
        {"flange-*", "nozzle-*", "welded"},
        {"flange-*", "pipe-*", "welded"},
        {"elbow-*", "pipe-*", "welded"},
        {"pump-*", "pipe-*", "screwed"},
        {"pump-*", "tray-*", "stands on it"},
        {"tray-*", "skid-*", "welded"},
    };
    yard.plant.mistakes = {{"pipe-4", "pipe-6", "duplicate"},
                           {"beam-2", "vent-1", "crossing"},
                           {"bolt-9", "foundation-4", "inside"},
                           {"deck-1", "deck-2", "touching"}};
    return std::move(yard.plant);
}

LargePlant::LargePlant(std::uint32_t count, std::uint32_t triangles, std::uint64_t seed)
    : count_(count), across_(1), seed_(seed), shapes_(scenes::parts(triangles)) {
    // Eight times as long and wide as it is high; the smallest are one layer.
    while (1.0 * across_ * across_ * std::max(1.0, across_ / 8.0) < count) ++across_;
}

std::string LargePlant::name(std::uint32_t i) const {
    constexpr std::array kinds = {"ring", "washer", "nut", "bolt", "angle", "block"};
    std::string number = std::to_string(i + 1);
    number.insert(0, std::to_string(count_).size() - number.size(), '0');
    return std::string(kinds[i % kinds.size()]) + "-" + number;
}

Soup LargePlant::part(std::uint32_t i) const {
    Random random(seed_ * 0x9e3779b97f4a7c15u + i);
    for (int k = 0; k < 2; ++k) random.bits();
    const Vec3 stretch = random.in_cube(0.75, 1);
    const Vec3 cell{static_cast<double>(i % across_), static_cast<double>(i / across_ % across_),
                    static_cast<double>(i / across_ / across_)};
    // The pitch makes for the number of meetings that the header names.
    const Vec3 at = cell * 1.4 + random.in_cube(-0.15, 0.15);
    const Pose place = placed(random_rotation(random), at);
    Soup soup = shapes_[i % shapes_.size()];
    for (Vec3& p : soup.points) p = place({p.x * stretch.x, p.y * stretch.y, p.z * stretch.z});
    return soup;
}

}  // namespace graze::scenes
