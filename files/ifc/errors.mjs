// SPDX-License-Identifier: Apache-2.0
// How far the triangles of web-ifc may be from the shapes that an IFC file describes, in metres.
import {ifc, numbers} from './structure.mjs';

export const circle_segments = 32;

/// Points on a circle are at most this angle apart: first and last coincide, and revolved solids begin half a step
/// early.
const step = 2 * Math.PI / (circle_segments - 2);
/// Corners that are closer than this in metres may become one where solids are cut.
const merged_by_cuts = 1e-4;
/// Precision of a file that states none.
const usual_precision = 1e-5;
/// Part of a product's size that no precision exceeds.
const least_precise = 1e-3;

/// Distance between the middles of chord and arc.
const sagitta = (radius, angle) => radius * (1 - Math.cos(angle / 2));

/// Sagitta of the pieces of an arc that is nowhere wider than `width`. A full circle is as wide as its diameter.
function sagitta_within(radius, width) {
    const angle = width >= 2 * radius ? 2 * Math.PI : 2 * Math.asin(width / (2 * radius));
    return sagitta(radius, step * angle / (2 * Math.PI));
}

/// Half the distance between numbers of single precision near x.
export const single_rounding = (x) => x > 0 ? 2 ** (Math.floor(Math.log2(x)) - 24) : 0;

/// Radii of curves in the file's unit, by what they stand for.
class Curves {
    arcs = new Set();    // each may be a piece of a circle
    circles = new Set(); // each counts as a whole circle: how much of it is left after cutting is not known
    known = 0;           // largest sagitta that is known exactly
    unknown = false;     // there are curves without a radius
    turn = Infinity;     // least angle of a revolved solid
    cut = false;

    add(other, scale = 1, whole = false) {
        for (const r of other.arcs) (whole ? this.circles : this.arcs).add(r * scale);
        for (const r of other.circles) this.circles.add(r * scale);
        this.known = Math.max(this.known, other.known * scale);
        this.unknown ||= other.unknown;
        this.turn = Math.min(this.turn, other.turn);
        this.cut ||= other.cut;
    }
    /// For a product of this width in the file's unit.
    sagitta(width) {
        let most = Math.max(this.known, this.unknown ? sagitta(width / 2, step) : 0);
        for (const r of this.arcs) most = Math.max(most, sagitta_within(r, width));
        for (const r of this.circles) most = Math.max(most, sagitta(r, step));
        if (this.turn === Infinity) return most;
        // The way around is as wide as its chord. A round profile adds to it.
        const radius = width / (2 * Math.sin(Math.min(this.turn, Math.PI) / 2));
        return most + sagitta(radius, Math.min(this.turn, step));
    }
}

/// Types whose lines have radii. Surfaces that are round in two directions count twice.
const radii = [
    [ifc.IFCCIRCLE, (l) => [l.Radius]],
    [ifc.IFCELLIPSE, (l) => [l.SemiAxis1, l.SemiAxis2]],
    [ifc.IFCCIRCLEPROFILEDEF, (l) => [l.Radius]],
    [ifc.IFCELLIPSEPROFILEDEF, (l) => [l.SemiAxis1, l.SemiAxis2]],
    [ifc.IFCSWEPTDISKSOLID, (l) => [l.Radius]],
    [ifc.IFCCYLINDRICALSURFACE, (l) => [l.Radius]],
    [ifc.IFCSPHERICALSURFACE, (l) => [l.Radius, l.Radius]],
    [ifc.IFCTOROIDALSURFACE, (l) => [l.MajorRadius, l.MinorRadius]],
    [ifc.IFCRIGHTCIRCULARCYLINDER, (l) => [l.Radius]],
    [ifc.IFCRIGHTCIRCULARCONE, (l) => [l.BottomRadius]],
    [ifc.IFCSPHERE, (l) => [l.Radius, l.Radius]],
];
const doubly_curved = new Set([ifc.IFCSPHERICALSURFACE, ifc.IFCTOROIDALSURFACE, ifc.IFCSPHERE]);
/// Types of curves whose radius is not in their line.
const free_form = [ifc.IFCBSPLINECURVE, ifc.IFCBSPLINESURFACE, ifc.IFCSPIRAL, ifc.IFCCLOTHOID, ifc.IFCPOLYNOMIALCURVE,
                   ifc.IFCBEZIERCURVE, ifc.IFCGRADIENTCURVE, ifc.IFCSEGMENTEDREFERENCECURVE, ifc.IFCALIGNMENTCURVE,
                   ifc.IFCSECTIONEDSOLID, ifc.IFCSECTIONEDSURFACE, ifc.IFCSECTIONEDSPINE];
/// Types of lines that have no curve below them and may be many.
const plain = new Set([ifc.IFCFACETEDBREP, ifc.IFCFACETEDBREPWITHVOIDS, ifc.IFCFACE, ifc.IFCPOLYLINE, ifc.IFCPOLYLOOP,
                       ifc.IFCTRIANGULATEDFACESET, ifc.IFCTRIANGULATEDIRREGULARNETWORK, ifc.IFCPOLYGONALFACESET,
                       ifc.IFCCARTESIANPOINT, ifc.IFCDIRECTION, ifc.IFCAXIS1PLACEMENT, ifc.IFCAXIS2PLACEMENT2D,
                       ifc.IFCAXIS2PLACEMENT3D, ifc.IFCPLANE, ifc.IFCVERTEXPOINT, ifc.IFCRECTANGLEPROFILEDEF,
                       ifc.IFCCARTESIANPOINTLIST2D, ifc.IFCCARTESIANPOINTLIST3D]);
const boundings = new Set([ifc.IFCBOOLEANRESULT, ifc.IFCBOOLEANCLIPPINGRESULT, ifc.IFCCSGSOLID]);

export class Errors {
    /// `unit` is the file's in metres, `rewriting` knows the errors of the lines that it has replaced.
    constructor(structure, unit, rewriting) {
        const radians = structure.radians() || 1;
        Object.assign(this, {structure, unit, radians, rewriting, known: new Map(), round: new Map(), openings: new Map()});
        const each = (type, what) => { for (const id of structure.all(type)) this.round.set(id, what); };
        for (const type of free_form) each(type, 'free');
        for (const type of [ifc.IFCREVOLVEDAREASOLID, ifc.IFCSURFACEOFREVOLUTION]) each(type, 'revolved');
        each(ifc.IFCINDEXEDPOLYCURVE, 'arcs');
        for (const [type, of_line] of radii) each(type, of_line);
        for (const id of structure.all(ifc.IFCRELVOIDSELEMENT)) {
            const {RelatingBuildingElement: body, RelatedOpeningElement: opening} = structure.line(id);
            if (!body || !opening) continue;
            if (!this.openings.has(body.value)) this.openings.set(body.value, []);
            this.openings.get(body.value).push(opening.value);
        }
        this.stated = 0;
        for (const id of structure.all(ifc.IFCGEOMETRICREPRESENTATIONCONTEXT)) {
            const precision = Number(structure.line(id).Precision?.value) * unit;
            if (precision > this.stated) this.stated = precision;
        }
    }

    /// How far a product may be off because of its curves and its cuts.
    curves_of_product(id) {
        const out = new Curves(), openings = this.openings.get(id) ?? [];
        for (const shape of this.structure.bodies(id)) out.add(this.curves(shape), 1, openings.length > 0);
        for (const opening of openings)
            for (const shape of this.structure.bodies(opening)) out.add(this.curves(shape), 1, true);
        out.cut ||= openings.length > 0;
        return out;
    }

    /// The curves at a line and below it.
    curves(id) {
        const known = this.known.get(id);
        if (known) return known;
        const out = new Curves(), type = this.structure.type_code(id);
        this.known.set(id, out);  // a cycle ends here
        out.known = this.rewriting.errors.get(id) ?? 0;
        if (plain.has(type) || this.rewriting.texts.has(id)) return out;
        const line = this.structure.line(id), round = this.round.get(id);
        if (round === 'free') out.unknown = true;
        // A face says nothing of its angle: a quarter, which few are less than.
        else if (round === 'revolved')
            out.turn = Math.abs(Number(line.Angle?.value ?? NaN) * this.radians) || Math.PI / 2;
        else if (round === 'arcs') this.add_arcs(line, out);
        else if (round)
            for (const r of numbers(round(line)))
                if (r > 0) doubly_curved.has(type) ? out.known += sagitta(r, step) : out.arcs.add(r);
        if (boundings.has(type)) out.cut = true;
        if (type === ifc.IFCREPRESENTATIONMAP) {
            out.add(this.curves(line.MappedRepresentation.value));
        } else if (type === ifc.IFCMAPPEDITEM) {
            out.add(this.curves(line.MappingSource.value), this.scale(line.MappingTarget));
        } else if (type === ifc.IFCDERIVEDPROFILEDEF) {
            out.add(this.curves(line.ParentProfile.value), this.scale(line.Operator));
        } else {
            this.below(line, (child) => out.add(this.curves(child), 1, boundings.has(type)));
        }
        // A disk along an arc is off by both.
        if (type === ifc.IFCSWEPTDISKSOLID && line.Directrix) {
            const r = Number(line.Radius?.value), way = this.curves(line.Directrix.value);
            let along = way.known;
            for (const directrix of way.arcs) along = Math.max(along, sagitta(directrix + r, step));
            out.known = Math.max(out.known, along + sagitta(r, step));
        }
        return out;
    }

    /// The largest scale of a transformation.
    scale(operator) {
        const {Scale, Scale2, Scale3} = operator ? this.structure.line(operator.value) : {};
        return Math.max(...numbers([Scale, Scale2, Scale3]).filter((s) => s > 0), 0) || 1;
    }

    /// Calls `take` with each line that a line names.
    below(value, take) {
        if (Array.isArray(value)) {
            for (const one of value) this.below(one, take);
        } else if (value !== null && typeof value === 'object') {
            if (value.type === 5 && Number.isInteger(value.value) && value.value > 0) take(value.value);
            else if (value.expressID !== undefined)
                for (const key of Object.keys(value)) {
                    if (key !== 'expressID' && key !== 'type') this.below(value[key], take);
                }
        }
    }

    /// Adds the arcs of an indexed curve, each through three points. web-ifc halves both parts of an arc until it has
    /// enough points.
    add_arcs(line, out) {
        if (!line.Segments) return;
        const points = this.structure.line(line.Points.value).CoordList.map(numbers);
        // Only the raw line tells arcs from lines.
        for (const segment of this.structure.raw(line.expressID)[1] ?? []) {
            if (segment?.typecode !== ifc.IFCARCINDEX) continue;
            const [a, b, c] = numbers(segment.value).map((i) => points[i - 1]);
            if (!a || !b || !c) continue;
            const apart = (p, q) => Math.hypot(...p.map((x, d) => x - q[d]));
            const x = apart(a, b), y = apart(b, c), z = apart(a, c), s = (x + y + z) / 2;
            const area = Math.sqrt(Math.max(0, s * (s - x) * (s - y) * (s - z)));
            if (!(area > 1e-12 * s * s)) continue;
            const radius = x * y * z / (4 * area);
            // Both parts are less than a circle. The wider one has the wider chord, or more than half the circle.
            const angle = (chord) => 2 * Math.asin(Math.min(1, chord / (2 * radius)));
            const wide = z >= Math.max(x, y) ? Math.max(angle(x), angle(y)) : 2 * Math.PI - angle(Math.min(x, y, z));
            out.known = Math.max(out.known, sagitta(radius, wide / (circle_segments / 2)));
        }
    }

    /// The error of a product whose points have this box diagonal and this largest coordinate, in metres, and how much
    /// of it is because of chords.
    error(id, diagonal, largest) {
        const curves = this.curves_of_product(id), stated = this.stated || usual_precision;
        const credible = least_precise * diagonal;
        const precision = stated <= credible ? stated : Math.min(usual_precision, credible);
        const chord = curves.sagitta(diagonal / this.unit) * this.unit;
        return {chord, error: chord + precision + (curves.cut ? merged_by_cuts : 0) + single_rounding(largest)};
    }
}
