// SPDX-License-Identifier: Apache-2.0
// Makes one page of the sources, and C++ of the page: node build.mjs page.html page.cpp
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';

const [, , html, cpp] = process.argv;
const mark = '<!--graze:data-->';

async function bundle(file) {
    const { outputFiles } = await build({ entryPoints: [file], bundle: true, minify: true, write: false,
        format: 'esm', target: ['chrome100', 'firefox113', 'safari16.4'], charset: 'utf8', legalComments: 'none' });
    return outputFiles[0].text.trim();
}

const script = await bundle('src/main.js'), style = await bundle('src/style.css');
const licence = readFileSync('node_modules/three/LICENSE', 'utf8').trim();
// Functions as replacements: in texts a $ would have a meaning.
const page = readFileSync('index.html', 'utf8')
    .replace(/<link rel="stylesheet".*>/, () => `<style>${style}</style>`)
    .replace(/<script type="module".*<\/script>/,
        () => `<!-- With three.js (threejs.org):\n${licence}\n-->\n<script type="module">${script}</script>`);
if (page.split(mark).length !== 2 || page.includes('src=')) throw new Error('index.html is not as expected');
writeFileSync(html, page);

// Pieces short enough for every compiler, the mark in one of its own.
const pieces = page.split(mark).flatMap((half, i) => [...(i ? [mark] : []), ...half.match(/[^]{1,4000}/gu)]);
writeFileSync(cpp, `#include "page.hpp"

namespace graze::report {
std::span<const std::string_view> page() {
    static const std::string_view pieces[] = {
${pieces.map((p) => `        R"graze(${p})graze",\n`).join('')}    };
    return pieces;
}
}  // namespace graze::report
`);
