// SPDX-License-Identifier: Apache-2.0
// Runs GRAZE_COMMAND on its own samples, and on the models in GRAZE_MODELS where they are, opens the pages that it
// writes in Chromium and compares what they say with the JSON that it printed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { answerOf, crossing, drawn, folder, open, pixels, rowsOf, saysAt, text } from './browser.mjs';

const command = process.env.GRAZE_COMMAND, models = resolve(process.env.GRAZE_MODELS ?? 'no-models');
const samples = join(folder, 'samples');
let toTry;
let pages = 0;

before(() => {
    toTry = JSON.parse(execFileSync(command, ['samples', samples, '--json'], { encoding: 'utf8' })).try;
});

/** Runs graze; returns its exit code, what it printed as JSON, and its page. */
function graze(...args) {
    const html = join(folder, `${++pages}.html`);
    const { status, stdout, stderr } = spawnSync(command, [...args, '--json', '--html', html],
        { cwd: samples, encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.ok(status === 0 || status === 1, `graze ${args.join(' ')}: ${status} ${stderr}`);
    // A document, or for `collide` a line for each pose.
    const answer = args[0] === 'collide' ? stdout.trim().split('\n').map((line) => JSON.parse(line)) : JSON.parse(stdout);
    return { status, answer, html };
}

/** The arguments of a command that the samples propose to try. */
function proposed(what) {
    const line = toTry.find((t) => what.test(t));
    assert.ok(line, `${what} is among what to try`);
    return line.match(/"[^"]*"|\S+/g).slice(1).map((word) => word.replace(/"/g, ''))
        .filter((word, i, all) => word !== '--html' && all[i - 1] !== '--html');
}

const name = (path) => path.split('/').pop();
const number = (n) => n.toLocaleString('en');

/** In the order of the page's list: the gravest first. */
const byGravity = (clashes) => [...clashes].sort((p, q) => (q.severity ?? -1) - (p.severity ?? -1));

/** The list is these clashes: { a, b, kind, contacts, state }. */
async function compareList(page, clashes) {
    const rows = await rowsOf(page);
    assert.equal(rows.length, clashes.length);
    clashes.forEach((clash, i) => {
        assert.deepEqual(rows[i].names, [clash.a, clash.b]);
        assert.equal(rows[i].kind, clash.kind);
        assert.equal(rows[i].contacts, clash.contacts ?? 0);
        assert.equal(rows[i].state, clash.state ?? '');
    });
    assert.equal(await text(page, '#matches'), `${number(clashes.length)} clash${clashes.length === 1 ? '' : 'es'}`);
}

/** A click on a row: its card, and the view flies there. */
async function compareClicks(page, clashes) {
    const seen = async () => {
        await drawn(page);
        return (await page.locator('#canvas').screenshot()).toString('base64');
    };
    let before = await seen();
    for (const [i, clash] of clashes.entries()) {
        await page.locator('#list [role=option]').nth(i).click();
        const card = await text(page, '#card');
        assert.ok(card.includes(clash.a) && card.includes(clash.b), card);
        if (clash.kind !== 'inside' && clash.state !== 'resolved')
            assert.match(card, new RegExp(`contacts\\s+${number(clash.contacts)}\\b`));
        assert.equal(await page.getAttribute('#list [aria-selected=true]', 'data-index'), `${i}`);
        const after = await seen();
        assert.notEqual(after, before);
        before = after;
    }
}

/** Where the plot has bars, frame by frame: # and dots. Read twice, as the frame shown covers its own. */
async function plotted(page, frames) {
    const says = Array(frames).fill('.');
    for (const at of [0, frames - 1]) {
        await page.locator('#scrub').fill(`${at}`);
        const bars = await page.evaluate((n) => {
            const plot = document.getElementById('plot'), { width, height } = plot;
            const row = plot.getContext('2d').getImageData(0, height - 8, width, 1).data;
            return Array.from({ length: n }, (_, i) => {
                const [r, g, b] = row.slice(4 * Math.floor((i + 0.5) * width / n));
                return Math.abs(r - 0xd5) + Math.abs(g - 0x5e) + Math.abs(b - 0x00) < 60;
            });
        }, frames);
        bars.forEach((bar, i) => { if (bar) says[i] = '#'; });
    }
    return says.join('');
}

/** The timeline is the answer; `contacts` are those of each frame. */
async function compareFrames(page, contacts, step) {
    const last = contacts.length - 1;
    for (let i = 0; i <= last + step; i += step) {
        await page.locator('#scrub').fill(`${Math.min(i, last)}`);
        assert.equal(await text(page, '#frame-says'), saysAt(contacts, Math.min(i, last)));
    }
    assert.match(await text(page, '#summary'),
        new RegExp(`contact in ${number(contacts.filter(Boolean).length)} of ${number(contacts.length)} frames`));
    if (contacts.length < 400)
        assert.equal(await plotted(page, contacts.length), contacts.map((n) => (n ? '#' : '.')).join(''));
}

const tested = (what, body) => test(what, { timeout: 180_000 }, body);

tested('collide', async () => {
    const { status, answer, html } = graze(...proposed(/graze collide/));
    const [{ contacts }] = answer;
    assert.ok(status === 1 && contacts > 0);
    await open(html, {}, async (page) => {
        assert.deepEqual(await answerOf(page), answer);
        assert.match(await page.title(), /^graze collide teapot\.obj ring\.stl/);
        const clash = { a: 'teapot.obj', b: 'ring.stl', kind: 'crossing', contacts };
        await compareList(page, [clash]);
        await page.keyboard.press('Escape');
        await compareClicks(page, [clash]);
        const pairs = (await text(page, '#card')).match(/\d+\u2060–\u2060\d+/g).map((p) => p.split('\u2060–\u2060').map(Number));
        for (const pair of pairs) assert.ok(answer[0].pairs.some(([a, b]) => a === pair[0] && b === pair[1]), `${pair}`);

        const curves = await pixels(page, crossing);
        await page.click('#contacts');
        assert.ok(curves > await pixels(page, crossing) + 100, 'the contact is drawn');

        // Down the tree: each level has at most as many times more boxes as a node has children.
        const levels = Number(await page.getAttribute('#tree-level', 'max'));
        let boxes = 1;
        for (let level = 1; level <= levels; ++level) {
            await page.keyboard.press('l');
            const says = (await text(page, '#tree-says')).match(/^level (\d+) of (\d+): ([\d,]+) box/);
            const now = Number(says[3].replace(/,/g, ''));
            assert.equal(Number(says[1]), level);
            assert.ok(now >= boxes && now <= 8 * boxes, says[0]);
            boxes = now;
        }
        assert.ok(levels > 3);
    });
});

tested('path', async () => {
    const { status, answer, html } = graze(...proposed(/graze path/));
    assert.equal(status, 1);
    assert.ok(answer.intervals.length > 1);
    await open(html, {}, async (page) => {
        assert.deepEqual(await answerOf(page), answer);
        const clashes = answer.intervals.map(({ kind, most }) =>
            ({ a: 'teapot.obj', b: 'ring.stl', kind, contacts: most }));
        await compareList(page, clashes);
        await compareFrames(page, answer.contacts, 9);

        // A clash is shown at its frame, next contacts at where they begin.
        for (const [i, { at }] of answer.intervals.entries()) {
            await page.locator('#list [role=option]').nth(i).click();
            assert.equal(await text(page, '#frame-says'), saysAt(answer.contacts, at));
        }
        await page.locator('#scrub').fill('0');
        for (const { begins } of answer.intervals) {
            await page.click('#hit');
            assert.equal(await text(page, '#frame-says'), saysAt(answer.contacts, begins));
        }
        const busiest = answer.contacts.indexOf(Math.max(...answer.contacts));
        await page.locator('#scrub').fill(`${busiest}`);
        const hit = await pixels(page, crossing);
        await page.locator('#scrub').fill('0');
        const clear = await pixels(page, crossing);
        assert.ok(hit > clear + 100, `${hit} pixels, ${clear} when clear`);

        await page.selectOption('#speed', '0.25');
        await page.click('#play');
        assert.equal(await page.getAttribute('#play', 'aria-label'), 'Pause');
        await page.waitForFunction(() => Number(document.getElementById('scrub').value) > 3);
        await page.click('#play');
        assert.equal(await page.getAttribute('#play', 'aria-label'), 'Play');
        const stopped = Number(await page.inputValue('#scrub'));
        await drawn(page);
        assert.equal(await text(page, '#frame-says'), saysAt(answer.contacts, stopped));
    });
});

const states = ({ clashes, resolved, part_gone = [] }) => [...clashes, ...resolved.map((c) => ({ ...c, state: 'resolved', contacts: 0 })),
    ...part_gone.map((c) => ({ ...c, contacts: 0 }))];

tested('clash with rules', async () => {
    const { status, answer, html } = graze(...proposed(/graze clash plant .*--rules/));
    assert.equal(status, 1);
    assert.ok(answer.ignored.length > 0);
    await open(html, {}, async (page) => {
        assert.deepEqual(await answerOf(page), answer);
        const clashes = byGravity(answer.clashes);
        await compareList(page, clashes);
        const { kinds } = answer.summary, all = answer.clashes.length;
        for (const [kind, n] of Object.entries(kinds)) {
            const chip = page.locator(`#kinds [data-value=${kind}]`);
            assert.equal(await chip.count(), n ? 1 : 0);
            if (!n) continue;
            assert.match(await chip.innerText(), new RegExp(`\\b${n}$`));
            await chip.click();
            assert.equal(await text(page, '#matches'), `${all - n} of ${all}`);
            assert.ok((await rowsOf(page)).every((row) => row.kind !== kind));
            await chip.click();
        }
        assert.match(await text(page, '#summary'), new RegExp(`^${answer.parts} parts · ${number(answer.triangles)} triangles`));
        const { a } = answer.clashes[1];
        await page.locator('#search').fill(a.toUpperCase());
        const found = answer.clashes.filter((c) => `${c.a} ${c.b}`.includes(a)).length;
        assert.equal(await text(page, '#matches'), found === all ? `${all} clashes` : `${found} of ${all}`);
        await page.locator('#search').fill('');
        await compareClicks(page, clashes);
    });
});

tested('clash with a baseline', async () => {
    // Without a part of one clash before, and without a part of another after: new ones, and ones whose part is gone.
    const { answer: all } = graze('clash', 'plant', '--rules', 'rules.txt');
    const [first, second] = [all.clashes[1].b, all.clashes[2].a];
    for (const [where, part] of [['before', first], ['after', second]]) {
        cpSync(join(samples, 'plant'), join(folder, where, 'plant'), { recursive: true });
        rmSync(join(folder, where, 'plant', `${name(part)}.stl`));
    }
    const baseline = join(folder, 'before.json');
    writeFileSync(baseline, JSON.stringify(graze('clash', join(folder, 'before', 'plant'), '--rules', 'rules.txt').answer));
    const { status, answer, html } = graze('clash', join(folder, 'after', 'plant'), '--rules', 'rules.txt', '--baseline', baseline);
    assert.equal(status, 1);
    const entries = byGravity(states(answer));
    for (const state of ['new', 'persistent', 'part gone'])
        assert.ok(entries.some((c) => c.state === state) && answer.summary.states[state.replace(' ', '_')] > 0, state);
    await open(html, {}, async (page) => {
        assert.deepEqual(await answerOf(page), answer);
        await compareList(page, entries);
        // The line counts what clashes now, and no clash of the baseline that is gone.
        for (const [kind, n] of Object.entries(answer.summary.kinds))
            if (n) assert.match(await text(page, '#summary'), new RegExp(`· ${number(n)} ${kind}\\b`));
        for (const [key, n] of Object.entries(answer.summary.states)) {
            const state = key.replace('_', ' '), chip = page.locator(`#states [data-value="${state}"]`);
            assert.equal(await chip.count(), n ? 1 : 0);
            if (!n) continue;
            assert.match(await chip.innerText(), new RegExp(`\\b${n}$`));
            await chip.click();
            assert.deepEqual((await rowsOf(page)).map((row) => row.state),
                entries.filter((c) => c.state !== state).map((c) => c.state));
            await chip.click();
        }
    });
});

/** A robot's answer on a path: contacts of each frame. */
const contactsOf = (answer) => answer.configurations.map(({ pairs }) => pairs.reduce((sum, p) => sum + p.contacts, 0));

async function compareRobot({ answer, html }, step) {
    await open(html, {}, async (page) => {
        assert.deepEqual(await answerOf(page), answer);
        await compareFrames(page, contactsOf(answer), step);
        // Each entry of the list is true at its frame.
        for (const [i, row] of (await rowsOf(page)).slice(0, 12).entries()) {
            await page.locator('#list [role=option]').nth(i).click();
            const frame = Number(await page.inputValue('#scrub'));
            const pair = answer.configurations[frame].pairs.find(({ a, b }) => a === row.names[0] && b === row.names[1]);
            assert.equal(pair?.contacts, row.contacts, `${row.names} at ${frame}`);
        }
        const met = new Set(answer.configurations.flatMap(({ pairs }) => pairs.map(({ a, b }) => `${a} ${b}`)));
        assert.deepEqual(new Set((await rowsOf(page)).map((row) => row.names.join(' '))), met);
    });
}

tested('robot', async () => {
    const run = graze(...proposed(/graze robot .*--path/));
    assert.equal(run.status, 1);
    await compareRobot(run, 7);
});

/** A test on real models, which need not be there. */
function real(what, path, body) {
    const at = join(models, path);
    test(what, { timeout: 180_000, skip: existsSync(at) ? false : `${at} is not there` }, () => body(at));
}

real('a real teapot and itself', 'meshes/teapot.obj', async (teapot) => {
    const { status, answer, html } = graze('collide', teapot, teapot, '--pose', '1.5 0.4 0.3 0 0 0.2588190451 0.9659258263');
    assert.equal(status, 1);
    await open(html, {}, async (page) => {
        assert.deepEqual(await answerOf(page), answer);
        await compareList(page, [{ a: 'A: teapot.obj', b: 'B: teapot.obj', kind: 'crossing', contacts: answer[0].contacts }]);
    });
});

real('a real path', 'ompl/Twistycooler.path', async (poses) => {
    const part = (which) => poses.replace('.path', `_${which}.dae`);
    const { answer, html } = graze('path', part('env'), part('robot'), poses);
    await open(html, {}, async (page) => {
        assert.deepEqual(await answerOf(page), answer);
        await compareFrames(page, answer.contacts, Math.ceil(answer.frames / 10));
        await compareList(page, answer.intervals.map(({ kind, most }) =>
            ({ a: 'Twistycooler_env.dae', b: 'Twistycooler_robot.dae', kind, contacts: most })));
    });
});

real('a real robot', 'panda/urdf/panda_collision.urdf', async (urdf) => {
    // It folds up until its hand meets its own foot.
    const path = join(folder, 'panda.txt');
    writeFileSync(path, Array.from({ length: 60 }, (_, i) => i / 59).map((t) =>
        [0, 1.7 * t, 0, -0.1 - 2.9 * t, 0, 0.2 + 1.5 * t, 0.8, 0.02].join(' ')).join('\n'));
    const run = graze('robot', urdf, '--srdf', urdf.replace('urdf/panda_collision.urdf', 'srdf/panda.srdf'), '--path', path);
    assert.equal(run.status, 1);
    await compareRobot(run, 6);
});

tested('a path of more frames than the page shows', async () => {
    // The ring comes near the teapot in the last hundred of the frames.
    const all = 5200, poses = Array.from({ length: all }, (_, i) => `0 0 ${i < all - 100 ? 50 : 0} 0 0 0 1`);
    writeFileSync(join(samples, 'long.txt'), poses.join('\n'));
    const { answer, html } = graze('path', 'teapot.obj', 'ring.stl', 'long.txt');
    const hits = answer.contacts.filter(Boolean).length;
    assert.equal(hits, 100);
    await open(html, {}, async (page) => {
        assert.match(await text(page, '#summary'), /contact in 100 of 5,200 frames · 5,000 of them shown/);
        await page.locator('#scrub').fill('4999');
        const last = `frame ${all - 1} of ${all} · ${number(answer.contacts[all - 1])} contacts`;
        assert.equal(await text(page, '#frame-says'), last);
    });
});
