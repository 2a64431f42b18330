# SPDX-License-Identifier: Apache-2.0
"""Models from arrays of every kind, and what they give back."""
import copy
import os
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import graze

POINTS = np.array([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0.5]])
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
    out = raw[1:].view(array.dtype).reshape(array.shape)
    out[...] = array
    return out


def strided(array):
    out = np.zeros((2 * array.shape[0], 3 * array.shape[1]), dtype=array.dtype)[::2, ::3]
    out[...] = array
    return out


def read_only(array):
    out = array.copy()
    out.flags.writeable = False
    return out


LAYOUTS = (np.ascontiguousarray, np.asfortranarray, strided, unaligned, read_only, lambda a: a[::-1][::-1],
           lambda a: a.astype(a.dtype.newbyteorder()), lambda a: a.tolist())


class FromArrays(unittest.TestCase):
    def same(self, model):
        np.testing.assert_array_equal(model.points, POINTS)
        np.testing.assert_array_equal(model.triangles, TRIANGLES)
        model.validate()

    def test_every_layout_and_dtype(self):
        for layout in LAYOUTS:
            for real in (np.float64, np.float32, np.float16):
                self.same(graze.Model(layout(POINTS.astype(real)), TRIANGLES))
            for whole in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
                self.same(graze.Model(POINTS, layout(TRIANGLES.astype(whole))))

    def test_integers_as_points(self):
        model = graze.Model(np.array([[0, 0, 0], [1, 0, 0], [0, 2**53, 0]]), [[0, 1, 2]])
        self.assertEqual(model.points[2, 1], 2.0**53)
        with self.assertRaisesRegex(graze.Fault, r"beyond 2\^53"):
            graze.Model(np.array([[0, 0, 0], [1, 0, 0], [0, 2**53 + 1, 0]]), [[0, 1, 2]])

    def test_the_callers_arrays_are_not_kept(self):
        points = POINTS.copy()
        model = graze.Model(points, TRIANGLES)
        points[:] = 7
        self.same(model)
        model.points[:] = 7
        self.same(model)

    def test_corners(self):
        model = graze.Model(POINTS, TRIANGLES)
        np.testing.assert_array_equal(model.corners([1, 0, 1]), POINTS[TRIANGLES[[1, 0, 1]]])
        self.assertEqual(model.corners([]).shape, (0, 3, 3))
        for bad in ([2], [-1], [[0]], [0.5], 1):
            self.assertRaises(graze.Fault, model.corners, bad)

    def test_soup_of_corners(self):
        model = graze.Model(POINTS[TRIANGLES])
        np.testing.assert_array_equal(model.points, POINTS[TRIANGLES].reshape(-1, 3))
        np.testing.assert_array_equal(model.triangles, [[0, 1, 2], [3, 4, 5]])

    def test_polygons(self):
        quad = graze.Model(POINTS, [[0, 1, 2, 3]])
        self.assertEqual((quad.triangle_count, quad.polygon_count), (2, 1))
        np.testing.assert_array_equal(quad.polygon_of, [0, 0])
        for polygons in ([[0, 1, 2, 3], [0, 1, 2]], [np.array([0, 1, 2, 3]), (0, 1, 2)],
                         np.array([[0, 1, 2, 3], [0, 1, 2]], dtype=object)):
            np.testing.assert_array_equal(graze.Model(POINTS, polygons).polygon_of, [0, 0, 1])
        flat = graze.Model(POINTS, [0, 1, 2, 3, 0, 1, 2], offsets=[0, 4, 7])
        np.testing.assert_array_equal(flat.polygon_of, [0, 0, 1])

    def test_meshes_and_paths(self):
        class Mesh:
            vertices, faces = POINTS.tolist(), TRIANGLES
        self.same(graze.Model(Mesh()))
        for path in ("part.stl", b"part.stl", pathlib.Path("part.stl")):
            with self.assertRaisesRegex(TypeError, "use graze.read"):
                graze.Model(path)

    def test_nothing(self):
        for model in (graze.Model([], []), graze.Model(np.empty((0, 3)), np.empty((0, 3), dtype=int)),
                      graze.Model(np.empty((0, 3, 3)))):
            self.assertEqual(model.triangle_count, 0)
            self.assertTrue(np.isinf(model.bounds).all())
            self.assertFalse(graze.intersects(model, model))
            self.assertEqual(graze.distance(model, model), np.inf)
            self.assertEqual(pickle.loads(pickle.dumps(model)).triangle_count, 0)

    def test_faults(self):
        for arguments, kind, message in (
                (([[0, 0, np.nan]], []), "not_finite", "soup: z of point 0 is not finite"),
                (([[0, 0, 0], [0, np.inf, 0]], []), "not_finite", "soup: y of point 1 is not finite"),
                (([[1e308, 0, 0]], []), "out_of_range", r"soup: x of point 0 is beyond 2\^1000"),
                ((POINTS, [[0, 1, 4]]), "bad_index", "soup: triangle 0 names point 4 of 4"),
                ((POINTS, [[0, 1, 2], [0, -1, 2]]), "bad_index", "soup: triangle 1 names point -1 of 4"),
                ((POINTS, np.array([[0, 1, 2**63 + 5]], dtype=np.uint64)), "bad_index", "names point 9223372036854775813"),
                ((POINTS, np.array([[0, 1, 2**32]])), "bad_index", "names point 4294967296 of 4"),
                ((POINTS, [[0, 1]]), "bad_polygon", "soup: polygon 0 has 2 corners"),
                ((POINTS, [[0, 1, 2], [0, 1]]), "bad_polygon", "soup: polygon 1 has 2 corners"),
                ((POINTS, [0, 1, 2], [0, 2, 1]), "bad_polygon", "soup: polygon 0 has 2 corners"),
                ((POINTS, [0, 1, 2], [0, 4]), "bad_polygon", "soup: offset 1 is 4 of 3 corners"),
                ((POINTS, [[0.0, 1.0, 2.0]]), "bad_index", "triangles: the dtype is float64, not one of integers"),
                ((POINTS, [[True, False, True]]), "bad_index", "triangles: the dtype is bool"),
                ((POINTS[:, :2], TRIANGLES), "bad_index", r"points: the shape is \(4, 2\), not \(n, 3\) or"),
                ((POINTS.astype(complex), TRIANGLES), "bad_index", "points: the dtype is complex128"),
                ((POINTS.astype(np.longdouble), TRIANGLES), "bad_index", "points: the dtype is float128"),
                ((POINTS.astype(object), TRIANGLES), "bad_index", "points: the dtype is object"),
                ((POINTS,), "bad_polygon", "need triangles"),
                ((POINTS[TRIANGLES], TRIANGLES), "bad_polygon", "triangles already")):
            with self.subTest(message=message):
                with self.assertRaisesRegex(graze.Fault, message) as caught:
                    graze.Model(*arguments)
                self.assertEqual(caught.exception.kind, kind)
        self.assertTrue(issubclass(graze.Fault, ValueError))
        with self.assertRaisesRegex(graze.Fault, "none of auto, obb, aabb"):
            graze.Model(POINTS, TRIANGLES, volume="sphere")


class Kept(unittest.TestCase):
    def setUp(self):
        self.model = graze.shapes.sphere(1)

    def test_save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sphere.graze")
            self.model.save(path)
            loaded = graze.Model.load(path, validate=True)
            np.testing.assert_array_equal(loaded.points, self.model.points)
            with open(path, "r+b") as file:
                file.seek(os.path.getsize(path) // 2)
                file.write(b"\xff\xfe")
            with self.assertRaises(graze.Fault):
                graze.Model.load(path)
            with self.assertRaisesRegex(graze.Fault, "missing") as caught:
                graze.Model.load(os.path.join(folder, "missing"))
            self.assertEqual(caught.exception.kind, "file")

    def test_pickle(self):
        quads = graze.Model(POINTS, [[0, 1, 2, 3], [0, 1, 2]])
        for model in (self.model, quads):
            back = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(back.points, model.points)
            np.testing.assert_array_equal(back.polygon_of, model.polygon_of)
            self.assertEqual(repr(back), repr(model))
        state = self.model.__getstate__()
        with self.assertRaises(graze.Fault):
            graze.Model.__new__(graze.Model).__setstate__(state[:len(state) // 2])

    def test_refit(self):
        twin = self.model.copy()
        points = self.model.points * 2
        done = self.model.refit(points)
        self.assertAlmostEqual(done.moved, 1.0)
        np.testing.assert_array_equal(self.model.points, points)
        np.testing.assert_array_equal(twin.bounds, [[-1, -1, -1], [1, 1, 1]])
        np.testing.assert_array_equal(copy.deepcopy(self.model).points, points)
        self.model.refit(points[5:7].astype(np.float32), first=5, rebuild="never")
        self.model.validate()
        with self.assertRaisesRegex(graze.Fault, "refit: x of point 1 is not finite"):
            self.model.refit([[0, 0, 0], [np.nan, 0, 0]])
        with self.assertRaisesRegex(graze.Fault, "refit: points"):
            self.model.refit(points, first=3)

    def test_shapes_are_closed_and_within_tolerance(self):
        shapes = graze.shapes
        for model, radius in ((shapes.sphere(2, 1e-3), 2), (shapes.ellipsoid([2, 2, 2], 1e-3), 2)):
            corners = model.points[model.triangles]
            middle = np.linalg.norm(corners.mean(axis=1), axis=1)
            self.assertLess(np.abs(np.linalg.norm(model.points, axis=1) - radius).max(), 1e-12)
            self.assertGreaterEqual(middle.min(), radius - 1e-3)
        for model, volume in ((shapes.box([1, 2, 3]), 6), (shapes.cylinder(1, 2), 2 * np.pi), (shapes.cone(1, 3), np.pi),
                              (shapes.capsule(1, 2), 10 * np.pi / 3), (shapes.sphere(1), 4 * np.pi / 3)):
            a, b, c = model.points[model.triangles].transpose(1, 0, 2)
            self.assertAlmostEqual(np.einsum("ij,ij->", a, np.cross(b, c)) / 6 / volume, 1, delta=5e-3)
            edges = model.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
            forward, back = ({tuple(e) for e in es.tolist()} for es in (edges, edges[:, ::-1]))
            self.assertEqual(forward, back)
            self.assertEqual(len(forward), len(edges))
        for bad in (lambda: shapes.sphere(0), lambda: shapes.box([1, np.nan, 1]), lambda: shapes.cone(1, np.inf),
                    lambda: shapes.box([1, 2]), lambda: shapes.sphere(1, -1)):
            self.assertRaises(graze.Fault, bad)


if __name__ == "__main__":
    unittest.main()
