// SPDX-License-Identifier: Apache-2.0
// The colours of clearance maps, and their legend.
import { clearanceOf, mapSteps } from './data.js';
import { $, element } from './dom.js';
import { distanceIn } from './words.js';

// Lightness, green to red, blue to yellow in Oklab (Ottosson 2020): from a dark red to a pale yellow. Lightness grows
// evenly, so that colour-blind eyes see the same order.
const points = [[0.36, 0.135, 0.03], [0.51, 0.16, 0.07], [0.66, 0.115, 0.125], [0.81, 0.03, 0.13], [0.96, -0.02, 0.07]];
const shades = 17;

function toRgb([l, a, b]) {
    const [x, y, z] = [l + 0.3963377774 * a + 0.2158037573 * b, l - 0.1055613458 * a - 0.0638541728 * b,
        l - 0.0894841775 * a - 1.291485548 * b].map((v) => v ** 3);
    return [4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z, -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
        -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z]
        .map((v) => (v <= 0.0031308 ? 12.92 * Math.max(0, v) : Math.min(1, 1.055 * v ** (1 / 2.4) - 0.055)));
}

/** Colours from near to far, which are mixed between: red, green and blue up to 1. */
export const scale = Array.from({ length: shades }, (_, i) => {
    const at = i / (shades - 1) * (points.length - 1), k = Math.min(Math.floor(at), points.length - 2);
    return toRgb(points[k].map((x, c) => x + (at - k) * (points[k + 1][c] - x)));
});
const colours = scale.map((rgb) => `rgb(${rgb.map((x) => Math.round(255 * x)).join()})`);

/** The distance at a drawn triangle in words, no finer than the part's map is. */
export function distanceHere(data, part, triangle) {
    const near = clearanceOf(data, part, triangle), width = data.clearance / mapSteps;
    if (!near) return `more than ${distanceIn(data, data.clearance)}`;
    if (near.step === 1) return `less than ${distanceIn(data, width)}`;
    const unit = 10 ** Math.ceil(Math.log10(width));
    return distanceIn(data, near.step && Number((Math.round(near.distance / unit) * unit).toPrecision(8)));
}

/** The legend of the maps, with a switch. */
export class MapLegend {
    constructor(data, onSwitch) {
        this.data = data;
        if (data.clearance === undefined) return;
        $('map-scale').style.background = `linear-gradient(to right, ${colours.join()})`;
        $('map-ticks').append(...this.ticks().map((text) => element('span', {}, text)));
        const step = Number((data.clearance / mapSteps).toPrecision(2));
        $('map-says').textContent = `Beyond it, parts keep their colours. Steps of ${distanceIn(data, step)}.`;
        $('map-on').addEventListener('change', () => {
            $('map').classList.toggle('off', !this.isOn());
            onSwitch();
        });
    }

    isOn() {
        return $('map-on').checked;
    }

    /** Shows the legend when a part that is shown has a map. */
    show(visible) {
        $('map').hidden = !visible;
    }

    ticks() {
        const { data } = this, number = (x) => distanceIn({ units: '' }, x);
        return ['0', number(data.clearance / 2), distanceIn(data, data.clearance)];
    }

    /** Draws the legend into a picture, in the colours of cards and texts. */
    draw(to, { card: paper, text: ink }) {
        if ($('map').hidden || !this.isOn()) return;
        const wide = 200, shade = to.createLinearGradient(8, 0, 8 + wide, 0);
        colours.forEach((colour, i) => shade.addColorStop(i / (shades - 1), colour));
        to.setTransform(1, 0, 0, 1, 10, to.canvas.height - 60);
        Object.assign(to, { font: '11px system-ui, "DejaVu Sans", sans-serif', textBaseline: 'top', fillStyle: paper });
        to.fillRect(0, 0, wide + 16, 50);
        to.fillStyle = shade;
        to.fillRect(8, 20, wide, 10);
        to.fillStyle = ink;
        to.textAlign = 'left';
        to.fillText($('map-what').textContent, 8, 4);
        this.ticks().forEach((text, i) => {
            to.textAlign = ['left', 'center', 'right'][i];
            to.fillText(text, 8 + i * wide / 2, 34);
        });
        to.resetTransform();
    }
}
