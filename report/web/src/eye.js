// SPDX-License-Identifier: Apache-2.0
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const fieldOfView = 32;
const tangent = Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2));

/** The camera, and how it is moved: by pointer, by keys, in flights. The scene lies within √3 of the origin. */
export class Eye {
    constructor(canvas, up, { onChange, onMoved, inset }) {
        Object.assign(this, { onChange, onMoved, inset, shift: 0 });
        this.camera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.01, 10);
        this.camera.up.copy(up).normalize();
        this.controls = new OrbitControls(this.camera, canvas);
        Object.assign(this.controls, { zoomToCursor: true, minDistance: 1e-5, maxDistance: 40 });
        this.controls.addEventListener('change', onChange);
        this.controls.addEventListener('start', () => { this.flight = null; });
        this.controls.addEventListener('end', () => this.moved());
        this.camera.position.copy(this.firstDirection());
    }

    /** From the point looked at to the camera. */
    offset() {
        return this.camera.position.clone().sub(this.controls.target);
    }

    /** Six numbers: the point looked at, and from it to the camera. */
    place() {
        return [...this.controls.target, ...this.offset()];
    }
    setPlace(place) {
        const [target, offset] = [0, 3].map((i) => new THREE.Vector3().fromArray(place, i));
        if (offset.lengthSq() > 0) this.fly(target, offset, false);
    }

    /** The viewer has moved the camera. */
    moved() {
        clearTimeout(this.timer);
        this.timer = setTimeout(this.onMoved, 300);
    }

    /** From the right, the front and above. */
    firstDirection() {
        const { up } = this.camera;
        const side = Math.abs(up.x) > 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
        const right = side.addScaledVector(up, -side.dot(up)).normalize();
        const front = new THREE.Vector3().crossVectors(right, up);
        return right.multiplyScalar(0.55).addScaledVector(front, 0.85).addScaledVector(up, 0.5).normalize();
    }

    resize(width, height) {
        Object.assign(this, { width, height });
        this.camera.aspect = width / height;
    }

    /** Width over height of what nothing covers. */
    freeAspect() {
        return Math.max(0.2, (this.width - this.inset()) / this.height);
    }

    /** All of these points in view, from the same side as before. */
    fit(points, smooth) {
        if (!points.length) return;
        const box = new THREE.Box3().setFromPoints(points), centre = box.getCenter(new THREE.Vector3());
        const z = this.offset().normalize();
        const x = new THREE.Vector3().crossVectors(this.camera.up, z).normalize();
        const y = new THREE.Vector3().crossVectors(z, x);
        let distance = 1e-5;
        for (const point of points) {
            const p = point.clone().sub(centre);
            const beside = Math.max(Math.abs(p.dot(x)) / this.freeAspect(), Math.abs(p.dot(y)));
            distance = Math.max(distance, p.dot(z) + 1.12 * beside / tangent);
        }
        this.fly(centre, z.multiplyScalar(distance), smooth);
    }

    /** A ball in view, from the same side as before. A line in it is seen at 60° at least, so that its length shows. */
    flyTo(centre, radius, smooth, line = null) {
        const narrow = Math.min(1, this.freeAspect()), direction = this.offset().normalize();
        const along = line ? line.dot(direction) : 0;
        if (Math.abs(along) > 0.5) {
            const across = direction.clone().addScaledVector(line, -along);
            // From the end of the line every side is as good.
            if (across.length() < 0.05) across.crossVectors(line, Math.abs(line.dot(this.camera.up)) > 0.9 ? this.firstDirection() : this.camera.up);
            direction.copy(across.setLength(Math.sqrt(0.75))).addScaledVector(line, 0.5 * Math.sign(along));
        }
        this.fly(centre.clone(), direction.setLength(1.2 * radius / (tangent * narrow)), smooth);
    }

    /** To a target, seen from there plus `offset`. What covers the right of the view shifts its middle to the left. */
    fly(target, offset, smooth = true) {
        clearTimeout(this.timer);
        const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
        const from = { target: this.controls.target.clone(), offset: this.offset(), shift: this.shift };
        this.flight = { from, target, offset, shift: this.inset() / 2, start: performance.now(), time: smooth && !still ? 500 : 0 };
        this.onChange();
    }

    /** All that says where the camera is and goes. */
    save() {
        return { place: this.place(), flight: this.flight, shift: this.shift, inset: this.inset };
    }
    restore({ place, flight, shift, inset }) {
        this.controls.target.fromArray(place);
        this.camera.position.fromArray(place, 3).add(this.controls.target);
        Object.assign(this, { flight, shift, inset });
    }

    /** To where the camera is by now; true while it flies. */
    advance() {
        const f = this.flight;
        if (f) {
            const t = f.time ? Math.min(1, (performance.now() - f.start) / f.time) : 1;
            const s = t * t * (3 - 2 * t);
            this.controls.target.lerpVectors(f.from.target, f.target, s);
            // Distance by its logarithm, so that approach and departure look even.
            const direction = f.from.offset.clone().normalize().lerp(f.offset.clone().normalize(), s).normalize();
            const distance = f.from.offset.length() ** (1 - s) * f.offset.length() ** s;
            this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
            this.shift = f.from.shift + s * (f.shift - f.from.shift);
            if (t >= 1) this.flight = null;
        }
        this.controls.update();
        this.camera.setViewOffset(this.width, this.height, this.shift, 0, this.width, this.height);
        const far = this.camera.position.length() + 1.8;
        this.camera.near = Math.max(far - 3.6, this.offset().length() * 0.02, 1e-7);
        this.camera.far = far;
        this.camera.updateProjectionMatrix();
        return Boolean(this.flight);
    }

    /** By keys: turns (radians), pans (shares of the height), zooms (a factor). */
    nudge({ turn = [0, 0], pan = [0, 0], zoom = 1 }) {
        this.flight = null;
        const { up } = this.camera, { target } = this.controls, offset = this.offset();
        const right = new THREE.Vector3().crossVectors(up, offset).normalize();
        offset.applyAxisAngle(up, turn[0]);
        const tilt = offset.angleTo(up) + turn[1];
        if (tilt > 0.05 && tilt < Math.PI - 0.05)
            offset.applyAxisAngle(right.clone().applyAxisAngle(up, turn[0]), turn[1]);
        const step = 2 * offset.length() * tangent;
        const above = new THREE.Vector3().crossVectors(offset, right).normalize();
        target.addScaledVector(right, pan[0] * step).addScaledVector(above, pan[1] * step);
        this.camera.position.copy(target).add(offset.multiplyScalar(zoom));
        this.onChange();
        this.moved();
    }
}
