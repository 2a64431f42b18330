# SPDX-License-Identifier: Apache-2.0
"""Comparisons with other libraries on bench/page.py."""

import page_plot as plot
from page_data import shown, unique
from page_findings import Finding, joined, note
from page_experiments import Table, View, experiment

OURS = "graze"
MOST_ROWS = 12  # in one chart


def is_ours(column):
    return column == OURS or column.startswith(OURS + ",") or column.startswith(OURS + " ")


def main_unit(d, id):
    units = unique(c.unit for c in d.ours.cells(id) if c.column == OURS) or unique(c.unit for c in d.ours.cells(id))
    return units[0] if units else None


def ratios(d, id):
    """By row, each other column over graze's own."""
    unit = main_unit(d, id)
    out = []
    for row in d.ours.rows(id, unit):
        own = d.ours.value(id, row, OURS, unit)
        values = {c: d.ours.value(id, row, c, unit) for c in d.ours.columns(id, unit) if c != OURS}
        if own:
            out.append((row, {c: v / own for c, v in values.items() if v is not None and v > 0}))
    return out


def speed_findings(d, id, what):
    """The best of the other libraries against the best of ours, row by row."""
    unit, found = main_unit(d, id), []
    for row in d.ours.rows(id, unit):
        values = {c.column: c.value for c in d.ours.cells(id, unit) if c.row == row and c.value > 0}
        ours, others = [c for c in values if is_ours(c)], [c for c in values if not is_ours(c)]
        if ours and others:
            own, other = min(ours, key=values.get), min(others, key=values.get)
            found.append((values[other] / values[own], own, other, row))
    if not found:
        return []
    first = [f for f in found if f[0] >= 1]
    kinds = unique(f[1] for f in found if f[1] != OURS)
    words = f"graze {what} in {len(first)} of {len(found)} rows"
    words += f" (with {joined([f'“{k}”' for k in kinds])}, where that is best). " if kinds else ". "
    least, most = min(found), max(found)
    words += f"The best other library takes {shown(least[0])} times graze's figure "
    if len(found) > 1:
        words += f"at the least ({least[2]}, “{least[3]}”) and {shown(most[0])} at the most ({most[2]}, “{most[3]}”)."
    else:
        words += f"({least[2]})."
    return [Finding(len(first) == len(found), words)]


def wrong_findings(d, id):
    wrong = {}
    for c in d.ours.cells(id):
        wrong[c.column] = wrong.get(c.column, 0) + c.value
    if not wrong:
        return []
    ours = sum(v for c, v in wrong.items() if is_ours(c))
    others = [f"{c} {shown(v)}" for c, v in wrong.items() if not is_ours(c) and v]
    words = f"graze gave {shown(ours)} wrong answers" if ours else "graze gave no wrong answer"
    words += f"; of the others: {joined(others)}." if others else ", and neither did the others." if not ours else "."
    return [Finding(ours == 0, words)]


def contest(name, title, caption, what="is the quickest", chart="times graze's time"):
    @experiment(name, "", title, caption)
    def make(d):
        rows = [r for r in ratios(d, name) if r[1]]
        names = unique(c for _, values in rows for c in values)
        charts = []
        for k in range(0, len(rows), MOST_ROWS):
            part = f", {k + 1} to {min(len(rows), k + MOST_ROWS)}" if len(rows) > MOST_ROWS else ""
            charts.append(plot.dots(title + part, rows[k : k + MOST_ROWS], names, chart))
        tables = [Table(name, folded=len(rows) > MOST_ROWS, title="All rows" if len(rows) > MOST_ROWS else "")]
        return View(
            charts=charts, tables=tables, findings=speed_findings(d, name, what) + wrong_findings(d, f"{name}-wrong")
        )


contest(
    "peers-random-first",
    "Random placements, first contact",
    "A model with itself at random placements: does anything meet?",
)
contest(
    "peers-random-all",
    "Random placements, all contacts",
    "A model with itself at random placements: every pair of triangles that meets.",
)
contest("peers-spheres", "Spheres close to each other", "Spheres inside each other and beside each other.")
contest("peers-real", "Real meshes", "Meshes from scans and CAD, a hair apart, touching and overlapping.")
contest(
    "peers-path", "Along a path", "A bolt that rattles in a flange: placements that change little from one to the next."
)
contest("peers-build", "Building", "From triangles to a tree that can be asked, on one thread.")
contest("peers-memory", "Memory", "What a model takes, tree and triangles.", "needs the least", "times graze's memory")
contest("peers-refit", "Refitting", "All points of a model move, the triangles stay.")
contest("peers-rays", "Rays", "Rays against one model.")
contest("peers-distance", "Distances", "The least distance between two models.")
contest("peers-scene", "Many objects", "Many moving objects, and which of them touch.")
contest("peers-robot", "A robot", "Random configurations of a robot arm.")


@experiment(
    "peers-ties",
    "",
    "Exact ties",
    "Triangles that touch in a point, an edge or a plane, or miss each other by the last bit.",
)
def ties(d):
    id = "peers-ties"
    tables = [Table(id, "Wrong answers")] if id in d.ours else []
    return View(tables=tables, findings=wrong_findings(d, id) or wrong_findings(d, f"{id}-wrong"))
