// SPDX-License-Identifier: Apache-2.0
// Disks swept along curves, as triangles. web-ifc ignores where a sweep starts and ends, and its inner radius.
import {ifc, numbers} from './structure.mjs';
import {cross, dot, gap, length, minus, points_along, sagitta_along, size_of, trimmed, unit} from './paths.mjs';

/// The cosine of the sharpest bend that is mitred.
const sharpest = -0.9;

const along = (p, s, v) => p.map((x, d) => x + s * v[d]);

/// A polyline with its corners rounded, as points.
function filleted(points, radius, segments) {
    const out = [points[0]];
    let sagitta = 0;
    for (let i = 1; i + 1 < points.length; ++i) {
        const back = unit(minus(points[i - 1], points[i])), on = unit(minus(points[i + 1], points[i]));
        const half = Math.acos(Math.max(-1, Math.min(1, dot(back, on)))) / 2, turn = Math.PI - 2 * half;
        if (!(turn > 1e-6)) { out.push(points[i]); continue; }
        const steps = Math.max(1, Math.ceil(segments * turn / (2 * Math.PI))), reach = radius / Math.tan(half);
        if (reach > Math.min(...[-1, 1].map((k) => length(minus(points[i], points[i + k]))))) return null;
        const first = along(points[i], reach, back), inward = unit(minus(on, back.map((x) => x * dot(on, back))));
        const centre = along(first, radius, inward);
        for (let k = 0; k <= steps; ++k) {
            const angle = turn * k / steps;
            out.push(along(along(centre, -radius * Math.cos(angle), inward), -radius * Math.sin(angle), back));
        }
        sagitta = Math.max(sagitta, radius * (1 - Math.cos(turn / steps / 2)));
    }
    return {points: [...out, points.at(-1)], sagitta};
}

/// Rings of points around the way, mitred where it bends. Null where a bend is too sharp.
function rings(points, closed, first_tangent, last_tangent, radius, segments) {
    const n = points.length, ways = [];
    for (let i = 0; i + 1 < n; ++i) ways.push(unit(minus(points[i + 1], points[i])));
    if (closed) ways.push(unit(minus(points[0], points[n - 1])));
    const before = (i) => i > 0 ? ways[i - 1] : closed ? ways.at(-1) : null;
    const normal = (i) => {
        const a = before(i), b = ways[i] ?? null;
        if (a === null) return first_tangent;
        if (b === null) return last_tangent;
        return dot(a, b) < sharpest ? null : unit(along(a, 1, b));
    };
    const w = ways[0], least = w.map(Math.abs).indexOf(Math.min(...w.map(Math.abs)));
    const x = unit(cross(w, [0, 1, 2].map((d) => Number(d === least)))), y = cross(w, x);
    const onto = (p, i, way, plane) => along(p, dot(minus(points[i], p), plane) / dot(way, plane), way);
    const out = [];
    for (let i = 0; i < n; ++i) {
        const plane = normal(i);
        if (plane === null) return null;
        out.push(Array.from({length: segments}, (_, k) => {
            const angle = 2 * Math.PI * k / segments;
            return i > 0 ? onto(out[i - 1][k], i, ways[i - 1], plane) :
                onto(along(along(points[0], radius * Math.cos(angle), x), radius * Math.sin(angle), y), 0, w, plane);
        }));
    }
    if (!closed) return {rings: out, shift: 0};
    // A way that is not plane comes back turned.
    const back = onto(out[n - 1][0], 0, ways[n - 1], normal(0)), apart = out[0].map((p) => length(minus(p, back)));
    return {rings: out, shift: apart.indexOf(Math.min(...apart))};
}

/// Triangles between rings, inwards or outwards, as numbers of points from `base` on.
function sides({rings, shift}, closed, base, inwards) {
    const out = [], n = rings.length, m = rings[0].length;
    for (let i = 0; i + (closed ? 0 : 1) < n; ++i) {
        const next = (i + 1) % n, turn = next === 0 ? shift : 0;
        for (let k = 0; k < m; ++k) {
            const a = base + i * m + k, b = base + i * m + (k + 1) % m;
            const c = base + next * m + (k + 1 + turn) % m, d = base + next * m + (k + turn) % m;
            out.push(...(inwards ? [[a, c, b], [a, d, c]] : [[a, b, c], [a, c, d]]));
        }
    }
    return out;
}

/// The solid of a line of IfcSweptDiskSolid: points, triangles, how far they are from it, and whether it is taken for
/// longer than the line says. Null when the curve is of a type that `paths` does not read, or bends too sharply.
export function disk_solid(line, paths, segments) {
    const optional = (value) => value === null || value === undefined ? null : numbers([value])[0];
    const [radius, inner, start, end, fillet] = [line.Radius, line.InnerRadius, line.StartParam, line.EndParam,
                                                 line.FilletRadius].map(optional);
    const all = paths.pieces(line.Directrix.value);
    if (!all || !(radius > 0)) return null;
    // Some programs mean the whole of a curve by 0 to 1, whatever its parameters are.
    const whole = start === 0 && end === 1 && all.reduce((sum, piece) => sum + piece.span, 0) > 1.5;
    const pieces = whole ? all : trimmed(all, start, end);
    if (pieces.length === 0) return null;
    let points = points_along(pieces, segments), bend = sagitta_along(pieces, segments);
    if (fillet > 0) {
        const round = filleted(points, fillet, segments);
        if (!round) return null;
        points = round.points;
        bend = round.sagitta;
    }
    const closed = points.length > 3 && length(minus(points[0], points.at(-1))) <= gap * size_of(points);
    if (closed) points.pop();
    if (points.length < 2) return null;
    const tangent = (piece, f) => unit(minus(piece.at(f + 1e-5), piece.at(f - 1e-5)));
    const tangents = [tangent(pieces[0], 0), tangent(pieces.at(-1), 1)];
    const outside = rings(points, closed, ...tangents, radius, segments);
    const inside = inner > 0 ? rings(points, closed, ...tangents, inner, segments) : null;
    if (!outside) return null;
    const count = outside.rings.length * segments, triangles = sides(outside, closed, 0, false);
    if (inside) triangles.push(...sides(inside, closed, count, true));
    if (!closed) {
        const last = count - segments;
        for (let k = 0; k < segments; ++k) {
            const next = (k + 1) % segments;
            if (inside) {
                triangles.push([next, k, count + k], [next, count + k, count + next]);
                triangles.push([last + k, last + next, count + last + k],
                               [last + next, count + last + next, count + last + k]);
            } else if (k > 0 && next > 0) {
                triangles.push([0, next, k], [last, last + k, last + next]);
            }
        }
    }
    const around = radius * (1 - Math.cos(Math.PI / segments));
    const widest = pieces.reduce((most, piece) => Math.max(most, piece.radius), fillet ?? 0);
    return {points: [...outside.rings.flat(), ...(inside ? inside.rings.flat() : [])], triangles,
            error: around + (widest > 0 ? bend * (widest + radius) / widest : 0), whole};
}

export const disk_solids = [ifc.IFCSWEPTDISKSOLID];
