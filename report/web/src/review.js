// SPDX-License-Identifier: Apache-2.0
import { allKept, keep } from './storage.js';

export const statuses = ['open', 'accepted', 'fixed'];
export const notReviewed = 'not reviewed';
export const priorities = ['Critical', 'Major', 'Normal', 'Minor'];
export const notPrioritised = 'no priority';
export const fields = ['status', 'assignee', 'comment', 'priority', 'due'];
const textsOf = (of) => Object.fromEntries(fields.map((f) => [f, of?.[f] ?? '']));
/** `2026-02-30` is no day: some browsers take it for one in March. */
const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.startsWith(text);
const isText = (of) => of !== null && typeof of === 'object' && fields.every((f) => ['string', 'undefined'].includes(typeof of[f])) &&
    (!of.due || isDay(of.due));

/**
 * People's reviews of clashes. A report may come with reviews; changes are kept in the browser, by the report's
 * title and the clash's id, and exported to a file.
 */
export class Reviews {
    constructor(data, onChange) {
        Object.assign(this, { clashes: data.clashes, onChange, start: `graze-review:${data.title}:` });
        this.keeps = keep('graze-review', '') && keep('graze-review', null);
        this.byId = new Map(data.clashes.map((c) => [c.id, c]));
        this.changed = new Map();
        for (const [id, text] of allKept(this.start)) {
            try {
                const said = JSON.parse(text);
                if (this.byId.has(id) && isText(said)) this.changed.set(id, textsOf(said));
            } catch { /* not written by this page */ }
        }
    }

    of(clash) {
        return this.changed.get(clash.id) ?? clash.review;
    }

    /** All but the comment in one line. */
    inWords(clash) {
        const { status, assignee, priority, due } = this.of(clash);
        return [status, priority, assignee, due && `due ${due}`].filter(Boolean).join(', ');
    }

    statusOf(clash) {
        return this.of(clash).status || notReviewed;
    }

    /** Whether it is not what the report came with. */
    isChanged(clash) {
        return this.changed.has(clash.id);
    }

    set(clash, said) {
        const review = textsOf({ ...this.of(clash), ...said });
        const isDelivered = fields.every((f) => review[f] === clash.review[f]);
        if (isDelivered) this.changed.delete(clash.id);
        else this.changed.set(clash.id, review);
        this.keeps = keep(this.start + clash.id, isDelivered ? null : JSON.stringify(review)) && this.keeps;
        this.onChange(clash);
    }

    reset(clash) {
        this.set(clash, clash.review);
    }

    /** The people and words that reviews name so far. */
    used(field) {
        return [...new Set(this.clashes.map((c) => this.of(c)[field]).filter(Boolean))].sort();
    }

    toJson() {
        const reviews = this.clashes.filter((c) => fields.some((f) => this.of(c)[f]))
            .map((c) => ({ id: c.id, a: c.a, b: c.b, kind: c.hit.kind, ...this.of(c) }));
        return `${JSON.stringify({ reviews }, null, 1)}\n`;
    }

    /** Takes over what a file says; returns in words what came of it. Throws where it is no such file. */
    read(text) {
        let said;
        try {
            said = JSON.parse(text);
        } catch {
            throw new Error('the file is not JSON');
        }
        if (!Array.isArray(said?.reviews)) throw new Error('the file has no list "reviews"');
        if (!said.reviews.every(isText)) throw new Error(`a review has something that is not a text among its ${fields.join(', ')}, or a due date that is not a day such as 2026-12-31`);
        const byNames = new Map(this.clashes.map((c) => [JSON.stringify([c.a, c.b, c.hit.kind]), c]));
        let unknown = 0;
        for (const review of said.reviews) {
            const clash = this.byId.get(review.id) ?? byNames.get(JSON.stringify([review.a, review.b, review.kind]));
            if (clash) this.set(clash, textsOf(review));
            else ++unknown;
        }
        const taken = said.reviews.length - unknown;
        return `${taken} ${taken === 1 ? 'review' : 'reviews'} read` +
            (unknown ? `; ${unknown} of clashes that this report does not have` : '');
    }
}
