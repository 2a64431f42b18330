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
