// SPDX-License-Identifier: Apache-2.0
// Replaces lines of an IFC file that web-ifc meshes wrongly by lines that it meshes right: parameterised profiles by
// outlines, swept disks by triangles.
import {each_line} from './part21.mjs';
import {Paths} from './paths.mjs';
import {area_of, outline, parametric} from './profiles.mjs';
import {disk_solid, disk_solids} from './sweeps.mjs';

/// A real number as ISO 10303-21 writes it.
function real(x) {
    const text = String(x + 0).toUpperCase(), at = text.search(/E|$/);
    return text.slice(0, at) + (text.slice(0, at).includes('.') ? '' : '.') + text.slice(at);
}
const list = (items) => `(${items.join(',')})`;
const tuple = (values) => list(values.map(real));

/// Bytes of new lines, which web-ifc has to read besides the file.
const most_text = 2 ** 29;

/// The new lines for lines of the file, by their numbers, with the error that is left in each and with what is wrong
/// with those that cannot be replaced.
export class Rewriting {
    texts = new Map();
    errors = new Map();   // in the file's unit, by the number of the line
    types = new Map();    // names of the types that were there, by the number of the line
    areas = new Map();    // of profiles, by the number of the line
    faults = new Map();   // reasons, by the number of the line
    whole = new Set();    // numbers of disks that are swept along all of a curve, though the line says from 0 to 1
    size = 0;             // of all texts

    constructor(structure, segments) {
        const paths = new Paths(structure);
        this.next = structure.last_id() + 1;
        for (const type of parametric)
            for (const id of structure.all(type)) this.take(id, structure, (line) => this.profile(line, paths, segments));
        for (const type of disk_solids)
            for (const id of structure.all(type)) this.take(id, structure, (line) => this.disk(line, paths, segments));
    }

    take(id, structure, write) {
        if (this.types.has(id)) return;
        this.types.set(id, structure.type(id));
        let done = false;
        // A line that is not as the schema says is left to web-ifc.
        try { done = write(structure.line(id)); } catch { done = false; }
        if (!done && !this.faults.has(id)) this.faults.set(id, `its ${structure.type(id)} cannot be meshed`);
    }

    profile(line, paths, segments) {
        const shape = outline(line, paths, segments);
        const all = shape ? [shape.outer, ...shape.holes] : [];
        if (!shape || !all.flat(2).every(Number.isFinite)) {
            this.faults.set(line.expressID,
                            `the dimensions of its ${this.types.get(line.expressID)} contradict each other`);
            return false;
        }
        const curves = all.map((points) => {
            const curve = this.next, first = curve + 1;
            this.next += points.length + 1;
            const numbers = points.map((_, i) => `#${first + i}`);
            return {curve, text: `#${curve}=IFCPOLYLINE(${list([...numbers, numbers[0]])});` +
                points.map((p, i) => `#${first + i}=IFCCARTESIANPOINT(${tuple(p)});`).join('')};
        });
        const [outer, ...holes] = curves.map(({curve}) => `#${curve}`), kind = `.${line.ProfileType?.value ?? 'AREA'}.`;
        const own = holes.length > 0 ? `IFCARBITRARYPROFILEDEFWITHVOIDS(${kind},$,${outer},${list(holes)})` :
            `IFCARBITRARYCLOSEDPROFILEDEF(${kind},$,${outer})`;
        this.put(line.expressID, own, curves.map(({text}) => text).join(''), shape.sagitta);
        this.areas.set(line.expressID, Math.abs(area_of(shape.outer)) -
            shape.holes.reduce((sum, hole) => sum + Math.abs(area_of(hole)), 0));
        return true;
    }

    disk(line, paths, segments) {
        if (this.size > most_text) {
            this.faults.set(line.expressID, 'the file has more IfcSweptDiskSolid than can be meshed');
            return false;
        }
        const solid = disk_solid(line, paths, segments);
        if (!solid || !solid.points.flat().every(Number.isFinite)) return false;
        if (solid.whole) this.whole.add(line.expressID);
        const points = this.next++;
        this.put(line.expressID, `IFCTRIANGULATEDFACESET(#${points},$,.T.,` +
            `${list(solid.triangles.map((t) => list(t.map((i) => i + 1))))},$)`,
                 `#${points}=IFCCARTESIANPOINTLIST3D(${list(solid.points.map(tuple))});`, solid.error);
        return true;
    }

    put(id, own, more, error) {
        const text = `#${id}=${own};${more}`;
        this.texts.set(id, text);
        this.size += text.length;
        this.errors.set(id, error);
    }

    /// The file with its new lines.
    apply(bytes) {
        const pieces = [];
        let at = 0;
        each_line(bytes, (id, start, end) => {
            const text = this.texts.get(id);
            if (text === undefined) return;
            pieces.push(bytes.subarray(at, start), Buffer.from(text));
            at = end;
        });
        return Buffer.concat([...pieces, bytes.subarray(at)]);
    }
}
