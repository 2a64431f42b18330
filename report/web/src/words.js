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

/** A clash in words. */
export const inWords = ({ hit, a, b }) =>
    `${kinds[hit.kind].what}: ${a} and ${b}` + (hit.kind === 'inside' ? '' : `, ${count(hit.contacts, 'contact')}`);

/** The page in one line. */
export function summary(data) {
    const words = [count(data.parts.length, 'part'), count(data.triangles, 'triangle')];
    for (const kind of Object.keys(kinds)) {
        const n = data.clashes.filter((c) => c.hit.kind === kind && c.state !== 'resolved').length;
        if (n) words.push(`${grouped(n)} ${kinds[kind].what}`);
    }
    if (!data.clashes.length && !data.motion.hits) words.push('all clear');
    if (data.frames.length) {
        const { frames, hits } = data.motion;
        words.push(`contact in ${grouped(hits)} of ${count(frames, 'frame')}`);
        if (data.frames.length < frames) words.push(`${grouped(data.frames.length)} of them shown`);
    }
    return words.join(' · ');
}
