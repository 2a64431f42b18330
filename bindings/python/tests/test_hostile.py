# SPDX-License-Identifier: Apache-2.0
"""Random arguments to every function: exceptions only, never a crash, never a hang.

GRAZE_PYTHON_FUZZ is the number of calls, GRAZE_PYTHON_SEED where they begin.
"""
import gc
import os
import random
import tempfile
import unittest
import warnings

import numpy as np

import graze
import graze.fcl
import graze.trimesh

EXPECTED = (graze.Fault, TypeError, ValueError, OverflowError, MemoryError, AttributeError, IndexError, KeyError,
            ZeroDivisionError, OSError, ImportError, AssertionError, NotImplementedError, RuntimeError)


URDF = """<robot name="r">
<link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="c"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="ab" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="bc" type="continuous"><parent link="b"/><child link="c"/><origin xyz="2 0 0"/></joint></robot>"""


class Strange:
    """An object that lies about itself."""

    def __init__(self, rng):
        self.rng = rng

    def __array__(self, dtype=None):
        if self.rng.random() < 0.5:
            raise ValueError("no")
        return np.zeros((3, 3))

    def __len__(self):
        return self.rng.choice([0, 3, 2**40])

    def __getitem__(self, i):
        raise IndexError

    def __fspath__(self):
        return self.rng.choice(["x\0y", "/nonexistent", b"\xff", 7])


class Arguments:
    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder
        box = graze.shapes.box([1, 1, 1])
        self.models = [box, graze.Model([], []), graze.shapes.sphere(1, 0.05), graze.Model(np.zeros((3, 3)), [[0, 1, 2]]),
                       graze.Model(np.eye(3) * 1e300, [[0, 1, 2], [2, 1, 0]])]
        for name, text in (("r.urdf", URDF), ("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        self.robot, self.parts = graze.Robot(folder + "/r.urdf"), graze.read(folder + "/t.obj")

    def number(self):
        return self.rng.choice([0, 1, -1, 2, 3, 7, 0.5, 1e-300, 1e300, float("nan"), float("inf"), -float("inf"), 2**31,
                                2**32, 2**63, -2**63, 2**64, 10**30, True, None, "a", 1j])

    def shape(self):
        return tuple(self.rng.choice([0, 1, 2, 3, 3, 4, 4, 5]) for _ in range(self.rng.randrange(5)))

    def array(self):
        dtype = self.rng.choice([float, float, np.float32, np.float16, np.longdouble, int, int, np.uint32, np.int8, np.uint64,
                                 bool, complex, object, ">f8", ">i4", "U3", "M8[s]", [("x", float)], "S0"])
        shape = self.rng.choice([self.shape(), self.shape(), (4, 4), (3, 4), (2, 4, 4), (5, 3), (3,), (4, 3, 3)])
        array = np.zeros(shape, dtype)
        if array.dtype.kind in "fiu" and array.size:
            for _ in range(self.rng.randrange(6)):
                try:
                    array.flat[self.rng.randrange(array.size)] = self.number()
                except (TypeError, ValueError, OverflowError):
                    pass
            if array.shape[-2:] in ((4, 4), (3, 4)) and self.rng.random() < 0.7:
                array[..., :, :] = np.eye(4)[:array.shape[-2]]
        change = self.rng.randrange(8)
        if change == 0:
            return np.asfortranarray(array)
        if change == 1 and array.ndim:
            return array[::-1]
        if change == 2 and array.ndim and len(array):
            return np.broadcast_to(array[:1], (self.rng.choice([0, 1, 1000]), *array.shape[1:]))
        if change == 3:
            array.flags.writeable = False
        if change == 4:
            return array.T
        if change == 5:
            return np.lib.stride_tricks.as_strided(array, strides=(0,) * array.ndim)
        if change == 6 and array.dtype.kind != "O":
            return memoryview(array) if array.dtype.kind in "fiu" else array
        return array

    def any(self):
        kind = self.rng.randrange(18)
        if kind < 4:
            return self.array()
        if kind < 9:
            return self.rng.choice(self.models)
        if kind == 9:
            return self.number()
        if kind == 10:
            return None
        if kind == 11:
            return [self.any_small() for _ in range(self.rng.randrange(4))]
        if kind == 12:
            return self.rng.choice([graze.Box([0, 0, 0], [1, 1, np.inf]), graze.Slab([0, 0, 1], 0, 1),
                                    graze.Hull(self.models[0]), graze.Front(), graze.Scene(),
                                    graze.Solid(self.rng.choice(self.models))])
        if kind == 13:
            return Strange(self.rng)
        if kind == 14:
            return self.rng.choice(["", "free", "obb", "a b c", "\udcff", "x" * 1000, b"\0", self.folder + "/x"])
        if kind == 15:
            return {"a": self.rng.choice(self.models), "b": (self.models[0], self.array())}
        if kind == 16:
            return graze.Part("part", self.rng.choice(self.models))
        return np.eye(4) if self.rng.random() < 0.5 else np.repeat(np.eye(4)[None], self.rng.choice([0, 1, 20]), axis=0)

    def any_small(self):
        return self.rng.choice([self.number, self.array, lambda: [0, 1, 2], lambda: [self.number()] * 3])()


def names(owner):
    return [name for name in dir(owner) if not name.startswith("_") or name in ("__getitem__", "__contains__", "__setstate__")]


class Hostile(unittest.TestCase):
    def test_objects_without_init(self):
        box = graze.shapes.box([1, 1, 1])
        for type_ in (graze.Box, graze.Clashes, graze.Front, graze.Hull, graze.Model, graze.Part, graze.Parts, graze.Robot,
                      graze.RobotAnswers, graze.Scene, graze.Slab, graze.Solid):
            empty = type_.__new__(type_)
            for name in names(type_):
                with self.assertRaisesRegex(TypeError, "", msg=f"{type_.__name__}.{name}"):
                    value = getattr(empty, name)
                    if name in ("load", "half_space", "plane", "__setstate__"):
                        raise TypeError
                    value()
            with self.assertRaises((TypeError, graze.Fault)):
                graze.intersects(box, empty)
            with self.assertRaises((TypeError, graze.Fault)):
                graze.clash([empty, box])
            self.assertRaises(TypeError, graze.relation, box, empty)
        self.assertRaises(TypeError, graze.intersects, box, box, front=graze.Front.__new__(graze.Front))
        self.assertRaises(TypeError, graze.Hull, graze.Model.__new__(graze.Model))

    def test_every_function(self):
        warnings.simplefilter("ignore")  # NumPy's, of numbers that do not fit
        seed = int(os.environ.get("GRAZE_PYTHON_SEED", 1))
        calls = int(os.environ.get("GRAZE_PYTHON_FUZZ", 4000))
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            answers = 0
            for round_ in range(seed, seed + max(1, calls // 500)):
                rng = random.Random(round_)
                answers += self.calls(Arguments(rng, folder), rng, 500)
            os.chdir("/")
        self.assertGreater(answers, calls // 50)

    def calls(self, arguments, rng, count):
        functions = [getattr(graze, name) for name in graze.__all__ if callable(getattr(graze, name))]
        functions += [graze.Model.load, graze.Slab.plane, graze.Slab.half_space]
        functions += [getattr(graze.shapes, name) for name in graze.shapes.__all__]
        functions += [getattr(graze.fcl, name) for name in graze.fcl.__all__ if callable(getattr(graze.fcl, name))]
        objects = [lambda: rng.choice(arguments.models).copy(), graze.Scene, graze.Front,
                   lambda: graze.Hull(arguments.models[0]), lambda: graze.Solid(rng.choice(arguments.models)),
                   graze.trimesh.CollisionManager,
                   graze.fcl.DynamicAABBTreeCollisionManager, graze.fcl.BVHModel,
                   lambda: graze.clash({"a": arguments.models[0], "b": arguments.models[0]}),
                   lambda: arguments.robot, lambda: arguments.robot.check(arguments.robot.random(3)),
                   lambda: arguments.parts, lambda: rng.choice(arguments.parts)]
        keywords = ("threads", "progress", "front", "max_distance", "polygons", "volume", "first", "rebuild",
                    "length", "clearance", "rules", "t_min", "quaternion", "translation", "rings", "direction", "tolerance",
                    "absolute_error", "relative_error", "stop_above", "q", "world", "ask", "strict", "scale", "up")
        scene, answers = graze.Scene(), 0
        scene.add(arguments.models[0])
        for _ in range(count):
            if rng.random() < 0.6:
                function = rng.choice(functions)
            else:
                owner = scene if rng.random() < 0.3 else rng.choice(objects)()
                try:
                    name = rng.choice(names(owner))
                    function = getattr(owner, name)
                except graze.Fault:
                    continue
                if name == "random":
                    continue  # fills as much memory as it is told to
            if not callable(function):
                continue
            named = {}
            if rng.random() < 0.3:
                named[rng.choice(keywords)] = arguments.any()
            if isinstance(named.get("threads"), int) and named["threads"] > 64:
                named["threads"] = 64  # more are allowed, and take long to start
            try:
                function(*(arguments.any() for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]))), **named)
                answers += 1
            except EXPECTED:
                pass
        gc.collect()
        return answers


if __name__ == "__main__":
    unittest.main()
