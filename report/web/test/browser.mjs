// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of pages: one browser, and pages that may not complain.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch } from './chromium.mjs';

/** A folder for this program's files. */
export const folder = mkdtempSync(join(tmpdir(), 'graze-page-'));

/** Smaller than people have it: drawing without a graphics card takes its time by the pixel. */
export const viewport = { width: 1120, height: 700 };

let browser;
before(async () => { browser = await launch(); });
after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

const written = new Map();

/** The page that GRAZE_DEMO (the program report_demo) writes under a name. */
export function report(name) {
    if (!written.has(name)) {
        const path = join(folder, `${name}.html`);
        execFileSync(process.env.GRAZE_DEMO, [name, path], { stdio: 'inherit' });
        written.set(name, path);
    }
    return written.get(name);
}

/** Opens a report and works on it. What it complains of or asks the network for is a fault. */
export async function open(path, { hash = '', before, ...options }, body) {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...options });
    if (before) await context.addInitScript(before);
    const page = await context.newPage();
    const faults = [];
    page.on('console', (m) => {
        // That tests read pixels is their own affair.
        if (['error', 'warning'].includes(m.type()) && !/GPU stall|readback/.test(m.text())) faults.push(m.text());
    });
    page.on('pageerror', (e) => faults.push(e.message));
    page.on('dialog', (d) => {
        faults.push(`dialog ${d.message()}`);
        d.dismiss();
    });
    page.on('request', (r) => {
        if (!/^(file|data|blob):/.test(r.url())) faults.push(`request ${r.url()}`);
    });
    try {
        await page.goto(pathToFileURL(path).href + hash);
        await page.waitForSelector('html[data-ready]', { timeout: 90_000 });
        await body(page);
        assert.deepEqual(faults, []);
    } finally {
        await context.close();
    }
}

/** A test whose steps share one report, since opening it takes longer than most of them. A step gets the page and its test. */
export const steps = (what, name, options, bodies) => test(what, { timeout: 180_000 }, (t) => open(report(name), options, async (page) => {
    for (const [step, body] of Object.entries(bodies)) await t.test(step, (of) => body(page, of));
}));

export const answerOf = (page) =>
    page.evaluate(() => JSON.parse(document.getElementById('graze-answer').textContent));
export const text = (page, selector) => page.locator(selector).innerText();
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() =>
    requestAnimationFrame(() => requestAnimationFrame(done)))));

/** The texts of the list, row by row. */
export const rowsOf = (page) => page.locator('#list [role=option]').evaluateAll((all) => all.map((row) => ({
    names: [...row.querySelectorAll('.name')].map((e) => e.title),
    shorts: [...row.querySelectorAll('.name')].map((e) => e.textContent),
    kind: row.dataset.kind,
    contacts: Number(row.querySelector('.number').textContent.replace(/,/g, '')) || 0,
    state: (row.querySelector('.state')?.textContent ?? '').replace(/(, )?thin$/, ''),
    note: row.querySelector('.note')?.textContent ?? '',
    label: row.getAttribute('aria-label'),
})));

/** The timeline's text at a frame. */
export const saysAt = (contacts, i) => `frame ${i} of ${contacts.length} · ` +
    (contacts[i] ? `${contacts[i].toLocaleString('en')} contact${contacts[i] === 1 ? '' : 's'}` : 'clear');

/** How many pixels of an element have about this colour. */
export async function pixels(page, colour, selector = '#canvas') {
    await drawn(page);
    const image = (await page.locator(selector).screenshot()).toString('base64');
    return page.evaluate(async ([data, [r, g, b]]) => {
        const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), to = canvas.getContext('2d');
        to.drawImage(bitmap, 0, 0);
        const p = to.getImageData(0, 0, bitmap.width, bitmap.height).data;
        let n = 0;
        for (let i = 0; i < p.length; i += 4)
            n += Math.abs(p[i] - r) + Math.abs(p[i + 1] - g) + Math.abs(p[i + 2] - b) < 60;
        return n;
    }, [image, colour]);
}
export const crossing = [0xd5, 0x5e, 0x00];
