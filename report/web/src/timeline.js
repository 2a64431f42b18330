// SPDX-License-Identifier: Apache-2.0
import { $ } from './dom.js';
import { count, distanceIn, grouped } from './words.js';

const perSecond = 30;

/** Frames to play, step and scrub through, with the number of contacts plotted along them. */
export class Timeline {
    constructor(data, onFrame) {
        const { frames, motion } = data;
        Object.assign(this, { data, frames, total: motion.frames, onFrame, frame: 0, most: frames.reduce((most, f) => Math.max(most, f.contacts), 1),
            furthest: frames.reduce((most, f) => Math.max(most, f.distance ?? 0), 0) });
        $('frames-left').hidden = frames.length === motion.frames;
        $('frames-left').textContent = `${grouped(frames.length)} of ${grouped(motion.frames)} frames`;
        $('timeline').hidden = false;
        $('scrub').max = frames.length - 1;
        $('scrub').addEventListener('input', () => {
            this.pause();
            this.go(Number($('scrub').value));
        });
        $('play').addEventListener('click', () => this.toggle());
        $('step').addEventListener('click', () => this.step(1));
        $('step-back').addEventListener('click', () => this.step(-1));
        $('hit').addEventListener('click', () => this.jump(1));
        $('hit-back').addEventListener('click', () => this.jump(-1));
        new ResizeObserver(() => this.plot()).observe($('plot'));
        this.go(0);
    }

    go(frame) {
        this.frame = Math.max(0, Math.min(this.frames.length - 1, frame));
        const { number, contacts, isHit, distance } = this.frames[this.frame];
        $('scrub').value = this.frame;
        const what = contacts ? count(contacts, 'contact') : isHit ? 'inside'
            : distance === undefined ? 'clear' : `${distanceIn(this.data, distance)} apart`;
        const says = `frame ${number} of ${this.total} · ${what}`;
        $('frame-says').textContent = says;
        $('scrub').setAttribute('aria-valuetext', says);
        this.plot();
        this.onFrame(this.frame);
    }

    step(by) {
        this.pause();
        this.go(this.frame + by);
    }

    /** To where contact next begins. */
    jump(by) {
        this.pause();
        const meets = (i) => this.frames[i]?.isHit;
        for (let i = this.frame + by; i >= 0 && i < this.frames.length; i += by)
            if (meets(i) && !meets(i - 1)) return this.go(i);
    }

    toggle() {
        this.timer ? this.pause() : this.play();
    }

    play() {
        if (this.frame === this.frames.length - 1) this.frame = 0;
        let last = performance.now(), due = 0;
        const tick = (now) => {
            due += (now - last) / 1000 * perSecond * Number($('speed').value);
            last = now;
            // A slow machine leaves frames out rather than play slowly.
            const steps = Math.floor(due);
            due -= steps;
            if (steps) this.go(this.frame + steps);
            if (this.frame === this.frames.length - 1) return this.pause();
            this.timer = requestAnimationFrame(tick);
        };
        this.timer = requestAnimationFrame(tick);
        this.label('Pause', '❚❚');
    }

    pause() {
        cancelAnimationFrame(this.timer);
        this.timer = 0;
        this.label('Play', '▶');
    }

    label(what, sign) {
        Object.assign($('play'), { textContent: sign, title: `${what} (Space)` });
        $('play').setAttribute('aria-label', what);
    }

    plot() {
        const canvas = $('plot'), { clientWidth: width, clientHeight: height } = canvas;
        if (!width) return;
        const scale = devicePixelRatio, style = getComputedStyle(document.documentElement);
        const colour = (name) => style.getPropertyValue(`--${name}`).trim();
        if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
        if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
        const g = canvas.getContext('2d');
        g.setTransform(scale, 0, 0, scale, 0, 0);
        g.clearRect(0, 0, width, height);
        const base = height - 6, n = this.frames.length;
        g.fillStyle = colour('line');
        g.fillRect(0, base, width, 1);
        g.fillStyle = colour('crossing');
        // One bar a frame, or the greatest of those that share a pixel.
        const wide = Math.max(1, width / n);
        const bars = Math.min(n, Math.floor(width));
        for (let i = 0; i < bars; ++i) {
            const from = Math.floor(i * n / bars), to = Math.floor((i + 1) * n / bars);
            let most = 0, hit = false;
            for (let f = from; f < to; ++f) {
                most = Math.max(most, this.frames[f].contacts);
                hit ||= this.frames[f].isHit;
            }
            if (!hit) continue;
            const tall = Math.max(3, (base - 14) * most / this.most);
            g.fillRect(i * width / bars, base - tall, Math.max(1, wide - (wide > 4 ? 1 : 0)), tall);
        }
        if (this.furthest) this.plotDistances(g, width, base, colour('clearance'));
        g.fillStyle = colour('soft');
        g.font = '11px system-ui, "DejaVu Sans", sans-serif';
        const meets = !this.furthest || this.frames.some((f) => f.contacts);
        const says = [meets && `most: ${count(this.most, 'contact')}`, this.furthest && `up to ${distanceIn(this.data, this.furthest)} apart`];
        g.fillText(says.filter(Boolean).join(' · '), 2, 10);
        const x = (this.frame + 0.5) * width / n;
        g.fillStyle = colour('accent');
        g.fillRect(Math.min(width - 2, Math.max(0, x - 1)), 0, 2, height);
        g.beginPath();
        g.arc(Math.min(width - 6, Math.max(6, x)), base + 0.5, 5.5, 0, 7);
        g.fill();
    }

    /** A curve of the distances. Frames without one interrupt it. */
    plotDistances(g, width, base, colour) {
        g.strokeStyle = colour;
        g.lineWidth = 1.5;
        g.beginPath();
        let isOn = false;
        this.frames.forEach(({ distance }, i) => {
            if (distance !== undefined)
                g[isOn ? 'lineTo' : 'moveTo']((i + 0.5) * width / this.frames.length, base - (base - 14) * distance / this.furthest);
            isOn = distance !== undefined;
        });
        g.stroke();
    }
}
