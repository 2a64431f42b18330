#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has something become slower since a revision?

script/bench compare REV [--only SCENARIO...] [--quick]

REV and the working tree are built, and bench/micro_compare.cpp of the working tree runs with both libraries:
- box and triangle tests of a small pool are compared exactly;
- so are instructions, which valgrind counts (with AVX2, as it knows no AVX-512);
- processor times are taken turn by turn. Repeats of one program show the noise.
The exit status is 1 when something became slower beyond the noise or an answer changed, and 2 after an error.
"""
import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "micro_compare"
LEAST_TIME = 0.02  # where functions happen to lie in memory changes times by about this
LEAST_INSTRUCTIONS = 0.005


class Failure(Exception):
    pass


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(str(c) for c in command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


class Progress:
    """A bar on the terminal; lines elsewhere."""

    def __init__(self, steps):
        self.steps, self.done, self.bar = steps, 0, sys.stderr.isatty()

    def step(self, words):
        full = 30 * self.done // max(1, self.steps)
        self.done += 1
        line = f"{self.done} of {self.steps}: {words}"
        print(
            f"\r\033[K[{'#' * full}{'.' * (30 - full)}] {line}" if self.bar else line,
            end="" if self.bar else "\n",
            file=sys.stderr,
            flush=True,
        )

    def close(self):
        if self.bar:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def checkout(revision, folder):
    """REV among the build folders, with the working tree's measuring program."""
    run("git", "-C", ROOT, "worktree", "prune")
    if folder.exists():
        run("git", "-C", ROOT, "worktree", "remove", "--force", folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    run("git", "-C", ROOT, "worktree", "add", "--detach", "--force", folder, revision)
    shutil.copy(ROOT / "bench" / f"{PROGRAM}.cpp", folder / "bench")


def build_before(tree):
    """The measuring program of REV. Where the interface was another one, REV's own program stands for it."""
    try:
        return build(tree)
    except Failure:
        run("git", "-C", tree, "checkout", "--", f"bench/{PROGRAM}.cpp")
        print(f"Its interface is another one: it is measured by its own {PROGRAM}.cpp", file=sys.stderr, flush=True)
        return build(tree)


def build(tree):
    """The measuring program of a tree."""
    # Objects compiled in one tree serve the other.
    environment = dict(os.environ, CCACHE_BASEDIR=str(tree), CCACHE_NOHASHDIR="1")
    run("cmake", "--preset", "bench", cwd=tree, env=environment)
    command = ["cmake", "--build", "--preset", "bench", "--target", PROGRAM]
    if subprocess.run(command, cwd=tree, env=environment, stdout=sys.stderr, check=False).returncode != 0:
        raise Failure(f"{tree} could not be built")
    return tree / "build" / "bench" / "bench" / PROGRAM


def counted(program, scenario):
    """Tests, the answer's hash, and instructions of one pass."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={folder}/out",
            "--toggle-collect=compare_measured",
            program,
            scenario,
        )
    out = json.loads(done.stdout)
    out["instructions"] = int(re.search(r"Collected : (\d+)", done.stderr)[1])
    return out


def timed(program, scenario, seconds):
    pin = ["taskset", "-c", os.environ.get("GRAZE_CORE", "0")] if shutil.which("taskset") else []
    return json.loads(run(*pin, program, scenario, "--seconds", seconds).stdout)["us"]


def judged(samples):
    """From pairs of times (before, after), taken in the order ab ba ab …: the median ratio and the noise of it."""
    ratios = [math.log(after / before) for before, after in samples]
    # Neighbours of one program: the second of a turn and the first of the next.
    repeats = [
        math.log(later[i % 2 == 0] / earlier[i % 2 == 0])
        for i, (earlier, later) in enumerate(zip(samples, samples[1:]))
    ]
    middle = statistics.median(ratios)
    # The standard deviation of one ratio, by the repeats and by the ratios themselves; three of the median's.
    spread = 1.4826 * max(deviation(repeats, 0), deviation(ratios, middle))
    noise = max(LEAST_TIME, 3 * 1.2533 * spread / math.sqrt(len(ratios)))
    return math.exp(middle), noise


def deviation(values, middle):
    return statistics.median(abs(v - middle) for v in values)


def take_turns(before, after, scenario, turns, seconds):
    """Pairs of times (before, after), in the order ab ba ab …"""
    out = []
    for turn in range(turns):
        sides = [timed(p, scenario, seconds) for p in ((before, after) if turn % 2 == 0 else (after, before))]
        out.append(tuple(sides if turn % 2 == 0 else sides[::-1]))
    return out


def compared(before, after, times):
    """The cells of one scenario's row, and a list of what became worse."""
    cells, worse = [], []
    for key, words in (
        ("box_tests", "box tests"),
        ("triangle_tests", "triangle tests"),
        ("instructions", "instructions"),
    ):
        old, new = before[key], after[key]
        cells.append(f"{new / old - 1:+.2%}" if old else ("" if not new else "new"))
        slack = LEAST_INSTRUCTIONS if key == "instructions" else 0
        if new > old * (1 + slack):
            worse.append(f"{words} rose from {old:,} to {new:,}" + (f" ({new / old - 1:+.2%})" if old else ""))
    ratio, noise = judged(times)
    cells.append(f"{ratio - 1:+.1%} ± {noise:.1%}")
    if ratio > 1 + noise:
        worse.append(f"time rose by {ratio - 1:.1%}, which is more than the noise of {noise:.1%}")
    if before["answer"] != after["answer"]:
        worse.append("the answers are others")
    return cells, worse


def table(rows):
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    for r in rows:
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths))))


def compare(revision, only, quick, base_folder):
    print(f"Building {revision} and the working tree", file=sys.stderr, flush=True)
    checkout(revision, base_folder)
    before, after = build_before(base_folder), build(ROOT)
    scenarios = run(after, "--list").stdout.split()
    unknown = set(only) - set(scenarios)
    if unknown:
        raise Failure(f"there is no scenario {', '.join(sorted(unknown))}; there are {', '.join(scenarios)}")
    scenarios = [s for s in scenarios if not only or s in only]
    turns, seconds = (6, 0.2) if quick else (12, 0.7)
    progress = Progress(len(scenarios))
    rows, worse = [["scenario", "box tests", "triangle tests", "instructions", "time"]], []
    for scenario in scenarios:
        progress.step(scenario)
        times = take_turns(before, after, scenario, turns, seconds)
        ratio, noise = judged(times)
        if ratio > 1 + noise:  # only what shows twice counts
            times = take_turns(before, after, scenario, 2 * turns, seconds)
        cells, words = compared(counted(before, scenario), counted(after, scenario), times)
        rows.append([scenario, *cells])
        worse += [f"{scenario}: {w}" for w in words]
    progress.close()
    table(rows)
    print()
    print(f"Slower than {revision}:\n  " + "\n  ".join(worse) if worse else f"Nothing is slower than {revision}.")
    return 1 if worse else 0


def main():
    parser = argparse.ArgumentParser(
        prog="script/bench compare", description="Finds what became slower since a revision."
    )
    parser.add_argument("revision", metavar="REV")
    parser.add_argument("--only", nargs="+", default=[], metavar="SCENARIO")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter turns: more noise")
    arguments = parser.parse_args()
    base_folder = ROOT / "build" / "compare"
    try:
        named = subprocess.run(
            ["git", "-C", ROOT, "rev-parse", "--verify", "--short", arguments.revision + "^{commit}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if named.returncode != 0:
            raise Failure(f"there is no revision {arguments.revision}")
        revision = named.stdout.strip()
        return compare(revision, arguments.only, arguments.quick, base_folder)
    except Failure as failure:
        print(f"script/bench compare: {failure}", file=sys.stderr)
        return 2
    finally:
        if base_folder.exists():
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", base_folder], check=False)


if __name__ == "__main__":
    sys.exit(main())
