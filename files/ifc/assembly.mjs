// SPDX-License-Identifier: Apache-2.0
// Reads the products of an IFC file with web-ifc.
import {circle_segments, Errors, single_rounding} from './errors.mjs';
import {in_sets_of, map_conversion} from './georeference.mjs';
import {diagonal, difference, extent, joined, key_of, placed} from './meshes.mjs';
import {Damage} from './part21.mjs';
import {Rewriting} from './rewrite.mjs';
import {ifc, Structure} from './structure.mjs';
import {measured, Volumes} from './volumes.mjs';

const largest = 2 ** 60;  // coordinate in metres: no building is there

/// Products that may be bodies, and the paths of the spaces that are left out. Openings are cut from the products that
/// have them.
function products(structure) {
    const bodies = new Set([ifc.IFCELEMENT, ifc.IFCSPATIALSTRUCTUREELEMENT, ifc.IFCPROXY].flatMap((t) => structure.all(t)));
    for (const type of [ifc.IFCFEATUREELEMENTSUBTRACTION, ifc.IFCVIRTUALELEMENT])
        for (const id of structure.all(type)) bodies.delete(id);
    const spaces = [];
    for (const type of [ifc.IFCSPACE, ifc.IFCSPATIALZONE])
        for (const id of structure.all(type)) {
            bodies.delete(id);
            if (structure.has_body(id)) spaces.push(structure.describe(id).path);
        }
    return {bodies: [...bodies].sort((a, b) => a - b), spaces};
}

/// The first of some names, and how many others there are.
function named([first, ...others]) {
    return `'${first}'` + (others.length > 0 ? ` and ${others.length} ${others.length === 1 ? 'other' : 'others'}` : '');
}

/// The measures of each item of a product that has triangles, in the file's unit.
function measures(geometries, unit) {
    const made = new Map();
    for (const {item, points, corners} of geometries) {
        const {volume, area} = measured(points, corners);
        made.set(item, {volume: volume / unit ** 3, area: area / unit ** 2,
                        rounding: single_rounding(extent(points)) / unit});
    }
    return made;
}

function read(api, model, rewriting, in_sets) {
    const structure = new Structure(api, model), metres = structure.metres(), unit = metres || 1;
    const {bodies, spaces} = products(structure), elements = new Set(structure.all(ifc.IFCELEMENT));
    const meshes = [], parts = [], unread = [], notes = [], known = new Map(), places = new Map();
    api.StreamMeshes(model, bodies, (product) => {
        const geometries = [];
        for (let i = 0; i < product.geometries.size(); ++i) {
            const one = placed(api, model, product.geometries.get(i), unit);
            if (one.corners.length > 0) geometries.push(one);
        }
        if (geometries.length === 0) return;
        const {linear, translation, item, ...mesh} = joined(geometries);
        mesh.largest = extent(mesh.points);
        const key = key_of(mesh);
        if (![...linear, ...translation, mesh.largest].every((v) => Math.abs(v) < largest))
            throw new Damage(`: a coordinate of '${structure.name(product.expressID)}' is not finite, or out of range`);
        const fresh = !known.has(key);
        if (fresh) known.set(key, meshes.push({...mesh, error: Infinity}) - 1);
        const number = known.get(key), extra_error = fresh ? 0 : difference(mesh, meshes[number]);
        places.set(product.expressID, {mesh: number, linear, translation, extra_error,
                                       made: measures(geometries, unit)});
    });
    const errors = new Errors(structure, unit, rewriting), volumes = new Volumes(structure, rewriting);
    const curved = [], empty = [], whole = [];
    for (const id of bodies) {
        const place = places.get(id), described = structure.describe(id);
        let complaint = '';
        if (place) {
            const {made, ...placement} = place, part = {...described, ...placement}, mesh = meshes[part.mesh];
            mesh.name ??= part.name;
            const {error, chord} = errors.error(id, diagonal(mesh.points), mesh.largest);
            if (chord > 0) curved.push(part.path);
            part.error = error;
            mesh.error = Math.min(mesh.error, part.error);
            parts.push(part);
            if (rewriting.whole.size > 0 && structure.items(id).some((item) => rewriting.whole.has(item)))
                whole.push(part.path);
            complaint = volumes.complaint(id, made, error / unit, errors.openings.has(id));
        } else {
            complaint = volumes.complaint(id, new Map(), 0, true);
            if (complaint === '' && elements.has(id)) empty.push(described.path);
        }
        if (complaint !== '') unread.push({path: described.path, id: described.labels.id, reason: complaint});
    }
    // Shapes that web-ifc meshes alike may differ in what it leaves out.
    for (const part of parts) part.extra_error += part.error - meshes[part.mesh].error;
    const note = (all, one, many) => { if (all.length > 0) notes.push(`: ${named(all)} ${all.length === 1 ? one : many}`); };
    note(curved, `is curved: meshed with ${circle_segments} points per circle`,
         `are curved: meshed with ${circle_segments} points per circle`);
    note(whole, 'is swept along a whole curve, though its parameters are 0 to 1',
         'are swept along a whole curve, though their parameters are 0 to 1');
    note(spaces, 'is a space: it is left out', 'are spaces: they are left out');
    note(empty, 'has no geometry', 'have no geometry');
    if (parts.length === 0) {
        const first = unread.length > 0 ? `: '${unread[0].path}': ${unread[0].reason}` : '';
        throw new Damage(`: no product has a shape${first}${notes.map((one) => one.replace(/^: /, '; ')).join('')}`);
    }
    return {meshes, parts, unread, notes, metres, map: map_conversion(structure, unit, in_sets)};
}

/// The assembly in the bytes of a file that `check` accepts.
export async function read_assembly(bytes) {
    const api = new ifc.IfcAPI();
    await api.Init();
    const open = (text) => {
        const model = api.OpenModel(text, {COORDINATE_TO_ORIGIN: false, CIRCLE_SEGMENTS: circle_segments,
                                           MEMORY_LIMIT: 2 ** 31});
        if (model < 0) throw new Damage(': web-ifc cannot open it');
        return model;
    };
    let model = open(bytes);
    const rewriting = new Rewriting(new Structure(api, model), circle_segments);
    if (rewriting.texts.size > 0) {
        api.CloseModel(model);
        model = open(rewriting.apply(bytes));
    }
    return read(api, model, rewriting, in_sets_of(bytes));
}
