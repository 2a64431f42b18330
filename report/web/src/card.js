// SPDX-License-Identifier: Apache-2.0
import { kinds } from './data.js';
import { $, button, element, signOf } from './dom.js';
import { linkTo } from './link.js';
import { statuses } from './review.js';
import { distanceHere } from './scale.js';
import { pairColours, partColours } from './view.js';
import { count, distanceIn, exactIn, fineIn, grouped, lengthIn, moveIn, volumeIn, withUnit } from './words.js';

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
            ...names.map(([name, colour]) => element('div', { class: 'name' },
                element('i', { style: `--colour: ${colour}` }), element('span', {}, name))),
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
        const rows = ['inside', 'clearance'].includes(hit.kind) ? [] : [['contacts', grouped(hit.contacts)]];
        if (hit.closest?.distance || hit.kind === 'clearance' && hit.closest) rows.push(['distance', distanceIn(data, hit.closest.distance)]);
        if (clash.state) rows.push(['state', clash.state]);
        if (clash.extent && hit.kind !== 'clearance') rows.push(['extent', withUnit(data, clash.extent)]);
        if (clash.depth) rows.push(['depth', fineIn(data, clash.depth) + (clash.thin ? ': thin' : '')]);
        if (clash.volume) rows.push(['volume', volumeIn(data, clash.volume)]);
        if (clash.translation?.some((x) => x)) rows.push(['to clear', moveIn(data, clash)]);
        if (clash.exact) rows.push(['exact', exactIn(data, clash)]);
        if (clash.causeName) rows.push(['cause', button(clash.causeName, () => this.onFilter(clash.causeName), { class: 'link' })]);
        if (clash.storey) rows.push(['storey', clash.storey]);
        if (clash.at) rows.push(['at', `${clash.at.map((x) => lengthIn(data, x)).join(', ')} ${data.units}`]);
        if (clash.frame !== undefined) rows.push(['frame', data.frames[clash.frame].number]);
        if (clash.note) rows.push(['note', clash.note]);
        rows.push(...clash.more);
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
        [[clash.a, this.colourOf(hit.a, 0)], [clash.b, this.colourOf(hit.b, 1)]], rows, this.form(clash),
        element('div', { class: 'actions' }, ...(data.parts.length > 2 ? [isolate] : [])));
    }

    /** The clash's review, to be written. */
    form(clash) {
        const { reviews } = this, review = reviews.of(clash);
        const words = [...new Set([...statuses, ...reviews.used('status')])];
        const status = element('select', { 'aria-label': 'Status' }, element('option', { value: '' }, 'not reviewed'),
            ...words.map((word) => element('option', { value: word }, word)));
        status.value = review.status;
        const assignee = element('input', { placeholder: 'assignee', 'aria-label': 'Assignee', list: 'assignees' });
        assignee.value = review.assignee;
        const people = element('datalist', { id: 'assignees' }, ...reviews.used('assignee').map((value) => element('option', { value })));
        const comment = element('textarea', { placeholder: 'comment', 'aria-label': 'Comment', rows: 2 });
        comment.value = review.comment;
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
        for (const [field, input] of Object.entries({ status, assignee, comment }))
            input.addEventListener('input', () => {
                reviews.set(clash, { [field]: input.value });
                tell();
            });
        tell();
        return element('form', { class: 'review', 'aria-label': 'Review' }, status, assignee, people, comment, says);
    }

    /** A part, and what is known about the triangle of it that was picked. */
    part(part, triangle) {
        const { name, group, id, type, layer, storey, discipline } = this.data.parts[part];
        const theirs = this.data.clashes.filter((c) => !c.harmless && (c.hit.a === part || c.hit.b === part));
        const show = button(count(theirs.length, 'clash', 'clashes'), () => this.onFilter(name), { class: 'link' });
        const rows = Object.entries({ id, type, layer, storey, discipline, group }).filter(([, value]) => value);
        if (triangle !== undefined && this.data.parts[part].map !== undefined) rows.push(['distance here', distanceHere(this.data, part, triangle)]);
        const actions = this.data.parts.length < 2 ? [] : [
            button('Isolate', () => this.onIsolate([part]), { title: 'Hide all other parts (I)' }),
            button('Hide', () => this.onHide(part), { title: 'Hide this part (H)' })];
        this.open(['Part'], [[name, this.colourOf(part, -1)]], [...rows, ['in', theirs.length ? show : 'no clash']],
            element('div', { class: 'actions' }, ...actions));
    }
}
