// SPDX-License-Identifier: Apache-2.0

/** The names of parts: how they are called for short, and their order. */
export class Names {
    constructor(paths) {
        const distinct = [...new Set(paths)];
        this.size = distinct.length;
        this.shorts = shortNames(distinct);
        // Numbers count as numbers: `pipe-9` comes before `pipe-10`.
        const keys = new Map(distinct.map((path) =>
            [path, `${this.shorts.get(path)}/${path}`.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, '0'))]));
        distinct.sort((p, q) => (keys.get(p) < keys.get(q) ? -1 : 1));
        this.ranks = new Map(distinct.map((path, i) => [path, i]));
    }

    /** How many characters at the end of a short name tell it from others: a list that shortens names keeps them. */
    tail(path) {
        this.tails ??= tailLengths([...new Set(this.shorts.values())]);
        return this.tails.get(this.short(path));
    }

    short(path) {
        return this.shorts.get(path);
    }

    rank(path) {
        return this.ranks.get(path);
    }
}

/** The shortest ends of distinct paths that tell them apart: `a/b/c` is `c`, unless another path ends so too. */
export function shortNames(paths) {
    const split = new Map(paths.map((path) => [path, path.split('/').filter(Boolean)]));
    const shorts = new Map();
    let open = paths;
    for (let levels = 1; open.length; ++levels) {
        const uses = new Map();
        for (const path of open) {
            const short = split.get(path).slice(-levels).join('/') || path;
            shorts.set(path, short);
            uses.set(short, (uses.get(short) ?? 0) + 1);
        }
        open = open.filter((path) => uses.get(shorts.get(path)) > 1 && levels < split.get(path).length);
    }
    return shorts;
}

const leastTail = 8, mostTail = 22, separators = /[\s/_.:#-]/;

/**
 * For each of these distinct names the length of its end that no other has, to the beginning of a word. Where other paths
 * have the same last name, that name is the end: then they differ near their beginning, which is seen too.
 */
export function tailLengths(names) {
    const backwards = (text) => [...text].reverse().join(''), sorted = names.map(backwards).sort();
    const common = (p, q = '') => {
        let n = 0;
        while (n < mostTail && n < p.length && p[n] === q[n]) ++n;
        return n;
    };
    return new Map(sorted.map((name, i) => {
        const own = 1 + Math.max(common(name, sorted[i - 1]), common(name, sorted[i + 1])), last = name.indexOf('/');
        if (last >= 0 && own > last) return [backwards(name), Math.min(last + 1, mostTail)];
        let tail = Math.min(mostTail, Math.max(own, leastTail));
        while (tail < mostTail && tail < name.length && !separators.test(name[tail])) ++tail;
        return [backwards(name), tail];
    }));
}
