// SPDX-License-Identifier: Apache-2.0
// Lengths beside the lines that they are the lengths of.
import * as THREE from 'three';
import { $, element } from './dom.js';

const height = 20, padding = 7, gap = 8, margin = 6, toolbar = 44;
const font = '600 12px system-ui, "DejaVu Sans", sans-serif';
const mostLabels = 12;

/** The part of a segment of the plane that lies in [0, width] × [0, height] (Liang and Barsky 1984), or null. */
function clipped(from, to, width, high) {
    let first = 0, last = 1;
    for (const [at, along, most] of [[from.x, to.x - from.x, width], [from.y, to.y - from.y, high]])
        for (const [start, step] of [[at, -along], [most - at, along]]) {
            if (step === 0 && start < 0) return null;
            if (step < 0) first = Math.max(first, start / step);
            if (step > 0) last = Math.min(last, start / step);
        }
    return first > last ? null : [from.clone().lerp(to, first), from.clone().lerp(to, last)];
}

/** Labels of lines, in the page and in pictures. Each is beside the middle of what is seen of its line. */
export class Labels {
    constructor() {
        this.lines = [];
        this.placed = [];
        this.pen = document.createElement('canvas').getContext('2d');
        this.pen.font = font;
    }

    /** Sets the lines, the most important first: { text, colour, ends } with two points in one array. */
    show(lines) {
        this.lines = lines.slice(0, mostLabels).map((line) => ({ ...line, width: this.pen.measureText(line.text).width + 2 * padding }));
    }

    /** Places the labels on a view of this size, of which the right is covered. Of two that would cover each other the first stays. */
    place(camera, width, high, covered) {
        const free = width - covered, above = high - toolbar;
        this.placed = [];
        for (const line of this.lines) {
            const ends = this.onView(line.ends, camera, width, high), seen = ends && clipped(...ends, free, above);
            const box = seen && this.sides(seen, line.width, free, above).find((at) => this.placed.every((other) =>
                Math.abs(at.x - other.x) >= (line.width + other.width) / 2 || Math.abs(at.y - other.y) >= height));
            if (box) this.placed.push({ ...line, ...box });
        }
        $('distances').replaceChildren(...this.placed.map(({ text, colour, x, y, width: wide }) => element('span', { style:
            `--colour: ${colour}; width: ${wide}px; height: ${height}px; transform: translate(${x - wide / 2}px, ${y - height / 2}px)` }, text)));
    }

    /** The two ends in pixels; null when both are behind the camera. */
    onView(ends, camera, width, high) {
        const [from, to] = [0, 3].map((i) => new THREE.Vector3().fromArray(ends, i).applyMatrix4(camera.matrixWorldInverse));
        const depth = -camera.near;
        if (from.z > depth && to.z > depth) return null;
        for (const [p, q] of [[from, to], [to, from]]) if (p.z > depth) p.lerp(q, (depth - p.z) / (q.z - p.z));
        return [from, to].map((p) => {
            p.applyMatrix4(camera.projectionMatrix);
            return new THREE.Vector2((p.x + 1) / 2 * width, (1 - p.y) / 2 * high);
        });
    }

    /** Where a label can be: above the line, or right of it when it is upright; or on the other side. */
    sides([from, to], wide, width, high) {
        const across = new THREE.Vector2(to.y - from.y, from.x - to.x).normalize();
        if (!across.lengthSq()) across.set(0, -1);
        if (Math.abs(across.x) > 0.95 ? across.x < 0 : across.y > 0) across.negate();
        const off = Math.abs(across.x) * wide / 2 + Math.abs(across.y) * height / 2 + gap;
        const within = (x, size, most) => Math.max(size / 2 + margin, Math.min(most - size / 2 - margin, x));
        return [off, -off].map((by) => ({
            x: within((from.x + to.x) / 2 + by * across.x, wide, width), y: within((from.y + to.y) / 2 + by * across.y, height, high) }));
    }

    /** Draws the labels into a picture of the view, which is scaled so, in the colours of cards and texts. */
    draw(to, scale, { card: paper, text: ink }) {
        const size = Math.max(1, scale);
        for (const { text, colour, width, x, y } of this.placed) {
            to.setTransform(size, 0, 0, size, scale * x, scale * y);
            to.beginPath();
            to.roundRect(-width / 2, -height / 2, width, height, 5);
            Object.assign(to, { font, textAlign: 'center', textBaseline: 'middle', fillStyle: paper, strokeStyle: colour });
            to.fill();
            to.stroke();
            to.fillStyle = ink;
            to.fillText(text, 0, 1);
        }
        to.resetTransform();
    }
}
