// SPDX-License-Identifier: Apache-2.0
// Writes a report of a made-up scene, to look at and for the browser test: report_demo NAME FILE
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/report.hpp"
#include "scenes/paths.hpp"
#include "scenes/pipes.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace {

using namespace graze;
using namespace graze::report;

Model model_of(const scenes::Soup& soup) { return *Model::build(soup.view()); }
Pose at(const Vec3& place) { return *Pose::from_matrix({}, place); }
/// A pose turned about z.
Pose turned(const Vec3& place, double angle) {
    return *Pose::from_matrix(
        {{Vec3{std::cos(angle), -std::sin(angle), 0}, Vec3{std::sin(angle), std::cos(angle), 0}, Vec3{0, 0, 1}}},
        place);
}

Hit hit_of(const Document& d, std::uint32_t a, std::uint32_t b, const Affine& world_from_a,
           const Affine& world_from_b) {
    Hit hit{.a = a, .b = b, .kind = Kind::Touching};
    const Model &ma = d.meshes[d.parts[a].mesh], &mb = d.meshes[d.parts[b].mesh];
    const Affine a_from_b = *relative(world_from_a, world_from_b);
    std::vector<Contact> contacts = collide(ma, mb, a_from_b);
    std::ranges::sort(contacts);
    for (const Contact& c : contacts) {
        hit.pairs.push_back(c.triangles);
        const Triangle t = mb.triangle(c.triangles.b);
        const Meeting how = meeting(ma.triangle(c.triangles.a), {a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)});
        if (how == Meeting::Crossing) hit.kind = Kind::Crossing;
    }
    hit.contacts = contacts.size();
    return hit;
}

/// Two parts that are apart, with the shortest line between them.
Hit apart(const Document& d, std::uint32_t a, std::uint32_t b, const Affine& world_from_a, const Affine& world_from_b) {
    Hit hit{.a = a, .b = b, .kind = Kind::Clearance};
    Closest closest =
        distance(d.meshes[d.parts[a].mesh], d.meshes[d.parts[b].mesh], *relative(world_from_a, world_from_b));
    closest.point_a = world_from_a(closest.point_a);
    closest.point_b = world_from_a(closest.point_b);
    hit.closest = closest;
    return hit;
}

/// The answer that a command would give in JSON: the clashes and the contacts of each frame.
void answer(Document& d) {
    std::string& out = d.answer;
    out = "{\"clashes\": [";
    for (const Clash& c : d.clashes)
        fmt::format_to(std::back_inserter(out), "{}{{\"a\": {}, \"b\": {}, \"kind\": \"{}\", \"contacts\": {}}}",
                       &c == d.clashes.data() ? "" : ", ", c.hit.a, c.hit.b, name(c.hit.kind), c.hit.contacts);
    out += "], \"frames\": [";
    for (const Frame& f : d.frames) {
        std::uint64_t contacts = 0;
        for (const Hit& h : f.hits) contacts += h.contacts;
        fmt::format_to(std::back_inserter(out), "{}{}", &f == d.frames.data() ? "" : ", ", contacts);
    }
    fmt::format_to(std::back_inserter(out), "], \"parts\": {}}}\n", d.parts.size());
}

/// A ring around a teapot's spout.
Document pair() {
    Document d{.title = "graze collide teapot.obj ring.stl", .units = "mm"};
    d.meshes = {model_of(scenes::teapot(16)), model_of(scenes::torus(0.9, 0.25, 120, 48))};
    d.parts = {{.name = "teapot.obj", .mesh = 0, .group = "A: teapot.obj", .tree = true},
               {.name = "ring.stl",
                .mesh = 1,
                .placement = *Pose::from_quaternion({0.1, 0.5, 0.1, 0.83}, {2.05, 0.25, 1.35}),
                .group = "B: ring.stl",
                .tree = true}};
    d.clashes.push_back({.hit = hit_of(d, 0, 1, d.parts[0].placement, d.parts[1].placement)});
    return d;
}

/// The teapot and the ring under names that contain markup.
Document hostile() {
    Document d = pair();
    const std::string evil = "</script><img src=x onerror=alert(1)>\"'&lt;\\ \xff";
    d.title = d.units = d.parts[0].name = d.parts[0].group = d.clashes[0].note = evil;
    return d;
}

/// A flat square of this many cells along each side.
scenes::Soup plate(std::uint32_t cells, double size) {
    scenes::Soup soup;
    for (std::uint32_t y = 0; y <= cells; ++y)
        for (std::uint32_t x = 0; x <= cells; ++x)
            soup.points.push_back({size * (2.0 * x / cells - 1), size * (2.0 * y / cells - 1), 0});
    for (std::uint32_t y = 0; y < cells; ++y)
        for (std::uint32_t x = 0; x < cells; ++x) {
            const std::uint32_t at = y * (cells + 1) + x, above = at + cells + 1;
            soup.corners.insert(soup.corners.end(), {at, at + 1, above, at + 1, above + 1, above});
        }
    return soup;
}

/// A teapot above a table and beside a ring that a ball goes through. Table and teapot have clearance maps.
Document clearance() {
    Document d{.title = "graze clash table/ --clearance 0.8", .units = "mm", .clearance = 0.8};
    d.meshes = {model_of(plate(40, 4)), model_of(scenes::teapot(12)), model_of(scenes::torus(0.9, 0.25, 60, 24)),
                model_of(scenes::sphere(1'000, 0.5))};
    d.parts = {{.name = "table/plate.stl", .mesh = 0, .placement = at({0, 0, -0.15})},
               {.name = "table/teapot.obj", .mesh = 1},
               {.name = "table/ring.stl",
                .mesh = 2,
                .placement = *Pose::from_quaternion({0.1, 0.5, 0.1, 0.83}, {2.9, 0.25, 2.35})},
               {
                   .name = "table/ball.stl",
                   .mesh = 3,
               }};
    d.parts[3].placement = at(d.parts[2].placement({0.9, 0, 0.3}));
    const auto place = [&](std::uint32_t part) -> const Affine& { return d.parts[part].placement; };
    d.clashes.push_back({.hit = hit_of(d, 2, 3, place(2), place(3)), .severity = 4});
    for (const auto& [a, b] : {std::pair{1u, 2u}, std::pair{0u, 1u}})
        d.clashes.push_back({.hit = apart(d, a, b, place(a), place(b)), .severity = 0.1 * b});
    for (const std::uint32_t part : {0u, 1u}) {
        std::vector<double>& least = d.parts[part].clearances;
        for (std::uint32_t other = 0; other < d.parts.size(); ++other) {
            if (other == part) continue;
            const std::vector<double> from =
                clearances(d.meshes[d.parts[part].mesh], d.meshes[d.parts[other].mesh],
                           *relative(place(part), place(other)), {.max_distance = d.clearance});
            if (least.empty()) least = from;
            std::ranges::transform(least, from, least.begin(), [](double x, double y) { return std::min(x, y); });
        }
    }
    return d;
}

/// A ring that comes up to a teapot until it meets the spout.
Document approach() {
    Document d = pair();
    d.title = "graze path teapot.obj ring.stl poses.txt --clearance 9";
    d.clashes.clear();
    d.moving = {1};
    const Affine& last = d.parts[1].placement;
    for (int i = 0; i < 40; ++i) {
        const Affine placement = *Affine::from_matrix(last.linear(), last.translation() + Vec3{0, 0.15 * (i - 32), 0});
        Hit hit = hit_of(d, 0, 1, {}, placement);
        if (hit.contacts == 0) hit = apart(d, 0, 1, {}, placement);
        d.frames.push_back(
            {.number = static_cast<std::size_t>(i), .placements = {placement}, .hits = {std::move(hit)}});
    }
    d.clashes.push_back({.hit = d.frames[0].hits[0], .frame = 0});
    d.parts[1].placement = d.frames[0].placements[0];
    return d;
}

/// A torus lowered over a stalagmite; a clash for each time that they meet.
Document path() {
    Document d{.title = "graze path landscape.stl torus.stl poses.txt", .units = "m"};
    d.meshes = {model_of(scenes::landscape(120)), model_of(scenes::wrinkled_torus())};
    d.parts = {{.name = "landscape.stl", .mesh = 0, .group = "A: landscape.stl", .tree = true},
               {.name = "torus.stl", .mesh = 1, .group = "B: torus.stl", .tree = true}};
    d.moving = {1};
    for (const Pose& pose : scenes::stalagmite_path(600, 3)) {
        Frame f{.placements = {pose}};
        Hit hit = hit_of(d, 0, 1, {}, pose);
        const std::uint32_t number = static_cast<std::uint32_t>(d.frames.size());
        if (hit.contacts != 0) {
            const bool begins = d.frames.empty() || d.frames.back().hits.empty();
            if (begins) d.clashes.push_back({.hit = hit, .note = "contact begins", .frame = number});
            f.hits.push_back(std::move(hit));
        }
        d.frames.push_back(std::move(f));
    }
    d.parts[1].placement = d.frames[0].placements[0];
    return d;
}

/// A storey of columns and beams with tanks, rings and teapots: some 500 parts, a few of them wrong.
Document assembly() {
    Document d{.title = "graze clash plant/", .units = "m"};
    enum : std::uint32_t { Column, Beam, Tank, Ring, Pot, Slab, Pipes, Float };
    d.meshes = {model_of(scenes::box({0.2, 0.2, 1.5})),
                model_of(scenes::box({0.78, 0.12, 0.15})),
                model_of(scenes::sphere(2'000, 0.35)),
                model_of(scenes::torus(0.3, 0.06, 48, 16)),
                model_of(scenes::scale(scenes::teapot(6), 0.14)),
                model_of(scenes::box({9.6, 9.6, 0.125})),
                model_of(scenes::pipes({.cells = 6, .size = 3})),
                model_of(scenes::sphere(300, 0.1))};
    scenes::Random random(5);
    const auto add = [&](std::uint32_t mesh, const char* kind, const char* group, const Affine& placement) {
        d.parts.push_back({.name = fmt::format("{}/{}-{:03}.stl", group, kind, d.parts.size()),
                           .mesh = mesh,
                           .placement = placement,
                           .group = group});
    };
    add(Slab, "slab", "concrete", at({0, 0, -0.125}));
    for (int x = -4; x <= 5; ++x)
        for (int y = -4; y <= 5; ++y) {
            const Vec3 foot{2.0 * x - 1, 2.0 * y - 1, 1.5};
            // Now and then a part stands a little out of place, or on the slab itself.
            const double slip = random.below(12) == 0 ? 0.06 : 0, lift = random.below(9) == 0 ? 0 : 0.01;
            add(Column, "column", "steel", at({foot.x + slip, foot.y, foot.z + lift}));
            if (x < 5) add(Beam, "beam", "steel", at({foot.x + 1, foot.y, 2.8}));
            if (y < 5) add(Beam, "beam", "steel", turned({foot.x, foot.y + 1, 2.6}, std::acos(0.0)));
            if (random.below(3) == 0 && x < 5 && y < 5) add(Tank, "tank", "vessels", at({foot.x + 1, foot.y + 1, 0.4}));
            if (random.below(4) == 0)
                add(Ring, "ring", "piping", at({foot.x + random.between(-0.1, 0.1), foot.y, random.between(0.5, 2)}));
            if (random.below(2) == 0 && x < 5 && y < 5)
                add(Pot, "pot", "vessels",
                    turned({foot.x + random.between(0.6, 1.4), foot.y + random.between(0.6, 1.4),
                            random.below(6) == 0 ? 0.004 : 0.01},
                           random.between(0, 6)));
        }
    add(Pipes, "rack", "piping", at({0, 0, 4.7}));
    // A float was forgotten in the first tank.
    const auto tank = std::ranges::find(d.parts, std::uint32_t{Tank}, &Part::mesh);
    const Affine in_tank = tank->placement;
    add(Float, "float", "vessels", in_tank);
    for (const std::uint32_t twice : {20u, 77u, 300u}) d.parts.push_back(d.parts[twice]);

    for (std::uint32_t a = 0; a < d.parts.size(); ++a)
        for (std::uint32_t b = a + 1; b < d.parts.size(); ++b) {
            const Affine &pa = d.parts[a].placement, &pb = d.parts[b].placement;
            const bool duplicate = d.parts[a].mesh == d.parts[b].mesh && pa == pb;
            Hit hit = hit_of(d, a, b, pa, pb);
            const bool inside = d.parts[a].mesh == Tank && d.parts[b].mesh == Float && pa == pb;
            if (inside) hit.kind = Kind::Inside;
            if (hit.contacts == 0 && !inside) continue;
            if (duplicate) hit.kind = Kind::Duplicate;
            const State state = random.below(4) == 0 ? State::New : State::Persistent;
            d.clashes.push_back({.hit = std::move(hit), .state = state});
        }
    d.clashes.push_back({.hit = {.a = 4, .b = no_part},
                         .gone_b = "steel/bracket-old.stl",
                         .state = State::Resolved,
                         .note = "the part is gone"});
    std::ranges::sort(d.clashes, {}, [](const Clash& c) {
        return std::tuple(c.state == State::Resolved, c.hit.kind, c.hit.a, c.hit.b);
    });
    return d;
}

/// Blocks on a plate whose files are accurate to 24 µm: one has sunk in, one is there twice, two fit, one touches.
Document fits() {
    Document d{.title = "graze clash blocks/", .units = "m"};
    d.meshes = {model_of(scenes::box({2, 1, 0.125})), model_of(scenes::box({0.25, 0.25, 0.25}))};
    d.parts.push_back({.name = "blocks/plate.stl", .mesh = 0, .placement = at({0, 0, -0.125})});
    const auto add = [&](const char* name, const Vec3& foot) {
        d.parts.push_back({.name = name, .mesh = 1, .placement = at({foot.x, foot.y, foot.z + 0.25})});
        return static_cast<std::uint32_t>(d.parts.size() - 1);
    };
    const auto meet = [&](std::uint32_t a, std::uint32_t b, Kind kind, double severity) -> Clash& {
        Clash& c = d.clashes.emplace_back();
        c.hit = hit_of(d, a, b, d.parts[a].placement, d.parts[b].placement);
        c.id = fmt::format("blocks-{}-{}", a, b);
        c.extent = std::sqrt(0.5);
        c.severity = severity;
        c.hit.kind = kind;
        if (kind == Kind::Fit || kind == Kind::Duplicate) {
            c.exact = Kind::Crossing;
            c.band = 48e-6;
        }
        return c;
    };
    const std::uint32_t sunk = add("blocks/sunk.stl", {-1.5, 0, -0.052}), twin = add("blocks/twin.stl", {-0.75, 0, 1}),
                        other = add("blocks/twin-2.stl", {-0.75, 0, 1 + 20e-6}),
                        thin = add("blocks/thin.stl", {0, 0, -0.0004}), fit = add("blocks/fit.stl", {0.75, 0, -13e-6}),
                        touching = add("blocks/touching.stl", {1.5, 0, 0});
    meet(twin, other, Kind::Duplicate, 5.2).depth = 20e-6;
    Clash& crossing = meet(0, sunk, Kind::Crossing, 4.2);
    crossing.depth = 0.052;
    crossing.volume = 0.5 * 0.5 * 0.052;
    crossing.translation = Vec3{0, 0, 0.052};
    Clash& slight = meet(0, thin, Kind::Crossing, 2.2);
    slight.thin = true;
    slight.depth = 0.0004;
    slight.volume = 0.5 * 0.5 * 0.0004;
    slight.translation = Vec3{0, 0, 0.0004};
    meet(0, touching, Kind::Touching, 1.2);
    Clash& close = meet(0, fit, Kind::Fit, 1.2);
    close.harmless = true;
    close.depth = 13e-6;
    const std::uint32_t upper = add("blocks/upper.stl", {0.75, 0, 0.5 - 40e-6});
    meet(fit, upper, Kind::Fit, 1.2).harmless = true;
    return d;
}

/// A scene of this many parts, of up to a hundred different models.
Document many(std::uint32_t parts, std::uint32_t triangles_each) {
    Document d{.title = fmt::format("{} parts of {} triangles", parts, triangles_each)};
    scenes::Random random(9);
    const auto cells = static_cast<std::uint32_t>(std::sqrt(triangles_each / 2.0));
    for (std::uint32_t i = 0; i < parts; ++i) {
        if (i < 100) d.meshes.push_back(model_of(scenes::torus(1, random.between(0.15, 0.6), cells, cells)));
        d.parts.push_back({.name = fmt::format("part {}", i),
                           .mesh = i % 100,
                           .placement = turned({i % 25 * 2.4 + random.between(0, 1), i / 25 * 2.4, 0}, i),
                           .group = fmt::format("group {}", i % 5)});
        for (std::uint32_t before : {i - 1, i - 25}) {
            if (before >= i) continue;
            Hit hit = hit_of(d, before, i, d.parts[before].placement, d.parts[i].placement);
            if (hit.contacts != 0) d.clashes.push_back({.hit = std::move(hit)});
        }
    }
    return d;
}

/// A clash of a building with what a review has besides, made up from its number.
Clash reviewed(Document& d, std::uint32_t duct, std::uint32_t pipe) {
    const auto i = static_cast<std::uint32_t>(d.clashes.size());
    Clash c{.hit = hit_of(d, duct, pipe, d.parts[duct].placement, d.parts[pipe].placement)};
    if (i % 7 == 0) c.hit.kind = Kind::Touching;
    c.id = fmt::format("building-{:05}", i);
    c.extent = 0.01 * (1 + i * 37 % 101);
    c.depth = 0.001 * (1 + i * 17 % 53);
    c.volume = *c.depth * c.extent * c.extent;
    c.translation = Vec3{0, 0, -*c.depth};
    c.thin = *c.depth < 0.005;
    c.severity = c.extent * static_cast<double>(c.hit.contacts);
    c.cause = 1 + duct / 10;
    c.cause_name = fmt::format("{} through pipes", d.parts[duct / 10 * 10].labels.layer);
    c.state = i % 11 == 0 ? State::New : i % 13 == 0 ? State::Worse : State::Persistent;
    if (i % 1000 == 7)
        c.review = {.status = "accepted",
                    .assignee = "Ada",
                    .comment = "as agreed",
                    .priority = "Critical",
                    .due = "2026-12-31"};
    return c;
}

/// A building of 5,000 parts on five storeys. Ducts run along it and pipes across it, 20,000 times through each other.
Document building() {
    constexpr std::uint32_t storeys = 5, rows = 25, ducts = 20, columns = 160, pipes = 3, tanks = 20;
    constexpr double row = 3, storey = 5, duct = columns / double{ducts}, pipe = rows * row / pipes;
    Document d{.title = "graze clash building.ifc", .units = "m"};
    d.meshes = {model_of(scenes::box({duct / 2 + 0.1, 0.5, 0.35})), model_of(scenes::box({0.11, pipe / 2 + 0.1, 0.11})),
                model_of(scenes::sphere(80, 1.2))};
    const auto add = [&](std::uint32_t mesh, std::uint32_t level, std::uint32_t zone, const Vec3& place) {
        const char* names[] = {"duct", "pipe", "tank"};
        const char* types[] = {"IfcDuctSegment", "IfcPipeSegment", "IfcTank"};
        const char* trades[] = {"ventilation", "plumbing", "fire protection"};
        const auto number = static_cast<std::uint32_t>(d.parts.size());
        d.parts.push_back(
            {.name = fmt::format("Site/Building/Level {}/Zone {:02}/{}-{:04}", level, zone, names[mesh], number),
             .mesh = mesh,
             .placement = at({place.x, place.y, place.z + level * storey}),
             .group = trades[mesh],
             .labels = {.id = fmt::format("0DWgwt6o1FOx7466f{:05}", number),
                        .type = types[mesh],
                        .layer = fmt::format("M-{}-{:02}", trades[mesh], zone),
                        .storey = fmt::format("Level {}", level),
                        .discipline = trades[mesh]}});
    };
    for (std::uint32_t level = 0; level < storeys; ++level) {
        const auto first = static_cast<std::uint32_t>(d.parts.size());
        for (std::uint32_t r = 0; r < rows; ++r)
            for (std::uint32_t i = 0; i < ducts; ++i) add(0, level, r, {(i + 0.5) * duct, (r + 0.5) * row, 3});
        const auto first_pipe = static_cast<std::uint32_t>(d.parts.size());
        for (std::uint32_t c = 0; c < columns; ++c)
            for (std::uint32_t i = 0; i < pipes; ++i) add(1, level, c / 8, {c + 0.5, (i + 0.5) * pipe, 3.1});
        for (std::uint32_t i = 0; i < tanks; ++i) add(2, level, i, {(i + 0.5) * duct, rows * row / 2 + 1.5, 1.2});
        for (std::uint32_t r = 0; r < rows; ++r)
            for (std::uint32_t c = 0; c < columns; ++c)
                d.clashes.push_back(
                    reviewed(d, first + r * ducts + c * ducts / columns, first_pipe + c * pipes + r * pipes / rows));
    }
    return d;
}

/// An arm of 15 links on a floor of two triangles, which its hand meets now and then: every second frame of 10,000.
Document arm() {
    constexpr std::uint32_t links = 15, frames = 5'000;
    Document d{.title = "graze robot arm.urdf", .units = "m", .all_frames = 2 * frames};
    const scenes::Soup floor{{{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}, {0, 1, 2, 0, 2, 3}};
    d.meshes = {model_of(floor), model_of(scenes::box({0.5, 0.12, 0.12}))};
    d.parts.push_back({.name = "floor", .mesh = 0, .group = "floor"});
    for (std::uint32_t i = 0; i < links; ++i) {
        d.parts.push_back({.name = fmt::format("link {}", i), .mesh = 1, .group = "arm"});
        d.moving.push_back(i + 1);
    }
    for (std::uint32_t frame = 0; frame < frames; ++frame) {
        Frame f{.number = 2 * frame};
        Vec3 joint{-7, 0, 1};
        double lean = 0;
        for (std::uint32_t i = 0; i < links; ++i) {
            lean += 0.06 * std::sin(0.004 * frame + 0.5 * i);
            const double c = std::cos(lean), s = std::sin(lean);
            const Vec3 along{c, 0, -s};
            f.placements.push_back(
                *Pose::from_matrix({{Vec3{c, 0, s}, Vec3{0, 1, 0}, Vec3{-s, 0, c}}}, joint + along * 0.5));
            joint = joint + along;
            Hit hit = hit_of(d, 0, i + 1, {}, f.placements.back());
            if (hit.contacts != 0) f.hits.push_back(std::move(hit));
        }
        if (!f.hits.empty() && (d.frames.empty() || d.frames.back().hits.empty()))
            d.clashes.push_back({.hit = f.hits[0], .frame = frame});
        d.frames.push_back(std::move(f));
    }
    for (const Frame& f : d.frames) d.all_hits += 2 * !f.hits.empty();
    for (std::uint32_t i = 0; i < links; ++i) d.parts[i + 1].placement = d.frames[0].placements[i];
    return d;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view name = argc == 3 ? argv[1] : "";
    Document d;
    Limits limits;
    if (name == "pair") {
        d = pair();
    } else if (name == "hostile") {
        d = hostile();
    } else if (name == "path") {
        d = path();
    } else if (name == "clearance") {
        d = clearance();
    } else if (name == "approach") {
        d = approach();
    } else if (name == "assembly") {
        d = assembly();
    } else if (name == "fits") {
        d = fits();
    } else if (name == "million") {
        d = many(500, 2'000);
    } else if (name == "simplified") {
        d = many(50, 4'000);
        d.parts[0].clearances.assign(d.meshes[0].triangle_count(), 0.5);
        limits.triangles = 100'000;
    } else if (name == "arm") {
        d = arm();
    } else if (name == "building") {
        d = building();
    } else {
        std::fputs(
            "report_demo pair|hostile|path|clearance|approach|assembly|fits|arm|building|million|simplified FILE\n",
            stderr);
        return 2;
    }
    std::size_t triangles = 0;
    for (const Part& p : d.parts) triangles += d.meshes[p.mesh].triangle_count();
    d.figures = {{"parts", fmt::format("{}", d.parts.size())},
                 {"models", fmt::format("{}", d.meshes.size())},
                 {"triangles", fmt::format("{}", triangles)},
                 {"clashes", fmt::format("{}", d.clashes.size())},
                 {"frames", fmt::format("{}", d.frames.size())}};
    answer(d);
    const auto written = write(d, argv[2], limits);
    if (!written) {
        std::fprintf(stderr, "report_demo: %s\n", written.fault().message.c_str());
        return 2;
    }
}
