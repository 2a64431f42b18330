// SPDX-License-Identifier: Apache-2.0
import * as THREE from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { dotMaterial } from './shapes.js';

const mostWide = 6000;  // a wide segment costs six triangles, twice with its halo

/** Replaces the geometry of an object; positions and colours are three numbers per point. */
function fill(object, positions, colours, more = {}) {
    object.geometry.dispose();
    object.geometry = new THREE.BufferGeometry();
    object.geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    object.geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
    for (const [name, values] of Object.entries(more)) object.geometry.setAttribute(name, new THREE.BufferAttribute(values, 1));
}

/** Lines of visible width. */
export function wideLines(linewidth, renderOrder, vertexColors) {
    const lines = new LineSegments2(new LineSegmentsGeometry(), new LineMaterial({ linewidth, vertexColors,
        depthTest: false, depthWrite: false, transparent: true }));
    return Object.assign(lines, { renderOrder, frustumCulled: false, visible: false });
}

export function dots(size, renderOrder) {
    const points = new THREE.Points(new THREE.BufferGeometry(), dotMaterial(size));
    return Object.assign(points, { renderOrder, frustumCulled: false, visible: false });
}

/**
 * Where parts meet: segments where triangles cross, areas where they overlap in one plane, dots where they share a
 * point, and the shortest line where they are apart. All of it is seen through the parts. Whole triangles are drawn on demand, and for duplicates.
 */
export class Contacts {
    constructor(data, scene) {
        this.data = data;
        this.shows = { contacts: true, triangles: false };
        this.kind = {};
        const flat = (depthTest) => new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide, depthTest,
            depthWrite: false, transparent: true, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 });
        this.triangles = new THREE.Mesh(new THREE.BufferGeometry(), flat(true));
        this.areas = new THREE.Mesh(new THREE.BufferGeometry(), flat(false));
        this.halo = wideLines(6, 3, false);
        this.curves = wideLines(3, 4, true);
        this.hairs = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({
            vertexColors: true, depthTest: false, depthWrite: false, transparent: true }));
        this.dots = dots(9, 4.5);
        this.markers = dots(13, 5);
        Object.assign(this.triangles, { renderOrder: 0.5, frustumCulled: false });
        Object.assign(this.areas, { renderOrder: 2.5, frustumCulled: false });
        Object.assign(this.hairs, { renderOrder: 4, frustumCulled: false });
        scene.add(this.triangles, this.areas, this.halo, this.curves, this.hairs, this.dots, this.markers);
    }

    setColours({ kinds, halo }) {
        for (const [kind, colour] of Object.entries(kinds)) this.kind[kind] = new THREE.Color(colour);
        this.halo.material.color.set(halo);
        this.halo.material.opacity = 0.85;
        for (const { material } of [this.dots, this.markers]) material.uniforms.halo.value.set(halo);
    }

    resize(pixels, height) {
        for (const { material } of [this.dots, this.markers]) {
            material.uniforms.pixels.value = pixels;
            material.uniforms.height.value = height;
        }
    }

    /** Shows the contacts of these hits. In an overview of many they are drawn finer. */
    show(hits, overview, placeOf) {
        this.showTriangles(this.shows.triangles ? hits : this.shows.contacts ? hits.filter((h) => h.kind === 'duplicate') : [], placeOf);
        const drawn = this.shows.contacts ? hits : [];
        this.showAreas(drawn);
        this.showCurves(drawn, overview);
        const [places, colours] = this.gather(drawn, this.data.dots, (h) => [3 * h.firstDot, 3 * h.dots]), n = places.length / 3;
        fill(this.dots, places, colours, { radius: new Float32Array(n) });
        this.dots.material.uniforms.size.value = overview ? 5 : 9;
        this.dots.visible = n > 0;
    }

    /** Copies a range of numbers of each hit and the ends of its shortest line, and its colour for each point. */
    gather(hits, from, rangeOf) {
        const ends = (hit) => hit.closest?.ends ?? [];
        const n = hits.reduce((sum, hit) => sum + rangeOf(hit)[1] + ends(hit).length, 0);
        const places = new Float32Array(n), colours = new Float32Array(n);
        let at = 0;
        for (const hit of hits) {
            const [first, count] = rangeOf(hit), { r, g, b } = this.kind[hit.kind];
            places.set(from.subarray(first, first + count), at);
            places.set(ends(hit), at + count);
            for (const end = at + count + ends(hit).length; at < end; at += 3) {
                colours[at] = r;
                colours[at + 1] = g;
                colours[at + 2] = b;
            }
        }
        return [places, colours];
    }

    showCurves(hits, overview) {
        const [ends, colours] = this.gather(hits, this.data.curves, (h) => [6 * h.firstCurve, 6 * h.curves]), n = ends.length / 6;
        const wide = n > 0 && n <= mostWide;
        this.curves.geometry.dispose();
        if (wide) this.curves.geometry = this.halo.geometry = new LineSegmentsGeometry().setPositions(ends).setColors(colours);
        else fill(this.hairs, ends, colours);
        this.curves.material.linewidth = overview ? 2 : 3;
        this.curves.visible = wide;
        this.halo.visible = wide && !overview;
        this.hairs.visible = n > 0 && !wide;
    }

    showAreas(hits) {
        const { areaStarts: starts, areaCorners: from } = this.data;
        const triangles = hits.reduce((sum, h) => sum + starts[h.firstArea + h.areas] - starts[h.firstArea] - 2 * h.areas, 0);
        const corners = new Float32Array(9 * triangles), colours = new Float32Array(9 * triangles);
        let at = 0;
        for (const hit of hits)
            for (let area = hit.firstArea; area < hit.firstArea + hit.areas; ++area)
                // A convex polygon is a fan of triangles.
                for (let k = starts[area] + 1; k + 1 < starts[area + 1]; ++k)
                    for (const corner of [starts[area], k, k + 1]) {
                        corners.set(from.subarray(3 * corner, 3 * corner + 3), at);
                        this.kind[hit.kind].toArray(colours, at);
                        at += 3;
                    }
        fill(this.areas, corners, colours);
        this.areas.visible = triangles > 0;
        this.areas.material.opacity = 0.6;
    }

    /** Whole triangles that meet others, each once. */
    showTriangles(hits, placeOf) {
        const { pairs, exact } = this.data, p = new THREE.Vector3();
        const most = hits.reduce((sum, h) => sum + 6 * h.pairs, 0);
        const corners = new Float32Array(3 * most), colours = new Float32Array(3 * most);
        let n = 0;
        for (const hit of hits)
            for (const [side, part] of [hit.a, hit.b].entries()) {
                if (!hit.pairs) continue;
                const seen = new Set(), place = placeOf(part);
                for (let i = hit.firstPair; i < hit.firstPair + hit.pairs; ++i) {
                    const t = pairs[2 * i + side];
                    if (seen.has(t)) continue;
                    seen.add(t);
                    for (let k = 0; k < 9; k += 3, n += 3) {
                        p.fromArray(exact, 9 * t + k).applyMatrix4(place).toArray(corners, n);
                        this.kind[hit.kind].toArray(colours, n);
                    }
                }
            }
        fill(this.triangles, corners.subarray(0, n), colours.subarray(0, n));
        this.triangles.visible = n > 0;
        this.triangles.material.opacity = 0.55;
    }

    /** Marks clashes, whose balls are { center, radius }. */
    mark(clashes, ballOf) {
        const n = clashes.length, places = new Float32Array(3 * n), colours = new Float32Array(3 * n), radius = new Float32Array(n);
        clashes.forEach(({ hit }, i) => {
            const ball = ballOf(hit);
            ball.center.toArray(places, 3 * i);
            radius[i] = ball.radius;
            this.kind[hit.kind].toArray(colours, 3 * i);
        });
        fill(this.markers, places, colours, { radius });
        this.markers.visible = n > 0;
        this.markers.material.uniforms.size.value = n > 2000 ? 5 : n > 150 ? 8 : 13;
    }
}
