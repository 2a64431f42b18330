// SPDX-License-Identifier: Apache-2.0
#include "scenes/motions.hpp"

#include <algorithm>
#include <cmath>

#include "scenes/pipes.hpp"
#include "scenes/shapes.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

/// A closed tube around rings of equally many points, each a circle or any other shape about its
/// middle: 2·sides triangles for each ring. Rings go counter-clockwise seen from the last one.
class Tube {
public:
    Tube(Soup& soup, std::uint32_t sides) : soup_(soup), sides_(sides) {}

    /// point(turns) gives the ring.
    template <class F>
    void ring(const Vec3& middle, F&& point) {
        const auto first = static_cast<std::uint32_t>(soup_.points.size());
        for (std::uint32_t i = 0; i < sides_; ++i) soup_.add(point(static_cast<double>(i) / sides_));
        if (begun_)
            each([&](std::uint32_t i, std::uint32_t j) { soup_.add_quad(last_ + i, last_ + j, first + j, first + i); });
        else {
            const std::uint32_t cap = soup_.add(middle);
            each([&](std::uint32_t i, std::uint32_t j) { soup_.add_triangle(cap, first + j, first + i); });
        }
        begun_ = true;
        last_ = first;
    }
    void close(const Vec3& middle) {
        const std::uint32_t cap = soup_.add(middle);
        each([&](std::uint32_t i, std::uint32_t j) { soup_.add_triangle(cap, last_ + i, last_ + j); });
    }

private:
    template <class F>
    void each(F&& f) {
        for (std::uint32_t i = 0; i < sides_; ++i) f(i, (i + 1) % sides_);
    }

    Soup& soup_;
    std::uint32_t sides_, last_ = 0;
    bool begun_ = false;
};

/// Six rings, bent at two knuckles towards -z. 72 triangles.
void add_finger(Soup& soup, Vec3 at, Vec3 forward, const Vec3& side, double length, double bend) {
    constexpr double along[6] = {0, 0.42, 0.08, 0.22, 0.08, 0.2}, width[6] = {1, 1, 1.05, 0.9, 0.9, 0.6};
    const double radius = 0.1 * length;
    Tube tube(soup, 6);
    for (int k = 0; k < 6; ++k) {
        if (k == 2 || k == 4) {
            const SinCos a = sin_cos(bend);
            forward = forward * a.cos - cross(side, forward) * a.sin;
        }
        at = at + forward * (along[k] * length);
        const Vec3 up = cross(side, forward);
        tube.ring(at, [&](double turns) {
            const SinCos a = sin_cos(turns);
            return at + (up * a.cos + side * a.sin) * (radius * width[k]);
        });
    }
    tube.close(at);
}

/// Palm in the xy plane, fingers towards +y and the thumb to the side; about 1 long. 404 triangles.
Soup hand() {
    Soup soup;
    Tube palm(soup, 11);
    for (const double z : {-0.05, 0.05})
        palm.ring({0, 0, z}, [&](double turns) {
            const SinCos a = sin_cos(turns);
            return Vec3{0.22 * a.cos, 0.26 * a.sin, z};
        });
    palm.close({0, 0, 0.05});
    constexpr double length[4] = {0.5, 0.58, 0.52, 0.4};
    for (int k = 0; k < 4; ++k) {
        const SinCos spread = sin_cos(0.03 * (k - 1.5));
        add_finger(soup, {-0.15 + 0.1 * k, k == 1 || k == 2 ? 0.22 : 0.16, 0}, {spread.sin, spread.cos, 0},
                   {spread.cos, -spread.sin, 0}, length[k], 0.05 + 0.01 * k);
    }
    const SinCos thumb = sin_cos(0.13);
    add_finger(soup, {-0.17, -0.08, 0}, {-thumb.cos, thumb.sin, 0}, {thumb.sin, thumb.cos, 0}, 0.42, 0.04);
    return soup;
}

/// `count` dented, stretched spheres of 320 triangles heaped without order in a cube about the
/// origin, most of them apart; of one boulder a unit cube.
Soup boulders(std::uint32_t count, Random& random) {
    const Soup ball = sphere(320);
    double half = 0.5;
    while (8 * half * half * half < count) half += 1.0 / 64;
    struct Place {
        Vec3 at;
        double radius;
    };
    std::vector<Place> places;
    Soup soup;
    while (places.size() < count) {
        Place best{};
        double room = -1e9;
        // The draw with the most room out of a few makes the places even, but not a lattice.
        for (int draw = 0; draw < 12; ++draw) {
            const Place one{random.in_cube(-half, half), random.between(0.25, 0.45)};
            double least = 1e9;
            for (const Place& p : places)
                least = std::min(least, std::sqrt(dot(p.at - one.at, p.at - one.at)) - p.radius - one.radius);
            if (least > room) room = least, best = one;
        }
        places.push_back(best);
        const Pose turned = random_rotation(random);
        const double flat = random.between(0.6, 1);
        const Vec3 wave = random.in_cube(0.2, 0.5);
        Soup one = ball;
        for (Vec3& p : one.points) {
            const double dent = sin_cos(dot(p, wave)).sin * sin_cos(2 * p.x * wave.y + wave.z).cos;
            p = Vec3{p.x, p.y, p.z * flat} * (best.radius * (1 + 0.15 * dent));
        }
        soup = joined(std::move(soup), transformed(std::move(one), placed(turned, best.at)));
    }
    return soup;
}

/// About the z axis, 2 across: a plate with a bore, a collar around it and six bolt holes.
/// Closed; 6·32·q triangles, q being the segments of a sixth of a circle.
Soup flange(std::uint32_t q) {
    constexpr double bore = 0.34, collar = 0.46, rim = 1, low = -0.12, high = 0.12, top = 0.3;
    constexpr double bolts = 0.74, hole = 0.14;
    Soup soup;
    // A sixth of the plate is a strip between the hole and the outline around it, which goes along
    // the inner arc, out, back along the rim and in. Sixths share the ends of their outlines bit for
    // bit, and welding joins them.
    const auto polar = [&](std::uint32_t step, double r, double z) {
        const SinCos a = sin_cos(static_cast<double>(step % (6 * q)) / (6 * q));
        return Vec3{r * a.cos, r * a.sin, z};
    };
    const auto outline = [&](std::uint32_t sixth, std::uint32_t k, double inner, double z) {
        const std::uint32_t from = sixth * q, to = from + q, i = k % q;
        const double part = static_cast<double>(i) / q;
        switch (k / q % 4) {
            case 0:
                return polar(to - i, inner, z);
            case 1:
                return polar(from, inner + (rim - inner) * part, z);
            case 2:
                return polar(from + i, rim, z);
            default:
                return polar(to, inner + (rim - inner) * (static_cast<double>(q - i) / q), z);
        }
    };
    for (std::uint32_t sixth = 0; sixth < 6; ++sixth) {
        const SinCos mid = sin_cos((2 * sixth + 1) / 12.0);
        const Vec3 axis{bolts * mid.cos, bolts * mid.sin, 0}, out{mid.cos, mid.sin, 0}, left{-mid.sin, mid.cos, 0};
        const auto round = [&](std::uint32_t k, double z) {
            // From the inner left corner of the outline, counter-clockwise.
            const SinCos a = sin_cos(static_cast<double>(k % (4 * q)) / (4 * q) + 0.375);
            return axis + out * (hole * a.cos) + left * (hole * a.sin) + Vec3{0, 0, z};
        };
        const auto quad = [&](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
            const std::uint32_t i = soup.add(a), j = soup.add(b), k = soup.add(c), l = soup.add(d);
            soup.add_quad(i, j, k, l);
        };
        for (std::uint32_t k = 0; k < 4 * q; ++k) {
            quad(outline(sixth, k, collar, high), outline(sixth, k + 1, collar, high), round(k + 1, high),
                 round(k, high));
            quad(outline(sixth, k + 1, bore, low), outline(sixth, k, bore, low), round(k, low), round(k + 1, low));
            quad(round(k, high), round(k + 1, high), round(k + 1, low), round(k, low));
        }
        for (std::uint32_t i = sixth * q; i < sixth * q + q; ++i) {
            const auto wall = [&](double r0, double z0, double r1, double z1) {
                quad(polar(i, r0, z0), polar(i + 1, r0, z0), polar(i + 1, r1, z1), polar(i, r1, z1));
            };
            wall(rim, low, rim, high);
            wall(collar, high, collar, top);
            wall(collar, top, bore, top);
            wall(bore, top, bore, low);
        }
    }
    return welded(soup);
}

/// Along the z axis: a hexagonal head, a plain shank and a thread, 1.6 long. 2·26·rings triangles.
Soup bolt(std::uint32_t rings) {
    Soup soup;
    Tube tube(soup, 26);
    for (std::uint32_t k = 0; k < rings; ++k) {
        // Two rings at the same height make the step below the head.
        const bool head = k < 2;
        const double part = head ? 0 : static_cast<double>(k - 2) / (rings - 3);
        const double z = k == 0 ? 0.8 : 0.6 - 1.4 * part;
        tube.ring({0, 0, z}, [&](double turns) {
            double r = 0.2;
            if (head) {
                const double sixths = 6 * turns;
                r = 0.4 / sin_cos((sixths - std::floor(sixths) - 0.5) / 6).cos;
            } else if (part > 0.4)
                r += 0.02 * sin_cos(12 * (part - 0.4) / 0.6 + turns).sin;
            const SinCos a = sin_cos(-turns);
            return Vec3{r * a.cos, r * a.sin, z};
        });
    }
    tube.close({0, 0, -0.8});
    return soup;
}

/// How a body is thrown: what its velocity and spin become, in random directions, and what is
/// added to the velocity.
struct Throw {
    std::size_t every = 250;
    double speed = 0, spin = 0;
    Vec3 up;
    double wander = 0;  ///< the centre of the pull moves to somewhere in a cube of this half size
};

/// A clear placement is drawn from within `reach` of a place; upright means tilted a little.
struct Start {
    Vec3 place;
    double reach = 0;
    bool upright = false;
};

Motion make(std::string_view name, Soup environment, Soup body, World world, const Start& start, const Throw& toss,
            std::size_t frames, SimulationStats* stats) {
    Random random(7);
    world.environment = *Model::build(environment);
    const Model model = *Model::build(body);
    Simulation simulation(model, world, {start.place});
    for (int tries = 0; tries < 10'000; ++tries) {
        simulation.state.position = start.place + random.in_cube(-start.reach, start.reach);
        simulation.state.rotation = random_quaternion(random);
        if (start.upright) simulation.state.rotation = {random.between(-0.1, 0.1), random.between(-0.1, 0.1), 0, 1};
        if (!intersects(world.environment, model, simulation.pose())) break;
    }
    Motion out{std::string(name), std::move(environment), std::move(body), {}};
    while (out.path.size() < frames) {
        simulation.state.velocity = random_direction(random) * toss.speed + toss.up;
        simulation.state.spin = random_direction(random) * toss.spin;
        if (toss.wander > 0) simulation.world.centre = random.in_cube(-toss.wander, toss.wander);
        const std::vector<Pose> leg = simulation.run(std::min(toss.every, frames - out.path.size()));
        out.path.insert(out.path.end(), leg.begin(), leg.end());
    }
    if (stats) *stats = simulation.stats();
    return out;
}

std::uint32_t rounded(double x) { return static_cast<std::uint32_t>(std::floor(x + 0.5)); }

/// floor(n · scale^(1/3) + ½), by comparing cubes.
std::uint32_t edge(double n, double scale, std::uint32_t least) {
    std::uint32_t k = least;
    while ((k + 0.5) * (k + 0.5) * (k + 0.5) < n * n * n * scale) ++k;
    return k;
}

Motion make_pipes(std::string_view name, double scale, SimulationStats* stats) {
    PipeSettings settings;
    settings.cells = edge(12, scale, 4);
    Soup large = pipes(settings);
    // A fifteenth, and the same number of cells however many there are.
    Soup small = graze::scenes::scale(large, 0.8 / settings.cells);
    const double cell = 1.0 / settings.cells;
    World world;
    world.pull = 24 * cell;
    world.restitution = 0.6;
    world.friction = 0.2;
    return make(name, std::move(large), std::move(small), world, {{}, 0.4}, {250, 3.6 * cell, 4, {}, 0}, 4000, stats);
}

Motion make_torus(std::string_view name, double scale, SimulationStats* stats) {
    World world;
    world.gravity = {0, 0, -1};
    world.pull = 0.3;
    world.centre = {0, 0, 1};
    world.dt = 0.02;
    return make(name, landscape(std::max(20u, rounded(221 * std::sqrt(scale)))), wrinkled_torus(), world,
                {{0, 0, 3.5}, 0.2, true}, {300, 0.3, 0.8, {0, 0, 1.3}, 0}, 3000, stats);
}

Motion make_hand(std::string_view name, double scale, SimulationStats* stats) {
    Random random(5);
    const std::uint32_t count = std::max(27u, rounded(531 * scale));
    Soup heap = boulders(count, random);
    const double half = bounding_ball(*Model::build(heap)).radius / 2;
    World world;
    world.pull = 0.5;
    world.dt = 0.02;
    world.restitution = 0.6;
    world.friction = 0.2;
    return make(name, std::move(heap), hand(), world, {{}, half}, {250, 1, 2, {}, half}, 2500, stats);
}

Motion make_flange(std::string_view name, double scale, SimulationStats* stats) {
    World world;
    world.pull = 1;
    world.dt = 0.02;
    return make(name, flange(std::max(2u, rounded(5 * scale))), bolt(std::max(12u, rounded(102 * scale))), world,
                {{0, 0, 0.3}, 0.05, true}, {250, 1.2, 2, {0, 0, 0.6}, 0}, 2000, stats);
}

/// A unit quaternion whose real part is not negative (Shepperd 1978).
Quaternion quaternion(const Mat3& m) {
    const double d[4] = {m.row[0].x, m.row[1].y, m.row[2].z, m.row[0].x + m.row[1].y + m.row[2].z};
    const auto i = static_cast<int>(std::max_element(d, d + 4) - d);
    Quaternion q{};
    if (i == 3)
        q = {m.row[2].y - m.row[1].z, m.row[0].z - m.row[2].x, m.row[1].x - m.row[0].y, 1 + d[3]};
    else {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        q[static_cast<std::size_t>(i)] = 1 + d[i] - d[j] - d[k];
        q[static_cast<std::size_t>(j)] = m.row[j][i] + m.row[i][j];
        q[static_cast<std::size_t>(k)] = m.row[k][i] + m.row[i][k];
        q[3] = m.row[k][j] - m.row[j][k];
    }
    const double n = std::sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]);
    for (double& c : q) c /= q[3] < 0 ? -n : n;
    return q;
}

/// Radians, 0 to π.
double angle(const Quaternion& q) {
    const double s = std::sqrt((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]);
    // The tangent of a quarter of the angle, then of a sixteenth, where the series ends below rounding.
    double t = s / (1 + q[3]);
    for (int i = 0; i < 2; ++i) t = t / (1 + std::sqrt(1 + t * t));
    double sum = 0;
    for (int n = 21; n >= 1; n -= 2) sum = 1.0 / n - t * t * sum;
    return 16 * t * sum;
}

}  // namespace

std::optional<Motion> motion(std::string_view name, double scale, SimulationStats* stats) {
    constexpr Motion (*makers[])(std::string_view, double, SimulationStats*) = {make_pipes, make_torus, make_hand,
                                                                                make_flange};
    for (std::size_t i = 0; i < motion_names.size(); ++i)
        if (name == motion_names[i]) return makers[i](name, scale, stats);
    return {};
}

std::vector<Motion> motions(double scale) {
    std::vector<Motion> out;
    for (const std::string_view name : motion_names) out.push_back(*motion(name, scale));
    return out;
}

MotionSize::MotionSize(const Soup& body) {
    if (body.points.empty()) return;
    Vec3 low = body.points[0], high = low;
    for (const Vec3& p : body.points)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    centre_ = low + (high - low) * 0.5;
    for (const Vec3& p : body.points) radius_ = std::max(radius_, std::sqrt(dot(p - centre_, p - centre_)));
    size_ = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

double MotionSize::operator()(const Pose& from, const Pose& to) const {
    const Vec3 d = to(centre_) - from(centre_);
    return (std::sqrt(dot(d, d)) + angle(quaternion(transpose(from.rotation()) * to.rotation())) * radius_) / size_;
}

std::vector<Pose> resampled(std::span<const Pose> path, const Soup& body, double motion) {
    std::vector<Pose> out;
    if (path.empty()) return out;
    const MotionSize size(body);
    /// The pose at t between two, 0 to 1: rotations by weights, normalised, hence on the shortest turn.
    const auto between = [&](const Pose& a, const Pose& b, double t) {
        const Quaternion p = quaternion(a.rotation());
        Quaternion q = quaternion(b.rotation());
        const double same = ((p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]) + p[3] * q[3], s = same < 0 ? -t : t;
        for (std::size_t c = 0; c < 4; ++c) q[c] = (1 - t) * p[c] + s * q[c];
        const Pose turned = *Pose::from_quaternion(q, {});
        const Vec3 middle = a(size.centre()) * (1 - t) + b(size.centre()) * t;
        return placed(turned, middle - turned.rotation() * size.centre());
    };
    out.push_back(path[0]);
    double at = 0;  // the last frame's place between its two
    for (std::size_t i = 0; i + 1 < path.size(); ++i, at = 0)
        while (size(out.back(), path[i + 1]) >= motion) {
            double low = at, high = 1;
            for (int halving = 0; halving < 40; ++halving) {
                const double t = low + (high - low) / 2;
                (size(out.back(), between(path[i], path[i + 1], t)) < motion ? low : high) = t;
            }
            out.push_back(between(path[i], path[i + 1], high));
            at = high;
        }
    return out;
}

}  // namespace graze::scenes
