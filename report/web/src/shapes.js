// SPDX-License-Identifier: Apache-2.0
import * as THREE from 'three';
import { scale } from './scale.js';

/** Parts in a row of the texture that has their placements, colours and layers: four texels each. */
export const partsPerRow = 256;

/**
 * Normals of points whose triangles all lie within 40° of them, as bytes; zero at creases, where the shader takes the
 * face's own normal. So round things look round and edges sharp without a point being doubled.
 */
export function smoothNormals(points, corners) {
    const sums = new Float32Array(points.length);
    const faces = new Float32Array(corners.length);
    for (let t = 0; t < corners.length; t += 3) {
        const a = 3 * corners[t], b = 3 * corners[t + 1], c = 3 * corners[t + 2];
        const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
        const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        for (const p of [a, b, c]) {
            sums[p] += nx;
            sums[p + 1] += ny;
            sums[p + 2] += nz;
        }
        const length = Math.hypot(nx, ny, nz) || 1;
        faces[t] = nx / length;
        faces[t + 1] = ny / length;
        faces[t + 2] = nz / length;
    }
    const round = new Uint8Array(points.length / 3).fill(1);
    for (let p = 0; p < sums.length; p += 3) {
        const length = Math.hypot(sums[p], sums[p + 1], sums[p + 2]) || 1;
        sums[p] /= length;
        sums[p + 1] /= length;
        sums[p + 2] /= length;
    }
    for (let i = 0; i < corners.length; ++i) {
        const p = 3 * corners[i], t = i - i % 3;
        if (sums[p] * faces[t] + sums[p + 1] * faces[t + 1] + sums[p + 2] * faces[t + 2] < 0.766) round[corners[i]] = 0;
    }
    const bytes = new Int8Array(round.length * 4);  // rows of four bytes, which graphics units like
    for (let i = 0; i < round.length; ++i)
        if (round[i]) for (let k = 0; k < 3; ++k) bytes[4 * i + k] = Math.round(127 * sums[3 * i + k]);
    return bytes;
}

const vertex = `
    attribute float part;
    uniform highp sampler2D parts;
    uniform float layer;
    varying vec3 at, place, smoothNormal, colour;
    varying float mapped;
    #ifdef MAPS
    attribute float clearance;
    uniform vec3 scale[${scale.length}];
    uniform float showsMaps;
    #endif
    void main() {
        ivec2 texel = ivec2(4 * (int(part) % ${partsPerRow}), int(part) / ${partsPerRow});
        vec4 look = texelFetch(parts, texel + ivec2(3, 0), 0), world = vec4(position, 1.0);
        vec3 n = normal;
        #ifdef MOVES
        vec4 x = texelFetch(parts, texel, 0), y = texelFetch(parts, texel + ivec2(1, 0), 0), z = texelFetch(parts, texel + ivec2(2, 0), 0);
        world = transpose(mat4(x, y, z, vec4(0.0, 0.0, 0.0, 1.0))) * world;
        // Cofactors: right for placements that scale unevenly and mirror.
        n = vec3(dot(cross(y.xyz, z.xyz), n), dot(cross(z.xyz, x.xyz), n), dot(cross(x.xyz, y.xyz), n));
        #endif
        vec4 p = viewMatrix * world;
        at = p.xyz;
        n = mat3(viewMatrix) * n;
        // The length says how smooth.
        float l = length(n);
        smoothNormal = l > 0.0 ? n / l * min(length(normal), 1.0) : vec3(0.0);
        colour = look.rgb;
        mapped = 0.0;
        #ifdef MAPS
        if (clearance <= 1.0 && showsMaps > 0.0) {
            float shade = clearance * ${scale.length - 1}.0;
            int i = min(int(shade), ${scale.length - 2});
            colour = mix(scale[i], scale[i + 1], shade - float(i));
            mapped = 1.0;
        }
        #endif
        place = world.xyz;
        // Parts of the other layer vanish outside of the picture.
        gl_Position = look.a == layer ? projectionMatrix * p : vec4(2.0, 2.0, 2.0, 1.0);
    }`;
const normal = `
    uniform vec3 cutLow, cutHigh;
    varying vec3 at, place, smoothNormal, colour;
    varying float mapped;
    vec3 shown() {
        if (any(lessThan(place, cutLow)) || any(greaterThan(place, cutHigh))) discard;
        vec3 face = normalize(cross(dFdx(at), dFdy(at)));
        vec3 n = dot(smoothNormal, face) < 0.0 ? -smoothNormal : smoothNormal;
        return normalize(n + (1.0 - min(length(n), 1.0)) * face);
    }`;

/** Lit from above the viewer's left shoulder, from both sides: soups have no inside. */
export const solidMaterial = (uniforms, defines) => new THREE.ShaderMaterial({
    uniforms: { ...uniforms, layer: { value: 0 } }, defines,
    vertexShader: vertex,
    fragmentShader: `${normal}
    void main() {
        vec3 n = shown();
        float key = max(dot(n, normalize(vec3(-0.45, 0.7, 0.65))), 0.0);
        float sky = 0.5 + 0.5 * n.y;
        float shine = pow(max(dot(n, normalize(vec3(-0.3, 0.45, 1.0))), 0.0), 40.0);
        float light = 0.42 + 0.24 * sky + 0.44 * key;
        // The light changes the colours of a map less, so that they can be told from those of the legend.
        gl_FragColor = vec4(colour * mix(light, 0.75 + 0.25 * light, mapped) + 0.06 * shine, 1.0);
    }`,
    side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
});

/** Glass: clear where one looks straight at it. */
export const ghostMaterial = (uniforms, defines) => new THREE.ShaderMaterial({
    uniforms: { ...uniforms, layer: { value: 1 } }, defines,
    vertexShader: vertex,
    fragmentShader: `${normal}
    void main() {
        float rim = 1.0 - abs(dot(shown(), normalize(at)));
        gl_FragColor = vec4(colour * 0.8, 0.035 + 0.3 * rim * rim * rim);
    }`,
    side: THREE.DoubleSide, transparent: true, depthWrite: false,
});

/** Dots of a fixed size. Those with a radius mark clashes too small to see, and vanish when one comes close. */
export const dotMaterial = (dotSize) => new THREE.ShaderMaterial({
    uniforms: { size: { value: dotSize }, pixels: { value: 1 }, height: { value: 1 }, halo: { value: new THREE.Color() },
        cutLow: { value: new THREE.Vector3().setScalar(-10) }, cutHigh: { value: new THREE.Vector3().setScalar(10) } },
    vertexShader: `
    attribute vec3 color;
    attribute float radius;
    uniform float size, pixels, height;
    uniform vec3 cutLow, cutHigh;
    varying vec3 colour;
    varying float strength;
    void main() {
        vec4 p = modelViewMatrix * vec4(position, 1.0);
        gl_Position = projectionMatrix * p;
        float seen = radius * projectionMatrix[1][1] / -p.z * 0.5 * height;
        bool isCut = any(lessThan(position, cutLow)) || any(greaterThan(position, cutHigh));
        strength = isCut ? 0.0 : clamp((30.0 - seen) / 15.0, 0.0, 1.0);
        colour = color;
        gl_PointSize = strength > 0.0 ? size * pixels : 0.0;
    }`,
    fragmentShader: `
    uniform vec3 halo;
    varying vec3 colour;
    varying float strength;
    void main() {
        float r = length(gl_PointCoord - 0.5) * 2.0;
        if (r > 1.0 || strength <= 0.0) discard;
        gl_FragColor = vec4(r > 0.7 ? halo : colour, strength);
    }`,
    transparent: true, depthTest: false, depthWrite: false,
});
