// SPDX-License-Identifier: Apache-2.0
// Prints: the list, and a page for each clash in it with its picture.
import { kinds } from './data.js';
import { element } from './dom.js';
import { factsOf, labelsOf } from './facts.js';
import { takePictures } from './pictures.js';
import { amountOf, fineIn, grouped, shortTitle, summary, unitNote, volumeIn } from './words.js';

const mostRows = 2000;
const mostPages = 200;
const picture = [900, 640];  // pixels

/** A text that may go on in the next line behind what separates words, and within words only where they are very long. */
function breakable(text) {
    const pieces = text.match(/[^\s/_.:#-]{1,24}[\s/_.:#-]*|[\s/_.:#-]+/g) ?? [];
    return pieces.flatMap((piece) => [piece, element('wbr')]);
}

const titleOf = (clash, i) => `${i + 1} · ${clash.thin ? 'thin ' : ''}${kinds[clash.hit.kind].what}`;

function table(data, reviews, clashes) {
    const columns = {
        '#': (c, i) => String(i + 1),
        kind: (c) => (c.thin ? 'thin' : kinds[c.hit.kind].what),
        A: (c) => breakable(c.shortA),
        B: (c) => breakable(c.shortB),
        volume: (c) => (c.volume ? volumeIn(data, c.volume) : ''),
        depth: (c) => (c.depth ? fineIn(data, c.depth) : ''),
        distance: (c) => (c.hit.kind === 'clearance' ? amountOf(data, c.hit) : ''),
        contacts: (c) => (['inside', 'clearance'].includes(c.hit.kind) ? '' : grouped(c.hit.contacts)),
        state: (c) => c.state,
        review: (c) => breakable(reviews.inWords(c)),
        notes: (c) => breakable([reviews.of(c).comment, c.note].filter(Boolean).join(' · ')),
    };
    const rows = clashes.map((c, i) => Object.values(columns).map((of) => [of(c, i)].flat()));
    const used = Object.keys(columns).map((_, k) => rows.some((row) => row[k].some((x) => x !== '')));
    const line = (tag, cells) => element('tr', {}, ...cells.flatMap((cell, k) => (used[k] ? [element(tag, tag === 'th' ? { scope: 'col' } : {}, ...cell)] : [])));
    return element('table', {}, element('thead', {}, line('th', Object.keys(columns).map((name) => [name]))),
        element('tbody', {}, ...rows.map((row) => line('td', row))));
}

function page(data, reviews, clash, i, taken) {
    const { comment } = reviews.of(clash), said = reviews.inWords(clash);
    const rows = [...factsOf(data, clash), ...(said ? [['review', said]] : []), ...(comment ? [['comment', comment]] : []), ['id', clash.id]];
    return element('article', {}, element('h2', {}, titleOf(clash, i)),
        ...['a', 'b'].map((side) => element('p', { class: 'part' }, element('b', {}, `${side.toUpperCase()} `), ...breakable(clash[side]),
            element('small', {}, labelsOf(data, clash, side)))),
        ...(taken ? [element('img', { src: taken.toDataURL('image/jpeg', 0.9), alt: '' })] : []),
        element('dl', {}, ...rows.flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, ...breakable(value))])));
}

/**
 * Calls `onReady` with what is printed, and `onProgress` with each picture. Where `onProgress` returns a promise it is waited
 * for; otherwise all is done when the function returns.
 */
export async function printed(data, reviews, clashes, view, onReady, onProgress) {
    const cover = view?.picture();
    const listed = clashes.slice(0, mostRows), own = clashes.slice(0, mostPages), taken = [];
    const taking = view && takePictures(view, ...picture, (take) => {
        // One after the other, without waiting where nothing is to be waited for: what prints by itself does not wait.
        const next = () => {
            while (taken.length < own.length) {
                const clash = own[taken.length], isGone = clash.hit.a < 0 && clash.hit.b < 0;
                taken.push(isGone ? null : take(clash, true).picture);
                const wait = onProgress(taken.length, own.length);
                if (wait) return wait.then(next);
            }
        };
        return next();
    });
    const left = [[clashes.length - listed.length, 'are not printed. The CSV has them all.'], [listed.length - own.length, 'have no page of their own.']];
    const finish = () => onReady([
        element('h1', {}, shortTitle(data)), element('p', {}, summary(data) + unitNote(data)), ...(shortTitle(data) === data.title ? [] : [element('small', {}, ...breakable(data.title))]),
        ...(cover ? [element('img', { class: 'cover', src: cover.toDataURL('image/jpeg', 0.9), alt: '' })] : []), table(data, reviews, listed),
        ...left.filter(([n]) => n > 0).map(([n, what]) => element('p', {}, `${grouped(n)} clashes at the end of the list ${what}`)),
        ...own.map((clash, i) => page(data, reviews, clash, i, taken[i]))]);
    if (taken.length < own.length) await taking;
    finish();
}
