# SPDX-License-Identifier: Apache-2.0
"""The figures that bench/page.py shows: CSV files with the columns experiment, row, column, value, unit and kind."""

import csv
import math
from dataclasses import dataclass

FIELDS = ["experiment", "row", "column", "value", "unit", "kind"]


@dataclass(frozen=True)
class Cell:
    experiment: str
    row: str
    column: str
    value: float
    unit: str
    kind: str  # count, time or paper
    source: str = ""


class Figures:
    """Cells by experiment, in the order of their files."""

    def __init__(self, cells=()):
        self.by_experiment = {}
        for cell in cells:
            self.by_experiment.setdefault(cell.experiment, []).append(cell)

    def with_cells(self, cells):
        """Copies the figures and adds some."""
        return Figures([c for known in self.by_experiment.values() for c in known] + list(cells))

    def __contains__(self, experiment):
        return experiment in self.by_experiment

    def cells(self, experiment, unit=None):
        return [c for c in self.by_experiment.get(experiment, []) if unit is None or c.unit == unit]

    def value(self, experiment, row, column, unit=None):
        """Nothing where there is no such cell."""
        for c in self.cells(experiment, unit):
            if c.row == row and c.column == column:
                return c.value
        return None

    def rows(self, experiment, unit=None):
        return unique(c.row for c in self.cells(experiment, unit))

    def columns(self, experiment, unit=None):
        return unique(c.column for c in self.cells(experiment, unit))

    def curve(self, experiment, column, unit=None):
        """Points (x, y) of a column whose rows are numbers."""
        points = [(number(c.row), c.value) for c in self.cells(experiment, unit) if c.column == column]
        return sorted(p for p in points if p[0] is not None)


def unique(items):
    return list(dict.fromkeys(items))


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def read(paths):
    """The cells of all files; ValueError names the file and the fault."""
    out = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if not reader.fieldnames or reader.fieldnames[: len(FIELDS)] != FIELDS:
                raise ValueError(f"{path}: the first line is not {','.join(FIELDS)}")
            for line, row in enumerate(reader, 2):
                value = number(row["value"] or "")
                if value is None:
                    raise ValueError(f"{path}:{line}: {row['value']!r} is not a number")
                out.append(
                    Cell(*(row[f] for f in FIELDS[:3]), value, row["unit"], row["kind"], row.get("source") or "")
                )
    return out


def write(path, cells):
    """Writes cells as bench/table.cpp does, with as many digits as pages and comparisons need: times have six."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for c in cells:
            writer.writerow([c.experiment, c.row, c.column, f"{c.value:.{6 if c.kind == 'time' else 10}g}", c.unit, c.kind])


def differing_counts(a, b):
    """Lines that name the counts in which two runs differ. Times are not compared."""

    def counts(cells):
        return {(c.experiment, c.row, c.column, c.unit): c.value for c in cells if c.kind == "count"}

    first, second = counts(a), counts(b)
    out = []
    for key in unique([*first, *second]):
        one, two = first.get(key), second.get(key)
        if one != two and not (one is not None and two is not None and math.isnan(one) and math.isnan(two)):
            name = ", ".join(k for k in key if k)
            out.append(
                f"{name}: {'absent' if one is None else shown(one)} and {'absent' if two is None else shown(two)}"
            )
    return out


def shown(value):
    """A number for people: whole numbers in full, others with three digits or more."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if 1e-3 <= size < 1000 and float(f"{value:.3g}") == value and value != int(value):
        text = f"{value:.3g}"
    elif value == int(value) and size < 1e15 or size >= 1000:
        text = f"{value:,.0f}"
    elif size >= 100:
        text = f"{value:.1f}"
    elif size >= 1e-3:
        digits = max(0, 2 - math.floor(math.log10(size)))
        text = f"{value:.{digits}f}"
    else:
        text = f"{value:.2g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text
