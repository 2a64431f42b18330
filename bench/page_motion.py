# SPDX-License-Identifier: Apache-2.0
"""Experiments with moving objects on bench/page.py: temporal coherence, and many objects."""

import page_plot as plot
from page_data import Cell, shown
from page_findings import Finding, all_cells, best_of, near, note, same_side, slope
from page_experiments import Table, View, experiment, ratio
from page_obb import simulation_findings

SCENES = ("Torus", "Pipes", "Hand", "Flange")
GAIN = "coherence-table2-gain"
OVER = "time over plain"
KINDS = ("OBB", "AABB", "Wide OBB", "Wide AABB")


@experiment(
    "coherence-table1",
    "table 1",
    "The scenes",
    "A body that moves in a fixed environment, frame by frame, and how far it moves.",
)
def coherence_table1(d):
    id = "coherence-table1"
    sizes = all_cells(d.ours, d.paper, id, 0.1, "cells of the paper's table")
    findings = [sizes]
    for scene in SCENES:
        name = "OBB: median motion size"
        ours = d.ours.value(id, "OBB, every few frames: median motion size", scene) or d.ours.value(id, name, scene)
        findings.append(
            near(f"{scene}: with every few frames only, the median motion", ours, d.paper.value(id, name, scene), 0.02)
        )
    findings.append(note("The paper's models and paths are not available: ours were made after their description."))
    return View(tables=[Table(id)], findings=findings)


class SpeedUps:
    """Plain time over time with a front, by row of table 2 and column."""

    def __init__(self, d):
        self.d = d

    def ours(self, fronted, column):
        return self.of(self.d.ours, fronted, column, "µs")

    def paper(self, fronted, column):
        return self.of(self.d.paper, fronted, column, "time")

    @staticmethod
    def of(figures, fronted, column, unit):
        plain = {"OBB coherence": "OBB non-coherence", "AABB coherence": "AABBlite non-coherence"}[fronted]
        id = "coherence-table2"
        return ratio(figures.value(id, plain, column, unit), figures.value(id, fronted, column, unit))


@experiment(
    "coherence-table2",
    "table 2",
    "Time with and without coherence",
    "Queries along these paths, from a front that is kept between frames and without one.",
)
def coherence_table2(d):
    id, ups = "coherence-table2", SpeedUps(d)
    findings = []
    for fronted in ("OBB coherence", "AABB coherence"):
        for words in ("Original", "Interpolated 0.03"):
            pairs = [(s, ups.ours(fronted, f"{words} {s}"), ups.paper(fronted, f"{words} {s}")) for s in SCENES]
            pairs = [p for p in pairs if p[1] and p[2]]
            if not pairs:
                continue
            faster = [p for p in pairs if p[1] >= 1]
            listed = "; ".join(f"{s} {shown(o)} ({shown(t)})" for s, o, t in pairs)
            ok = len(faster) == len(pairs)
            findings.append(
                Finding(
                    ok,
                    f"{fronted}, {words.lower()}: the front makes queries faster in {len(faster)} of {len(pairs)} "
                    f"scenes, in the paper in all; times as fast here (in the paper): {listed}.",
                )
            )
    columns = tuple(f"{words} {s}" for words in ("Original", "Every few frames", "Interpolated 0.03") for s in SCENES)
    work = id + "-work"
    tables = [
        Table(id, "Time per frame; the unit of the paper's times is not given", "µs", columns),
        Table(GAIN, "Times as fast with a front", None, columns),
        Table(work, "Box tests per frame", "box tests", columns, folded=True),
        Table(work, "Triangle tests per frame", "triangle tests", columns, folded=True),
        Table(work, "Tests on the axis that was kept, per frame", "axis tests", columns, folded=True),
    ]
    return View(tables=tables, findings=findings)


def paper_gains(paper):
    """The gains that the times of the paper's table 2 amount to, as cells beside our own."""
    out = []
    for fronted in ("OBB coherence", "AABB coherence"):
        for c in paper.cells("coherence-table2"):
            if c.row == fronted:
                gain = SpeedUps.of(paper, fronted, c.column, c.unit)
                out.append(Cell(GAIN, fronted, c.column, gain, "×", "paper", c.source + "; computed from its times"))
    return out


def front_charts(d, id, x_name, marks=None, caption=""):
    """A chart per kind of tree: time with a front over time without, a curve per scene."""
    out = []
    for kind in KINDS:
        series = [(s, d.ours.curve(id, f"{kind} {s}", OVER)) for s in SCENES]
        series = [s for s in series if s[1]]
        if series:
            out.append(
                plot.curves(
                    f"{kind} tree",
                    series,
                    x_name,
                    "time with a front over time without",
                    log_y=False,
                    level=1,
                    marks=(marks or {}).get(kind, ()),
                    caption=caption if (marks or {}).get(kind) else "",
                )
            )
    return out


def sweep(name, place, title, x_name, words):
    @experiment(name, place, title, f"Time of a query with a front, by {words}.")
    def make(d):
        marks, findings = {}, []
        for kind in ("OBB", "AABB"):
            theirs = d.paper.value(name, "best", kind)
            curves = [c for c in (d.ours.curve(name, f"{kind} {s}", OVER) for s in SCENES) if c]
            best = best_of(curves) if curves else None
            if theirs:
                marks[kind] = [(theirs, None, f"the paper's best: {shown(theirs)}", 7)]
            if best is None:
                continue
            values = sorted({x for c in curves for x, _ in c})
            if theirs is None:
                findings.append(note(f"{kind}: {words} is best at {shown(best)} of the {len(values)} values tried."))
                continue
            ok = 0.5 <= best / theirs <= 2
            findings.append(
                Finding(
                    ok,
                    f"{kind}: {words} is best at {shown(best)} of the {len(values)} values tried, in the paper "
                    f"around {shown(theirs)}: "
                    + (
                        "this agrees within a factor of two."
                        if ok
                        else "this does not agree, the factor is " + shown(max(best / theirs, theirs / best)) + "."
                    ),
                )
            )
        if name == "coherence-fig5":
            findings += sprout_findings(d)
        return View(
            charts=front_charts(d, name, x_name, marks, "dashed: the paper’s best"),
            tables=[Table(name, "All figures", OVER, folded=True)],
            findings=findings,
        )


def sprout_findings(d):
    curves = [c for c in (d.ours.curve("coherence-fig5", f"OBB {s}", OVER) for s in SCENES) if c]
    falling = [c for c in curves if c[-1][1] <= c[0][1]]
    if not curves:
        return []
    ok = len(falling) == len(curves)
    return [
        Finding(
            ok,
            f"OBB: the time at the greatest threshold is no more than at the least in {len(falling)} of "
            f"{len(curves)} scenes; "
            "in the paper it falls with the threshold.",
        )
    ]


sweep(
    "coherence-fig4",
    "figure 4",
    "When to use coherence",
    "coherence threshold, motion over size",
    "the coherence threshold",
)
sweep("coherence-fig5", "figure 5", "When to sprout", "sprouting threshold", "the sprouting threshold")
sweep("coherence-fig6", "figure 6", "When to prune", "pruning threshold, motion over size", "the pruning threshold")


def by_motion(name, place, title, kind):
    @experiment(name, place, title, "Paths resampled so that every frame moves the body equally far.")
    def make(d):
        findings, marks = [], []
        for i, scene in enumerate(SCENES):
            curve = d.ours.curve(name, f"{kind} {scene}", OVER)
            if len(curve) > 1:
                small, large = curve[0], curve[-1]
                findings.append(
                    Finding(
                        small[1] < large[1],
                        f"{scene}: with a motion of {shown(small[0])} a query with a front takes "
                        f"{shown(small[1])} of the plain time, with {shown(large[0])} {shown(large[1])}: the "
                        "smaller the motion, "
                        + (
                            "the more it gains, as in the paper."
                            if small[1] < large[1]
                            else "the less it gains, unlike the paper."
                        ),
                    )
                )
            up = SpeedUps(d).paper(f"{kind} coherence", f"Interpolated 0.03 {scene}")
            if up and curve:
                marks.append((0.03, 1 / up, f"the paper's table 2, {scene}: {shown(1 / up)}", i))
        for c in d.paper.cells(name):
            findings.append(
                near(
                    f"{c.column} at a motion of {c.row}: the time with a front over the time without",
                    d.ours.value(name, c.row, c.column, OVER),
                    c.value,
                    0.2,
                )
            )
        return View(
            charts=front_charts(
                d, name, "motion per frame over the object's size", {kind: marks}, "rings: the paper’s table 2"
            ),
            tables=[Table(name, "All figures", OVER, folded=True)],
            findings=findings,
        )


by_motion("coherence-fig8", "figure 8", "Oriented boxes by size of the motion", "OBB")
by_motion("coherence-fig9", "figure 9", "Aligned boxes by size of the motion", "AABB")


GRAPHS = (
    ("objects-graph1", "graph 1", "Number of objects", "objects", True),
    ("objects-graph2", "graph 2", "Triangles per object", "triangles", True),
    ("objects-graph3", "graph 3", "Density", "volume taken, %", False),
    ("objects-graph4", "graph 4", "Velocity", "velocity per frame, radii", False),
    ("objects-graph5", "graph 5", "Rotation", "degrees per frame", False),
    ("objects-graph6", "graph 6", "Number of objects, sparse", "objects", True),
)


def graph(name, place, title, x_name, logarithmic):
    @experiment(
        name, place, title, "Many moving objects with boxes of a fixed size and with boxes that follow their rotation."
    )
    def make(d):
        series = [(c, d.ours.curve(name, c, "µs")) for c in d.ours.columns(name, "µs")]
        series = [s for s in series if s[1]]
        charts = (
            [plot.curves(f"Time of a frame by {x_name}", series, x_name, "µs", logarithmic, logarithmic)]
            if series
            else []
        )
        return View(
            charts=charts,
            tables=[Table(name, "All figures", folded=True)],
            findings=graph_findings(d, name, logarithmic),
        )


def graph_findings(d, name, logarithmic):
    fixed, dynamic = (dict(d.ours.curve(name, f"{k} boxes", "µs")) for k in ("fixed", "dynamic"))
    both = sorted(set(fixed) & set(dynamic))
    if not both:
        return []
    wins = [x for x in both if fixed[x] <= dynamic[x]]
    ratios = [dynamic[x] / fixed[x] for x in both]
    out = [
        note(
            f"Fixed boxes are quicker at {len(wins)} of {len(both)} points; dynamic boxes take {shown(min(ratios))} to "
            f"{shown(max(ratios))} times as long. The paper draws these curves without numbers, so nothing "
            "more can be compared."
        )
    ]
    if name == "objects-graph1" and len(both) > 2:
        power = slope(sorted(dynamic.items()))
        ok = power <= 1.25
        out.append(
            Finding(
                ok,
                f"The time grows with the number of objects to the power of {shown(power)}; the paper expects "
                "about the first power of coherent scenes" + (": this agrees." if ok else ": this does not agree."),
            )
        )
    return out


for g in GRAPHS:
    graph(*g)


@experiment("objects-table", "table 1", "Simulations", "Two bodies in their environments, as in the OBBTree paper.")
def objects_table(d):
    def value(figures, scene, what):
        return figures.value("objects-table", what, scene)

    names = ("Num of Box-Box Tests", "Num of Steps", "Ave. Contacts per Step")
    return View(tables=[Table("objects-table")], findings=simulation_findings(d, value, names, ("Pipes", "Torus")))


@experiment(
    "objects-feeder",
    "section 2",
    "A vibratory parts feeder",
    "Mechanical parts in a vibrating bowl: what is left of all pairs after each stage, and the time of a step.",
)
def objects_feeder(d):
    id = "objects-feeder"
    findings = []
    for row in d.ours.rows(id):
        pairs, boxes, touching = (d.ours.value(id, row, c) for c in ("all pairs", "boxes overlap", "touching"))
        step = d.ours.value(id, row, "step", "µs")
        if pairs and boxes:
            findings.append(
                note(
                    f"{row} parts: of {shown(pairs)} pairs the boxes leave {shown(boxes)} "
                    f"({100 * boxes / pairs:.1f} %), and "
                    f"{shown(touching)} touch."
                )
            )
        if step:
            ok = step < 1e6 / 20
            findings.append(
                Finding(
                    ok,
                    f"{row} parts: a step takes {shown(step / 1000)} ms; the paper calls a twentieth of a second "
                    "interactive for hundreds of "
                    "objects" + (": this agrees." if ok else ": this does not agree."),
                )
            )
    return View(tables=[Table(id)], findings=findings)
