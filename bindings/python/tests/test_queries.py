# SPDX-License-Identifier: Apache-2.0
"""Every query gives the answer of C++, for one placement and for a batch."""
import gc
import multiprocessing
import os
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
                overlaps = graze.overlapping(b, graze.Box(*a.bounds), rows)
                np.testing.assert_array_equal(np.diff(overlaps.offsets), boxed)
                np.testing.assert_array_equal(graze.intersects(b, graze.Box(*a.bounds), rows), boxed > 0)
                for i in (0, len(rows) // 2, len(rows) - 1):
                    self.assertEqual(graze.distance(a, b, rows[i]), distance[i])
                    one = graze.nearest_hit(a, origins[i], along[i])
                    self.assertEqual(np.inf if one is None else one.t, t[i])
                    self.assertEqual(graze.closest_points(a, origins[i]).distance, closest[i])
                    self.assertEqual(len(graze.overlapping(b, graze.Box(*a.bounds), rows[i])), boxed[i])

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
        self.assertTrue(graze.intersects(self.box, self.box, graze.pose(translation=[3, 0, 0]), margin=2.0))
        self.assertFalse(graze.intersects(self.box, self.box, graze.pose(translation=[3, 0, 0]), margin=1.9))

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
        with self.assertRaisesRegex(graze.Fault, "margin: this is not a number"):
            graze.intersects(self.box, self.box, margin=np.nan)
        with self.assertRaisesRegex(graze.Fault, "pair 0 names triangle 12 of 12"):
            graze.contact_points(self.box, self.box, [[12, 0]])

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

    def test_slabs_and_visible(self):
        half = graze.Slab.half_space([0, 0, 1], -0.5)
        self.assertEqual(len(graze.overlapping(self.box, half)), 2 + 8)
        self.assertFalse(graze.intersects(self.box, graze.Slab.plane([1, 0, 0], 0.6)))
        np.testing.assert_array_equal(graze.visible(self.box, [half]), graze.overlapping(self.box, half))
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
