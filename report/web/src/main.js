// SPDX-License-Identifier: Apache-2.0
import { mostTopics, toBcf } from './bcf.js';
import { Card } from './card.js';
import { kinds, load } from './data.js';
import { $, cycle, download, element, fileName, isPhone, press, say } from './dom.js';
import { toCsv } from './export.js';
import { startKeys } from './keys.js';
import { Link, readLink } from './link.js';
import { List } from './list.js';
import { Parts } from './parts.js';
import { takePictures } from './pictures.js';
import { printed } from './print.js';
import { Reviews } from './review.js';
import { startTheme } from './theme.js';
import { Timeline } from './timeline.js';
import { Ruler, Section } from './tools.js';
import { palette, View } from './view.js';
import { count, inWords, percent, shortTitle, summary } from './words.js';

function legend(data) {
    const used = new Set([...data.clashes.map((c) => c.hit), ...data.frames.flatMap((f) => f.hits)].map((h) => h.kind));
    const item = (colour, what, type = '') =>
        $('legend').append(element('li', {}, element('i', { class: type, style: `--colour: ${colour}` }), what));
    for (const kind of Object.keys(kinds)) if (used.has(kind)) item(`var(--${kind})`, kinds[kind].what);
    const groups = [...new Set(data.parts.map((p) => p.group))];
    if (groups.length <= palette.length && (groups.length > 1 || data.parts.length <= 2))
        for (const [i, group] of groups.entries()) if (group) item(palette[i], group, 'part');
}

function drawAxes(camera) {
    const toView = camera.matrixWorldInverse.elements;
    const axis = (name, k) => ({ name, x: toView[4 * k], y: -toView[4 * k + 1], z: toView[4 * k + 2] });
    const colours = { x: 'var(--crossing)', y: 'var(--soft)', z: 'var(--touching)' };
    $('axes').innerHTML = ['x', 'y', 'z'].map(axis).sort((p, q) => p.z - q.z).map(({ name, x, y }) => `
        <line x2="${22 * x}" y2="${22 * y}" stroke="${colours[name]}" stroke-width="2.5" stroke-linecap="round"/>
        <text x="${32 * x}" y="${32 * y}" fill="${colours[name]}">${name}</text>`).join('');
}

/** Fills in the texts that never change. */
function fillPage(data) {
    document.title = data.title || 'graze report';
    $('title').textContent = shortTitle(data) || 'graze report';
    $('title').title = data.title;
    $('summary').textContent = summary(data);
    $('figures').hidden = !data.figures.length;
    $('figures').querySelector('dl').append(
        ...[...data.figures, ['unit of lengths', data.units || 'not stated by the files']].flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, value)]));
    $('figures').open = !isPhone() && data.clashes.length <= 8;
    $('simplified').hidden = data.shown >= data.triangles;
    $('simplified').textContent =
        `Shown simplified: ${percent(data.shown, data.triangles)} of the triangles. Contacts are exact.` +
        (data.clearance === undefined ? '' : ' Colours show the least distance of triangles that became one.');
    legend(data);
}

class Page {
    constructor(data) {
        Object.assign(this, { data, selected: null, part: -1, others: 'x-ray', xray: false, level: 0, view: null, timeline: null });
        fillPage(data);
        this.reviews = new Reviews(data, () => {
            clearTimeout(this.refreshing);
            this.refreshing = setTimeout(() => this.list.refresh(), 250);
        });
        this.card = new Card(data, this.reviews, {
            onClose: () => this.select(null),
            onFilter: (text) => {
                this.tab('clashes');
                this.list.filter(text);
                if (isPhone()) this.card.close();
            },
            onIsolate: (parts) => this.parts.isolate(parts),
            onHide: (part) => this.hide(part),
        });
        this.link = new Link((said) => this.follow(said));
        this.list = new List(data, this.reviews, {
            onSelect: (clash) => this.select(clash),
            onIsolate: (parts) => {
                this.select(null);
                this.parts.isolate(parts);
            },
            // The view follows the list, so that typing never waits for it.
            onFilter: (matches) => {
                clearTimeout(this.following);
                this.following = setTimeout(() => this.view?.list(matches), 60);
            },
        });
        this.parts = new Parts(data, {
            onSelect: (part) => this.select(null, part),
            onHide: (hidden) => this.view?.hide(hidden),
            // A clash keeps its own view.
            onIsolate: (parts) => this.selected || this.view?.fitParts(parts),
        });
        this.startView();
        if (data.frames.length) this.timeline = new Timeline(data, (frame) => this.view?.setFrame(frame));
        this.nextTheme = startTheme((colours) => {
            this.view?.setColours(colours);
            this.timeline?.plot();
        });
        this.view?.list(this.list.found);
        this.section = new Section(data, this.view, () => (this.selected ? this.view.boxOf(this.selected)
            : this.part >= 0 ? this.view.boxOfPart(this.part) : null));
        this.ruler = new Ruler(data, this.view);
        this.startTree();
        this.startTabs();
        this.startExport();
        this.look();
        const clashes = data.clashes.filter((c) => !c.harmless);
        if (location.hash) this.follow(readLink(), false);
        else if (clashes.length === 1 && !this.timeline) this.follow({ clash: clashes[0].id, camera: null }, false);
        startKeys(this);
    }

    startView() {
        try {
            this.view = new View($('canvas'), this.data, {
                onClash: (clash) => this.select(clash),
                onPart: (part, triangle) => {
                    this.select(null, part);
                    if (part >= 0) this.card.part(part, triangle);
                },
                onPoint: (point, hit) => this.ruler.add(point, hit),
                onTurn: drawAxes,
                onMoved: () => this.link.look(this.selected, this.view.eye.place()),
                // The card covers the right of a wide view; on a phone it is below.
                inset: () => ($('card').hidden || isPhone() || this.isSnapshot ? 0 : $('card').offsetWidth + 12),
            });
            $('message').textContent = '';
        } catch (error) {
            console.warn(error);
            $('message').textContent = 'This browser gives no WebGL 2, so nothing can be drawn. The list and the figures are whole.';
        }
    }

    // The selection: a clash, a part, or nothing

    select(clash, part = -1, fly = true) {
        if (clash && !this.list.found.includes(clash)) this.list.clear();
        Object.assign(this, { selected: clash, part });
        this.list.select(clash);
        this.parts.select(part);
        this.card.close();
        if (clash) this.card.clash(clash);
        else if (part >= 0) this.card.part(part);
        if (this.timeline && clash) {
            this.timeline.pause();
            this.timeline.go(clash.frame ?? 0);
        }
        this.view?.select(clash, part);
        if (fly && clash && (clash.hit.a >= 0 || clash.hit.b >= 0)) this.view?.flyTo(clash);
        this.section?.follow();
        this.link.select(clash);
        say('');
        $('live').textContent = clash ? inWords(this.data, clash) : part >= 0 ? `Part ${this.data.parts[part].name}` : '';
    }

    /** Ends the tool that is in use; without one, drops the selection. */
    escape() {
        if ($('export').open) $('export').open = false;
        else if (this.ruler.isOn()) this.ruler.toggle();
        else if (this.section.on) this.section.toggle();
        else this.select(null);
    }

    /** Shows what an address says. */
    follow({ clash: id, camera, snapshot, snapshots }, smooth = true) {
        if (snapshots) return this.leaveSnapshots(snapshots);
        const clash = id === null ? null : this.data.clashes.find((c) => c.id === id);
        if (snapshot) return this.showSnapshot(clash, camera);
        this.link.quiet = true;  // the address says it already
        this.select(clash ?? null, -1, !camera && smooth);
        this.link.quiet = false;
        if (clash === undefined) say(`This report has no clash ${id}.`);
        if (camera) this.view?.eye.setPlace(camera);
        else if (clash && !smooth) this.view?.flyTo(clash, false);
    }

    /** Shows a clash alone in the whole window, and says when it is drawn. */
    showSnapshot(clash, camera) {
        this.isSnapshot = true;
        document.body.classList.add('snapshot');
        const { view } = this;
        view?.resize();
        if (clash) {
            this.select(clash, -1, false);
            view?.flyTo(clash, false);
        }
        if (camera) view?.eye.setPlace(camera);
        // A plain picture is there at once. The view's own canvas may come later than the browser's screenshot.
        if (view) document.querySelector('.stage').append(view.picture(Infinity, 'transparent'));
        const says = !view ? 'no WebGL' : clash === undefined ? 'no such clash' : 'drawn';
        document.title = `graze snapshot: ${says}`;
        document.documentElement.dataset.snapshot = says;
    }

    /** Leaves nothing in the page but pictures of clashes, as hexadecimal digits: a browser without a window prints them. */
    async leaveSnapshots(ids) {
        const pictures = [], { view } = this;
        await (view && takePictures(view, 800, 600, (take) => {
            for (const clash of this.data.clashes.filter((c) => ids.includes(c.id))) {
                const png = atob(take(clash, true).picture.toDataURL('image/png').split(',')[1]);
                pictures.push(element('pre', { id: clash.id }, Array.from(png, (c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join('')));
            }
        }));
        view?.stop();
        document.documentElement.replaceChildren(element('body', {}, ...pictures));
    }

    // Parts

    hide(part = this.part) {
        if (part < 0) return;
        this.select(null);
        this.parts.toggle([part]);
    }

    isolate() {
        const parts = this.selected ? [this.selected.hit.a, this.selected.hit.b] : [this.part];
        if (parts.some((part) => part >= 0)) this.parts.isolate(parts.filter((part) => part >= 0));
    }

    // The view's tools

    toggle(id) {
        const on = $(id).getAttribute('aria-pressed') !== 'true';
        press(id, on);
        this.view?.show(id, on);
    }

    look() {
        press('xray', this.xray);
        $('others').hidden = this.data.parts.length <= 2;
        $('others').textContent = `Others: ${this.others}`;
        this.view?.look(this.others, this.xray);
    }

    startTree() {
        const { parts } = this.data;
        this.trees = parts.flatMap((p, i) => (p.tree?.levels.length ? [i] : []));
        for (const [what, here] of [['others', parts.length > 2], ['tree', this.trees.length], ['frames', this.timeline]])
            if (!here) document.querySelectorAll(`.for-${what}`).forEach((e) => e.remove());
        if (!this.trees.length) return;
        $('tree').hidden = false;
        document.body.classList.add('has-tree');
        $('tree-part').append(...this.trees.map((part) => element('option', { value: part }, parts[part].name)));
        $('tree-part').hidden = this.trees.length < 2;
        $('tree-level').addEventListener('input', () => this.showTree(Number($('tree-level').value)));
        $('tree-part').addEventListener('change', () => this.showTree(this.level));
        this.showTree(0);
    }

    showTree(to) {
        if (!this.trees.length) return;
        const part = Number($('tree-part').value), { levels, depth } = this.data.parts[part].tree;
        $('tree-level').max = levels.length;
        this.level = Math.max(0, Math.min(levels.length, to));
        $('tree-level').value = this.level;
        const says = this.level ? `level ${this.level} of ${depth}: ${count(levels[this.level - 1], 'box', 'boxes')}` : 'off';
        $('tree-says').textContent = says;
        $('tree-level').setAttribute('aria-valuetext', says);
        this.view?.showTree(part, this.level - 1);
    }

    startTabs() {
        for (const name of ['clashes', 'parts']) $(`tab-${name}`).addEventListener('click', () => this.tab(name));
        this.tab('clashes');
    }

    tab(chosen) {
        for (const name of ['clashes', 'parts']) {
            $(`tab-${name}`).setAttribute('aria-selected', name === chosen);
            $(name).hidden = name !== chosen;
        }
        $('matches').hidden = chosen !== 'clashes';
        $('parts-count').hidden = chosen !== 'parts';
        (chosen === 'parts' ? this.parts : this.list).rows.draw();
    }

    // Files

    startExport() {
        const { data, reviews } = this, name = (end) => fileName(data.title, end);
        const actions = {
            'export-reviews': () => download(name('-reviews.json'), 'application/json', reviews.toJson()),
            'export-csv': () => download(name('.csv'), 'text/csv', toCsv(data, reviews, this.list.matches)),
            'export-bcf': () => this.exportBcf('2.1', name('.bcf')),
            'export-bcf-3': () => this.exportBcf('3.0', name('.bcf')),
            'export-print': () => this.print(),
            'import-reviews': () => $('import-file').click(),
        };
        for (const [id, action] of Object.entries(actions))
            $(id).addEventListener('click', () => {
                $('export').open = false;
                action();
            });
        addEventListener('click', (e) => { if (!$('export').contains(e.target)) $('export').open = false; });
        $('import-file').addEventListener('change', async () => {
            const [file] = $('import-file').files;
            if (file) this.importReviews(file.name, await file.text());
            $('import-file').value = '';
        });
        // The browser's own command prints as well.
        addEventListener('beforeprint', () => $('print').childElementCount || this.fillPrint(() => null));
        addEventListener('afterprint', () => $('print').replaceChildren());
    }

    fillPrint(onProgress) {
        return printed(this.data, this.reviews, this.list.matches, this.view, (all) => $('print').replaceChildren(...all), onProgress);
    }

    async print() {
        await this.busy(() => this.fillPrint((i, n) => this.progress('Drawing', i, n)));
        say('');
        await Promise.all([...$('print').querySelectorAll('img')].map((image) => image.decode()));
        print();
    }

    /** Does something that takes a while. Nothing else can be pressed meanwhile. */
    async busy(work) {
        const enable = (on) => document.querySelectorAll('header, main').forEach((e) => { e.inert = !on; });
        enable(false);
        try {
            return await work();
        } finally {
            enable(true);
        }
    }

    /** Says how far a work is, and gives the page time to show it. */
    progress(what, i, n) {
        say(`${what} ${i} of ${n} …`);
        return new Promise((done) => setTimeout(done));
    }

    importReviews(name, text) {
        try {
            say(`${name}: ${this.reviews.read(text)}.`);
        } catch (error) {
            return say(`${name} cannot be read: ${error.message}.`);
        }
        this.list.refresh();
        if (this.selected) this.card.clash(this.selected);
    }

    async exportBcf(version, name) {
        const clashes = this.list.matches, n = count(clashes.length, 'clash', 'clashes');
        if (clashes.length > mostTopics) return say(`A BCF file holds at most ${mostTopics} clashes, and the list has ${n}. Filter it first.`);
        if (!this.view) return say('Without WebGL there are no viewpoints for BCF.');
        const start = performance.now();
        say(`Writing ${n} …`);
        const bcf = await this.busy(() => toBcf(version, this.data, this.reviews, clashes, this.view, (i) => this.progress('Writing', i, n)));
        download(name, 'application/octet-stream', bcf);
        say(`${name}: ${n}, in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
    }

    actions = {
        fit: () => this.view?.fit(),
        xray: () => { this.xray = !this.xray; this.look(); },
        others: () => { this.others = cycle(['x-ray', 'hidden', 'shown'], this.others); this.look(); },
        contacts: () => this.toggle('contacts'),
        triangles: () => this.toggle('triangles'),
        theme: () => this.nextTheme(),
        'help-open': () => $('help').showModal(),
    };
}

load().then((data) => {
    new Page(data);
    document.documentElement.dataset.ready = 'true';
}).catch((error) => {
    console.error(error);
    $('message').textContent = `The report cannot be shown: ${error.message}`;
});
