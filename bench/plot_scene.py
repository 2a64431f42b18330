# SPDX-License-Identifier: Apache-2.0
"""Shows `script/bench scene --json FILE` for bench/plot.py: tables, and curves after the graphs of the I-COLLIDE
paper (Lin, Manocha, Cohen and Gottschalk)."""

import math

from plot import COLOURS, GREY, duration, picture, text

STAGES = (("placing", "move_us"), ("boxes and pairs", "broad_us"), ("hulls", "hull_us"), ("trees", "tree_us"))
SWEEPS = (("objects", "objects"), ("triangles", "triangles an object"), ("room", "room of an object, in radii"),
          ("velocity", "way a frame, in radii"), ("degrees", "degrees a frame"), ("sparse", "objects, 30 times less dense"))


def is_scene(rows):
    return any("boxes_out" in r for r in rows)


def named(rows, prefix):
    return [r for r in rows if r["scenario"].startswith(prefix)]


def markdown(head, rows):
    return ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|",
            *("| " + " | ".join(r) + " |" for r in rows), ""]


def pairs(r):
    return " → ".join(f"{r[k]:,.0f}" for k in ("boxes_out", "hulls_out", "touching"))


def stages(r):
    return [duration(r[key]) if r[key] > 0 else "" for _, key in STAGES]


def peer_table(rows):
    out = []
    for r in named(rows, "crowd-") + named(rows, "feeder-"):
        peer = [duration(r["peer_us"]), f"{r['ratio']:.1f}×", f"{r['floor']:g}×" if r["floor"] else "",
                f"{r['wrong']} / {r['peer_wrong']}"] if "ratio" in r else [""] * 4
        out.append([f"`{r['scenario']}`", pairs(r), duration(r["ours_us"]), *stages(r), *peer])
    return markdown(["scene", "pairs: boxes → hulls → touching", "per frame", *(words for words, _ in STAGES), "FCL",
                     "ratio", "floor", "wrong, ours / FCL's"], out)


def growth_table(rows):
    out = [[f"{r['objects']:,.0f}", pairs(r), duration(r["ours_us"]), *stages(r),
            f"{1e3 * r['ours_us'] / r['objects']:,.0f} ns", f"{r['bytes_per_object']:,.0f}"]
           for r in named(rows, "clear-") + named(rows, "growth-") if "objects" in r]
    lines = markdown(["objects", "pairs", "per frame", *(words for words, _ in STAGES), "per object", "bytes per object"], out)
    for r in named(rows, "growth-ratio"):
        lines += [f"Ten times as many objects in contact take {r['value']:.1f} times as long (no more than "
                  f"{r['floor']:g}).", ""]
    return lines


def variants_table(rows):
    scenes = ("crowd", "sparse", "feeder")
    by_name = {r["scenario"]: r for r in rows}
    words = [r["scenario"].removeprefix("variant-crowd-") for r in named(rows, "variant-crowd-")]
    out = []
    for word in words:
        cells = [word]
        for scene in scenes:
            r = by_name.get(f"variant-{scene}-{word}")
            cells += [duration(r["ours_us"]), duration(r["broad_us"])] if r else ["", ""]
        out.append(cells)
    return markdown(["", *(w for s in scenes for w in (s, "of that boxes and pairs"))], out)


def threads_table(rows):
    out = [[r["scenario"].removeprefix("threads-"), duration(r["peer_us"]), duration(r["ours_us"]), f"{r['ratio']:.2f}×"]
           for r in named(rows, "threads-")]
    return markdown(["", "one thread", "two", "ratio"], out)


def table(rows):
    parts = [peer_table(rows)]
    for prefix, make in (("clear-", growth_table), ("variant-", variants_table), ("threads-", threads_table)):
        if named(rows, prefix):
            parts.append(make(rows))
    return "\n".join(line for part in parts for line in part)


def panel(x0, y0, size, title, curves, logarithmic, unit):
    """Curves of one colour each through points (x, y); both axes logarithmic, or both from 0."""
    points = [p for _, _, c in curves for p in c]

    def scale(values):
        if not logarithmic:
            return 0, max(values) * 1.05 or 1
        return math.log10(min(values)) - 0.05, math.log10(max(values)) + 0.1

    low_x, high_x = scale([x for x, _ in points])
    low_y, high_y = scale([y for _, y in points])

    def at(x, y):
        if logarithmic:
            x, y = math.log10(x), math.log10(y)
        return x0 + size * (x - low_x) / (high_x - low_x), y0 + size * (high_y - y) / (high_y - low_y)

    out = [text(x0, y0 - 10, title, 'font-weight="600"'),
           f'<rect x="{x0}" y="{y0}" width="{size}" height="{size}" fill="none" stroke="#e5e7eb"/>']
    for x in sorted({x for x, _ in points}):
        if logarithmic or x in (min(points)[0], max(points)[0]) or len(points) < 8:
            words = f"{x / 1000:g}k" if x >= 1000 else f"{x:g}"
            out.append(text(at(x, points[0][1])[0], y0 + size + 16, words, GREY, "middle"))
    if logarithmic:
        steps = (1, 2, 5) if high_y - low_y < 1.2 else (1,)
        ticks = [m * 10.0**k for k in range(math.floor(low_y), math.ceil(high_y)) for m in steps]
        ticks = [t for t in ticks if low_y <= math.log10(t) <= high_y]
    else:
        ticks = [high_y / 1.05 * k / 2 for k in (0, 1, 2)]
    for tick in ticks:
        y = at(points[0][0], tick)[1]
        out.append(f'<path d="M{x0} {y:.1f}h{size}" stroke="#e5e7eb"/>')
        out.append(text(x0 - 6, y + 4, duration(tick) if tick else "0", GREY, "end"))
    for colour, dash, curve in curves:
        places = [at(*p) for p in curve]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2" {dash}/>')
        if not dash:
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    out.append(text(x0 + size / 2, y0 + size + 34, unit, GREY, "middle"))
    return out


def clear_chart(rows):
    """Time of an update with nothing touching, by stages and the number of objects."""
    rows = named(rows, "clear-")
    size, left, top = 340, 80, 76
    kinds = [("all", "ours_us")] + [s for s in STAGES if all(r[s[1]] > 0 for r in rows)]
    curves = [(colour, "", [(r["objects"], r[key]) for r in rows]) for colour, (_, key) in zip(COLOURS, kinds)]
    first, last = rows[0], rows[-1]
    even = [(r["objects"], first["ours_us"] * r["objects"] / first["objects"]) for r in (first, last)]
    curves.append(("#9ca3af", 'stroke-dasharray="4 4"', even))
    out = [text(20, 26, "Time of an update with nothing touching", 'font-size="15" font-weight="600"'),
           text(20, 45, "all objects move and turn; one thread; dashed: in proportion to their number", GREY)]
    out += panel(left, top, size, "", curves, True, "objects")
    for i, (colour, (words, _)) in enumerate(zip(COLOURS, kinds)):
        out.append(text(left + size + 16, top + 16 + 20 * i, words, f'fill="{colour}" font-weight="600"'))
    return picture(left + size + 150, top + size + 50, "Time of an update with nothing touching", out)


def sweeps_chart(rows):
    """The paper's graphs: fixed and dynamic boxes by one parameter each."""
    size, gap, left, top = 190, 80, 80, 84
    out = [text(20, 26, "Fixed and dynamic boxes, with sorted lists", 'font-size="15" font-weight="600"'),
           text(20, 45, "time of an update; 1,000 objects of 1,000 triangles unless the axis says otherwise", GREY)]
    for i, (name, unit) in enumerate(SWEEPS):
        mine = named(rows, f"sweep-{name}-")
        if not mine:
            continue
        curves = [(colour, "", [(r["value"], r[key]) for r in mine])
                  for colour, key in zip(COLOURS, ("ours_us", "peer_us"))]
        logarithmic = name in ("objects", "triangles", "sparse")
        out += panel(left + i % 3 * (size + gap), top + i // 3 * (size + 80), size, name, curves, logarithmic, unit)
    for i, words in enumerate(("dynamic boxes", "fixed boxes")):
        out.append(text(left + 2 * (size + gap), 26 + 19 * i, words, f'fill="{COLOURS[i]}" font-weight="600"'))
    return picture(left + 3 * size + 2 * gap + 30, top + 2 * size + 80 + 50, "Fixed and dynamic boxes by parameter", out)


CHARTS = {"scenes-clear.svg": clear_chart, "scenes-sweeps.svg": sweeps_chart}
