# SPDX-License-Identifier: Apache-2.0
"""Shapes of the modules for users of trimesh and of python-fcl, and how deep two convex ones overlap."""
from __future__ import annotations

import hashlib
from typing import Dict, List, Optional, Tuple

import numpy as np

from ._graze import Hull, Model, Solid, _Shape

Array = np.ndarray

_AROUND = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=float)
_AROUND /= np.linalg.norm(_AROUND, axis=1, keepdims=True)


class Body:
    """A surface, or a convex solid: a core, and all that is no further from it than a radius.

    `model` is the surface, or that of the core. The core of a ball is a point, that of a capsule a segment. `inside` is
    the core as a solid where it has an inside.
    """

    def __init__(self, shape: _Shape, is_convex: bool, inside: Optional[Solid] = None) -> None:
        self.shape, self.is_convex, self.inside = shape, is_convex, inside
        self.core, self.radius, self.model = shape.with_radius(0), shape.radius, shape.core

    @staticmethod
    def surface(model: Model) -> Body:
        return Body(_Shape(model), False)

    @staticmethod
    def solid(model: Model) -> Body:
        """A closed convex surface and its inside."""
        solid = Solid(model)
        return Body(_Shape(solid), True, solid)

    def mapped(self, model: Model) -> Body:
        """The same with another core."""
        return Body.solid(model) if self.inside else Body(_Shape(model).with_radius(self.radius), self.is_convex)


_known: Dict[bytes, bool] = {}  # answers by the bytes of models: managers get the same ones again and again


def is_convex(model: Model) -> bool:
    """True when the surface is closed, in one piece, and that of its convex hull up to the rounding of floats."""
    key = hashlib.blake2b(model.points.tobytes() + model.triangles.tobytes()).digest()
    if key not in _known:
        if len(_known) >= 10000:
            _known.clear()
        _known[key] = _is_hull(model)
    return _known[key]


def _is_hull(model: Model) -> bool:
    solid = Solid(model)
    if not solid.closed or solid.shell_count != 1:
        return False
    hull = Hull(model)
    if hull.dimension < 3:
        return False
    corners = [int(corner) for face in hull.faces for corner in face]
    offsets = np.cumsum([0] + [len(face) for face in hull.faces])
    return abs(solid.volume) >= (1 - 1e-6) * Solid(Model(hull.vertices, corners, offsets)).volume


def _rank(direction: Array) -> List[float]:
    """Directions that differ by rounding have the same rank."""
    return list(np.round(direction, 9))


def convex_depth(points_a: Array, points_b: Array) -> Tuple[float, Array]:
    """The shortest translation of B that parts the convex hulls of two sets of points: its length and direction.

    A translation parts them when it moves the origin out of the set of all differences a - b. A hull of some of these
    differences grows until its face that is closest to the origin is a face of the whole set (van den Bergen 2001,
    "Proximity queries and penetration depth computation on 3D game objects"). The length is never too small. It is
    negative for hulls that a plane already parts.
    """
    def furthest(directions: Array) -> Array:
        return points_a[np.argmax(points_a @ directions.T, axis=0)] - points_b[np.argmin(points_b @ directions.T, axis=0)]

    found = furthest(_AROUND)
    size = float(np.abs(found).max())
    close = 1e-12 * max(size, float(np.abs(points_a).max()), float(np.abs(points_b).max()))
    hull = Hull(found)
    _, lengths, axes = np.linalg.svd(found - found[0])
    if hull.dimension < 3 or lengths[2] <= 1e-15 * size:
        # All differences may lie in a plane, up to rounding. Its normal is the direction in which they differ least.
        normal = min(axes[2], -axes[2], key=_rank)
        found = np.vstack([found, furthest(np.array([normal, -normal]))])
        hull = Hull(found)
        if hull.dimension < 3 or np.ptp(found @ normal) <= 1e-15 * size:
            along, against = float((found @ normal).max()), float((found @ -normal).max())
            return (along, normal + 0.0) if along <= against else (against, 0 - normal)
    best, direction = np.inf, _AROUND[0]
    for _ in range(1000):
        normals, vertices = hull.normals, hull.vertices
        heights = np.einsum("ij,ij->i", normals, vertices[[face[0] for face in hull.faces]])
        least = heights.min()
        # The first of several equally close faces, in the order of the normals' coordinates.
        normal = min(normals[heights <= least + close], key=_rank)
        further = furthest(normal[None])
        height = float(further[0] @ normal)
        if height < best:
            best, direction = height, normal
        if height <= least + 2 * close or height <= 0:
            break
        found = np.vstack([hull.vertices, further])
        hull = Hull(found)
    return best, direction + 0.0
