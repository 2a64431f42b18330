// SPDX-License-Identifier: Apache-2.0
// Outlines of the parameterised profiles of IFC, with the fillets and slopes that web-ifc leaves out.
import {ifc, numbers} from './structure.mjs';
import {minus, length, dot} from './paths.mjs';

/// A corner of an outline. A radius rounds it.
const at = (x, y, radius = 0) => ({x, y, radius: radius > 0 ? radius : 0});
const backwards = (corners) => [...corners].reverse();
const mirrored = (corners) => backwards(corners).map((c) => ({...c, x: -c.x}));
const box = (b, h, radius) => [at(-b / 2, -h / 2, radius), at(b / 2, -h / 2, radius), at(b / 2, h / 2, radius),
                               at(-b / 2, h / 2, radius)];

/// The corner of web and flange. The web's side is at x = half + y * web_slope, the flange's at
/// y = level - (x - measured) * slope.
function inner_corner(half, web_slope, level, measured, slope) {
    const y = (level - (half - measured) * slope) / (1 + web_slope * slope);
    return [half + y * web_slope, y];
}

/// The right half of a flange above the web, from the web outwards, with its top at `top`. Its thickness counts at a
/// quarter of its width, as in the tables of rolled sections.
function flange(top, width, thickness, fillet, edge, slope, half_web, web_slope = 0) {
    const level = top - thickness, [x, y] = inner_corner(half_web, web_slope, level, width / 4, -slope);
    return [at(x, y, fillet), at(width / 2, level + width / 4 * slope, edge), at(width / 2, top)];
}

function i_shape(depth, web, bottom, top) {
    const upper = flange(depth / 2, top.width, top.thickness, top.fillet, top.edge, top.slope, web / 2);
    const lower = backwards(flange(depth / 2, bottom.width, bottom.thickness, bottom.fillet, bottom.edge, bottom.slope,
                                   web / 2)).map((c) => ({...c, y: -c.y}));
    const right = [...lower, ...upper];
    return [...right, ...mirrored(right)];
}

/// The corners of each type, by its lengths and slopes (as tangents). The origin is the middle of the bounding box.
const shapes = new Map([
    [ifc.IFCROUNDEDRECTANGLEPROFILEDEF, (l) => ({outer: box(l.XDim, l.YDim, l.RoundingRadius)})],
    [ifc.IFCRECTANGLEHOLLOWPROFILEDEF, ({XDim: b, YDim: h, WallThickness: t, OuterFilletRadius, InnerFilletRadius}) =>
        ({outer: box(b, h, OuterFilletRadius), holes: [box(b - 2 * t, h - 2 * t, InnerFilletRadius)]})],
    [ifc.IFCISHAPEPROFILEDEF, (l) => {
        const same = {width: l.OverallWidth, thickness: l.FlangeThickness, fillet: l.FilletRadius,
                      edge: l.FlangeEdgeRadius, slope: l.FlangeSlope ?? 0};
        return {outer: i_shape(l.OverallDepth, l.WebThickness, same, same)};
    }],
    [ifc.IFCASYMMETRICISHAPEPROFILEDEF, (l) => ({outer: i_shape(l.OverallDepth, l.WebThickness,
        {width: l.BottomFlangeWidth ?? l.OverallWidth, thickness: l.BottomFlangeThickness ?? l.FlangeThickness,
         fillet: l.BottomFlangeFilletRadius ?? l.FilletRadius, edge: l.BottomFlangeEdgeRadius,
         slope: l.BottomFlangeSlope ?? 0},
        {width: l.TopFlangeWidth, thickness: l.TopFlangeThickness ?? l.BottomFlangeThickness ?? l.FlangeThickness,
         fillet: l.TopFlangeFilletRadius, edge: l.TopFlangeEdgeRadius, slope: l.TopFlangeSlope ?? 0})})],
    [ifc.IFCTSHAPEPROFILEDEF, (l) => {
        const half = l.WebThickness / 2, low = -l.Depth / 2;
        const right = [at(half + low * l.WebSlope, low, l.WebEdgeRadius),
                       ...flange(-low, l.FlangeWidth, l.FlangeThickness, l.FilletRadius, l.FlangeEdgeRadius,
                                 l.FlangeSlope, half, l.WebSlope)];
        return {outer: [...right, ...mirrored(right)]};
    }],
    [ifc.IFCUSHAPEPROFILEDEF, ({Depth, FlangeWidth: b, WebThickness, FlangeThickness: t, FilletRadius, EdgeRadius,
                                FlangeSlope: slope}) => {
        // The thickness counts in the middle of the flange.
        const h = Depth / 2, inner = -b / 2 + WebThickness, level = -h + t;
        const lower = [at(-b / 2, -h), at(b / 2, -h), at(b / 2, level - b / 2 * slope, EdgeRadius),
                       at(inner, level - inner * slope, FilletRadius)];
        return {outer: [...lower, ...backwards(lower).map((c) => ({...c, y: -c.y}))]};
    }],
    [ifc.IFCLSHAPEPROFILEDEF, ({Depth: h, Width, Thickness: t, FilletRadius, EdgeRadius, LegSlope: slope}) => {
        // The thickness counts in the middle of each leg.
        const b = Width || h, [x, y] = inner_corner(-b / 2 + t, -slope, -h / 2 + t, 0, slope);
        return {outer: [at(-b / 2, -h / 2), at(b / 2, -h / 2), at(b / 2, -h / 2 + t - b / 2 * slope, EdgeRadius),
                        at(x, y, FilletRadius), at(-b / 2 + t - h / 2 * slope, h / 2, EdgeRadius), at(-b / 2, h / 2)]};
    }],
    [ifc.IFCCSHAPEPROFILEDEF, ({Depth: h, Width: b, WallThickness: t, Girth: c, InternalFilletRadius: r}) => {
        const outside = r > 0 ? r + t : 0;
        const lower = [at(-b / 2, -h / 2, outside), at(b / 2, -h / 2, outside), at(b / 2, -h / 2 + c),
                       at(b / 2 - t, -h / 2 + c), at(b / 2 - t, -h / 2 + t, r), at(-b / 2 + t, -h / 2 + t, r)];
        return {outer: [...lower, ...backwards(lower).map((corner) => ({...corner, y: -corner.y}))]};
    }],
    [ifc.IFCZSHAPEPROFILEDEF, ({Depth, FlangeWidth: b, WebThickness, FlangeThickness: t, FilletRadius, EdgeRadius}) => {
        const h = Depth / 2, w = WebThickness / 2;
        const half = [at(-w, -h), at(b - w, -h), at(b - w, -h + t, EdgeRadius), at(w, -h + t, FilletRadius)];
        return {outer: [...half, ...half.map((c) => ({...c, x: -c.x, y: -c.y}))]};
    }],
]);

export const parametric = [...shapes.keys()];

/// Points of an outline, with arcs of `segments` chords per circle, and the largest distance between arc and chords.
/// Null when the corners do not fit each other.
function rounded(corners, segments) {
    const points = [];
    let sagitta = 0, area = 0;
    const n = corners.length, reach = [];
    const away = (from, to) => {
        const v = [to.x - from.x, to.y - from.y], l = length(v);
        return [v.map((x) => x / l), l];
    };
    for (let i = 0; i < n; ++i) {
        const c = corners[i], [back] = away(c, corners[(i + n - 1) % n]), [on] = away(c, corners[(i + 1) % n]);
        const half = Math.acos(Math.max(-1, Math.min(1, dot(back, on)))) / 2;  // of the angle between the sides
        reach.push(c.radius > 0 ? c.radius / Math.tan(half) : 0);
        const turn = Math.PI - 2 * half, steps = Math.max(1, Math.ceil(segments * turn / (2 * Math.PI) - 1e-9));
        if (!(c.radius > 0) || !(turn > 1e-6)) { points.push([c.x, c.y]); continue; }
        sagitta = Math.max(sagitta, c.radius * (1 - Math.cos(turn / steps / 2)));
        const first = [c.x + back[0] * reach[i], c.y + back[1] * reach[i]];
        const left = on[0] * back[1] - on[1] * back[0] > 0 ? 1 : -1;  // the side to which the outline turns
        const centre = [first[0] + left * c.radius * back[1], first[1] - left * c.radius * back[0]];
        const [x, y] = minus(first, centre);
        for (let k = 0; k <= steps; ++k) {
            const angle = left * turn * k / steps, cos = Math.cos(angle), sin = Math.sin(angle);
            points.push([centre[0] + x * cos - y * sin, centre[1] + x * sin + y * cos]);
        }
    }
    for (let i = 0; i < n; ++i) {
        const k = (i + 1) % n, [, side] = away(corners[i], corners[k]);
        if (!(reach[i] + reach[k] <= side * (1 + 1e-9))) return null;
        area += corners[i].x * corners[k].y - corners[k].x * corners[i].y;
    }
    // Arcs that use up a side meet in one point.
    const least = 1e-9 * Math.sqrt(Math.abs(area));
    const apart = points.filter((p, i) => length(minus(p, points[(i + 1) % points.length])) > least);
    return area > 0 && apart.length > 2 ? {points: apart, sagitta} : null;
}

/// The outline of a parameterised profile, holes included, in the frame of the solid that is swept; null when its
/// dimensions contradict each other. Angles are in `paths.radians`.
export function outline(line, paths, segments) {
    const lengths = {};
    for (const [key, value] of Object.entries(line)) {
        if (typeof value?.value === 'number') lengths[key] = value.value;
        else if (value === null && /Radius|Slope/.test(key)) lengths[key] = 0;
    }
    for (const key of Object.keys(line).filter((k) => k.endsWith('Slope')))
        lengths[key] = Math.tan((lengths[key] ?? 0) * paths.radians);
    const {outer, holes = []} = shapes.get(line.type)(lengths);
    const loops = [outer, ...holes].map((loop) => rounded(loop, segments));
    if (loops.some((loop) => loop === null)) return null;
    const {origin, x, y} = line.Position ? paths.frame(line.Position) : {origin: [0, 0, 0], x: [1, 0, 0], y: [0, 1, 0]};
    const placed = (p) => [0, 1].map((d) => origin[d] + p[0] * x[d] + p[1] * y[d]);
    const [first, ...others] = loops.map(({points}) => points.map(placed));
    return {outer: first, holes: others, sagitta: Math.max(...loops.map((loop) => loop.sagitta))};
}

/// The signed area of a polygon.
export function area_of(points) {
    return points.reduce((sum, p, i) => {
        const q = points[(i + 1) % points.length];
        return sum + p[0] * q[1] - p[1] * q[0];
    }, 0) / 2;
}
