// SPDX-License-Identifier: Apache-2.0
import { count, kinds } from './data.js';

const $ = (id) => document.getElementById(id);
const page = 300;

/** An element with attributes and children; texts stay texts. */
export function element(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
}

export const signOf = (kind) =>
    element('span', { class: 'sign', style: `--colour: var(--${kind})`, 'aria-hidden': 'true' }, kinds[kind].sign);

/** A clash in words. */
export const inWords = ({ hit, a, b }) =>
    `${kinds[hit.kind].what}: ${a} and ${b}` + (hit.kind === 'inside' ? '' : `, ${count(hit.contacts, 'contact')}`);

/** The clashes, filtered by text, kind and state. */
export class List {
    constructor(clashes, { onSelect, onFilter }) {
        Object.assign(this, { clashes, onSelect, onFilter, selected: null, most: page });
        this.off = new Set();
        this.chips('kinds', Object.keys(kinds), (c) => c.hit.kind);
        this.chips('states', ['new', 'persistent', 'resolved'], (c) => c.state);
        $('search').addEventListener('input', () => this.filter());
        $('search').addEventListener('keydown', (e) => {
            if (e.key === 'Enter' || e.key === 'ArrowDown') {
                e.preventDefault();
                $('list').focus();
                if (!this.matches.includes(this.selected)) this.step(1);
            }
        });
        $('more').addEventListener('click', () => {
            this.most += page;
            this.render();
        });
        $('list').addEventListener('click', (e) => {
            const row = e.target.closest('[data-index]');
            if (row) onSelect(this.clashes[row.dataset.index]);
        });
        $('list').addEventListener('keydown', (e) => {
            const last = this.matches.length - 1, at = this.matches.indexOf(this.selected);
            const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, Home: 0, End: last, Enter: at,
                PageDown: at + 10, PageUp: at - 10 }[e.key];
            if (to === undefined || last < 0) return;
            e.preventDefault();
            onSelect(this.matches[Math.max(0, Math.min(last, to))]);
        });
        this.filter();
    }

    /** A button for each value that occurs, if there is more than one. */
    chips(id, values, of) {
        const numbers = values.map((v) => this.clashes.filter((c) => of(c) === v).length);
        if (numbers.filter(Boolean).length < 2) return;
        values.forEach((value, i) => {
            if (!numbers[i]) return;
            const what = kinds[value]?.what ?? value;
            const chip = element('button', { type: 'button', 'aria-pressed': 'true', 'data-value': value,
                ...(kinds[value] && { style: `--colour: var(--${value})` }) },
            ...(kinds[value] ? [signOf(value), ' '] : []), `${what} ${numbers[i].toLocaleString('en')}`);
            chip.addEventListener('click', () => {
                const on = this.off.has(value);
                this.off[on ? 'delete' : 'add'](value);
                chip.setAttribute('aria-pressed', on);
                this.filter();
            });
            $(id).append(chip);
        });
    }

    filter(text) {
        if (text !== undefined) $('search').value = text;
        const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
        this.matches = this.clashes.filter((c) => {
            if (this.off.has(c.hit.kind) || this.off.has(c.state)) return false;
            const all = `${c.a} ${c.b} ${c.note} ${c.hit.kind} ${c.state}`.toLowerCase();
            return words.every((w) => all.includes(w));
        });
        this.most = page;
        this.render();
        this.onFilter(this.matches);
    }

    render() {
        const total = this.clashes.length, n = this.matches.length;
        $('matches').textContent = n === total ? count(total, 'clash', 'clashes') : `${n} of ${total}`;
        const rows = this.matches.slice(0, this.most).map((c, i) => this.row(c, i));
        if (!n) {
            const text = total ? 'No clash matches the filter.' : 'None: all is clear.';
            rows.push(element('li', { class: 'none', role: 'presentation' }, text));
        }
        $('list').replaceChildren(...rows);
        $('more').hidden = n <= this.most;
        $('more').textContent = `Show more (${(n - this.most).toLocaleString('en')} left)`;
        this.point();
    }

    row(c, i) {
        const { kind } = c.hit;
        const row = element('li', { role: 'option', id: `clash-${c.index}`, 'data-index': c.index, 'data-kind': kind, class: c.state,
            'aria-selected': 'false', 'aria-posinset': i + 1, 'aria-setsize': this.matches.length,
            'aria-label': inWords(c) + (c.state && `, ${c.state}`) + (c.note && `, ${c.note}`) },
        signOf(kind), element('span', { class: 'name', title: c.a }, c.a),
        element('span', { class: 'number', title: 'contacts' }, kind === 'inside' ? '–' : c.hit.contacts.toLocaleString('en')),
        element('span', { class: 'name', title: c.b }, c.b));
        if (c.state) row.append(element('span', { class: `state ${c.state}` }, c.state));
        const note = c.note || (c.frame !== undefined && `frame ${c.frame}`);
        if (note) row.append(element('span', { class: 'note', title: note }, note));
        return row;
    }

    select(clash) {
        this.selected = clash;
        const at = this.matches.indexOf(clash);
        if (at >= this.most) {
            this.most = at + page;
            this.render();
        }
        this.point(true);
    }

    /** Shows which row is selected. */
    point(scroll = false) {
        const row = this.selected && $(`clash-${this.selected.index}`);
        for (const other of $('list').querySelectorAll('[aria-selected="true"]')) other.setAttribute('aria-selected', 'false');
        $('list').removeAttribute('aria-activedescendant');
        if (!row) return;
        row.setAttribute('aria-selected', 'true');
        $('list').setAttribute('aria-activedescendant', row.id);
        // On a phone the list is part of the page, which should not jump away from the view.
        if (scroll && getComputedStyle($('list')).overflowY === 'auto') row.scrollIntoView({ block: 'nearest' });
    }

    step(by) {
        const n = this.matches.length;
        if (!n) return;
        const at = this.matches.indexOf(this.selected);
        this.onSelect(this.matches[at < 0 ? (by > 0 ? 0 : n - 1) : (at + by + n) % n]);
    }
}
