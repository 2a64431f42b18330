// SPDX-License-Identifier: Apache-2.0
import { kinds } from './data.js';
import { $, button, element, signOf } from './dom.js';
import { factsOf, isIfcGuid, labelsOf } from './facts.js';
import { linkTo } from './link.js';
import { notPrioritised, notReviewed, priorities, statuses } from './review.js';
import { distanceHere } from './scale.js';
import { pairColours, partColours } from './view.js';
import { count, grouped } from './words.js';

/** The panel that describes the selection. */
export class Card {
    constructor(data, reviews, { onClose, onFilter, onIsolate, onHide }) {
        Object.assign(this, { data, reviews, onClose, onFilter, onIsolate, onHide, colours: partColours(data.parts) });
    }

    close() {
        $('card').hidden = true;
        document.body.classList.remove('card-open');
    }

    open(head, names, rows, ...more) {
        $('card').replaceChildren(
            element('h3', {}, ...head,
                button('✕', this.onClose, { 'aria-label': 'Drop the selection', title: 'Drop the selection (Esc)' })),
            ...names.map(([name, colour, labels]) => element('div', { class: 'name' },
                element('i', { style: `--colour: ${colour}` }), element('span', {}, name, ...(labels ? [element('small', {}, labels)] : [])))),
            element('dl', {}, ...rows.flatMap(([key, value, type = '']) =>
                [element('dt', { class: type }, key), element('dd', { class: type }, value)])), ...more);
        $('card').hidden = false;
        document.body.classList.add('card-open');
    }

    colourOf(part, role) {
        if (this.data.parts.length > 2 && role >= 0) return pairColours[role];
        return this.colours[part] ?? 'transparent';
    }

    clash(clash) {
        const { data } = this, { hit } = clash;
        const rows = factsOf(data, clash).map(([key, value]) =>
            [key, key === 'cause' ? button(value, () => this.onFilter(value), { class: 'link' }) : value]);
        if (hit.pairs) {
            const some = Math.min(hit.pairs, 6);
            const pairs = Array.from({ length: some }, (_, i) => [0, 1]
                .map((side) => data.exactIds[data.pairs[2 * (hit.firstPair + i) + side]]).join('\u2060–\u2060'));  // kept on one line
            rows.push(['triangles', pairs.join(', ') + (hit.contacts > some ? ' …' : ''), 'more']);
            if (hit.pairs < hit.contacts) rows.push(['drawn', `${grouped(hit.pairs)} of the contacts`]);
        }
        const isolate = button('Isolate', () => this.onIsolate([hit.a, hit.b].filter((p) => p >= 0)), { title: 'Hide all other parts (I)' });
        this.open([signOf(hit.kind), kinds[hit.kind].what,
            element('a', { href: linkTo(clash), title: `Link to this clash: ${clash.id}` }, 'link')],
        [[clash.a, this.colourOf(hit.a, 0), labelsOf(data, clash, 'a')], [clash.b, this.colourOf(hit.b, 1), labelsOf(data, clash, 'b')]], rows, this.form(clash),
        element('div', { class: 'actions' }, ...(data.parts.length > 2 ? [isolate] : [])));
    }

    /** The clash's review, to be written. */
    form(clash) {
        const { reviews } = this, review = reviews.of(clash);
        const menu = (field, label, none, words) => {
            const all = [...new Set([...words, ...reviews.used(field)])];
            return element('select', { 'aria-label': label }, element('option', { value: '' }, none),
                ...all.map((word) => element('option', { value: word }, word)));
        };
        const inputs = {
            status: menu('status', 'Status', notReviewed, statuses),
            priority: menu('priority', 'Priority', notPrioritised, priorities),
            assignee: element('input', { placeholder: 'assignee', 'aria-label': 'Assignee', list: 'assignees' }),
            due: element('input', { type: 'date', 'aria-label': 'Due', title: 'Due date' }),
            comment: element('textarea', { placeholder: 'comment', 'aria-label': 'Comment', rows: 2 }),
        };
        for (const [field, input] of Object.entries(inputs)) input.value = review[field];
        const people = element('datalist', { id: 'assignees' }, ...reviews.used('assignee').map((value) => element('option', { value })));
        const says = element('p', { class: 'kept' });
        const reset = button('reset', () => {
            reviews.reset(clash);
            this.clash(clash);
        }, { class: 'link', title: 'Back to what the report came with' });
        const tell = () => {
            says.textContent = !reviews.keeps ? 'This browser keeps nothing for this page: export the reviews before you close it.'
                : reviews.isChanged(clash) ? 'Kept in this browser. ' : '';
            if (reviews.isChanged(clash)) says.append(reset);
        };
        for (const [field, input] of Object.entries(inputs))
            input.addEventListener('input', () => {
                reviews.set(clash, { [field]: input.value });
                tell();
            });
        tell();
        return element('form', { class: 'review', 'aria-label': 'Review' }, ...Object.values(inputs), people, says);
    }

    /** A part, and what is known about the triangle of it that was picked. */
    part(part, triangle) {
        const { name, group, id, type, layer, storey, discipline } = this.data.parts[part];
        const theirs = this.data.clashes.filter((c) => !c.harmless && (c.hit.a === part || c.hit.b === part));
        const show = button(count(theirs.length, 'clash', 'clashes'), () => this.onFilter(name), { class: 'link' });
        const rows = Object.entries({ type, [isIfcGuid(id ?? '') ? 'GlobalId' : 'id']: id, layer, storey, discipline, group }).filter(([, value]) => value);
        if (triangle !== undefined && this.data.parts[part].map !== undefined) rows.push(['distance here', distanceHere(this.data, part, triangle)]);
        const actions = this.data.parts.length < 2 ? [] : [
            button('Isolate', () => this.onIsolate([part]), { title: 'Hide all other parts (I)' }),
            button('Hide', () => this.onHide(part), { title: 'Hide this part (H)' })];
        this.open(['Part'], [[name, this.colourOf(part, -1)]], [...rows, ['in', theirs.length ? show : 'no clash']],
            element('div', { class: 'actions' }, ...actions));
    }
}
