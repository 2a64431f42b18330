// SPDX-License-Identifier: Apache-2.0
import { kinds } from './data.js';

export const $ = (id) => document.getElementById(id);
export const cycle = (values, value) => values[(values.indexOf(value) + 1) % values.length];
export const isPhone = () => matchMedia('(max-width: 760px)').matches;

/** An element with attributes and children; texts stay texts. */
export function element(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
}

export function button(text, onClick, attributes = {}) {
    const e = element('button', { type: 'button', ...attributes }, text);
    e.addEventListener('click', onClick);
    return e;
}

/** A name that is shortened in its middle where it is too long: so many characters at its end stay. */
export function nameElement(text, tail, attributes = {}) {
    const letters = [...text], at = letters.length - tail;
    return element('span', { class: 'name', ...attributes }, ...(at < 8 ? [text]
        : [element('span', { class: 'head' }, letters.slice(0, at).join('')), element('span', { class: 'tail' }, letters.slice(at).join(''))]));
}

export const signOf = (kind) =>
    element('span', { class: 'sign', style: `--colour: var(--${kind})`, 'aria-hidden': 'true' }, kinds[kind].sign);

export const press = (id, on) => $(id).setAttribute('aria-pressed', on);

/** Says something for a while, or until something else is said. */
export function say(text) {
    const box = $('says');
    box.textContent = text;
    clearTimeout(say.timer);
    if (text) say.timer = setTimeout(() => { box.textContent = ''; }, 8000);
}

/** Hands the viewer a file. */
export function download(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], { type }));
    element('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A file name made of the report's title. */
export const fileName = (title, end) => `${title.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^-|-$/g, '').slice(0, 80) || 'report'}${end}`;
