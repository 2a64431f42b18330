# SPDX-License-Identifier: Apache-2.0
"""Shows `script/bench fronts --json FILE` for bench/plot.py: curves, and tables beside those of the temporal
coherence paper (Tropp, Tal, Shimshoni and Dobkin)."""

import math
import re

from plot import COLOURS, GREY, duration, picture, text

SCENES = ("torus", "pipes", "hand", "flange")
REAL = ("tori", "alpha")
QUESTIONS = (("binary-obb", "all"), ("binary-aabb", "all"), ("wide-obb", "all"), ("wide-obb", "first"),
             ("wide-aabb", "all"), ("wide-aabb", "first"))
WORDS = {"binary": "binary tree", "wide": "wide tree", "obb": "oriented boxes", "aabb": "aligned boxes",
         "all": "all contacts", "first": "first contact"}

# Table 1: frames, median motion and share of motions above 0.1, aligned and oriented boxes.
PAPER_PATHS = {
    "torus": (3001, (0.018, 0.0), (0.018, 0.0)),
    "pipes": (3954, (0.133, 0.6152), (0.09, 0.4321)),
    "hand": (2528, (0.148, 0.6015), (0.147, 0.6015)),
    "flange": (1018, (0.16, 0.7148), (0.137, 0.629)),
}
# Table 2: times by row, of the original paths and of those interpolated at 0.03, in the order of SCENES.
PAPER_TIMES = {
    "obb": ((1550, 1150, 1300, 3355), (1143, 4389, 6110, 6894)),
    "obb fronted": ((748, 1050, 951, 1783), (674, 3449, 3006, 3878)),
    "aabb full": ((2834, 850, 1950, 2684), (1925, 4897, 7808, 7123)),
    "aabb": ((2200, 682, 1512, 2003), (1545, 3735, 6263, 5486)),
    "aabb fronted": ((1562, 672, 1381, 1812), (1231, 3480, 5634, 5283)),
}
# Section 5: where its curves are lowest.
PAPER_BEST = {("coherence", "obb"): 0.14, ("coherence", "aabb"): 0.2, ("prune", "obb"): 0.17, ("prune", "aabb"): 0.15,
              ("sprout", "obb"): math.inf}

# Tree, volume, scene, motion, question; setting and value.
NAME = re.compile(r"(wide|binary)-(\w+(?:-full)?)-(" + "|".join(SCENES + REAL) + r")-([a-z]+|[\d.]+)-(all|first)"
                  r"(?:-(\w+)-(.+))?$")


def is_fronts(rows):
    return any(NAME.match(r["scenario"]) for r in rows)


class Results:
    def __init__(self, rows):
        self.rows = rows
        self.by_name = {r["scenario"]: r for r in rows}
        found = [m for m in (NAME.match(r["scenario"]) for r in rows) if m]
        self.sizes = sorted({m[4] for m in found if m[4][0].isdigit()}, key=float)

    def get(self, tree, scene, pace, question="all"):
        return self.by_name.get(f"{tree}-{scene}-{pace}-{question}")

    def ratio(self, *name):
        row = self.get(*name)
        return row["ratio"] if row else None

    def study(self, tree, scene, setting):
        """The values of a setting, and the time by each relative to plain."""
        points = []
        for r in self.rows:
            m = NAME.match(r["scenario"])
            if m and (f"{m[1]}-{m[2]}", m[3], m[6]) == (tree, scene, setting):
                points.append((float(m[7]), 1 / r["ratio"]))
        return sorted(points)


def times(x):
    return "" if x is None else f"{x:.2f}"


def markdown(head, rows):
    return ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|",
            *("| " + " | ".join(r) + " |" for r in rows), ""]


def paths_table(results):
    out = []
    for scene in SCENES:
        frames, aligned, oriented = PAPER_PATHS[scene]
        row = [scene, f"{frames:,}", f"{aligned[0]:g} / {oriented[0]:g}", f"{aligned[1]:.0%} / {oriented[1]:.0%}"]
        for path in ("original", "uneven"):
            r = results.by_name.get(f"path-{scene}-{path}")
            row += [f"{r['median']:.3f}", f"{r['large']:.0%}"] if r else ["", ""]
            if path == "original":
                row.insert(4, f"{r['frames']:,.0f}" if r else "")
        out.append(row)
    return markdown(["path", "paper: frames", "median motion, AABB / OBB", "above 0.1", "ours: frames", "median motion",
                     "above 0.1", "every few frames: median", "above 0.1"], out)


def paper_table(results):
    def paper(plain, fronted, column):
        return [times(p / f) for p, f in zip(PAPER_TIMES[plain][column], PAPER_TIMES[fronted][column])]

    def ours(tree, pace):
        return [times(results.ratio(tree, s, pace)) for s in SCENES]

    def lite(pace):
        """The plain query on all axes over the plain one without the edges'."""
        out = []
        for s in SCENES:
            full, plain = results.get("binary-aabb-full", s, pace), results.get("binary-aabb", s, pace)
            out.append(times(full["peer_us"] / plain["peer_us"]) if full and plain else "")
        return out

    rows = []
    for words, column, pace in (("original", 0, "original"), ("original, every few frames", 0, "uneven"),
                                ("0.03", 1, "0.03")):
        for kind, plain, fronted, mine in (
            ("OBB", "obb", "obb fronted", ours("binary-obb", pace)),
            ("AABB lite", "aabb", "aabb fronted", ours("binary-aabb", pace)),
            ("AABB, all axes", "aabb full", "aabb fronted", ours("binary-aabb-full", pace)),
            ("AABB, all axes over lite, both plain", "aabb full", "aabb", lite(pace)),
        ):
            theirs = paper(plain, fronted, column)
            cells = [f"**{o}** ({t})" if o else f"({t})" for o, t in zip(mine, theirs)]
            rows.append([words, kind, *cells])
    return markdown(["path", "plain over fronted", *SCENES], rows)


def sizes_table(results):
    rows = []
    for tree, question in QUESTIONS:
        for scene in SCENES + REAL:
            cells = [times(results.ratio(tree, scene, p, question)) for p in ("original", "uneven", *results.sizes)]
            plain = results.get(tree, scene, "original", question) or results.get(tree, scene, "0.005", question)
            if any(cells):
                rows.append([f"`{tree}` {question}, {scene}", duration(plain["peer_us"]) if plain else "", *cells])
    return markdown(["", "plain", "original", "uneven", *results.sizes], rows)


def work_table(results):
    """The cost of a frame, and the memory of a front."""
    rows = []
    for tree, pace in (("binary-obb", "0.03"), ("binary-aabb", "0.03"), ("binary-sphere", "0.03"),
                       ("binary-dop14", "0.03"), ("binary-dop18", "0.03"), ("binary-dop26", "0.03"),
                       ("wide-obb", "0.005"), ("wide-aabb", "0.005")):
        for scene in SCENES:
            r = results.get(tree, scene, pace)
            if not r:
                continue
            count = [f"{r[k]:,.0f}" for k in ("plain_box_tests", "plain_triangle_tests", "kept", "axis_tests",
                                              "box_tests", "triangle_tests", "front_pairs")]
            rows.append([f"`{tree}` {pace}, {scene}", duration(r["peer_us"]), duration(r["ours_us"]),
                         times(r["ratio"]), *count, f"{r['front_bytes'] / 1024:,.0f}"])
    return markdown(["", "plain", "fronted", "ratio", "plain: boxes", "triangles", "kept", "axis tests", "boxes",
                     "triangles", "pairs held", "KiB"], rows)


def best_table(results):
    """Geometric means over the scenes, for each setting."""
    rows = []
    for setting in ("coherence", "prune", "sprout"):
        for tree in ("binary-obb", "binary-aabb", "wide-obb"):
            sums = {}
            for scene in SCENES:
                for value, time in results.study(tree, scene, setting):
                    sums.setdefault(value, []).append(math.log(time))
            means = {v: math.exp(sum(t) / len(t)) for v, t in sums.items()}
            if means:
                best = min(means, key=means.get)
                theirs = PAPER_BEST.get((setting, tree.split("-")[1])) if tree.startswith("binary") else None
                rows.append([f"{setting}, `{tree}`", "" if theirs is None else number(theirs), number(best),
                             ", ".join(f"{number(v)}: {t:.2f}" for v, t in sorted(means.items()))])
    return markdown(["setting", "paper's best", "our best", "time over plain, geometric mean of the scenes"], rows)


def number(x):
    return "∞" if math.isinf(x) else f"{x:g}"


def table(rows):
    results = Results(rows)
    lines = []
    for words, part in (
        ("Motion per frame of the paths: the paper's (table 1) and ours.", paths_table),
        ("Speed-up by a front on binary trees: **ours** (the paper's, table 2).", paper_table),
        ("Speed-up by a front at each motion size. `plain` is the time of the plain query on the original path (alpha: at 0.005).",
         sizes_table),
        ("Work per frame: what the plain query does, and what is left of it with a front.", work_table),
        ("Time over plain by the thresholds of `FrontSettings`.", best_table),
    ):
        lines += [words, "", *part(results)]
    below = [f"`{r['scenario']}` {r['ratio']:.2f} ({r['floor']:g})" for r in rows
             if "ratio" in r and r["ratio"] < r["floor"]]
    frames = sum(r["checked"] for r in rows)
    wrong = sum(r["wrong"] for r in rows)
    lines.append(f"Answers compared with the plain query's: {frames:,}, wrong: {wrong}.")
    if below:
        lines.append("Below their floors: " + ", ".join(below) + ".")
    return "\n".join(lines) + "\n"


class Panel:
    """A plot with a logarithmic axis of x and either kind of y."""

    def __init__(self, x0, y0, width, height, xs, ys, log_y):
        self.box = (x0, y0, width, height)
        # An infinite value gets a place of its own at the right.
        finite = [x for x in xs if not math.isinf(x)]
        self.endless = len(finite) < len(xs)
        self.low_x = math.log(min(finite))
        self.high_x = max(math.log(max(finite)), self.low_x + 0.1)
        self.log_y = log_y
        self.low_y, self.high_y = (math.log(y) if log_y else y for y in ys)

    def at(self, x, y):
        x0, y0, width, height = self.box
        if math.isinf(x):
            px = x0 + width - 14
        else:
            inner = width - 24 - (34 if self.endless else 0)
            px = x0 + 12 + inner * (math.log(x) - self.low_x) / (self.high_x - self.low_x)
        y = math.log(y) if self.log_y else y
        return px, y0 + height * (self.high_y - min(max(y, self.low_y), self.high_y)) / (self.high_y - self.low_y)

    def frame(self, title, x_ticks, y_ticks, unit):
        x0, y0, width, height = self.box
        out = [text(x0, y0 - 9, title, 'font-weight="600"')]
        for tick in y_ticks:
            y = self.at(1, tick)[1]
            out.append(f'<path d="M{x0} {y:.1f}h{width}" stroke="{"#9ca3af" if tick == 1 else "#e5e7eb"}"/>')
            out.append(text(x0 - 6, y + 4, f"{tick:g}{unit}", GREY, "end"))
        for tick in x_ticks:
            out.append(text(self.at(tick, 1)[0], y0 + height + 16, number(tick), GREY, "middle"))
        out.append(f'<rect x="{x0}" y="{y0}" width="{width}" height="{height}" fill="none" stroke="#d1d5db"/>')
        return out

    def curve(self, points, colour):
        if not points:
            return []
        places = [self.at(*p) for p in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        return [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>',
                *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in places)]


def legend(x, y, paper):
    out = []
    for colour, scene in zip(COLOURS, SCENES):
        out.append(f'<path d="M{x} {y - 4}h18" stroke="{colour}" stroke-width="2.4"/>')
        out.append(text(x + 24, y, scene))
        x += 36 + 8 * len(scene)
    out.append(text(x + 4, y, paper, GREY))
    return out


def motion_chart(rows):
    """Figures 8 and 9, and the same for the wide tree."""
    results = Results(rows)
    width, height, gap_x, gap_y, left, top = 330, 210, 62, 62, 52, 108
    full = (left + 2 * width + gap_x + 20, top + 2 * height + gap_y + 46)
    out = [text(20, 26, "Times as fast with a front, by motion a frame", 'font-size="15" font-weight="600"'),
           text(20, 45, "motion relative to the moving object's size; plain query's time over fronted query's", GREY),
           *legend(20, 66, "hollow: the paper's table 2")]
    for i, (tree, question) in enumerate(QUESTIONS[:4]):
        kind, volume = tree.split("-")
        curves = {s: [(float(z), results.ratio(tree, s, z, question)) for z in results.sizes
                      if results.get(tree, s, z, question)] for s in SCENES}
        values = [y for points in curves.values() for _, y in points]
        if not values:
            continue
        high = max(2.2, max(values) * 1.15)
        low = min(0.8, min(values) / 1.05)
        panel = Panel(left + i % 2 * (width + gap_x), top + i // 2 * (height + gap_y), width, height,
                      [float(z) for z in results.sizes], (low, high), True)
        ticks = [t for t in (0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100) if low <= t <= high]
        if len(ticks) > 8:
            ticks = [t for t in ticks if t not in (0.7, 1.5, 3)]
        out += panel.frame(f"{WORDS[kind]}, {WORDS[volume]}, {WORDS[question]}",
                           [t for t in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1)
                            if float(results.sizes[0]) <= t <= float(results.sizes[-1])], ticks, "×")
        for k, (colour, scene) in enumerate(zip(COLOURS, SCENES)):
            out += panel.curve(curves[scene], colour)
            if kind == "binary":
                x, y = panel.at(0.03, PAPER_TIMES[volume][1][k] / PAPER_TIMES[volume + " fronted"][1][k])
                out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="none" stroke="{colour}"/>')
    return picture(*full, "Ratio of the plain query's time to the fronted query's by motion size", out)


def settings_chart(rows):
    """Figures 4 to 6."""
    results = Results(rows)
    trees = ("binary-obb", "binary-aabb", "wide-obb")
    width, height, gap_x, gap_y, left, top = 230, 150, 50, 62, 48, 108
    full = (left + 3 * width + 2 * gap_x + 20, top + 3 * height + 2 * gap_y + 40)
    out = [text(20, 26, "Time with a front over time without, by its settings", 'font-size="15" font-weight="600"'),
           text(20, 45, "coherence: paths of the paper's median motion, wide tree: as simulated; "
                "sprout and prune: motion 0.03, wide tree 0.005", GREY),
           *legend(20, 66, "dashed: the paper's best")]
    for i, setting in enumerate(("coherence", "sprout", "prune")):
        for j, tree in enumerate(trees):
            curves = {s: results.study(tree, s, setting) for s in SCENES}
            points = [p for c in curves.values() for p in c]
            if not points:
                continue
            kind, volume = tree.split("-")
            low, high = min(0.5, min(y for _, y in points) - 0.05), min(3.0, max(1.1, max(y for _, y in points) + 0.05))
            xs = sorted({x for x, _ in points})
            panel = Panel(left + j * (width + gap_x), top + i * (height + gap_y), width, height, xs, (low, high), False)
            step = 0.25 if high - low < 1.2 else 0.5
            ticks = [k * step for k in range(1, 9) if low <= k * step <= high]
            last = max(x for x in xs if not math.isinf(x))
            marks = [x for x in (0.01, 0.03, 0.1, 0.3, 1, 3, 10) if xs[0] <= x <= last]
            out += panel.frame(f"{setting}: {WORDS[kind]}, {'OBB' if volume == 'obb' else 'AABB'}",
                               marks + [x for x in xs if math.isinf(x)], ticks, "")
            best = PAPER_BEST.get((setting, volume))
            if kind == "binary" and best and (best in xs or xs[0] <= best <= last):
                x = panel.at(best, 1)[0]
                y0 = panel.box[1]
                out.append(f'<path d="M{x:.1f} {y0}v{height}" stroke="#4b5563" stroke-dasharray="4 3"/>')
            for colour, scene in zip(COLOURS, SCENES):
                out += panel.curve(curves[scene], colour)
    return picture(*full, "Time with a front over time without, by coherence, sprout and prune threshold", out)


CHARTS = {"fronts-motion.svg": motion_chart, "fronts-settings.svg": settings_chart}
