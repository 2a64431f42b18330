// SPDX-License-Identifier: Apache-2.0
// PNG of at most 256 colours: a fraction of the bytes, and screenshots look the same.
import { deflateSync } from 'node:zlib';

const channels = [0, 1, 2];

/** Median cut (Heckbert 1982) over colours of 6 bits a channel: the palette, and the entry of each colour. */
function palette(pixels) {
    const weights = new Map();
    for (let i = 0; i < pixels.length; i += 4) {
        const key = (pixels[i] >> 2) << 12 | (pixels[i + 1] >> 2) << 6 | pixels[i + 2] >> 2;
        const entry = weights.get(key) ?? { key, n: 0, sum: [0, 0, 0] };
        ++entry.n;
        for (const k of channels) entry.sum[k] += pixels[i + k];
        weights.set(key, entry);
    }
    const colours = [...weights.values()].map(({ key, n, sum }) => ({ key, n, at: sum.map((s) => s / n) }));
    const boxOf = (members) => {
        const n = members.reduce((sum, c) => sum + c.n, 0);
        const mean = channels.map((k) => members.reduce((sum, c) => sum + c.n * c.at[k], 0) / n);
        const spread = channels.map((k) => members.reduce((sum, c) => sum + c.n * (c.at[k] - mean[k]) ** 2, 0));
        const widest = spread.indexOf(Math.max(...spread));
        // A few bright pixels count too: by the root of what they weigh.
        return { members, mean, widest, worth: members.length > 1 ? Math.sqrt(spread[widest]) : 0 };
    };
    const boxes = [boxOf(colours)];
    while (boxes.length < 256) {
        const at = boxes.reduce((best, box, i) => (box.worth > boxes[best].worth ? i : best), 0);
        const { members, mean, widest, worth } = boxes[at];
        if (!worth) break;
        boxes.splice(at, 1, boxOf(members.filter((c) => c.at[widest] <= mean[widest])),
            boxOf(members.filter((c) => c.at[widest] > mean[widest])));
    }
    const index = new Map(boxes.flatMap(({ members }, i) => members.map((c) => [c.key, i])));
    return { colours: boxes.map((b) => b.mean.map(Math.round)), index };
}

const crcs = Int32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; ++k) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1;
    return n;
});

function chunk(type, data) {
    const body = Buffer.concat([Buffer.from(type), data]), ends = Buffer.alloc(8);
    let crc = -1;
    for (const byte of body) crc = crcs[(crc ^ byte) & 255] ^ crc >>> 8;
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(~crc >>> 0, 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** A PNG of RGBA rows. */
export function smallPng(width, height, pixels) {
    const { colours, index } = palette(pixels);
    const rows = Buffer.alloc((width + 1) * height);  // each starts with its filter: none
    for (let y = 0, i = 0; y < height; ++y)
        for (let x = 0; x < width; ++x, i += 4)
            rows[y * (width + 1) + 1 + x] =
                index.get((pixels[i] >> 2) << 12 | (pixels[i + 1] >> 2) << 6 | pixels[i + 2] >> 2);
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 3], 8);  // eight bits of a palette
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head),
        chunk('PLTE', Buffer.from(colours.flat())), chunk('IDAT', deflateSync(rows, { level: 9 })),
        chunk('IEND', Buffer.alloc(0))]);
}
