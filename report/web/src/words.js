// SPDX-License-Identifier: Apache-2.0
// Numbers and clashes in words.
import { isEarlier, kinds } from './data.js';

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

const metres = { m: 1, dm: 0.1, cm: 0.01, mm: 0.001 };

/** The unit in which people read a length of this size, and how many of them are one of the report's. */
function unitFor({ units }, x) {
    const size = Math.abs(x) * (metres[units] ?? NaN);
    if (size > 0 && size < 0.001) return [metres[units] * 1e6, 'µm'];
    return units === 'm' && size > 0 && size < 1 ? [1000, 'mm'] : [1, units];
}

/** A length with its unit, to a millionth of the scene's size. */
export function withUnit(data, x) {
    const rounded = Number(lengthIn(data, x)), [times, unit] = unitFor(data, rounded);
    return `${Number((rounded * times).toPrecision(8))} ${unit}`.trim();
}

/** Said beside lengths whose unit nobody knows. */
export const unitNote = ({ units }) => (units ? '' : ' · the files state no unit');

const roundedTo3 = (x) => (x < 1000 ? Number(x.toPrecision(3)) : Math.round(x));

/** A distance between parts, which is exact whatever the scene's size: three digits, more where they are before the point. */
export function distanceIn(data, x) {
    const [times, unit] = data.units === 'm' ? unitFor(data, x) : [1, data.units];
    return `${roundedTo3(x * times)} ${unit}`.trim();
}

/** A length that is much smaller than the scene: where the unit is known and it helps, in micrometres. */
export function fineIn(data, x) {
    const [times, unit] = unitFor(data, x);
    return `${roundedTo3(x * times)} ${unit}`.trim();
}

/** A volume, whose unit is the cube of that of lengths. Of metres there are smaller ones. */
export function volumeIn({ units }, x) {
    const [size, unit] = (units === 'm' ? [[1, 'm'], [1e-3, 'dm'], [1e-6, 'cm']].find(([least]) => x >= least) ?? [1e-9, 'mm'] : [1, units]);
    return `${Number((x / size).toPrecision(3))} ${unit && `${unit}³`}`.trim();
}

/** A direction: an axis, or the three numbers of a vector of length 1. */
function directionIn(v) {
    const along = Math.hypot(...v), unit = v.map((x) => x / along), k = unit.findIndex((x) => Math.abs(x) > 1 - 1e-6);
    return k >= 0 ? `${unit[k] < 0 ? '−' : ''}${'xyz'[k]}` : `(${unit.map((x) => Number(x.toFixed(2)) + 0).join(', ')})`;
}

/** How to move the second part clear of the first. */
export const moveIn = (data, { translation, shortB }) =>
    `move ${shortB} by ${distanceIn(data, Math.hypot(...translation))} along ${directionIn(translation)}`;

/** Why the kind is not that of the triangles taken at their word. */
export function exactIn(data, { exact, band, depth }) {
    const met = { crossing: 'the triangles cross', inside: 'one is inside the other' }[exact] ?? `the triangles are ${exact}`;
    return `${met}${depth ? ` by ${fineIn(data, depth)}` : ''}; the files are accurate to ${fineIn(data, band)}`;
}

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

/** How far the parts overlap, and how to move the second clear of the first; empty where nobody measured it. */
export function measuresIn(data, clash) {
    const { depth, volume, translation, exact } = clash;
    return [depth && `depth ${fineIn(data, depth)}`, volume && `volume ${volumeIn(data, volume)}`,
        translation?.some((x) => x) && `${moveIn(data, clash)} to clear it`, exact && exactIn(data, clash)].filter(Boolean).join(', ');
}

/** The title without the folders of files in it. */
export const shortTitle = ({ title }) => title.replace(/(^|\s)\/?(?:[\p{L}\p{N}._-]+\/)+(?=[\p{L}\p{N}])/gu, '$1');

/** The page in one line. */
export function summary(data) {
    const drawn = data.all_parts === undefined ? '' : `${grouped(data.parts.length)} of `;
    const words = [drawn + count(data.all_parts ?? data.parts.length, 'part'), count(data.triangles, 'triangle')];
    for (const kind of Object.keys(kinds)) {
        const n = data.clashes.filter((c) => c.hit.kind === kind && !isEarlier(c) && !c.harmless).length;
        if (n) words.push(`${grouped(n)} ${kinds[kind].what}`);
    }
    const fits = data.clashes.filter((c) => c.harmless).length;
    if (fits === data.clashes.length && !data.motion.hits) words.push('all clear');
    if (fits) words.push(`${count(fits, 'fit')} besides`);
    if (data.frames.length) {
        const { frames, hits, what } = data.motion;
        words.push(`${what} in ${grouped(hits)} of ${count(frames, 'frame')}`);
        const least = Math.min(...data.frames.map((f) => f.distance ?? Infinity));
        if (!hits && least < Infinity && data.frames.length === frames) words.push(`least distance ${distanceIn(data, least)}`);
        if (data.frames.length < frames) words.push(`${grouped(data.frames.length)} of them shown`);
    }
    return words.join(' · ');
}
