// SPDX-License-Identifier: Apache-2.0
// The walk of a GPU on 32 emulated lanes gives the same answers as the library on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "case_count.hpp"
#include "gpu/emulated_warp.hpp"
#include "graze/query.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze {
namespace {

using gpu::DeviceTree;
using gpu::Find;

struct Shape {
    Model model;
    DeviceTree tree;

    explicit Shape(const scenes::Soup& soup) : model(*Model::build(soup)), tree(*gpu::make_tree(model)) {}
};

/// Answers of the walks to a batch, one lane after the other.
struct Answers {
    std::vector<std::uint8_t> hit;
    std::vector<bool> beyond;  ///< left to the CPU
    std::vector<std::uint32_t> counts;
    std::vector<std::uint64_t> offsets;
    std::vector<gpu::Pair> pairs;
    std::size_t general = 0, ties = 0, left = 0;
};

template <class Real>
class Batch {
public:
    Batch(const Shape& a, const Shape& b, const std::vector<Affine>& poses) : a_(a), b_(b), poses_(poses) {
        for (const Affine& p : poses)
            for (const double x : p.rows()) rows_.push_back(static_cast<Real>(x));
        exact_.reserve(poses.size());
        for (std::size_t i = 0; i < poses.size(); ++i) {
            std::array<double, 12> r;
            std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(12 * i), 12, r.begin());
            exact_.push_back(*Affine::from_rows(r));
        }
    }

    /// Compares with the CPU on every pose that the walks decide. Returns what was left to others.
    Answers check(std::uint32_t parts) {
        Answers any = answers<Find::Any>(parts, {}), count = answers<Find::Count>(1, {});
        Answers written = answers<Find::Write>(1, count.counts);
        std::vector<Contact> contacts;
        for (std::size_t i = 0; i < poses_.size(); ++i) {
            collide(a_.model, b_.model, exact_[i], contacts);
            if (!any.beyond[i]) {
                EXPECT_EQ(any.hit[i] != 0, !contacts.empty()) << "pose " << i;
            }
            if (count.beyond[i]) continue;
            EXPECT_EQ(count.counts[i], contacts.size()) << "pose " << i;
            if (count.counts[i] != contacts.size()) return any;
            std::vector<TrianglePair> cpu, own;
            for (const Contact& c : contacts) cpu.push_back(c.triangles);
            for (std::size_t k = 0; k < contacts.size(); ++k) {
                const gpu::Pair& p = written.pairs[written.offsets[i] + k];
                own.push_back({p.a, p.b});
            }
            std::ranges::sort(cpu);
            std::ranges::sort(own);
            EXPECT_TRUE(cpu == own) << "pose " << i;
        }
        return any;
    }

private:
    template <Find find>
    Answers answers(std::uint32_t parts, const std::vector<std::uint32_t>& counts) {
        Answers out;
        const std::size_t n = poses_.size();
        out.hit.resize(n), out.counts.resize(n), out.offsets.resize(n + 1), out.beyond.resize(n);
        for (std::size_t i = 0; i < counts.size(); ++i) out.offsets[i + 1] = out.offsets[i] + counts[i];
        out.pairs.resize(out.offsets.back());
        std::vector<std::uint32_t> left(n / 32 + 1), general(n), ties(n), beyond(n);
        std::uint32_t generals = 0, tied = 0, unknown = 0;
        gpu::Job<Real> job{};
        job.a_boxes = a_.tree.boxes.data(), job.b_boxes = b_.tree.boxes.data();
        job.a_triangles = a_.tree.triangles.data(), job.b_triangles = b_.tree.triangles.data();
        job.frames = gpu::frames_of(a_.tree.frame, b_.tree.frame);
        job.rows = rows_.data();
        job.hit = out.hit.data(), job.left = left.data(), job.counts = out.counts.data();
        job.offsets = out.offsets.data(), job.pairs = out.pairs.data();
        job.general = {general.data(), &generals}, job.ties = {ties.data(), &tied},
        job.beyond = {beyond.data(), &unknown};
        run<find, gpu::Kind::Rigid>(job, nullptr, n, parts);
        run<find, gpu::Kind::General>(job, general.data(), generals, 1);
        run<find, gpu::Kind::Exact>(job, ties.data(), tied, 1);
        for (std::uint32_t i = 0; i < unknown; ++i) out.beyond[beyond[i]] = true;
        out.general = generals, out.ties = tied, out.left = unknown;
        return out;
    }

    template <Find find, gpu::Kind kind>
    void run(gpu::Job<Real> job, const std::uint32_t* list, std::size_t n, std::uint32_t parts) {
        std::uint32_t next = 0;
        job.next = &next;
        job.list = list;
        job.poses = static_cast<std::uint32_t>(n);
        job.parts = parts;
        using Walk = gpu::Walk<find, kind, Real>;
        std::vector<gpu::Prepared<Walk::rigid>> prepared(poses_.size());
        job.prepared = prepared.data();
        for (std::uint32_t i = 0; i < n; ++i) Walk{job}.prepare(i);
        gpu::EmulatedWarp<typename Walk::Lane> warp(a_.tree.frame.depth + b_.tree.frame.depth);
        Walk{job}.run(warp);
    }

    const Shape &a_, &b_;
    std::vector<Affine> poses_;
    std::vector<Affine> exact_;
    std::vector<Real> rows_;
};

/// At most `usual` poses, and few under sanitizers.
std::vector<Affine> random_poses(const Model& a, const Model& b, int usual, std::uint64_t seed) {
    const auto n = static_cast<std::size_t>(std::min(usual, test::case_count(usual, 8)));
    const std::vector<Pose> poses = scenes::placements_at_hit_rate(a, b, 0.6, n, seed);
    return {poses.begin(), poses.end()};
}

TEST(GpuPlacement, NumbersThatAreNone) {
    const Shape box(scenes::box());
    const gpu::Frames frames = gpu::frames_of(box.tree.frame, box.tree.frame);
    for (int k = 0; k < 12; ++k)
        for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            gpu::Rows<double> rows{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
            (k < 9 ? rows.m[k / 3][k % 3] : rows.t[k - 9]) = bad;
            gpu::RigidPlacement rigid;
            gpu::GeneralPlacement general;
            EXPECT_EQ(rigid.set(frames, rows), gpu::Fitness::Beyond) << k;
            EXPECT_EQ(general.set(frames, rows), gpu::Fitness::Beyond) << k;
        }
}

TEST(GpuTree, HoldsItsTriangles) {
    for (const scenes::Soup& soup : {scenes::torus(), scenes::teapot(), scenes::needles(200, 1),
                                     scenes::degenerate_mixture(300, 2), scenes::box(), scenes::cube_lattice(3)}) {
        const Shape shape(soup);
        const DeviceTree& tree = shape.tree;
        std::vector<int> seen(tree.triangles.size());
        const auto check = [&](auto&& self, std::uint32_t box, std::vector<std::uint32_t> above) -> void {
            above.push_back(box);
            const std::uint32_t r = tree.boxes[box].ref;
            if (!(r & gpu::ref::leaf)) {
                for (std::uint32_t i = 0; i < gpu::ref::count(r); ++i) self(self, 4 * gpu::ref::index(r) + i, above);
                return;
            }
            EXPECT_LE(above.size(), tree.frame.depth);
            for (std::uint32_t t = gpu::ref::index(r); t < gpu::ref::index(r) + gpu::ref::count(r); ++t) {
                ++seen[t];
                for (int k = 0; k < 9; k += 3)
                    for (const std::uint32_t b : above) {
                        const gpu::BoxShape s = gpu::shape_of(tree.boxes[b]);
                        Vec3 p;
                        for (int j = 0; j < 3; ++j)
                            p[j] = (tree.triangles[t].corner[k + j] - tree.frame.origin[j]) / tree.frame.unit -
                                   static_cast<double>(tree.boxes[b].centre[j]);
                        Vec3 axis[3];
                        for (int i = 0; i < 3; ++i) axis[i] = {s.axis[i][0], s.axis[i][1], s.axis[i][2]};
                        const double det = dot(axis[0], cross(axis[1], axis[2]));
                        for (int i = 0; i < 3; ++i) {
                            ASSERT_LE(std::abs(dot(axis[i], p)), s.half[i]);
                            ASSERT_LE(std::abs(dot(cross(axis[(i + 1) % 3], axis[(i + 2) % 3]), p) / det), s.half[i]);
                        }
                    }
            }
        };
        check(check, 0, {});
        EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(seen.size()));
    }
}

/// Checks floats and doubles, lanes of their own and shared ones. Nothing may be left to the CPU unless it is said so.
Answers check(const Shape& a, const Shape& b, const std::vector<Affine>& poses, bool may_leave = false) {
    Answers last;
    for (const std::uint32_t parts : {1u, 16u}) {
        const Answers in_float = Batch<float>(a, b, poses).check(parts);
        last = Batch<double>(a, b, poses).check(parts);
        if (!may_leave) {
            EXPECT_EQ(in_float.left + last.left, 0u);
        }
    }
    return last;
}

TEST(GpuWalk, RandomPoses) {
    const Shape torus(scenes::torus()), teapot(scenes::teapot());
    for (const Shape* b : {&torus, &teapot}) {
        const Answers found = check(torus, *b, random_poses(torus.model, b->model, 100, 1));
        EXPECT_EQ(found.ties + found.general, 0u);
    }
}

TEST(GpuWalk, UnevenScaleAndShear) {
    const Shape torus(scenes::torus());
    std::vector<Affine> poses = random_poses(torus.model, torus.model, 60, 2);
    for (std::size_t i = 0; i < poses.size(); ++i) {
        auto r = poses[i].rows();
        const double grow = i % 3 == 0 ? 1.25 : i % 3 == 1 ? 40 : 0.01;
        for (std::size_t k = 0; k < 12; k += 4) r[k] *= grow, r[k + 1] += 0.5 * r[k + 2];
        poses[i] = *Affine::from_rows(r);
    }
    EXPECT_EQ(check(torus, torus, poses).general, poses.size());
}

TEST(GpuWalk, Ties) {
    const Shape lattice(scenes::cube_lattice(3)), box(scenes::box());
    std::vector<Affine> steps;
    for (const double x : {-2.0, 0.0, 1.0, 0.5})
        for (const double y : {0.0, 3.0})
            for (const double z : {-1.0, 0.0, 2.0}) steps.push_back(*Pose::from_translation({x, y, z}));
    EXPECT_GT(check(lattice, lattice, steps).ties, steps.size() / 2);
    EXPECT_GT(check(lattice, box, steps).ties, 0u);
    std::vector<Affine> turned;
    for (std::uint32_t i = 0; i < 24; ++i) turned.push_back(scenes::axis_rotation(i));
    EXPECT_GT(check(lattice, lattice, turned).ties, 0u);
}

TEST(GpuWalk, TouchingSpheres) {
    const Shape sphere(scenes::sphere(2'000));
    std::vector<Affine> poses;
    for (const scenes::Touch& t : scenes::touching_placements(sphere.model, sphere.model, 20, 3))
        poses.push_back(t.clear), poses.push_back(t.hit);
    check(sphere, sphere, poses);
}

TEST(GpuWalk, NeedlesAndDegenerateTriangles) {
    const Shape needles(scenes::needles(100, 1)), mixture(scenes::degenerate_mixture(150, 2));
    check(needles, needles, random_poses(needles.model, needles.model, 30, 4), true);
    check(mixture, mixture, random_poses(mixture.model, mixture.model, 30, 5), true);
    check(mixture, needles, {Affine{}}, true);
}

TEST(GpuWalk, SizesAndPlacesOfAnyMagnitude) {
    const scenes::Soup torus = scenes::torus(1, 0.4, 20, 20);
    for (const double scale : {1e-12, 1e12}) {
        const Shape scaled(scenes::scale(torus, scale));
        check(scaled, scaled, random_poses(scaled.model, scaled.model, 20, 6));
    }
    // A small model at the surface of one that is 2^30 times as large.
    const Shape one(torus), small(scenes::scale(torus, 0x1p-30));
    std::vector<Affine> at_surface;
    for (int i = 0; i < 20; ++i) at_surface.push_back(*Pose::from_translation({0.6 + i * 0x1p-31, 0, 0}));
    check(one, small, at_surface);
    // Far from its origin, so that mapped corners are rounded.
    const Shape far(scenes::transformed(torus, *Pose::from_translation({1e7, -3e6, 2e5}))), near(torus);
    std::vector<Affine> poses;
    for (const Pose& p : scenes::placements_at_hit_rate(near.model, near.model, 0.6, 20, 7)) {
        const Vec3 back = p(Vec3{-1e7, 3e6, -2e5});
        poses.push_back(*Pose::from_matrix(p.rotation(), back));
    }
    check(near, far, poses);
    // So far apart that no float tells.
    check(near, near, {*Pose::from_translation({1e30, 0, 0}), *Pose::from_translation({1e20, 1, 1})});
}

TEST(GpuWalk, WhatIntegersOf256BitsDoNotDecide) {
    // The plane z = 2^-150 x, and a triangle whose lowest corner is above it by 2^-490.
    scenes::Soup plane, above;
    plane.add_triangle(plane.add({0, 0, 0}), plane.add({1, 0, 0x1p-150}), plane.add({0, 1, 0}));
    above.add_triangle(above.add({0x1p-300, 0, 0x1p-450 * (1 + 0x1p-40)}), above.add({1, 1, 1}), above.add({0, 1, 1}));
    const Shape a(plane), b(above);
    EXPECT_EQ(Batch<double>(a, b, {Affine{}}).check(1).left, 1u);
}

}  // namespace
}  // namespace graze
