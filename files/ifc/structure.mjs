// SPDX-License-Identifier: Apache-2.0
// The statements of an IFC file about its products: unit, names, storeys, layers.
import {createRequire} from 'node:module';
import {one_line} from './wire.mjs';

/// web-ifc. `import` would look through its six megabytes for names to export.
export const ifc = createRequire(import.meta.url)('./web-ifc/web-ifc-api-node.js');

const prefixes = {EXA: 1e18, PETA: 1e15, TERA: 1e12, GIGA: 1e9, MEGA: 1e6, KILO: 1e3, HECTO: 1e2, DECA: 1e1, DECI: 1e-1,
                  CENTI: 1e-2, MILLI: 1e-3, MICRO: 1e-6, NANO: 1e-9, PICO: 1e-12, FEMTO: 1e-15, ATTO: 1e-18};

/// The numbers of a list, as web-ifc wraps them or not.
export const numbers = (values) => values.map((v) => Number(v?.value ?? v));

const text_of = (value) => typeof value?.value === 'string' ? one_line(value.value) : '';

/// Types of items that web-ifc meshes as the items in them.
const holders = new Map([
    [ifc.IFCMAPPEDITEM, (l, structure) =>
        structure.line(structure.line(l.MappingSource.value).MappedRepresentation.value).Items ?? []],
    [ifc.IFCFACEBASEDSURFACEMODEL, (l) => l.FbsmFaces],
    [ifc.IFCSHELLBASEDSURFACEMODEL, (l) => l.SbsmBoundary],
    [ifc.IFCGEOMETRICSET, (l) => l.Elements],
    [ifc.IFCCSGSOLID, (l) => [l.TreeRootExpression]],
]);

export class Structure {
    constructor(api, model) {
        Object.assign(this, {api, model, recent: new Map()});
    }
    get up() { return this.known_up ??= this.parents(); }
    get layers() { return this.known_layers ??= this.layer_names(); }

    /// A line by its names. The lines of a product are asked for several times.
    line(id) {
        let line = this.recent.get(id);
        if (line === undefined) {
            if (this.recent.size >= 1000) this.recent.clear();
            this.recent.set(id, line = this.api.GetLine(this.model, id));
        }
        return line;
    }
    /// The values of a line without names, but with the types of choices.
    raw(id) { return this.api.GetRawLineData(this.model, id).arguments; }
    /// The numbers of all lines of a type and of the types derived from it.
    all(type) { return type === undefined ? [] : [...this.api.GetLineIDsWithType(this.model, type, true)]; }
    /// The largest number of a line.
    last_id() { return this.api.GetMaxExpressID(this.model); }
    type_code(id) { return this.api.GetLineType(this.model, id); }
    type(id) { return this.api.GetNameFromTypeCode(this.api.GetLineType(this.model, id)); }

    /// The length unit in metres; 0 when the file states none.
    metres() { return this.unit('LENGTHUNIT'); }
    /// The unit of angles in radians; 0 when the file states none.
    radians() { return this.unit('PLANEANGLEUNIT'); }
    unit(kind) {
        for (const project of this.all(ifc.IFCPROJECT)) {
            const units = this.line(project).UnitsInContext;
            for (const unit of units ? this.line(units.value).Units : []) {
                const size = this.size_of(kind, this.line(unit.value), 0);
                if (size > 0) return size;
            }
        }
        return 0;
    }
    size_of(kind, unit, depth) {
        if (unit?.UnitType?.value !== kind || depth > 10) return 0;
        if (unit.type === ifc.IFCSIUNIT) return unit.Prefix ? prefixes[unit.Prefix.value] ?? 0 : 1;
        if (!unit.ConversionFactor) return 0;
        const factor = this.line(unit.ConversionFactor.value);
        return Number(factor.ValueComponent.value) * this.size_of(kind, this.line(factor.UnitComponent.value), depth + 1);
    }

    /// The line that each line is a part of, or is contained in.
    parents() {
        const up = new Map();
        const add = (child, parent) => { if (child && parent && !up.has(child.value)) up.set(child.value, parent.value); };
        const each = (type, relating, related) => {
            for (const id of this.all(type)) {
                const line = this.line(id), children = line[related];
                for (const child of Array.isArray(children) ? children : [children]) add(child, line[relating]);
            }
        };
        each(ifc.IFCRELAGGREGATES, 'RelatingObject', 'RelatedObjects');
        each(ifc.IFCRELNESTS, 'RelatingObject', 'RelatedObjects');
        each(ifc.IFCRELCONTAINEDINSPATIALSTRUCTURE, 'RelatingStructure', 'RelatedElements');
        each(ifc.IFCRELFILLSELEMENT, 'RelatingOpeningElement', 'RelatedBuildingElement');
        each(ifc.IFCRELVOIDSELEMENT, 'RelatingBuildingElement', 'RelatedOpeningElement');
        return up;
    }

    /// The layer of each shape and item of a shape.
    layer_names() {
        const layers = new Map();
        for (const id of this.all(ifc.IFCPRESENTATIONLAYERASSIGNMENT)) {
            const {Name, AssignedItems} = this.line(id);
            for (const item of AssignedItems ?? []) if (!layers.has(item.value)) layers.set(item.value, text_of(Name));
        }
        return layers;
    }
    layer(shapes) {
        for (const id of shapes) {
            if (this.layers.has(id)) return this.layers.get(id);
            for (const item of this.line(id).Items ?? []) {
                if (this.layers.has(item.value)) return this.layers.get(item.value);
                if (this.api.GetLineType(this.model, item.value) !== ifc.IFCMAPPEDITEM) continue;
                const shape = this.line(this.line(item.value).MappingSource.value).MappedRepresentation.value;
                if (this.layers.has(shape)) return this.layers.get(shape);
            }
        }
        return '';
    }

    /// The shapes of a product, as numbers of lines.
    shapes(id) {
        const shape = this.line(id).Representation;
        return shape ? (this.line(shape.value).Representations ?? []).map((one) => one.value) : [];
    }
    /// The shapes of a product that should have triangles, not only an axis or a footprint.
    bodies(id) {
        return this.shapes(id).filter((shape) => /^(|body|facetation|tessellation|surface)$/i.test(
            text_of(this.line(shape).RepresentationIdentifier)));
    }
    has_body(id) { return this.bodies(id).length > 0; }

    /// The items of a product's bodies, those of mapped shapes and of sets in their place. An item may come more than
    /// once.
    items(id) {
        const out = [], add = (item, depth) => {
            const within = depth < 20 ? holders.get(this.type_code(item)) : undefined;
            if (within === undefined) return out.push(item);
            for (const one of within(this.line(item), this)) add(one.value, depth + 1);
        };
        for (const shape of this.bodies(id)) for (const item of this.line(shape).Items ?? []) add(item.value, 0);
        return out;
    }

    /// The name that people gave to a line, otherwise its type.
    name(id) { return text_of(this.line(id).Name) || this.type(id); }

    /// The path, the storey and the other labels of a product. The project itself is in no path.
    describe(id) {
        const name = this.name(id), names = [name], seen = new Set([id]);
        let storey = '';
        for (let at = this.up.get(id); at !== undefined && !seen.has(at); at = this.up.get(at)) {
            seen.add(at);
            const type = this.api.GetLineType(this.model, at);
            if (type === ifc.IFCBUILDINGSTOREY && storey === '') storey = this.name(at);
            if (type !== ifc.IFCPROJECT && type !== ifc.IFCOPENINGELEMENT) names.push(this.name(at));
        }
        const labels = {id: text_of(this.line(id).GlobalId), type: this.type(id), layer: this.layer(this.shapes(id)),
                        storey, discipline: ''};
        return {name, path: names.reverse().join('/'), labels};
    }
}
