// SPDX-License-Identifier: Apache-2.0
// Numbers and clashes in words.
import { kinds } from './data.js';

export const grouped = (n) => n.toLocaleString('en');
export const count = (n, one, many = `${one}s`) => `${grouped(n)} ${n === 1 ? one : many}`;

/** A share that is never called 0 % or 100 %. */
export function percent(part, whole) {
    const p = 100 * part / whole;
    return p < 1 ? 'less than 1 %' : `${Math.min(99, Math.round(p))} %`;
}

/** A length to a millionth of the scene's size. */
export function lengthIn({ scene: { size } }, x) {
    const unit = 10 ** (Math.floor(Math.log10(size)) - 5);
    return Number((Math.round(x / unit) * unit).toPrecision(8)).toString();
}

/** A length with its unit. */
export const withUnit = (data, x) => `${lengthIn(data, x)} ${data.units}`.trim();

/** A distance between parts, which is exact whatever the scene's size: three digits, more where they are before the point. */
export const distanceIn = (data, x) => `${x < 1000 ? Number(x.toPrecision(3)) : Math.round(x)} ${data.units}`.trim();

/** How far parts meet or how far apart they are; nothing for a part inside another. */
export function amountOf(data, { kind, contacts, closest }) {
    if (kind === 'clearance') return closest ? distanceIn(data, closest.distance) : '';
    return kind === 'inside' ? '' : grouped(contacts);
}

/** A clash in words. */
export function inWords(data, { hit, a, b }) {
    const amount = amountOf(data, hit), isApart = hit.kind === 'clearance';
    return `${kinds[hit.kind].what}: ${a} and ${b}` +
        (!amount ? '' : isApart ? `, ${amount} apart` : `, ${count(hit.contacts, 'contact')}`);
}

/** The page in one line. */
export function summary(data) {
    const drawn = data.all_parts === undefined ? '' : `${grouped(data.parts.length)} of `;
    const words = [drawn + count(data.all_parts ?? data.parts.length, 'part'), count(data.triangles, 'triangle')];
    for (const kind of Object.keys(kinds)) {
        const n = data.clashes.filter((c) => c.hit.kind === kind && c.state !== 'resolved').length;
        if (n) words.push(`${grouped(n)} ${kinds[kind].what}`);
    }
    if (!data.clashes.length && !data.motion.hits) words.push('all clear');
    if (data.frames.length) {
        const { frames, hits, what } = data.motion;
        words.push(`${what} in ${grouped(hits)} of ${count(frames, 'frame')}`);
        const least = Math.min(...data.frames.map((f) => f.distance ?? Infinity));
        if (!hits && least < Infinity && data.frames.length === frames) words.push(`least distance ${distanceIn(data, least)}`);
        if (data.frames.length < frames) words.push(`${grouped(data.frames.length)} of them shown`);
    }
    return words.join(' · ');
}
