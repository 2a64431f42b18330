// SPDX-License-Identifier: Apache-2.0
// Light and dark.
import { kinds } from './data.js';
import { $, cycle } from './dom.js';
import { keep, kept } from './storage.js';

const systemDark = matchMedia('(prefers-color-scheme: dark)');
const themes = ['system', 'light', 'dark'];
let theme = themes.includes(kept('graze-theme')) ? kept('graze-theme') : 'system';

/** The colours of what is drawn, as the style of an element has them. */
export function coloursOf(element) {
    const style = getComputedStyle(element), colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return { halo: colour('halo'), tree: colour('tree'), accent: colour('accent'), card: colour('card'), text: colour('text'),
        kinds: Object.fromEntries(Object.keys(kinds).map((k) => [k, colour(k)])) };
}

/** Applies the theme; `onColours` gets the colours of what is drawn, now and after each change. */
export function startTheme(onColours) {
    const apply = () => {
        document.documentElement.dataset.theme = theme === 'system' ? (systemDark.matches ? 'dark' : 'light') : theme;
        $('theme').textContent = { system: '◐', light: '☀', dark: '☾' }[theme];
        $('theme').setAttribute('aria-label', `Colours: ${theme}`);
        $('theme').title = `Colours: ${theme} (D)`;
        onColours(coloursOf(document.documentElement));
    };
    systemDark.addEventListener('change', apply);
    apply();
    return () => {
        theme = cycle(themes, theme);
        keep('graze-theme', theme);
        apply();
    };
}
