// SPDX-License-Identifier: Apache-2.0
#include "scenes/placements.hpp"

#include <algorithm>
#include <cmath>

#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

/// Results of `make(course)` on random courses, with at most four tries for each.
template <class T, class Make>
std::vector<T> collect(const Model& a, const Model& b, std::size_t count, std::uint64_t seed, Make make) {
    std::vector<T> out;
    if (a.triangle_count() == 0 || b.triangle_count() == 0) return out;
    Random random(seed);
    for (std::size_t i = 0; i < 4 * count && out.size() < count; ++i)
        if (std::optional<T> made = make(random_course(a, b, random))) out.push_back(*made);
    return out;
}

/// Models, course and what is reused along it.
class March {
public:
    March(const Model& a, const Model& b, const Course& course) : a_(a), b_(b), course_(course) {
        const double ra = bounding_ball(a).radius, rb = bounding_ball(b).radius;
        step_ = std::min(ra, rb) / 64;
        // The balls' centres are at most their radii away from the aims.
        outside_ = 2.002 * (ra + rb);
    }

    double step() const { return step_; }
    double outside() const { return outside_; }
    bool hits(double s) { return intersects(a_, b_, course_.at(s), {.scratch = &scratch_}); }

    /// Narrows down to neighbouring doubles.
    void bisect(Approach& way) {
        for (;;) {
            const double middle = way.hit + (way.clear - way.hit) / 2;
            if (!(middle > way.hit && middle < way.clear)) return;
            (hits(middle) ? way.hit : way.clear) = middle;
        }
    }

    std::optional<Approach> first_contact() {
        if (!(step_ > 0)) return {};
        Approach way{outside_, outside_};
        for (double k = 1; way.hit > -outside_; ++k) {
            way.hit = outside_ - k * step_;
            if (hits(way.hit)) {
                bisect(way);
                return way;
            }
            way.clear = way.hit;
        }
        return {};
    }

private:
    const Model& a_;
    const Model& b_;
    const Course& course_;
    Scratch scratch_;
    double step_ = 0, outside_ = 0;
};

}  // namespace

Quaternion random_quaternion(Random& random) {
    const double u = random.unit(), r = std::sqrt(1 - u), s = std::sqrt(u);
    const SinCos a = sin_cos(random.unit()), b = sin_cos(random.unit());
    return {r * a.sin, r * a.cos, s * b.sin, s * b.cos};
}

Pose random_rotation(Random& random) { return *Pose::from_quaternion(random_quaternion(random), {}); }

Vec3 random_direction(Random& random) {
    const double z = random.between(-1, 1), r = std::sqrt(1 - z * z);
    const SinCos a = sin_cos(random.unit());
    return {r * a.cos, r * a.sin, z};
}

Pose axis_rotation(std::uint32_t i) {
    i %= 24;
    const int first = static_cast<int>(i / 8), second = (first + 1 + static_cast<int>(i / 4 % 2)) % 3;
    Vec3 x, y;
    x[first] = i & 1 ? -1 : 1;
    y[second] = i & 2 ? -1 : 1;
    return *Pose::from_matrix({{x, y, cross(x, y)}}, {});
}

Pose placed(const Pose& pose, const Vec3& translation) { return *Pose::from_matrix(pose.rotation(), translation); }

Ball bounding_ball(const Model& model) {
    const std::uint32_t n = model.triangle_count();
    if (n == 0) return {};
    Vec3 low = model.triangle(0).a, high = low;
    const auto each_corner = [&](auto f) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const Triangle t = model.triangle(i);
            for (const Vec3& p : {t.a, t.b, t.c}) f(p);
        }
    };
    each_corner([&](const Vec3& p) {
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    });
    Ball ball{low + (high - low) * 0.5};
    double most = 0;
    each_corner([&](const Vec3& p) { most = std::max(most, dot(p - ball.centre, p - ball.centre)); });
    ball.radius = std::sqrt(most);
    return ball;
}

std::vector<Pose> placements_at_hit_rate(const Model& a, const Model& b, double hit_rate, std::size_t count,
                                         std::uint64_t seed) {
    const Ball in_a = bounding_ball(a), in_b = bounding_ball(b);
    // One sequence of rotations and places, only spread differently, makes the rate nearly monotone.
    const auto poses = [&](double spread, std::size_t n) {
        Random random(seed);
        std::vector<Pose> out;
        for (std::size_t i = 0; i < n; ++i) {
            const Pose r = random_rotation(random);
            const Vec3 place = random.in_cube(-spread, spread);
            out.push_back(placed(r, in_a.centre + place - r.rotation() * in_b.centre));
        }
        return out;
    };
    constexpr std::size_t sample = 400;
    Scratch scratch;
    const auto rate = [&](double spread) {
        std::size_t hits = 0;
        for (const Pose& p : poses(spread, sample)) hits += intersects(a, b, p, {.scratch = &scratch});
        return static_cast<double>(hits) / sample;
    };
    // In a cube of 8 sums of radii at most one placement in a hundred can hit. From there inwards
    // first, because nested models miss each other when they are too near.
    double wide = 4 * (in_a.radius + in_b.radius), narrow = wide;
    for (int i = 0; i < 12 && rate(narrow) < hit_rate; ++i) wide = narrow, narrow *= 0.75;
    for (int i = 0; i < 8; ++i) {
        const double middle = (wide + narrow) / 2;
        (rate(middle) < hit_rate ? wide : narrow) = middle;
    }
    return poses(narrow, count);
}

Pose Course::at(double s) const { return placed(rotation, aim_a + direction * s - rotation.rotation() * aim_b); }

Course central_course(const Model& a, const Model& b, const Pose& rotation, const Vec3& direction) {
    return {rotation, direction, bounding_ball(a).centre, bounding_ball(b).centre};
}

Course random_course(const Model& a, const Model& b, Random& random) {
    Course course;
    course.rotation = random_rotation(random);
    course.direction = random_direction(random);
    course.aim_a = a.triangle(random.below(a.triangle_count())).a;
    course.aim_b = b.triangle(random.below(b.triangle_count())).a;
    return course;
}

std::optional<Approach> approach(const Model& a, const Model& b, const Course& course) {
    return March(a, b, course).first_contact();
}

std::optional<Pose> placement_at_gap(const Model& a, const Model& b, const Course& course, double gap) {
    March march(a, b, course);
    std::optional<Approach> way = march.first_contact();
    if (!way) return {};
    // Each round moves out by more than the gap, and outside of the balls nothing is hit.
    while (way->clear + gap < march.outside() && march.hits(way->clear + gap)) {
        way->hit = way->clear + gap;
        way->clear = way->hit + march.step();
        for (; march.hits(way->clear); way->clear += march.step()) way->hit = way->clear;
        march.bisect(*way);
    }
    return course.at(way->clear + gap);
}

std::vector<Pose> placements_at_gap(const Model& a, const Model& b, double gap, std::size_t count, std::uint64_t seed) {
    const double length = gap * std::min(bounding_ball(a).radius, bounding_ball(b).radius);
    return collect<Pose>(a, b, count, seed, [&](const Course& c) { return placement_at_gap(a, b, c, length); });
}

std::vector<Pose> placements_at_depth(const Model& a, const Model& b, double depth, std::size_t count,
                                      std::uint64_t seed) {
    const double length = depth * std::min(bounding_ball(a).radius, bounding_ball(b).radius);
    return collect<Pose>(a, b, count, seed, [&](const Course& c) -> std::optional<Pose> {
        const std::optional<Approach> way = approach(a, b, c);
        if (!way) return {};
        return c.at(way->hit - length);
    });
}

std::vector<Touch> touching_placements(const Model& a, const Model& b, std::size_t count, std::uint64_t seed) {
    return collect<Touch>(a, b, count, seed, [&](const Course& c) -> std::optional<Touch> {
        const std::optional<Approach> way = approach(a, b, c);
        if (!way) return {};
        return Touch{c.at(way->clear), c.at(way->hit)};
    });
}

}  // namespace graze::scenes
