# SPDX-License-Identifier: Apache-2.0
"""Shared by the modules for users of trimesh and of python-fcl: placed shapes, and numbers about two that meet."""
from __future__ import annotations

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, cast

import numpy as np

from ._graze import (Box, Closest, Fault, Model, _box_pairs, closest, closest_points, collide, collide_within,
                     contact_points, contains, intersects, overlapping, pose, relative)
from ._solids import Body, convex_depth

Array = np.ndarray


class Placed:
    """A shape in the world."""

    def __init__(self, body: Body, transform: Any = None) -> None:
        self.body, self.model = body, body.model
        matrix = np.eye(4) if transform is None else np.array(transform, dtype=np.float64)
        if matrix.shape != (4, 4):
            raise Fault(f"transform: the shape is {matrix.shape}, not (4, 4)")
        relative(matrix, None)  # a Fault unless this is a placement
        self.transform = matrix
        off = _off_rigid(matrix)
        if body.radius and off > 1e-3:
            raise Fault("transform: round shapes keep their size, and this is no rotation")
        if not self.model.points.any():  # a ball: rounding of its rotation must not part it from what it touches
            matrix[:3, :3], off = np.eye(3), 0.0
        self.is_rigid = off <= 1e-12
        self._in_world: Optional[Placed] = None
        # A box in the world, a little too large: rounding must not exclude a pair that touches.
        low, high = self.model.bounds
        if self.model.triangle_count == 0:
            self.low, self.high, self.slack = np.full(3, np.inf), np.full(3, -np.inf), np.zeros(3)
            return
        middle, half = (low + high) / 2, (high - low) / 2
        centre = matrix[:3, :3] @ middle + matrix[:3, 3]
        reach = np.abs(matrix[:3, :3]) @ half + body.radius
        self.slack = 1e-9 * (reach + np.abs(matrix[:3, :3]) @ np.abs(middle) + np.abs(matrix[:3, 3]))
        self.low, self.high = centre - reach - self.slack, centre + reach + self.slack

    def rigid(self) -> Placed:
        """This shape with a rigid placement, in whose frame lengths are those of the world."""
        if self.is_rigid:
            return self
        if self._in_world is None:
            self._in_world = Placed(self.body.mapped(Model(self.to_world(self.model.points), self.model.triangles)))
        return self._in_world

    def from_here(self, other: Placed) -> Array:
        """The other one's placement in this one's frame."""
        return relative(self.transform, other.transform)

    def to_world(self, points: Array) -> Array:
        return _moved(points, self.transform)

    def from_world(self, points: Array) -> Array:
        return _moved(points, relative(self.transform, None))


def _moved(points: Array, matrix: Array) -> Array:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def _off_rigid(matrix: Array) -> float:
    linear = matrix[:3, :3]
    return float(np.abs(linear.T @ linear - np.eye(3)).max())


def corners(objects: Sequence[Placed]) -> Tuple[Array, Array]:
    """The lower and the upper corners of their boxes, of shape (n, 3)."""
    return (np.array([one.low for one in objects]).reshape(-1, 3), np.array([one.high for one in objects]).reshape(-1, 3))


def near(a: Sequence[Placed], b: Optional[Sequence[Placed]] = None) -> Array:
    """The pairs of a first and a second whose boxes overlap, of shape (k, 2), in ascending order. Without `b` the pairs
    of the first among themselves, each once."""
    return _box_pairs(*corners(a), *(() if b is None else corners(b)))


def gaps(a: Sequence[Placed], b: Sequence[Placed]) -> Array:
    """For each of the first and each of the second: their distance is certainly no less than this."""
    if not a or not b:
        return np.empty((len(a), len(b)))
    (low_a, high_a), (low_b, high_b) = corners(a), corners(b)
    out = np.zeros((len(a), len(b)))
    most = np.full((len(a), len(b)), -np.inf)
    with np.errstate(invalid="ignore"):
        for axis in range(3):
            apart = np.maximum(low_a[:, axis, None] - high_b[None, :, axis],
                               low_b[None, :, axis] - high_a[:, axis, None])
            out += np.maximum(0, apart)**2
            most = np.maximum(most, apart)
    # Boxes that overlap are parted by a translation along an axis, or the distance is -1.
    solids = np.outer([one.body.is_convex for one in a], [one.body.is_convex for one in b])
    most = np.where(solids, most, np.minimum(most, -1))
    # Between all of space and nothing there is no number.
    return np.where(np.isnan(out), np.inf, np.where(out > 0, np.sqrt(out), most))


def meets(a: Placed, b: Placed) -> bool:
    """Whether the two have a point in common, decided without rounding."""
    if not (a.body.is_convex or b.body.is_convex):
        return bool(intersects(a.model, b.model, a.from_here(b)))
    a, b = a.rigid(), b.rigid()
    return a.body.shape.intersects(b.body.shape, a.from_here(b))


class Touch(NamedTuple):
    """Two triangles that meet, or a triangle and a convex solid, or two of these; -1 in place of a solid's triangle. All
    is in the world."""
    triangle_a: int
    triangle_b: int
    point: Array
    normal: Array
    depth: float

    def turned(self) -> Touch:
        """The contact of the second one with the first."""
        return Touch(self.triangle_b, self.triangle_a, self.point, 0 - self.normal, self.depth)


def touches(a: Placed, b: Placed, limit: int = 0) -> List[Touch]:
    """The contacts of two shapes. A triangle has a common point, its unit normal, and how far the other one reaches behind
    its plane, against that normal. Two solids have the translation that parts them."""
    if a.body.is_convex and b.body.is_convex:
        if not meets(a, b):
            return []
        depth, normal, on_a, on_b = overlap_of(a.rigid(), b.rigid())
        return [Touch(-1, -1, (on_a + on_b) / 2, normal, depth)]
    if a.body.is_convex:
        return [touch.turned() for touch in touches(b, a, limit)]
    if b.body.is_convex:
        return _touches_of_solid(a.rigid(), b.rigid(), limit)
    a_from_b = a.from_here(b)
    pairs = cast(Array, collide(a.model, b.model, a_from_b, max_contacts=limit))
    if len(pairs) == 0:
        return []
    points = a.to_world(contact_points(a.model, b.model, pairs, a_from_b))
    corners_a = a.to_world(a.model.corners(pairs[:, 0]))
    corners_b = b.to_world(b.model.corners(pairs[:, 1]))
    normals = _normals(corners_a)
    heights = np.einsum("kij,kj->ki", corners_b - corners_a[:, :1], normals)
    depths = np.maximum(0, -heights.min(axis=1))
    return [Touch(int(pair[0]), int(pair[1]), point, normal, float(depth))
            for pair, point, normal, depth in zip(pairs, points, normals, depths)]


def _normals(triangles: Array) -> Array:
    """The unit normals of triangles of shape (k, 3, 3), zero for those without area."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)


def _touches_of_solid(mesh: Placed, solid: Placed, limit: int) -> List[Touch]:
    """The triangles of a surface that meet a convex solid, on its surface or inside it."""
    body, mesh_from_solid = solid.body, mesh.from_here(solid)
    pairs = cast(Array, collide_within(mesh.model, solid.model, mesh_from_solid, body.radius,
                                       max_contacts=1 if limit == 1 else 0))
    triangles, first = np.unique(pairs[:, 0], return_index=True)
    points = contact_points(mesh.model, solid.model, pairs[first], mesh_from_solid)
    if body.inside and not (limit and len(triangles) >= limit):
        solid_from_mesh = solid.from_here(mesh)
        near_it = cast(Array, overlapping(Box(*solid.model.bounds), mesh.model, solid_from_mesh))
        others = np.setdiff1d(near_it, triangles)
        corner = mesh.model.corners(others)[:, 0]
        inside = cast(Array, contains(body.inside, _moved(corner, solid_from_mesh)))
        triangles = np.concatenate([triangles, others[inside]])
        points = np.concatenate([points, corner[inside]])
    if limit:
        triangles, points = triangles[:limit], points[:limit]
    if len(triangles) == 0:
        return []
    corners_of = mesh.model.corners(triangles)
    normals = _normals(corners_of)
    lowest = (_moved(solid.model.points, mesh_from_solid) @ normals.T).min(axis=0) - body.radius
    depths = np.maximum(0, np.einsum("kj,kj->k", corners_of[:, 0], normals) - lowest)
    points, normals = mesh.to_world(points), normals @ mesh.transform[:3, :3].T + 0.0
    return [Touch(int(triangle), -1, point, normal, float(depth))
            for triangle, point, normal, depth in zip(triangles, points, normals, depths)]


def overlap_of(a: Placed, b: Placed) -> Tuple[float, Array, Array, Array]:
    """The translation of B that parts two convex solids which meet: its length, its direction, and a point of each
    surface that it brings together. In the world; both placements must be rigid."""
    radius, a_from_b = a.body.radius + b.body.radius, a.from_here(b)
    # In the frame of A: far from the origin of the world, coordinates have fewer digits.
    apart, on_a, on_b = a.body.core.closest(b.body.core, a_from_b, np.inf)
    points_a, points_b = a.model.points, _moved(b.model.points, a_from_b)
    small = 1e-9 * max(float(np.abs(points_a).max()), float(np.abs(points_b).max()))
    depth, parts = 0.0 - apart, False
    if apart > small:
        normal = (on_b - on_a) / np.linalg.norm(on_b - on_a)
        parts = (points_a @ normal).max() - (points_b @ normal).min() <= depth + small
    if not parts:
        # The two cores meet, or rounding would decide the direction between them, or the convex hulls of corners meet.
        depth, normal = convex_depth(points_a, points_b)
        parted = pose(translation=depth * normal) @ a_from_b
        on_a = a.body.core.closest(b.body.core, parted, np.inf)[1]
        on_b = on_a - depth * normal
    return (max(0.0, depth + radius), a.transform[:3, :3] @ normal + 0.0, a.to_world(on_a + a.body.radius * normal),
            a.to_world(on_b - b.body.radius * normal))


def distance_between(a: Placed, b: Placed, below: float = float("inf"), signed: bool = False) -> Closest:
    """Where the two are closest, with points in the world. Infinitely far when they are further apart than `below`.

    Solids that meet another solid or a surface have the distance -1, and with `signed` two solids the length of the
    translation that parts them, with a negative sign. Two surfaces that meet have the distance 0.
    """
    a, b, below = a.rigid(), b.rigid(), max(0.0, below)
    a_from_b = a.from_here(b)
    if not (a.body.is_convex or b.body.is_convex):
        found = closest(a.model, b.model, a_from_b, max_distance=below)
        return found._replace(point_a=a.to_world(found.point_a), point_b=a.to_world(found.point_b))
    apart, on_a, on_b = a.body.shape.closest(b.body.shape, a_from_b, below)
    on_a, on_b = a.to_world(on_a), a.to_world(on_b)
    if apart == 0:
        apart = -1.0
        if signed and a.body.is_convex and b.body.is_convex:
            depth, _, on_a, on_b = overlap_of(a, b)
            apart = 0.0 - depth
    numbers = [-1 if one.body.is_convex or apart == np.inf else int(closest_points(one.model, one.from_world(on)).triangle)
               for one, on in ((a, on_a), (b, on_b))]
    return Closest(apart, on_a, on_b, *numbers)


def nearest(a: Sequence[Placed], b: Sequence[Placed], wanted: Array) -> Iterator[Tuple[int, int, Closest]]:
    """Pairs of a first and a second that are ever closer: the last one that comes is the closest. `wanted` says which
    pairs count. Those that cannot be closer are skipped."""
    best, bounds = float("inf"), gaps(a, b)
    for flat in np.argsort(bounds, axis=None):
        i, j = divmod(int(flat), len(b))
        if bounds[i, j] > best:
            return
        if not wanted[i, j]:
            continue
        found = distance_between(a[i], b[j], best, signed=True)
        if found.distance < best:
            best = found.distance
            yield i, j, found
