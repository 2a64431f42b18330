// SPDX-License-Identifier: Apache-2.0
// Meshes of products as web-ifc gives them, piece by piece, and as they are sent.
import {createHash} from 'node:crypto';

/// A geometry with its placement. web-ifc turns z up to y up and scales to metres in the placement. This turns it back
/// and moves the scale to the points.
export function placed(api, model, geometry, unit) {
    const shape = api.GetGeometry(model, geometry.geometryExpressID);
    const vertices = api.GetVertexArray(shape.GetVertexData(), shape.GetVertexDataSize());
    const corners = api.GetIndexArray(shape.GetIndexData(), shape.GetIndexDataSize());
    shape.delete();
    const m = geometry.flatTransformation, {x, y, z, w} = geometry.color;
    const row = (i, sign) => [i, i + 4, i + 8].map((k) => sign * m[k] / unit + 0);
    // White is also what web-ifc gives to a product without a colour.
    const coloured = [x, y, z, w].every((v) => v >= 0 && v <= 1) && [x, y, z, w].some((v) => v !== 1);
    return {points: points_of(vertices, unit), corners, linear: [...row(0, 1), ...row(2, -1), ...row(1, 1)],
            translation: [m[12], 0 - m[14], m[13]], colour: coloured ? [x, y, z, w] : null, item: geometry.geometryExpressID};
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
export function joined(geometries) {
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
export const extent = (points) => points.reduce((most, v) => Math.max(most, Math.abs(v)), 0);

/// The diagonal of the box of points.
export function diagonal(points) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; ++i) {
        low[i % 3] = Math.min(low[i % 3], points[i]);
        high[i % 3] = Math.max(high[i % 3], points[i]);
    }
    return Math.hypot(...high.map((h, d) => h - low[d]));
}

/// The largest difference between the coordinates of two meshes that are as good as equal.
export const difference = (a, b) => a.points.reduce((most, v, i) => Math.max(most, Math.abs(v - b.points[i])), 0);

/// Identifies a mesh. Points are rounded to what single precision keeps, so that equal products placed differently
/// share one mesh.
export function key_of({points, corners, colour, largest}) {
    const step = 2 ** (Math.ceil(Math.log2(largest)) - 22);
    const hash = createHash('sha256').update(corners);
    hash.update(Float64Array.from(points, (v) => Math.round(v / step) + 0));
    return hash.update(JSON.stringify([step, colour])).digest('latin1');
}
