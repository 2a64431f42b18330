// SPDX-License-Identifier: Apache-2.0
import { $ } from './dom.js';
import { coloursOf } from './theme.js';

/**
 * Takes pictures of clashes: calls `body` with a function that gives the picture of a clash in these sizes, and where
 * it is taken from; without a picture only the place. In between the view draws nothing but pictures, and afterwards
 * it is as it was.
 */
export async function takePictures(view, width, height, body) {
    const before = { selected: view.selected, picked: view.picked, frame: view.frame, others: view.others, listed: view.listed, eye: view.eye.save(),
        cut: view.solids.cut.clone(), cutBox: view.cutBox.visible, ruler: view.ruler.line.visible, paint: view.paint };
    view.setSize(width, height, 1);
    Object.assign(view.eye, { shift: 0, inset: () => 0 });
    view.setCut(null);
    view.ruler.line.visible = view.ruler.ends.visible = false;
    view.others = 'x-ray';
    view.isTaking = true;
    view.setColours(coloursOf($('print')));  // on white, whatever the page's theme
    try {
        await body((clash, isSeen) => {
            if (view.frame >= 0) view.placeFrame(clash.frame ?? 0);
            view.listed = [clash];
            if (isSeen) view.select(clash);
            if (isSeen) view.showMarkers();
            view.eye.restore({ ...before.eye, shift: 0, inset: view.eye.inset });
            view.flyTo(clash, false);
            view.eye.advance();
            return { place: view.eye.place(), picture: isSeen ? view.picture() : null };
        });
    } finally {
        view.isTaking = false;
        Object.assign(view, { others: before.others, listed: before.listed });
        view.setColours(before.paint);
        view.solids.cut.copy(before.cut);
        view.cutBox.visible = before.cutBox;
        view.ruler.line.visible = before.ruler;
        view.ruler.ends.visible = view.ruler.ends.geometry.getAttribute('position')?.count > 0;
        view.size = '';
        view.resize();
        if (before.frame >= 0) view.placeFrame(before.frame);
        view.eye.restore(before.eye);
        view.select(before.selected, before.picked);
        view.showMarkers();
    }
}
