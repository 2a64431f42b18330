#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Charts and tables from what `script/bench core|volumes|fronts|scene --json FILE` wrote.

bench/plot.py FILE CHART.svg               bars of the ratio to the peer
bench/plot.py --tightness FILE CHART.svg   what the nodes' distances are, by their size
bench/plot.py --table FILE                 the table, as Markdown
bench/plot.py --fronts FILE FOLDER         the curves of fronts, fronts-*.svg
bench/plot.py --scene FILE FOLDER          the curves of scenes, scenes-*.svg

bench/figures.py puts tables, and the charts of the README and of docs/gpu.md, into the pages.
"""

import json
import math
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
    "spheres-touching": "spheres that touch, first contact",
    "near-first": "meshes a hair apart, first contact",
    "touching-first": "meshes that touch, first contact",
    "deep-all": "meshes 1 % deep, all contacts",
    "cold-first": "cold caches, first contact",
    "build-1m": "build, 1M triangles, one thread",
}


def duration(us):
    unit, value = next(((u, us / s) for u, s in (("s", 1e6), ("ms", 1e3), ("µs", 1)) if us >= s), ("ns", us * 1e3))
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def title(row):
    return TITLES.get(row["scenario"], row["scenario"])


def text(at_x, at_y, words, style="", anchor="start"):
    return f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" {style}>{escape(words)}</text>'


GREY = 'fill="#6b7280" font-size="12"'


def picture(width, height, title, parts):
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif" font-size="13" '
        'fill="#1f2937" role="img">',
        "<title>" + escape(title) + "</title>",
        f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>',
    ]
    return "\n".join(head + parts + ["</svg>\n"])


def chart(rows):
    rows = [r for r in rows if "ratio" in r]
    left, scale_width, right, top, pitch, bar = 262, 330, 190, 62, 30, 18
    width, bottom = left + scale_width + right, top + pitch * len(rows)
    height = bottom + 40
    most = max(r["ratio"] for r in rows)
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if most / s <= 6)

    def x(ratio):
        return left + scale_width * ratio / most

    out = [
        text(20, 26, f"How many times faster than {rows[0]['peer']}", 'font-size="15" font-weight="600"'),
        text(20, 45, "one thread, one process, turn by turn; medians; the worst models of each kind", GREY),
        text(width - 20, 45, f"graze / {rows[0]['peer']}", GREY, "end"),
    ]
    ticks = [k * step for k in range(1, int(most / step) + 1)]
    for tick in ticks:
        out.append(f'<path d="M{x(tick):.1f} {top - 6}V{bottom}" stroke="#e5e7eb"/>')
        out.append(text(x(tick), bottom + 18, f"{tick}×", GREY, "middle"))
    for i, r in enumerate(rows):
        y = top + pitch * i + (pitch - bar) / 2
        base = y + bar / 2 + 4.5
        out.append(text(left - 12, base, title(r), anchor="end"))
        length = x(r["ratio"]) - left
        out.append(f'<rect x="{left}" y="{y:.1f}" width="{length:.1f}" height="{bar}" rx="2" fill="#0f766e"/>')
        out.append(text(x(r["ratio"]) + 8, base, f"{r['ratio']:.1f}×", 'font-weight="600"'))
        out.append(text(width - 20, base, f"{duration(r['ours_us'])} / {duration(r['peer_us'])}", GREY, "end"))
    # Where both are equally fast.
    out.append(f'<path d="M{x(1):.1f} {top - 6}V{bottom}" stroke="#b91c1c" stroke-dasharray="3 3"/>')
    out.append(text(x(1), bottom + 18, "1×", 'fill="#b91c1c" font-size="12"', "middle"))
    spoken = "; ".join(f"{title(r)}: {r['ratio']:.1f} times {r['peer']}" for r in rows)
    return picture(width, height, spoken, out)


COLOURS = ("#0f766e", "#b91c1c", "#1d4ed8", "#a16207", "#7e22ce", "#475569")


def tightness_chart(rows):
    """Two logarithmic plots side by side over the diameter: from the node's own triangles, and from the surface."""
    kinds = {}
    for r in rows:
        if r["scenario"].startswith("tightness-"):
            kinds.setdefault(r["scenario"].removeprefix("tightness-"), []).append(r)
    if not kinds:
        sys.exit("no tightness in the file")
    points = [r for rs in kinds.values() for r in rs]
    size, gap, left, top = 300, 70, 60, 84
    width, height = left + 2 * size + gap + 90, top + size + 50

    def decades(key):
        values = [r[key] for r in points]
        return math.log10(min(values)) - 0.05, math.log10(max(values)) + 0.05

    low_x, high_x = decades("diameter")
    low_y, high_y = min(decades("tightness")[0], decades("off_surface")[0]), decades("tightness")[1]
    out = [
        text(20, 26, "How far the volumes of a tree reach from what they hold", 'font-size="15" font-weight="600"'),
        text(20, 45, "a sphere of radius 1; means over the nodes of each level, by their diameter", GREY),
    ]
    for panel, (key, words) in enumerate((("tightness", "from the node's triangles (τ)"), ("off_surface", "from the surface"))):
        x0 = left + panel * (size + gap)

        def at(x, y):
            return (x0 + size * (math.log10(x) - low_x) / (high_x - low_x),
                    top + size * (high_y - math.log10(y)) / (high_y - low_y))

        out.append(text(x0, top - 12, words, 'font-weight="600"'))
        out.append(f'<rect x="{x0}" y="{top}" width="{size}" height="{size}" fill="none" stroke="#e5e7eb"/>')
        for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2):
            if low_x <= math.log10(tick) <= high_x:
                out.append(text(at(tick, 1)[0], top + size + 18, f"{tick:g}", GREY, "middle"))
            if low_y <= math.log10(tick) <= high_y:
                y = at(1, tick)[1]
                out.append(f'<path d="M{x0} {y:.1f}h{size}" stroke="#e5e7eb"/>')
                out.append(text(x0 - 8, y + 4, f"{tick:g}", GREY, "end"))
        for colour, (kind, rs) in zip(COLOURS, kinds.items()):
            places = [at(r["diameter"], r[key]) for r in rs]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    out.append(text(left + size + gap / 2, height - 12, "diameter of the node's triangles", GREY, "middle"))
    for i, (colour, kind) in enumerate(zip(COLOURS, kinds)):
        out.append(text(left + 2 * size + gap + 14, top + 16 + 20 * i, kind, f'fill="{colour}" font-weight="600"'))
    return picture(width, height, "Distances of the volumes by the diameter of what they hold", out)


def volumes_table(rows):
    lines = ["| scenario | graze | peer | its time | ratio | floor | box tests | triangle tests | wrong | checked |",
             "|---" + "|--:" * 9 + "|"]
    for r in rows:
        if not r.get("ours_us") or r["scenario"].startswith(("spheres-", "splits-")):
            continue
        cells = [f"`{r['scenario']}`", duration(r["ours_us"]), r.get("peer", "")]
        cells += [duration(r["peer_us"]), f"{r['ratio']:.2f}×"] if "ratio" in r else ["", ""]
        cells.append(f"{r['floor']:g}×" if r["floor"] else "")
        cells += [f"{r[k]:,.1f}" if r[k] else "" for k in ("box_tests", "triangle_tests")]
        cells += [str(r["wrong"]), str(r["checked"])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def core_table(rows):
    lines = [
        "| scenario | graze | FCL-OBB | ratio | floor | aim | box tests | triangle tests "
        "| wrong | FCL wrong | checked |",
        "|---" + "|--:" * 10 + "|",
    ]
    for r in rows:
        if "ratio" not in r:
            continue
        cells = [f"`{r['scenario']}`", duration(r["ours_us"]), duration(r["peer_us"]), f"{r['ratio']:.1f}×"]
        cells += [f"{r[k]:g}×" if r[k] else "" for k in ("floor", "aim")]
        tests = (r["box_tests"], r["triangle_tests"])
        cells += [f"{n:,.0f}" if n >= 10 else f"{n:.1f}" for n in tests] if any(tests) else ["", ""]
        cells += [str(r[k]) for k in ("wrong", "peer_wrong", "checked")]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def one_peer(rows):
    return len({r["peer"] for r in rows if "peer" in r}) == 1


def table(rows):
    lines = core_table(rows) if one_peer(rows) else volumes_table(rows)
    for r in rows:
        if "value" in r:
            lines.append(f"\n{r['scenario']}: {r['value']:.1f} (floor {r['floor']:g}, aim {r['aim']:g}: no more than)")
    disturbed = [r["scenario"] for r in rows if r.get("cpu_share", 1) < 0.97]
    if disturbed:
        lines.append("\nDisturbed by other programs, and so not reliable: " + ", ".join(disturbed) + ".")
    return "\n".join(lines) + "\n"


def main(arguments):
    import plot_fronts
    import plot_scene

    flags = [a for a in arguments if a in ("--table", "--tightness", "--fronts", "--scene")]
    paths = [a for a in arguments if a not in flags]
    as_table = flags == ["--table"]
    if len(flags) > 1 or len(paths) != (1 if as_table else 2):
        sys.exit(__doc__)
    with open(paths[0], encoding="utf-8") as file:
        rows = json.load(file)
    if flags != ["--tightness"] and not any("ratio" in r for r in rows):
        sys.exit(f"{paths[0]}: no scenario was measured against a peer")
    fronts, scene = plot_fronts.is_fronts(rows), plot_scene.is_scene(rows)
    make_table = plot_fronts.table if fronts else plot_scene.table if scene else table
    if flags in (["--fronts"], ["--scene"]):
        for name, draw in (plot_scene if scene else plot_fronts).CHARTS.items():
            with open(f"{paths[1]}/{name}", "w", encoding="utf-8") as file:
                file.write(draw(rows))
    elif not as_table:
        with open(paths[1], "w", encoding="utf-8") as file:
            file.write(tightness_chart(rows) if flags else chart(rows))
    else:
        print(make_table(rows), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
