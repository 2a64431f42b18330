// SPDX-License-Identifier: Apache-2.0
// Reads an IFC file from standard input and sends an assembly, in metres and z up, to descriptor 3.
import {isUtf8} from 'node:buffer';
import {readFileSync} from 'node:fs';
import {check, Damage} from './part21.mjs';
import {Wire} from './wire.mjs';
import {is_zip, unzip} from './zip.mjs';

const most_bytes = 2 ** 31 - 1;  // of a file that web-ifc takes

/// Messages of web-ifc, which also prints to the console.
const said = [];
for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace'])
    console[level] = (...words) => { if (said.length < 1000) said.push(words.join(' ')); };

/// Throws `Damage` when the file is not IFC, or of a schema that web-ifc does not know. Returns a note about a schema that
/// it takes for a similar one.
function check_schema(bytes) {
    if (bytes.toString('latin1', 0, 1000).trimStart().slice(0, 13) !== 'ISO-10303-21;')
        throw new Damage(': not an IFC file: it does not start with ISO-10303-21');
    const schema = /FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'/i.exec(bytes.toString('latin1', 0, 1 << 20))?.[1]?.toUpperCase() ?? '';
    if (/^IFC(2X3|4|4X3|4X3_ADD[12])$/.test(schema)) return [];
    if (/^IFC4X([12]|3_RC[1-4])$/.test(schema)) return [`: the schema ${schema}, a draft, is read as IFC4X3`];
    throw new Damage(schema === '' ? ': the file states no schema' :
        `: the schema ${schema.slice(0, 40)} is not supported; IFC2X3, IFC4 and IFC4X3 are`);
}

const wire = new Wire(3);
try {
    let bytes = readFileSync(0);
    if (is_zip(bytes)) bytes = unzip(bytes, most_bytes);
    if (bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf') bytes = bytes.subarray(3);
    // Texts should be UTF-8 or escaped. Old programs write Latin-1.
    if (!isUtf8(bytes)) bytes = Buffer.from(bytes.toString('latin1'));
    const notes = [...check_schema(bytes), ...check(bytes)];
    // Loading web-ifc takes longer than the checks.
    const {read_assembly} = await import('./assembly.mjs');
    const assembly = await read_assembly(bytes);
    const complaints = said.filter((line) => /error/i.test(line));
    if (complaints.length > 0)
        notes.push(`: web-ifc reports ${complaints.length === 1 ? '1 error' : `${complaints.length} errors`}: ` +
            complaints[0].replace(/^(\[[^\]]*\])+ */, ''));
    wire.assembly({...assembly, notes: [...notes, ...assembly.notes]});
} catch (fault) {
    wire.fault(fault instanceof Damage ? fault.message : `: web-ifc cannot read it: ${String(fault?.message ?? fault)}`);
}
