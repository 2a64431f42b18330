// SPDX-License-Identifier: Apache-2.0
import { isEarlier, kinds, states } from './data.js';
import { $, element, nameElement, signOf } from './dom.js';
import { notPrioritised, notReviewed, priorities, statuses } from './review.js';
import { Rows } from './rows.js';
import { amountOf, count, grouped, inWords } from './words.js';

const heights = { group: 34, clash: 55, noted: 74 };
const order = Object.keys(kinds);

// The first that is offered is the order at the beginning. Clashes of the baseline that were not found
// again and fits come last however large they are.
const sorts = {
    severity: { what: 'severity', by: (c) => (c.harmless ? 200 : isEarlier(c) ? 100 : 0) - c.severity, of: (c) => c.severity },
    listed: { what: 'as listed', by: (c) => c.index },
    kind: { what: 'kind', by: (c) => order.indexOf(c.hit.kind) },
    volume: { what: 'volume', by: (c) => -(c.volume ?? -1), of: (c) => c.volume },
    depth: { what: 'depth', by: (c) => -(c.depth ?? -1), of: (c) => c.depth },
    extent: { what: 'extent', by: (c) => -c.extent, of: (c) => c.extent },
    distance: { what: 'distance', by: (c) => c.hit.closest?.distance ?? 0, of: (c) => c.hit.closest },
    contacts: { what: 'contacts', by: (c) => -c.hit.contacts },
    name: { what: 'name', by: (c) => c.rank },
};

/** How clashes are grouped: the keys of a clash, and how a key is called. Where all have one key, it is not offered. */
const groupings = {
    none: { what: 'none' },
    cause: { what: 'cause', keys: (c) => [c.cause], name: (key, [c]) => c.causeName || `cause ${key}` },
    part: { what: 'part', keys: (c) => [...new Set([c.a, c.b])], name: (key, [c]) => (key === c.a ? c.shortA : c.shortB), title: (key) => key },
    storey: { what: 'storey', keys: (c) => [c.storey], name: (key) => key || 'no storey' },
    place: { what: 'place', keys: (c) => [c.place], name: (key, [c]) => c.placeName },
    kind: { what: 'kind', keys: (c) => [c.hit.kind], name: (key) => kinds[key].what },
};

/** The clashes: filtered, sorted, grouped. */
export class List {
    constructor(data, reviews, { onSelect, onFilter, onIsolate }) {
        Object.assign(this, { data, clashes: data.clashes, reviews, onSelect, onFilter, onIsolate, selected: null, folded: new Set() });
        // The filters: a clash's value, and all values in their order.
        this.facets = [
            { id: 'kinds', of: (c) => c.hit.kind, values: order },
            { id: 'states', of: (c) => c.state, values: states },
            { id: 'thin', of: (c) => (c.thin ? 'thin' : 'not thin'), values: ['thin', 'not thin'] },
            { id: 'statuses', of: (c) => reviews.statusOf(c), values: [notReviewed, ...statuses] },
            { id: 'priorities', of: (c) => reviews.of(c).priority || notPrioritised, values: [...priorities, notPrioritised] },
        ];
        for (const facet of this.facets) facet.off = new Set();
        // Where fits are no clashes they are hidden at first.
        this.harmless = this.clashes.filter((c) => c.harmless).length;
        if (this.harmless) this.facets[0].off.add('fit');
        this.rows = new Rows($('list'), {
            heightOf: (row) => heights[!row.clash ? 'group' : this.noteOf(row.clash) ? 'noted' : 'clash'],
            render: (row, i) => (row.clash ? this.row(row.clash, i) : this.header(row)),
        });
        this.offer('sort', sorts, ({ of }) => !of || this.clashes.some(of));
        this.offer('group', groupings, ({ keys }) => !keys || new Set(this.clashes.flatMap(keys)).size > 1);
        $('search').addEventListener('input', () => this.filter());
        $('search').addEventListener('keydown', (e) => {
            if (e.key === 'Enter' || e.key === 'ArrowDown') {
                e.preventDefault();
                $('list').focus();
                if (!this.matches.includes(this.selected)) this.step(1);
            }
        });
        $('list').addEventListener('click', (e) => {
            const row = e.target.closest('[data-index]');
            if (row) onSelect(this.clashes[row.dataset.index]);
        });
        $('list').addEventListener('keydown', (e) => this.key(e));
        $('fold').addEventListener('click', () => {
            const all = this.groups.map((g) => g.key);
            this.folded = new Set(all.every((key) => this.folded.has(key)) ? [] : all);
            this.arrange();
        });
        this.filter();
    }

    /** A menu of those that the clashes can be sorted or grouped by. */
    offer(id, choices, applies) {
        const offered = Object.entries(choices).filter(([, choice]) => applies(choice));
        $(id).append(...offered.map(([value, { what }]) => element('option', { value }, what)));
        $(`${id}-label`).hidden = offered.length < 2 || this.clashes.length < 2;
        $(id).addEventListener('change', () => {
            this.folded.clear();
            this.arrange();
        });
    }

    key(e) {
        const last = this.matches.length - 1, at = this.matches.indexOf(this.selected);
        const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, Home: 0, End: last, Enter: at,
            PageDown: at + 10, PageUp: at - 10 }[e.key];
        if (to === undefined || last < 0 || e.target !== $('list')) return;
        e.preventDefault();
        this.onSelect(this.matches[Math.max(0, Math.min(last, to))]);
    }

    // Filters

    textOf(c) {
        const { status, assignee, comment, priority, due } = this.reviews.of(c);
        c.text ??= `${c.id} ${c.a} ${c.b} ${c.note} ${c.hit.kind} ${c.state} ${c.causeName} ${c.storey} ${c.more.map(([, value]) => value).join(' ')}`.toLowerCase();
        return status || assignee || comment || priority || due
            ? `${c.text} ${status} ${assignee} ${comment} ${priority} ${due}`.toLowerCase() : c.text;
    }

    matchesWords(c, words) {
        const all = this.textOf(c);
        return words.every((w) => all.includes(w));
    }

    filter(text) {
        if (text !== undefined) $('search').value = text;
        const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
        this.found = [];
        for (const facet of this.facets) Object.assign(facet, { numbers: new Map(), used: new Set() });
        const counted = ({ numbers }, value) => numbers.set(value, (numbers.get(value) ?? 0) + 1);
        for (const c of this.clashes) {
            // A value counts those clashes that all other filters let through.
            let against = null, letThrough = true;
            for (const facet of this.facets) {
                const value = facet.of(c);
                facet.used.add(value);
                if (!facet.off.has(value)) continue;
                letThrough = against === null;
                against = facet;
            }
            if (!letThrough || words.length && !this.matchesWords(c, words)) continue;
            if (against) {
                counted(against, against.of(c));
                continue;
            }
            this.found.push(c);
            for (const facet of this.facets) counted(facet, facet.of(c));
        }
        for (const facet of this.facets) this.chips(facet);
        this.arrange();
        this.onFilter(this.found);
    }

    /** A button for each value that occurs, if there is more than one. */
    chips(facet) {
        const { id, values, off, numbers, used } = facet;
        const shown = [...values.filter((v) => used.has(v)), ...[...used].filter((v) => v && !values.includes(v)).sort()];
        const focused = $(id).contains(document.activeElement) && document.activeElement.dataset.value;
        $(id).replaceChildren(...(shown.length < 2 && !off.size ? [] : shown).map((value) => {
            const chip = element('button', { type: 'button', 'aria-pressed': !off.has(value), 'data-value': value,
                ...(kinds[value] && { style: `--colour: var(--${value})` }), ...(kinds[value]?.title && { title: kinds[value].title }) },
            ...(kinds[value] ? [signOf(value), ' '] : []), `${kinds[value]?.what ?? value} ${grouped(numbers.get(value) ?? 0)}`);
            chip.addEventListener('click', () => {
                off[off.has(value) ? 'delete' : 'add'](value);
                this.filter();
            });
            return chip;
        }));
        if (focused) $(id).querySelector(`[data-value="${CSS.escape(focused)}"]`)?.focus();
    }

    /** Lets everything through. */
    clear() {
        for (const { off } of this.facets) off.clear();
        this.filter('');
    }

    // Order and groups

    arrange() {
        const { by } = sorts[$('sort').value], { keys, name, title } = groupings[$('group').value];
        const at = this.found.map(by), isSorted = at.every((x, i) => !i || at[i - 1] <= x);
        const found = isSorted ? this.found : [...at.keys()].sort((i, j) => at[i] - at[j] || i - j).map((i) => this.found[i]);
        this.groups = [];
        if (keys) {
            const members = new Map();
            for (const c of found)
                for (const key of keys(c)) members.has(key) ? members.get(key).push(c) : members.set(key, [c]);
            this.groups = [...members].map(([key, of]) => ({ key, of, name: name(key, of), title: title?.(key) ?? '' }));
            if ($('group').value === 'kind') this.groups.sort((p, q) => order.indexOf(p.key) - order.indexOf(q.key));
            else this.groups.sort((p, q) => q.of.length - p.of.length || (p.name < q.name ? -1 : 1));
        }
        // A clash of two parts is in the groups of both. The keys walk to the first of them.
        this.matches = keys ? [...new Set(this.groups.flatMap((g) => g.of))] : found;
        $('fold').hidden = this.groups.length < 2;
        this.render();
    }

    render() {
        const fits = this.harmless && this.matches.filter((c) => c.harmless).length;
        const total = this.clashes.length - this.harmless, n = this.matches.length - fits;
        $('matches').textContent = (n === total ? count(total, 'clash', 'clashes') : `${grouped(n)} of ${grouped(total)}`) +
            (fits ? `, ${count(fits, 'fit')}` : '');
        $('list-none').hidden = this.matches.length > 0;
        $('list-none').textContent = total ? 'No clash matches the filter.' : 'None: all is clear.';
        this.rows.set(this.groups.length
            ? this.groups.flatMap((g) => [g, ...(this.folded.has(g.key) ? [] : g.of.map((clash) => ({ clash })))])
            : this.matches.map((clash) => ({ clash })));
        this.point();
    }

    header(group) {
        const open = !this.folded.has(group.key);
        const fold = element('button', { type: 'button', 'aria-expanded': open, title: group.title || group.name },
            element('span', { class: 'arrow', 'aria-hidden': 'true' }, open ? '▾' : '▸'),
            $('group').value === 'part' ? this.nameOf(group.key) : element('span', { class: 'name' }, group.name), element('span', { class: 'number' }, grouped(group.of.length)));
        fold.addEventListener('click', () => {
            this.folded[open ? 'add' : 'delete'](group.key);
            this.render();
        });
        const isolate = element('button', { type: 'button', class: 'isolate', title: 'Isolate: show only the parts of this group',
            'aria-label': `Isolate the parts of ${group.name}` }, '◎');
        isolate.addEventListener('click', () =>
            this.onIsolate([...new Set(group.of.flatMap(({ hit }) => [hit.a, hit.b]))].filter((part) => part >= 0)));
        return element('li', { class: 'group', role: 'presentation' }, fold, ...(this.data.parts.length > 2 ? [isolate] : []));
    }

    noteOf(c) {
        const { comment } = this.reviews.of(c);
        const frame = c.frame === undefined ? '' : `frame ${this.data.frames[c.frame].number}`;
        return [this.reviews.inWords(c), comment, c.note || frame].filter(Boolean).join(' · ');
    }

    nameOf(path) {
        return nameElement(this.data.names.short(path), this.data.names.tail(path), { title: path });
    }

    row(c, i) {
        const { kind } = c.hit, note = this.noteOf(c), chosen = c === this.selected;
        const row = element('li', { role: 'option', id: `row-${i}`, 'data-index': c.index, 'data-kind': kind, class: c.state.replace(' ', '-'),
            'aria-selected': chosen, 'aria-posinset': i + 1, 'aria-setsize': this.rows.items.length,
            'aria-label': inWords(this.data, c) + (c.state && `, ${c.state}`) + (note && `, ${note}`) },
        signOf(kind), this.nameOf(c.a),
        element('span', { class: 'number', title: kind === 'clearance' ? 'distance' : 'contacts' }, amountOf(this.data, c.hit) || '–'),
        this.nameOf(c.b));
        const states = [c.state, c.thin && 'thin'].filter(Boolean).join(', ');
        if (states) row.append(element('span', { class: `state ${c.state.replace(' ', '-')}` }, states));
        if (note) row.append(element('span', { class: 'note', title: note }, note));
        return row;
    }

    /** A review has changed, which may move the clash to another filter. */
    refresh() {
        this.filter();
    }

    select(clash) {
        this.selected = clash;
        const group = clash && this.groups.find((g) => g.of.includes(clash));
        if (group && this.folded.delete(group.key)) this.render();
        this.point(true);
    }

    /** Shows which row is selected. */
    point(scroll = false) {
        const at = this.selected ? this.rows.items.findIndex((row) => row.clash === this.selected) : -1;
        if (scroll && at >= 0) this.rows.show(at);
        for (const row of $('list').querySelectorAll('[role=option]'))
            row.setAttribute('aria-selected', Number(row.dataset.index) === this.selected?.index);
        if (at >= 0 && $(`row-${at}`)) $('list').setAttribute('aria-activedescendant', `row-${at}`);
        else $('list').removeAttribute('aria-activedescendant');
    }

    step(by) {
        const n = this.matches.length;
        if (!n) return;
        const at = this.matches.indexOf(this.selected);
        this.onSelect(this.matches[at < 0 ? (by > 0 ? 0 : n - 1) : (at + by + n) % n]);
    }
}
