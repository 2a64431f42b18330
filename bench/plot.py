#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chart and table from what `script/bench core --json FILE` wrote.

bench/plot.py FILE CHART.svg         bars of the ratio to the peer
bench/plot.py --table FILE           the table, as Markdown
bench/plot.py --table FILE PAGE.md   the same, put between the page's two `bench table` comments
"""

import json
import re
import sys
from html import escape

TITLES = {
    "random-first": "random placements, first contact",
    "random-all": "random placements, all contacts",
    "landscape-first": "torus in landscape, first contact",
    "landscape-all": "torus in landscape, all contacts",
    "spheres-1e-2": "concentric spheres, 1e-2 apart",
    "spheres-1e-3": "concentric spheres, 1e-3 apart",
    "spheres-3e-4": "concentric spheres, 3e-4 apart",
    "near-first": "meshes a hair apart, first contact",
    "build-1m": "build, 1M triangles, one thread",
}


def duration(us):
    unit, value = next(((u, us / s) for u, s in (("s", 1e6), ("ms", 1e3), ("µs", 1)) if us >= s), ("ns", us * 1e3))
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def title(row):
    return TITLES.get(row["scenario"], row["scenario"])


def chart(rows):
    rows = [r for r in rows if "ratio" in r]
    left, scale_width, right, top, pitch, bar = 262, 330, 190, 62, 30, 18
    width, bottom = left + scale_width + right, top + pitch * len(rows)
    height = bottom + 40
    most = max(r["ratio"] for r in rows)
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if most / s <= 6)

    def x(ratio):
        return left + scale_width * ratio / most

    def text(at_x, at_y, words, style="", anchor="start"):
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" {style}>{escape(words)}</text>'

    grey = 'fill="#6b7280" font-size="12"'
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif" font-size="13" '
        'fill="#1f2937" role="img">',
        "<title>" + escape("; ".join(f"{title(r)}: {r['ratio']:.1f} times FCL-OBB" for r in rows)) + "</title>",
        f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>',
        text(20, 26, f"How many times faster than {rows[0]['peer']}", 'font-size="15" font-weight="600"'),
        text(20, 45, "one thread, one process, turn by turn; medians", grey),
        text(width - 20, 45, f"graze / {rows[0]['peer']}", grey, "end"),
    ]
    ticks = [k * step for k in range(1, int(most / step) + 1)]
    for tick in ticks:
        out.append(f'<path d="M{x(tick):.1f} {top - 6}V{bottom}" stroke="#e5e7eb"/>')
        out.append(text(x(tick), bottom + 18, f"{tick}×", grey, "middle"))
    for i, r in enumerate(rows):
        y = top + pitch * i + (pitch - bar) / 2
        base = y + bar / 2 + 4.5
        out.append(text(left - 12, base, title(r), anchor="end"))
        length = x(r["ratio"]) - left
        out.append(f'<rect x="{left}" y="{y:.1f}" width="{length:.1f}" height="{bar}" rx="2" fill="#0f766e"/>')
        out.append(text(x(r["ratio"]) + 8, base, f"{r['ratio']:.1f}×", 'font-weight="600"'))
        out.append(text(width - 20, base, f"{duration(r['ours_us'])} / {duration(r['peer_us'])}", grey, "end"))
    # Where both are equally fast.
    out.append(f'<path d="M{x(1):.1f} {top - 6}V{bottom}" stroke="#b91c1c" stroke-dasharray="3 3"/>')
    out.append(text(x(1), bottom + 18, "1×", 'fill="#b91c1c" font-size="12"', "middle"))
    out.append("</svg>\n")
    return "\n".join(out)


def table(rows):
    lines = [
        "| scenario | graze | FCL-OBB | ratio | floor | aim | box tests | triangle tests "
        "| wrong | FCL wrong | checked |",
        "|---" + "|--:" * 10 + "|",
    ]
    for r in rows:
        if "ratio" not in r:
            continue
        cells = [f"`{r['scenario']}`", duration(r["ours_us"]), duration(r["peer_us"]), f"{r['ratio']:.1f}×"]
        cells += [f"{r['floor']:g}×", f"{r['aim']:g}×"]
        tests = (r["box_tests"], r["triangle_tests"])
        cells += [f"{n:,.0f}" if n >= 10 else f"{n:.1f}" for n in tests] if any(tests) else ["", ""]
        cells += [str(r[k]) for k in ("wrong", "peer_wrong", "checked")]
        lines.append("| " + " | ".join(cells) + " |")
    for r in rows:
        if "value" in r:
            lines.append(f"\n{r['scenario']}: {r['value']:.1f} (floor {r['floor']:g}, aim {r['aim']:g}: no more than)")
    disturbed = [r["scenario"] for r in rows if r.get("cpu_share", 1) < 0.97]
    if disturbed:
        lines.append("\nDisturbed by other programs, and so not reliable: " + ", ".join(disturbed) + ".")
    return "\n".join(lines) + "\n"


def main(arguments):
    as_table = "--table" in arguments
    paths = [a for a in arguments if a != "--table"]
    if not (1 <= len(paths) <= 2 if as_table else len(paths) == 2):
        sys.exit(__doc__)
    with open(paths[0], encoding="utf-8") as file:
        rows = json.load(file)
    if not any("ratio" in r for r in rows):
        sys.exit(f"{paths[0]}: no scenario was measured against a peer")
    if not as_table:
        with open(paths[1], "w", encoding="utf-8") as file:
            file.write(chart(rows))
    elif len(paths) == 1:
        print(table(rows), end="")
    else:
        with open(paths[1], encoding="utf-8") as file:
            page = file.read()
        between = r"(<!-- bench table -->\n).*?(<!-- end of bench table -->)"
        page, found = re.subn(between, lambda m: m[1] + "\n" + table(rows) + "\n" + m[2], page, flags=re.S)
        if found != 1:
            sys.exit(f"{paths[1]}: not one pair of `bench table` comments")
        with open(paths[1], "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main(sys.argv[1:])
