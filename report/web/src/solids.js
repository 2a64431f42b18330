// SPDX-License-Identifier: Apache-2.0
import * as THREE from 'three';
import { clearanceOf } from './data.js';
import { scale } from './scale.js';
import { ghostMaterial, partsPerRow, smoothNormals, solidMaterial } from './shapes.js';

/**
 * Parts in one geometry, drawn with two calls however many there are: once those that are solid, once those that are
 * glass. Colours and layers are in a texture, so that hiding parts moves no points; so are the placements of parts
 * that move. The points of parts that stand still are placed once. Triangles of clearance maps share no points, since
 * each has a colour of its own.
 */
class Batch {
    constructor({ data, uniforms, texels, scene }, parts, moves) {
        Object.assign(this, { data, texels, parts, moves });
        this.first = new Uint32Array(parts.length + 1);  // of a part's corners in the index
        let points = 0;
        parts.forEach((part, i) => {
            const mesh = data.meshes[data.parts[part].mesh];
            points += this.hasMap(part) ? mesh.corners.length : mesh.points.length / 3;
            this.first[i + 1] = this.first[i] + mesh.corners.length;
        });
        this.fill(points);
        this.all = this.geometry(this.index);
        this.layers = [solidMaterial, ghostMaterial].map((material, layer) => {
            const drawn = new THREE.Mesh(this.all, material(uniforms, { ...(moves && { MOVES: 1 }), ...(this.attributes.clearance && { MAPS: 1 }) }));
            Object.assign(drawn, { frustumCulled: false, renderOrder: layer });
            scene.add(drawn);
            // For up to half of all triangles.
            const few = this.geometry(new Uint32Array(Math.ceil(this.index.length / 2)));
            few.index.setUsage(THREE.DynamicDrawUsage);
            return { drawn, few };
        });
    }

    hasMap(part) {
        return this.data.parts[part].map !== undefined;
    }

    fill(count) {
        const { meshes, parts } = this.data;
        const points = new Float32Array(3 * count), normals = new Int8Array(4 * count), owner = new Float32Array(count);
        this.index = new Uint32Array(this.first[this.parts.length]);
        const clearances = this.parts.some((part) => this.hasMap(part)) ? new Float32Array(count).fill(2) : null;
        const smooth = new Map();
        let at = 0;
        this.parts.forEach((part, i) => {
            const { mesh } = parts[part], { points: from, corners } = meshes[mesh], isMapped = this.hasMap(part);
            const n = isMapped ? corners.length : from.length / 3;
            if (!smooth.has(mesh)) smooth.set(mesh, smoothNormals(from, corners));
            if (isMapped) this.spread(part, smooth.get(mesh), { points, normals, clearances, at });
            else {
                points.set(from, 3 * at);
                normals.set(smooth.get(mesh), 4 * at);
            }
            if (!this.moves) this.bake(part, points.subarray(3 * at, 3 * (at + n)), normals.subarray(4 * at, 4 * (at + n)));
            owner.fill(part, at, at + n);
            for (let k = 0, to = this.first[i]; k < corners.length; ++k) this.index[to + k] = (isMapped ? k : corners[k]) + at;
            at += n;
        });
        this.attributes = {
            position: new THREE.BufferAttribute(points, 3),
            normal: new THREE.InterleavedBufferAttribute(new THREE.InterleavedBuffer(normals, 4), 3, 0, true),
            part: new THREE.BufferAttribute(owner, 1),
            ...(clearances && { clearance: new THREE.BufferAttribute(clearances, 1) }),
        };
    }

    /** Copies the points and normals of a part corner by corner, with each triangle's distance as a share of the map's reach. */
    spread(part, smooth, { points, normals, clearances, at }) {
        const { points: from, corners } = this.data.meshes[this.data.parts[part].mesh];
        for (let k = 0; k < corners.length; ++k) {
            const to = at + k, corner = corners[k];
            for (let axis = 0; axis < 3; ++axis) {
                points[3 * to + axis] = from[3 * corner + axis];
                normals[4 * to + axis] = smooth[4 * corner + axis];
            }
            const near = k % 3 ? null : clearanceOf(this.data, part, k / 3);
            if (near) clearances.fill(near.distance / this.data.clearance || 0, to, to + 3);
        }
    }

    /** Places points and normals. Normals go by cofactors: right for placements that scale unevenly and mirror. */
    bake(part, points, normals) {
        const m = this.texels.subarray(16 * part, 16 * part + 12);
        const c = [m[5] * m[10] - m[6] * m[9], m[6] * m[8] - m[4] * m[10], m[4] * m[9] - m[5] * m[8],
            m[2] * m[9] - m[1] * m[10], m[0] * m[10] - m[2] * m[8], m[1] * m[8] - m[0] * m[9],
            m[1] * m[6] - m[2] * m[5], m[2] * m[4] - m[0] * m[6], m[0] * m[5] - m[1] * m[4]];
        for (let p = 0, n = 0; p < points.length; p += 3, n += 4) {
            const x = points[p], y = points[p + 1], z = points[p + 2], u = normals[n], v = normals[n + 1], w = normals[n + 2];
            for (let k = 0; k < 3; ++k) points[p + k] = m[4 * k] * x + m[4 * k + 1] * y + m[4 * k + 2] * z + m[4 * k + 3];
            if (!u && !v && !w) continue;
            const turned = [0, 3, 6].map((k) => c[k] * u + c[k + 1] * v + c[k + 2] * w);
            const scale = 127 / (Math.hypot(...turned) || 1);
            for (let k = 0; k < 3; ++k) normals[n + k] = Math.round(turned[k] * scale);
        }
    }

    geometry(index) {
        const geometry = new THREE.BufferGeometry();
        for (const [name, attribute] of Object.entries(this.attributes)) geometry.setAttribute(name, attribute);
        geometry.setIndex(new THREE.BufferAttribute(index, 1));
        return geometry;
    }

    arrange(layerOf) {
        this.layers.forEach(({ drawn, few }, layer) => {
            const inLayer = [...this.parts.keys()].filter((i) => layerOf[this.parts[i]] === layer);
            const corners = inLayer.reduce((sum, i) => sum + this.first[i + 1] - this.first[i], 0);
            drawn.visible = corners > 0;
            // Most of all parts: the shader leaves out the others.
            const packed = corners <= few.index.count;
            drawn.geometry = packed ? few : this.all;
            if (!packed) return;
            let at = 0;
            for (const i of inLayer) {
                few.index.array.set(this.index.subarray(this.first[i], this.first[i + 1]), at);
                at += this.first[i + 1] - this.first[i];
            }
            few.setDrawRange(0, corners);
            few.index.clearUpdateRanges();
            few.index.addUpdateRange(0, corners);
            few.index.needsUpdate = true;
        });
    }
}

/** All parts: where they are, how they look, and what a ray meets. */
export class Solids {
    constructor(data, scene) {
        this.data = data;
        const rows = Math.max(1, Math.ceil(data.parts.length / partsPerRow));
        this.texels = new Float32Array(16 * partsPerRow * rows);
        this.texture = new THREE.DataTexture(this.texels, 4 * partsPerRow, rows, THREE.RGBAFormat, THREE.FloatType);
        // The scene lies within 1 of the origin, so this box cuts nothing away.
        this.cut = new THREE.Box3(new THREE.Vector3().setScalar(-10), new THREE.Vector3().setScalar(10));
        this.layerOf = new Int8Array(data.parts.length);
        data.parts.forEach((_, part) => this.place(part, data.places.subarray(12 * part, 12 * part + 12)));
        this.showsMaps = { value: 1 };
        const uniforms = { parts: { value: this.texture }, cutLow: { value: this.cut.min }, cutHigh: { value: this.cut.max }, showsMaps: this.showsMaps,
            scale: { value: scale.map((rgb) => new THREE.Vector3(...rgb)) } };
        const of = { data, scene, texels: this.texels, uniforms };
        const moving = new Set(data.moving), all = data.parts.map((_, part) => part);
        this.batches = [new Batch(of, all.filter((part) => !moving.has(part)), false), new Batch(of, data.moving, true)];
        this.measure();
    }

    /** A box and a ball around each mesh, in its own units. */
    measure() {
        this.bounds = this.data.meshes.map(({ points }) => {
            const box = new THREE.Box3();
            for (let i = 0, p = new THREE.Vector3(); i < points.length; i += 3) box.expandByPoint(p.fromArray(points, i));
            return { box, ball: box.getBoundingSphere(new THREE.Sphere()) };
        });
    }

    /** Places a part by the columns of a 3×4 matrix. After the start only parts that move are placed. */
    place(part, columns) {
        for (let row = 0; row < 3; ++row)
            for (let column = 0; column < 4; ++column) this.texels[16 * part + 4 * row + column] = columns[3 * column + row];
        this.texture.needsUpdate = true;
    }

    placeOf(part) {
        const e = this.texels.subarray(16 * part, 16 * part + 12);
        return new THREE.Matrix4().set(...e, 0, 0, 0, 1);
    }

    /** Sets colour and layer of a part: 0 solid, 1 glass, -1 not drawn. `arrange` follows. */
    look(part, colour, layer) {
        colour.toArray(this.texels, 16 * part + 12);
        this.texels[16 * part + 15] = this.layerOf[part] = layer;
    }

    arrange() {
        this.texture.needsUpdate = true;
        for (const batch of this.batches) batch.arrange(this.layerOf);
    }

    // Where things are

    /** A ball around a part; of radius 0 where there is nothing to see. */
    ballOf(part) {
        const { box, ball } = this.bounds[this.data.parts[part]?.mesh] ?? {};
        if (!ball || box.isEmpty()) return new THREE.Sphere(new THREE.Vector3(), 0);
        return ball.clone().applyMatrix4(this.placeOf(part));
    }

    /** The corners of a box around a part. */
    cornersOf(part) {
        const { box } = this.bounds[this.data.parts[part]?.mesh] ?? {};
        if (!box || box.isEmpty()) return [];
        const place = this.placeOf(part);
        return Array.from({ length: 8 }, (_, i) => new THREE.Vector3(box[i & 1 ? 'max' : 'min'].x,
            box[i & 2 ? 'max' : 'min'].y, box[i & 4 ? 'max' : 'min'].z).applyMatrix4(place));
    }

    /** The first triangle of a layer that a ray meets: { part, triangle, point, corners }, or null. */
    cast(ray, layer) {
        let best = null;
        for (let part = 0; part < this.layerOf.length; ++part) {
            if (this.layerOf[part] !== layer) continue;
            const { box, ball } = this.bounds[this.data.parts[part].mesh];
            if (box.isEmpty()) continue;
            const place = this.placeOf(part), inverse = place.clone().invert();
            // The direction keeps its scale, so that places along the ray are the same in all units.
            const from = ray.origin.clone().applyMatrix4(inverse);
            const along = ray.origin.clone().add(ray.direction).applyMatrix4(inverse).sub(from);
            const middle = ball.center.clone().sub(from), t = middle.dot(along) / along.lengthSq();
            if (!(middle.addScaledVector(along, -t).lengthSq() <= ball.radius ** 2 * 1.001)) continue;
            const hit = this.castMesh(this.data.parts[part].mesh, from, along, ray, best?.t ?? Infinity);
            if (hit) best = { part, ...hit, corners: hit.corners.map((p) => p.applyMatrix4(place)) };
        }
        return best && { ...best, point: ray.origin.clone().addScaledVector(ray.direction, best.t) };
    }

    /** Möller and Trumbore 1997, from both sides, and only within the section box. */
    castMesh(mesh, o, d, ray, nearest) {
        const { points, corners } = this.data.meshes[mesh], place = new THREE.Vector3();
        let best = -1;
        for (let i = 0; i < corners.length; i += 3) {
            const a = 3 * corners[i], b = 3 * corners[i + 1], c = 3 * corners[i + 2];
            const ax = points[a], ay = points[a + 1], az = points[a + 2];
            const ux = points[b] - ax, uy = points[b + 1] - ay, uz = points[b + 2] - az;
            const vx = points[c] - ax, vy = points[c + 1] - ay, vz = points[c + 2] - az;
            const px = d.y * vz - d.z * vy, py = d.z * vx - d.x * vz, pz = d.x * vy - d.y * vx;
            const det = ux * px + uy * py + uz * pz;
            if (det === 0) continue;
            const sx = o.x - ax, sy = o.y - ay, sz = o.z - az;
            const u = (sx * px + sy * py + sz * pz) / det;
            if (!(u >= 0 && u <= 1)) continue;
            const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
            const v = (d.x * qx + d.y * qy + d.z * qz) / det;
            if (!(v >= 0 && u + v <= 1)) continue;
            const t = (vx * qx + vy * qy + vz * qz) / det;
            if (t > 0 && t < nearest && this.cut.containsPoint(ray.at(t, place))) [best, nearest] = [i, t];
        }
        return best < 0 ? null
            : { t: nearest, triangle: best / 3, corners: [0, 1, 2].map((k) => new THREE.Vector3().fromArray(points, 3 * corners[best + k])) };
    }
}
