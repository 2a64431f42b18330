// SPDX-License-Identifier: Apache-2.0
// The facts about a clash, for its card and its printed page.
import { distanceIn, exactIn, fineIn, grouped, lengthIn, moveIn, volumeIn, withUnit } from './words.js';

export const isIfcGuid = (id) => /^[0-3][\w$]{21}$/.test(id);

/** A label of one of the clash's parts, `a` or `b`: `id` or `type`. Parts that are not drawn have theirs in the clash. */
export function labelOf(data, clash, side, label) {
    const part = data.parts[clash.hit[side]];
    return part?.[label] ?? clash.more.find(([name]) => name === `${label} of ${side.toUpperCase()}`)?.[1] ?? '';
}

/** The type and the id of one of the clash's parts, in a line. */
export function labelsOf(data, clash, side) {
    const [type, id] = ['type', 'id'].map((label) => labelOf(data, clash, side, label));
    return [type, id && `${isIfcGuid(id) ? 'GlobalId' : 'id'} ${id}`].filter(Boolean).join(' · ');
}

/** The lines that are no labels of a part. */
export const moreOf = (clash) => clash.more.filter(([name]) => !/^(id|type) of [AB]$/.test(name));

/** Names and values, all texts. */
export function factsOf(data, clash) {
    const { hit } = clash;
    const rows = ['inside', 'clearance'].includes(hit.kind) ? [] : [['contacts', grouped(hit.contacts)]];
    if (hit.closest?.distance || hit.kind === 'clearance' && hit.closest) rows.push(['distance', distanceIn(data, hit.closest.distance)]);
    if (clash.state) rows.push(['state', clash.state]);
    if (clash.extent && hit.kind !== 'clearance') rows.push(['extent', withUnit(data, clash.extent)]);
    if (clash.depth) rows.push(['depth', fineIn(data, clash.depth) + (clash.thin ? ': thin' : '')]);
    if (clash.volume) rows.push(['volume', volumeIn(data, clash.volume)]);
    if (clash.translation?.some((x) => x)) rows.push(['to clear', moveIn(data, clash)]);
    if (clash.exact) rows.push(['exact', exactIn(data, clash)]);
    if (clash.causeName) rows.push(['cause', clash.causeName]);
    if (clash.storey) rows.push(['storey', clash.storey]);
    if (clash.at) rows.push(['at', `${clash.at.map((x) => lengthIn(data, x)).join(', ')} ${data.units}`.trim()]);
    if (clash.frame !== undefined) rows.push(['frame', String(data.frames[clash.frame].number)]);
    if (clash.note) rows.push(['note', clash.note]);
    return [...rows, ...moreOf(clash)];
}
