// SPDX-License-Identifier: Apache-2.0
// The clashes in the list as a table.
import { kinds } from './data.js';
import { element } from './dom.js';
import { amountOf } from './words.js';

/** A text as a field of RFC 4180. Spreadsheets run a field that begins like a formula, so such a field gets a quote. */
const field = (value) => {
    const text = String(value).replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
/** A number as a field: a minus is no formula. */
const number = (x) => (x === undefined || x === null ? '' : String(x));

const columns = [
    ['id', (c) => field(c.id)], ['kind', (c) => c.hit.kind], ['state', (c) => c.state], ['a', (c) => field(c.a)], ['b', (c) => field(c.b)],
    ['contacts', (c) => number(c.hit.contacts)], ['extent', (c) => number(c.extent)], ['depth', (c) => number(c.depth)],
    ['thin', (c) => String(c.thin)], ['severity', (c) => number(c.severity)], ['cause', (c) => field(c.causeName || c.cause)],
    ['storey', (c) => field(c.storey)], ['x', (c) => number(c.at?.[0])], ['y', (c) => number(c.at?.[1])], ['z', (c) => number(c.at?.[2])],
    ['frame', (c, data) => (c.frame === undefined ? '' : number(data.frames[c.frame].number))], ['note', (c) => field(c.note)],
    ['status', (c, data, { status }) => field(status)], ['assignee', (c, data, { assignee }) => field(assignee)],
    ['comment', (c, data, { comment }) => field(comment)], ['distance', (c) => number(c.hit.closest?.distance)],
    ['volume', (c) => number(c.volume)], ['tx', (c) => number(c.translation?.[0])], ['ty', (c) => number(c.translation?.[1])],
    ['tz', (c) => number(c.translation?.[2])], ['exact', (c) => c.exact ?? c.hit.kind], ['band', (c) => number(c.band)],
];

export function toCsv(data, reviews, clashes) {
    const labels = [...new Set(clashes.flatMap((c) => c.more.map(([label]) => label)))];
    const all = [...columns, ...labels.map((label) => [label, (c) => field(c.more.find(([one]) => one === label)?.[1] ?? '')])];
    const lines = [all.map(([name]) => name), ...clashes.map((c) => all.map(([, of]) => of(c, data, reviews.of(c))))];
    return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

const mostPrinted = 2000;

/** The printed page: the chosen clash with its picture, and a table of the clashes in the list. */
export function printed(data, reviews, clashes, chosen, picture) {
    const rows = clashes.slice(0, mostPrinted).map((c) => {
        const { status, assignee, comment } = reviews.of(c);
        return element('tr', {}, ...[c.hit.kind, c.a, c.b, c.hit.kind === 'clearance' ? amountOf(data, c.hit) : String(c.hit.contacts), c.state, [status, assignee].filter(Boolean).join(', '),
            [comment, c.note].filter(Boolean).join(' · ')].map((text) => element('td', {}, text)));
    });
    const head = ['kind', 'a', 'b', 'contacts', 'state', 'review', 'notes'].map((text) => element('th', { scope: 'col' }, text));
    const figure = picture && element('figure', {}, element('img', { src: picture.toDataURL(), alt: '' }),
        element('figcaption', {}, chosen ? `${kinds[chosen.hit.kind].what}: ${chosen.a} and ${chosen.b}` : data.title));
    const left = clashes.length - rows.length;
    return [element('h1', {}, data.title), ...(figure ? [figure] : []),
        element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)),
        ...(left > 0 ? [element('p', {}, `${left} more clashes are not printed. The CSV has them all.`)] : [])];
}
