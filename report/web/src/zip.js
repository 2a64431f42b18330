// SPDX-License-Identifier: Apache-2.0

const crcs = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; ++k) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1;
    return n >>> 0;
});

export function crc32(bytes) {
    let crc = -1;
    for (const byte of bytes) crc = crcs[(crc ^ byte) & 255] ^ crc >>> 8;
    return ~crc >>> 0;
}

/** The most entries of a zip file without extensions. */
export const mostEntries = 65534;

/** A zip file of [name, bytes], stored without compression. */
export function zip(entries) {
    const pieces = [], directory = [];
    let at = 0;
    const record = (signature, fields, name) => {
        const bytes = new Uint8Array(4 + fields.reduce((sum, [size]) => sum + size, 0) + name.length);
        const view = new DataView(bytes.buffer);
        view.setUint32(0, signature, true);
        let to = 4;
        for (const [size, value] of fields) {
            size === 2 ? view.setUint16(to, value, true) : view.setUint32(to, value, true);
            to += size;
        }
        bytes.set(name, to);
        return bytes;
    };
    for (const [path, bytes] of entries) {
        const name = new TextEncoder().encode(path);
        // Version 2.0, names in UTF-8, stored, the first day of 1980.
        const common = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 33], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length],
            [2, name.length], [2, 0]];
        const local = record(0x04034b50, common, name);
        directory.push(record(0x02014b50, [[2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]], name));
        pieces.push(local, bytes);
        at += local.length + bytes.length;
    }
    const size = directory.reduce((sum, d) => sum + d.length, 0), n = entries.length;
    return new Blob([...pieces, ...directory, record(0x06054b50, [[2, 0], [2, 0], [2, n], [2, n], [4, size], [4, at], [2, 0]], [])],
        { type: 'application/zip' });
}
