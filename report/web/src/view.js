// SPDX-License-Identifier: Apache-2.0
import * as THREE from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { Eye } from './eye.js';
import { geometryOf, ghostMaterial, markerMaterial, solidMaterial } from './shapes.js';

THREE.ColorManagement.enabled = false;  // colours of the style sheet come out as they are

export const palette = ['#a3b5ca', '#d6c39c', '#a9c6a8', '#c7adc0', '#9cc7c6', '#cdb3a2', '#b5b6d3', '#c3c79b'];
export const pairColours = ['#c3cddb', '#a2b89b'];

/** A colour for each part: by its group; where all are of one, by its name without its number. */
export function partColours(parts) {
    const grouped = parts.length <= 2 || parts.some((p) => p.group !== parts[0].group);
    const keys = parts.map((p) => (grouped ? p.group : p.name.replace(/[\d._-]*(\.\w+)?$/, '')));
    const distinct = new Map([...new Set(keys)].map((key, i) => [key, palette[i % palette.length]]));
    return keys.map((key) => distinct.get(key));
}

const boxEdges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/** The models in 3D. Draws when something has changed, not all the time. */
export class View {
    constructor(canvas, data, { onClash, onPart, onTurn, onMoved }) {
        this.canvas = canvas;
        this.data = data;
        this.onTurn = onTurn;
        this.frame = -1;
        this.selected = null;
        this.picked = -1;
        this.others = 'x-ray';
        this.xray = false;
        this.shows = { contacts: true, curves: true };
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
        this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.scene = new THREE.Scene();
        this.eye = new Eye(canvas, new THREE.Vector3().fromArray(data.up), { onChange: () => this.draw(), onMoved });
        this.camera = this.eye.camera;

        this.colours = partColours(data.parts).map((colour) => new THREE.Color(colour));
        this.pair = pairColours.map((c) => new THREE.Color(c));
        this.kind = {};
        this.addParts();
        this.addContacts();
        this.addMarkers();
        this.addTree();
        this.listen(onClash, onPart);
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
        this.setFrame(data.frames.length ? 0 : -1);
        this.fit(false);
    }

    // Parts

    addParts() {
        const solid = solidMaterial(), ghost = ghostMaterial();
        const partsOf = this.data.meshes.map(() => []);
        this.data.parts.forEach((p, i) => partsOf[p.mesh].push(i));
        this.shapes = this.data.meshes.flatMap((mesh, m) => {
            const parts = partsOf[m];
            if (!mesh.corners.length || !parts.length) return [];
            const geometry = geometryOf(mesh);
            geometry.computeBoundingSphere();
            const layers = [solid, ghost].map((material, layer) => {
                const instances = new THREE.InstancedMesh(geometry, material, parts.length);
                instances.setColorAt(0, this.colours[0]);
                instances.renderOrder = layer;
                instances.parts = [];
                this.scene.add(instances);
                return instances;
            });
            return [{ mesh: m, parts, layers }];
        });
        this.shapeOf = new Map(this.shapes.map((s) => [s.mesh, s]));
        const moving = new Set(this.data.moving.map((p) => this.data.parts[p].mesh));
        for (const s of this.shapes) s.moves = moving.has(s.mesh);
        this.movingAt = new Map(this.data.moving.map((part, i) => [part, i]));
    }

    /** From the units of the part's mesh to the scene's, at the frame shown or another. */
    placeOf(part, frame = this.frame) {
        const { places, parts, moving } = this.data;
        const j = frame < 0 ? undefined : this.movingAt.get(part);
        const at = 12 * (j === undefined ? part : parts.length + frame * moving.length + j);
        const e = places.subarray(at, at + 12);
        return new THREE.Matrix4().set(e[0], e[3], e[6], e[9], e[1], e[4], e[7], e[10], e[2], e[5], e[8], e[11],
            0, 0, 0, 1);
    }

    /** In which layer a part is drawn: 0 solid, 1 as glass, -1 not at all. */
    layerOf(part) {
        const hit = this.selected?.hit;
        const other = (hit || this.picked >= 0) && part !== hit?.a && part !== hit?.b && part !== this.picked;
        if (other && this.others !== 'shown') return this.others === 'hidden' ? -1 : 1;
        return this.xray ? 1 : 0;
    }

    placeParts(onlyMoving = false) {
        const hit = this.selected?.hit;
        for (const { parts, layers, moves } of this.shapes) {
            if (onlyMoving && !moves) continue;
            for (const layer of layers) layer.parts = [];
            for (const part of parts) {
                const layer = layers[this.layerOf(part)];
                if (!layer) continue;
                const i = layer.parts.push(part) - 1;
                layer.setMatrixAt(i, this.placeOf(part));
                const role = part === hit?.a ? 0 : part === hit?.b ? 1 : -1;
                layer.setColorAt(i, role < 0 || this.data.parts.length <= 2 ? this.colours[part] : this.pair[role]);
            }
            for (const layer of layers) {
                layer.count = layer.parts.length;
                layer.visible = layer.count > 0;
                layer.instanceMatrix.needsUpdate = true;
                layer.instanceColor.needsUpdate = true;
                layer.boundingSphere = null;
            }
        }
        this.draw();
    }

    /** A ball around a part; of radius 0 where there is nothing to see. */
    ballOf(part) {
        const shape = this.shapeOf.get(this.data.parts[part]?.mesh);
        if (!shape) return new THREE.Sphere(new THREE.Vector3(), 0);
        return shape.layers[0].geometry.boundingSphere.clone().applyMatrix4(this.placeOf(part));
    }

    // Contacts and curves

    addContacts() {
        this.contacts = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({
            vertexColors: true, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -1,
            polygonOffsetUnits: -1, transparent: true }));
        this.contacts.renderOrder = 0.5;
        const line = (linewidth, vertexColors, order) => {
            const lines = new LineSegments2(new LineSegmentsGeometry(), new LineMaterial({ linewidth, vertexColors,
                depthTest: false, depthWrite: false, transparent: true }));
            lines.renderOrder = order;
            return lines;
        };
        this.halo = line(5, false, 3);
        this.curves = line(2.5, true, 4);
        this.hairs = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({
            vertexColors: true, depthTest: false, depthWrite: false, transparent: true }));
        this.hairs.renderOrder = 4;
        for (const o of [this.contacts, this.halo, this.curves, this.hairs]) {
            o.frustumCulled = false;
            this.scene.add(o);
        }
    }

    /** The contacts to draw: of the frame, of the selection, or all. */
    hits() {
        if (this.frame >= 0) return this.data.frames[this.frame].hits;
        return this.selected ? [this.selected.hit] : this.data.clashes.map((c) => c.hit);
    }

    /** Calls `each` with the corners of each triangle that meets another, in the scene's units. */
    trianglesOf(hit, each) {
        const { pairs, exact } = this.data;
        const corners = [0, 3, 6].map(() => new THREE.Vector3());
        for (const [side, part] of [hit.a, hit.b].entries()) {
            if (!hit.pairs) continue;
            const seen = new Set(), place = this.placeOf(part);
            for (let i = hit.firstPair; i < hit.firstPair + hit.pairs; ++i) {
                const t = pairs[2 * i + side];
                if (seen.has(t)) continue;
                seen.add(t);
                corners.forEach((p, k) => p.fromArray(exact, 9 * t + 3 * k).applyMatrix4(place));
                each(corners);
            }
        }
    }

    showHits() {
        const hits = this.hits(), many = hits.length > 1 && this.frame < 0;
        const most = hits.reduce((sum, h) => sum + 6 * h.pairs, 0);
        const corners = new Float32Array(3 * most), colours = new Float32Array(3 * most);
        let n = 0;
        for (const hit of hits) {
            // In an overview a triangle much larger than the contact would only hide where that is.
            const ball = many && hit.ball && this.sphereOf(hit);
            if (ball) ball.radius *= 4;
            this.trianglesOf(hit, (triangle) => {
                if (ball && !triangle.every((p) => ball.containsPoint(p))) return;
                for (const p of triangle) {
                    p.toArray(corners, n);
                    this.kind[hit.kind].toArray(colours, n);
                    n += 3;
                }
            });
        }
        this.contacts.geometry.dispose();
        const geometry = this.contacts.geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', new THREE.BufferAttribute(corners.subarray(0, n), 3));
        geometry.setAttribute('color', new THREE.BufferAttribute(colours.subarray(0, n), 3));
        this.contacts.visible = this.shows.contacts && n > 0;
        this.contacts.material.opacity = many ? 0.45 : 0.55;

        const segments = hits.reduce((sum, h) => sum + h.curves, 0);
        const ends = new Float32Array(6 * segments), shades = new Float32Array(6 * segments);
        let at = 0;
        for (const hit of hits) {
            ends.set(this.data.curves.subarray(6 * hit.firstCurve, 6 * (hit.firstCurve + hit.curves)), at);
            for (let i = 0; i < 2 * hit.curves; ++i, at += 3) this.kind[hit.kind].toArray(shades, at);
        }
        // A wide segment costs six triangles, twice with its halo.
        const wide = segments > 0 && segments <= 20000;
        for (const lines of [this.curves, this.hairs]) lines.geometry.dispose();
        if (wide) {
            this.curves.geometry = this.halo.geometry =
                new LineSegmentsGeometry().setPositions(ends).setColors(shades);
        } else {
            this.hairs.geometry = new THREE.BufferGeometry();
            this.hairs.geometry.setAttribute('position', new THREE.BufferAttribute(ends, 3));
            this.hairs.geometry.setAttribute('color', new THREE.BufferAttribute(shades, 3));
        }
        this.curves.material.linewidth = many ? 1.5 : 2.5;
        this.curves.visible = this.shows.curves && wide;
        this.halo.visible = this.curves.visible && !many;
        this.hairs.visible = this.shows.curves && segments > 0 && !wide;
        this.draw();
    }

    /** Where a hit is; without contacts, where the smaller part is. */
    sphereOf(hit) {
        if (hit.ball) return new THREE.Sphere(new THREE.Vector3().fromArray(hit.ball), hit.ball[3]);
        const [a, b] = [hit.a, hit.b].map((part) => this.ballOf(part));
        return a.radius > 0 && (a.radius <= b.radius || !b.radius) ? a : b;
    }

    addMarkers() {
        this.markers = new THREE.Points(new THREE.BufferGeometry(), markerMaterial());
        this.markers.frustumCulled = false;
        this.markers.renderOrder = 5;
        this.scene.add(this.markers);
        this.marked = [];
    }

    /** Marks these clashes; a timeline has none, as each belongs to its own frame. */
    mark(clashes) {
        this.marked = this.data.frames.length ? [] : clashes.filter((c) => c.hit.pairs || c.hit.kind === 'inside' && c.state !== 'resolved');
        const geometry = new THREE.BufferGeometry();
        const attribute = (name, size, values) =>
            geometry.setAttribute(name, new THREE.Float32BufferAttribute(values, size));
        attribute('position', 3, this.marked.flatMap((c) => this.sphereOf(c.hit).center.toArray()));
        attribute('color', 3, this.marked.flatMap((c) => this.kind[c.hit.kind].toArray()));
        attribute('radius', 1, this.marked.map((c) => this.sphereOf(c.hit).radius));
        this.markers.geometry.dispose();
        this.markers.geometry = geometry;
        this.markers.visible = this.marked.length > 0;
        this.markers.material.uniforms.size.value = this.marked.length > 150 ? 8 : 13;
        this.draw();
    }

    // The tree

    addTree() {
        this.tree = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({
            transparent: true, opacity: 0.8 }));
        this.tree.frustumCulled = this.tree.visible = this.tree.matrixAutoUpdate = false;
        this.scene.add(this.tree);
    }

    /** The boxes of one level of a part's tree, the root's being 0; none for -1. */
    showTree(part, level) {
        this.treePart = part;
        this.tree.visible = level >= 0;
        if (level >= 0) {
            const { first, levels } = this.data.parts[part].tree;
            const begin = first + levels.slice(0, level).reduce((a, b) => a + b, 0), n = levels[level];
            const corners = new Float32Array(24 * n), index = new Uint32Array(24 * n);
            for (let i = 0; i < n; ++i) {
                const b = this.data.boxes.subarray(12 * (begin + i), 12 * (begin + i + 1));
                for (let corner = 0; corner < 8; ++corner)
                    for (let k = 0; k < 3; ++k)
                        corners[24 * i + 3 * corner + k] = b[9 + k] + (corner & 1 ? b[k] : -b[k]) +
                            (corner & 2 ? b[3 + k] : -b[3 + k]) + (corner & 4 ? b[6 + k] : -b[6 + k]);
                for (let e = 0; e < 24; ++e) index[24 * i + e] = 8 * i + boxEdges[e];
            }
            this.tree.geometry.dispose();
            this.tree.geometry = new THREE.BufferGeometry();
            this.tree.geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
            this.tree.geometry.setIndex(new THREE.BufferAttribute(index, 1));
            this.tree.matrix.copy(this.placeOf(part));
        }
        this.draw();
    }

    // State

    setFrame(frame) {
        const first = this.frame !== frame && this.frame < 0;
        this.frame = frame;
        this.placeParts(!first && frame >= 0);
        if (this.tree.visible) this.tree.matrix.copy(this.placeOf(this.treePart));
        if (this.kind.crossing) this.showHits();
    }

    setColours({ kinds, halo, tree }) {
        for (const [kind, colour] of Object.entries(kinds)) this.kind[kind] = new THREE.Color(colour);
        this.halo.material.color.set(halo);
        this.halo.material.opacity = 0.75;
        this.markers.material.uniforms.halo.value.set(halo);
        this.tree.material.color.set(tree);
        this.showHits();
        this.mark(this.marked);
    }

    select(clash, part = -1) {
        this.selected = clash;
        this.picked = part;
        this.placeParts();
        this.showHits();
    }

    /** Other parts than the selected: shown, x-ray or hidden; `xray` is for all. */
    look(others, xray) {
        this.others = others;
        this.xray = xray;
        this.placeParts();
    }

    show(what, on) {
        this.shows[what] = on;
        this.showHits();
    }

    // The camera

    fit(fly = true) {
        this.eye.fit(new THREE.Vector3().fromArray(this.data.scene.half), fly);
    }

    flyTo(clash, smooth = true) {
        const { center, radius } = this.sphereOf(clash.hit);
        const sizes = [clash.hit.a, clash.hit.b].map((p) => this.ballOf(p).radius).filter((r) => r > 0);
        // Near enough to see the contact, far enough to see what meets.
        this.eye.flyTo(center, Math.max(1.4 * radius, 0.75 * Math.min(...sizes, 1), 1e-5), smooth);
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const size = [width, height, devicePixelRatio].join();
        if (!width || !height || size === this.size) return;
        this.size = size;
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.markers.material.uniforms.pixels.value = this.renderer.getPixelRatio();
        this.markers.material.uniforms.height.value = height;
        this.draw();
    }

    draw() {
        this.pending ||= requestAnimationFrame(() => this.drawNow());
    }

    /** What the view shows, as a picture of its own. */
    picture() {
        this.drawNow();
        const picture = document.createElement('canvas');
        Object.assign(picture, { width: this.canvas.width, height: this.canvas.height });
        picture.getContext('2d').drawImage(this.canvas, 0, 0);
        return picture;
    }

    drawNow() {
        const flies = this.eye.advance();
        this.pending = 0;
        this.renderer.render(this.scene, this.camera);
        this.onTurn(this.camera);
        if (flies) this.draw();
    }

    // The pointer

    listen(onClash, onPart) {
        let down = null;
        this.canvas.addEventListener('pointerdown', (e) => { down = [e.clientX, e.clientY]; });
        this.canvas.addEventListener('click', (e) => {
            if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
            const clash = this.markerAt(e.offsetX, e.offsetY);
            if (clash) return onClash(clash);
            const hit = this.cast(e);
            onPart(hit ? hit.object.parts[hit.instanceId] : -1);
        });
        this.canvas.addEventListener('dblclick', (e) => {
            const hit = this.cast(e);
            if (hit) this.eye.fly(hit.point, this.eye.offset().multiplyScalar(0.6));
        });
    }

    markerAt(x, y) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        let best = 12, found = null;
        for (const clash of this.marked) {
            const { center, radius } = this.sphereOf(clash.hit);
            const p = center.clone().project(this.camera);
            const seen = radius / center.distanceTo(this.camera.position) * height;
            const away = Math.hypot((p.x + 1) / 2 * width - x, (1 - p.y) / 2 * height - y);
            if (p.z < 1 && seen < 40 && away < best) [best, found] = [away, clash];
        }
        return found;
    }

    cast(e) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const ray = new THREE.Raycaster();
        ray.setFromCamera(new THREE.Vector2(e.offsetX / width * 2 - 1, 1 - e.offsetY / height * 2), this.camera);
        const layer = (i) => this.shapes.map((s) => s.layers[i]).filter((l) => l.visible);
        return ray.intersectObjects(layer(0), false)[0] ?? ray.intersectObjects(layer(1), false)[0];
    }
}
