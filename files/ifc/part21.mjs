// SPDX-License-Identifier: Apache-2.0
// Checks the text of an IFC file (ISO 10303-21). web-ifc skips what it does not understand, so a damaged file would
// lose shapes in silence.

/// A fault of the file itself. The message follows the name of the file.
export class Damage extends Error {}

const byte = (text) => text.charCodeAt(0);
const quote = byte("'"), double_quote = byte('"'), hash = byte('#'), dot = byte('.'), open = byte('('), close = byte(')');
const comma = byte(','), semicolon = byte(';'), equals = byte('='), dollar = byte('$'), star = byte('*'), slash = byte('/');
const newline = byte('\n');

const is_digit = (c) => c >= 48 && c <= 57;
const is_letter = (c) => (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
const is_word = (c) => is_letter(c) || is_digit(c) || c === 45;
const is_blank = (c) => c === 32 || (c >= 9 && c <= 13);
const is_number = (text) => /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text);

/// Lines that only describe products. A missing line that one of them names changes no shape.
const is_description = (type) => /^IFC(PROPERTY|MATERIAL|STYLED|PRESENTATION|REL(?!VOIDS|PROJECTS))/.test(type);

/// Numbers of lines, in pages of bits: a file may use few numbers from a wide range.
class Numbers {
    pages = new Map();
    page = null;
    key = -1;

    /// Adds a number. False when it is there already.
    add(n) {
        const key = Math.floor(n / 65536), at = (n % 65536) >> 3, bit = 1 << (n & 7);
        if (key !== this.key) {
            this.key = key;
            this.page = this.pages.get(key);
            if (!this.page) this.pages.set(key, this.page = new Uint8Array(8192));
        }
        if (this.page[at] & bit) return false;
        this.page[at] |= bit;
        return true;
    }
    has(n) {
        const page = this.pages.get(Math.floor(n / 65536));
        return page !== undefined && (page[(n % 65536) >> 3] & (1 << (n & 7))) !== 0;
    }
}

/// One walk over the tokens of a file. `define` gets each number that a line defines, `refer` each that a line names,
/// with the type of that line, and `complete` gets each line with its number, its first byte and the byte after it.
class Walk {
    constructor(bytes, define, refer, complete = () => {}) {
        Object.assign(this, {bytes, define, refer, complete, at: 0, start: 0, depth: 0, id: 0, type: '', wants_value: true,
                             ended: false});
    }

    fail(what) {
        let line = 1;
        for (let i = this.bytes.indexOf(newline); i >= 0 && i < this.at; i = this.bytes.indexOf(newline, i + 1)) ++line;
        throw new Damage(`:${line}: ${what}`);
    }
    /// Moves to `to`, and over the run of bytes there that `keep` accepts. Returns the text.
    text(to, keep) {
        const start = this.at;
        for (this.at = to; this.at < this.bytes.length && keep(this.bytes[this.at]); ++this.at);
        return this.bytes.toString('latin1', start, this.at);
    }
    /// Moves past the end of a string, comment or enumeration.
    past(mark, from, what) {
        const end = this.bytes.indexOf(mark, from);
        if (end < 0) this.fail(`${what} does not end`);
        this.at = end + mark.length;
    }
    value() {
        if (this.depth > 0 && !this.wants_value) this.fail('a comma is missing');
        this.wants_value = false;
    }
    number_of_line() {
        const start = this.at, text = this.text(this.at + 1, is_digit).slice(1), id = Number(text);
        if (text === '' || id > 0xffffffff) this.fail(`'#${text}' is not the number of a line`);
        let next = this.at;
        while (is_blank(this.bytes[next])) ++next;
        if (this.depth > 0) return this.refer(id, this);
        if (this.bytes[next] !== equals) this.fail(`#${id} stands alone`);
        Object.assign(this, {at: next + 1, type: '', id, start});
        this.define(id, this);
    }
    word() {
        const text = this.text(this.at, is_word);
        if (this.type === '') this.type = text.toUpperCase();
        if (text === 'END-ISO-10303-21') this.ended = true;
        while (is_blank(this.bytes[this.at])) ++this.at;
        const next = this.bytes[this.at];
        if (next !== open && (this.depth > 0 || next !== semicolon)) this.fail(`'${text.slice(0, 40)}' is not a value`);
    }
    /// Takes one token.
    token(c) {
        if (is_blank(c)) return ++this.at;
        if (c === slash && this.bytes[this.at + 1] === star) return this.past('*/', this.at + 2, 'a comment');
        if (c === open) {
            ++this.depth;
            this.wants_value = true;
            return ++this.at;
        }
        if (c === close) {
            if (--this.depth < 0) this.fail('a parenthesis is closed that was not opened');
            this.wants_value = false;
            return ++this.at;
        }
        if (c === comma && this.depth > 0) {
            if (this.wants_value) this.fail('a value is missing');
            this.wants_value = true;
            return ++this.at;
        }
        if (c === semicolon) {
            if (this.depth !== 0) this.fail('a parenthesis is not closed');
            this.type = '';
            this.wants_value = true;
            ++this.at;
            if (this.id > 0) this.complete(this.id, this.start, this.at);
            return this.id = 0;
        }
        this.value();
        if (c === hash) return this.number_of_line();
        if (is_letter(c)) return this.word();
        if (this.depth > 0) {
            if (c === quote) {
                do this.past("'", this.at + 1, 'a text');
                while (this.bytes[this.at] === quote);
                return;
            }
            if (c === double_quote) return this.past('"', this.at + 1, 'a binary value');
            if (c === dollar || c === star) return ++this.at;
            if (c === dot && is_letter(this.bytes[this.at + 1])) {
                const text = this.text(this.at + 1, is_word);
                if (this.bytes[this.at++] !== dot) this.fail(`'${text.slice(0, 40)}' is not a value`);
                return;
            }
            if (is_digit(c) || c === dot || c === 43 || c === 45) {
                const text = this.text(this.at + 1, (x) => is_word(x) || x === dot || x === 43);
                if (!is_number(text)) this.fail(`'${text.slice(0, 40)}' is not a number`);
                return;
            }
        }
        this.fail(`the byte ${c} is out of place`);
    }
    run() {
        while (this.at < this.bytes.length && !this.ended) this.token(this.bytes[this.at]);
        if (!this.ended) this.fail("the file ends early: END-ISO-10303-21 is missing");
    }
}

/// Throws `Damage` when the file is no such text, ends early or names lines that are not there. Returns notes about
/// missing lines that change no shape.
export function check(bytes) {
    const defined = new Numbers(), named = new Numbers();
    new Walk(bytes,
        (id, walk) => defined.add(id) || walk.fail(`#${id} is defined twice`),
        (id) => named.add(id)).run();
    const missing = new Numbers();
    let any = false;
    for (const [key, page] of named.pages)
        for (let i = 0; i < page.length; ++i)
            for (let k = 0; page[i] >> k > 0; ++k) {
                const id = key * 65536 + i * 8 + k;
                if (page[i] >> k & 1 && !defined.has(id)) any = missing.add(id);
            }
    if (!any) return [];
    let count = 0;
    new Walk(bytes, () => {}, (id, walk) => {
        if (!missing.has(id)) return;
        if (!is_description(walk.type)) walk.fail(`#${id} is not defined`);
        ++count;
    }).run();
    return [count === 1 ? ': 1 reference to a line that is not there is skipped' :
        `: ${count} references to lines that are not there are skipped`];
}

/// Calls `take` with the number, the first byte and the end of each line of a file that `check` accepts.
export const each_line = (bytes, take) => new Walk(bytes, () => {}, () => {}, take).run();
