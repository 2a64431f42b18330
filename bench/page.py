#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of the papers' experiments and of other libraries.

script/bench papers [--quick]       builds and runs the papers' experiments, and makes the page
script/bench peers [--quick]        the same for other libraries
bench/page.py make                  makes the pages again from the CSV files of all machines
bench/page.py --same A.csv B.csv    compares the counts of two runs; the exit status is 1 if they differ

The results are in bench/results/MACHINE, where MACHINE is made from the processor's name; the page and its charts are in
build/results/MACHINE. A quick run has a folder of its own, which git does not keep.
"""
import argparse
import datetime
import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import page_html
import page_plot
from page_data import Figures, differing_counts, read, write

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent


@dataclass(frozen=True)
class Program:
    name: str
    csv: str
    experiments: tuple  # how their names begin
    one_by_one: bool = False  # it takes --only EXPERIMENT
    pinned: bool = False  # it does not pin itself to a core
    options: tuple = ("--cpu-time",)  # none where processor time is all it takes


PROGRAMS = {
    "papers": (
        Program("bench_papers", "papers", ("obb-", "aabb-"), one_by_one=True, options=()),
        Program("bench_fronts", "fronts", ("coherence-",), pinned=True),
        Program("bench_scene", "scene", ("objects-",)),
    ),
    "peers": (Program("bench_peers", "peers", ("peers-",), one_by_one=True),),
}


def processor():
    """The model of the processor, as its maker names it."""
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine() or "unknown"


def machine():
    """A short name for a folder: amd-epyc-9454, apple-m2."""
    name = re.sub(r"\((r|tm)\)|@.*|\b(\d+-core|processor|cpu|with .*)\b", " ", processor().lower())
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-") or "unknown"


def about(run):
    """Sentences on the machine and on the runs."""
    out = [
        f"The processor is {run.get('processor', 'unknown')}; the compiler is "
        f"{run.get('compiler', 'unknown')}. Times are processor times of one "
        "thread, medians of turns taken in one process."
    ]
    for verb, words in (("papers", "The papers’ experiments"), ("peers", "The comparisons with other libraries")):
        if verb in run:
            r = run[verb]
            lasted = f"{r['seconds']} seconds" if r["seconds"] < 120 else f"{r['seconds'] / 60:.0f} minutes"
            form = ", in their short form" if r["quick"] else ""
            out.append(f"{words} ran on {r['date']} in {lasted}{form}.{same_words(r)}")
    return out


def same_words(r):
    if not r.get("compared"):
        return ""
    if not r["differing"]:
        return f" All {r['compared']:,} counts are those of the run before."
    return f" Of {r['compared']:,} counts, {r['differing']:,} are not those of the run before."


def make(folder):
    """Writes the page and its charts from the CSV files of a folder, and returns the page's path."""
    run, out = known_runs(folder), ROOT / "build/results" / folder.name
    ours = Figures(read(sorted(folder.glob("*.csv"))))
    paper = Figures(read([BENCH / "papers.csv"]))
    pictures = {p.name.partition(".")[0]: gzip.decompress(p.read_bytes()).decode()
                for p in sorted((folder / "pictures").glob("*.svg.gz"))}
    plots = out / "plots"
    shutil.rmtree(out, ignore_errors=True)
    plots.mkdir(parents=True)
    (out / "index.html").write_text(page_html.page(ours, paper, about(run), pictures))
    for s in page_html.sections(page_html.Data(ours, paper), {}):
        for i, svg in enumerate(s.charts):
            (plots / f"{s.experiment.name}{f'-{i + 1}' if len(s.charts) > 1 else ''}.svg").write_text(
                page_plot.alone(svg)
            )
    return out / "index.html"


def measure(verb, quick, only=None):
    """Builds and runs the programs of a verb; whether all their answers were right. With `only`, one experiment is
    measured again and the other figures stay."""
    folder = BENCH / "results" / (machine() + ("-quick" if quick else ""))
    folder.mkdir(parents=True, exist_ok=True)
    programs = [p for p in PROGRAMS[verb] if not only or only.startswith(p.experiments)]
    if not programs:
        raise ValueError(f"script/bench {verb} has no experiment {only}")
    targets = [p.name for p in programs]
    subprocess.run(["cmake", "--preset", "bench"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "bench", "--target", *targets], cwd=ROOT, check=True)
    facts = known_runs(folder).get(verb, {})
    comparable = facts.get("quick") == quick
    start, compared, differing, right = datetime.datetime.now(), 0, 0, True
    for i, program in enumerate(programs):
        print(f"{program.name}, {i + 1} of {len(programs)} programs", file=sys.stderr, flush=True)
        csv, new = folder / f"{program.csv}.csv", folder / f"{program.csv}.new"
        right = run_program(program, new, quick, only, folder / "pictures") and right
        before = read([csv]) if csv.exists() else []
        write(new, read([new]))
        after = read([new])
        measured = {c.experiment for c in after}
        if before and comparable:
            lines = differing_counts([c for c in before if c.experiment in measured], after)
            compared, differing = compared + sum(c.kind == "count" for c in after), differing + len(lines)
            for line in lines[:10]:
                print(f"Another count than in the run before: {line}", file=sys.stderr)
        if only:
            write(csv, [c for c in before if c.experiment not in measured] + after)
            new.unlink()
        else:
            new.replace(csv)
    if not only:
        seconds = round((datetime.datetime.now() - start).total_seconds())
        facts = {"date": start.date().isoformat(), "quick": quick, "seconds": seconds}
        keep(folder, verb, facts | {"compared": compared, "differing": differing})
    print(f"The page is {make(folder).relative_to(ROOT)}")
    return right


def run_program(program, csv, quick, only, pictures):
    """Whether all its answers were right. Ends everything if it failed."""
    csv.unlink(missing_ok=True)
    command = [ROOT / "build/bench/bench" / program.name, "--csv", csv, *program.options]
    command += ["--quick"] if quick else []
    command += ["--only", only] if only and program.one_by_one else []
    command += ["--pictures", pictures] if program.name == "bench_papers" else []
    if program.pinned and shutil.which("taskset"):
        command = ["taskset", "-c", os.environ.get("GRAZE_CORE", "0"), *command]
    status = subprocess.run([str(c) for c in command], cwd=ROOT, check=False).returncode
    for svg in pictures.glob("*.svg"):
        svg.with_suffix(".svg.gz").write_bytes(gzip.compress(svg.read_bytes(), mtime=0))
        svg.unlink()
    if status not in (0, 1) or not csv.exists():
        raise ValueError(f"{program.name} ended with status {status}")
    return status == 0


def known_runs(folder):
    path = folder / "run.json"
    return json.loads(path.read_text()) if path.exists() else {}


def keep(folder, verb, facts):
    """Adds a run to run.json."""
    run = known_runs(folder)
    version = subprocess.run(["clang++-19", "--version"], capture_output=True, text=True, check=False).stdout
    compiler = version.partition("\n")[0]
    run |= {
        "processor": processor(),
        "compiler": re.sub(r"^\w+ (?=clang)| \(.*", "", compiler) or "unknown",
        verb: facts,
    }
    (folder / "run.json").write_text(json.dumps(run, indent=1) + "\n")


def main(arguments):
    if arguments[:1] == ["--same"] and len(arguments) == 3:
        lines = differing_counts(*(read([a]) for a in arguments[1:]))
        print("\n".join(lines) if lines else "All counts are the same.")
        return 1 if lines else 0
    parser = argparse.ArgumentParser(
        prog="bench/page.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="build, run and make the page")
    run.add_argument("what", choices=PROGRAMS)
    run.add_argument("--quick", action="store_true", help="fewer and smaller measurements")
    run.add_argument("--only", metavar="EXPERIMENT", help="measure one again, and leave the other figures as they are")
    verbs.add_parser("make", help="make the pages again")
    given = parser.parse_args(arguments)
    if given.verb == "make":
        for facts in sorted((BENCH / "results").glob("*/run.json")):
            print(make(facts.parent).relative_to(ROOT))
        return 0
    return 0 if measure(given.what, given.quick, given.only) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ValueError, OSError, subprocess.CalledProcessError) as fault:
        sys.exit(f"bench/page.py: {fault}")
