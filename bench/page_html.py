# SPDX-License-Identifier: Apache-2.0
"""The HTML of bench/page.py: one page that needs nothing else."""

import base64
from html import escape
from pathlib import Path

# Their experiments add themselves.
import page_aabb  # noqa: F401
import page_experiments
import page_motion
import page_obb  # noqa: F401
import page_peers  # noqa: F401
import page_plot
from page_data import Cell, number, shown, unique
from page_experiments import Data

CSS = (Path(__file__).parent / "page.css").read_text() + page_plot.STYLE


def theirs(cell):
    return f'<span class="theirs" title="{escape(cell.source)}">{shown(cell.value)}</span>'


def row_name(row):
    value = number(row)
    return row if value is None else shown(value)


class Grid:
    """Our cells of a table, the paper's beside them, and where the units are written."""

    def __init__(self, spec, data):
        def chosen(figures):
            cells = figures.cells(spec.experiment)
            # The paper's times whose unit is not known stand beside ours.
            units = {spec.unit, "time"} if figures is data.paper and spec.unit == "µs" else {spec.unit}
            return [c for c in cells if spec.unit is None or c.unit in units]

        self.ours, self.paper = chosen(data.ours), chosen(data.paper)
        both = self.ours + self.paper
        places = {}
        for c in self.ours:
            places.setdefault((c.row, c.column), set()).add(c.unit)
        self.split = any(len(u) > 1 for u in places.values())  # several units in one place: a column each
        self.rows = unique(c.row for c in both)
        self.columns = unique(self.column(c) for c in both)
        if spec.columns:
            self.columns.sort(key=lambda c: spec.columns.index(c[0]) if c[0] in spec.columns else len(spec.columns))
        row_units, column_units = {}, {}
        for c in self.ours or both:
            row_units.setdefault(c.row, set()).add(c.unit)
            column_units.setdefault(self.column(c), set()).add(c.unit)
        units = unique(c.unit for c in self.ours or both)
        self.only_unit = units[0] if len(units) == 1 else ""
        self.unit_of_column = {k: next(iter(u)) for k, u in column_units.items() if len(u) == 1}
        self.by_column = all(len(u) == 1 for u in column_units.values())
        self.unit_of_row = {k: next(iter(u)) for k, u in row_units.items() if len(u) == 1} if not self.by_column else {}

    def column(self, cell: Cell):
        return (cell.column, cell.unit) if self.split else (cell.column, "")

    def html(self, title):
        def head(column):
            unit = self.unit_of_column.get(column, "") if self.by_column and not self.only_unit else ""
            return escape(column[0]) + (f' <span class="unit">{escape(unit)}</span>' if unit else "")

        ours = {(c.row, self.column(c)): c for c in self.ours}
        paper = {(c.row, self.column(c)): c for c in self.paper}
        out = [
            '<div class="wide" tabindex="0"><table>',
            f"<caption>{escape(title)}</caption>" if title else "",
            f'<thead><tr><th><span class="unit">{escape(self.only_unit)}</span></th>',
            *(f"<th>{head(c)}</th>" for c in self.columns),
            "</tr></thead><tbody>",
        ]
        for row in self.rows:
            unit = self.unit_of_row.get(row, "")
            unit = f' <span class="unit">{escape(unit)}</span>' if unit else ""
            cells = []
            for column in self.columns:
                mine, other = ours.get((row, column)), paper.get((row, column))
                words = shown(mine.value) if mine else ""
                cells.append(f"<td>{words}{theirs(other) if other else ''}</td>")
            out.append(f"<tr><th>{escape(row_name(row))}{unit}</th>{''.join(cells)}</tr>")
        return "".join(out) + "</tbody></table></div>"


def table(spec, data):
    grid = Grid(spec, data)
    if not grid.rows:
        return ""
    if spec.folded:
        return f"<details><summary>{escape(spec.title or 'All figures')}</summary>{grid.html('')}</details>"
    return grid.html(spec.title)


def findings_html(findings):
    compared = [f for f in findings if f.agrees is not None]
    out = []

    def listed(items):
        kinds = {True: "yes", False: "no", None: "note"}
        return (
            '<ul class="findings">'
            + "".join(f'<li class="{kinds[f.agrees]}">{escape(f.words)}</li>' for f in items)
            + "</ul>"
        )

    good = [f for f in compared if f.agrees]
    if len(findings) <= 3:
        return listed(findings) if findings else ""
    if compared:
        out.append(f'<p class="verdict">{len(good)} of {len(compared)} comparisons agree.</p>')
    out.append(listed([f for f in findings if not f.agrees]))
    if good:
        out.append(f"<details><summary>What agrees</summary>{listed(good)}</details>")
    return "".join(out)


def picture_html(name, svg):
    code = base64.b64encode(svg.encode()).decode()
    return f'<img class="picture" alt="{escape(name)}" src="data:image/svg+xml;base64,{code}">'


class Section:
    def __init__(self, experiment, data, pictures):
        self.experiment = experiment
        self.measured = experiment.name in data.ours
        view = experiment.make(data)
        self.findings = [f for f in view.findings if f]
        self.charts = view.charts
        self.pictures = {k: v for k, v in pictures.items() if k.startswith(experiment.name)}
        shown_already = {spec.experiment for spec in view.tables}
        further = page_experiments.further_tables(experiment.name, data.ours)
        specs = view.tables + [spec for spec in further if spec.experiment not in shown_already]
        self.tables = [t for t in (table(spec, data) for spec in specs) if t]
        self.sources = unique(c.source for c in data.paper.cells(experiment.name))
        self.used = {spec.experiment for spec in specs}

    def mark(self):
        verdicts = [f.agrees for f in self.findings if f.agrees is not None]
        return "note" if not verdicts else "yes" if all(verdicts) else "no"

    def html(self):
        e = self.experiment
        place = f' <span class="place">{escape(e.place)}</span>' if e.place else ""
        out = [f'<article id="{e.name}"><h3>{escape(e.title)}{place}</h3>']
        if e.caption:
            out.append(f'<p class="cite">{escape(e.caption)}</p>')
        if not self.measured:
            out.append('<p class="faint">This run did not measure it.</p>')
        out += [picture_html(f"{e.title}: {k}", v) for k, v in self.pictures.items()]
        if self.charts:
            out.append('<div class="charts">' + "".join(self.charts) + "</div>")
        out += self.tables
        out.append(findings_html(self.findings))
        if self.sources:
            out.append(f'<p class="cite"><span class="theirs"></span>{escape("; ".join(self.sources))}</p>')
        return "\n".join(out) + "</article>"


def sections(data, pictures):
    """Sections of all experiments that were measured, or that a paper has numbers of."""
    known = [e for e in page_experiments.EXPERIMENTS if e.name in data.ours or e.name in data.paper]
    return [Section(e, data, pictures) for e in known]


def page(ours, paper, about, pictures=None):
    """The whole page. `about` is a list of sentences on the run."""
    data = Data(ours, paper.with_cells(page_motion.paper_gains(paper)))
    all_sections = sections(data, pictures or {})
    body = [
        "<h1>graze, measured: the papers’ experiments and other libraries</h1>",
        *(f"<p>{escape(words)}</p>" for words in about),
        '<p>Plain numbers were measured by this run. <span class="theirs">Numbers like this one</span> are the '
        "papers’ own; "
        "a line at the end says where they stand. ✓ agrees, ≠ does not. Times of old and new machines are "
        "not compared; their "
        "ratios are.</p>",
        contents(all_sections),
    ]
    shown_ids = set()
    for prefix, title, cite in page_experiments.PAPERS:
        body.append(f'<h2 id="{prefix}">{escape(title)}</h2>' + (f'<p class="cite">{escape(cite)}</p>' if cite else ""))
        for s in all_sections:
            if s.experiment.name.startswith(prefix + "-"):
                body.append(s.html())
                shown_ids |= s.used | {s.experiment.name}
    others = [e for e in ours.by_experiment if e not in shown_ids]
    if others:
        body.append('<h2 id="others">Other figures</h2>')
        body += [
            f'<article id="{escape(e)}"><h3>{escape(e)}</h3>{table(page_experiments.Table(e), data)}</article>'
            for e in others
        ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width,initial-scale=1">'
        f"<title>graze, measured</title><style>{CSS}</style></head><body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )


def contents(all_sections):
    out = ["<nav>"]
    for prefix, title, _ in page_experiments.PAPERS:
        mine = [s for s in all_sections if s.experiment.name.startswith(prefix + "-")]
        compared = [f for s in mine for f in s.findings if f.agrees is not None]
        good = sum(f.agrees for f in compared)
        words = f' <span class="faint">{good} of {len(compared)} comparisons hold</span>' if compared else ""
        out.append(f'<div class="contents"><b><a href="#{prefix}">{escape(title)}</a>{words}</b><ol>')
        for s in mine:
            place = f' <span class="faint">{escape(s.experiment.place)}</span>' if s.experiment.place else ""
            out.append(
                f'<li class="{s.mark()}"><a href="#{s.experiment.name}">{escape(s.experiment.title)}</a>{place}</li>'
            )
        out.append("</ol></div>")
    return "".join(out) + "</nav>"
