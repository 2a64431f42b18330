// SPDX-License-Identifier: Apache-2.0
// The IFC file in a zip archive (.ifczip).
import {inflateRawSync} from 'node:zlib';
import {Damage} from './part21.mjs';

export const is_zip = (bytes) => bytes.toString('latin1', 0, 4) === 'PK\x03\x04';

/// Unpacks the file whose name ends in .ifc. At most `most` bytes come out.
export function unzip(bytes, most) {
    const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    try {
        let at = bytes.readUInt32LE(end + 16);
        for (let left = bytes.readUInt16LE(end + 10); left > 0; --left) {
            const name_bytes = bytes.readUInt16LE(at + 28), local = bytes.readUInt32LE(at + 42);
            const name = bytes.toString('latin1', at + 46, at + 46 + name_bytes);
            if (name.toLowerCase().endsWith('.ifc')) {
                const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
                const packed = bytes.subarray(data, data + bytes.readUInt32LE(at + 20));
                return bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed, {maxOutputLength: most});
            }
            at += 46 + name_bytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
        }
    } catch {
        throw new Damage(': the archive is damaged, or too large to unpack');
    }
    throw new Damage(': the archive holds no .ifc file');
}
