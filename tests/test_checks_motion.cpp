// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "blocks.hpp"
#include "checks/clash.hpp"
#include "checks/contacts.hpp"
#include "checks/motion.hpp"
#include "checks/robot.hpp"
#include "checks/shown_frames.hpp"
#include "files/pose_file.hpp"
#include "scenes/paths.hpp"
#include "scenes/shapes.hpp"

namespace graze::checks {
namespace {

using test::at;

Model model_of(const scenes::Soup& soup) { return *Model::build(soup.view()); }

std::vector<Contact> sorted(std::vector<Contact> contacts) {
    std::ranges::sort(contacts);
    return contacts;
}

/// A square about the origin.
scenes::Soup sheet_of(double half) {
    scenes::Soup soup;
    const std::uint32_t a = soup.add({-half, -half, 0}), b = soup.add({half, -half, 0}), c = soup.add({half, half, 0}),
                        d = soup.add({-half, half, 0});
    soup.add_triangle(a, b, c);
    soup.add_triangle(a, c, d);
    return soup;
}

/// A ring rocked down over the landscape's stalagmite.
struct Stalagmite {
    Model ground = model_of(scenes::landscape(60)), ring = model_of(scenes::wrinkled_torus());
    std::vector<Pose> poses = scenes::stalagmite_path(300, 3);
};

TEST(Motion, FramesAreAnsweredAsPlainQueriesAnswerThem) {
    const Stalagmite s;
    std::size_t hits = 0, seen = 0;
    const Motion all = follow(s.ground, s.ring, s.poses, {.ask = Ask::All}, [&](FrameAnswer& answer) {
        const std::vector<Contact> expected = sorted(collide(s.ground, s.ring, s.poses[answer.frame]));
        EXPECT_EQ(answer.frame, seen++);
        EXPECT_EQ(sorted(answer.contacts), expected) << answer.frame;
        EXPECT_EQ(answer.meets, !expected.empty());
        hits += !expected.empty();
        return Step::Continue;
    });
    ASSERT_EQ(all.contacts.size(), s.poses.size());
    EXPECT_EQ(all.frames_in_contact(), hits);
    ASSERT_GT(hits, 20u);
    ASSERT_LT(hits, s.poses.size() - 20);

    const Motion first = follow(s.ground, s.ring, s.poses, {.ask = Ask::First}, [&](FrameAnswer& answer) {
        EXPECT_EQ(answer.contacts.size(), answer.meets ? 1u : 0u);
        const std::vector<Contact> expected = sorted(collide(s.ground, s.ring, s.poses[answer.frame]));
        for (const Contact& c : answer.contacts) EXPECT_TRUE(std::ranges::binary_search(expected, c));
        return Step::Continue;
    });
    const Motion meets = follow(s.ground, s.ring, s.poses, {.ask = Ask::Meets});
    for (std::size_t i = 0; i < s.poses.size(); ++i) {
        EXPECT_EQ(first.contacts[i], all.contacts[i] > 0 ? 1u : 0u) << i;
        EXPECT_EQ(meets.contacts[i], first.contacts[i]) << i;
    }
    ASSERT_EQ(meets.intervals.size(), all.intervals.size());
    for (std::size_t i = 0; i < all.intervals.size(); ++i) {
        EXPECT_EQ(meets.intervals[i].begins, all.intervals[i].begins);
        EXPECT_EQ(meets.intervals[i].ends, all.intervals[i].ends);
    }
}

/// Everything but the time that queries took.
std::string text_of(const FrameAnswer& f) {
    std::string out = std::to_string(f.frame) + (f.meets ? " meets " : " ") + std::string(name(f.kind)) +
                      (f.closest ? std::to_string(f.closest->distance) : "");
    for (const Contact& c : sorted(f.contacts))
        out += " " + std::to_string(c.triangles.a) + "/" + std::to_string(c.triangles.b);
    return out;
}

TEST(Motion, ThreadsAndWhatIsKnownChangeNothing) {
    const Stalagmite s;
    std::vector<std::uint8_t> known(s.poses.size());
    ASSERT_TRUE(intersects(s.ground, s.ring, s.poses, known));
    for (const Ask ask : {Ask::All, Ask::Meets}) {
        std::vector<std::string> expected;
        std::uint64_t work = 0;
        for (const bool knows : {false, true})
            for (const unsigned threads : {1u, 2u, 5u}) {
                std::vector<std::string> seen;
                FollowSettings settings{.ask = ask, .clearance = 0.05, .threads = threads};
                if (knows) settings.known = known;
                const Motion motion = follow(s.ground, s.ring, s.poses, settings, [&](FrameAnswer& answer) {
                    seen.push_back(text_of(answer));
                    return Step::Continue;
                });
                if (expected.empty()) expected = seen;
                EXPECT_EQ(seen, expected) << threads << knows;
                if (threads == 1) work = motion.stats.box_tests;
                EXPECT_EQ(motion.stats.box_tests, work) << "the work does not depend on threads";
                EXPECT_EQ(motion.frames_in_contact(), static_cast<std::size_t>(std::ranges::count(known, 1)));
            }
    }
    std::size_t visits = 0;
    follow(s.ground, s.ring, s.poses, {.threads = 2},
           [&](FrameAnswer&) { return ++visits == 100 ? Step::Stop : Step::Continue; });
    EXPECT_EQ(visits, 100u);
}

TEST(Motion, IntervalsCoverTheFramesInContactAndNoOthers) {
    const Stalagmite s;
    const Motion motion = follow(s.ground, s.ring, s.poses);
    std::vector<bool> inside(motion.contacts.size());
    for (const Interval& i : motion.intervals) {
        ASSERT_LE(i.begins, i.ends);
        EXPECT_TRUE(i.begins == 0 || motion.contacts[i.begins - 1] == 0);
        EXPECT_TRUE(i.ends + 1 == motion.contacts.size() || motion.contacts[i.ends + 1] == 0);
        const auto from = motion.contacts.begin() + static_cast<std::ptrdiff_t>(i.begins);
        const auto most = std::max_element(from, motion.contacts.begin() + static_cast<std::ptrdiff_t>(i.ends) + 1);
        EXPECT_EQ(i.most, *most);
        EXPECT_EQ(i.at, static_cast<std::size_t>(most - motion.contacts.begin()));
        for (std::size_t f = i.begins; f <= i.ends; ++f) inside[f] = true;
    }
    for (std::size_t f = 0; f < inside.size(); ++f) EXPECT_EQ(inside[f], motion.contacts[f] > 0) << f;
}

/// A ball rolls past a ring, and touches it now and then.
TEST(Motion, FramesWithinTheClearanceAreThoseOfTheDistances) {
    const Model ring = model_of(scenes::torus(1, 0.3, 24, 12)), ball = model_of(scenes::sphere(80));
    std::vector<Pose> poses;
    for (int i = 0; i < 80; ++i)
        poses.push_back(*Pose::from_quaternion({0, 0, std::sin(0.05 * i), std::cos(0.05 * i)},
                                               {4 - 0.1 * i, 0.3, 0.9 + 0.6 * std::sin(0.4 * i)}));
    const double limit = 0.2;
    std::vector<bool> hit;
    std::size_t close = 0;
    const auto compare = [&](FrameAnswer& answer) {
        const Pose& pose = poses[answer.frame];
        const double apart = distance(ring, ball, pose).distance;
        EXPECT_EQ(answer.meets, apart == 0) << answer.frame;
        EXPECT_EQ(answer.close, apart > 0 && apart <= limit) << answer.frame;
        EXPECT_EQ(answer.closest.has_value(), answer.close);
        if (answer.close) {
            EXPECT_EQ(answer.closest->distance, apart);
            EXPECT_EQ(answer.kind, Kind::Clearance);
        }
        hit.push_back(answer.hit());
        close += answer.close;
        return Step::Continue;
    };
    const Motion motion = follow(ring, ball, poses, {.clearance = limit}, compare);
    EXPECT_GT(close, 5u);
    EXPECT_EQ(motion.close.size(), close);
    EXPECT_EQ(motion.hits(), hit);
    const Motion quick = follow(ring, ball, poses, {.ask = Ask::Meets, .clearance = limit});
    EXPECT_EQ(quick.hits(), hit);
    for (const CloseFrame& one : quick.close) EXPECT_FALSE(one.closest);
}

TEST(Motion, AnIntervalShowsItsClosestFrame) {
    const Model box = model_of(scenes::box()), small = model_of(scenes::box({0.1, 0.1, 0.1}));
    const std::vector<Pose> poses = {at(4, 0, 0), at(2.5, 0, 0), at(2.25, 0, 0), at(2.5, 0, 0),
                                     at(4, 0, 0), at(2.5, 0, 0), at(2, 0, 0),    at(2.125, 0, 0)};
    const Motion motion = follow(box, box, poses, {.clearance = 0.5});
    ASSERT_EQ(motion.intervals.size(), 2u);
    EXPECT_EQ(motion.intervals[0].kind, Kind::Clearance);
    EXPECT_EQ(motion.intervals[0].begins, 1u);
    EXPECT_EQ(motion.intervals[0].ends, 3u);
    EXPECT_EQ(motion.intervals[0].at, 2u);
    EXPECT_EQ(motion.intervals[0].least, 0.25);
    EXPECT_EQ(motion.intervals[1].kind, Kind::Touching);
    EXPECT_EQ(motion.intervals[1].at, 6u);
    EXPECT_FALSE(motion.intervals[1].least);
    EXPECT_TRUE(follow(box, box, poses, {.clearance = std::nextafter(0.125, 0)}).close.empty());
    // A part inside is reported as inside, however close the surface is.
    const Motion inside = follow(box, small, std::vector{at(1.25, 0, 0), at(0.75, 0, 0)}, {.clearance = 0.5});
    ASSERT_EQ(inside.intervals.size(), 1u);
    EXPECT_EQ(inside.intervals[0].kind, Kind::Inside);
    EXPECT_EQ(inside.intervals[0].at, 1u);
    EXPECT_EQ(inside.close.size(), 1u);
}

TEST(Motion, AnIntervalIsAsGraveAsItsGravestFrame) {
    const Model box = model_of(scenes::box());
    const std::vector<Pose> poses = {at(3, 0, 0), at(2, 0, 0),   at(1.9, 0.1, 0.2), at(2, 0, 0), at(3, 0, 0),
                                     at(2, 0, 0), at(2, 0.5, 0), at(9, 0, 0),       at(0, 2, 0)};
    const Motion motion = follow(box, box, poses);
    ASSERT_EQ(motion.intervals.size(), 3u);
    EXPECT_EQ(motion.intervals[0].kind, Kind::Crossing);
    EXPECT_EQ(motion.intervals[0].begins, 1u);
    EXPECT_EQ(motion.intervals[0].ends, 3u);
    EXPECT_EQ(motion.intervals[1].kind, Kind::Touching);
    EXPECT_EQ(motion.intervals[2].kind, Kind::Touching);
    EXPECT_EQ(motion.intervals[2].begins, 8u);
    EXPECT_EQ(motion.intervals[2].ends, 8u);
}

TEST(Motion, AVisitorEndsIt) {
    const Model box = model_of(scenes::box());
    const std::vector<Pose> poses(10, at(0.5, 0, 0));
    const Motion motion = follow(box, box, poses, {.ask = Ask::Meets},
                                 [](FrameAnswer& answer) { return answer.frame == 3 ? Step::Stop : Step::Continue; });
    EXPECT_EQ(motion.contacts.size(), 4u);
    EXPECT_TRUE(follow(box, box, {}).contacts.empty());
}

TEST(Motion, OfBothIsThatOfOneInTheOthersFrame) {
    const std::vector<Pose> a = scenes::tumble_path(20, 1, 2), b = scenes::tumble_path(20, 2, 3);
    const auto both = relative_motion(a, b);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ((*both)[i], relative(a[i], b[i]));
    const auto uneven = relative_motion(a, std::span(b).first(19));
    ASSERT_FALSE(uneven);
    EXPECT_EQ(uneven.fault().message, "A has 20 poses, and B 19");
}

TEST(Motion, SpreadTakesFromAllOver) {
    std::vector<Contact> contacts(1000);
    for (std::uint32_t i = 0; i < 1000; ++i) contacts[i].triangles = {i, 2 * i};
    EXPECT_EQ(spread(contacts, 2000).size(), 1000u);
    EXPECT_TRUE(spread({}, 5).empty());
    const std::vector<TrianglePair> some = spread(contacts, 10);
    ASSERT_EQ(some.size(), 10u);
    for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(some[i], (TrianglePair{100 * i, 200 * i}));
}

files::Mesh mesh_of(const Model& model) {
    files::Mesh mesh;
    mesh.points.assign(model.points().begin(), model.points().end());
    for (const auto& t : model.triangles()) mesh.corners.insert(mesh.corners.end(), t.begin(), t.end());
    return mesh;
}

/// Two links that do not move against each other, which semantics that disable nothing have checked all the same.
RobotCheck rigid_robot(const Model& a, const Model& b, const Pose& a_from_b) {
    files::Robot robot;
    robot.meshes = {mesh_of(a), mesh_of(b)};
    robot.links = {{"a", {{0, {}}}}, {"b", {{1, {}}}}};
    robot.joints = {{.name = "j", .parent = 0, .child = 1, .parent_from_joint = a_from_b}};
    const files::RobotSemantics semantics;
    return *RobotCheck::make(robot, &semantics);
}

using Kinds = std::array<std::optional<Kind>, 3>;

/// The answers of `collide` and `path` for two models, of `clash` for them as parts, and of `robot` as links.
Kinds all_kinds(const Model& a, const Model& b, const Pose& a_from_b) {
    Kinds kinds;
    const Motion motion = follow(a, b, std::span(&a_from_b, 1));
    if (!motion.intervals.empty()) kinds[0] = motion.intervals[0].kind;
    Parts parts;
    parts.models = {a, b};
    parts.parts = {{"a", 0, {}}, {"b", 1, a_from_b}};
    const Result<Clashes> clashes = find_clashes(parts);
    EXPECT_TRUE(clashes);
    if (!clashes->clashes.empty()) kinds[1] = clashes->clashes[0].kind;
    const Result<RobotAnswers> answers = check_all(rigid_robot(a, b, a_from_b), 1, {}, RobotAsk::Contacts);
    EXPECT_TRUE(answers);
    if (!answers->hits.empty()) kinds[2] = answers->hits[0].kind;
    return kinds;
}

TEST(ContactKind, AllCommandsAgree) {
    const Model box = model_of(scenes::box()), tall = model_of(scenes::box({1, 1, 3}));
    const auto expect = [&](const Model& b, const Pose& pose, std::optional<Kind> kind) {
        EXPECT_EQ(all_kinds(box, b, pose), (Kinds{kind, kind, kind})) << pose.translation().x;
        const Pose other_way = inverse(pose);
        EXPECT_EQ(all_kinds(b, box, other_way), (Kinds{kind, kind, kind})) << pose.translation().x;
    };
    expect(box, at(0.5, 0.3, 0.1), Kind::Crossing);
    expect(box, at(2 - 0x1p-52, 0.3, 0.1), Kind::Crossing);
    expect(box, at(2, 2, 2), Kind::Touching);      // a corner
    expect(box, at(2, 2, 0.5), Kind::Touching);    // an edge
    expect(box, at(2, 0.3, 0.1), Kind::Touching);  // faces overlap in one plane, from both sides
    expect(box, at(2, 0, 0), Kind::Touching);      // flush, with all edges in common
    expect(tall, at(2, 0, 2), Kind::Touching);
    // Pushed into each other with the sides flush: faces and edges lie in common planes, and no two triangles cross.
    expect(box, at(1.9, 0, 0), Kind::Crossing);
    expect(tall, at(1, 0, 2), Kind::Crossing);
    // A face of one inside a face of the other, on the same side of it.
    const Model small = model_of(scenes::box({0.25, 0.25, 0.25}));
    expect(small, at(0.75, 0, 0), Kind::Inside);
    expect(small, at(1.25, 0, 0), Kind::Touching);
    // Inside, and a hair's breadth from the surface on either side of it.
    expect(small, at(0, 0, 0), Kind::Inside);
    expect(small, at(0.75 - 1e-9, 0, 0), Kind::Inside);
    expect(small, at(1.25 + 1e-9, 0, 0), {});
    // A sheet within a box is inside it. A box within a bag of five sides is not.
    const Model sheet = model_of(sheet_of(0.5));
    expect(sheet, at(0, 0, 0), Kind::Inside);
    // With one of two bodies inside, neither part is inside the other.
    expect(model_of(scenes::joined(scenes::transformed(sheet_of(0.1), at(9, 9, 9)), sheet_of(0.5))), at(0, 0, 0),
           Kind::Crossing);
    scenes::Soup bag = scenes::box();
    bag.corners.resize(bag.corners.size() - 6);
    EXPECT_EQ(all_kinds(model_of(bag), small, at(0, 0, 0)), Kinds{});
}

Manner manner_without_contact(const scenes::Soup& a, const scenes::Soup& b, const Affine& a_from_b = {}) {
    const std::array models{model_of(a), model_of(b)};
    EXPECT_FALSE(intersects(models[0], models[1], a_from_b));
    return manner_of(Solid(models[0]), Solid(models[1]), a_from_b, {});
}
Nesting nested(const scenes::Soup& a, const scenes::Soup& b, const Affine& a_from_b = {}) {
    return manner_without_contact(a, b, a_from_b).nesting;
}

TEST(Nesting, EachClosedBodyOfAModelHasAnInside) {
    const scenes::Soup big = scenes::box(), small = scenes::box({0.1, 0.1, 0.1});
    const scenes::Soup far = scenes::transformed(small, at(9, 0, 0));
    EXPECT_EQ(nested(big, small), Nesting::BInA);
    EXPECT_EQ(nested(small, big), Nesting::AInB);
    EXPECT_EQ(nested(big, far), Nesting::None);
    // One of two bodies is inside, and the outer one has more bodies.
    const scenes::Soup two = scenes::joined(big, scenes::transformed(big, at(0, 9, 0)));
    EXPECT_EQ(nested(two, small), Nesting::BInA);
    EXPECT_EQ(nested(two, scenes::joined(far, small)), Nesting::None);
    EXPECT_EQ(manner_without_contact(two, scenes::joined(far, small)).kind, Kind::Crossing);
    // The closed bodies of an open model count, and its open ones never do.
    const scenes::Soup sheet = scenes::transformed(sheet_of(3), at(0, 0, 2));
    EXPECT_EQ(nested(scenes::joined(sheet, big), small), Nesting::BInA);
    EXPECT_EQ(nested(scenes::joined(big, sheet), small), Nesting::BInA);
    EXPECT_EQ(nested(sheet, small, at(0, 0, 2.5)), Nesting::None);
    EXPECT_EQ(nested(sheet, small, at(0, 0, 1.5)), Nesting::None);
    // Between a sheet above and a closed body below.
    EXPECT_EQ(nested(scenes::joined(big, sheet), small, at(0, 0, 1.5)), Nesting::None);
}

TEST(Nesting, CavitiesAreOutsideAndOverlapsInside) {
    const scenes::Soup small = scenes::box({0.1, 0.1, 0.1});
    const scenes::Soup inner = scenes::box({0.5, 0.5, 0.5});
    scenes::Soup turned = inner;
    for (std::size_t i = 0; i < turned.corners.size(); i += 3) std::swap(turned.corners[i], turned.corners[i + 1]);
    // Whichever way the walls of the cavity face.
    for (const scenes::Soup& cavity : {inner, turned}) {
        const scenes::Soup hollow = scenes::joined(scenes::box(), cavity);
        EXPECT_EQ(nested(hollow, small), Nesting::None);
        EXPECT_EQ(nested(hollow, small, at(0.75, 0, 0)), Nesting::BInA);
        // A body within the cavity is solid again.
        EXPECT_EQ(nested(scenes::joined(hollow, scenes::box({0.2, 0.2, 0.2})), small), Nesting::BInA);
    }
    // Where two bodies of one model overlap there is material: boxes across each other, and a ball at the end of a
    // slanted rod, within its box.
    const scenes::Soup plus = scenes::joined(scenes::box({1, 0.3, 0.3}), scenes::box({0.3, 1, 0.3}));
    EXPECT_EQ(nested(plus, small), Nesting::BInA);
    EXPECT_EQ(nested(plus, small, at(0.8, 0, 0)), Nesting::BInA);
    EXPECT_EQ(nested(plus, small, at(0.8, 0.8, 0)), Nesting::None);
    const Pose slanted = *Pose::from_quaternion({0.3, 0.5, 0.2, 0.8}, {});
    const scenes::Soup rod = scenes::transformed(scenes::box({4, 0.4, 0.4}), slanted);
    const Vec3 end = slanted(Vec3{3.9, 0, 0});
    const scenes::Soup club =
        scenes::joined(rod, scenes::transformed(scenes::sphere(2000, 0.5), at(end.x, end.y, end.z)));
    const Vec3 both = slanted(Vec3{3.75, 0, 0});
    EXPECT_EQ(nested(club, small, at(both.x, both.y, both.z)), Nesting::BInA);
}

TEST(Nesting, FacesThatAreThereTwice) {
    const auto doubled = [](scenes::Soup soup) {
        const std::vector<std::uint32_t> once = soup.corners;
        for (std::size_t i = 0; i < once.size(); i += 3) soup.add_triangle(once[i + 1], once[i], once[i + 2]);
        return soup;
    };
    const scenes::Soup small = scenes::box({0.1, 0.1, 0.1});
    EXPECT_EQ(nested(doubled(scenes::box()), small), Nesting::BInA);
    EXPECT_EQ(nested(doubled(scenes::box()), small, at(3, 0, 0)), Nesting::None);
    EXPECT_EQ(nested(doubled(sheet_of(3)), small, at(0, 0, 0.5)), Nesting::None);
    // One face twice.
    scenes::Soup one = scenes::box();
    one.add_triangle(one.corners[0], one.corners[1], one.corners[2]);
    EXPECT_EQ(nested(one, small), Nesting::BInA);
    // A wall that two rooms share.
    const scenes::Soup rooms = scenes::joined(scenes::box(), scenes::transformed(scenes::box(), at(2, 0, 0)));
    EXPECT_EQ(nested(rooms, small), Nesting::BInA);
    EXPECT_EQ(nested(rooms, small, at(2, 0, 0)), Nesting::BInA);
    EXPECT_EQ(nested(rooms, small, at(4, 0, 0)), Nesting::None);
}

TEST(Nesting, TenThousandBodies) {
    scenes::Soup bolts;
    const scenes::Soup bolt = scenes::box({0.1, 0.1, 0.1});
    for (int i = 0; i < 10'000; ++i) {
        const auto base = static_cast<std::uint32_t>(bolts.points.size());
        for (const Vec3& p : bolt.points) bolts.add(p + Vec3{i % 100 * 1.0, i / 100 * 1.0, 0});
        for (const std::uint32_t c : bolt.corners) bolts.corners.push_back(base + c);
    }
    const std::array models{model_of(bolts), model_of(scenes::box({0.35, 0.35, 0.35}))};
    const std::vector<Solid> solids = solids_of(models);
    const auto kind = [&](int i, int k, const Affine& pose) { return manner_of(solids[i], solids[k], pose, {}).kind; };
    for (const auto& [x, y] : {std::pair{0, 0}, {37, 61}, {98, 99}, {99, 99}}) {
        EXPECT_EQ(kind(0, 1, at(x, y, 0)), Kind::Crossing) << x;
        EXPECT_EQ(kind(1, 0, at(-x, -y, 0)), Kind::Crossing) << x;
        EXPECT_EQ(kind(1, 0, at(-x - 0.5, -y - 0.5, 0)), Kind::Touching) << x;
    }
}

TEST(Motion, InsideIsACollisionWithoutContacts) {
    const Model big = model_of(scenes::box()), small = model_of(scenes::box({0.25, 0.25, 0.25}));
    std::vector<Pose> poses;
    for (int i = 0; i < 9; ++i) poses.push_back(at(-2 + 0.5 * i, 0.1, 0.1));  // in from one side, out at the other
    for (const Ask ask : {Ask::All, Ask::First, Ask::Meets}) {
        std::string kinds;
        const Motion motion = follow(big, small, poses, {.ask = ask}, [&](FrameAnswer& answer) {
            kinds += !answer.meets ? '.' : answer.kind == Kind::Inside ? 'i' : 'x';
            EXPECT_EQ(answer.nesting, answer.kind == Kind::Inside ? Nesting::BInA : Nesting::None);
            return Step::Continue;
        });
        EXPECT_EQ(kinds, "..xiiix..");
        EXPECT_EQ(motion.frames_in_contact(), 2u);
        EXPECT_EQ(motion.frames_inside(), 3u);
        ASSERT_EQ(motion.intervals.size(), 1u);
        EXPECT_EQ(motion.intervals[0].begins, 2u);
        EXPECT_EQ(motion.intervals[0].ends, 6u);
    }
    const Motion still = follow(small, big, std::vector<Pose>(3));
    ASSERT_EQ(still.intervals.size(), 1u);
    EXPECT_EQ(still.intervals[0].kind, Kind::Inside);
    EXPECT_EQ(still.contact_count(), 0u);
}

TEST(ShownFrames, AllOrThoseWithCollisionsFirst) {
    std::vector<bool> collides(5'000);
    EXPECT_EQ(shown_frames(collides, {}).size(), 5'000u);
    collides.resize(20'000);
    for (std::size_t i = 3'000; i < 4'000; ++i) collides[i] = true;
    std::vector<std::size_t> frames = shown_frames(collides, {});
    ASSERT_EQ(frames.size(), 5'000u);
    EXPECT_TRUE(std::ranges::is_sorted(frames));
    EXPECT_EQ(std::ranges::count_if(frames, [&](std::size_t i) { return collides[i]; }), 1'000);
    EXPECT_EQ(frames.front(), 0u);
    EXPECT_GT(frames.back(), 19'900u);
    collides.assign(20'000, true);
    frames = shown_frames(collides, std::array<std::size_t, 2>{1, 19'999});
    EXPECT_EQ(frames.size(), 5'000u);
    EXPECT_EQ(frames.back(), 19'999u);
    EXPECT_EQ(frames[1], 1u);
}

double length_of(const files::Curve& curve) {
    double sum = 0;
    for (std::size_t i = 0; i + !curve.closed < curve.points.size(); ++i)
        sum += length(curve.points[(i + 1) % curve.points.size()] - curve.points[i]);
    return sum;
}

TEST(Contacts, CurvesAreJoined) {
    // A square rod through a plate of many triangles.
    const Model rod = model_of(scenes::box({0.5, 0.5, 4})), plate = model_of(scenes::box({3, 3, 0.25}));
    const auto curves = crossing_curves(plate, rod, at(0.1, 0.2, 0.05), collide(plate, rod, at(0.1, 0.2, 0.05)));
    ASSERT_EQ(curves.size(), 2u);
    for (const files::Curve& curve : curves) {
        EXPECT_TRUE(curve.closed);
        EXPECT_NEAR(length_of(curve), 4, 1e-9);
        for (const Vec3& p : curve.points) EXPECT_NEAR(std::abs(p.z), 0.25, 1e-12);
    }
}

TEST(Contacts, CurvesOfRoundThingsAreRings) {
    // Far from the origin and small, so that only relative distances count.
    const scenes::Soup ball = scenes::transformed(scenes::sphere(3000, 1e-3), at(500, -200, 90));
    const Model a = model_of(ball);
    const Pose pose = at(1.1e-3, 2e-4, 1e-4);
    const auto curves = crossing_curves(a, a, pose, collide(a, a, pose));
    ASSERT_EQ(curves.size(), 1u);
    EXPECT_TRUE(curves[0].closed);
    // The circle in which the spheres meet, half their distance away from both centres.
    const double half = length(pose.translation()) / 2, radius = std::sqrt(1e-6 - half * half);
    EXPECT_NEAR(length_of(curves[0]), 2 * 3.14159265358979 * radius, 2e-5);
}

TEST(Contacts, NoCurvesWhereOnlyPointsMeet) {
    const Model box = model_of(scenes::box());
    EXPECT_TRUE(crossing_curves(box, box, at(2, 2, 2), collide(box, box, at(2, 2, 2))).empty());
    EXPECT_TRUE(crossing_curves(box, box, at(9, 9, 9), {}).empty());
}

TEST(Contacts, TrianglesAreThoseOfTheContacts) {
    const Model box = model_of(scenes::box());
    const Pose pose = at(1.75, 0.3, 0.1);
    const std::vector<Contact> contacts = collide(box, box, pose);
    const files::Assembly made = contact_triangles(box, box, pose, contacts, "A", "B");
    ASSERT_EQ(made.parts.size(), 2u);
    EXPECT_EQ(made.parts[0].name, "A");
    EXPECT_EQ(made.parts[1].name, "B");
    std::vector<std::uint32_t> numbers;
    for (const Contact& c : contacts) numbers.push_back(c.triangles.b);
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    const files::Mesh& b = made.meshes[made.parts[1].mesh];
    ASSERT_EQ(b.polygon_count(), numbers.size());
    ASSERT_LT(numbers.size(), box.triangle_count());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(b.points[b.polygon(i)[0]], pose(box.triangle(numbers[i]).a));
    EXPECT_TRUE(contact_triangles(box, box, pose, {}, "A", "B").parts.empty());
}

TEST(PoseFile, RotationsAndTranslationsAfterTheirNumber) {
    const auto poses = files::parse_poses(
        "# two\n2\n0 -1 0\n1 0 0\n0 0 1\n4 5 6\n\n1 0 0 0 1 0\n0 0 1 7 # in any lines\n8 9\n", "p.path");
    ASSERT_TRUE(poses) << poses.fault().message;
    ASSERT_EQ(poses->size(), 2u);
    EXPECT_EQ((*poses)[0], *Pose::from_rows({0, -1, 0, 4, 1, 0, 0, 5, 0, 0, 1, 6}));
    EXPECT_EQ((*poses)[1], at(7, 8, 9));
    EXPECT_TRUE(files::parse_poses("0\n", "p.path")->empty());
}

TEST(PoseFile, BrokenBlocksAreNamedWithTheirLine) {
    const auto fault = [](const std::string& text) {
        const auto poses = files::parse_poses(text, "p.path");
        return poses ? "none" : poses.fault().message;
    };
    const std::string good = "1 0 0\n0 1 0\n0 0 1\n0 0 0\n";
    EXPECT_EQ(fault("2\n" + good), "p.path:6: the file ends after 1 of 2 poses");
    EXPECT_EQ(fault("1000000000000\n" + good), "p.path:6: the file ends after 1 of 1000000000000 poses");
    EXPECT_EQ(fault("1\n" + good + "3\n"), "p.path:6: '3' comes after the last of 1 poses");
    EXPECT_TRUE(fault("1.5\n" + good).starts_with("p.path:1: expected a pose or the number of poses,"));
    EXPECT_TRUE(fault("-1\n" + good).starts_with("p.path:1: "));
    EXPECT_EQ(fault("1\n1 0 0\n0 x 0\n0 0 1\n0 0 0\n"), "p.path:3: 'x' is not a number");
    EXPECT_TRUE(fault("2\n" + good + "2 0 0\n0 2 0\n0 0 2\n0 0 0\n").starts_with("p.path:6: "));
    // A number alone in a later line is no count.
    EXPECT_TRUE(fault("0 0 0 0 0 0 1\n5\n").starts_with("p.path:2: a pose has 7 numbers"));
}

}  // namespace
}  // namespace graze::checks
