# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends long calls, with a real SIGINT."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import graze

COMMAND = os.environ["GRAZE_COMMAND"]


def grid(n):
    """A wavy floor of 2 n² triangles."""
    x, y = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0))
    first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    triangles = [[first, first + 1, first + n + 2], [first, first + n + 2, first + n + 1]]
    return (np.stack([x.ravel(), y.ravel(), (np.sin(x * 0.7) * np.cos(y * 0.3)).ravel()], axis=1),
            np.concatenate([np.stack(corners, axis=1) for corners in triangles]))


def interrupted(name, call, limit=1.5):
    """Sends SIGINT in the midst of the call, which must end with KeyboardInterrupt long before its work could."""
    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    sent = []
    timer = threading.Timer(0.2, interrupt)
    timer.start()
    try:
        call()
        took = None
    except KeyboardInterrupt:
        took = time.monotonic() - sent[0]
    if took is None or took > limit:
        sys.exit(f"{name}: no interrupt" if took is None else f"{name}: {took:.2f} s from the signal to the exception")
    print(f"{name}: {took:.2f} s from the signal to the exception", flush=True)


def calls(folder):
    """Every call here would take seconds."""
    points, triangles = grid(500)
    floor = graze.Model(points, triangles)
    tilted = graze.pose(translation=[0.1, 0.2, 0.3], quaternion=[0, 0, 0.01, 1])
    many = np.tile(triangles, (6, 1))
    interrupted("Model", lambda: graze.Model(points, many, threads=1))
    ball = graze.shapes.sphere(1, 1e-4)
    balls = {str(i): (ball, graze.pose(translation=[0, 0, 1e-3 * i])) for i in range(100)}
    interrupted("clash", lambda: graze.clash(balls))
    (folder / "many.obj").write_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + b"f 1 2 3\n" * 2_000_000)
    interrupted("read", lambda: graze.read(folder / "many.obj", threads=1))
    robot = graze.Robot(folder / "samples" / "arm" / "arm.urdf", threads=1)
    q = robot.random(300_000)
    interrupted("Robot.check", lambda: robot.check(q, ask="contacts", clearance=0.1))
    interrupted("clearances", lambda: graze.clearances(floor, floor, tilted))
    interrupted("inside_depth", lambda: graze.inside_depth(ball, ball, tilted, relative_error=1e-9, absolute_error=1e-12))
    assert graze.intersects(ball, ball)
    # Nobody catches this one: the process ends although work is still going on.
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    graze.clearances(floor, floor, tilted)


class Interrupts(unittest.TestCase):
    def test_sigint(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([COMMAND, "samples", Path(folder) / "samples"], check=True, stdout=subprocess.DEVNULL)
            done = subprocess.run([sys.executable, __file__, folder], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, -signal.SIGINT, done.stdout + done.stderr)
        self.assertIn("KeyboardInterrupt", done.stderr)

    def test_progress_may_raise(self):
        def stop(_):
            raise StopIteration("enough")

        box = graze.shapes.box([1, 1, 1])
        parts = {str(i): (box, graze.pose(translation=[i / 2, 0, 0])) for i in range(50)}
        with self.assertRaisesRegex(StopIteration, "enough"):
            graze.clash(parts, progress=stop)
        steps = []
        self.assertEqual(len(graze.clash(parts, progress=steps.append)), 97)
        self.assertEqual(sum(steps), 97)


if __name__ == "__main__":
    calls(Path(sys.argv[1]))
