// SPDX-License-Identifier: Apache-2.0
// BCF-XML 2.1 and 3.0 (buildingSMART): a topic for each clash, with a viewpoint and a picture. The order of elements is
// that of the standard's schemas.
import { kinds } from './data.js';
import { isIfcGuid } from './facts.js';
import { takePictures } from './pictures.js';
import { priorities } from './review.js';
import { inWords, measuresIn } from './words.js';
import { mostEntries, zip } from './zip.js';

export const mostTopics = Math.floor((mostEntries - 1) / 3);
const mostPictures = 100;
const width = 640, height = 480;  // of a picture
const fieldOfView = 45;  // the least that the schema allows
const metres = { mm: 0.001, cm: 0.01, dm: 0.1, m: 1, km: 1000, in: 0.0254, ft: 0.3048 };

/** A text in XML. Characters that XML does not have are left out. */
const escaped = (text) => text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const leaf = (name, text) => (text === '' ? '' : `<${name}>${escaped(String(text))}</${name}>`);
const xml = (body) => new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`);

/** A GUID that is always the same for a text: four hashes of it (FNV-1a). */
export function guidOf(text) {
    if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text;
    const hex = [0, 1, 2, 3].map((seed) => {
        let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
        for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
        return (hash >>> 0).toString(16).padStart(8, '0');
    }).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The status and the priority of a topic. Where nobody gave one they follow from the clash, as the command has them. */
const statusOf = (clash, { status }) => status || (clash.state === 'resolved' ? 'Resolved' : 'Active');
const priorityOf = ({ thin, hit: { kind } }, { priority }) => priority ||
    (!thin && ['duplicate', 'crossing'].includes(kind) ? 'Major' : kind === 'inside' ? 'Normal' : 'Minor');
const labelsOf = ({ thin, state, hit }) => [hit.kind, thin ? 'thin' : '', state].filter(Boolean);

/** In 2.1 comments and viewpoints follow the topic, and in 3.0 they are lists in it; so are labels. */
function markup({ data, clash, review, index, date, place, picture, is3 }) {
    const comment = review.comment && `<Comment Guid="${guidOf(`${clash.topic} comment`)}">${leaf('Date', date)}` +
        `${leaf('Author', 'graze')}${leaf('Comment', review.comment)}</Comment>`;
    const seen = (name) => `<${name} Guid="${guidOf(`${clash.topic} viewpoint`)}">${leaf('Viewpoint', 'viewpoint.bcfv')}` +
        `${picture ? leaf('Snapshot', 'snapshot.png') : ''}</${name}>`;
    const more = is3 ? `${comment && `<Comments>${comment}</Comments>`}${place ? `<Viewpoints>${seen('ViewPoint')}</Viewpoints>` : ''}</Topic>`
        : `</Topic>${comment}${place ? seen('Viewpoints') : ''}`;
    const labels = labelsOf(clash).map((label) => leaf(is3 ? 'Label' : 'Labels', label)).join('');
    return xml(`<Markup><Topic Guid="${guidOf(clash.topic)}" TopicType="Clash" TopicStatus="${escaped(statusOf(clash, review))}">` +
        leaf('Title', `${kinds[clash.hit.kind].what}: ${clash.shortA} and ${clash.shortB}`) + leaf('Priority', priorityOf(clash, review)) +
        leaf('Index', index) + (is3 ? `<Labels>${labels}</Labels>` : labels) + leaf('CreationDate', date) + leaf('CreationAuthor', 'graze') +
        (review.due && leaf('DueDate', `${review.due}T00:00:00Z`)) + leaf('AssignedTo', review.assignee) +
        leaf('Description', [inWords(data, clash), measuresIn(data, clash), clash.note, data.title].filter(Boolean).join('. ')) +
        `${more}</Markup>`);
}

/** The words that the topics use. BCF 3.0 asks for the list, and tools offer them in their menus. */
function extensions(topics) {
    const list = (all, one, words) => `<${all}>${[...new Set(words)].filter(Boolean).sort().map((word) => leaf(one, word)).join('')}</${all}>`;
    return xml(`<Extensions>${list('TopicTypes', 'TopicType', ['Clash'])}` +
        list('TopicStatuses', 'TopicStatus', ['Active', 'Resolved', ...topics.map(({ clash, review }) => statusOf(clash, review))]) +
        list('Priorities', 'Priority', [...priorities, ...topics.map(({ review }) => review.priority)]) +
        list('TopicLabels', 'TopicLabel', topics.flatMap(({ clash }) => labelsOf(clash))) +
        `${list('Users', 'User', ['graze', ...topics.map(({ review }) => review.assignee)])}</Extensions>`);
}

function viewpoint({ data, clash, place, is3 }) {
    const components = [[clash.hit.a, clash.a], [clash.hit.b, clash.b]].map(([part, name]) => {
        const id = data.parts[part]?.id ?? '';
        return `<Component${isIfcGuid(id) ? ` IfcGuid="${id}"` : ''}>${leaf('OriginatingSystem', 'graze')}${leaf('AuthoringToolId', name)}</Component>`;
    });
    // From the page's narrow lens to the standard's wide one: the camera comes nearer by as much as the lens widens.
    const nearer = Math.tan(16 * Math.PI / 180) / Math.tan(fieldOfView / 2 * Math.PI / 180);
    const target = place.slice(0, 3), offset = place.slice(3).map((x) => x * nearer);
    const { centre, size } = data.scene, unit = metres[data.units] ?? 1;
    const far = Math.hypot(...offset), back = offset.map((x) => x / far);
    const along = back.reduce((sum, x, k) => sum + x * data.up[k], 0);
    const across = data.up.map((x, k) => x - along * back[k]), long = Math.hypot(...across) || 1;
    const vector = (name, v) => `<${name}>${['X', 'Y', 'Z'].map((axis, k) => leaf(axis, v[k])).join('')}</${name}>`;
    const world = (at) => [0, 1, 2].map((k) => (centre[k] + size * at[k]) * unit), { ends = [] } = clash.hit.closest ?? {};
    const line = ends.length && `<Lines><Line>${vector('StartPoint', world(ends))}${vector('EndPoint', world(ends.subarray(3)))}</Line></Lines>`;
    return xml(`<VisualizationInfo Guid="${guidOf(`${clash.topic} viewpoint`)}"><Components><Selection>${components.join('')}</Selection>` +
        '<Visibility DefaultVisibility="true"/></Components><PerspectiveCamera>' +
        vector('CameraViewPoint', world(target.map((x, k) => x + offset[k]))) +
        vector('CameraDirection', back.map((x) => -x)) + vector('CameraUpVector', across.map((x) => x / long)) +
        `${leaf('FieldOfView', fieldOfView)}${is3 ? leaf('AspectRatio', width / height) : ''}</PerspectiveCamera>${line || ''}</VisualizationInfo>`);
}

const png = (canvas) => new Promise((done) => {
    canvas.toBlob(async (blob) => done(new Uint8Array(await blob.arrayBuffer())), 'image/png');
});

/** A BCF file of these clashes, in version 2.1 or 3.0. The first of them get pictures. */
export async function toBcf(version, data, reviews, clashes, view, onProgress) {
    const date = new Date().toISOString().replace(/\.\d+/, ''), is3 = version === '3.0', topics = [];
    const entries = [['bcf.version', xml(`<Version VersionId="${version}">${is3 ? '' : leaf('DetailedVersion', version)}</Version>`)]];
    await takePictures(view, width, height, async (take) => {
        let said = performance.now();
        for (const [i, clash] of clashes.entries()) {
            // A place in the list is no name for a topic: other reports have it too.
            const topic = /^\d+$/.test(clash.id) ? `${data.title} ${clash.a} ${clash.b} ${clash.id}` : clash.id;
            // There is nothing to see when both parts are gone.
            const isGone = clash.hit.a < 0 && clash.hit.b < 0;
            const { picture, place } = isGone ? {} : take(clash, i < mostPictures);
            const of = { data, clash: { ...clash, topic }, review: reviews.of(clash), index: i + 1, date, picture, place, is3 };
            const folder = guidOf(topic);
            topics.push(of);
            entries.push([`${folder}/markup.bcf`, markup(of)]);
            if (place) entries.push([`${folder}/viewpoint.bcfv`, viewpoint(of)]);
            if (picture) entries.push([`${folder}/snapshot.png`, await png(picture)]);
            if (performance.now() - said < 100) continue;
            await onProgress(i + 1);
            said = performance.now();
        }
    });
    if (is3) entries.push(['extensions.xml', extensions(topics)]);
    return zip(entries);
}
