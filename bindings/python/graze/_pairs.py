# SPDX-License-Identifier: Apache-2.0
"""Shared by the modules for users of trimesh and of python-fcl: placed models, and numbers about two that meet."""
from __future__ import annotations

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._graze import Closest, Fault, Model, _box_pairs, closest, collide, contact_points, relative

Array = np.ndarray


class Placed:
    """A model in the world."""

    def __init__(self, model: Model, transform: Any = None) -> None:
        self.model = model
        self.place(transform)

    def place(self, transform: Any) -> None:
        matrix = np.eye(4) if transform is None else np.array(transform, dtype=np.float64)
        if matrix.shape != (4, 4):
            raise Fault(f"transform: the shape is {matrix.shape}, not (4, 4)")
        relative(matrix, None)  # a Fault unless this is a placement
        self.transform = matrix
        # A box in the world, a little too large: rounding must not exclude a pair that touches.
        low, high = self.model.bounds
        if self.model.triangle_count == 0:
            self.low, self.high = np.full(3, np.inf), np.full(3, -np.inf)
            return
        middle, half = (low + high) / 2, (high - low) / 2
        centre = matrix[:3, :3] @ middle + matrix[:3, 3]
        reach = np.abs(matrix[:3, :3]) @ half
        slack = 1e-9 * (reach + np.abs(matrix[:3, :3]) @ np.abs(middle) + np.abs(matrix[:3, 3]))
        self.low, self.high = centre - reach - slack, centre + reach + slack

    def from_here(self, other: Placed) -> Array:
        """The other one's placement in this one's frame."""
        return relative(self.transform, other.transform)

    def to_world(self, points: Array) -> Array:
        return points @ self.transform[:3, :3].T + self.transform[:3, 3]


def corners(objects: Sequence[Placed]) -> Tuple[Array, Array]:
    """The lower and the upper corners of their boxes, of shape (n, 3)."""
    return (np.array([one.low for one in objects]).reshape(-1, 3), np.array([one.high for one in objects]).reshape(-1, 3))


def near(a: Sequence[Placed], b: Optional[Sequence[Placed]] = None) -> Array:
    """The pairs of a first and a second whose boxes overlap, of shape (k, 2), in ascending order. Without `b` the pairs
    of the first among themselves, each once."""
    return _box_pairs(*corners(a), *(() if b is None else corners(b)))


def gaps(a: Sequence[Placed], b: Sequence[Placed]) -> Array:
    """For each of the first and each of the second: they are certainly no nearer than this."""
    if not a or not b:
        return np.empty((len(a), len(b)))
    (low_a, high_a), (low_b, high_b) = corners(a), corners(b)
    out = np.zeros((len(a), len(b)))
    with np.errstate(invalid="ignore"):
        for axis in range(3):
            apart = np.maximum(low_a[:, axis, None] - high_b[None, :, axis],
                               low_b[None, :, axis] - high_a[:, axis, None])
            out += np.maximum(0, apart)**2
    # Between all of space and nothing there is no number.
    return np.sqrt(np.where(np.isnan(out), np.inf, out))


class Touch(NamedTuple):
    """Two triangles that meet, in the world."""
    triangle_a: int
    triangle_b: int
    point: Array
    normal: Array
    depth: float


def touches(a: Placed, b: Placed, limit: int = 0) -> List[Touch]:
    """The triangles that meet, with a common point, the unit normal of A's triangle, and how far B's triangle reaches
    behind the plane of A's, against that normal."""
    a_from_b = a.from_here(b)
    pairs = collide(a.model, b.model, a_from_b, max_contacts=limit)
    if len(pairs) == 0:
        return []
    points = a.to_world(contact_points(a.model, b.model, pairs, a_from_b))
    corners_a = a.to_world(a.model.corners(pairs[:, 0]))
    corners_b = b.to_world(b.model.corners(pairs[:, 1]))
    normals = np.cross(corners_a[:, 1] - corners_a[:, 0], corners_a[:, 2] - corners_a[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    heights = np.einsum("kij,kj->ki", corners_b - corners_a[:, :1], normals)
    depths = np.maximum(0, -heights.min(axis=1))
    return [Touch(int(pair[0]), int(pair[1]), point, normal, float(depth))
            for pair, point, normal, depth in zip(pairs, points, normals, depths)]


def distance_between(a: Placed, b: Placed, below: float = float("inf")) -> Closest:
    """Where the two are closest, with points in the world. Infinitely far when they are further apart than `below`."""
    if rigid(a.transform):
        found = closest(a.model, b.model, a.from_here(b), max_distance=below)
        return found._replace(point_a=a.to_world(found.point_a), point_b=a.to_world(found.point_b))
    # Lengths in A's frame are not those of the world.
    placed = Model(a.to_world(a.model.points), a.model.triangles)
    return closest(placed, b.model, b.transform, max_distance=below)


def rigid(matrix: Array) -> bool:
    linear = matrix[:3, :3]
    return bool(np.abs(linear.T @ linear - np.eye(3)).max() <= 1e-12)


def nearest(a: Sequence[Placed], b: Sequence[Placed], wanted: Array) -> Iterator[Tuple[int, int, Closest]]:
    """Pairs of a first and a second that are ever closer: the last one that comes is the closest. `wanted` says which
    pairs count. Those that cannot be closer are skipped."""
    best, bounds = float("inf"), gaps(a, b)
    for flat in np.argsort(bounds, axis=None):
        i, j = divmod(int(flat), len(b))
        if bounds[i, j] > best or best == 0:
            return
        if not wanted[i, j]:
            continue
        found = distance_between(a[i], b[j], best)
        if found.distance < best:
            best = found.distance
            yield i, j, found
