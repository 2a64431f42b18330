// SPDX-License-Identifier: Apache-2.0
// Writes what files/assembly_wire.cpp receives: numbers in the machine's own layout, lists after their counts.
import {writeSync} from 'node:fs';

/// The number that graze::FaultKind gives to Damaged.
const damaged = 11;

/// A text on one line, without control characters.
export function one_line(text) {
    const plain = text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
    return plain.length > 200 ? plain.slice(0, 200) + '…' : plain;
}

export class Wire {
    constructor(descriptor) {
        this.descriptor = descriptor;
        this.buffer = Buffer.alloc(1 << 20);
        this.used = 0;
    }

    bytes(array) {
        const from = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
        if (this.used + from.length > this.buffer.length) this.flush();
        if (from.length > this.buffer.length) return this.write(from);
        from.copy(this.buffer, this.used);
        this.used += from.length;
    }
    write(from) {
        for (let at = 0; at < from.length;) at += writeSync(this.descriptor, from, at);
    }
    flush() {
        this.write(this.buffer.subarray(0, this.used));
        this.used = 0;
    }

    flag(value) { this.bytes(Uint8Array.of(value ? 1 : 0)); }
    count(n) { this.bytes(BigUint64Array.of(BigInt(n))); }
    text(text) {
        const bytes = Buffer.from(text);
        this.count(bytes.length);
        this.bytes(bytes);
    }
    list(items, one) {
        this.count(items.length);
        for (const item of items) one(item);
    }

    mesh({points, corners, name, colour, error}) {
        this.count(points.length / 3);
        this.bytes(points);
        this.count(corners.length);
        this.bytes(corners);
        this.count(0);
        this.text(name);
        this.flag(colour !== null);
        this.bytes(Float32Array.from(colour ?? [0, 0, 0, 0]));
        this.bytes(Float64Array.of(error));
        this.flag(false);
        this.count(0);
    }
    part({name, path, mesh, linear, translation, labels, extra_error}) {
        this.text(name);
        this.text(path);
        this.bytes(Uint32Array.of(mesh));
        this.bytes(Float64Array.from(linear));
        this.bytes(Float64Array.from(translation));
        for (const key of ['id', 'type', 'layer', 'storey', 'discipline']) this.text(labels[key]);
        this.bytes(Float64Array.of(extra_error));
    }
    assembly({meshes, parts, unread, notes, metres, map}) {
        this.flag(true);
        this.list(meshes, (mesh) => this.mesh(mesh));
        this.list(parts, (part) => this.part(part));
        this.list(unread, (one) => {
            for (const key of ['path', 'id', 'reason']) this.text(one_line(one[key]));
        });
        this.list(notes, (note) => this.text(one_line(note)));
        this.text('IFC');
        this.bytes(Float64Array.of(metres));
        this.text_byte('z');
        this.flag(map !== null);
        if (map !== null) {
            this.text(one_line(map.crs));
            this.bytes(Float64Array.of(...map.origin, ...map.x, map.scale));
        }
        this.flush();
    }
    text_byte(letter) { this.bytes(Uint8Array.of(letter.charCodeAt(0))); }
    fault(message) {
        this.flag(false);
        this.bytes(Uint8Array.of(damaged));
        this.text(one_line(message));
        this.flush();
    }
}
