// SPDX-License-Identifier: Apache-2.0
import { $, element, nameElement } from './dom.js';
import { Rows } from './rows.js';
import { count, grouped } from './words.js';

const labels = ['storey', 'type', 'layer', 'discipline'];
const height = 30;

/** A node of the tree: a part, or a folder of parts. */
const folder = (name, key) => ({ name, key, folders: new Map(), leaves: [], parts: [] });

/** The tree of parts: searched, hidden, isolated. */
export class Parts {
    constructor(data, { onSelect, onHide, onIsolate }) {
        Object.assign(this, { data, onSelect, onHide, onIsolate, open: new Set(), selected: -1, at: 0 });
        this.hidden = new Uint8Array(data.parts.length);
        const offered = ['path', ...labels.filter((label) => data.parts.some((p) => p[label]))];
        $('parts-by').append(...offered.map((value) => element('option', { value }, value)));
        $('parts-by-label').hidden = offered.length < 2;
        $('parts-by').addEventListener('change', () => this.build());
        $('parts-search').addEventListener('input', () => this.render());
        $('parts-all').addEventListener('click', () => this.showAll());
        this.rows = new Rows($('part-tree'), { heightOf: () => height, render: (row, i) => this.row(row, i) });
        $('part-tree').addEventListener('click', (e) => this.click(e));
        $('part-tree').addEventListener('keydown', (e) => this.key(e));
        this.lower = data.parts.map((p) => [p.name, ...labels.map((l) => p[l] ?? ''), p.id ?? ''].join(' ').toLowerCase());
        this.build();
    }

    /** The names of the folders that a part lies in. */
    foldersOf(part) {
        const by = $('parts-by').value, { name } = this.data.parts[part];
        return by === 'path' ? name.split('/').filter(Boolean).slice(0, -1) : [this.data.parts[part][by] || `no ${by}`];
    }

    build() {
        this.root = folder('', '');
        this.data.parts.forEach(({ name }, part) => {
            let at = this.root;
            at.parts.push(part);
            for (const step of this.foldersOf(part)) {
                if (!at.folders.has(step)) at.folders.set(step, folder(step, `${at.key}/${step}`));
                at = at.folders.get(step);
                at.parts.push(part);
            }
            at.leaves.push({ name: $('parts-by').value === 'path' ? name.split('/').filter(Boolean).pop() ?? name : this.data.names.short(name), part });
        });
        // Folders that have nothing but one folder are one row with it.
        const merge = (node) => {
            for (const [step, inner] of node.folders) {
                let one = inner;
                while (one.folders.size === 1 && !one.leaves.length) {
                    const [only] = one.folders.values();
                    one = { ...only, name: `${one.name}/${only.name}` };
                }
                node.folders.set(step, one);
                merge(one);
            }
        };
        merge(this.root);
        this.open = new Set(this.root.folders.size === 1 ? [...this.root.folders.values()].map((f) => f.key) : []);
        this.render();
    }

    render() {
        const words = $('parts-search').value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = words.length ? this.lower.map((text) => words.every((w) => text.includes(w))) : null;
        const rows = [];
        const add = (node, level) => {
            for (const inner of node.folders.values()) {
                const parts = found ? inner.parts.filter((part) => found[part]) : inner.parts;
                if (!parts.length) continue;
                const open = Boolean(found) || this.open.has(inner.key);
                rows.push({ node: inner, parts, level, open });
                if (open) add(inner, level + 1);
            }
            for (const { name, part } of node.leaves) if (!found || found[part]) rows.push({ name, part, parts: [part], level });
        };
        add(this.root, 1);
        const n = found ? found.filter(Boolean).length : this.data.parts.length;
        $('parts-count').textContent = found ? `${grouped(n)} of ${grouped(this.data.parts.length)}` : count(n, 'part');
        this.at = Math.min(this.at, Math.max(0, rows.length - 1));
        this.rows.set(rows);
        this.say();
    }

    say() {
        const hidden = this.hidden.reduce((sum, h) => sum + h, 0);
        $('parts-all').hidden = !hidden;
        $('parts-all').textContent = `Show all (${grouped(hidden)} hidden)`;
    }

    row({ node, name, part, parts, level, open }, i) {
        const shown = parts.filter((p) => !this.hidden[p]).length, title = node ? node.key.slice(1) : this.data.parts[part].name;
        const state = shown === 0 ? 'false' : shown === parts.length ? 'true' : 'mixed';
        return element('li', { role: 'treeitem', id: `part-row-${i}`, 'data-row': i, 'aria-level': level, 'aria-label': title,
            'aria-selected': part !== undefined && part === this.selected, ...(node && { 'aria-expanded': open }),
            class: `${shown ? '' : 'gone'} ${i === this.at ? 'at' : ''}` },
        element('span', { class: 'arrow', style: `margin-left: ${Math.min(level - 1, 12)}em`, 'aria-hidden': 'true' }, node ? (open ? '▾' : '▸') : ''),
        nameElement(node ? node.name : name, 10, { title }),
        ...(node ? [element('span', { class: 'number' }, grouped(parts.length))] : []),
        element('button', { type: 'button', tabindex: -1, 'data-do': 'isolate', title: 'Isolate: hide all others', 'aria-label': `Isolate ${title}` }, '◎'),
        element('button', { type: 'button', tabindex: -1, 'data-do': 'hide', title: shown ? 'Hide' : 'Show', 'aria-label': `${shown ? 'Hide' : 'Show'} ${title}`,
            'aria-pressed': state }, { true: '●', mixed: '◐', false: '○' }[state]));
    }

    click(e) {
        const at = e.target.closest('[data-row]');
        if (!at) return;
        this.at = Number(at.dataset.row);
        const row = this.rows.items[this.at], what = e.target.closest('[data-do]')?.dataset.do;
        if (what === 'isolate') this.isolate(row.parts);
        else if (what === 'hide') this.toggle(row.parts);
        else if (row.node) this.unfold(row);
        else this.onSelect(row.part);
    }

    unfold({ node, open }) {
        this.open[open ? 'delete' : 'add'](node.key);
        this.render();
    }

    key(e) {
        const last = this.rows.items.length - 1, row = this.rows.items[this.at];
        if (last < 0) return;
        const go = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, Home: 0, End: last, PageDown: this.at + 10, PageUp: this.at - 10 }[e.key];
        if (go !== undefined) this.at = Math.max(0, Math.min(last, go));
        else if (e.key === 'ArrowRight' && row.node && !row.open || e.key === 'ArrowLeft' && row.node && row.open) this.unfold(row);
        else if (e.key === 'Enter') row.node ? this.unfold(row) : this.onSelect(row.part);
        else if (e.key === ' ') this.toggle(row.parts);
        else return;
        e.preventDefault();
        e.stopPropagation();
        this.rows.show(this.at);
        this.rows.refresh();
        $('part-tree').setAttribute('aria-activedescendant', `part-row-${this.at}`);
    }

    // Hidden parts

    apply() {
        this.rows.refresh();
        this.say();
        this.onHide(this.hidden);
    }

    toggle(parts) {
        const hide = parts.some((part) => !this.hidden[part]) ? 1 : 0;
        for (const part of parts) this.hidden[part] = hide;
        this.apply();
    }

    isolate(parts) {
        this.hidden.fill(1);
        for (const part of parts) this.hidden[part] = 0;
        this.apply();
        this.onIsolate(parts);
    }

    showAll() {
        this.hidden.fill(0);
        this.apply();
    }

    /** The part that the page shows. */
    select(part) {
        this.selected = part;
        const i = part < 0 ? -1 : this.rows.items.findIndex((row) => row.part === part);
        this.rows.refresh();
        if (i >= 0) this.rows.show(i);
    }
}
