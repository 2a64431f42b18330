// SPDX-License-Identifier: Apache-2.0
// The section box and the ruler.
import { $, element, press } from './dom.js';
import { distanceHere } from './scale.js';
import { unitNote, withUnit } from './words.js';

const steps = 1000;  // of a slider
const least = 1e-4;  // the thinnest box, as a part of what its sliders reach over

/**
 * A box outside of which parts are cut away: six planes, each with a slider. It begins around the selection, and follows
 * it from clash to clash. Its sliders then reach over a few times its size, so that they are as fine as the clash is small.
 */
export class Section {
    constructor(data, view, selectionBox) {
        Object.assign(this, { data, view, selectionBox, on: false, low: [0, 0, 0], high: [0, 0, 0], reach: [] });
        this.sides = ['x', 'y', 'z'].map((name, axis) => {
            const sliders = ['from', 'to'].map((word, end) => {
                const slider = element('input', { type: 'range', min: 0, max: steps, 'aria-label': `${name} ${word}`, 'data-side': `${name}-${word}` });
                slider.addEventListener('input', () => this.move(axis, end, Number(slider.value) / steps));
                return slider;
            });
            const says = element('output');
            $('section-sides').append(element('span', { class: 'axis' }, name), ...sliders, says);
            return { name, sliders, says };
        });
        $('section').addEventListener('click', () => this.toggle());
        $('section-here').addEventListener('click', () => this.around(this.selectionBox()));
        $('section-all').addEventListener('click', () => this.around(null));
    }

    toggle() {
        this.on = !this.on && Boolean(this.view);
        if (this.on) this.around(this.selectionBox());
        else this.show();
    }

    /** Another selection: the box goes there. */
    follow() {
        const box = this.on && this.selectionBox();
        if (box) this.around(box);
        else if (this.on) this.show();
    }

    /** Around a box with centre and half sizes, or the whole model. */
    around(box) {
        const { half } = this.data.scene;
        this.reach = half.map((most, k) => {
            const [centre, size] = box ? [box.centre[k], box.half[k]] : [0, most];
            return box ? [Math.max(-most, centre - 4 * size), Math.min(most, centre + 4 * size)].map((x) => 1.001 * x) : [-1.001 * most, 1.001 * most];
        });
        this.low = this.reach.map(([from], k) => (box ? Math.max(from, box.centre[k] - box.half[k]) : from));
        this.high = this.reach.map(([, to], k) => (box ? Math.min(to, box.centre[k] + box.half[k]) : to));
        this.show();
    }

    /** Moves one side, and the opposite one before it. */
    move(axis, end, part) {
        const [from, to] = this.reach[axis], thin = least * (to - from), at = from + part * (to - from);
        if (end) this.high[axis] = Math.max(at, from + thin);
        else this.low[axis] = Math.min(at, to - thin);
        if (end) this.low[axis] = Math.min(this.low[axis], this.high[axis] - thin);
        else this.high[axis] = Math.max(this.high[axis], this.low[axis] + thin);
        this.show();
    }

    show() {
        press('section', this.on);
        $('section-box').hidden = !this.on;
        document.body.classList.toggle('has-section', this.on);
        $('section-here').hidden = !this.on || !this.selectionBox();
        const { centre, size } = this.data.scene;
        if (this.on)
            this.sides.forEach(({ name, sliders, says }, k) => {
                const [from, to] = this.reach[k], ends = [this.low[k], this.high[k]];
                // No finer than a step of the slider.
                const digits = 10 ** Math.floor(Math.log10(size * (to - from) / steps || 1));
                const words = ends.map((x) => Number((Math.round((centre[k] + size * x) / digits) * digits).toPrecision(8)));
                sliders.forEach((slider, i) => {
                    slider.value = steps * (ends[i] - from) / (to - from || 1);
                    slider.setAttribute('aria-valuetext', `${name} ${words[i]} ${this.data.units}`);
                });
                says.textContent = `${words[0]} to ${words[1]} ${this.data.units}`;
            });
        this.view?.setCut(this.on ? { low: this.low, high: this.high } : null);
    }
}

/** Measures between two points that are picked on surfaces. */
export class Ruler {
    constructor(data, view) {
        Object.assign(this, { data, view, points: [] });
        $('measure').addEventListener('click', () => this.toggle());
    }

    toggle() {
        if (!this.view) return;
        this.view.measuring = !this.view.measuring;
        this.points = [];
        this.show();
    }

    isOn() {
        return Boolean(this.view?.measuring);
    }

    /** Takes a point on a triangle of a part. */
    add(point, { part, triangle }) {
        this.points = this.points.length === 1 ? [this.points[0], point] : [point];
        this.here = this.data.parts[part].map === undefined ? '' : ` · ${distanceHere(this.data, part, triangle)} from other parts`;
        this.show();
    }

    show() {
        const { data, points, view } = this, on = view.measuring;
        press('measure', on);
        $('canvas').classList.toggle('measuring', on);
        document.body.classList.toggle('has-ruler', on);
        $('measured').hidden = !on;
        view.measure(points);
        if (points.length < 2) {
            $('measured').textContent = points.length ? `Pick the second point.${this.here}` : 'Pick two points. Corners attract the pointer.';
            return;
        }
        const { size } = data.scene, along = points[1].clone().sub(points[0]).multiplyScalar(size);
        const rough = data.shown < data.triangles ? ' · on the simplified model' : '';
        $('measured').textContent = `${withUnit(data, along.length())} · ` +
            ['x', 'y', 'z'].map((axis) => `d${axis} ${withUnit(data, along[axis])}`).join(' · ') + unitNote(data) + rough;
    }
}
