// SPDX-License-Identifier: Apache-2.0
// Storage of the browser for the page. Some browsers keep nothing for files, or throw.

export function kept(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

/** False when the browser does not keep it. */
export function keep(key, value) {
    try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
        return true;
    } catch {
        return false;
    }
}

/** All that is kept under keys that begin so, by the rest of the key. */
export function allKept(start) {
    try {
        return Object.keys(localStorage).filter((key) => key.startsWith(start))
            .map((key) => [key.slice(start.length), localStorage.getItem(key)]);
    } catch {
        return [];
    }
}
