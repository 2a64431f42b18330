// SPDX-License-Identifier: Apache-2.0
// Pictures of pages for the documentation: node screenshots.mjs GRAZE FOLDER
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { desktop, launch, phone } from './chromium.mjs';
import { smallPng } from './small_png.mjs';

const command = resolve(process.argv[2]), folder = process.argv[3];
const samples = mkdtempSync(join(tmpdir(), 'graze-samples-'));
execFileSync(command, ['samples', samples, '-q']);
mkdirSync(folder, { recursive: true });

/** Runs graze on the samples; returns its page. */
function graze(...args) {
    const page = join(samples, `${args[0]}.html`);
    const { status, stderr } = spawnSync(command, [...args, '--html', page, '-q'], { cwd: samples, encoding: 'utf8' });
    if (status !== 0 && status !== 1) throw new Error(stderr);
    return page;
}

const collide = graze('collide', 'teapot.obj', 'ring.stl', '--pose', '2.3 0 1.25 0 0.258947 0 0.965892');
const distance = graze('distance', 'teapot.obj', 'ring.stl', '--pose', '2.6 0 2.1 0 0.258947 0 0.965892');
const path = graze('path', 'teapot.obj', 'ring.stl', 'path.txt');
const clash = graze('clash', 'plant', '--rules', 'rules.txt');
const robot = graze('robot', 'arm/arm.urdf', '--srdf', 'arm/arm.srdf', '--path', 'joints.txt');

/** Selects a row, and goes away from where the view flew by so many steps. */
const select = (row, steps = 0) => async (page) => {
    await page.locator(`#list ${row}`).first().click();
    await page.waitForTimeout(300);
    await page.locator('#canvas').focus();
    for (let i = 0; i < steps; ++i) await page.keyboard.press('-');
};

/** Shows the tree of parts, and cuts through them. */
async function cut(page) {
    await page.click('#tab-parts');
    await page.locator('#part-tree [data-do=hide]').nth(13).click();
    await page.click('#section');
    await page.locator('[data-side=y-from]').fill('575');
}

const pictures = [
    ['collide', collide, desktop, select('[role=option]')],
    ['distance', distance, desktop, select('[role=option]', 3)],
    ['path', path, desktop, select('[role=option]')],
    ['clash', clash, desktop, select('[data-kind=crossing]', 5)],
    ['robot', robot, desktop, select('[role=option]', 6)],
    ['dark', clash, { ...desktop, colorScheme: 'dark' }],
    ['section', clash, desktop, cut],
    ['phone', clash, { ...phone, deviceScaleFactor: 3 }, select('[data-kind=crossing]', 2)],
    ['phone-dark', robot, { ...phone, colorScheme: 'dark', deviceScaleFactor: 3 }, select('[role=option]', 4)],
];

/** Pixels of a picture, which the browser knows how to read, at half its size: that makes edges smooth. */
const pixelsOf = async (page, png) => {
    const [width, height, base64] = await page.evaluate(async (data) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const width = bitmap.width / 2, height = bitmap.height / 2;
        const canvas = new OffscreenCanvas(width, height), to = canvas.getContext('2d');
        to.imageSmoothingQuality = 'high';
        to.drawImage(bitmap, 0, 0, width, height);
        const { data: bytes } = to.getImageData(0, 0, width, height);
        let binary = '';
        for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
        return [width, height, btoa(binary)];
    }, png.toString('base64'));
    return [width, height, Buffer.from(base64, 'base64')];
};

const browser = await launch();
for (const [name, html, options, prepare] of pictures) {
    const context = await browser.newContext({ reducedMotion: 'reduce', deviceScaleFactor: 2, ...options });
    const page = await context.newPage();
    await page.goto(pathToFileURL(html).href);
    await page.waitForSelector('html[data-ready]');
    await prepare?.(page);
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.activeElement.blur());
    await page.waitForTimeout(500);
    const blank = await context.newPage();
    const small = smallPng(...await pixelsOf(blank, await page.screenshot()));
    writeFileSync(resolve(folder, `report-${name}.png`), small);
    console.log(`report-${name}.png: ${Math.round(small.length / 1000)} kB`);
    await context.close();
}
await browser.close();
rmSync(samples, { recursive: true });
