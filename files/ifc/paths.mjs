// SPDX-License-Identifier: Apache-2.0
// Curves of IFC files as straight pieces and arcs, which can be trimmed by their parameters and cut into chords.
import {ifc, numbers} from './structure.mjs';

const times = (s, a) => a.map((x) => s * x);
const plus = (a, b) => a.map((x, i) => x + b[i]);
export const minus = (a, b) => a.map((x, i) => x - b[i]);
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(...a);
export const unit = (a) => times(1 / length(a), a);
const space = (a) => [a[0], a[1], a[2] ?? 0];

/// A piece has a range of parameters, `span` long. `at` takes a fraction of it. `turn` is the angle of an arc, `radius`
/// its radius; both are 0 for a straight piece.
const straight = (a, b, span) =>
    ({span, turn: 0, radius: 0, at: (f) => plus(a, times(f, minus(b, a)))});
/// From angle `from`, counted from x to y, on by `turn`.
const arc = (centre, x, y, from, turn, span) =>
    ({span, turn: Math.abs(turn), radius: Math.max(length(x), length(y)), at: (f) => {
        const angle = from + f * turn;
        return plus(centre, plus(times(Math.cos(angle), x), times(Math.sin(angle), y)));
    }});
const part_of = ({span, turn, radius, at}, from, to) =>
    ({span: (to - from) * span, turn: (to - from) * turn, radius, at: (f) => at(from + f * (to - from))});
const reversed = (pieces) => [...pieces].reverse().map((one) => ({...one, at: (f) => one.at(1 - f)}));

/// The pieces with these parameters. Parameters that are not given stand for the ends.
export function trimmed(pieces, start, end) {
    const out = [];
    let at = 0;
    for (const piece of pieces) {
        const clip = (x) => Math.min(1, Math.max(0, (x - at) / piece.span));
        const from = start === null ? 0 : clip(start), to = end === null ? 1 : clip(end);
        if (to - from > 1e-9) out.push(part_of(piece, from, to));
        at += piece.span;
    }
    return out;
}

/// Points of a curve that are closer than this part of its size are one: pieces seldom end exactly where the next begin.
export const gap = 1e-6;

/// The diagonal of the box of points.
export const size_of = (points) => length([0, 1, 2].map((d) => {
    const values = points.map((p) => p[d]);
    return Math.max(...values) - Math.min(...values);
}));

/// Number of chords of a piece, with `segments` per circle.
const chords = (piece, segments) => Math.max(1, Math.ceil(segments * piece.turn / (2 * Math.PI) - 1e-9));

/// Points along the pieces, without repetitions. Arcs get `segments` chords per circle.
export function points_along(pieces, segments) {
    const out = [], least = gap * size_of(pieces.flatMap((p) => [p.at(0), p.at(0.5), p.at(1)]));
    const add = (p) => { if (out.length === 0 || length(minus(p, out.at(-1))) > least) out.push(p); };
    for (const piece of pieces) {
        const steps = chords(piece, segments);
        for (let i = 0; i <= steps; ++i) add(piece.at(i / steps));
    }
    return out;
}

/// Distance between the arcs and their chords.
export const sagitta_along = (pieces, segments) => pieces.reduce((most, piece) =>
    Math.max(most, piece.radius * (1 - Math.cos(piece.turn / chords(piece, segments) / 2))), 0);

/// Reads curves of a file.
export class Paths {
    constructor(structure) { Object.assign(this, {structure, radians: structure.radians() || 1}); }

    line(reference) { return this.structure.line(reference.value); }
    point(reference) { return space(numbers(this.line(reference).Coordinates)); }
    direction(reference) { return unit(space(numbers(this.line(reference).DirectionRatios))); }

    /// Origin and axes of a placement in the plane or in space.
    frame(reference) {
        const {type, Location, Axis, RefDirection} = this.line(reference), origin = this.point(Location);
        if (type === ifc.IFCAXIS2PLACEMENT2D) {
            const x = RefDirection ? this.direction(RefDirection) : [1, 0, 0];
            return {origin, x, y: [-x[1], x[0], 0]};
        }
        const z = Axis ? this.direction(Axis) : [0, 0, 1];
        const hint = RefDirection ? this.direction(RefDirection) : Math.abs(z[0]) < 0.999999 ? [1, 0, 0] : [0, 0, 1];
        const x = unit(minus(hint, times(dot(hint, z), z)));
        return {origin, x, y: cross(z, x)};
    }

    /// The pieces of a curve, or null for a curve of another type.
    pieces(id, depth = 0) {
        const line = this.structure.line(id);
        if (depth > 20) return null;
        switch (line.type) {
            case ifc.IFCPOLYLINE: {
                const points = line.Points.map((p) => this.point(p));
                return points.slice(1).map((p, i) => straight(points[i], p, 1));
            }
            case ifc.IFCINDEXEDPOLYCURVE: return this.indexed(line);
            case ifc.IFCCOMPOSITECURVE: {
                const out = [];
                for (const reference of line.Segments) {
                    const {ParentCurve, SameSense} = this.line(reference);
                    const pieces = ParentCurve ? this.pieces(ParentCurve.value, depth + 1) : null;
                    if (!pieces) return null;
                    out.push(...(is_true(SameSense) ? pieces : reversed(pieces)));
                }
                return out;
            }
            case ifc.IFCCIRCLE: case ifc.IFCELLIPSE: {
                const {origin, x, y} = this.ellipse(line);
                return [arc(origin, x, y, 0, 2 * Math.PI, 2 * Math.PI / this.radians)];
            }
            case ifc.IFCTRIMMEDCURVE: return this.trim(line);
            default: return null;
        }
    }

    ellipse(line) {
        const {origin, x, y} = this.frame(line.Position);
        const [a, b] = numbers([line.Radius ?? line.SemiAxis1, line.Radius ?? line.SemiAxis2]);
        return {origin, x: times(a, x), y: times(b, y)};
    }

    indexed(line) {
        const points = this.line(line.Points).CoordList.map((p) => space(numbers(p))), out = [];
        const polyline = (all) => { for (let i = 1; i < all.length; ++i) out.push(straight(all[i - 1], all[i], 1)); };
        if (!line.Segments) polyline(points);
        // Only the raw line tells arcs from lines.
        for (const segment of this.structure.raw(line.expressID)[1] ?? []) {
            const all = numbers(segment.value).map((i) => points[i - 1]);
            const through = segment.typecode === ifc.IFCARCINDEX ? arc_through(...all) : null;
            if (through) out.push(through);
            else polyline(all);
        }
        return out;
    }

    /// A piece of a line, circle or ellipse between two parameters or points.
    trim(line) {
        const basis = this.line(line.BasisCurve), same = is_true(line.SenseAgreement);
        const by_points = line.MasterRepresentation?.value === 'CARTESIAN';
        const chosen = (trims) => {
            const points = trims.filter((t) => t.type === 5), parameters = trims.filter((t) => t.type !== 5);
            return points.length > 0 && (by_points || parameters.length === 0) ?
                {point: this.point(points[0])} : {parameter: numbers(parameters)[0]};
        };
        const first = chosen(line.Trim1), last = chosen(line.Trim2);
        if (basis.type === ifc.IFCLINE) {
            const {Orientation, Magnitude} = this.line(basis.Dir), origin = this.point(basis.Pnt);
            const way = times(numbers([Magnitude])[0], this.direction(Orientation));
            const parameter = (t) => t.parameter ?? dot(minus(t.point, origin), way) / dot(way, way);
            const [a, b] = [parameter(first), parameter(last)];
            return [straight(plus(origin, times(a, way)), plus(origin, times(b, way)), Math.abs(b - a))];
        }
        if (basis.type !== ifc.IFCCIRCLE && basis.type !== ifc.IFCELLIPSE) return null;
        const {origin, x, y} = this.ellipse(basis);
        const angle = ({parameter, point}) => parameter !== undefined ? parameter * this.radians :
            Math.atan2(dot(minus(point, origin), y) / dot(y, y), dot(minus(point, origin), x) / dot(x, x));
        const from = angle(first), full = 2 * Math.PI;
        let turn = (angle(last) - from) % full;
        // The same point twice is a whole circle.
        if (same && turn < 1e-9) turn += full;
        if (!same && turn > -1e-9) turn -= full;
        return [arc(origin, x, y, from, turn, Math.abs(turn) / this.radians)];
    }
}

/// True, or `.T.` as web-ifc gives it.
const is_true = (value) => (value?.value ?? value) !== false && (value?.value ?? value) !== 'F';

/// The arc through three points, or null when they are on a line.
function arc_through(a, b, c) {
    const p = minus(b, a), q = minus(c, a), n = cross(p, q), nn = dot(n, n);
    if (!(Math.sqrt(nn) > 1e-9 * length(p) * length(q))) return null;
    const to_centre = times(1 / (2 * nn), plus(times(dot(p, p), cross(q, n)), times(dot(q, q), cross(n, p))));
    const centre = plus(a, to_centre), x = minus(a, centre), y = cross(unit(n), x);
    const last = minus(c, centre), turn = Math.atan2(dot(last, y), dot(last, x));
    return arc(centre, x, y, 0, turn > 0 ? turn : turn + 2 * Math.PI, 1);
}
