# SPDX-License-Identifier: Apache-2.0
"""Files, clashes and robots answer as the command does."""
import json
import os
import subprocess
import tempfile
import types
import unittest
from pathlib import Path

import numpy as np

import graze

COMMAND = os.environ["GRAZE_COMMAND"]


def command(*arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        raise AssertionError(done.stderr)
    return done.stdout


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.samples = Path(cls.folder.name) / "samples"
        command("samples", cls.samples)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_read(self):
        steps = []
        parts = graze.read(self.samples / "plant", progress=steps.append)
        self.assertEqual(sum(steps), 70)
        self.assertEqual(len(parts), 70)
        names = [part.name for part in parts]
        self.assertIn("beam-2", names)
        part = parts[names.index("beam-2")]
        self.assertGreater(part.model.triangle_count, 0)
        self.assertEqual(part.placement.shape, (4, 4))
        self.assertEqual(parts[-1].name, names[-1])
        self.assertRaises(IndexError, lambda: parts[70])
        with self.assertRaisesRegex(graze.Fault, "missing.stl"):
            graze.read(self.samples / "missing.stl")
        with self.assertRaisesRegex(graze.Fault, "none of stated"):
            graze.read(self.samples / "plant", up="w")
        bad = Path(self.folder.name) / "bad.obj"
        bad.write_text("v 0 0 0\nf 1 2 3\n")
        with self.assertRaisesRegex(graze.Fault, "bad.obj:2: "):
            graze.read([self.samples / "plant", bad])
        self.assertEqual(len(graze.read([self.samples / "plant", bad], strict=False).left_out), 1)

    def test_reprs(self):
        parts, block = graze.read(self.samples / "plant"), graze.shapes.box([1, 1, 1])
        self.assertEqual(repr(parts), "<graze.Parts: 70 parts, 70812 triangles>")
        self.assertEqual(repr(graze.clash(parts, rules=self.samples / "rules.txt")).split(", 8")[0],
                         "<graze.Clashes: 4 clashes (1 duplicate, 1 crossing, 1 inside, 1 touching)")
        lid = graze.Part("lid", block, graze.pose(translation=[0, 0, 0.9999]), error=1e-3)
        self.assertEqual(repr(graze.clash([graze.Part("block", block), lid])), "<graze.Clashes: 0 clashes, 1 fit>")
        robot = graze.Robot(self.samples / "arm" / "arm.urdf")
        self.assertEqual(repr(robot), "<graze.Robot 'arm': 10 links, 7 joints that take a value>")
        self.assertEqual(repr(robot.check(robot.rest())), "<graze.RobotAnswers: 1 configuration, 1 free>")
        scene, front = graze.Scene(), graze.Front()
        scene.add(block)
        self.assertEqual((repr(scene), repr(front)), ("<graze.Scene: 1 object>", "<graze.Front: cold>"))
        large = graze.shapes.sphere(1)
        graze.distance(large, large, graze.pose(translation=[3, 0, 0]), front=front)
        self.assertRegex(repr(front), r"<graze.Front: warm, \d+ bytes>")
        self.assertEqual(repr(graze.Slab.half_space([0, 0, 1], 2)), "graze.Slab([0.0, 0.0, 1.0], -inf, 2.0)")
        self.assertEqual(repr(graze.Hull(block)), "<graze.Hull: dimension 3, 8 vertices, 6 faces>")

    def test_any_mapping_names_parts(self):
        named = types.MappingProxyType({"a": graze.shapes.box([1, 1, 1]), "b": graze.shapes.box([1, 1, 2])})
        self.assertEqual([(clash.a, clash.b) for clash in graze.clash(named)], [("a", "b")])

    def test_clash_says_what_the_command_says(self):
        plant, rules = self.samples / "plant", self.samples / "rules.txt"
        for settings, options in (({}, ()), ({"clearance": 0.05, "tolerance": 0.01}, ("--clearance", 0.05, "--tolerance", 0.01)),
                                  ({"error": 0.02}, ("--error", 0.02)),
                                  ({"error": 0.02, "strict_fits": True}, ("--error", 0.02, "--strict-fits"))):
            found = graze.clash(graze.read(plant), rules=rules, **settings)
            expected = json.loads(command("clash", plant, "--rules", rules, "--json", *options))
            actual = json.loads(found.to_json())
            expected.pop("title", None), actual.pop("title", None)
            self.assertEqual(actual, expected)
            self.assertEqual(len(found), len(expected["clashes"]))
            self.assertEqual(len(found.fits), expected["summary"]["fits"])
            for clash, entry in zip([*found, *found.fits], expected["clashes"] + expected["fits"]):
                translation = None if clash.translation is None else clash.translation.tolist()
                self.assertEqual((clash.kind, clash.depth, clash.volume, translation, clash.exact, clash.band),
                                 tuple(entry[key] for key in ("kind", "depth", "volume", "translation", "exact", "band")))
                # All else that JSON says.
                for key in set(clash._fields) & set(entry):
                    value = getattr(clash, key)
                    self.assertEqual(value.tolist() if isinstance(value, np.ndarray) else value, entry[key], key)
                self.assertEqual(clash._fields[:3], ("kind", "a", "b"))
                self.assertEqual(clash._fields.index("band"), 14)
        found = graze.clash(graze.read(plant), rules=rules, clearance=0.05, tolerance=0.01)
        self.assertIn("kind", found.to_csv().splitlines()[0])
        self.assertIn("<testsuite", found.to_junit())
        try:
            self.assertIn("<html", found.to_html())
            self.assertIn("<iframe", found._repr_html_())
        except graze.Fault as fault:  # a build without npm
            self.assertRegex(str(fault), "no report")
            self.assertIn("beam-2", found._repr_html_())
        baseline = Path(self.folder.name) / "before.json"
        baseline.write_text(found.to_json())
        again = graze.clash(graze.read(plant), rules=str(rules), baseline=baseline, clearance=0.05, tolerance=0.01)
        self.assertEqual({clash.state for clash in again}, {"persistent"})

    def test_clash_says_what_it_covers(self):
        plant = Path(self.folder.name) / "plant"
        plant.mkdir()
        for name in ("beam-2.stl", "vent-1.stl"):
            (plant / name).write_bytes((self.samples / "plant" / name).read_bytes())
        (plant / "gone.stl").symlink_to("nowhere.stl")
        found = graze.clash(graze.read(plant, strict=False))
        self.assertEqual(len(found.left_out), 1)
        self.assertIn("the link leads nowhere", found.left_out[0])
        self.assertEqual(found.checked["parts"]["meshed"], 2)
        self.assertEqual(found.checked["pairs"], {"all": 1, "asked": 1, "not_asked": []})
        self.assertEqual(found.checked, json.loads(found.to_json())["checked"])
        self.assertIn("1 file or part is left out", found.checked["gaps"])
        baseline = Path(self.folder.name) / "last.json"
        baseline.write_text(found.to_json())
        self.assertEqual(len(found), 1)
        again = graze.clash(graze.read(plant / "beam-2.stl"), baseline=baseline)
        self.assertEqual(again.not_checked,
                         [("beam-2", "vent-1", "plant/vent-1.stl is not among the files of this run")])

    def test_clash_of_arrays(self):
        box = graze.shapes.box([1, 1, 1])
        twin = graze.Model(box.points, box.triangles)
        found = graze.clash([graze.Part("a", box), graze.Part("a", twin),
                             graze.Part("far", box, graze.pose(translation=[1.5, 0, 0]), layer="walls")], clearance=0.5)
        self.assertEqual([(c.kind, c.a, c.b) for c in found],
                         [("duplicate", "a", "a#2"), ("clearance", "a", "far"), ("clearance", "a#2", "far")])
        self.assertEqual(found[1].distance, 0.5)
        self.assertEqual(len(graze.clash({"a": box, "b": twin}, rules=["group: mine a", "@mine b one thing"])), 0)
        for bad in (lambda: graze.clash([]), lambda: graze.clash({"a": box}, rules=["a"]),
                    lambda: graze.clash({"a": box}, clearance=-1), lambda: graze.clash({"a": box}, tolerance=np.nan),
                    lambda: graze.clash({"a": box}, error=-1), lambda: graze.Part("a", box, error=np.inf),
                    lambda: graze.clash({"a": (box, np.zeros((4, 4)))})):
            self.assertRaises(graze.Fault, bad)
        self.assertRaises(TypeError, graze.clash, [1, 2])
        self.assertRaises(TypeError, graze.clash, None)

    def test_fits_and_measures(self):
        box = graze.shapes.box([1, 1, 1])
        at = graze.pose(translation=[0.875, 0, 0])
        parts = [graze.Part("a", box, error=0.0625), graze.Part("b", box, at, error=0.0625)]
        self.assertEqual(parts[1].error, 0.0625)
        found = graze.clash(parts)
        self.assertEqual(len(found), 0)
        (fit,) = found.fits
        self.assertEqual((fit.kind, fit.exact, fit.band), ("fit", "crossing", 0.125))
        self.assertEqual([c.kind for c in graze.clash(parts, strict_fits=True)], ["fit"])
        # The error of a call counts instead of those of the parts.
        (crossing,) = graze.clash(parts, error=0.03125)
        self.assertEqual((crossing.kind, crossing.exact, crossing.band), ("crossing", "crossing", 0.0625))
        self.assertAlmostEqual(crossing.depth, 0.125, delta=0.01)
        self.assertAlmostEqual(crossing.volume, 0.125)
        np.testing.assert_allclose(crossing.translation, [0.125, 0, 0])
        moved = at.copy()
        moved[:3, 3] += crossing.translation * (1 + 1e-9)
        self.assertFalse(graze.intersects(box, box, moved))
        (bare,) = graze.clash(parts, error=0, measure=0)
        self.assertEqual((bare.depth, bare.volume, bare.translation), (None, None, None))
        self.assertEqual(bare.thin, False)
        self.assertEqual((bare.type_a, bare.type_b, bare.priority, bare.due), ("", "", "", ""))
        self.assertTrue(graze.clash(parts, error=0, tolerance=0.2)[0].thin)

    def test_dataframes(self):
        box = graze.shapes.box([1, 1, 1])
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        table = graze.clash({"a": box, "b": (box, graze.pose(translation=[0.5, 0, 0]))}).to_dataframe()
        self.assertEqual(table.kind.tolist(), ["crossing"])

    def robot(self):
        return graze.Robot(self.samples / "arm" / "arm.urdf", self.samples / "arm" / "arm.srdf")

    def test_robot_says_what_the_command_says(self):
        robot = self.robot()
        urdf, srdf = self.samples / "arm" / "arm.urdf", self.samples / "arm" / "arm.srdf"
        q = robot.random(300, seed=7)
        self.assertEqual(q.shape, (300, robot.dof))
        self.assertTrue(((q >= robot.limits[:, 0]) & (q <= robot.limits[:, 1])).all())
        found = robot.check(q, ask="contacts")
        expected = json.loads(command("robot", urdf, "--srdf", srdf, "--random", 300, "--seed", 7, "--json"))
        self.assertEqual(json.loads(found.to_json()), expected)
        self.assertEqual(len(found), 300)
        np.testing.assert_array_equal(found.free, np.diff(found.offsets) == 0)
        self.assertGreater(found.free.sum(), 0)
        self.assertLess(found.free.sum(), 300)
        for ask in ("free", "pairs"):
            np.testing.assert_array_equal(robot.check(q, ask=ask, threads=1).free, found.free)
            np.testing.assert_array_equal(robot.check(np.asfortranarray(q)).free, found.free)
        np.testing.assert_array_equal(robot.check(q[3]).free, found.free[3:4])
        self.assertEqual(len(found.kind), len(found.pair))

    def test_robot_in_a_world(self):
        robot = self.robot()
        q = robot.random(200)
        alone = robot.check(q).free
        block = graze.shapes.box([0.4, 0.4, 0.4])
        at = graze.pose(translation=[0.5, 0, 0.5])
        steps = []
        near = robot.check(q, world={"block": (block, at)}, progress=steps.append)
        self.assertEqual(sum(steps), 200)
        self.assertLess(near.free.sum(), alone.sum())
        self.assertTrue(any("block" in pair for pair in near.pairs))
        np.testing.assert_array_equal(robot.check(q, world=[graze.Part("block", block, at)]).free, near.free)
        np.testing.assert_array_equal(robot.check(q, world=graze.shapes.box([0.1, 0.1, 0.1]).copy()).pairs[:1],
                                      near.pairs[:1])
        np.testing.assert_array_equal(robot.check(q).free, alone)
        self.assertLessEqual(robot.check(q, world={"block": (block, at)}, clearance=0.1).free.sum(), near.free.sum())

    def test_robot_in_a_notebook(self):
        robot = self.robot()
        q = robot.random(300)
        answers = robot.check(q, ask="pairs")
        page = answers._repr_html_()
        self.assertIn(f"<p>300 configurations: {answers.free.sum()} free, ", page)
        counts = np.bincount(answers.pair)
        a, b = answers.pairs[counts.argmax()]
        self.assertIn(f"</th></tr><tr><td>{a}</td><td>{b}</td><td>{counts.max()}</td></tr>", page)  # first of the rows
        self.assertNotIn("Only the first pair", page)
        self.assertIn("Only the first pair", robot.check(q, ask="free")._repr_html_())
        self.assertEqual(robot.check(q[answers.free])._repr_html_().count("<table>"), 0)
        evil = graze.shapes.box([9, 9, 9])
        self.assertIn("&lt;b&gt;", robot.check(q[0], world={"<b>": evil})._repr_html_())

    def test_robot_placements_and_faults(self):
        robot = self.robot()
        places = robot.placements(np.stack([robot.rest(), robot.random(1)[0]]))
        self.assertEqual(places.shape, (2, len(robot.links), 4, 4))
        np.testing.assert_array_equal(places[0], robot.placements(robot.rest()))
        bad = robot.random(5)
        bad[3, 0] = np.nan
        with self.assertRaisesRegex(graze.Fault, "configuration 3: joint .* not finite"):
            robot.check(bad)
        with self.assertRaisesRegex(graze.Fault, r"q: the shape is \(3,\)"):
            robot.check([0, 0, 0])
        with self.assertRaisesRegex(graze.Fault, "none of free, pairs, contacts"):
            robot.check(robot.rest(), ask="all")
        with self.assertRaisesRegex(graze.Fault, "missing.urdf"):
            graze.Robot("missing.urdf")


if __name__ == "__main__":
    unittest.main()
