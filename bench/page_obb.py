# SPDX-License-Identifier: Apache-2.0
"""The experiments of the OBBTree paper on bench/page.py: what is shown of each, and what agrees with the paper."""

import page_plot as plot
from page_data import shown
from page_experiments import Table, View, experiment, ratio
from page_findings import Finding, all_cells, near, near_factor, near_share, note, ordered, percent, same_side

COST_SHARE = 0.25  # of a time that the cost equation predicts
SLOPE_SLACK = 0.25  # of a slope or a power
LEVEL = 0.9  # of the greatest value: from there on a curve counts as level
SCENE_FACTOR = 2  # of counts in a scene that is like the paper's
COUNT_SHARE = 0.15  # of a count on a model of the same kind


@experiment(
    "obb-table1",
    "table 1",
    "Operations of a box test",
    "Arithmetic of the test that finds a separating axis, for boxes and for boxes without thickness.",
)
def obb_table1(d):
    findings = [all_cells(d.ours, d.paper, "obb-table1", 0, "counts")]
    total = d.ours.value("obb-table1", "total", "box-box")
    most = d.paper.value("obb-table1", "at most, in words", "box-box")
    more = d.ours.value("obb-table1", "further additions for our error bounds", "box-box")
    if total:
        words = f"They are {shown(total)} in total; the paper says {shown(most)} at most"
        findings.append(
            Finding(total <= most, words + (": this agrees." if total <= most else ": this does not agree."))
        )
    if more:
        findings.append(note(f"Our test adds {shown(more)} additions for its error bounds, which the paper's has not."))
    return View(tables=[Table("obb-table1")], findings=findings)


@experiment("obb-table2", "table 2", "Three ways to test two boxes", "Time to decide whether two random boxes overlap.")
def obb_table2(d):
    id, axes = "obb-table2", "separating axes"
    mean = {r: means(d.ours, id, r) for r in d.ours.rows(id, "µs per test")}
    findings = [ordered("From the quickest to the slowest", mean, {r: means(d.paper, id, r) for r in d.paper.rows(id)})]
    for other in d.paper.rows(id):
        if other == axes or axes not in mean or other not in mean:
            continue
        low, high = (
            d.paper.value(id, other, first) / d.paper.value(id, axes, second)
            for first, second in (("at the least", "at the most"), ("at the most", "at the least"))
        )
        value = mean[other] / mean[axes]
        words = (
            f"A test by {other} takes {shown(value)} times as long as one by separating axes, in the paper "
            f"{shown(low)} to {shown(high)}: "
        )
        verdict = (
            "this agrees."
            if low <= value <= high
            else "this does not agree, it is " + ("more." if value > high else "less.")
        )
        findings.append(Finding(low <= value <= high, words + verdict))
    wrong = [c.value for c in d.ours.cells(id) if c.column.startswith("other answers")]
    if wrong:
        findings.append(note(f"The methods differ in {shown(sum(wrong))} answers."))
    return View(tables=[Table(id)], findings=findings)


def means(figures, id, row):
    values = [c.value for c in figures.cells(id, "µs per test") if c.row == row]
    return sum(values) / len(values)


def box_curves(d, id, title):
    columns = [c for c in d.ours.columns(id) if c.startswith("box tests, ")]
    series = [(c.removeprefix("box tests, "), d.ours.curve(id, c)) for c in columns]
    charts = [plot.curves(title, series, "distance ε, radii", "box tests per query")] if series else []
    times = [(c.removeprefix("time, "), d.ours.curve(id, c)) for c in d.ours.columns(id) if c.startswith("time, ")]
    if times:
        charts.append(plot.curves("Time of these queries", times, "distance ε, radii", "ms per query"))
    return charts


@experiment(
    "obb-fig5",
    "figure 5",
    "Concentric spheres: parallel close proximity",
    "A sphere inside a slightly larger one. The closer they are, the deeper a query has to go.",
)
def obb_fig5(d):
    return View(
        charts=box_curves(d, "obb-fig5", "Box tests, spheres of 32,000 triangles"),
        tables=[Table("obb-fig5", "All figures", folded=True)],
        findings=fig5_findings(d),
    )


def fig5_findings(d):
    obb, aabb = (d.ours.curve("obb-fig5", f"box tests, {t}") for t in ("OBB", "AABB"))
    if not obb or not aabb:
        return []
    aligned, top = dict(aabb), max(y for _, y in obb)
    both = [(x, y) for x, y in obb if x in aligned and y < LEVEL * top]
    fewer = [x for x, y in both if y < aligned[x]]
    level = top / max(aligned.values())
    ok = len(fewer) == len(both)
    return [
        Finding(
            ok,
            f"Until their curve levels off, oriented boxes need fewer tests than aligned ones at {len(fewer)} of "
            f"{len(both)} distances, in the paper at all: {'this agrees' if ok else 'this does not agree'}.",
        ),
        near_share(
            "The height at which the oriented boxes' curve levels off, over that of the aligned boxes,",
            level,
            1,
            COUNT_SHARE,
        ),
    ]


@experiment(
    "obb-fig5-slopes",
    "figure 5, slopes",
    "Slopes of the straight parts",
    "How fast the number of box tests grows as the distance shrinks, on logarithmic axes.",
)
def obb_slopes(d):
    id = "obb-fig5-slopes"
    findings = []
    for tree, kind in (("AABB", "aligned"), ("OBB", "oriented")):
        ours, theirs = (f.value(id, tree, "slope") for f in (d.ours, d.paper))
        findings.append(near(f"The slope for {kind} boxes", ours, theirs, SLOPE_SLACK))
    return View(tables=[Table(id)], findings=findings)


@experiment(
    "obb-fig6",
    "figure 6",
    "Spheres side by side: point close proximity",
    "Two equal spheres that nearly touch at one point.",
)
def obb_fig6(d):
    id = "obb-fig6"
    findings = []
    obb, aabb = (dict(d.ours.curve(id, f"box tests, {t}")) for t in ("OBB", "AABB"))
    gaps = [(x, aabb[x] / obb[x]) for x in sorted(obb) if x in aabb and obb[x]]
    if gaps:
        near_, far = gaps[0], gaps[-1]
        words = (
            f"Aligned boxes take {shown(far[1])} times as many tests as oriented ones at ε = {shown(far[0])}, and "
            f"{shown(near_[1])} times at ε = {shown(near_[0])}"
        )
        findings.append(
            Finding(
                near_[1] > far[1],
                words
                + (
                    ": the gap widens, as in the paper."
                    if near_[1] > far[1]
                    else ": the gap does not widen, as it does in the paper."
                ),
            )
        )
    return View(
        charts=box_curves(d, id, "Box tests, spheres of 32,000 triangles"),
        tables=[Table(id, "All figures", folded=True)],
        findings=findings,
    )


@experiment(
    "obb-table3",
    "table 3 and figure 7",
    "Simulations",
    "Bodies that move through a fixed environment: pipes in pipes, a torus around a stalagmite, a torpedo on rollers.",
)
def obb_table3(d):
    def value(figures, scene, what):
        return figures.value("obb-table3", f"{scene}, OBB tree", what)

    names = ("box-box tests", "steps", "contacts per step")
    return View(tables=[Table("obb-table3")], findings=simulation_findings(d, value, names, ("pipes", "torus")))


def simulation_findings(d, value, names, scenes):
    """Compares two simulations. `value(figures, scene, name)` finds the numbers that `names` names."""
    tests, steps, contacts = names
    out, per_step = [], {}
    for scene in scenes:
        ours, theirs = (ratio(value(f, scene, tests), value(f, scene, steps)) for f in (d.ours, d.paper))
        per_step[scene] = ours, theirs
        name = scene.capitalize()
        out.append(near_factor(f"{name}: the number of box tests per step", ours, theirs, SCENE_FACTOR))
        ours, theirs = (value(f, scene, contacts) for f in (d.ours, d.paper))
        out.append(near_factor(f"{name}: the number of contacts per step", ours, theirs, SCENE_FACTOR))
    pipes, torus = (per_step[s] for s in scenes)
    both = [ratio(t, p) for t, p in zip(torus, pipes)]
    out.append(same_side("Box tests per step of the torus over those of the pipes", *both))
    out.append(
        note(
            "The paper's models and motions are not available: ours were made after their description, and "
            "move elsewhere."
        )
    )
    return out


@experiment(
    "obb-fig9", "figure 9", "Levels of two trees over a torus", "The boxes of each level of the two kinds of trees."
)
def obb_fig9(d):
    id = "obb-fig9"
    findings = []
    column = "farthest point from the torus, mean of the boxes"
    better, levels = [], []
    for row in d.ours.rows(id):
        obb, aabb = d.ours.value(id, row, f"OBBs, {column}"), d.ours.value(id, row, f"AABBs, {column}")
        if obb is not None and aabb is not None:
            levels.append(row)
            if obb <= aabb:
                better.append(row)
    if levels:
        last = levels[-1]
        obb, aabb = (d.ours.value(id, last, f"{t}, {column}") for t in ("OBBs", "AABBs"))
        ok = last in better
        findings.append(
            Finding(
                ok,
                f"Oriented boxes lie closer to the torus at {len(better)} of {len(levels)} levels; at "
                f"{last} they stick out by {shown(obb)} instead of {shown(aabb)} radii: "
                + (
                    "they converge more rapidly, as the paper says."
                    if ok
                    else "they do not converge more rapidly, as the paper says they do."
                ),
            )
        )
    return View(tables=[Table(id, folded=True, title="Distances")], findings=findings)


@experiment(
    "obb-tightness",
    "section 6",
    "Tightness against diameter",
    "How far a volume sticks out from what it holds, against the size of what it holds.",
)
def obb_tightness(d):
    id = "obb-tightness"
    trees = [t for t in ("OBB", "AABB", "sphere") if any(r.startswith(t + ", level") for r in d.ours.rows(id))]
    series, findings = [], []
    for tree in trees:
        rows = [r for r in d.ours.rows(id) if r.startswith(tree + ", level")]
        points = [
            (
                d.ours.value(id, r, "diameter d"),
                d.ours.value(id, r, "τ to the whole surface") or d.ours.value(id, r, "tightness τ"),
            )
            for r in rows
        ]
        points = [p for p in points if p[0] and p[1]]
        series.append((tree, sorted(points)))
        place = f"{tree}, levels where d < 1", "power of d in τ to the whole surface"
        ours, theirs = (f.value(id, *place) for f in (d.ours, d.paper))
        findings.append(near(f"{tree}: the power of d that the tightness follows", ours, theirs, SLOPE_SLACK))
    charts = (
        [
            plot.curves(
                "Tightness by diameter, nodes of one level each", series, "diameter d, radii", "tightness τ, radii"
            )
        ]
        if series
        else []
    )
    return View(charts=charts, tables=[Table(id, "All levels", folded=True)], findings=findings)


@experiment(
    "obb-cost",
    "sections 3 and 7.4",
    "The cost equation T = N_v C_v + N_p C_p",
    "Numbers of tests times the time of each, beside the time that the whole query took.",
)
def obb_cost(d):
    id = "obb-cost"
    off, findings = [], []
    for row in d.ours.rows(id):
        sum_, measured = d.ours.value(id, row, "N_v C_v + N_p C_p"), d.ours.value(id, row, "measured")
        if sum_ and measured:
            off.append((abs(sum_ / measured - 1), row, sum_ / measured))
    if off:
        good = [o for o in off if o[0] <= COST_SHARE]
        worst = max(off)
        findings.append(
            Finding(
                len(good) == len(off),
                f"The equation predicts {len(good)} of {len(off)} measured times within "
                f"{percent(COST_SHARE)}; furthest off is {worst[1]}, where it gives {shown(worst[2])} of the time.",
            )
        )
    scenes = [r.removesuffix(", OBB tree") for r in d.ours.rows(id) if r.endswith(", OBB tree")]
    for other in ("AABB", "sphere"):
        costs = [
            ratio(
                d.ours.value(id, f"{s}, OBB tree", "C_v, per box test"),
                d.ours.value(id, f"{s}, {other} tree", "C_v, per box test"),
            )
            for s in scenes
        ]
        costs = [c for c in costs if c]
        if costs:
            least, most = min(costs), max(costs)
            ok = most >= 5
            findings.append(
                Finding(
                    ok,
                    f"A test of oriented boxes takes {shown(least)} to {shown(most)} times as long as one of "
                    f"the {other} tree; "
                    "the paper says one order of magnitude" + (": this agrees." if ok else ": this does not agree."),
                )
            )
    fewer = sum(
        (d.ours.value(id, f"{s}, OBB tree", "N_v, box tests") or 0)
        < (d.ours.value(id, f"{s}, AABB tree", "N_v, box tests") or 0)
        for s in scenes
    )
    if scenes:
        findings.append(
            Finding(
                fewer == len(scenes),
                f"Oriented boxes need fewer box tests than aligned ones in {fewer} of {len(scenes)} scenes; "
                "the paper expects it of all close ones.",
            )
        )
    return View(tables=[Table(id)], findings=findings)


@experiment(
    "obb-memory", "section 7", "Memory per triangle", "Tree and triangles, for the trees of the paper and for ours."
)
def obb_memory(d):
    id = "obb-memory"
    theirs = d.paper.value(id, "OBB tree", "together")
    rows = [(r, d.ours.value(id, r, "together"), theirs if r == "OBB tree" else None) for r in d.ours.rows(id)]
    rows = [r for r in rows if r[1] is not None]
    findings = []
    for row in ("OBB tree", "wide tree", "wide OBB tree"):
        ours = d.ours.value(id, row, "together")
        if ours is not None:
            findings.append(
                note(
                    f"The {row} takes {shown(ours)} bytes per triangle, {shown(ours / theirs)} of the paper's "
                    f"{shown(theirs)}."
                )
            )
    charts = [plot.bars("Bytes per triangle; the stroke is the paper's", rows, "")] if rows else []
    return View(charts=charts, tables=[Table(id)], findings=findings)


@experiment(
    "obb-rapid",
    "the paper's program",
    "Counts of RAPID itself",
    "A torus with itself at random placements: tests per query of our tree in the paper's settings, and of the "
    "paper's own program.",
)
def obb_rapid(d):
    id = "obb-rapid"
    theirs = [c for c in d.paper.cells(id) if c.row == "RAPID itself"]
    settings = {}
    for name in d.ours.rows(id):
        pairs = [(c, d.ours.value(id, name, c.column)) for c in theirs]
        settings[name] = [
            near_share(f"“{name}”: the number of {c.column}", value, c.value, COUNT_SHARE, "RAPID's")
            for c, value in pairs
            if value is not None
        ]
    if not settings:
        return View(tables=[Table(id)])
    scores = {name: sum(f.agrees for f in found) for name, found in settings.items()}
    all_four = [name for name, score in scores.items() if score == len(theirs)]
    best = max(scores, key=scores.get)
    words = (
        f"{len(all_four)} of {len(scores)} settings are within {percent(COUNT_SHARE)} of RAPID in all counts. "
        "The nearest:"
    )
    return View(tables=[Table(id)], findings=[note(words), *settings[best]])
