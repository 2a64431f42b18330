// SPDX-License-Identifier: Apache-2.0
import * as THREE from 'three';
import { TreeBoxes } from './boxes.js';
import { Contacts, dots, wideLines } from './contacts.js';
import { isEarlier } from './data.js';
import { Eye } from './eye.js';
import { Labels } from './labels.js';
import { MapLegend } from './scale.js';
import { Solids } from './solids.js';
import { distanceIn } from './words.js';

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

/** Whether the processor draws, which takes twice as long for smooth edges. */
function drawnBySoftware() {
    const gl = document.createElement('canvas').getContext('webgl2');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    return Boolean(info) && /swiftshader|llvmpipe|software/i.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
}

/** The models in 3D. Draws when something has changed, not all the time. */
export class View {
    constructor(canvas, data, { onClash, onPart, onPoint, onTurn, onMoved, inset }) {
        Object.assign(this, { canvas, data, onClash, onPart, onPoint, onTurn });
        Object.assign(this, { frame: -1, selected: null, picked: -1, others: 'x-ray', xray: false, listed: data.clashes, marked: [],
            measuring: false });
        this.hidden = new Uint8Array(data.parts.length);
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !drawnBySoftware(), alpha: true });
        this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.scene = new THREE.Scene();
        this.eye = new Eye(canvas, new THREE.Vector3().fromArray(data.up), { onChange: () => this.draw(), onMoved, inset });
        this.camera = this.eye.camera;
        this.colours = partColours(data.parts).map((colour) => new THREE.Color(colour));
        this.pair = pairColours.map((c) => new THREE.Color(c));
        this.solids = new Solids(data, this.scene);
        this.contacts = new Contacts(data, this.scene);
        Object.assign(this.contacts.markers.material.uniforms, { cutLow: { value: this.solids.cut.min }, cutHigh: { value: this.solids.cut.max } });
        this.cutBox = new THREE.Box3Helper(this.solids.cut);
        Object.assign(this.cutBox, { visible: false, frustumCulled: false, renderOrder: 2 });
        this.scene.add(this.cutBox);
        this.boxes = new TreeBoxes(data, this.scene);
        this.ruler = { line: wideLines(2.5, 6, false), ends: dots(11, 7) };
        this.scene.add(this.ruler.line, this.ruler.ends);
        this.placeOf = (part) => this.solids.placeOf(part);
        this.balls = new Map();
        this.labels = new Labels();
        this.mapLegend = new MapLegend(data, () => this.arrange());
        this.listen();
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
        if (data.frames.length) this.placeFrame(0);
        this.arrange();
        this.fit(false);
    }

    // Parts

    /** In which layer a part is drawn: 0 solid, 1 as glass, -1 not at all. What is selected is never hidden. */
    layerOf(part) {
        const hit = this.selected?.hit;
        const chosen = part === hit?.a || part === hit?.b || part === this.picked;
        if (this.hidden[part] && !chosen) return -1;
        const other = (hit || this.picked >= 0) && !chosen;
        if (other && this.others !== 'shown') return this.others === 'hidden' ? -1 : 1;
        return this.xray ? 1 : 0;
    }

    arrange() {
        const hit = this.selected?.hit;
        for (let part = 0; part < this.data.parts.length; ++part) {
            const role = part === hit?.a ? 0 : part === hit?.b ? 1 : -1;
            this.solids.look(part, role < 0 || this.data.parts.length <= 2 ? this.colours[part] : this.pair[role], this.layerOf(part));
        }
        this.solids.showsMaps.value = this.mapLegend.isOn() ? 1 : 0;
        this.solids.arrange();
        this.mapLegend.show(this.data.parts.some(({ map }, part) => map !== undefined && this.solids.layerOf[part] >= 0));
        this.draw();
    }

    placeFrame(frame) {
        this.frame = frame;
        const { places, parts, moving } = this.data;
        moving.forEach((part, i) => {
            const at = 12 * (parts.length + frame * moving.length + i);
            this.solids.place(part, places.subarray(at, at + 12));
        });
        this.boxes.move(this.placeOf);
    }

    // Contacts

    /** The clashes in the list whose parts are both shown and not cut away. */
    seen() {
        const isCut = ({ ball }) => ball && !this.solids.cut.containsPoint(new THREE.Vector3().fromArray(ball));
        return this.listed.filter(({ hit }) => !this.hidden[hit.a] && !this.hidden[hit.b] && !isCut(hit));
    }

    /** Shows the contacts of the frame, of the selection, or of all clashes in the list. */
    showHits() {
        if (!this.contacts.kind.crossing) return;
        const all = !this.selected && this.frame < 0;
        const hits = this.frame >= 0 ? this.data.frames[this.frame].hits : all ? this.seen().map((c) => c.hit) : [this.selected.hit];
        // Markers are enough for very many clashes.
        this.contacts.show(all && hits.length > 300 ? [] : hits, hits.length > 1 && all, this.placeOf);
        this.showLengths(all || !this.contacts.shows.contacts ? [] : hits.filter((h) => h.closest?.ends.length));
        if (this.frame >= 0) this.showMarkers();
        this.draw();
    }

    /** Labels the lines of these hits: that of the selected clash, or all of a frame, the shortest first. */
    showLengths(hits) {
        const { a, b } = this.selected?.hit ?? {}, chosen = hits.filter((h) => h.a === a && h.b === b);
        const shown = (chosen.length ? chosen : hits).sort((p, q) => p.closest.distance - q.closest.distance);
        this.labels.show(shown.map(({ kind, closest: { distance, ends } }) =>
            ({ text: distanceIn(this.data, distance), colour: this.contacts.kind[kind].getStyle(), ends })));
    }

    /** Marks the clashes in the list. On a timeline each belongs to its own frame. */
    showMarkers() {
        if (!this.contacts.kind.crossing) return;
        const here = this.selected && (this.selected.frame ?? 0) === this.frame ? [this.selected] : [];
        this.marked = (this.frame < 0 ? this.seen() : here)
            .filter((c) => c.hit.pairs || c.hit.closest && c !== this.selected || c.hit.kind === 'inside' && !isEarlier(c));
        this.contacts.mark(this.marked, (hit) => this.ballAt(hit));
        this.draw();
    }

    /** Where a hit is; without contacts, where the smaller part is. */
    ballAt(hit) {
        if (!this.balls.has(hit)) {
            const [a, b] = hit.ball ? [] : [hit.a, hit.b].map((part) => this.solids.ballOf(part));
            this.balls.set(hit, hit.ball ? new THREE.Sphere(new THREE.Vector3().fromArray(hit.ball), hit.ball[3])
                : a.radius > 0 && (a.radius <= b.radius || !b.radius) ? a : b);
        }
        return this.balls.get(hit);
    }

    // State

    setFrame(frame) {
        this.placeFrame(frame);
        this.showHits();
    }

    setColours(colours) {
        this.paint = colours;
        this.contacts.setColours(colours);
        this.boxes.lines.material.color.set(colours.tree);
        this.accent = new THREE.Color(colours.accent);
        this.ruler.line.material.color.copy(this.accent);
        this.cutBox.material.color.copy(this.accent);
        this.ruler.ends.material.uniforms.halo.value.set(colours.halo);
        this.showHits();
        this.showMarkers();
    }

    /** The clashes in the list, which are marked. */
    list(clashes) {
        this.listed = clashes;
        if (!this.selected) this.showHits();
        this.showMarkers();
    }

    select(clash, part = -1) {
        // A line that is shown takes the place of its marker.
        const remark = this.selected?.hit.closest || clash?.hit.closest;
        this.selected = clash;
        this.picked = part;
        this.arrange();
        this.showHits();
        if (remark) this.showMarkers();
    }

    hide(hidden) {
        this.hidden = hidden;
        this.arrange();
        if (!this.selected) this.showHits();
        this.showMarkers();
    }

    /** Other parts than the selected: shown, x-ray or hidden; `xray` is for all. */
    look(others, xray) {
        Object.assign(this, { others, xray });
        this.arrange();
    }

    show(what, on) {
        this.contacts.shows[what] = on;
        this.showHits();
    }

    showTree(part, level) {
        this.boxes.show(part, level);
        this.boxes.move(this.placeOf);
        this.draw();
    }

    /** Cuts away what lies outside of a box in the scene's units; without one nothing. */
    setCut(box) {
        const { min, max } = this.solids.cut;
        min.fromArray(box?.low ?? [-10, -10, -10]);
        max.fromArray(box?.high ?? [10, 10, 10]);
        this.cutBox.visible = Boolean(box);
        if (!this.selected && this.frame < 0) this.showHits();
        this.draw();
    }

    /** A box around where two parts meet, with a little of both: { centre, half }; null where there is nothing to see. */
    boxOf(clash) {
        const sizes = [clash.hit.a, clash.hit.b].map((part) => this.solids.ballOf(part).radius).filter((r) => r > 0);
        if (!sizes.length) return null;
        const { center, radius } = this.ballAt(clash.hit);
        return { centre: center.toArray(), half: Array(3).fill(1.25 * radius + 0.1 * Math.min(...sizes)) };
    }

    boxOfPart(part) {
        const box = new THREE.Box3().setFromPoints(this.solids.cornersOf(part));
        if (box.isEmpty()) return null;
        const size = box.getSize(new THREE.Vector3()), more = 0.05 * Math.max(...size);
        return { centre: box.getCenter(new THREE.Vector3()).toArray(), half: size.toArray().map((x) => x / 2 + more) };
    }

    /** Draws the points that a measurement is taken between: none, one or two. */
    measure(points) {
        const places = new Float32Array(points.flatMap((p) => p.toArray()));
        const { line, ends } = this.ruler;
        line.visible = points.length === 2;
        if (line.visible) line.geometry.setPositions(places);
        ends.geometry.dispose();
        ends.geometry = new THREE.BufferGeometry();
        ends.geometry.setAttribute('position', new THREE.BufferAttribute(places, 3));
        ends.geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(points.flatMap(() => this.accent.toArray())), 3));
        ends.geometry.setAttribute('radius', new THREE.BufferAttribute(new Float32Array(points.length), 1));
        ends.visible = points.length > 0;
        this.draw();
    }

    // The camera

    fit(smooth = true) {
        const half = new THREE.Vector3().fromArray(this.data.scene.half);
        this.eye.fit(Array.from({ length: 8 }, (_, i) =>
            half.clone().multiply(new THREE.Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1))), smooth);
    }

    fitParts(parts) {
        this.eye.fit(parts.flatMap((part) => this.solids.cornersOf(part)));
    }

    flyTo(clash, smooth = true) {
        const { center, radius } = this.ballAt(clash.hit);
        const parts = [clash.hit.a, clash.hit.b].filter((part) => part >= 0);
        const sizes = parts.map((p) => this.solids.ballOf(p).radius).filter((r) => r > 0);
        const line = this.lineOf(clash.hit), least = Math.min(...sizes, 1);
        // Two models are both seen whole, unless one of them or their distance is so small that it could not be seen.
        if (this.data.parts.length <= 2 && Math.max(...sizes) < 8 * Math.min(...sizes) && (!line || radius > 0.05 * Math.max(...sizes)))
            return this.eye.fit(parts.flatMap((part) => this.solids.cornersOf(part)), smooth);
        // Near enough to see the contact or the distance, far enough to see what meets or is apart.
        const around = line ? Math.min(0.75 * least, Math.max(16 * radius, 0.05 * least)) : 0.75 * least;
        this.eye.flyTo(center, Math.max((line ? 3 : 1.4) * radius, around, 1e-5), smooth, line);
    }

    /** The direction of the shortest line of a hit; null where there is none or where the parts meet as well. */
    lineOf({ pairs, closest }) {
        if (pairs || !closest?.ends.length) return null;
        return new THREE.Vector3().fromArray(closest.ends, 3).sub(new THREE.Vector3().fromArray(closest.ends)).normalize();
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const size = [width, height, devicePixelRatio].join();
        if (!width || !height || size === this.size) return;
        if (this.isTaking) return;
        this.size = size;
        this.setSize(width, height, Math.min(devicePixelRatio, 2));
        this.draw();
    }

    setSize(width, height, ratio) {
        Object.assign(this, { width, height });
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.eye.resize(width, height);
        this.contacts.resize(ratio, height);
        for (const [name, value] of [['pixels', ratio], ['height', height]]) this.ruler.ends.material.uniforms[name].value = value;
    }

    draw() {
        if (!this.isTaking) this.pending ||= requestAnimationFrame(() => this.drawNow());
    }

    /** Draws nothing from now on. */
    stop() {
        this.isTaking = true;
        cancelAnimationFrame(this.pending);
    }

    drawNow() {
        const flies = this.eye.advance();
        cancelAnimationFrame(this.pending);
        this.pending = 0;
        this.renderer.render(this.scene, this.camera);
        this.labels.place(this.camera, this.width, this.height, this.eye.inset());
        this.onTurn(this.camera);
        if (flies) this.draw();
    }

    /** A picture of the view, at most this wide. */
    picture(most = Infinity, background = 'white') {
        this.drawNow();
        const scale = Math.min(1, most / this.canvas.width);
        const picture = document.createElement('canvas');
        picture.width = Math.round(scale * this.canvas.width);
        picture.height = Math.round(scale * this.canvas.height);
        const to = picture.getContext('2d');
        to.fillStyle = background;
        to.fillRect(0, 0, picture.width, picture.height);
        to.drawImage(this.canvas, 0, 0, picture.width, picture.height);
        this.labels.draw(to, picture.width / this.width, this.paint);
        this.mapLegend.draw(to, this.paint);
        return picture;
    }

    // The pointer

    listen() {
        let down = null;
        this.canvas.addEventListener('pointerdown', (e) => { down = [e.clientX, e.clientY]; });
        this.canvas.addEventListener('click', (e) => {
            if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
            const hit = this.cast(e);
            if (this.measuring) return hit && this.onPoint(this.snapped(hit, e), hit);
            const clash = this.markerAt(e.offsetX, e.offsetY);
            if (clash) return this.onClash(clash);
            this.onPart(hit ? hit.part : -1, hit?.triangle);
        });
        this.canvas.addEventListener('dblclick', (e) => {
            const hit = !this.measuring && this.cast(e);
            if (hit) this.eye.fly(hit.point, this.eye.offset().multiplyScalar(0.6));
        });
    }

    /** Where a point is on the canvas, in pixels. */
    onCanvas(point) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const p = point.clone().project(this.camera);
        return { x: (p.x + 1) / 2 * width, y: (1 - p.y) / 2 * height, seen: p.z < 1 };
    }

    markerAt(x, y) {
        let best = 12, found = null;
        for (const clash of this.marked) {
            const { center, radius } = this.ballAt(clash.hit), at = this.onCanvas(center);
            const seen = radius / center.distanceTo(this.camera.position) * this.canvas.clientHeight;
            const away = Math.hypot(at.x - x, at.y - y);
            if (at.seen && seen < 40 && away < best) [best, found] = [away, clash];
        }
        return found;
    }

    cast(e) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const { ray } = new THREE.Raycaster();
        ray.origin.setFromMatrixPosition(this.camera.matrixWorld);
        ray.direction.set(e.offsetX / width * 2 - 1, 1 - e.offsetY / height * 2, 0.5).unproject(this.camera).sub(ray.origin).normalize();
        return this.solids.cast(ray, 0) ?? this.solids.cast(ray, 1);
    }

    /** The corner of the triangle next to the pointer, or the point itself when all are far. */
    snapped({ point, corners }, e) {
        const away = (p) => {
            const at = this.onCanvas(p);
            return Math.hypot(at.x - e.offsetX, at.y - e.offsetY);
        };
        return corners.find((p) => away(p) < 10 && corners.every((q) => away(p) <= away(q))) ?? point;
    }
}
