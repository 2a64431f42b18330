// SPDX-License-Identifier: Apache-2.0
import { element } from './dom.js';

const whole = 300;   // lists up to this long are all in the page, so that the browser's own search finds every row
const margin = 400;  // pixels drawn above and below what is in sight

/** A long list of which only the rows in sight are in the page. */
export class Rows {
    constructor(list, { heightOf, render }) {
        Object.assign(this, { list, heightOf, render, items: [], shown: null });
        list.addEventListener('scroll', () => this.draw());
        new ResizeObserver(() => this.draw()).observe(list);
    }

    set(items) {
        this.items = items;
        this.tops = new Float64Array(items.length + 1);
        items.forEach((item, i) => { this.tops[i + 1] = this.tops[i] + this.heightOf(item); });
        this.shown = null;
        this.draw();
    }

    /** The first row that ends below a place. */
    at(y) {
        let low = 0, high = this.items.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.tops[middle + 1] > y) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    draw() {
        const { items, tops, list } = this, n = items.length, y = list.scrollTop;
        const all = n <= whole;
        const from = all ? 0 : this.at(y - margin), to = all ? n : Math.min(n, this.at(y + list.clientHeight + margin) + 1);
        if (this.shown && this.shown[0] <= this.at(y) && this.shown[1] >= Math.min(n, this.at(y + list.clientHeight) + 1)) return;
        this.shown = [from, to];
        const space = (height) => element('li', { role: 'presentation', class: 'space', style: `height: ${height}px` });
        const rows = items.slice(from, to).map((item, i) => {
            const row = this.render(item, from + i);
            row.style.height = `${tops[from + i + 1] - tops[from + i]}px`;
            return row;
        });
        list.replaceChildren(space(tops[from]), ...rows, space(tops[n] - tops[to]));
    }

    /** Draws the rows again: what they say has changed. */
    refresh() {
        this.shown = null;
        this.draw();
    }

    /** Brings a row in sight. */
    show(i) {
        const { list, tops } = this;
        if (tops[i] < list.scrollTop) list.scrollTop = tops[i];
        else if (tops[i + 1] > list.scrollTop + list.clientHeight) list.scrollTop = tops[i + 1] - list.clientHeight;
        this.draw();
    }
}
