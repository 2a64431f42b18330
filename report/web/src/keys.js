// SPDX-License-Identifier: Apache-2.0
import { $ } from './dom.js';

const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const zooms = { '+': 0.85, '=': 0.85, '-': 1 / 0.85 };

/** Turns, pans or zooms by a key in the view; true if it was such a key. */
function moveCamera(view, { key, shiftKey }) {
    const turn = turns[key], zoom = zooms[key];
    if (turn && shiftKey) view?.eye.nudge({ pan: turn.map((t) => 0.06 * t) });
    else if (turn) view?.eye.nudge({ turn: [-0.12 * turn[0], -0.12 * turn[1]] });
    else if (zoom) view?.eye.nudge({ zoom });
    return Boolean(turn || zoom);
}

/** Buttons and keys that do what the page can do. */
export function startKeys(page) {
    const { actions, list, timeline } = page;
    for (const [id, action] of Object.entries(actions)) $(id).addEventListener('click', action);
    const keys = {
        n: () => list.step(1), p: () => list.step(-1), f: actions.fit, x: actions.xray,
        o: () => !$('others').hidden && actions.others(), c: actions.contacts, t: actions.triangles, d: actions.theme,
        s: () => page.section.toggle(), m: () => page.ruler.toggle(),
        i: () => page.isolate(), h: () => page.hide(), H: () => page.parts.showAll(),
        '?': actions['help-open'], Escape: () => page.escape(),
        '/': () => $($('parts').hidden ? 'search' : 'parts-search').focus(),
        l: () => page.showTree(page.level + 1), L: () => page.showTree(page.level - 1),
        ' ': () => timeline?.toggle(), ',': () => timeline?.step(-1), '.': () => timeline?.step(1),
        '[': () => timeline?.jump(-1), ']': () => timeline?.jump(1),
    };
    addEventListener('keydown', (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || $('help').open || document.querySelector('main').inert) return;
        const { target } = e;
        if (target.matches?.('input:not([type=range]), textarea, select')) {
            if (e.key === 'Escape') target.blur();
            return;
        }
        if (e.key === ' ' && target.closest?.('button, summary')) return;
        if (target === $('canvas') && moveCamera(page.view, e)) return e.preventDefault();
        const action = keys[e.key] ?? (e.shiftKey ? undefined : keys[e.key.toLowerCase()]);
        if (action) {
            e.preventDefault();
            action();
        }
    });
}
