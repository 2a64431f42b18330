# SPDX-License-Identifier: Apache-2.0
"""The experiments of the AABB-tree paper on bench/page.py."""

import page_plot as plot
from page_experiments import Table, View, experiment, ratio
from page_findings import Finding, near, near_factor, same_side

SCENE_FACTOR = 2  # of counts on a model that is like the paper's


@experiment(
    "aabb-fig2",
    "figure 2",
    "Axes on which box tests end",
    "Which axis separates two boxes first, at random placements with many contacts.",
)
def aabb_fig2(d):
    id = "aabb-fig2"
    series = [(c, d.ours.curve(id, c)) for c in d.ours.columns(id)]
    charts = (
        [
            plot.curves(
                "Share of the tests that end on each axis",
                series,
                "axis: 1–6 faces, 7–15 pairs of edges",
                "%",
                log_x=False,
                log_y=False,
            )
        ]
        if any(s[1] for s in series)
        else []
    )
    findings = [
        near(f"{c.column}: the share of “{c.row}”, in percent,", d.ours.value(id, c.row, c.column), c.value, 10)
        for c in d.paper.cells(id)
    ]
    return View(charts=charts, tables=[Table(id, folded=True, title="All axes")], findings=findings)


def placement_findings(d, id):
    """Box tests per placement, and how the two trees compare."""
    findings = []
    for c in d.paper.cells(id):
        if c.column == "N_b, box tests":
            ours = ratio(d.ours.value(id, c.row, c.column), d.ours.value(id, c.row, "placements"))
            theirs = ratio(c.value, d.paper.value(id, c.row, "placements"))
            findings.append(near_factor(f"{c.row}: the number of box tests per placement", ours, theirs, SCENE_FACTOR))
    for model in ("torus", "spacecraft", "teapot"):
        for column, words in (("N_b, box tests", "Box tests"), ("T_total", "Time")):
            values = [
                ratio(f.value(id, f"AABB tree, mean split, {model}", column), f.value(id, f"OBB tree, {model}", column))
                for f in (d.ours, d.paper)
            ]
            findings.append(same_side(f"{words} of aligned over oriented boxes, {model}", *values))
    return findings


@experiment(
    "aabb-table1",
    "table 1",
    "Random placements, all fifteen axes",
    "A model with itself at random placements, first contact. Our spacecraft stands in for the paper's X-wing.",
)
def aabb_table1(d):
    return View(tables=[Table("aabb-table1")], findings=placement_findings(d, "aabb-table1"))


@experiment(
    "aabb-table2",
    "table 2",
    "Random placements, six axes (SAT lite)",
    "The same placements with the axes of the faces only.",
)
def aabb_table2(d):
    findings = placement_findings(d, "aabb-table2")
    for tree in ("AABB tree, mean split", "OBB tree"):
        values = []
        for f in (d.ours, d.paper):
            rows = [f"{tree}, {m}" for m in ("torus", "spacecraft", "teapot")]
            times = [[f.value(t, r, "T_total") for r in rows] for t in ("aabb-table1", "aabb-table2")]
            values.append(sum(times[0]) / sum(times[1]) if None not in times[0] + times[1] else None)
        findings.append(same_side(f"{tree}: time with fifteen axes over time with six, all models", *values))
    return View(tables=[Table("aabb-table2")], findings=findings)


@experiment("aabb-table3", "table 3", "Builds, refits and queries", "Times of the operations on trees of both kinds.")
def aabb_table3(d):
    id = "aabb-table3"
    findings = []
    for top, bottom, words in (
        ("build an AABB tree", "refit an AABB tree", "Building an AABB tree over refitting it"),
        ("build an OBB tree", "build an AABB tree", "Building an OBB tree over building an AABB tree"),
        ("test a pair of AABB trees", "test a pair of OBB trees", "Testing AABB trees over testing OBB trees"),
    ):
        for model in d.paper.columns(id):
            values = [ratio(f.value(id, top, model), f.value(id, bottom, model)) for f in (d.ours, d.paper)]
            findings.append(same_side(f"{words}, {model}", *values))
    shares = [
        ratio(d.ours.value(id, "refit an AABB tree", m), d.ours.value(id, "build an OBB tree", m))
        for m in d.paper.columns(id)
    ]
    shares = [s for s in shares if s]
    if shares:
        ok = max(shares) < 0.05
        findings.append(
            Finding(
                ok,
                f"A refit takes at most {100 * max(shares):.1f} % of the time of building an OBB tree; the "
                "paper says less than 5 %" + (": this agrees." if ok else ": this does not agree."),
            )
        )
    return View(tables=[Table(id)], findings=findings)
