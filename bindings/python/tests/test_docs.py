# SPDX-License-Identifier: Apache-2.0
"""The examples of all docstrings run, and the stubs say what the module has."""
import ast
import doctest
import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import graze
import graze.fcl
import graze.trimesh

PACKAGE = os.path.dirname(graze.__file__)
MODULES = (graze, graze.shapes, graze.trimesh, graze.fcl)


def documented(owner, prefix):
    for name in sorted(vars(owner)):
        value = vars(owner)[name]
        if name.startswith("_") or inspect.ismodule(value) or isinstance(value, (str, int, float)) or value is None:
            continue
        yield f"{prefix}.{name}", value.__func__ if isinstance(value, staticmethod) else value
        if inspect.isclass(value) and value.__module__.startswith("graze") and not hasattr(value, "_fields"):
            yield from documented(value, f"{prefix}.{name}")


class Documentation(unittest.TestCase):
    def test_examples(self):
        runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
        for module in MODULES:
            for name, value in [(module.__name__, module), *documented(module, module.__name__)]:
                names = {"np": np, "graze": graze, **vars(module)}
                test = parser.get_doctest(getattr(value, "__doc__", None) or "", names, name, None, 0)
                self.assertEqual(runner.run(test).failed, 0, name)
        self.assertGreater(runner.tries, 60)

    def test_everything_has_a_docstring(self):
        for name, value in documented(graze, "graze"):
            if not inspect.isdatadescriptor(value) or isinstance(value, property):
                self.assertTrue(getattr(value, "__doc__", None), name)

    def test_stubs_have_all_names(self):
        with open(os.path.join(PACKAGE, "_graze.pyi")) as file:
            tree = ast.parse(file.read())
        stubs = {node.name: node for node in tree.body
                 if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")}
        real = {name: value for name, value in vars(graze._graze).items() if not name.startswith("_")}
        self.assertEqual(set(stubs), set(real))
        for name, value in real.items():
            if inspect.isclass(value) and not hasattr(value, "_fields") and name not in ("Fault", "Side"):
                members = {node.name for node in stubs[name].body if isinstance(node, ast.FunctionDef)}
                have = {member for member in vars(value) if not member.startswith("_")}
                self.assertEqual({m for m in members if not m.startswith("_")}, have, name)

    def test_stubs_say_what_is_returned(self):
        with open(os.path.join(PACKAGE, "_graze.pyi")) as file:
            functions = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.FunctionDef)]
        self.assertGreater(len(functions), 100)
        for node in functions:
            assert node.returns is not None
            self.assertNotIn("Any", [name.id for name in ast.walk(node.returns) if isinstance(name, ast.Name)], node.name)

    def test_mypy(self):
        if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as folder:
            use = os.path.join(folder, "use.py")
            with open(use, "w") as file:
                file.write("import numpy as np\nimport graze\nimport graze.fcl\nimport graze.trimesh\n"
                           "model: graze.Model = graze.Model(np.eye(3), [[0, 1, 2]])\n"
                           "moved: float = model.refit(np.eye(3), first=0).moved\n"
                           "graze.intersects(graze.Box([0, 0, 0], [1, 1, 1]), model, np.eye(4))\n"
                           "inside: str = graze.relation(graze.Solid(model), model)\n"
                           "area: float = graze.overlap(model, model).area\n"
                           "curves: list[graze.Curve] = graze.intersection_curves(model, model)\n"
                           "meets: bool = graze.intersects(model, model)\n"
                           "pairs = graze.collide(model, model, np.eye(4))\n"
                           "first = pairs.pairs[0] if isinstance(pairs, graze.Contacts) else pairs[0]\n"
                           "named = {'a': model, 'b': model}\n"
                           "found: graze.Clashes = graze.clash(named)\n"
                           "class Mesh:\n"
                           "    vertices, faces = np.eye(3), np.array([[0, 1, 2]])\n"
                           "graze.Model(Mesh())\n"
                           "free = graze.Robot('a.urdf').check(np.zeros(7), world=[graze.Part('a', model)]).free\n"
                           "manager = graze.trimesh.CollisionManager()\n"
                           "manager.add_object('a', model)\n"
                           "hit, names = manager.in_collision_single(model, return_names=True)\n"
                           "hit, names, data = manager.in_collision_single(model, None, return_names=True, return_data=True)\n"
                           "least: float = manager.min_distance_internal()\n"
                           "least, found_at = manager.min_distance_other(manager, return_data=True)\n"
                           "assert hit and 'a' in names and data[0].depth > 0 and found_at is not None\n")
            done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", folder, "--strict", use],
                                  capture_output=True, text=True,
                                  env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
