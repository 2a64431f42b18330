#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that code which mistakes a query's result for its answer does not compile: misuse.py COMPILER."""
import pathlib
import subprocess
import sys

MISTAKES = 17


def compiles(compiler, mistake):
    here = pathlib.Path(__file__).resolve().parent
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{here.parent / 'include'}", f"-DMISTAKE={mistake}"]
    done = subprocess.run([*command, str(here / "misuse.cpp")], capture_output=True, text=True)
    if "no such mistake" in done.stderr:
        sys.exit(f"misuse.cpp has no mistake {mistake}")
    return done.returncode == 0


def main():
    if not compiles(sys.argv[1], 0):
        sys.exit("misuse.cpp does not compile without a mistake")
    wrong = [n for n in range(1, MISTAKES + 1) if compiles(sys.argv[1], n)]
    if wrong:
        sys.exit(f"these mistakes compile: {wrong}")
    print(f"none of {MISTAKES} mistakes compiles")


if __name__ == "__main__":
    main()
