// SPDX-License-Identifier: Apache-2.0
import * as THREE from 'three';

const edges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/** The boxes of a bounding-volume tree, one level at a time. */
export class TreeBoxes {
    constructor(data, scene) {
        this.data = data;
        this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({
            transparent: true, opacity: 0.8 }));
        this.lines.frustumCulled = this.lines.visible = this.lines.matrixAutoUpdate = false;
        scene.add(this.lines);
    }

    /** The boxes of one level of a part's tree, the root's being 0; none for -1. */
    show(part, level) {
        this.part = part;
        this.lines.visible = level >= 0;
        if (level < 0) return;
        const { first, levels } = this.data.parts[part].tree;
        const begin = first + levels.slice(0, level).reduce((a, b) => a + b, 0), n = levels[level];
        const corners = new Float32Array(24 * n), index = new Uint32Array(24 * n);
        for (let i = 0; i < n; ++i) {
            const b = this.data.boxes.subarray(12 * (begin + i), 12 * (begin + i + 1));
            for (let corner = 0; corner < 8; ++corner)
                for (let k = 0; k < 3; ++k)
                    corners[24 * i + 3 * corner + k] = b[9 + k] + (corner & 1 ? b[k] : -b[k]) +
                        (corner & 2 ? b[3 + k] : -b[3 + k]) + (corner & 4 ? b[6 + k] : -b[6 + k]);
            for (let e = 0; e < 24; ++e) index[24 * i + e] = 8 * i + edges[e];
        }
        this.lines.geometry.dispose();
        this.lines.geometry = new THREE.BufferGeometry();
        this.lines.geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
        this.lines.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    }

    /** Follows its part. */
    move(placeOf) {
        if (this.lines.visible) this.lines.matrix.copy(placeOf(this.part));
    }
}
