# SPDX-License-Identifier: Apache-2.0
"""Every query gives the answer of C++, for one placement and for a batch."""
import copy
import gc
import multiprocessing
import os
import pickle
import resource
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import numpy as np

import graze
from test_models import strided, unaligned

BATCH_LAYOUTS = (np.ascontiguousarray, np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2], unaligned,
                 lambda a: a.astype(">f8"), list)


def fnv(counts, pairs):
    """The hash of tests/agree/golden.hpp."""
    value, at, words = 0xcbf29ce484222325, 0, pairs.ravel().tolist()
    for count in counts.tolist():
        for word in (count, *words[2 * at:2 * (at + count)]):
            value = (value ^ word) * 0x100000001b3 & 0xffffffffffffffff
        at += count
    return value ^ value >> 32


def in_order(pairs):
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


class Golden(unittest.TestCase):
    """The scenes of tests/agree/test_wide.cpp, with the same hashes."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        printed = subprocess.run([os.environ["GRAZE_GOLDEN"], cls.folder.name], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout
        cls.scenes = {line.split()[0]: int(line.split()[1], 16) for line in printed.splitlines()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def load(self, name, what, dtype, *shape):
        return np.fromfile(os.path.join(self.folder.name, f"{name}.{what}"), dtype).reshape(shape)

    def model(self, name, which, **settings):
        return graze.Model(self.load(name, which + ".points", float, -1, 3),
                           self.load(name, which + ".corners", np.uint32, -1, 3), **settings)

    def check(self, name, a, b, poses):
        counts = self.load(name, "counts", np.uint32, -1)
        expected = self.load(name, "pairs", np.uint32, -1, 2)
        found = graze.collide(a, b, poses)
        self.assertEqual((found.pairs.dtype, found.offsets.dtype), (np.uint32, np.int64))
        np.testing.assert_array_equal(np.diff(found.offsets), counts)
        ordered = np.concatenate([in_order(found.pairs[i:j]) for i, j in zip(found.offsets, found.offsets[1:])])
        np.testing.assert_array_equal(ordered, expected)
        self.assertEqual(fnv(counts, ordered), self.scenes[name])
        np.testing.assert_array_equal(graze.intersects(a, b, poses), counts > 0)
        np.testing.assert_array_equal(graze.intersects(a, b, poses, front=graze.Front()), counts > 0)

    def test_batches(self):
        for name in self.scenes:
            with self.subTest(scene=name):
                rows = self.load(name, "poses", float, -1, 3, 4)
                self.check(name, self.model(name, "a"), self.model(name, "b"), rows)
                a, b = self.model(name, "a", volume="aabb", threads=1), self.model(name, "b", volume="obb")
                full = np.concatenate([rows, np.broadcast_to([[[0.0, 0, 0, 1]]], (len(rows), 1, 4))], axis=1)
                self.check(name, a, b, full)

    def test_one_by_one(self):
        for name in self.scenes:
            a, b = self.model(name, "a"), self.model(name, "b")
            counts = self.load(name, "counts", np.uint32, -1)
            pairs = np.split(self.load(name, "pairs", np.uint32, -1, 2), np.cumsum(counts)[:-1])
            for pose, expected in zip(self.load(name, "poses", float, -1, 3, 4), pairs):
                np.testing.assert_array_equal(in_order(graze.collide(a, b, pose)), expected)
                self.assertIs(graze.intersects(a, b, pose), len(expected) > 0)

    def test_numbers(self):
        for name in self.scenes:
            with self.subTest(scene=name):
                a, b = self.model(name, "a"), self.model(name, "b")
                rows = self.load(name, "poses", float, -1, 3, 4)
                distance, t, closest, boxed = self.load(name, "numbers", float, -1, 4).T
                np.testing.assert_array_equal(graze.distance(a, b, rows), distance)
                np.testing.assert_array_equal(graze.closest(a, b, rows).distance, distance)
                np.testing.assert_array_equal(graze.within(a, b, rows, 0.25), distance <= 0.25)
                origins, along = rows[:, :, 3], rows[:, :, 0]
                hits = graze.nearest_hit(a, origins, along)
                np.testing.assert_array_equal(hits.t, t)
                np.testing.assert_array_equal(graze.any_hit(a, origins, along), hits.hit)
                all_hits = graze.all_hits(a, origins, along)
                first = all_hits.offsets[:-1][hits.hit]
                np.testing.assert_array_equal(all_hits.triangle[first], hits.triangle[hits.hit])
                np.testing.assert_array_equal(graze.closest_points(a, origins).distance, closest)
                overlaps = graze.overlapping(graze.Box(*a.bounds), b, rows)
                np.testing.assert_array_equal(np.diff(overlaps.offsets), boxed)
                np.testing.assert_array_equal(graze.intersects(graze.Box(*a.bounds), b, rows), boxed > 0)
                for i in (0, len(rows) // 2, len(rows) - 1):
                    self.assertEqual(graze.distance(a, b, rows[i]), distance[i])
                    one = graze.nearest_hit(a, origins[i], along[i])
                    self.assertEqual(np.inf if one is None else one.t, t[i])
                    self.assertEqual(graze.closest_points(a, origins[i]).distance, closest[i])
                    self.assertEqual(len(graze.overlapping(graze.Box(*a.bounds), b, rows[i])), boxed[i])

    def test_solids(self):
        names = ["disjoint", "touching", "crossing", "a inside b", "b inside a", "equal"]
        met = set()
        for name in self.scenes:
            with self.subTest(scene=name):
                models = self.model(name, "a"), self.model(name, "b")
                a, b = map(graze.Solid, models)
                rows = self.load(name, "poses", float, -1, 3, 4)[::15]
                relation, side, signed, volume, area, out, points = self.load(name, "solids", float, -1, 7).T
                found = graze.relation(a, b, rows)
                self.assertEqual(found.tolist(), [names[int(i)] for i in relation])
                met |= set(found.tolist())
                np.testing.assert_array_equal(graze.relation(*models, rows), found)
                sides = graze.side_of(a, rows[:, :, 3])
                self.assertEqual(sides.dtype, np.int8)
                np.testing.assert_array_equal(sides, side)
                np.testing.assert_array_equal(graze.contains(a, rows[:, :, 3]), side > 0)
                np.testing.assert_array_equal(graze.signed_distance(a, rows[:, :, 3]).distance, signed)
                common = graze.overlap(a, b, rows)
                np.testing.assert_array_equal(common.volume, volume)
                np.testing.assert_array_equal(common.area, area)
                parted = graze.penetration(a, b, rows)
                np.testing.assert_array_equal(parted.depth, out)
                np.testing.assert_allclose(np.linalg.norm(parted.translation, axis=1), out)
                for i, row in enumerate(rows[:4]):
                    self.assertEqual(graze.relation(a, b, row), found[i])
                    self.assertEqual(graze.side_of(a, row[:, 3]), side[i])
                    self.assertEqual(graze.signed_distance(a, row[:, 3]).distance, signed[i])
                    self.assertEqual(graze.overlap(a, b, row), (volume[i], area[i]))
                    self.assertEqual(graze.penetration(a, b, row).depth, out[i])
                    curves = graze.intersection_curves(a, b, row)
                    self.assertEqual(sum(len(curve.points) for curve in curves), points[i])
        self.assertGreaterEqual(met, {"disjoint", "crossing"})

    def test_every_layout_of_placements(self):
        name = "CubeLattice"
        a, b = self.model(name, "a"), self.model(name, "b")
        rows = self.load(name, "poses", float, -1, 3, 4)
        for layout in BATCH_LAYOUTS:
            self.check(name, a, b, layout(rows))

    def test_single_precision(self):
        for name in self.scenes:
            points = [self.load(name, which + ".points", float, -1, 3).astype(np.float32) for which in "ab"]
            corners = [self.load(name, which + ".corners", np.uint32, -1, 3) for which in "ab"]
            rows = self.load(name, "poses", float, -1, 3, 4)
            wide = [graze.Model(p.astype(float), c) for p, c in zip(points, corners)]
            narrow = [graze.Model(np.asfortranarray(p), strided(c)) for p, c in zip(points, corners)]
            np.testing.assert_array_equal(graze.collide(*narrow, rows).pairs, graze.collide(*wide, rows).pairs)
            if name in ("IntegerGround", "CubeLattice", "Boxes"):  # all their coordinates are floats
                self.check(name, *narrow, rows)


class Queries(unittest.TestCase):
    def setUp(self):
        self.box = graze.shapes.box([1, 1, 1])
        self.sphere = graze.shapes.sphere(1)

    def test_polygons_and_limits(self):
        quads = graze.Model([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], [[0, 1, 2, 3]])
        self.assertEqual(set(map(tuple, graze.collide(quads, quads, polygons=True).tolist())), {(0, 0)})
        self.assertEqual(len(graze.collide(self.sphere, self.sphere, max_contacts=7)), 7)
        apart = graze.pose(translation=[3, 0, 0])
        for length in (2.0, 1.9):
            met = length == 2.0
            pairs = graze.collide_within(self.box, self.box, apart, length)
            self.assertEqual(graze.within(self.box, self.box, apart, length), met)
            self.assertEqual(len(pairs) > 0, met)
            batch = np.stack([apart, apart])
            self.assertEqual(graze.within(self.box, self.box, batch, length).tolist(), [met, met])
            self.assertEqual(graze.collide_within(self.box, self.box, batch, length).offsets.tolist(),
                             [0, len(pairs), 2 * len(pairs)])

    def test_faults_name_the_placement(self):
        batch = graze.pose(translation=np.zeros((1000, 3)))
        batch[[700, 900], 0, 0] = np.nan
        for query in (graze.intersects, graze.collide, graze.distance, graze.closest):
            with self.assertRaisesRegex(graze.Fault, r"placement 700: affine: entry \(0, 0\).* not finite"):
                query(self.box, self.box, batch)
        for bad, message in ((np.eye(3), r"the shape is \(3, 3\)"), (np.zeros((4, 4)), "affine: "),
                             (np.full((3, 4), 2.0), "singular"), ("no", "dtype|shape"), ([[1], [1, 2]], "no array"),
                             (np.eye(4)[None, None], "the shape is")):
            with self.assertRaisesRegex(graze.Fault, message):
                graze.intersects(self.box, self.box, bad)
        with self.assertRaisesRegex(graze.Fault, "ray 1: ray: the direction is zero"):
            graze.any_hit(self.box, [0, 0, 0], [[1, 0, 0], [0, 0, 0]])
        with self.assertRaisesRegex(graze.Fault, "2 origins and 3 directions"):
            graze.any_hit(self.box, np.ones((2, 3)), np.ones((3, 3)))
        with self.assertRaisesRegex(graze.Fault, "points: y of point 1 is not finite"):
            graze.closest_points(self.box, [[0, 0, 0], [0, np.nan, 0]])
        with self.assertRaisesRegex(graze.Fault, "length: this is not a number"):
            graze.within(self.box, self.box, np.eye(4), np.nan)
        with self.assertRaisesRegex(graze.Fault, "pair 0 names triangle 12 of 12"):
            graze.contact_points(self.box, self.box, [[12, 0]])

    def test_arrays_on_a_gpu(self):
        """Without a GPU they are refused in one line, by every argument; the objects stand for CuPy's and others'."""
        class ByInterface:
            __cuda_array_interface__ = {"shape": (2, 3, 4), "typestr": "<f4", "data": (4096, True), "version": 3}

        class ByDlpack:
            def __dlpack__(self, **_):
                raise AssertionError("nobody may ask for it")

            def __dlpack_device__(self):
                return (2, 0)

        empty = ByInterface()
        empty.__cuda_array_interface__ = {**ByInterface.__cuda_array_interface__, "shape": (0, 4, 4)}
        with self.assertRaises(graze.Fault) as caught:
            graze.intersects(self.box, self.box, empty)
        built = "without GPU support" not in str(caught.exception)
        for array in (ByInterface(), ByDlpack()):
            if not built:
                with self.assertRaisesRegex(graze.Fault, "a_from_b: the array is on a GPU, and .* without GPU support"):
                    graze.intersects(self.box, self.box, array)
            with self.assertRaisesRegex(graze.Fault, "a_from_b: an array on a GPU is for queries without a front"):
                graze.intersects(self.box, self.box, array, front=graze.Front())
            with self.assertRaisesRegex(graze.Fault, "a_from_b: the array is on a GPU; only intersects"):
                graze.collide(self.box, self.box, array)
            with self.assertRaisesRegex(graze.Fault, "points: the array is on a GPU; only intersects"):
                graze.Model(array, [[0, 1, 2]])
        if built:
            for wrong, message in (({"shape": (2, 4, 4)}, "the shape"), ({"typestr": "<i4"}, "float32 or float64"),
                                   ({"strides": (96, 32, 8)}, "packed"), ({"data": None}, "description"),
                                   ({"shape": "no"}, "description")):
                other = ByInterface()
                other.__cuda_array_interface__ = {**ByInterface.__cuda_array_interface__, **wrong}
                with self.assertRaisesRegex(graze.Fault, "a_from_b: an array on a GPU .*" + message):
                    graze.intersects(self.box, self.box, other)

        class OnTheHost:
            """DLPack's memory of the CPU is NumPy's business."""

            def __init__(self, array):
                self.array = array

            def __array__(self, *args, **kwargs):
                return self.array

            def __dlpack__(self, **_):
                raise AssertionError("nobody may ask for it")

            def __dlpack_device__(self):
                return (1, 0)

        self.assertTrue(graze.intersects(self.box, self.box, OnTheHost(np.eye(4))))

    def test_empty_batches(self):
        none = np.empty((0, 4, 4))
        self.assertEqual(graze.intersects(self.box, self.box, none).shape, (0,))
        found = graze.collide(self.box, self.box, none)
        self.assertEqual((found.pairs.shape, found.offsets.tolist()), ((0, 2), [0]))
        self.assertEqual(graze.closest(self.box, self.box, none).point_a.shape, (0, 3))
        self.assertEqual(graze.nearest_hit(self.box, np.empty((0, 3)), [1, 0, 0]).hit.shape, (0,))
        self.assertEqual(graze.closest_points(self.box, np.empty((0, 3))).point.shape, (0, 3))

    def test_contact_points_lie_on_both(self):
        pose = graze.pose(quaternion=[1, 2, 3, 4], translation=[0.9, 0.1, 0])
        pairs = graze.collide(self.sphere, self.sphere, pose)
        points = graze.contact_points(self.sphere, self.sphere, pairs, pose)
        self.assertGreater(len(pairs), 10)
        self.assertLess(graze.closest_points(self.sphere, points).distance.max(), 1e-14)
        back = (points - pose[:3, 3]) @ pose[:3, :3]
        self.assertLess(graze.closest_points(self.sphere, back).distance.max(), 1e-14)

    def test_contact_geometry_parts_pairs(self):
        pose = graze.pose(quaternion=[1, 2, 3, 4], translation=[0.9, 0.1, 0])
        pairs = graze.collide(self.sphere, self.sphere, pose)
        found = graze.contact_geometry(self.sphere, self.sphere, pairs, pose)
        self.assertGreater(found.depth.max(), 0)
        self.assertEqual((found.point.shape, found.normal.shape), ((len(pairs), 3), (len(pairs), 3)))
        np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1, atol=1e-14)
        self.assertLess(graze.closest_points(self.sphere, found.point).distance.max(), 1e-14)
        for pair, normal, depth in zip(pairs, found.normal, found.depth):
            apart = pose.copy()
            apart[:3, 3] += normal * (depth + 1e-9)
            left = graze.collide(self.sphere, self.sphere, apart)
            self.assertFalse((left == pair).all(axis=1).any())

    def test_slabs_and_visible(self):
        half = graze.Slab.half_space([0, 0, 1], -0.5)
        self.assertEqual(len(graze.overlapping(half, self.box)), 2 + 8)
        self.assertFalse(graze.intersects(graze.Slab.plane([1, 0, 0], 0.6), self.box))
        np.testing.assert_array_equal(graze.visible([half], self.box), graze.overlapping(half, self.box))
        for bad in (lambda: graze.Slab([0, 0, 0], 0, 1), lambda: graze.Slab([1, 0, 0], 1, 0),
                    lambda: graze.Box([1, 0, 0], [0, 0, 0]), lambda: graze.Box([0, 0], [1, 1, 1])):
            self.assertRaises(graze.Fault, bad)

    def test_hulls(self):
        hull = graze.Hull(self.sphere)
        self.assertEqual(hull.dimension, 3)
        self.assertEqual(len(hull.vertices) - len(hull.edges) + len(hull.faces), 2)
        far = graze.pose(translation=[[5, 0, 0], [0, 3, 0]])
        np.testing.assert_allclose(graze.distance(hull, hull, far), [3, 1], atol=1e-9)
        self.assertRaises(graze.Fault, graze.Hull, [[0, 0, np.inf]])

    def test_scenes(self):
        scene = graze.Scene()
        at = graze.pose(translation=np.arange(5)[:, None] * [3.0, 0, 0])
        ids = [scene.add(self.sphere, placement, user_data=i) for i, placement in enumerate(at)]
        self.assertEqual(len(scene.update().begun), 0)
        scene.move(ids[:2], at[[1, 1]])
        self.assertEqual(scene.update().begun.tolist(), [[ids[0], ids[1]]])
        self.assertEqual(len(scene.contacts(ids[0], ids[1])) > 0, True)
        scene.ignore(ids[0], ids[1], "they are friends")
        self.assertEqual(scene.ignored(ids[0], ids[1]), "they are friends")
        self.assertEqual(len(scene.update().ended), 1)
        scene.remove(ids[0])
        self.assertEqual((len(scene), ids[0] in scene, scene.user_data(ids[3])), (4, False, 3))
        np.testing.assert_array_equal(scene.placement(ids[1]), at[1])
        self.assertEqual(scene.refit(ids[1], self.sphere.points + [1, 0, 0]), 1.0)
        self.assertEqual(scene.replace(ids[1], self.box).triangle_count, self.sphere.triangle_count)
        for bad in (lambda: scene.move(ids[0], None), lambda: scene.remove(2**64 - 1), lambda: scene.contacts(ids[1], 99),
                    lambda: scene.add(self.box, np.diag([1e6, 1, 1, 1])), lambda: scene.move(ids[1:3], at)):
            self.assertRaises(graze.Fault, bad)

    def test_relative(self):
        wa = graze.pose(quaternion=[1, 2, 3, 4], translation=[[1, 2, 3], [4, 5, 6]])
        wb = graze.pose(quaternion=[0, 1, 0, 1], translation=[7, 8, 9])
        np.testing.assert_allclose(graze.relative(wa, wb), np.linalg.inv(wa) @ wb, atol=1e-14)
        np.testing.assert_array_equal(graze.relative(wa[1], wb), graze.relative(wa, wb)[1])


class Solids(unittest.TestCase):
    def setUp(self):
        self.model = graze.shapes.box([2, 2, 2])
        self.box, self.small = graze.Solid(self.model), graze.Solid(graze.shapes.box([1, 1, 1]))

    def test_self_contacts(self):
        self.assertIs(graze.self_intersects(self.model), False)
        apart = graze.Model(np.concatenate([self.model.corners(range(12)), self.model.corners(range(12)) + [1, 1, 1]]))
        self.assertIs(graze.self_intersects(apart), True)
        pairs = graze.self_contacts(apart)
        self.assertEqual(pairs.dtype, np.uint32)
        self.assertTrue((pairs[:, 0] < pairs[:, 1]).all())
        between = graze.collide(self.model, self.model, graze.pose(translation=[1, 1, 1])) + np.uint32([0, 12])
        np.testing.assert_array_equal(in_order(pairs), in_order(between))
        self.assertEqual(len(graze.self_contacts(apart, max_contacts=3)), 3)
        # A fan that folds back on itself: its triangles share a corner.
        folded = graze.Model([[0, 0, 0], [2, 0, 0], [0, 2, 0], [1, 1, 1], [1, 1, -1]], [[0, 1, 2], [0, 3, 4]])
        self.assertEqual(graze.self_contacts(folded).tolist(), [[0, 1]])
        self.assertEqual(graze.self_contacts(folded, 1).shape, (0, 2))
        self.assertIs(graze.self_intersects(folded, rings=1), False)

    def test_properties(self):
        self.assertEqual((self.box.flaw, self.box.closed, self.box.has_inside, self.box.shell_count, self.box.volume),
                         ("none", True, True, 1, 8.0))
        corners = self.model.corners(range(12))
        turned = corners.copy()
        turned[3] = turned[3, ::-1]
        self.assertEqual(graze.Solid(graze.Model(turned)).flaw, "misoriented")
        lid = graze.Solid(graze.Model(corners[1:]))
        self.assertEqual((lid.flaw, lid.closed, lid.has_inside), ("open", False, False))
        self.assertEqual(graze.Solid(graze.Model(np.concatenate([corners, corners + 1]))).flaw, "self-crossing")
        hollow = graze.Solid(graze.Model(np.concatenate([corners, 0.5 * corners])))
        self.assertEqual((hollow.flaw, hollow.shell_count, hollow.volume), ("misoriented", 2, 7.0))
        self.assertEqual(graze.side_of(hollow, [[0, 0, 0], [0.75, 0, 0]]).tolist(), [0, 2])

    def test_a_refit_does_not_reach_a_solid(self):
        self.model.refit(self.model.points + 10)
        self.assertIs(graze.contains(self.box, [0, 0, 0]), True)
        self.assertIs(graze.contains(self.model, [0, 0, 0]), False)
        self.assertEqual(self.box.model.bounds.tolist(), [[-1] * 3, [1] * 3])

    def test_points(self):
        points = np.random.default_rng(3).uniform(-2, 2, (5000, 3)).round(1)
        most = np.abs(points).max(axis=1)
        sides = graze.side_of(self.box, points)
        np.testing.assert_array_equal(sides, np.where(most > 1, graze.Side.OUTSIDE, np.where(most < 1, 2, 1)))
        np.testing.assert_array_equal(graze.contains(self.box, points), most <= 1)
        found = graze.signed_distance(self.box, points)
        np.testing.assert_array_equal(np.sign(found.distance), 1 - sides)
        np.testing.assert_array_equal(np.abs(found.distance), graze.closest_points(self.model, points).distance)
        self.assertIs(graze.side_of(self.box, [0, 0, 1]), graze.Side.ON_SURFACE)
        self.assertEqual(graze.signed_distance(self.box, [0, 0, 0.25]).distance, -0.75)
        self.assertEqual(graze.side_of(self.box, np.zeros((0, 3))).shape, (0,))
        for bad in ([0, 0, np.nan], [[0, 0, 0], [0, 0, np.inf]], [1, 2], "x"):
            self.assertRaises(graze.Fault, graze.contains, self.box, bad)

    def test_pairs(self):
        along = graze.pose(translation=[[x, 0, 0] for x in (0, 0.5, 1, 1.5, 2)])
        found = graze.relation(self.box, self.small, along)
        self.assertEqual(found.tolist(), ["b inside a", "b inside a", "crossing", "touching", "disjoint"])
        self.assertTrue(found.flags.owndata)
        self.assertEqual(graze.relation(self.small, self.box), "a inside b")
        self.assertEqual(graze.relation(self.box, self.model), "equal")
        np.testing.assert_allclose(graze.overlap(self.box, self.small, along).volume, [1, 1, 0.5, 0, 0])
        np.testing.assert_allclose(graze.overlap(self.box, self.small, along).area, [6, 6, 4, 0, 0])
        np.testing.assert_allclose(graze.inside_depth(self.box, self.small, along), [0.5, 1, 0.5, 0, 0], rtol=0.01, atol=1e-5)
        parted = graze.penetration(self.box, self.small, along)
        np.testing.assert_allclose(parted.depth, [1.5, 1, 0.5, 0, 0], atol=1e-8)
        self.assertEqual(parted.translation.shape, (5, 3))
        up = graze.penetration(self.box, self.small, along[2], direction=[0, 0, 3])
        np.testing.assert_allclose(up.translation, [0, 0, 1.5], atol=1e-8)
        self.assertEqual(graze.penetration(self.box, self.box, direction=[0, 0, 0]).depth, np.inf)
        [curve] = graze.intersection_curves(self.box, self.small, along[2])
        self.assertIs(curve.closed, True)
        np.testing.assert_array_equal(curve.points[:, 0], 1)
        self.assertEqual(graze.intersection_curves(self.box, self.small), [])

    def test_tolerances(self):
        along = graze.pose(translation=[[1.5 - d, 0, 0] for d in (-0.01, 0, 0.0005, 0.01)])
        self.assertEqual(graze.touching_within(self.box, self.small, along, 0.001).tolist(), [False, True, True, False])
        # Less than rounding allows: such a search once did not end.
        self.assertIs(graze.touching_within(self.box, self.small, along[1], 1e-300), True)
        depth = graze.inside_depth(self.box, graze.shapes.sphere(1, 0.01), along[1], relative_error=0, absolute_error=1e-300)
        self.assertAlmostEqual(depth, 0.5, 2)
        for call in (lambda: graze.touching_within(self.box, self.small, None, -1),
                     lambda: graze.inside_depth(self.box, self.small, relative_error=-0.1),
                     lambda: graze.inside_depth(self.box, self.small, absolute_error=np.nan)):
            self.assertRaises(graze.Fault, call)

    def test_arguments(self):
        with self.assertRaisesRegex(TypeError, "^b: this is no graze.Solid and no graze.Model$"):
            graze.relation(self.box, "box")
        self.assertRaises(TypeError, graze.Solid, self.box)
        with self.assertRaisesRegex(graze.Fault, "^placement 1: "):
            graze.overlap(self.box, self.small, np.stack([np.eye(4), np.full((4, 4), np.nan)]))
        with self.assertRaisesRegex(graze.Fault, "one placement is needed"):
            graze.intersection_curves(self.box, self.small, np.zeros((2, 4, 4)))
        for made in (pickle.loads(pickle.dumps(self.box)), copy.deepcopy(self.box)):
            self.assertEqual(graze.relation(made, self.box), "equal")
        self.assertIs(pickle.loads(pickle.dumps(graze.Side.INSIDE)), graze.Side.INSIDE)
        self.assertEqual(pickle.loads(pickle.dumps(graze.overlap(self.box, self.box))).volume, 8.0)


class Interpreter(unittest.TestCase):
    """Threads, signals, processes and memory."""

    def setUp(self):
        self.model = graze.shapes.sphere(1)
        rng = np.random.default_rng(1)
        self.poses = graze.pose(quaternion=rng.normal(size=(20000, 4)), translation=rng.normal(size=(20000, 3)) * 1.5)
        self.expected = graze.intersects(self.model, self.model, self.poses, threads=1)

    def test_threads_do_not_change_answers(self):
        for threads in (2, 3, 16):
            np.testing.assert_array_equal(graze.intersects(self.model, self.model, self.poses, threads=threads),
                                          self.expected)

    def test_progress(self):
        steps = []
        graze.intersects(self.model, self.model, self.poses, progress=steps.append)
        self.assertEqual(sum(steps), len(self.poses))
        self.assertGreater(len(steps), 1)
        with self.assertRaises(ZeroDivisionError):
            graze.intersects(self.model, self.model, self.poses, progress=lambda n: n / 0)

    def test_ctrl_c_ends_a_batch(self):
        many = np.repeat(np.eye(4)[None], 200_000, axis=0)  # takes minutes
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            graze.collide(self.model, self.model, many)
        self.assertLess(time.monotonic() - begin, 30)
        timer.join()

    def test_other_threads_run_meanwhile(self):
        counts, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counts[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        for _ in range(3):
            graze.intersects(self.model, self.model, self.poses, threads=1)
        before = counts[0]
        stop.set()
        thread.join()
        self.assertGreater(before, 3)

    def test_refit_during_queries(self):
        shared, wrong = self.model.copy(), []

        def query():
            for _ in range(5):
                if graze.intersects(shared, shared, self.poses[:2000], threads=1).shape != (2000,):
                    wrong.append("shape")

        threads = [threading.Thread(target=query) for _ in range(3)]
        for thread in threads:
            thread.start()
        for factor in np.linspace(1, 1.5, 20):
            shared.refit(self.model.points * factor)
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_front_serves_one_query_at_a_time(self):
        front, faults = graze.Front(), []

        def query():
            try:
                graze.intersects(self.model, self.model, self.poses, front=front)
            except graze.Fault as fault:
                faults.append(str(fault))

        threads = [threading.Thread(target=query) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(faults), {"front: another thread is using it"} if faults else set())

    def test_processes(self):
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                parts = pool.starmap(graze.intersects,
                                     [(self.model, self.model, part) for part in np.array_split(self.poses[:2000], 4)])
            np.testing.assert_array_equal(np.concatenate(parts), self.expected[:2000])

    def test_nothing_leaks(self):
        box = graze.shapes.box([1, 1, 1])
        pose, batch = graze.pose(translation=[0.5, 0, 0]), self.poses[:4]

        def calls(n):
            for _ in range(n):
                graze.intersects(box, box, pose)
                graze.collide(box, box, batch)
                graze.nearest_hit(box, [0, 0, 5], [0, 0, -1])
                graze.Model(np.eye(3), [[0, 1, 2]]).points
                try:
                    graze.intersects(box, box, np.zeros((4, 4)))
                except graze.Fault:
                    pass

        n = int(os.environ.get("GRAZE_PYTHON_CALLS", 3000))
        calls(1000)
        gc.collect()
        before, objects = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(gc.get_objects())
        calls(n)
        gc.collect()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 2000)  # kB
        self.assertLess(len(gc.get_objects()) - objects, 50)


if __name__ == "__main__":
    unittest.main()
