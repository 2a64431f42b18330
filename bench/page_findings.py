# SPDX-License-Identifier: Apache-2.0
"""Sentences of bench/page.py that compare figures. Every number and every verdict in them is computed."""

import math
from dataclasses import dataclass

from page_data import shown


@dataclass(frozen=True)
class Finding:
    agrees: bool | None  # nothing where there is nothing to compare
    words: str


def note(words):
    return Finding(None, words)


def percent(share):
    return f"{100 * share:.0f} %"


def joined(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def near(subject, ours, theirs, slack, whose="the paper's"):
    """Two numbers that should be no further apart than `slack`."""
    if ours is None or theirs is None:
        return None
    apart = abs(ours - theirs)
    if apart <= slack:
        return Finding(True, f"{subject} is {shown(ours)}, {whose} {shown(theirs)}: this agrees.")
    return Finding(
        False,
        f"{subject} is {shown(ours)}, {whose} {shown(theirs)}: this does not agree; they are "
        f"{shown(apart)} apart, and {shown(slack)} would pass.",
    )


def near_share(subject, ours, theirs, share, whose="the paper's"):
    """Two numbers that should differ by no more than a share of the paper's."""
    if ours is None or theirs is None:
        return None
    off = ours / theirs - 1 if theirs else math.inf
    if abs(off) <= share:
        return Finding(
            True, f"{subject} is {shown(ours)}, {whose} {shown(theirs)}: this agrees within {percent(share)}."
        )
    return Finding(
        False,
        f"{subject} is {shown(ours)}, {whose} {shown(theirs)}: this does not agree, it is "
        f"{percent(abs(off))} {'more' if off > 0 else 'less'}.",
    )


def near_factor(subject, ours, theirs, factor):
    """Two numbers that should differ by no more than a factor: for scenes that are only like the paper's."""
    if not ours or not theirs:
        return None
    times = max(ours / theirs, theirs / ours)
    words = f"{subject} is {shown(ours)}, the paper's {shown(theirs)}"
    if times <= factor:
        return Finding(True, f"{words}: this agrees within a factor of {shown(factor)}.")
    return Finding(False, f"{words}: this does not agree, they differ by a factor of {shown(times)}.")


def same_side(subject, ours, theirs, than="1"):
    """Two ratios that should lie on the same side of one."""
    if ours is None or theirs is None:
        return None
    agrees = (ours >= 1) == (theirs >= 1)
    words = f"{subject}: {shown(ours)} here, {shown(theirs)} in the paper"
    return Finding(
        agrees,
        words
        + (": this agrees in kind." if agrees else f": this does not agree, one is above {than} and the other below."),
    )


def all_cells(ours, theirs, experiment, share, subject, unit=None, columns=None):
    """How many of the paper's cells ours come near to, and which one does least."""
    pairs = []
    for c in theirs.cells(experiment, unit):
        value = ours.value(experiment, c.row, c.column, c.unit)
        if value is not None and (columns is None or c.column in columns):
            off = abs(math.log(value / c.value)) if value > 0 and c.value > 0 else (0 if value == c.value else math.inf)
            pairs.append((off, c, value))
    if not pairs:
        return None
    good = [p for p in pairs if p[0] <= math.log1p(share) + 1e-12]
    off, cell, value = max(pairs, key=lambda p: p[0])
    how = "equal the paper's" if share == 0 else f"are within {percent(share)} of the paper's"
    if len(good) == len(pairs):
        return Finding(True, f"All {len(pairs)} {subject} {how}.")
    return Finding(
        False,
        f"Of {len(pairs)} {subject}, {len(good)} {how}; furthest off is “{cell.row}”, {cell.column}: "
        f"{shown(value)} here, {shown(cell.value)} in the paper.",
    )


def ordered(subject, values, theirs):
    """Names from the least to the greatest value, here and in the paper."""
    names = [n for n in theirs if n in values]
    if len(names) < 2:
        return None
    here, there = sorted(names, key=values.get), sorted(names, key=theirs.get)
    if here == there:
        return Finding(True, f"{subject}, the order is the paper's: {joined(here)}.")
    return Finding(
        False, f"{subject}, the order is {joined(here)}; in the paper it is {joined(there)}: this does not agree."
    )


def slope(points):
    """Slope of a curve on logarithmic axes, by least squares."""
    logs = [(math.log10(x), math.log10(y)) for x, y in points if x > 0 and y > 0]
    mean_x, mean_y = (sum(p[i] for p in logs) / len(logs) for i in (0, 1))
    below = sum((p[0] - mean_x) ** 2 for p in logs)
    return sum((p[0] - mean_x) * (p[1] - mean_y) for p in logs) / below


def best_of(curves):
    """Where the geometric mean of several curves over the same x is least."""
    sums = {}
    for curve in curves:
        for x, y in curve:
            if y > 0:
                sums.setdefault(x, []).append(math.log(y))
    full = {x: sum(v) / len(v) for x, v in sums.items() if len(v) == len(curves)}
    return min(full, key=full.get) if full else None
