# SPDX-License-Identifier: Apache-2.0
"""Models of simple solids, about the origin and closed.

Curved ones are polyhedra whose corners lie on the surface. `tolerance` is the largest distance between the faces and the
surface; None means a thousandth of the largest radius.
"""
from __future__ import annotations

import math
from typing import Optional, Sequence

import numpy as np

from ._graze import Fault, Model

__all__ = ["box", "capsule", "cone", "cylinder", "ellipsoid", "sphere"]


def _positive(value: float, name: str) -> float:
    value = float(value)
    if not (0 < value < math.inf):
        raise Fault(f"{name}: {value} is not a positive length")
    return value


def _steps(radius: float, tolerance: Optional[float]) -> int:
    """Edges around a circle so that the middle of each is no further inside than the tolerance."""
    if tolerance is None:
        tolerance = radius / 1000
    tolerance = _positive(tolerance, "tolerance")
    if tolerance >= radius / 2:
        return 8
    return min(4096, max(8, math.ceil(math.pi / math.acos(1 - tolerance / radius))))


def box(extents: Sequence[float]) -> Model:
    """A box with these lengths along x, y and z.

    >>> box([1, 2, 3]).bounds.tolist()
    [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]]
    """
    size = np.asarray(extents, dtype=float)
    if size.shape != (3,):
        raise Fault(f"extents: the shape is {size.shape}, not (3,)")
    half = np.array([_positive(length, "extents") for length in size]) / 2
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return Model(corners, [t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])


def _turned(profile: np.ndarray, steps: int) -> Model:
    """The solid that a profile of (radius, z) makes around the z axis. It begins and ends on the axis."""
    angle = 2 * math.pi * np.arange(steps) / steps
    rings = profile[1:-1]
    points = np.empty((len(rings) * steps + 2, 3))
    points[:-2, 0] = np.outer(rings[:, 0], np.cos(angle)).ravel()
    points[:-2, 1] = np.outer(rings[:, 0], np.sin(angle)).ravel()
    points[:-2, 2] = np.repeat(rings[:, 1], steps)
    first, last = len(points) - 2, len(points) - 1
    points[first] = (0, 0, profile[0, 1])
    points[last] = (0, 0, profile[-1, 1])
    i = np.arange(steps)
    j = (i + 1) % steps
    top = (len(rings) - 1) * steps
    parts = [np.stack([np.full(steps, first), j, i], axis=1),
             np.stack([np.full(steps, last), top + i, top + j], axis=1)]
    for k in range(len(rings) - 1):
        a, b = k * steps, (k + 1) * steps
        parts.append(np.stack([a + i, a + j, b + j], axis=1))
        parts.append(np.stack([a + i, b + j, b + i], axis=1))
    return Model(points, np.concatenate(parts))


def _arc(radius: float, steps: int) -> np.ndarray:
    """Half a circle from the lower pole to the upper one, as (radius, z)."""
    angle = math.pi * np.arange(steps + 1) / steps
    return np.stack([radius * np.sin(angle), -radius * np.cos(angle)], axis=1)


def sphere(radius: float, tolerance: Optional[float] = None) -> Model:
    """A sphere.

    >>> sphere(2).bounds.tolist()
    [[-2.0, -2.0, -2.0], [2.0, 2.0, 2.0]]
    """
    return ellipsoid([radius, radius, radius], tolerance)


def ellipsoid(radii: Sequence[float], tolerance: Optional[float] = None) -> Model:
    """An ellipsoid with these radii along x, y and z."""
    size = np.asarray(radii, dtype=float)
    if size.shape != (3,):
        raise Fault(f"radii: the shape is {size.shape}, not (3,)")
    longest = max(_positive(radius, "radii") for radius in size)
    # A face of a sphere is off by what its two edges are off together. Scaling by less than 1 makes that no larger.
    half = (longest / 1000 if tolerance is None else _positive(tolerance, "tolerance")) / 2
    steps = _steps(longest, half)
    steps += -steps % 4  # so that the corners reach the bounds
    unit = _turned(_arc(1.0, steps // 2), steps)
    points = unit.points
    points[np.abs(points) < 1e-15] = 0
    return Model(points * size, unit.triangles)


def cylinder(radius: float, height: float, tolerance: Optional[float] = None) -> Model:
    """A cylinder along z, from -height/2 to height/2."""
    radius, half = _positive(radius, "radius"), _positive(height, "height") / 2
    profile = np.array([[0, -half], [radius, -half], [radius, half], [0, half]])
    return _turned(profile, _steps(radius, tolerance))


def cone(radius: float, height: float, tolerance: Optional[float] = None) -> Model:
    """A cone along z: its base is at -height/2, its tip at height/2."""
    radius, half = _positive(radius, "radius"), _positive(height, "height") / 2
    return _turned(np.array([[0, -half], [radius, -half], [0, half]]), _steps(radius, tolerance))


def capsule(radius: float, height: float, tolerance: Optional[float] = None) -> Model:
    """A cylinder along z, from -height/2 to height/2, with half a sphere on each end."""
    radius, half = _positive(radius, "radius"), _positive(height, "height") / 2
    bound = (radius / 1000 if tolerance is None else _positive(tolerance, "tolerance")) / 2
    steps = _steps(radius, bound)
    steps += -steps % 4
    arc = _arc(radius, steps // 2)
    middle = len(arc) // 2
    lower, upper = arc[:middle + 1] - (0, half), arc[middle:] + (0, half)
    return _turned(np.concatenate([lower, upper]), steps)
