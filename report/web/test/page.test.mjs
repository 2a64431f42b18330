// SPDX-License-Identifier: Apache-2.0
// Opens reports that GRAZE_DEMO (the program report_demo) writes in Chromium and compares what they say with the
// answer that they carry.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { answerOf, crossing, drawn, open, pixels, report, rowsOf, saysAt, steps, text } from './browser.mjs';
import { phone } from './chromium.mjs';

steps('a pair of models', 'pair', {}, {
    'drawn, and its contacts said': async (page) => {
        const [clash] = (await answerOf(page)).clashes;
        assert.ok(clash.contacts > 0);
        assert.equal(await page.title(), 'graze collide teapot.obj ring.stl');
        assert.equal(await text(page, '#list .number'), clash.contacts.toLocaleString('en'));
        assert.match(await text(page, '#card'), new RegExp(`contacts\\s+${clash.contacts.toLocaleString('en')}\\b`));
        assert.equal(await text(page, '#matches'), '1 clash');

        // The view's pixels are counted. The legend has that colour too, but does not change.
        const all = await pixels(page, crossing);
        await page.keyboard.press('c');
        const without = await pixels(page, crossing);
        assert.ok(all > without + 100, `curves are drawn: ${all} and ${without} pixels`);
        assert.equal(await page.getAttribute('#contacts', 'aria-pressed'), 'false');
        await page.keyboard.press('c');
        assert.equal(await pixels(page, crossing), all);
        await page.keyboard.press('t');
        assert.equal(await page.getAttribute('#triangles', 'aria-pressed'), 'true');
    },

    'the tree is stepped through': async (page) => {
        assert.equal(await text(page, '#tree-says'), 'off');
        await page.keyboard.press('l');
        assert.match(await text(page, '#tree-says'), /^level 1 of \d+: 1 box$/);
        await page.locator('#tree-level').fill('3');
        assert.match(await text(page, '#tree-says'), /^level 3 of \d+: \d+ boxes$/);
        await page.selectOption('#tree-part', { label: 'ring.stl' });
        assert.match(await text(page, '#tree-says'), /^level 3 of /);
        await page.keyboard.press('Escape');
        await page.locator('#canvas').focus();
        for (let i = 0; i < 3; ++i) await page.keyboard.press('Shift+L');
        assert.equal(await text(page, '#tree-says'), 'off');
    },

    'a part is picked in the view': async (page) => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('f');
        await drawn(page);
        const box = await page.locator('#canvas').boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        assert.match(await text(page, '#card'), /^Part[^]*teapot\.obj/);
        await page.mouse.click(box.x + box.width / 2, box.y + 10);
        assert.ok(await page.locator('#card').isHidden());
    },

    'dark where the system is dark, and by the switch': async (page) => {
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
        const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const brightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, x) => sum + Number(x), 0) / 3;
        assert.ok(brightness(await back()) < 60);
        await page.keyboard.press('d');
        assert.equal(await page.getAttribute('#theme', 'aria-label'), 'Colours: light');
        assert.ok(brightness(await back()) > 200);
        await page.click('#theme');
        assert.ok(brightness(await back()) < 60);
        await page.click('#theme');
        await page.emulateMedia({ colorScheme: 'light' });
        await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    },
});

steps('an assembly', 'assembly', {}, {
    'the list is the answer': async (page) => {
        const answer = await answerOf(page);
        const names = await page.evaluate(() =>
            JSON.parse(document.getElementById('graze-document').textContent).parts.map((p) => p.name));
        const rows = await rowsOf(page);
        assert.equal(rows.length, answer.clashes.length);
        answer.clashes.forEach((clash, i) => {
            assert.equal(rows[i].contacts, clash.contacts);
            assert.equal(rows[i].names[0], names[clash.a]);
            assert.equal(rows[i].shorts[0], names[clash.a].split('/').pop());
            if (clash.b < names.length) assert.equal(rows[i].names[1], names[clash.b]);
            assert.equal(rows[i].kind, clash.kind);
            assert.ok(rows[i].label.startsWith(clash.kind));
        });
        const of = (kind) => answer.clashes.filter((c) => c.kind === kind).length;
        assert.ok(['duplicate', 'crossing', 'inside', 'touching'].every((kind) => of(kind) > 0), 'all kinds occur');
        for (const kind of ['touching', 'inside'])
            assert.equal(await text(page, `#kinds [data-value=${kind}]`).then((t) => t.match(/\d+$/)[0]), `${of(kind)}`);
        assert.match(await text(page, '#summary'), new RegExp(`^${names.length} parts · `));
    },

    'filters': async (page) => {
        const answer = await answerOf(page), all = answer.clashes.length;
        const touching = answer.clashes.filter((c) => c.kind === 'touching').length;
        await page.click('#kinds [data-value=touching]');
        assert.equal(await text(page, '#matches'), `${all - touching} of ${all}`);
        assert.equal(await page.locator('#list [role=option]').count(), all - touching);
        await page.click('#kinds [data-value=touching]');
        await page.click('#states [data-value=new]');
        await page.click('#states [data-value=persistent]');
        assert.equal(await text(page, '#matches'), `1 of ${all}`);
        assert.match(await text(page, '#list'), /bracket-old/);
        await page.click('#states [data-value=new]');
        await page.click('#states [data-value=persistent]');
        await page.keyboard.press('/');
        await page.keyboard.press('T');
        await page.locator('#search:focus').fill('TANK pot');
        for (const row of await page.locator('#list [role=option]').allInnerTexts()) assert.match(row, /tank[^]*pot/);
        await page.locator('#search').fill('no such thing');
        assert.match(await text(page, '#list-none'), /No clash matches/);
        await page.locator('#search').fill('');
    },

    'a click flies to the clash': async (page) => {
        const answer = await answerOf(page);
        const before = await pixels(page, crossing);
        const at = answer.clashes.findIndex((c) => c.kind === 'crossing'), clash = answer.clashes[at];
        await page.locator('#list [role=option]').nth(at).click();
        assert.match(await text(page, '#card'), new RegExp(`contacts\\s+${clash.contacts.toLocaleString('en')}\\b`));
        assert.equal(await page.locator('#list [aria-selected=true]').count(), 1);
        assert.match(await text(page, '#live'), /crossing: .* and /);
        assert.notEqual(await pixels(page, crossing), before);
        for (const mode of ['hidden', 'shown', 'x-ray']) {
            await page.keyboard.press('o');
            assert.equal(await text(page, '#others'), `Others: ${mode}`);
        }
        await page.keyboard.press('Escape');
        assert.equal(await page.locator('#list [aria-selected=true]').count(), 0);
        assert.ok(await page.locator('#card').isHidden());
        await page.keyboard.press('f');
        await drawn(page);
    },

    'keys': async (page) => {
        const selected = () => page.locator('#list [aria-selected=true]').getAttribute('data-index');
        await page.keyboard.press('n');
        await page.keyboard.press('n');
        assert.equal(await selected(), '1');
        await page.keyboard.press('p');
        await page.keyboard.press('p');
        assert.equal(Number(await selected()), (await answerOf(page)).clashes.length - 1);
        await page.locator('#list').focus();
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        assert.equal(await selected(), '1');
        assert.equal(await page.getAttribute('#list', 'aria-activedescendant'), 'row-1');

        await page.locator('#canvas').focus();
        const seen = await page.locator('#axes').innerHTML();
        await page.keyboard.press('ArrowLeft');
        await drawn(page);
        assert.notEqual(await page.locator('#axes').innerHTML(), seen);
        await page.keyboard.press('+');
        await page.keyboard.press('Shift+ArrowUp');

        await page.keyboard.press('?');
        assert.ok(await page.locator('#help').isVisible());
        await page.keyboard.press('Escape');
        assert.ok(await page.locator('#help').isHidden());
        assert.equal(await selected(), '1');
    },
});

steps('a path', 'path', {}, {
    'the timeline is the answer': async (page) => {
        const { frames, clashes } = await answerOf(page);
        const says = (i) => saysAt(frames, i);
        assert.equal(await text(page, '#frame-says'), says(0));
        for (let i = 0; i < frames.length; i += 23) {
            await page.locator('#scrub').fill(`${i}`);
            assert.equal(await text(page, '#frame-says'), says(i));
        }
        const hits = frames.filter(Boolean).length;
        assert.match(await text(page, '#summary'), new RegExp(`contact in ${hits} of ${frames.length} frames`));

        // Contacts are drawn frame by frame.
        await page.locator('#scrub').fill('0');
        const clear = await pixels(page, crossing);
        await page.locator('#scrub').fill(`${frames.indexOf(Math.max(...frames))}`);
        const hit = await pixels(page, crossing);
        assert.ok(hit > clear + 100, `${hit} pixels, ${clear} when clear`);

        // A clash is at its frame, where it begins.
        await page.locator('#list [role=option]').first().click();
        const begins = frames.findIndex(Boolean);
        assert.equal(await text(page, '#frame-says'), says(begins));
        assert.equal(frames[begins], clashes[0].contacts);
        await page.keyboard.press('.');
        assert.equal(await text(page, '#frame-says'), says(begins + 1));
        await page.keyboard.press(',');
        await page.keyboard.press(',');
        assert.equal(await text(page, '#frame-says'), says(begins - 1));
        await page.keyboard.press(']');
        assert.equal(await text(page, '#frame-says'), says(begins));
        await page.locator('#scrub').focus();
        await page.keyboard.press('Home');
        assert.equal(await text(page, '#frame-says'), says(0));

        await page.keyboard.press(' ');
        assert.equal(await page.getAttribute('#play', 'aria-label'), 'Pause');
        await page.waitForFunction(() => Number(document.getElementById('scrub').value) > 5, null, { timeout: 30_000 });
        await page.click('#play');
        assert.equal(await page.getAttribute('#play', 'aria-label'), 'Play');
        const stopped = Number(await page.inputValue('#scrub'));
        await drawn(page);
        assert.equal(await text(page, '#frame-says'), says(stopped));
    },

    'all that can be worked has a name': async (page) => {
        const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [role], canvas')]
            .filter((e) => !e.closest('[aria-hidden=true]') && !['status', 'alert', 'presentation'].includes(e.role))
            .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length || e.getAttribute('aria-labelledby')))
            .map((e) => e.outerHTML));
        assert.deepEqual(nameless, []);
    },

    'it fits a narrow window': async (page) => {
        await page.setViewportSize(phone.viewport);
        await drawn(page);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    },
});

steps('on a phone', 'assembly', phone, {
    'it fits the width, and a tap selects': async (page) => {
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.locator('#list [role=option]').nth(4).tap();
        const card = await page.locator('#card').boundingBox();
        assert.ok(card && card.y >= 0 && card.y + card.height <= 844, 'the card is in sight');
        const small = await page.locator('button:visible').evaluateAll((all) =>
            all.filter((b) => b.getBoundingClientRect().height < 26).map((b) => b.id));
        assert.deepEqual(small, []);
    },

    'the card is below the view': async (page) => {
        const card = await page.locator('#card').boundingBox(), canvas = await page.locator('#canvas').boundingBox();
        assert.ok(card.y >= canvas.y + canvas.height - 1, 'it covers nothing of the view');
        assert.ok(card.height <= 0.42 * 844 && canvas.height > 0.4 * 844);
        await page.tap('#card [aria-label="Drop the selection"]');
        await page.touchscreen.tap(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
        assert.match(await text(page, '#card'), /^Part/);
    },
});
steps('names', 'hostile', {}, { 'stay names': async (page) => {
    assert.equal(await page.locator('img').count(), 0);
    const evil = '</script><img src=x onerror=alert(1)>"\'&lt;\\ \ufffd';
    assert.equal(await page.locator('#title').textContent(), evil);
    assert.equal(await page.locator('#list .name').first().getAttribute('title'), evil);
    assert.ok((await page.locator('#card').textContent()).includes(evil));
    assert.equal(await page.locator('#simplified').isVisible(), false);
} });

test('500 parts, a million triangles', { timeout: 180_000 }, async (t) => {
    const path = report('million'), start = performance.now();
    await open(path, {}, async (page) => {
        await drawn(page);
        const ms = Math.round(performance.now() - start);
        t.diagnostic(`${(statSync(path).size / 1e6).toFixed(1)} MB, drawn after ${ms} ms`);
        assert.match(await text(page, '#summary'), /^500 parts · 961,000 triangles/);
        assert.equal(await page.locator('#simplified').isVisible(), false);
    });
});

steps('more triangles than the page may draw', 'simplified', {}, { 'are shown simplified, and it says so': async (page) => {
    assert.match(await text(page, '#simplified'), /^Shown simplified: \d+ % of the triangles\..* Colours show the least distance/);
} });
