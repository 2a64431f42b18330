// SPDX-License-Identifier: Apache-2.0
// Reads back what data.cpp wrote.
import { Names } from './names.js';

const text = (name) => document.getElementById(`graze-${name}`).textContent;

function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/** Words of four bytes: all first bytes, then all second ones and so on, compressed, in base64. */
async function unpack(name) {
    const element = document.getElementById(`graze-${name}`);
    const stream = new Blob([bytesOf(element.textContent)]).stream().pipeThrough(new DecompressionStream('deflate'));
    element.remove();
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    const n = planes.length / 4;
    const words = new Uint32Array(n);
    for (let i = 0; i < n; ++i)
        words[i] = planes[i] | planes[n + i] << 8 | planes[2 * n + i] << 16 | planes[3 * n + i] << 24;
    return words;
}
const floats = async (name) => new Float32Array((await unpack(name)).buffer);

/** The shortest line between the parts of a hit is drawn unless they meet. */
const hitOf = ([a, b, kind, contacts, firstPair, pairs, firstCurve, curves, firstArea, areas, firstDot, dots, distance, ...ends]) =>
    ({ a, b, kind, contacts, firstPair, pairs, firstCurve, curves, firstArea, areas, firstDot, dots,
        closest: distance === undefined ? null : { distance, ends: new Float32Array(distance > 0 ? ends : 0) } });

/** The cell of a lattice over the scene that a clash is in, eight of them along its longest side, and the cell's middle. */
function placeOf({ at }, { a, b }, { scene, units }, places) {
    const part = Math.max(a, b);
    if (!at && part < 0) return { place: '', placeName: 'no place' };
    const step = scene.size * Math.max(...scene.half) / 4 || 1;
    const cell = [0, 1, 2].map((k) => Math.floor((at ? (at[k] - scene.centre[k]) : scene.size * places[12 * part + 9 + k]) / step));
    const middle = cell.map((i, k) => Number((scene.centre[k] + (i + 0.5) * step).toPrecision(4)));
    return { place: cell.join(' '), placeName: `around (${middle.join(', ')})${units && ` ${units}`}` };
}

function clashOf(c, index, raw, names, places) {
    const { parts, causes } = raw;
    const hit = { ...hitOf(c.hit), ball: c.ball };
    const a = c.a ?? parts[hit.a].name, b = c.b ?? parts[hit.b].name;
    const storeys = [...new Set([hit.a, hit.b].map((part) => parts[part]?.storey).filter(Boolean))];
    const [status = '', assignee = '', comment = '', priority = '', due = ''] = c.review ?? [];
    return {
        ...c, index, hit, a, b, id: c.id ?? `${index + 1}`, state: c.state ?? '', note: c.note ?? '',
        extent: c.extent ?? 0, severity: c.severity ?? 0, thin: c.thin ?? false, harmless: c.harmless ?? false, cause: c.cause ?? 0,
        more: c.more ?? [], causeName: causes[c.cause ?? 0] ?? '', storey: storeys.join(' and '), ...placeOf(c, hit, raw, places), review: { status, assignee, comment, priority, due },
        shortA: names.short(a), shortB: names.short(b), rank: names.rank(a) * names.size + names.rank(b),
    };
}

/**
 * The document. Shapes are in units of their mesh, `places` map them into those of the scene: columns of 3×4
 * matrices, of all parts as they are placed at first, then of the moving parts frame by frame.
 */
export async function load() {
    const raw = JSON.parse(text('document'));
    const [points, corners, places, exact, exactIds, pairs, curves, areas, areaCorners, dots, boxes] =
        await Promise.all([floats('points'), unpack('corners'), floats('places'), floats('exact'), unpack('exact-ids'),
            unpack('pairs'), floats('curves'), unpack('areas'), floats('area-corners'), floats('dots'), floats('boxes')]);

    const clearances = raw.clearance === undefined ? new Uint32Array(0) : await unpack('clearances');
    const meshes = raw.meshes.map(([firstPoint, pointCount, first, count]) => {
        const index = corners.subarray(3 * first, 3 * (first + count));
        for (let i = 1; i < index.length; ++i) index[i] += index[i - 1];
        return { points: points.subarray(3 * firstPoint, 3 * (firstPoint + pointCount)), corners: index };
    });
    const gone = raw.clashes.flatMap((c) => [c.a, c.b].filter((name) => name !== undefined));
    const names = new Names([...raw.parts.map((p) => p.name), ...gone]);
    const clashes = raw.clashes.map((c, index) => clashOf(c, index, raw, names, places));
    const frames = raw.frames.map((hits, i) => {
        const all = hits.map(hitOf);
        const isHit = all.some((h) => h.kind !== 'clearance'), far = isHit ? [] : all.filter((h) => h.closest).map((h) => h.closest.distance);
        return { hits: all, number: raw.numbers?.[i] ?? i, contacts: all.reduce((sum, h) => sum + h.contacts, 0), isHit,
            distance: far.length ? Math.min(...far) : undefined };
    });
    // A long motion has more frames than the page shows.
    const isWhole = (raw.all_frames ?? frames.length) === frames.length;
    const motion = {
        frames: raw.all_frames ?? frames.length,
        hits: isWhole ? frames.filter((f) => f.isHit).length : raw.all_hits,
        what: !isWhole && frames.some((f) => f.hits.length && !f.isHit) ? 'contact or clearance' : 'contact',
    };
    // Where the corners of each area begin.
    const areaStarts = new Uint32Array(areas.length + 1);
    areas.forEach((corners, i) => { areaStarts[i + 1] = areaStarts[i] + corners; });
    return { ...raw, names, meshes, clashes, frames, motion, places, exact, exactIds, pairs, curves, areas, areaStarts, areaCorners,
        dots, boxes, clearances };
}

/** Steps of a clearance map from 1 to 65,534, as data.cpp has them. 0 is no distance at all. */
export const mapSteps = 65533, beyondMap = 65535;

/** The distance of a drawn triangle from the other parts: { step, distance }, or null without one. */
export function clearanceOf({ parts, clearances, clearance }, part, triangle) {
    const step = parts[part].map === undefined ? beyondMap : clearances[parts[part].map + triangle];
    return step === beyondMap ? null : { step, distance: Math.max(0, step - 1) / mapSteps * clearance };
}

/** As checks/kind.hpp has them, the gravest first. */
export const kinds = {
    duplicate: { sign: '≡', what: 'duplicate' },
    crossing: { sign: '✕', what: 'crossing' },
    inside: { sign: '◎', what: 'inside' },
    fit: { sign: '≈', what: 'fit', title: 'They overlap by no more than the accuracy of their triangles: the surfaces may well coincide' },
    touching: { sign: '●', what: 'touching' },
    clearance: { sign: '⇔', what: 'clearance' },
};

export const states = ['new', 'worse', 'persistent', 'resolved', 'part gone', 'not checked'];

/** True for a clash of the baseline that was not found again. */
export const isEarlier = ({ state }) => ['resolved', 'part gone', 'not checked'].includes(state);
