// SPDX-License-Identifier: Apache-2.0
import { count, kinds, load } from './data.js';
import { Link, readLink } from './link.js';
import { element, inWords, List, signOf } from './list.js';
import { Timeline } from './timeline.js';
import { palette, pairColours, partColours, View } from './view.js';

const $ = (id) => document.getElementById(id);
const cycle = (values, value) => values[(values.indexOf(value) + 1) % values.length];

// Light and dark

const systemDark = matchMedia('(prefers-color-scheme: dark)');
let theme = 'system';
try {
    theme = localStorage.getItem('graze-theme') ?? theme;
} catch { /* some browsers keep nothing for files */ }

function applyTheme(view, timeline) {
    document.documentElement.dataset.theme = theme === 'system' ? (systemDark.matches ? 'dark' : 'light') : theme;
    const sign = { system: '◐', light: '☀', dark: '☾' }[theme];
    $('theme').textContent = sign;
    $('theme').setAttribute('aria-label', `Colours: ${theme}`);
    $('theme').title = `Colours: ${theme} (D)`;
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    view?.setColours({ halo: colour('halo'), tree: colour('tree'),
        kinds: Object.fromEntries(Object.keys(kinds).map((k) => [k, colour(k)])) });
    timeline?.plot();
}

// What is said in words

function summary(data) {
    const words = [count(data.parts.length, 'part'), count(data.triangles, 'triangle')];
    for (const kind of Object.keys(kinds)) {
        const n = data.clashes.filter((c) => c.hit.kind === kind && c.state !== 'resolved').length;
        if (n) words.push(`${n.toLocaleString('en')} ${kinds[kind].what}`);
    }
    if (!data.clashes.length && !data.frames.some((f) => f.contacts)) words.push('all clear');
    if (data.frames.length) {
        const hits = data.frames.filter((f) => f.contacts).length;
        words.push(`contact in ${hits.toLocaleString('en')} of ${count(data.frames.length, 'frame')}`);
    }
    return words.join(' · ');
}

function legend(data) {
    const used = new Set([...data.clashes.map((c) => c.hit), ...data.frames.flatMap((f) => f.hits)].map((h) => h.kind));
    const item = (colour, what, type = '') =>
        $('legend').append(element('li', {}, element('i', { class: type, style: `--colour: ${colour}` }), what));
    for (const kind of Object.keys(kinds)) if (used.has(kind)) item(`var(--${kind})`, kinds[kind].what);
    const groups = [...new Set(data.parts.map((p) => p.group))];
    if (groups.length <= palette.length && (groups.length > 1 || data.parts.length <= 2))
        for (const [i, group] of groups.entries()) if (group) item(palette[i], group, 'part');
}

/** A share that is never called 0 % or 100 %. */
function percent(part, whole) {
    const p = 100 * part / whole;
    return p < 1 ? 'less than 1 %' : `${Math.min(99, Math.round(p))} %`;
}

/** A length to a millionth of the scene's size. */
function length(x, size) {
    const unit = 10 ** (Math.floor(Math.log10(size)) - 5);
    return Number((Math.round(x / unit) * unit).toPrecision(8)).toString();
}

function drawAxes(camera) {
    const toView = camera.matrixWorldInverse.elements;
    const axis = (name, k) => ({ name, x: toView[4 * k], y: -toView[4 * k + 1], z: toView[4 * k + 2] });
    const colours = { x: 'var(--crossing)', y: 'var(--soft)', z: 'var(--touching)' };
    $('axes').innerHTML = ['x', 'y', 'z'].map(axis).sort((p, q) => p.z - q.z).map(({ name, x, y }) => `
        <line x2="${22 * x}" y2="${22 * y}" stroke="${colours[name]}" stroke-width="2.5" stroke-linecap="round"/>
        <text x="${32 * x}" y="${32 * y}" fill="${colours[name]}">${name}</text>`).join('');
}

async function main() {
    applyTheme();
    const data = await load();
    document.title = data.title || 'graze report';
    $('title').textContent = data.title || 'graze report';
    $('title').title = data.title;
    $('summary').textContent = summary(data);
    $('figures').hidden = !data.figures.length;
    $('figures').querySelector('dl').append(
        ...data.figures.flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, value)]));
    $('figures').open = innerWidth > 760;
    $('simplified').hidden = data.shown >= data.triangles;
    $('simplified').textContent =
        `Shown simplified: ${percent(data.shown, data.triangles)} of the triangles. Contacts are exact.`;
    legend(data);

    let view = null, timeline = null, selected = null;
    let others = 'x-ray', xray = false, level = 0;

    // The selection: a clash, a part, or nothing

    function card(head, names, rows) {
        const close = element('button', { type: 'button', 'aria-label': 'Drop the selection', title: 'Drop the selection (Esc)' }, '✕');
        close.addEventListener('click', () => select(null));
        $('card').replaceChildren(
            element('h3', {}, ...head, close),
            ...names.map(([name, colour]) => element('div', { class: 'name' },
                element('i', { style: `--colour: ${colour}` }), element('span', {}, name))),
            element('dl', {}, ...rows.flatMap(([key, value, type = '']) =>
                [element('dt', { class: type }, key), element('dd', { class: type }, value)])));
        $('card').hidden = false;
    }

    const colours = partColours(data.parts);
    function partColour(part, role) {
        if (data.parts.length > 2 && role >= 0) return pairColours[role];
        return colours[part] ?? 'transparent';
    }

    function clashCard(clash) {
        const { hit } = clash;
        const rows = hit.kind === 'inside' ? [] : [['contacts', hit.contacts.toLocaleString('en')]];
        if (clash.state) rows.push(['state', clash.state]);
        if (clash.at) rows.push(['at', `${clash.at.map((x) => length(x, data.scene.size)).join(', ')} ${data.units}`]);
        if (clash.frame !== undefined) rows.push(['frame', clash.frame]);
        if (clash.note) rows.push(['note', clash.note]);
        if (hit.pairs) {
            const some = Math.min(hit.pairs, 6);
            const pairs = Array.from({ length: some }, (_, i) => [0, 1]
                .map((side) => data.exactIds[data.pairs[2 * (hit.firstPair + i) + side]]).join('\u2060–\u2060'));  // kept on one line
            rows.push(['triangles', pairs.join(', ') + (hit.contacts > some ? ' …' : ''), 'more']);
            if (hit.pairs < hit.contacts)
                rows.push(['drawn', `${hit.pairs.toLocaleString('en')} of the contacts`]);
        }
        card([signOf(hit.kind), kinds[hit.kind].what],
            [[clash.a, partColour(hit.a, 0)], [clash.b, partColour(hit.b, 1)]], rows);
    }

    function partCard(part) {
        const { name, group } = data.parts[part];
        const theirs = data.clashes.filter((c) => c.hit.a === part || c.hit.b === part);
        const show = element('button', { type: 'button' }, count(theirs.length, 'clash', 'clashes'));
        show.addEventListener('click', () => list.filter(name));
        card(['Part'], [[name, partColour(part, -1)]],
            [...(group ? [['group', group]] : []), ['in', theirs.length ? show : 'no clash']]);
    }

    /** Shows what an address says. */
    function follow({ clash: id, camera, snapshot }, smooth = true) {
        const clash = id === null ? null : data.clashes.find((c) => c.id === id);
        if (snapshot) return showSnapshot(clash, camera);
        $('live').textContent = '';
        select(clash ?? null, -1, !camera && smooth);
        if (clash === undefined) $('message').textContent = `This report has no clash ${id}.`;
        if (camera) view?.eye.setPlace(camera);
        else if (clash && !smooth) view?.flyTo(clash, false);
    }

    /** Shows a clash alone in the whole window, and says when it is drawn. */
    function showSnapshot(clash, camera) {
        document.body.classList.add('snapshot');
        view?.resize();
        if (clash) {
            select(clash, -1, false);
            view?.flyTo(clash, false);
        }
        if (camera) view?.eye.setPlace(camera);
        const says = !view ? 'no WebGL' : clash || clash === null ? 'drawn' : 'no such clash';
        // A plain picture is there at once. The view's own canvas may come later than the browser's screenshot.
        if (view) document.querySelector('.stage').append(view.picture());
        document.title = `graze snapshot: ${says}`;
        document.documentElement.dataset.snapshot = says;
    }

    function select(clash, part = -1, fly = true) {
        $('message').textContent = '';
        if (clash && !list.matches.includes(clash)) list.filter('');
        selected = clash;
        list.select(clash);
        $('card').hidden = true;
        if (clash) clashCard(clash);
        else if (part >= 0) partCard(part);
        document.body.classList.toggle('card-open', !$('card').hidden);
        if (timeline && clash) {
            timeline.pause();
            timeline.go(clash.frame ?? 0);
        }
        view?.select(clash, part);
        if (fly && clash && (clash.hit.a >= 0 || clash.hit.b >= 0)) view?.flyTo(clash);
        if (view) link.select(clash);
        $('live').textContent = clash ? inWords(clash) : part >= 0 ? `Part ${data.parts[part].name}` : '';
    }

    const link = new Link(follow);
    const list = new List(data.clashes, { onSelect: (clash) => select(clash), onFilter: (matches) => view?.mark(matches) });

    // The view and its tools

    try {
        view = new View($('canvas'), data, {
            onClash: (clash) => select(clash),
            onPart: (part) => select(null, part),
            onTurn: drawAxes,
            onMoved: () => link.look(selected, view.eye.place()),
        });
        $('message').textContent = '';
    } catch (error) {
        console.warn(error);
        $('message').textContent = 'This browser gives no WebGL 2, so nothing can be drawn. The list and the figures are whole.';
    }
    if (data.frames.length) timeline = new Timeline(data.frames, (frame) => view?.setFrame(frame));
    applyTheme(view, timeline);
    view?.mark(list.matches);

    const press = (id, on) => $(id).setAttribute('aria-pressed', on);
    const toggle = (id) => {
        const on = $(id).getAttribute('aria-pressed') !== 'true';
        press(id, on);
        view?.show(id, on);
    };
    function look() {
        press('xray', xray);
        $('others').textContent = `Others: ${others}`;
        view?.look(others, xray);
    }
    const trees = data.parts.flatMap((p, i) => (p.tree?.levels.length ? [i] : []));
    function showTree(to) {
        const part = Number($('tree-part').value), { levels, depth } = data.parts[part].tree;
        $('tree-level').max = levels.length;
        level = Math.max(0, Math.min(levels.length, to));
        $('tree-level').value = level;
        const says = level ? `level ${level} of ${depth}: ${count(levels[level - 1], 'box', 'boxes')}` : 'off';
        $('tree-says').textContent = says;
        $('tree-level').setAttribute('aria-valuetext', says);
        view?.showTree(part, level - 1);
    }
    if (trees.length) {
        $('tree').hidden = false;
        document.body.classList.add('has-tree');
        for (const part of trees) $('tree-part').append(element('option', { value: part }, data.parts[part].name));
        $('tree-part').hidden = trees.length < 2;
        showTree(0);
    }
    $('others').hidden = data.parts.length <= 2;
    for (const [what, here] of [['others', data.parts.length > 2], ['tree', trees.length], ['frames', timeline]])
        if (!here) document.querySelectorAll(`.for-${what}`).forEach((e) => e.remove());
    look();
    if (location.hash) follow(readLink(), false);
    else if (data.clashes.length === 1 && !timeline) select(data.clashes[0], -1, false);

    const actions = {
        fit: () => view?.fit(),
        xray: () => { xray = !xray; look(); },
        others: () => { others = cycle(['x-ray', 'hidden', 'shown'], others); look(); },
        contacts: () => toggle('contacts'),
        curves: () => toggle('curves'),
        theme: () => {
            theme = cycle(['system', 'light', 'dark'], theme);
            try {
                localStorage.setItem('graze-theme', theme);
            } catch { /* then it holds for this page */ }
            applyTheme(view, timeline);
        },
        'help-open': () => $('help').showModal(),
    };
    for (const [id, action] of Object.entries(actions)) $(id).addEventListener('click', action);
    $('tree-level').addEventListener('input', () => showTree(Number($('tree-level').value)));
    $('tree-part').addEventListener('change', () => showTree(level));
    systemDark.addEventListener('change', () => applyTheme(view, timeline));

    // Keys

    const keys = {
        n: () => list.step(1), p: () => list.step(-1), f: actions.fit, x: actions.xray,
        o: () => !$('others').hidden && actions.others(), c: actions.contacts, v: actions.curves, d: actions.theme,
        '?': actions['help-open'], Escape: () => select(null), '/': () => $('search').focus(),
        l: () => trees.length && showTree(level + 1), L: () => trees.length && showTree(level - 1),
        ' ': () => timeline?.toggle(), ',': () => timeline?.step(-1), '.': () => timeline?.step(1),
        '[': () => timeline?.jump(-1), ']': () => timeline?.jump(1),
    };
    const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    addEventListener('keydown', (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || $('help').open) return;
        const { target } = e;
        if (target === $('search') || target.tagName === 'SELECT') {
            if (e.key === 'Escape') target.blur();
            return;
        }
        if (e.key === ' ' && target.closest('button, summary')) return;
        if (target === $('canvas')) {
            const turn = turns[e.key], zoom = { '+': 0.85, '=': 0.85, '-': 1 / 0.85 }[e.key];
            if (turn && e.shiftKey) view?.eye.nudge({ pan: turn.map((t) => 0.06 * t) });
            else if (turn) view?.eye.nudge({ turn: [-0.12 * turn[0], -0.12 * turn[1]] });
            else if (zoom) view?.eye.nudge({ zoom });
            if (turn || zoom) return e.preventDefault();
        }
        const action = keys[e.key] ?? (e.shiftKey ? undefined : keys[e.key.toLowerCase()]);
        if (action) {
            e.preventDefault();
            action();
        }
    });
    document.documentElement.dataset.ready = 'true';
}

main().catch((error) => {
    console.error(error);
    $('message').textContent = `The report cannot be shown: ${error.message}`;
});
