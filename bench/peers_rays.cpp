// SPDX-License-Identifier: Apache-2.0
// Rays and distances.
#include <algorithm>
#include <cmath>

#include "bench/peer_distance.hpp"
#include "bench/peers.hpp"
#include "exact/triangle_distance.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#ifdef GRAZE_BENCH_EMBREE
#include "bench/peer_embree.hpp"
#endif

namespace graze::bench {
namespace {

using scenes::Soup;

double single(double x) { return static_cast<float>(x); }
Vec3 single(const Vec3& p) { return {single(p.x), single(p.y), single(p.z)}; }

class OurRays : public RayPeer {
public:
    OurRays(const Soup& soup, study::Volume volume, const char* name)
        : model_(built(soup, {.volume = volume, .threads = 1})), name_(name) {}

    const char* name() const override { return name_; }
    std::uint32_t nearest(const Vec3& origin, const Vec3& direction) override {
        const auto hit = nearest_hit(model_, *Ray::from_direction(origin, direction));
        return hit ? hit->triangle : none;
    }
    bool any(const Vec3& origin, const Vec3& direction) override {
        return any_hit(model_, *Ray::from_direction(origin, direction));
    }

private:
    Model model_;
    const char* name_;
};

#ifdef GRAZE_BENCH_EMBREE
class EmbreeSide : public RayPeer {
public:
    explicit EmbreeSide(const Soup& soup) : rays_(soup) {}

    const char* name() const override { return "Embree"; }
    std::uint32_t nearest(const Vec3& origin, const Vec3& direction) override {
        return rays_.nearest(ray(origin, direction));
    }
    bool any(const Vec3& origin, const Vec3& direction) override { return rays_.any(ray(origin, direction)); }

private:
    static FloatRay ray(const Vec3& o, const Vec3& d) {
        const auto f = [](double x) { return static_cast<float>(x); };
        return {{f(o.x), f(o.y), f(o.z)}, {f(d.x), f(d.y), f(d.z)}};
    }
    EmbreeRays rays_;
};
#endif

std::vector<std::unique_ptr<RayPeer>> ray_peers(const Soup& soup) {
    std::vector<std::unique_ptr<RayPeer>> out;
    out.push_back(std::make_unique<OurRays>(soup, study::Volume::Auto, "graze"));
    out.push_back(std::make_unique<OurRays>(soup, study::Volume::Aabb, "graze, aligned"));
#ifdef GRAZE_BENCH_EMBREE
    out.push_back(std::make_unique<EmbreeSide>(soup));
#endif
#ifdef GRAZE_BENCH_BULLET
    out.push_back(bullet_rays(soup));
#endif
#ifdef GRAZE_BENCH_ODE
    out.push_back(ode_rays(soup));
#endif
#ifdef GRAZE_BENCH_CGAL
    out.push_back(cgal_rays(soup));
#endif
    return out;
}

struct Line {
    Vec3 origin, direction;
};

/// From outside of a model's ball to a point within, and on beyond the model within t = 1. All numbers have single
/// precision, so that every library is asked the same.
std::vector<Line> random_lines(const Model& model, std::size_t count) {
    const scenes::Ball ball = scenes::bounding_ball(model);
    scenes::Random random(1);
    std::vector<Line> out;
    while (out.size() < count) {
        const Vec3 origin = single(ball.centre + scenes::random_direction(random) * (1.5 * ball.radius));
        const Vec3 target = ball.centre + random.in_cube(-0.6, 0.6) * ball.radius;
        const Vec3 way = target - origin;
        out.push_back({origin, single(way * (4 * ball.radius / length(way)))});
    }
    return out;
}

/// The line's parameter in the triangle's plane.
double parameter(const Line& line, const Triangle& t) {
    const Vec3 n = cross(t.b - t.a, t.c - t.a);
    return dot(n, t.a - line.origin) / dot(n, line.direction);
}

/// All hits of a line, found by brute force with the exact predicate.
std::vector<std::uint32_t> hits_of_all(const Model& model, const Line& line) {
    std::vector<std::uint32_t> out;
    const Vec3 end = line.origin + line.direction;
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i)
        if (meet({line.origin, end, end}, model.triangle(i))) out.push_back(i);
    return out;
}

/// Another triangle than ours is right if it is as near, up to single precision.
bool same_hit(const Model& model, const Line& line, std::uint32_t ours, std::uint32_t theirs) {
    if (ours == theirs) return true;
    if (ours == RayPeer::none || theirs == RayPeer::none) return false;
    return std::abs(parameter(line, model.triangle(ours)) - parameter(line, model.triangle(theirs))) <= 1e-6;
}

void rays_of(Study& study, const std::string& name, const Soup& soup) {
    const Model model = built(soup);
    const std::vector<Line> lines = random_lines(model, study.quick() ? 5'000 : 50'000);
    const auto peers = ray_peers(soup);
    for (const bool any : {false, true}) {
        const std::string row = name + (any ? ", any hit" : ", nearest hit");
        study.progress.step("peers-rays, " + row);
        std::vector<std::vector<std::uint32_t>> answers(peers.size());
        std::vector<Side> sides;
        for (std::size_t s = 0; s < peers.size(); ++s) {
            // CGAL makes exact predicates of every step.
            const std::size_t count = lines.size() / (std::string(peers[s]->name()) == "CGAL" ? 10 : 1);
            answers[s].resize(count);
            sides.push_back({peers[s]->name(), count, [&, s](std::size_t i) {
                                 const Line& l = lines[i];
                                 answers[s][i] = any ? peers[s]->any(l.origin, l.direction)
                                                     : peers[s]->nearest(l.origin, l.direction);
                             }});
        }
        const std::vector<double> times = seconds_per_query(study, sides, 4);
        for (std::size_t s = 0; s < peers.size(); ++s) {
            std::size_t wrong = 0, asked = answers[s].size();
            for (std::size_t i = 0; i < answers[s].size(); ++i)
                wrong +=
                    any ? answers[s][i] != answers[0][i] : !same_hit(model, lines[i], answers[0][i], answers[s][i]);
            if (s == 0) {
                asked = study.quick() ? 10 : 50;
                for (std::size_t k = 0; k < asked; ++k) {
                    const std::size_t i = k * lines.size() / asked;
                    const auto hits = hits_of_all(model, lines[i]);
                    wrong += any            ? answers[0][i] == hits.empty()
                             : hits.empty() ? answers[0][i] != RayPeer::none
                                            : !std::ranges::binary_search(hits, answers[0][i]);
                }
                study.wrong += wrong;
            }
            study.table.time("peers-rays", row, sides[s].name, times[s] * 1e6, "µs");
            study.table.count("peers-rays-wrong", row, sides[s].name, static_cast<double>(wrong));
            study.table.count("peers-rays-checked", row, sides[s].name, static_cast<double>(asked));
        }
    }
}

/// One row of distances: ours beside a peer's.
template <class OurAnswer, class PeerAnswer>
void distance_row(Study& study, const std::string& row, const char* peer, std::size_t count, double size,
                  OurAnswer&& ours, PeerAnswer&& theirs) {
    std::vector<double> a(count), b(count);
    const std::vector<Side> sides = {{"graze", count, [&](std::size_t i) { a[i] = ours(i); }},
                                     {peer, count, [&](std::size_t i) { b[i] = theirs(i); }}};
    const std::vector<double> times = seconds_per_query(study, sides, 4);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += !(std::abs(a[i] - b[i]) <= 1e-9 * size);
    for (std::size_t s = 0; s < 2; ++s) study.table.time("peers-distance", row, sides[s].name, times[s] * 1e6, "µs");
    study.table.count("peers-distance-wrong", row, peer, static_cast<double>(wrong));
    study.table.count("peers-distance-checked", row, peer, static_cast<double>(count));
}

#ifdef GRAZE_BENCH_FCL
/// The least distance of all pairs of triangles.
double least_of_all(const Model& a, const Model& b, const Affine& m) {
    double best = INFINITY;
    bool exact = false;
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle t = b.triangle(j), mapped{m(t.a), m(t.b), m(t.c)};
        for (std::uint32_t i = 0; i < a.triangle_count(); ++i) {
            const detail::TriangleDistance d(a.triangle(i), mapped);
            if (d.low() <= best) best = std::min(best, d.rounded(best, exact));
        }
    }
    return best;
}

void distances_of(Study& study, const std::string& name, const Soup& a, const Soup& b, bool check) {
    const Model in_a = built(a), in_b = built(b);
    FclDistance peer(a, b);
    Scratch scratch;
    for (const double gap : {0.01, 0.1, 1.0}) {
        const std::string row = name + ", gap " + (gap < 0.05 ? "0.01" : gap < 0.5 ? "0.1" : "1");
        study.progress.step("peers-distance, " + row);
        const auto poses = scenes::placements_at_gap(in_a, in_b, gap, study.quick() ? 60 : 300, 5);
        const auto ours = [&](std::size_t i) { return distance(in_a, in_b, poses[i], {.scratch = &scratch}).distance; };
        distance_row(study, row, "FCL-OBBRSS", poses.size(), scenes::bounding_ball(in_a).radius, ours,
                     [&](std::size_t i) { return peer(poses[i]); });
        if (!check) continue;
        const bool wrong = ours(0) != least_of_all(in_a, in_b, poses[0]);
        study.table.count("peers-distance-wrong", row, "graze", wrong);
        study.table.count("peers-distance-checked", row, "graze", 1);
        study.wrong += wrong;
    }
}
#endif

#ifdef GRAZE_BENCH_CGAL
void closest_points_of(Study& study, const std::string& name, const Soup& soup) {
    const Model model = built(soup);
    const CgalPoints peer(soup);
    const scenes::Ball ball = scenes::bounding_ball(model);
    for (const double reach : {0.02, 2.0}) {
        const std::string row = "points " + std::string(reach < 1 ? "near " : "around ") + name;
        study.progress.step("peers-distance, " + row);
        scenes::Random random(9);
        std::vector<Vec3> points;
        for (std::size_t i = 0; i < (study.quick() ? 1000u : 5000u); ++i) {
            const auto corner = random.below(static_cast<std::uint32_t>(soup.points.size()));
            points.push_back((reach < 1 ? soup.points[corner] : ball.centre) +
                             random.in_cube(-1, 1) * (reach * ball.radius));
        }
        distance_row(
            study, row, "CGAL", points.size(), ball.radius,
            [&](std::size_t i) { return closest_point(model, points[i]).distance; },
            [&](std::size_t i) { return std::sqrt(peer.squared_distance(points[i])); });
    }
}
#endif

}  // namespace

void peers_rays(Study& study) {
    for (auto& [name, soup] : std::vector<NamedSoup>{{"sphere, 100k triangles", scenes::sphere(100'000)},
                                                     {"landscape, 100k triangles", scenes::landscape(224)}}) {
        Soup rounded = soup;
        for (Vec3& p : rounded.points) p = single(p);
        rays_of(study, name, rounded);
    }
}

void peers_distance([[maybe_unused]] Study& study) {
    [[maybe_unused]] const std::vector<NamedSoup> list = meshes(study.options.size);
#ifdef GRAZE_BENCH_FCL
    const Soup torus = scenes::torus(1, 0.4, 50, 50);
    distances_of(study, "torus with itself", torus, torus, !study.quick());
    distances_of(study, list[0].name + ", " + list[1].name, list[0].soup, list[1].soup, false);
#endif
#ifdef GRAZE_BENCH_CGAL
    closest_points_of(study, list[0].name, list[0].soup);
#endif
}

}  // namespace graze::bench
