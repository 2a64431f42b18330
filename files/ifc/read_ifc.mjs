// SPDX-License-Identifier: Apache-2.0
// Reads an IFC file from standard input with web-ifc and sends an assembly, in metres and z up, to descriptor 3.
import {isUtf8} from 'node:buffer';
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {check, Damage} from './part21.mjs';
import {Wire} from './wire.mjs';
import {is_zip, unzip} from './zip.mjs';

const most_bytes = 2 ** 31 - 1;  // of a file that web-ifc takes
const largest = 2 ** 60;         // coordinate in metres: no building is there

/// Messages of web-ifc, which also prints to the console.
const said = [];
for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace'])
    console[level] = (...words) => { if (said.length < 1000) said.push(words.join(' ')); };

/// Throws `Damage` when the file is not IFC, or of a schema that web-ifc does not know. Returns a note about a schema that
/// it takes for a similar one.
function check_schema(bytes) {
    if (bytes.toString('latin1', 0, 1000).trimStart().slice(0, 13) !== 'ISO-10303-21;')
        throw new Damage(': not an IFC file: it does not start with ISO-10303-21');
    const schema = /FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'/i.exec(bytes.toString('latin1', 0, 1 << 20))?.[1]?.toUpperCase() ?? '';
    if (/^IFC(2X3|4|4X3|4X3_ADD[12])$/.test(schema)) return [];
    if (/^IFC4X([12]|3_RC[1-4])$/.test(schema)) return [`the schema ${schema}, a draft, is read as IFC4X3`];
    throw new Damage(schema === '' ? ': the file states no schema' :
        `: the schema ${schema.slice(0, 40)} is not supported; IFC2X3, IFC4 and IFC4X3 are`);
}

/// A geometry with its placement. web-ifc turns z up to y up and scales to metres in the placement. This turns it back
/// and moves the scale to the points.
function placed(api, model, geometry, unit) {
    const shape = api.GetGeometry(model, geometry.geometryExpressID);
    const vertices = api.GetVertexArray(shape.GetVertexData(), shape.GetVertexDataSize());
    const corners = api.GetIndexArray(shape.GetIndexData(), shape.GetIndexDataSize());
    shape.delete();
    const m = geometry.flatTransformation, {x, y, z, w} = geometry.color;
    const row = (i, sign) => [i, i + 4, i + 8].map((k) => sign * m[k] / unit + 0);
    // White is also what web-ifc gives to a product without a colour.
    const coloured = [x, y, z, w].every((v) => v >= 0 && v <= 1) && [x, y, z, w].some((v) => v !== 1);
    return {points: points_of(vertices, unit), corners, linear: [...row(0, 1), ...row(2, -1), ...row(1, 1)],
            translation: [m[12], 0 - m[14], m[13]], colour: coloured ? [x, y, z, w] : null};
}

/// The points of vertices, each of which web-ifc gives with a normal.
function points_of(vertices, unit) {
    const points = new Float64Array(vertices.length / 2);
    for (let i = 0; i < points.length; ++i) points[i] = vertices[i + 3 * Math.floor(i / 3)] * unit + 0;
    return points;
}

const product = (m, v) => [0, 3, 6].map((r) => m[r] * v[0] + m[r + 1] * v[1] + m[r + 2] * v[2]);
const transposed = (m) => [0, 3, 6, 1, 4, 7, 2, 5, 8].map((i) => m[i]);
const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/// True when the matrix only turns or mirrors.
function is_rigid(m) {
    for (let i = 0; i < 9; i += 3)
        for (let k = 0; k < 9; k += 3)
            if (!(Math.abs(m[i] * m[k] + m[i + 1] * m[k + 1] + m[i + 2] * m[k + 2] - (i === k)) < 1e-9)) return false;
    return true;
}

/// Applies matrix and translation to points.
function moved(points, m, t) {
    const out = new Float64Array(points.length);
    for (let i = 0; i < points.length; i += 3)
        for (let d = 0; d < 3; ++d)
            out[i + d] = m[3 * d] * points[i] + m[3 * d + 1] * points[i + 1] + m[3 * d + 2] * points[i + 2] + t[d];
    return out;
}

/// Arrays of numbers end to end.
function concatenated(Type, arrays) {
    const out = new Type(arrays.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const one of arrays) {
        out.set(one, at);
        at += one.length;
    }
    return out;
}

/// Joins the geometries of one product in the frame of the first, or along its translation if that frame is not rigid.
function joined(geometries) {
    const first = geometries[0], rigid = is_rigid(first.linear);
    const linear = rigid ? first.linear : identity, back = transposed(linear), {translation} = first;
    if (geometries.length === 1 && rigid) return first;
    let base = 0;
    const points = [], corners = [];
    for (const one of geometries) {
        const columns = transposed(one.linear);
        const relative = transposed([0, 3, 6].flatMap((c) => product(back, columns.slice(c, c + 3))));
        const shift = product(back, one.translation.map((v, d) => v - translation[d]));
        points.push(one === first && rigid ? one.points : moved(one.points, relative, shift));
        corners.push(one.corners.map((c) => base + c));
        base += one.points.length / 3;
    }
    const colour = geometries.find((one) => one.colour !== null)?.colour ?? null;
    return {points: concatenated(Float64Array, points), corners: concatenated(Uint32Array, corners), linear, translation,
            colour};
}

/// The largest magnitude of a coordinate; not a number if one is not.
const extent = (points) => points.reduce((most, v) => Math.max(most, Math.abs(v)), 0);

/// The diagonal of the box of points.
function diagonal(points) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; ++i) {
        low[i % 3] = Math.min(low[i % 3], points[i]);
        high[i % 3] = Math.max(high[i % 3], points[i]);
    }
    return Math.hypot(...high.map((h, d) => h - low[d]));
}

/// The largest difference between the coordinates of two meshes that are as good as equal.
const difference = (a, b) => a.points.reduce((most, v, i) => Math.max(most, Math.abs(v - b.points[i])), 0);

/// Identifies a mesh. Points are rounded to what single precision keeps, so that equal products placed differently
/// share one mesh.
function key_of({points, corners, colour, largest}) {
    const step = 2 ** (Math.ceil(Math.log2(largest)) - 22);
    const hash = createHash('sha256').update(corners);
    hash.update(Float64Array.from(points, (v) => Math.round(v / step) + 0));
    return hash.update(JSON.stringify([step, colour])).digest('latin1');
}

/// Products that may be bodies, and how many spaces are left out. Openings are cut from the products that have them.
function products(structure, ifc) {
    const bodies = new Set([ifc.IFCELEMENT, ifc.IFCSPATIALSTRUCTUREELEMENT, ifc.IFCPROXY].flatMap((t) => structure.all(t)));
    for (const type of [ifc.IFCFEATUREELEMENTSUBTRACTION, ifc.IFCVIRTUALELEMENT])
        for (const id of structure.all(type)) bodies.delete(id);
    let spaces = 0;
    for (const type of [ifc.IFCSPACE, ifc.IFCSPATIALZONE])
        for (const id of structure.all(type)) {
            bodies.delete(id);
            spaces += structure.has_body(id);
        }
    return {bodies: [...bodies].sort((a, b) => a - b), spaces};
}

const counted = (n, one, many) => n === 1 ? `1 ${one}` : `${n} ${many}`;

function read(api, {ifc, Structure}, {Errors, circle_segments}, model) {
    const structure = new Structure(api, model), metres = structure.metres(), unit = metres || 1;
    const {bodies, spaces} = products(structure, ifc);
    const elements = new Set(structure.all(ifc.IFCELEMENT));
    const meshes = [], parts = [], unread = [], notes = [], known = new Map(), places = new Map();
    api.StreamMeshes(model, bodies, (product) => {
        const geometries = [];
        for (let i = 0; i < product.geometries.size(); ++i) {
            const one = placed(api, model, product.geometries.get(i), unit);
            if (one.corners.length > 0) geometries.push(one);
        }
        if (geometries.length === 0) return;
        const {linear, translation, ...mesh} = joined(geometries);
        mesh.largest = extent(mesh.points);
        const key = key_of(mesh);
        if (![...linear, ...translation, mesh.largest].every((v) => Math.abs(v) < largest))
            throw new Damage(`: a coordinate of '${structure.name(product.expressID)}' is not finite, or out of range`);
        const fresh = !known.has(key);
        if (fresh) known.set(key, meshes.push({...mesh, error: Infinity}) - 1);
        const number = known.get(key), extra_error = fresh ? 0 : difference(mesh, meshes[number]);
        places.set(product.expressID, {mesh: number, linear, translation, extra_error});
    });
    const errors = new Errors(structure, unit);
    let empty = 0;
    for (const id of bodies) {
        const place = places.get(id);
        if (place) {
            const part = {...structure.describe(id), ...place}, mesh = meshes[part.mesh];
            mesh.name ??= part.name;
            part.error = errors.error(id, diagonal(mesh.points), mesh.largest);
            mesh.error = Math.min(mesh.error, part.error);
            parts.push(part);
        } else if (structure.has_body(id)) {
            const {path, labels} = structure.describe(id);
            unread.push({path, id: labels.id, reason: 'a shape that web-ifc cannot mesh'});
        } else {
            empty += elements.has(id);
        }
    }
    // Shapes that web-ifc meshes alike may differ in what it leaves out.
    for (const part of parts) part.extra_error += part.error - meshes[part.mesh].error;
    if (errors.any_curve) notes.push(`curves are meshed with ${circle_segments} points per circle`);
    if (errors.any_corner) notes.push('fillets of profiles are meshed as corners');
    if (spaces > 0) notes.push(counted(spaces, 'space is left out', 'spaces are left out'));
    if (empty > 0) notes.push(counted(empty, 'product has no geometry', 'products have no geometry'));
    if (parts.length === 0) throw new Damage(`: no product has a shape${notes.length > 0 ? `; ${notes.join('; ')}` : ''}`);
    return {meshes, parts, unread, notes, metres};
}

const wire = new Wire(3);
try {
    let bytes = readFileSync(0);
    if (is_zip(bytes)) bytes = unzip(bytes, most_bytes);
    if (bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf') bytes = bytes.subarray(3);
    // Texts should be UTF-8 or escaped. Old programs write Latin-1.
    if (!isUtf8(bytes)) bytes = Buffer.from(bytes.toString('latin1'));
    const notes = [...check_schema(bytes), ...check(bytes)];
    // Loading web-ifc takes longer than the checks.
    const [names, errors] = await Promise.all([import('./structure.mjs'), import('./errors.mjs')]);
    const api = new names.ifc.IfcAPI();
    await api.Init();
    const model = api.OpenModel(bytes, {COORDINATE_TO_ORIGIN: false, CIRCLE_SEGMENTS: errors.circle_segments,
                                         MEMORY_LIMIT: 2 ** 31});
    if (model < 0) throw new Damage(': web-ifc cannot open it');
    const assembly = read(api, names, errors, model);
    const complaints = said.filter((line) => /error/i.test(line));
    if (complaints.length > 0)
        notes.push(`web-ifc reports ${counted(complaints.length, 'error', 'errors')}: ` +
            complaints[0].replace(/^(\[[^\]]*\])+ */, ''));
    wire.assembly({...assembly, notes: [...notes, ...assembly.notes]});
} catch (fault) {
    wire.fault(fault instanceof Damage ? fault.message : `: web-ifc cannot read it: ${String(fault?.message ?? fault)}`);
}
