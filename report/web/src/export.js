// SPDX-License-Identifier: Apache-2.0
// The clashes in the list as CSV.
import { labelOf, moreOf } from './facts.js';

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
    ...['id', 'type'].flatMap((label) => ['a', 'b'].map((side) => [`${label}_${side}`, (c, data) => field(labelOf(data, c, side, label))])),
    ['priority', (c, data, { priority }) => field(priority)], ['due', (c, data, { due }) => field(due)], ['unit', (c, data) => field(data.units)],
];

export function toCsv(data, reviews, clashes) {
    const labels = [...new Set(clashes.flatMap((c) => moreOf(c).map(([label]) => label)))];
    const all = [...columns, ...labels.map((label) => [label, (c) => field(c.more.find(([one]) => one === label)?.[1] ?? '')])];
    const lines = [all.map(([name]) => name), ...clashes.map((c) => all.map(([, of]) => of(c, data, reviews.of(c))))];
    return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
