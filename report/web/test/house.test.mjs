// SPDX-License-Identifier: Apache-2.0
// Reviews a real house in three IFC files from the first look to the printed page, as a coordinator would, and hands the
// review back to the command.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tailLengths } from '../src/names.js';
import { drawn, folder, open, rowsOf, text } from './browser.mjs';
import { phone } from './chromium.mjs';

const command = process.env.GRAZE_COMMAND, models = join(process.env.GRAZE_MODELS ?? 'no-models', 'assemblies');
const files = ['Architecture', 'Hvac', 'Structural'].map((name) => join(models, `Building-${name}.ifc`));
const html = join(folder, 'house.html');

/** Checks the house; returns the answer, or undefined where the house or the reader of IFC is missing. */
function check(...options) {
    if (!files.every((file) => existsSync(file))) return undefined;
    const { stdout, stderr } = spawnSync(command, ['clash', ...files, '--strict-fits', '--json', ...options], { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (/reads no IFC/.test(stderr)) return undefined;
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout);
}
const answer = check('--html', html);
const skip = answer ? false : 'the house is not there, or this build reads no IFC';
const reviewed = (what, options, body) => test(what, { timeout: 300_000, skip }, () => open(html, { acceptDownloads: true, ...options }, body));

/** Presses an entry of the menu of exports; the path of the file that comes. */
async function exported(page, id) {
    await page.click('#export summary');
    const [file] = await Promise.all([page.waitForEvent('download', { timeout: 120_000 }), page.click(`#${id}`)]);
    const path = join(folder, `${id}-${file.suggestedFilename()}`);
    await file.saveAs(path);
    return path;
}

const review = { status: 'accepted', assignee: 'Ada', comment: 'moves 20 mm', priority: 'Critical', due: '2027-03-01' };

reviewed('a house is reviewed', {}, async (page) => {
    const { clashes } = answer, all = clashes.length;
    assert.equal(await text(page, '#title'), 'graze clash Building-Architecture.ifc and 2 more');
    assert.ok(all > 20);
    // Filter.
    assert.equal(await page.inputValue('#sort'), 'severity');
    const severities = (await page.locator('#list [role=option]').evaluateAll((rows) => rows.map((row) => Number(row.dataset.index)))).map((i) => clashes[i].severity);
    assert.deepEqual(severities, [...severities].sort((p, q) => q - p));
    const walls = clashes.filter((c) => ['wall', 'girder'].every((word) => [c.a, c.b, c.note, c.cause_name].join(' ').includes(word)));
    await page.locator('#search').fill('wall girder');
    assert.equal(await text(page, '#matches'), `${walls.length} of ${all}`);
    assert.ok(walls.length > 1 && walls.length < all);

    // Status, priority, due date: of the gravest that is left.
    await page.locator('#list [role=option]').first().click();
    const clash = clashes[await page.locator('#list [aria-selected=true]').getAttribute('data-index')];
    const card = await text(page, '#card');
    for (const { id, type } of [clash.labels_a, clash.labels_b]) assert.ok(card.includes(`${type} · GlobalId ${id}`), card);
    assert.match(card, /extent\s+[\d.]+ m?m\b/);
    for (const field of ['status', 'priority']) await page.selectOption(`#card [aria-label=${field} i]`, review[field]);
    for (const field of ['assignee', 'due', 'comment']) await page.locator(`#card [aria-label=${field} i]`).fill(review[field]);
    await page.waitForFunction(() => /Critical 1/.test(document.getElementById('priorities').textContent));
    assert.equal((await rowsOf(page))[0].note, [`accepted, Critical, Ada, due 2027-03-01`, review.comment, clash.note].filter(Boolean).join(' · '));

    // The section box is around the clash, and shows it.
    // The upper half of the view, where nothing is said.
    const view = await page.locator('#canvas').boundingBox();
    const seen = async () => {
        await page.waitForTimeout(200);
        await drawn(page);
        return (await page.screenshot({ clip: { ...view, height: view.height / 2 } })).toString('base64');
    };
    const whole = await seen();
    await page.keyboard.press('Escape');  // leaves the field
    await page.locator('#canvas').focus();
    await page.keyboard.press('s');
    assert.ok(await seen() !== whole, 'the box is seen');
    const sides = (await page.locator('#section-sides output').allInnerTexts()).map((said) => said.match(/^(-?[\d.]+) to (-?[\d.]+) m$/).slice(1).map(Number));
    sides.forEach(([from, to], k) => assert.ok(from <= clash.at[k] && clash.at[k] <= to, `${from} to ${to}, not ${clash.at[k]}`));

    // Measure.
    await page.keyboard.press('m');
    const free = view.width - (await page.locator('#card').boundingBox()).width;
    for (let i = 0; i < 400 && !/·/.test(await text(page, '#measured')); ++i)
        await page.mouse.click(view.x + free * (0.3 + 0.02 * (i % 20)), view.y + view.height * (0.3 + 0.02 * Math.floor(i / 20)));
    assert.match(await text(page, '#measured'), /^[\d.]+ m?m · dx -?[\d.]+ m?m · dy -?[\d.]+ m?m · dz -?[\d.]+ m?m/);
    for (const tool of ['measure', 'section']) {
        await page.keyboard.press('Escape');
        assert.equal(await page.getAttribute(`#${tool}`, 'aria-pressed'), 'false');
    }

    // BCF in both versions, with progress, and back into the command.
    await page.locator('#search').fill('');
    await page.evaluate(() => {
        window.said = [];
        new MutationObserver(() => window.said.push(document.getElementById('says').textContent)).observe(document.getElementById('says'), { childList: true });
    });
    const before = await seen();
    for (const id of ['export-bcf', 'export-bcf-3']) {
        const path = await exported(page, id);
        await page.waitForFunction((n) => window.said.at(-1).endsWith(`: ${n} clashes, in ${window.said.at(-1).match(/[\d.]+(?= s\.$)/)} s.`), all);
        const steps = (await page.evaluate(() => window.said.splice(0))).map((said) => said.match(/^Writing (\d+) of (\d+)/)).filter(Boolean);
        assert.ok(steps.length > 1 && steps.every(([, i, n]) => Number(i) <= Number(n)), 'it says how far it is');
        const again = check('--baseline', path);
        assert.equal(again.summary.states.persistent, all, id);
        assert.deepEqual(again.clashes.filter((c) => c.review).map((c) => [c.id, c.review]), [[clash.id, review]]);
    }
    assert.ok(await seen() === before, 'the view is as it was before the pictures');

    // CSV with types and GlobalIds.
    const [head, ...lines] = readFileSync(await exported(page, 'export-csv'), 'utf8').split('\r\n')
        .map((line) => [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, field]) => field));
    const line = lines.find(([id]) => id === clash.id), of = (name) => line[head.indexOf(name)];
    assert.deepEqual(['id_a', 'id_b', 'type_a', 'type_b', 'priority', 'due', 'unit'].map(of),
        [clash.labels_a.id, clash.labels_b.id, clash.labels_a.type, clash.labels_b.type, 'Critical', '2027-03-01', 'm']);

    // Print: a page for each clash behind the list, and no word broken.
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1'), pages = pdf.match(/\/Type\s*\/Page\b/g).length;
    assert.ok(pages > all && pages <= all + 1 + Math.ceil(all / 20), `${pages} pages for ${all} clashes`);
    await page.setViewportSize({ width: 718, height: 1000 });  // what A4 has between its margins
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const { broken, wide, pictures } = await page.evaluate(() => {
        const broken = [], walk = document.createTreeWalker(document.querySelector('#print table'), NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode())
            for (const { 0: word, index } of node.textContent.matchAll(/[^\s/_.:#-]+/g)) {
                const range = document.createRange();
                range.setStart(node, index);
                range.setEnd(node, index + word.length);
                if (range.getClientRects().length > 1) broken.push(word);
            }
        return { broken, wide: document.getElementById('print').scrollWidth > innerWidth, pictures: document.querySelectorAll('#print article img').length };
    });
    assert.deepEqual(broken, []);
    assert.equal(wide, false);
    assert.equal(pictures, all);
});

test('the command lets the browser take pictures', { timeout: 300_000, skip }, () => {
    const bcf = join(folder, 'pictures.bcf');
    const { stderr } = spawnSync(command, ['clash', ...files, '--strict-fits', '--bcf', bcf, '--snapshots', '3'], { encoding: 'utf8' });
    if (/there are no snapshots/.test(stderr)) return;  // Chromium is not in PATH
    assert.match(stderr, /the 3 gravest of \d+ clashes have snapshots/);
    assert.doesNotMatch(stderr, /missing/);
    // Each name is in a zip archive twice.
    assert.equal(readFileSync(bcf, 'latin1').match(/\/snapshot\.png/g).length, 6);
});

test('the end that tells a name from others begins with a word', () => {
    const names = ['house - outer wall - house front right', 'house - outer wall - house right front', 'North wing/duct/origin', 'South wing/duct/origin',
        'pipe-000000000000000000000000000-1', 'pipe-000000000000000000000000000-2', 'Ü𝒳'];
    const tails = tailLengths(names);
    assert.deepEqual(names.map((name) => [...name].slice(-tails.get(name)).join('')),
        ['front right', 'right front', '/origin', '/origin', '0000000000000000000-1'.padStart(22, '0'), '0000000000000000000-2'.padStart(22, '0'), 'Ü𝒳']);
});

reviewed('names that end alike stay apart, and the tools fit on a phone', phone, async (page) => {
    // In a narrow list: so much of the beginning as is seen, and the end.
    await page.setViewportSize({ width: 320, height: 844 });
    await drawn(page);
    const names = await page.locator('#list .name').evaluateAll((all) => all.map((e) => {
        const [head, tail] = ['.head', '.tail'].map((part) => e.querySelector(part));
        const text = head?.textContent ?? e.textContent, seen = head ? head.clientWidth / head.scrollWidth : 1;
        return { title: e.title, head: seen < 1 ? `${text.slice(0, Math.floor(text.length * seen) - 2)}…` : text, tail: tail?.textContent ?? '',
            isCut: Boolean(tail) && tail.scrollWidth > tail.clientWidth };
    }));
    assert.ok(names.some(({ head, tail }) => head.endsWith('…') && tail), 'some names are shortened');
    assert.deepEqual(names.filter(({ isCut }) => isCut), []);
    const shown = new Map();
    for (const { title, head, tail } of names) shown.set(title, `${head}${tail}`);
    assert.equal(new Set(shown.values()).size, shown.size, [...shown.values()].sort().join('\n'));
    await page.setViewportSize(phone.viewport);
    await page.locator('#list [role=option]').first().tap();
    await page.tap('#section');
    const box = await page.locator('#section-box').boundingBox(), stage = await page.locator('.stage').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= phone.viewport.width && box.height < stage.height / 2, JSON.stringify(box));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});
