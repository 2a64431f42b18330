# SPDX-License-Identifier: Apache-2.0
"""Shows `script/bench gpu --json FILE` for bench/figures.py: a table, and a chart by the size of a batch."""

import math

from plot import COLOURS, GREY, picture, text

SERIES = (("kernel", "poses on the GPU"), ("through", "poses from the host and answers back"), ("cpu", "all cores of the CPU"))


def rate(x):
    return f"{x / 1e9:.2f} billion" if x >= 1e9 else f"{x / 1e6:.{0 if x >= 1e8 else 1}f} million"


def table(rows):
    head = ["scene", "numbers", "poses", "hits", "on the GPU", "from the host", "contacts counted", "CPU", "ratio", "wrong"]
    out = ["| " + " | ".join(head) + " |", "|---|---" + "|--:" * (len(head) - 2) + "|"]
    for r in rows:
        out.append("| " + " | ".join([
            r["scene"], "float" if r["floats"] else "double", f"{r['poses']:,}", f"{100 * r['hits']:.0f} %",
            rate(r["kernel"]), rate(r["through"]), rate(r["contacts"]), rate(r["cpu"]),
            f"{r['kernel'] / r['cpu']:.0f}×", str(r["wrong"])]) + " |")
    return "\n".join(out)


def chart(rows):
    """A chart of one scene's rows by the size of the batch. A rate that is known for one size only is a dashed line."""
    left, top, width, height = 70, 46, 560, 300
    x_of = lambda n: left + width * (math.log10(n) - 3) / 4
    y_of = lambda v: top + height * (1 - (math.log10(v) - 6) / 3.5)
    parts = [text(left, 24, "Queries per second by the size of a batch: two tori of 5,000 triangles", 'font-weight="600"')]
    for k in range(6, 10):
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y_of(10**k):.1f}" y2="{y_of(10**k):.1f}" stroke="#e5e7eb"/>')
        parts.append(text(left - 8, y_of(10**k) + 4, {6: "1 M", 7: "10 M", 8: "100 M", 9: "1 G"}[k], GREY, "end"))
    for k in range(3, 8):
        parts.append(text(x_of(10**k), top + height + 20, f"{10**k:,}", GREY, "middle"))
    for (key, name), colour in zip(SERIES, COLOURS):
        known = [(x_of(r["poses"]), y_of(r[key])) for r in rows if r[key]]
        dashed = ' stroke-dasharray="6 4"' if len(known) == 1 else ""
        if dashed:
            known = [(left, known[0][1]), (left + width, known[0][1])]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in known)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"{dashed}/>')
    for i, ((_, name), colour) in enumerate(zip(SERIES, COLOURS)):
        y = top + height + 46 + 20 * i
        parts.append(f'<rect x="{left}" y="{y - 9}" width="14" height="4" fill="{colour}"/>')
        parts.append(text(left + 22, y - 3, name, GREY))
    return picture(left + width + 60, top + height + 110, "Queries per second by the size of a batch", parts)

