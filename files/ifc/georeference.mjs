// SPDX-License-Identifier: Apache-2.0
// Where an IFC file is on a map.
import {ifc, numbers} from './structure.mjs';

/// A factor between lengths on the ground and on a map, which differ by a few in a thousand.
const credible = (scale) => scale > 0.9 && scale < 1.1;

/// The conversion to map coordinates, with an origin in metres and the direction of the file's x axis; null when the
/// file states none. `unit` is the file's in metres.
export function map_conversion(structure, unit, in_sets) {
    for (const id of structure.all(ifc.IFCCOORDINATEOPERATION)) {
        const line = structure.line(id);
        const crs = line.TargetCRS ? structure.line(line.TargetCRS.value) : {};
        const stated = crs.MapUnit ? structure.size_of('LENGTHUNIT', structure.line(crs.MapUnit.value), 0) : 0;
        const get = (...keys) => keys.map((key) => line[key] ? numbers([line[key]])[0] : null);
        const conversion = converted(line, get, stated || unit, unit);
        if (conversion) return {crs: typeof crs.Name?.value === 'string' ? crs.Name.value : '', ...conversion};
    }
    return in_sets ? in_properties(structure, unit) : null;
}

/// True when `map_conversion` has to look through sets of properties, which takes long.
export const in_sets_of = (bytes) => ['set_MapConversion', 'Set_MapConversion'].some((name) => bytes.includes(name));

function converted(line, get, map_unit, unit) {
    if (line.type === ifc.IFCRIGIDOPERATION) {
        if (/ANGLE/.test(line.FirstCoordinate?.name)) return null;
        return {origin: get('FirstCoordinate', 'SecondCoordinate', 'Height').map((x) => (x ?? 0) * map_unit), x: [1, 0],
                scale: 1};
    }
    if (!line.Eastings || !line.Northings) return null;
    return placed(get('Eastings', 'Northings', 'OrthogonalHeight'), get('XAxisAbscissa', 'XAxisOrdinate'),
                  get('Scale')[0], map_unit, unit);
}

function placed(origin, [abscissa, ordinate], scale, map_unit, unit) {
    const x = abscissa === null || ordinate === null || !(Math.hypot(abscissa, ordinate) > 0) ? [1, 0] :
        [abscissa, ordinate].map((v) => v / Math.hypot(abscissa, ordinate));
    // The factor is between units of the file and of the map. Some programs take both for metres.
    const factors = scale === null ? [] : [scale * map_unit / unit, scale];
    return {origin: origin.map((v) => (v ?? 0) * map_unit), x, scale: factors.find(credible) ?? 1};
}

/// IFC 2x3 has no lines for this. People agreed on two sets of properties, in the map's metres.
function in_properties(structure, unit) {
    const values = new Map();
    for (const id of structure.all(ifc.IFCPROPERTYSET)) {
        const {Name, HasProperties} = structure.line(id);
        if (!/^epset_(mapconversion|projectedcrs)$/i.test(Name?.value ?? '')) continue;
        for (const property of HasProperties ?? []) {
            const one = structure.line(property.value);
            values.set(one.Name?.value, one.NominalValue?.value ?? null);
        }
    }
    const get = (...keys) => keys.map((key) => values.get(key) === undefined || values.get(key) === null ||
        !Number.isFinite(Number(values.get(key))) ? null : Number(values.get(key)));
    if (get('Eastings')[0] === null || get('Northings')[0] === null) return null;
    const crs = values.get('Name') ?? values.get('TargetCRS') ?? '';
    return {crs: String(crs), ...placed(get('Eastings', 'Northings', 'OrthogonalHeight'),
                                        get('XAxisAbscissa', 'XAxisOrdinate'), get('Scale')[0], 1, unit)};
}
