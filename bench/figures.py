#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of README.md and docs/, which come from bench/results/pages/*.csv and from constants of the code.

bench/figures.py --write              puts them into the pages and draws the charts that they show
bench/figures.py --check              says where a page differs; the exit status is 1 if one does
bench/figures.py --take GROUP FILE    makes the tables of what `script/bench GROUP --json FILE` wrote, then as --write;
                                      GROUP is core, volumes, fronts, scene or gpu

A page marks its places by comments, which do not show:

    <!-- table: NAME -->
    the table bench/results/pages/NAME.csv
    <!-- end of table -->

    Queries are <!--=core.least-->12.3<!--/--> times as fast.

The first line of a CSV file names the columns. Cells are as the page shows them. Where a ratio is below its floor, or a
size above its limit, the table says `missed`.
"""

import csv
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import plot
import plot_fronts
import plot_gpu
import plot_scene

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results/pages"
PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("docs/**/*.md"))]
TABLES = {  # of a group, in the order in which plot*.py makes them
    "core": ["core"],
    "volumes": ["volumes"],
    "fronts": ["fronts-paths", "fronts-paper", "fronts-sizes", "fronts-work", "fronts-settings"],
    "scene": ["scene", "scene-growth", "scene-variants", "scene-threads"],
    "gpu": ["gpu"],
}
MISSED = "✗"


class Table:
    def __init__(self, name):
        with open(RESULTS / f"{name}.csv", newline="", encoding="utf-8") as file:
            self.head, *self.rows = csv.reader(file)
        if wrong := [r for r in self.rows if len(r) != len(self.head)]:
            raise ValueError(f"{name}.csv: {wrong[0]} has not as many cells as the first line")
        self.name = name

    def cell(self, row, column):
        for r in self.rows:
            if r[0] in (row, f"`{row}`"):
                return r[self.head.index(column)]
        raise ValueError(f"{self.name}.csv: no row {row}")

    def column(self, column, *without):
        """Numbers by row, those that there are."""
        at = self.head.index(column)
        return {r[0].strip("`"): number(r[at]) for r in self.rows if r[at] and r[0].strip("`") not in without}


def number(shown):
    found = re.match(r"[\d.,]+", shown)
    if not found:
        raise ValueError(f"{shown!r} is not a number")
    return float(found[0].replace(",", ""))


# Floors and limits.


def front_floor(query, motion):
    """As in bench/fronts.cpp; `query` is the first cell of a row: `wide-obb` first, pipes."""
    tree, ask = re.match(r"`([\w-]+)` (\w+)", query).groups()
    floor = 0.97
    if not re.match(r"\d", motion):
        return floor
    if tree.startswith("binary"):
        return {"binary-obb": 1.3, "binary-aabb": 1.05}.get(tree, floor) if motion == "0.03" else floor
    if ask == "first":
        return 4 if float(motion) <= 0.007 else 2 if float(motion) <= 0.02 else floor
    return 1.3 if float(motion) <= 0.002 else floor


def goals(table):
    """(row, column of the goal, whether it is missed) for each cell that has a floor or a limit."""
    out = []
    for i, row in enumerate(table.rows):
        if table.name == "fronts-sizes":
            for k, cell in enumerate(row[2:], 2):
                if cell:
                    out.append((i, k, number(cell) < front_floor(row[0], table.head[k])))
        for goal, of, sign in (("floor", "ratio", 1), ("limit", "measured", -1)):
            if goal in table.head and row[k := table.head.index(goal)]:
                out.append((i, k, sign * number(row[table.head.index(of)]) < sign * number(row[k])))
    return out


def markdown(name):
    table = Table(name)
    rows = [list(r) for r in table.rows]
    for i, k, missed in goals(table):
        if missed:
            rows[i][k] += f" {MISSED}" if name == "fronts-sizes" else f", {MISSED} missed"
    lines = [table.head, ["---"] + ["--:"] * (len(table.head) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


# Figures in sentences.


def one_decimal(x):
    return f"{x:.1f}"


def queries():
    """The ratios of queries with warm caches."""
    return Table("core").column("ratio", "cold-first", "build-1m").values()


WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]


def in_words(n):
    return WORDS[n] if n < len(WORDS) else f"{n:,}"


def missed(*names):
    return sum(m for name in names for _, _, m in goals(Table(name)))


def floors(*names):
    return sum(len(goals(Table(name))) for name in names)


def constant(path, name):
    """A constant of the code."""
    found = re.search(rf"constexpr [\w:]+ {name} = (\d+)", (ROOT / path).read_text())
    if not found:
        raise ValueError(f"{path}: no constant {name}")
    return int(found[1])


def gpu_ratio():
    at = Table("gpu").head.index("ratio")
    return next(number(r[at]) for r in Table("gpu").rows if r[at])


FIGURES = {
    "core.least": lambda: one_decimal(min(queries())),
    "core.most": lambda: one_decimal(max(queries())),
    "core.cold": lambda: one_decimal(number(Table("core").cell("cold-first", "ratio"))),
    "core.build": lambda: one_decimal(number(Table("core").cell("build-1m", "ratio"))),
    "core.missed": lambda: in_words(missed("core")),
    "core.floors": lambda: in_words(floors("core")),
    "volumes.missed": lambda: in_words(missed("volumes")),
    "volumes.floors": lambda: in_words(floors("volumes")),
    "robot.missed": lambda: in_words(missed("robot")),
    "robot.floors": lambda: in_words(floors("robot")),
    "fronts.missed": lambda: str(missed("fronts-sizes")),
    "fronts.floors": lambda: str(floors("fronts-sizes")),
    "scene.missed": lambda: in_words(missed("scene")),
    "bytes": lambda: f"{number(Table('core-limits').cell('bytes-per-triangle', 'measured')):.0f}",
    "gpu.ratio": lambda: f"{10 * round(gpu_ratio() / 10):.0f}",
    "gpu.cpu": lambda: next(r[Table("gpu").head.index("CPU")] for r in Table("gpu").rows if r[-2]),
    # Wide boxes are turned by so many angles to either side; the two sides have the first one, none, in common.
    "turns": lambda: in_words(2 * constant("src/wide/wide_orient.cpp", "turns") - 1),
}


def figure(name):
    if name.startswith("notes."):  # measured once, for a sentence
        return Table("notes").cell(name.removeprefix("notes."), "measured")
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name}")
    return FIGURES[name]()


SPOT = re.compile(r"(<!--=([\w.-]+)-->)(.*?)(<!--/-->)", re.S)
BLOCK = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end of table -->)", re.S)


def filled(text):
    text = BLOCK.sub(lambda m: f"{m[1]}\n{markdown(m[2])}\n{m[3]}", text)
    return SPOT.sub(lambda m: m[1] + figure(m[2]) + m[4], text)


# Charts.


def microseconds(shown):
    unit = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}
    return number(shown) * unit[shown.split()[1]]


def speed():
    core = Table("core")
    return plot.chart([
        {"scenario": row[0].strip("`"), "peer": "FCL-OBB", "ratio": number(row[core.head.index("ratio")]),
         "ours_us": microseconds(row[core.head.index("graze")]), "peer_us": microseconds(row[core.head.index("FCL-OBB")])}
        for row in core.rows])


def rates():
    gpu = Table("gpu")

    def rate(shown):
        return number(shown) * {"million": 1e6, "billion": 1e9}[shown.split()[1]] if shown else None

    rows = [dict(zip(gpu.head, row)) for row in gpu.rows]
    return plot_gpu.chart([
        {"poses": int(number(r["poses"])), "kernel": rate(r["on the GPU"]), "through": rate(r["from the host"]),
         "cpu": rate(r["CPU"])} for r in rows if r["scene"] == "tori" and r["numbers"] == "float"])


def front_gains():
    sizes = Table("fronts-sizes")
    rows = []
    for query, _, *cells in sizes.rows:
        tree, ask, scene = re.match(r"`([\w-]+)` (\w+), (\w+)", query).groups()
        rows += [{"scenario": f"{tree}-{scene}-{motion}-{ask}", "ratio": number(cell)}
                 for motion, cell in zip(sizes.head[2:], cells) if cell and re.match(r"\d", motion)]
    return plot_fronts.motion_chart(rows)


def clear_scenes():
    growth = Table("scene-growth")
    stages = [(key, growth.head.index(words)) for words, key in plot_scene.STAGES]
    return plot_scene.clear_chart([
        {"scenario": "clear-", "objects": number(row[0]), "ours_us": microseconds(row[growth.head.index("per frame")])}
        | {key: microseconds(row[at]) for key, at in stages}
        for row in growth.rows if row[1].endswith("→ 0")])


CHARTS = {"docs/speed.svg": speed, "docs/gpu.svg": rates, "docs/fronts-motion.svg": front_gains,
          "docs/scenes-clear.svg": clear_scenes}


def made():
    """All that --write writes, by path."""
    out = {page: filled((ROOT / page).read_text()) for page in PAGES}
    return out | {path: draw() for path, draw in CHARTS.items()}


def differing():
    return [f"{path}: not as bench/results/pages and the code say; bench/figures.py --write puts it right"
            for path, text in made().items() if (ROOT / path).read_text() != text]


# New results.


def cells(text):
    """The tables of a piece of Markdown."""
    out = []
    for block in re.split(r"\n(?!\|)", "\n" + text):
        lines = [[c.strip() for c in line[1:-1].split("|")] for line in block.split("\n") if line.startswith("|")]
        if lines:
            out.append([lines[0], *lines[2:]])
    return out


def take(group, path):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    rows = rows["rows"] if group == "gpu" else rows
    make = {"core": plot.table, "volumes": plot.table, "fronts": plot_fronts.table, "scene": plot_scene.table,
            "gpu": plot_gpu.table}[group]
    tables = cells(make(rows))
    if len(tables) != len(TABLES[group]):
        raise ValueError(f"{path}: {len(tables)} tables, not {len(TABLES[group])}; a full run has all")
    limits = [[r["scenario"], f"{r['value']:.1f}", f"{r['floor']:g}", f"{r['aim']:g}"]
              for r in rows if group in ("core", "volumes") and "value" in r and "floor" in r]
    named = dict(zip(TABLES[group], tables))
    if limits:
        named[f"{group}-limits"] = [["at most", "measured", "limit", "aim"], *limits]
    for name, table in named.items():
        with open(RESULTS / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(table)


def main(arguments):
    if arguments == ["--check"]:
        if wrong := differing():
            print("\n".join(wrong))
        return 1 if wrong else 0
    if arguments[:1] == ["--take"] and len(arguments) == 3 and arguments[1] in TABLES:
        take(*arguments[1:])
    elif arguments != ["--write"]:
        print(__doc__)
        return 2
    for path, text in made().items():
        if (ROOT / path).read_text() != text:
            (ROOT / path).write_text(text)
            print(path)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ValueError, OSError) as fault:
        sys.exit(f"bench/figures.py: {fault}")
