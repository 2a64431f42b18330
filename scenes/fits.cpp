// SPDX-License-Identifier: Apache-2.0
#include "scenes/fits.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "scenes/parts.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

/// Error of coordinates that were turned.
constexpr double turned_error = 1e-12;

/// A length that is exact in few bits.
double short_length(double x) { return std::floor(x * 0x1p12 + 0.5) * 0x1p-12; }

/// A corner of a profile that is turned about the z axis.
struct Turn {
    double radius = 0, height = 0;
    bool square = false;  ///< the radius is that of a circle in a square
};

/// The prism that stands for something round.
struct Round {
    std::uint32_t sides;
    double phase;  ///< in turns of a side
    bool around;   ///< its sides touch the circle, where otherwise its corners lie on it

    double cosine() const { return sin_cos(0.5 / sides).cos; }
    double low(double radius) const { return around ? radius : radius * cosine(); }
    double high(double radius) const { return around ? radius / cosine() : radius; }
    double error(double radius) const { return high(radius) - low(radius); }
};

std::uint32_t pieces(double length, double step) {
    return static_cast<std::uint32_t>(std::max(1.0, std::floor(length / step + 0.5)));
}

/// The solid of a profile, its outside to the right of the way along it. A profile that is not closed begins and ends
/// on the axis.
Soup turned(std::span<const Turn> profile, bool closed, const Round& round, std::uint32_t triangles) {
    const std::size_t sides = closed ? profile.size() : profile.size() - 1;
    const auto length_of = [&](std::size_t i) {
        const Turn &p = profile[i], &q = profile[(i + 1) % profile.size()];
        const double out = q.radius - p.radius, up = q.height - p.height;
        return std::sqrt(out * out + up * up);
    };
    double whole = 0;
    for (std::size_t i = 0; i < sides; ++i) whole += length_of(i);
    const double step = whole * 2 * round.sides / triangles;
    std::vector<Turn> knots;
    for (std::size_t i = 0; i < sides; ++i) {
        const Turn &p = profile[i], &q = profile[(i + 1) % profile.size()];
        const std::uint32_t n = pieces(length_of(i), step);
        for (std::uint32_t k = 0; k < n; ++k) {
            const double t = static_cast<double>(k) / n;
            // Between a circle and a square there are only straight lines.
            if (k > 0 && p.square != q.square) break;
            knots.push_back({p.radius + (q.radius - p.radius) * t, p.height + (q.height - p.height) * t, p.square});
        }
    }
    if (!closed) knots.push_back(profile.back());
    Soup s;
    for (const Turn& k : knots)
        for (std::uint32_t j = 0; j < round.sides; ++j) {
            const SinCos at = sin_cos((j + round.phase) / round.sides);
            const double r = k.square ? k.radius / std::max(std::abs(at.cos), std::abs(at.sin)) : round.high(k.radius);
            s.add({r * at.cos, r * at.sin, k.height});
        }
    const auto rings = static_cast<std::uint32_t>(knots.size());
    for (std::uint32_t i = 0; i < (closed ? rings : rings - 1); ++i)
        for (std::uint32_t j = 0; j < round.sides; ++j) {
            const std::uint32_t below = i * round.sides, above = (i + 1) % rings * round.sides;
            const std::uint32_t next = (j + 1) % round.sides;
            s.add_quad(below + j, below + next, above + next, above + j);
        }
    return welded(s);  // the points on the axis
}

Soup moved(Soup soup, const Vec3& by) {
    for (Vec3& p : soup.points) p = p + by;
    return soup;
}

Soup turned_over(Soup soup) {
    for (std::size_t i = 0; i < soup.corners.size(); i += 3) std::swap(soup.corners[i], soup.corners[i + 1]);
    return soup;
}

/// A box about the origin.
Soup block(const Vec3& half, std::uint32_t triangles) {
    const Cell one[] = {{}};
    return moved(cells(one, half * 2, triangles), -half);
}

/// The least distance of the origin from the plane of a triangle.
double inner_radius(const Soup& soup) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < soup.corners.size(); i += 3) {
        const Vec3 &a = soup.points[soup.corners[i]], &b = soup.points[soup.corners[i + 1]],
                   &c = soup.points[soup.corners[i + 2]];
        const Vec3 normal = cross(b - a, c - a);
        if (const double size = length(normal); size > 0) least = std::min(least, std::abs(dot(normal, a)) / size);
    }
    return least;
}

class Workshop {
public:
    Workshop(Fit kind, const FitSettings& settings)
        : kind_(kind), depth_(settings.depth), triangles_(settings.triangles), random_(settings.seed) {
        for (int k = 0; k < 2; ++k) random_.bits();
        out_.kind = kind;
        unit_ = short_length(settings.size);
        make();
        place(settings.turned);
    }
    FitPair take() { return std::move(out_); }

private:
    Round any_round() {
        const auto n = static_cast<std::uint32_t>(std::sqrt(triangles_ / 2.0) * random_.between(0.8, 1.6));
        return {std::max(n, 8u), random_.unit(), random_.below(2) == 0};
    }
    double at(double part) const { return short_length(part * unit_); }
    void set(int i, Soup shape, double error) {
        out_.parts[static_cast<std::size_t>(i)] = {std::move(shape), {}, error};
    }

    /// Bounds the overlap of a round part of the first radius in a hole of the second one. A corner of the part is
    /// outside the hole's circle, and the middle of a side of the hole is inside the part's circle.
    void overlaps(const Round& in, double radius, const Round& hole, double hole_radius) {
        overlaps(in.low(radius), in.high(radius), hole.low(hole_radius), hole.high(hole_radius));
    }
    void overlaps(double in_low, double in_high, double hole_low, double hole_high) {
        out_.low = std::max({out_.low, in_high - hole_high, in_low - hole_low});
        out_.high = std::max(out_.high, in_high - hole_low);
    }

    void make() {
        switch (kind_) {
            case Fit::Bolt:
                return bolt();
            case Fit::Plates:
                return plates();
            case Fit::Ring:
                return ring();
            case Fit::Shells:
                return shells();
            case Fit::Ball:
                return ball();
            case Fit::Copy:
                return copy();
            case Fit::Dumbbell:
                return dumbbell();
        }
    }

    void bolt() {
        const Round shaft = any_round(), hole = any_round();
        const double r = at(0.2), head = at(0.4), thick = at(0.3);
        const Turn bolt[] = {{0, -at(0.6)}, {r + depth_, -at(0.6)}, {r + depth_, 0},
                             {head, 0},     {head, at(0.15)},       {0, at(0.15)}};
        const Turn plate[] = {{r, -thick}, {at(0.5), -thick, true}, {at(0.5), 0, true}, {r, 0}};
        set(0, turned(bolt, false, shaft, triangles_), shaft.error(head));
        set(1, turned(plate, true, hole, triangles_), hole.error(r));
        overlaps(shaft, r + depth_, hole, r);
    }

    void plates() {
        const double thick = at(0.15);
        const auto half = [&] { return Vec3{at(random_.between(0.3, 0.5)), at(random_.between(0.3, 0.5)), thick}; };
        set(0, block(half(), triangles_), 0);
        const Vec3 beside{at(random_.between(-0.2, 0.2)), at(random_.between(-0.2, 0.2)), 2 * thick - depth_};
        set(1, moved(block(half(), triangles_), beside), 0);
        out_.low = out_.high = std::max(depth_, 0.0);
    }

    void ring() {
        const Round shaft = any_round(), hole = any_round();
        const double r = at(0.3), wide = at(0.15), rim = at(0.55), shoulder = at(0.42);
        const Turn axle[] = {{0, -at(0.5)},    {r + depth_, -at(0.5)}, {r + depth_, wide},
                             {shoulder, wide}, {shoulder, at(0.5)},    {0, at(0.5)}};
        const Turn ring[] = {{r, -wide}, {rim, -wide}, {rim, wide}, {r, wide}};
        set(0, turned(axle, false, shaft, triangles_), shaft.error(shoulder));
        set(1, turned(ring, true, hole, triangles_), hole.error(rim));
        overlaps(shaft, r + depth_, hole, r);
    }

    void shells() {
        const auto cube = [&](double half, std::uint32_t triangles) { return block({half, half, half}, triangles); };
        const auto hollow = [&](double outside, double inside) {
            return joined(cube(outside, triangles_ * 2 / 3), turned_over(cube(inside, triangles_ / 3)));
        };
        const double half = at(0.28);
        set(0, hollow(at(0.5), half), 0);
        set(1, hollow(half + depth_, at(0.2)), 0);
        // At its corners.
        out_.high = std::max(depth_, 0.0) * std::sqrt(3.0);
        out_.low = std::min(out_.high, at(0.5) - half - depth_);
    }

    void ball() {
        const double r = at(0.3);
        Round round = any_round();
        round.around = false;
        const auto rings = std::max(3u, round.sides / 4);
        const auto bowl = [&](double radius) {
            std::vector<Turn> profile;
            for (std::uint32_t k = 0; k <= rings; ++k) {
                const SinCos angle = sin_cos(0.25 * k / rings);
                profile.push_back({radius * angle.cos, -radius * angle.sin});
            }
            return profile;
        };
        const auto triangles_ball = std::max(80u, triangles_);
        double ball_radius = r + depth_, bowl_radius = r;
        const bool ball_around = random_.below(2) == 0, bowl_around = random_.below(2) == 0;
        const double ball_part = inner_radius(sphere(triangles_ball)),
                     bowl_part = inner_radius(turned(bowl(1), false, round, 1));
        if (ball_around) ball_radius /= ball_part;
        if (bowl_around) bowl_radius /= bowl_part;
        set(0, sphere(triangles_ball, ball_radius), ball_radius * (1 - ball_part));
        std::vector<Turn> socket{{0, -at(0.65)}, {at(0.65), -at(0.65)}, {at(0.65), 0}};
        std::ranges::copy(bowl(bowl_radius), std::back_inserter(socket));
        set(1, turned(socket, false, round, triangles_),
            std::max(round.error(at(0.65)), bowl_radius * (1 - bowl_part)));
        overlaps(ball_radius * ball_part, ball_radius, bowl_radius * bowl_part, bowl_radius);
    }

    void copy() {
        constexpr Fit others[] = {Fit::Bolt, Fit::Plates, Fit::Shells, Fit::Ball, Fit::Dumbbell};
        kind_ = others[random_.below(5)];
        make();
        kind_ = Fit::Copy;
        auto& [one, other] = out_.parts;
        if (random_.below(2) == 0) one = other;
        other = one;
        out_.low = out_.high = std::abs(depth_);
    }

    void dumbbell() {
        const Round pin = any_round(), bore = any_round();
        const double r = at(0.15), end = at(0.5), neck = at(0.2), wide = at(0.2), thin = at(0.28), thick = at(0.4);
        const Turn axle[] = {{0, -at(0.6)}, {r, -at(0.6)}, {r, at(0.6)}, {0, at(0.6)}};
        const Turn part[] = {{r, -end},          {thick, -end}, {thick, -neck}, {thin, -neck},
                             {thin, neck},       {thick, neck}, {thick, end},   {r - depth_, end},
                             {r - depth_, neck}, {wide, neck},  {wide, -neck},  {r, -neck}};
        set(0, turned(axle, false, pin, triangles_), pin.error(r));
        set(1, turned(part, true, bore, triangles_), bore.error(thick));
        overlaps(pin, r, bore, r);
        overlaps(pin, r, bore, r - depth_);
    }

    void place(bool any_way) {
        auto& [one, other] = out_.parts;
        const Vec3 way = any_way ? random_direction(random_) : Vec3{1, 0, 0};
        if (any_way) {
            const Pose world = placed(random_rotation(random_), random_.in_cube(-0.5 * unit_, 0.5 * unit_));
            for (FitPair::Part& part : out_.parts) {
                part.error += turned_error;
                // A frame of its own, as a file may have it. A copy has that of its original.
                const Pose own = random_rotation(random_);
                if (kind_ == Fit::Copy && &part == &other) {
                    part.shape = one.shape;
                    part.world_from_shape = one.world_from_shape;
                    break;
                }
                part.shape = transformed(std::move(part.shape), inverse(own));
                part.world_from_shape = compose(world, own);
            }
        }
        if (kind_ == Fit::Copy)
            other.world_from_shape = placed(one.world_from_shape, one.world_from_shape.translation() + way * depth_);
    }

    Fit kind_;
    double depth_, unit_ = 0;
    std::uint32_t triangles_;
    Random random_;
    FitPair out_;
};

}  // namespace

const char* name(Fit fit) {
    constexpr const char* names[] = {"bolt", "plates", "ring", "shells", "ball", "copy", "dumbbell"};
    return names[static_cast<int>(fit)];
}

FitPair fit(Fit kind, const FitSettings& settings) { return Workshop(kind, settings).take(); }

ManyFits::ManyFits(std::uint32_t pairs, std::uint32_t triangles, std::uint64_t seed)
    : pairs_(pairs), across_(1), triangles_(triangles), seed_(seed) {
    while (1.0 * across_ * across_ * across_ < pairs) ++across_;
}

std::string ManyFits::name(std::uint32_t i) const {
    std::string number = std::to_string(i + 1);
    number.insert(0, std::to_string(pairs_).size() - number.size(), '0');
    return std::string(scenes::name(static_cast<Fit>(i % fit_kinds))) + "-" + number;
}

FitPair ManyFits::pair(std::uint32_t i) const {
    const auto kind = static_cast<Fit>(i % fit_kinds);
    Random random(seed_ * 0x9e3779b97f4a7c15u + i);
    const bool fits = i / fit_kinds % 2 == 0;
    const double deep = random.between(0.03, 0.05);
    const double nominal = kind == Fit::Copy ? 0.001 : 0;
    const double far = kind == Fit::Copy ? 0.05 : deep;
    FitPair out = fit(kind, {.depth = fits ? nominal : far, .triangles = triangles_, .seed = random.bits()});
    const Vec3 cell{static_cast<double>(i % across_), static_cast<double>(i / across_ % across_),
                    static_cast<double>(i / across_ / across_)};
    for (FitPair::Part& part : out.parts)
        part.world_from_shape = placed(part.world_from_shape, part.world_from_shape.translation() + cell * 2);
    return out;
}

}  // namespace graze::scenes
