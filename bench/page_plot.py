# SPDX-License-Identifier: Apache-2.0
"""Small charts for bench/page.py. Their colours come from CSS, so that they follow the light or the dark scheme."""

import math
from html import escape

from page_data import shown

COLOURS = 12
STYLE = """
.chart{--ink:#1f2937;--faint:#6b7280;--line:#e5e7eb;--c0:#0f766e;--c1:#c2410c;--c2:#1d4ed8;--c3:#a16207;--c4:#7e22ce;
--c5:#be123c;--c6:#4d7c0f;--c7:#475569;--c8:#14b8a6;--c9:#f59e0b;--c10:#ec4899;--c11:#78350f;--card:#fff}
@media (prefers-color-scheme:dark){.chart{--ink:#e5e7eb;--faint:#9ca3af;--line:#374151;--c0:#2dd4bf;--c1:#fb923c;
--c2:#60a5fa;--c3:#facc15;--c4:#c084fc;--c5:#fb7185;--c6:#a3e635;--c7:#94a3b8;--c8:#0d9488;--c9:#b45309;
--c10:#f9a8d4;--c11:#d6d3d1;--card:#111827}}
.chart{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,"DejaVu Sans",sans-serif;fill:var(--ink)}
.chart text{paint-order:stroke;stroke:var(--card);stroke-width:3px;stroke-linejoin:round}
.chart .faint{fill:var(--faint)}.chart .grid{stroke:var(--line);fill:none}.chart .title{font-weight:600;font-size:13px}
.chart .one{stroke:var(--faint);fill:none}
""" + "".join(
    f".chart .s{i}{{stroke:var(--c{i});fill:none;stroke-width:1.8}}.chart .d{i}{{fill:var(--c{i})}}\n"
    for i in range(COLOURS)
)

WIDTH = 360


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>'


def picture(height, title, parts):
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">\n' + "\n".join(parts) + "\n</svg>"
    )


def alone(svg):
    """A picture as a file of its own."""
    head, rest = svg.split(">\n", 1)
    return f'{head}>\n<style>{STYLE}</style>\n<rect width="100%" height="100%" style="fill:var(--card)"/>\n{rest}\n'


class Axis:
    """Numbers to places. A logarithmic axis shows positive numbers only."""

    def __init__(self, values, start, end, logarithmic, zero=False):
        self.logarithmic, self.start, self.end = logarithmic, start, end
        values = [self.scaled(v) for v in values if self.fits(v)]
        low, high = (min(values), max(values)) if values else (0, 1)
        if zero and not logarithmic:
            low = min(low, 0)
        margin = 0.04 * (high - low) or 0.5
        self.low, self.high = low - (0 if zero and low == 0 else margin), high + margin

    def fits(self, v):
        return math.isfinite(v) and (v > 0 or not self.logarithmic)

    def scaled(self, v):
        return math.log10(v) if self.logarithmic else v

    def at(self, v):
        return self.start + (self.end - self.start) * (self.scaled(v) - self.low) / (self.high - self.low)

    def ticks(self, most=6):
        span = self.high - self.low
        if not self.logarithmic:
            step = 10.0 ** math.floor(math.log10(span))
            step = next(s * step for s in (0.1, 0.2, 0.5, 1, 2, 5) if span / (s * step) <= most)
            return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        for marks in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
            out = [m * 10.0**k for k in range(math.floor(self.low), math.ceil(self.high) + 1) for m in marks]
            out = [t for t in out if self.low <= math.log10(t) <= self.high]
            if len(out) <= most:
                return out
        return out[:: math.ceil(len(out) / most)]


def short(value):
    """A number for an axis."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:g}M"
    if size >= 1e4:
        return f"{value / 1e3:g}k"
    return f"{value:.0e}".replace("e-0", "e-") if 0 < size < 1e-3 else f"{float(f'{value:.6g}'):g}"


def legend(names, y, dotted=False):
    """Lines of coloured names, and the height after them."""
    out, x = [], 8.0
    for i, name in enumerate(names):
        width = 24 + 6.8 * len(name)
        if x + width > WIDTH and x > 8:
            x, y = 8.0, y + 16
        mark = f'<path d="M{x:.0f} {y - 4:.0f}h14" class="s{i % COLOURS}"/>'
        out.append(f'<circle cx="{x + 9:.0f}" cy="{y - 4:.0f}" r="4.2" class="d{i % COLOURS}"/>' if dotted else mark)
        out.append(text(x + 18, y, name))
        x += width + 6
    return out, y + 8


def curves(title, series, x_name, y_name, log_x=True, log_y=True, level=None, marks=(), caption=""):
    """Curves through points: series is a list of (name, points). `level` is drawn as a line across; `marks` are
    (x, y, name, which curve), drawn hollow: the paper's points. A mark without y is a dashed line upwards."""
    parts, top = [text(8, 16, title, "title")], 34
    lines, top = legend([name for name, _ in series], top)
    parts += lines
    left, right, height = 52, WIDTH - 10, 190
    top += 18
    points = [p for _, c in series for p in c]
    x = Axis([p[0] for p in points] + [m[0] for m in marks], left, right, log_x)
    y = Axis(
        [p[1] for p in points] + [m[1] for m in marks if m[1]] + ([level] if level else []),
        top + height,
        top,
        log_y,
        zero=not log_y,
    )
    for tick in y.ticks():
        parts.append(f'<path d="M{left} {y.at(tick):.1f}H{right}" class="grid"/>')
        parts.append(text(left - 5, y.at(tick) + 4, short(tick), "faint", "end"))
    for tick in x.ticks():
        parts.append(f'<path d="M{x.at(tick):.1f} {top}v{height}" class="grid"/>')
        parts.append(text(x.at(tick), top + height + 15, short(tick), "faint", "middle"))
    if level is not None:
        parts.append(f'<path d="M{left} {y.at(level):.1f}H{right}" class="one"/>')
    for i, (name, curve) in enumerate(series):
        places = [(x.at(a), y.at(b), a, b) for a, b in curve if x.fits(a) and y.fits(b)]
        if not places:
            continue
        parts.append(f'<path d="M{"L".join(f"{p[0]:.1f} {p[1]:.1f}" for p in places)}" class="s{i % COLOURS}"/>')
        parts += [
            f'<circle cx="{p[0]:.1f}" cy="{p[1]:.1f}" r="2.4" class="d{i % COLOURS}"><title>'
            f"{escape(name)}: {shown(p[2])}, {shown(p[3])}</title></circle>"
            for p in places
        ]
    for at_x, at_y, name, which in marks:
        label = f"<title>{escape(name)}</title>"
        if at_y is None:
            parts.append(
                f'<path d="M{x.at(at_x):.1f} {top}v{height}" class="s{which % COLOURS}" '
                f'stroke-dasharray="4 4">{label}</path>'
            )
        else:
            parts.append(
                f'<circle cx="{x.at(at_x):.1f}" cy="{y.at(at_y):.1f}" r="5.5" '
                f'class="s{which % COLOURS}">{label}</circle>'
            )
    parts.append(text((left + right) / 2, top + height + 32, x_name, "faint", "middle"))
    if caption:
        parts.append(text((left + right) / 2, top + height + 48, caption, "faint", "middle"))
    parts.append(text(8, top - 6, y_name, "faint"))
    return picture(top + height + (56 if caption else 40), title, parts)


def bars(title, rows, unit):
    """Bars from zero: rows are (name, value, the paper's value or None)."""
    parts = [text(8, 16, title, "title")]
    top, pitch, left, right = 28, 26, 8, WIDTH - 12
    x = Axis([v for r in rows for v in r[1:] if v is not None] + [0], left, right, False, zero=True)
    for i, (name, value, paper) in enumerate(rows):
        y = top + pitch * i
        parts.append(text(left, y + 9, f"{name}: {shown(value)}{unit}"))
        parts.append(
            f'<rect x="{x.at(0):.1f}" y="{y + 12}" width="{max(0.5, x.at(value) - x.at(0)):.1f}" height="7" '
            'rx="1" class="d0"/>'
        )
        if paper is not None:
            parts.append(
                f'<path d="M{x.at(paper):.1f} {y + 10}v11" class="s1"><title>the paper\'s: '
                f"{shown(paper)}{escape(unit)}</title></path>"
            )
    return picture(top + pitch * len(rows) + 8, title, parts)


def dots(title, rows, names, x_name):
    """A line of dots per row, on a logarithmic axis: rows are (name, {column: value}), `names` the order of columns."""
    parts = [text(8, 16, title, "title")]
    lines, top = legend(names, 34, dotted=True)
    parts += lines
    left, right, pitch = 12, WIDTH - 14, 34
    top += 8
    x = Axis([v for _, values in rows for v in values.values()] + [1], left, right, True)
    bottom = top + pitch * len(rows)
    for tick in x.ticks():
        parts.append(f'<path d="M{x.at(tick):.1f} {top}V{bottom}" class="{"one" if tick == 1 else "grid"}"/>')
        parts.append(text(x.at(tick), bottom + 15, short(tick) + "×", "faint", "middle"))
    for i, (row, values) in enumerate(rows):
        y = top + pitch * i
        parts.append(text(left, y + 12, row))
        parts.append(f'<path d="M{left} {y + 23}H{right}" class="grid"/>')
        for k, name in enumerate(names):
            if name in values and x.fits(values[name]):
                parts.append(
                    f'<circle cx="{x.at(values[name]):.1f}" cy="{y + 23}" r="4.2" class="d{k % COLOURS}"><title>'
                    f"{escape(name)}: {shown(values[name])}×</title></circle>"
                )
    parts.append(text((left + right) / 2, bottom + 32, x_name, "faint", "middle"))
    return picture(bottom + 40, title, parts)
