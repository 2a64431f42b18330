#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what Python adds to the C++ calls, in processor time: bench/python.py SIDE [--quick] [--json FILE]

SIDE is the shared library made of python_side.cpp. Both sides take turns in one process, on one thread; figures are
of the quickest turn of each. Debian has no python-fcl, so FCL is called from C++.
"""
import argparse
import ctypes
import gc
import json
import resource
import sys
import time

import numpy as np

import graze


class Side:
    """A scene in C++, and its arrays."""

    def __init__(self, library, kind, count):
        self.library = library
        self.handle = ctypes.c_void_p(library.side_make(kind))
        self.points = np.empty((library.side_points(self.handle), 3))
        self.triangles = np.empty((library.side_triangles(self.handle), 3), dtype=np.uint32)
        library.side_copy(self.handle, self.points.ctypes.data_as(ctypes.c_void_p),
                          self.triangles.ctypes.data_as(ctypes.c_void_p))
        self.rows = np.empty((count, 3, 4))
        if count:
            library.side_place(self.handle, ctypes.c_size_t(count), self.rows.ctypes.data_as(ctypes.c_void_p))

    def call(self, name, *arguments):
        return getattr(self.library, name)(self.handle, *map(ctypes.c_size_t, arguments))


def load(path):
    library = ctypes.CDLL(path)
    library.side_make.restype = ctypes.c_void_p
    for name in ("side_intersects", "side_repeat", "side_fcl"):
        getattr(library, name).restype = ctypes.c_size_t
    return library


def seconds(function):
    begin = time.process_time()
    answer = function()
    return time.process_time() - begin, answer


def turns(count, *functions):
    """The least time of each, turn by turn, and the answer of each."""
    times, answers = [[] for _ in functions], [None] * len(functions)
    for _ in range(count):
        for i, function in enumerate(functions):
            spent, answers[i] = seconds(function)
            times[i].append(spent)
    return [min(one) for one in times], answers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    library, rounds = load(options.side), 3 if options.quick else 9
    figures = {}

    box = Side(library, 0, 64)
    model, pose, n = graze.Model(box.points, box.triangles), np.array(box.rows[0]), 20_000 if options.quick else 200_000

    def calls():
        intersects = graze.intersects
        return sum(intersects(model, model, pose) for _ in range(n))

    (python, cpp), answers = turns(rounds, calls, lambda: box.call("side_repeat", n))
    assert answers[0] == answers[1], answers
    figures["intersects, two boxes: µs per call more than C++"] = (python - cpp) / n * 1e6

    count = 10_000 if options.quick else 100_000
    torus = Side(library, 1, count)
    model = graze.Model(torus.points, torus.triangles)
    (python, cpp), answers = turns(rounds, lambda: graze.intersects(model, model, torus.rows, threads=1),
                                   lambda: torus.call("side_intersects", count))
    assert int(answers[0].sum()) == answers[1], answers[1]
    figures[f"intersects, batch of {count:,} tori: time over the C++ loop's"] = python / cpp
    some = count // 20
    (python, fcl), (ours, hits) = turns(rounds, lambda: graze.intersects(model, model, torus.rows[:some], threads=1),
                                        lambda: torus.call("side_fcl", some))
    if hits != 2**64 - 1:
        figures["intersects, batch of tori: rate over that of FCL called from C++"] = fcl / python
        figures["of those placements FCL answers differently"] = abs(hits - int(ours.sum()))
    else:
        print("FCL (libfcl-dev) was not found")

    land = Side(library, 2, 0)
    (python, cpp), _ = turns(rounds, lambda: graze.Model(land.points, land.triangles, threads=1),
                             lambda: land.call("side_build"))
    figures[f"Model of {len(land.triangles):,} triangles: time over C++'s"] = python / cpp
    wide = land.triangles.astype(np.int64)
    (python, cpp), _ = turns(rounds, lambda: graze.Model(land.points, wide, threads=1),
                             lambda: land.call("side_build"))
    figures["the same with indices of 64 bits"] = python / cpp

    small, n = graze.Model(box.points, box.triangles), 10**5 if options.quick else 10**6
    for _ in range(1000):
        graze.collide(small, small, pose)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(n):
        graze.collide(small, small, pose)
    figures[f"memory after {n:,} calls of collide: kB more"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    for name, value in figures.items():
        print(f"{name:75} {value:10.4g}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(figures, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
