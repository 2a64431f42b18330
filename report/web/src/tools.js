// SPDX-License-Identifier: Apache-2.0
// The section plane and the ruler.
import { $, press } from './dom.js';
import { distanceHere } from './scale.js';
import { withUnit } from './words.js';

/** A plane that cuts parts away. */
export class Section {
    constructor(data, view) {
        Object.assign(this, { data, view, on: false, axis: 0, flip: false });
        $('section').addEventListener('click', () => this.toggle());
        $('section-at').addEventListener('input', () => this.apply());
        $('section-axis').addEventListener('change', () => {
            this.axis = Number($('section-axis').value);
            $('section-at').value = 0;
            this.apply();
        });
        $('section-flip').addEventListener('click', () => {
            this.flip = !this.flip;
            this.apply();
        });
        this.apply();
    }

    toggle() {
        this.on = !this.on;
        this.apply();
    }

    apply() {
        const { centre, half, size } = this.data.scene;
        // A little beyond the ends, so that the slider also shows and cuts away everything.
        const at = Number($('section-at').value) / 1000 * half[this.axis] * 1.001;
        press('section', this.on);
        press('section-flip', this.flip);
        $('section-tools').hidden = !this.on;
        const says = `${'xyz'[this.axis]} = ${withUnit(this.data, centre[this.axis] + size * at)}`;
        $('section-says').textContent = says;
        $('section-at').setAttribute('aria-valuetext', says);
        this.view?.setCut(this.on ? this.axis : -1, at, this.flip);
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
        $('measured').hidden = !on;
        view.measure(points);
        if (points.length < 2) {
            $('measured').textContent = points.length ? `Pick the second point.${this.here}` : 'Pick two points. Corners attract the pointer.';
            return;
        }
        const { size } = data.scene, along = points[1].clone().sub(points[0]).multiplyScalar(size);
        const rough = data.shown < data.triangles ? ' · on the simplified model' : '';
        $('measured').textContent = `${withUnit(data, along.length())} · ` +
            ['x', 'y', 'z'].map((axis) => `d${axis} ${withUnit(data, along[axis])}`).join(' · ') + rough;
    }
}
