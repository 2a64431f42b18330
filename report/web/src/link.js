// SPDX-License-Identifier: Apache-2.0
// The page's address says which clash is shown and from where: #clash=ID&camera=… Links to it can be mailed, and the
// browser's back and forward work. `&snapshot=1` shows the picture alone; `#snapshots=ID,ID` leaves only the pictures of these
// clashes in the page.

/** The state in the page's address: { clash, camera, snapshot, snapshots }. */
export function readLink() {
    const said = new URLSearchParams(location.hash.slice(1));
    const camera = (said.get('camera') ?? '').split(',').map(Number);
    return {
        clash: said.get('clash'),
        camera: camera.length === 6 && camera.every(Number.isFinite) ? camera : null,
        snapshot: said.get('snapshot') === '1',
        snapshots: said.get('snapshots')?.split(','),
    };
}

/** The part of an address after `#` that shows a clash. */
export function linkTo(clash, camera) {
    const said = new URLSearchParams();
    if (clash) said.set('clash', clash.id);
    if (camera) said.set('camera', camera.map((x) => Number(x.toPrecision(5))).join());
    return `#${said.toString().replaceAll('%2C', ',')}`;
}

/** Keeps the address in step with what is shown. */
export class Link {
    constructor(onFollow) {
        this.said = location.hash;
        addEventListener('hashchange', () => {
            if (location.hash === this.said) return;
            this.said = location.hash;
            onFollow(readLink());
        });
    }

    /** A new selection is a new entry of the browser's history. */
    select(clash) {
        this.set(linkTo(clash), false);
    }

    /** A new camera takes the entry's place. */
    look(clash, camera) {
        this.set(linkTo(clash, camera), true);
    }

    set(to, replace) {
        clearTimeout(this.timer);
        if (this.quiet || readLink().snapshot || to === (location.hash || '#')) return;
        this.said = to === '#' ? '' : to;
        if (replace) location.replace(to);
        else location.hash = to;
    }
}
