// SPDX-License-Identifier: Apache-2.0
// Finds shapes that web-ifc has left out: items without triangles, and solids whose volume is not that of their profile and depth.
import {ifc, numbers} from './structure.mjs';
import {length, Paths, points_along} from './paths.mjs';
import {area_of} from './profiles.mjs';

/// Chords per circle of an area that stands for the exact one.
const fine = 720;

/// Types that take up no space.
const spaceless = [ifc.IFCCURVE, ifc.IFCPOINT, ifc.IFCPLACEMENT, ifc.IFCGEOMETRICCURVESET, ifc.IFCTEXTLITERAL,
                   ifc.IFCANNOTATIONFILLAREA, ifc.IFCBOUNDINGBOX];
const solids = [ifc.IFCSOLIDMODEL, ifc.IFCBOOLEANRESULT, ifc.IFCCSGPRIMITIVE3D];

/// Signed volume and area of triangles with these points.
export function measured(points, corners) {
    let volume = 0, area = 0;
    const p = (i) => points.subarray(3 * i, 3 * i + 3), [ox, oy, oz] = points;
    for (let i = 0; i < corners.length; i += 3) {
        const [a, b, c] = [p(corners[i]), p(corners[i + 1]), p(corners[i + 2])];
        const ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2], vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        volume += (a[0] - ox) * nx + (a[1] - oy) * ny + (a[2] - oz) * nz;
        area += Math.hypot(nx, ny, nz);
    }
    return {volume: volume / 6, area: area / 2};
}

export class Volumes {
    constructor(structure, rewriting) {
        const all = (types) => new Set(types.flatMap((type) => structure.all(type)));
        Object.assign(this, {structure, rewriting, paths: new Paths(structure), known: new Map(),
                             spaceless: all(spaceless), solids: all(solids)});
    }

    /// The volume of an extrusion in the file's unit, by its profile; 0 when it is of another type.
    of_item(id) {
        if (this.known.has(id)) return this.known.get(id);
        let volume = 0;
        try { volume = this.volume(id); } catch { volume = 0; }
        this.known.set(id, volume);
        return volume;
    }
    volume(id) {
        if (this.structure.type_code(id) !== ifc.IFCEXTRUDEDAREASOLID) return 0;
        const {SweptArea, ExtrudedDirection, Depth} = this.structure.line(id);
        const direction = numbers(this.structure.line(ExtrudedDirection.value).DirectionRatios);
        return this.area(SweptArea.value, 0) * numbers([Depth])[0] * Math.abs(direction[2]) / length(direction);
    }

    /// The area of a profile, not a number when it is not known.
    area(id, depth) {
        const written = this.rewriting.areas.get(id);
        if (written !== undefined) return written;
        if (depth > 20) return NaN;
        const line = this.structure.line(id), get = (...keys) => numbers(keys.map((key) => line[key]));
        const inside = (curve) => {
            const pieces = this.paths.pieces(curve.value);
            return pieces ? Math.abs(area_of(points_along(pieces, fine))) : NaN;
        };
        switch (line.type) {
            case ifc.IFCRECTANGLEPROFILEDEF: return get('XDim', 'YDim').reduce((a, b) => a * b);
            case ifc.IFCCIRCLEPROFILEDEF: return Math.PI * get('Radius')[0] ** 2;
            case ifc.IFCCIRCLEHOLLOWPROFILEDEF: {
                const [r, t] = get('Radius', 'WallThickness');
                return Math.PI * (r ** 2 - (r - t) ** 2);
            }
            case ifc.IFCELLIPSEPROFILEDEF: return get('SemiAxis1', 'SemiAxis2').reduce((a, b) => a * b, Math.PI);
            case ifc.IFCTRAPEZIUMPROFILEDEF: {
                const [low, top, high] = get('BottomXDim', 'TopXDim', 'YDim');
                return (low + top) / 2 * high;
            }
            case ifc.IFCARBITRARYCLOSEDPROFILEDEF: return inside(line.OuterCurve);
            case ifc.IFCARBITRARYPROFILEDEFWITHVOIDS:
                return line.InnerCurves.reduce((area, hole) => area - inside(hole), inside(line.OuterCurve));
            case ifc.IFCCOMPOSITEPROFILEDEF:
                return line.Profiles.reduce((area, one) => area + this.area(one.value, depth + 1), 0);
            case ifc.IFCDERIVEDPROFILEDEF: {
                const {Scale, Scale2} = this.structure.line(line.Operator.value), first = Scale ? numbers([Scale])[0] : 1;
                return this.area(line.ParentProfile.value, depth + 1) * first * (Scale2 ? numbers([Scale2])[0] : first);
            }
            default: return NaN;
        }
    }

    /// Why the triangles of a product are not its shape: one text, or none. `made` has the measures of each item that
    /// has triangles, in the file's unit, and `error` is how far they may be off. `cut` says that openings are cut.
    complaint(id, made, error, cut) {
        const items = [...new Set(this.structure.items(id))], names = (ids) => {
            const types = [...new Set(ids.map((one) => this.rewriting.types.get(one) ?? this.structure.type(one)))];
            return types.join(', ');
        };
        const faulty = [...this.reached(items)].find((one) => this.rewriting.faults.has(one));
        if (faulty !== undefined) return this.rewriting.faults.get(faulty);
        const lost = items.filter((item) => !made.has(item) && !this.spaceless.has(item));
        if (lost.length > 0)
            return lost.length === items.length ? `web-ifc makes no triangles of its ${names(lost)}` :
                `web-ifc makes no triangles of ${lost.length} of its ${items.length} items: ${names(lost)}`;
        if (cut) return '';
        for (const [item, {volume, area, rounding}] of made) {
            const right = this.of_item(item), wrong = Math.abs(Math.abs(volume) - right);
            if (right > 0 && wrong > 2 * error * area + 1e-6 * right)
                return `web-ifc gives its ${names([item])} ${this.share(Math.abs(volume) / right)} of its volume`;
            if (this.solids.has(item) && Math.abs(volume) <= 4 * rounding * area)
                return `web-ifc gives its ${names([item])} no volume`;
        }
        return '';
    }
    share(x) { return x < 0.01 ? 'next to none' : `${Number((100 * x).toPrecision(3))} %`; }

    /// The items and the profiles that they sweep.
    reached(items) {
        const out = new Set();
        const add = (id, depth) => {
            if (out.has(id) || depth > 20) return;
            out.add(id);
            const line = this.rewriting.texts.has(id) ? {} : this.structure.line(id) ?? {};
            for (const key of ['SweptArea', 'FirstOperand', 'SecondOperand', 'ParentProfile', 'TreeRootExpression'])
                if (line[key]?.type === 5) add(line[key].value, depth + 1);
            for (const one of line.Profiles ?? []) add(one.value, depth + 1);
        };
        for (const item of items) add(item, 0);
        return out;
    }
}
