# SPDX-License-Identifier: Apache-2.0
"""Queries of graze.fcl between two objects, with their requests and results."""
from __future__ import annotations

import math
from typing import Any, List, Optional, cast

import numpy as np

from ._fcl_shapes import CollisionGeometry, CollisionObject, Halfspace, Region, Transform
from ._graze import Fault, Slab, overlapping, relative
from ._pairs import Placed, Touch, distance_between, meets, touches


class Contact:
    """Two shapes that meet, or a triangle of a mesh and what it meets. `o1` and `o2` are the shapes, `b1` and `b2` the
    triangles, -1 for anything but a mesh.

    Solids: moving `o2` by `penetration_depth` along `normal` parts the two, and no shorter translation does; `pos` is in the
    middle of what it moves through. Without `enable_contact` these are zero. Meshes: `pos` is a common point, `normal` the
    unit normal of the triangle of `o1` (that of `o2` turned around where `o1` is a solid), and `penetration_depth` how far
    the other one reaches behind it.
    """

    def __init__(self, o1: CollisionGeometry, o2: CollisionGeometry, b1: int = -1, b2: int = -1,
                 normal: Any = (0, 0, 0), pos: Any = (0, 0, 0), penetration_depth: float = 0.0) -> None:
        self.o1, self.o2, self.b1, self.b2 = o1, o2, b1, b2
        self.normal, self.pos, self.penetration_depth = np.array(normal, float), np.array(pos, float), penetration_depth


class CollisionRequest:
    def __init__(self, num_max_contacts: int = 1, enable_contact: bool = False, num_max_cost_sources: int = 1,
                 enable_cost: bool = False, use_approximate_cost: bool = True, gjk_solver_type: Any = None) -> None:
        self.num_max_contacts, self.enable_contact = num_max_contacts, enable_contact
        self.enable_cost = enable_cost


class CollisionResult:
    def __init__(self, contacts: Optional[List[Contact]] = None, cost_sources: Optional[List[Any]] = None) -> None:
        self.contacts: List[Contact] = contacts or []
        self.cost_sources: List[Any] = cost_sources or []
        self.is_collision = bool(self.contacts)


class DistanceRequest:
    def __init__(self, enable_nearest_points: bool = False, enable_signed_distance: bool = False,
                 gjk_solver_type: Any = None) -> None:
        self.enable_nearest_points, self.enable_signed_distance = enable_nearest_points, enable_signed_distance


class DistanceResult:
    def __init__(self, min_distance_: float = math.inf) -> None:
        self.min_distance = min_distance_
        self.nearest_points: List[Optional[np.ndarray]] = [None, None]
        self.o1: Optional[CollisionGeometry] = None
        self.o2: Optional[CollisionGeometry] = None
        self.b1 = self.b2 = -1


class ContinuousCollisionRequest:
    """`toc_err` is how exact the time of contact is. A contact that lasts for less may be missed; no other one is."""

    def __init__(self, num_max_iterations: int = 10, toc_err: float = 1e-4, ccd_motion_type: Any = None,
                 gjk_solver_type: Any = None, ccd_solver_type: Any = None) -> None:
        self.num_max_iterations, self.toc_err = num_max_iterations, toc_err


class ContinuousCollisionResult:
    def __init__(self, is_collide: bool = False, time_of_contact: float = 1.0) -> None:
        self.is_collide, self.time_of_contact = is_collide, time_of_contact


def _region_touches(one: CollisionObject, region: CollisionObject, limit: int) -> List[Touch]:
    """Each triangle of a mesh that overlaps a half-space or plane, or a solid that does."""
    geometry = region.collision_geometry
    assert isinstance(geometry, Region)
    placed = one.placed.rigid()
    region_from_one = relative(region._tf.matrix, placed.transform)
    length = float(np.linalg.norm(geometry.n))
    reach = placed.body.radius * length
    slab = Slab(geometry.n, geometry.slab.lo - reach, geometry.slab.hi + reach)
    triangles = cast(np.ndarray, overlapping(slab, placed.model, region_from_one))
    if placed.body.is_convex:
        triangles = triangles[:1]
    elif limit:
        triangles = triangles[:limit]
    unit = region._tf.matrix[:3, :3] @ (geometry.n / length)
    out = []
    for triangle in triangles:
        corners = placed.model.points if placed.body.is_convex else placed.model.corners([triangle])[0]
        corners = corners @ region_from_one[:3, :3].T + region_from_one[:3, 3]
        heights = (corners @ geometry.n - geometry.d) / length
        normal, lowest = unit, int(np.argmin(heights))
        if not isinstance(geometry, Halfspace) and heights.max() < -heights.min():
            normal, heights, lowest = -unit, -heights, int(np.argmax(heights))
        depth = max(0.0, placed.body.radius - float(heights[lowest]))
        point = region._tf.matrix[:3, :3] @ corners[lowest] + region._tf.matrix[:3, 3] - placed.body.radius * normal
        if placed.body.is_convex:
            out.append(Touch(-1, -1, point + normal * (depth / 2), 0 - normal, depth))
        else:
            if not isinstance(geometry, Halfspace) and heights.max() > heights[lowest]:  # where the triangle crosses it
                highest = int(np.argmax(heights))
                part = depth / (float(heights[highest]) + depth)
                point += part * (region._tf.matrix[:3, :3] @ (corners[highest] - corners[lowest]))
            out.append(Touch(int(triangle), -1, point, 0 - normal, depth))
    return out


def _touches(o1: CollisionObject, o2: CollisionObject, limit: int) -> List[Touch]:
    if o2.is_region:
        return _region_touches(o1, o2, limit)
    if o1.is_region:
        return [touch.turned() for touch in _region_touches(o2, o1, limit)]
    return touches(o1.placed, o2.placed, limit)


def collide(o1: CollisionObject, o2: CollisionObject, request: Optional[CollisionRequest] = None,
            result: Optional[CollisionResult] = None) -> int:
    """The number of contacts found, `num_max_contacts` at most: one for two solids, one per triangle for a mesh and a
    solid, and one per pair of triangles for two meshes.

    >>> import graze.fcl as fcl
    >>> a = fcl.CollisionObject(fcl.Box(1, 1, 1))
    >>> b = fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform([1, 0, 0]))
    >>> fcl.collide(a, b)
    1
    >>> fcl.collide(a, fcl.CollisionObject(fcl.Sphere(1), fcl.Transform([1.6, 0, 0])))
    0
    """
    request = request or CollisionRequest()
    result = CollisionResult() if result is None else result
    g1, g2 = o1.collision_geometry, o2.collision_geometry
    regions = o1.is_region or o2.is_region
    if not regions and not request.enable_contact and g1.body.is_convex and g2.body.is_convex:
        found = [Contact(g1, g2)] if meets(o1.placed, o2.placed) else []
    else:
        found = [Contact(g1, g2, touch.triangle_a, touch.triangle_b, touch.normal, touch.point, touch.depth)
                 for touch in _touches(o1, o2, max(1, request.num_max_contacts))]
    result.contacts += found
    result.is_collision = result.is_collision or bool(found)
    return len(found)


def distance(o1: CollisionObject, o2: CollisionObject, request: Optional[DistanceRequest] = None,
             result: Optional[DistanceResult] = None) -> float:
    """The least distance; -1 for two solids, or a solid and a mesh, that meet, and 0 for two meshes that do. With
    `enable_signed_distance` that of two solids that meet is the length of the shortest translation that parts them, with a
    negative sign. Nearest points are in the world.

    >>> import graze.fcl as fcl
    >>> a, b = fcl.CollisionObject(fcl.Box(1, 1, 1)), fcl.CollisionObject(fcl.Box(1, 1, 1))
    >>> b.setTranslation([3, 0, 0])
    >>> fcl.distance(a, b)
    2.0
    >>> b.setTranslation([0.75, 0, 0])
    >>> fcl.distance(a, b), fcl.distance(a, b, fcl.DistanceRequest(enable_signed_distance=True))
    (-1.0, -0.25)
    """
    if o1.is_region or o2.is_region:
        raise Fault("distance: not for Halfspace and Plane")
    request = request or DistanceRequest()
    found = distance_between(o1.placed, o2.placed, signed=request.enable_signed_distance)
    if result is not None and found.distance < result.min_distance:
        result.min_distance = float(found.distance)
        result.o1, result.o2 = o1.collision_geometry, o2.collision_geometry
        result.b1, result.b2 = int(found.triangle_a), int(found.triangle_b)
        if request.enable_nearest_points:
            result.nearest_points = [found.point_a, found.point_b]
    return float(found.distance)


class _Motion:
    """A straight way with an even turn between two placements."""

    def __init__(self, placed: Placed, start: Transform, end: Transform) -> None:
        for tf in (start, end):
            if not np.abs(tf.matrix[:3, :3].T @ tf.matrix[:3, :3] - np.eye(3)).max() <= 1e-6:
                raise Fault("continuousCollide: a rotation is not orthonormal")
        self.from_, self.to = start.getTranslation(), end.getTranslation()
        self.start, turn = start.getRotation(), start.getRotation().T @ end.getRotation()
        w, *axis = Transform(turn).getQuatRotation()
        sine = float(np.linalg.norm(axis))
        self.angle = 2 * math.atan2(sine, abs(w))
        self.axis = np.array(axis) / sine * (1 if w >= 0 else -1) if sine > 0 else np.array([1.0, 0, 0])
        corners = placed.model.points
        radius = placed.body.radius + (float(np.linalg.norm(corners, axis=1).max()) if len(corners) else 0.0)
        self.speed = float(np.linalg.norm(self.to - self.from_)) + self.angle * radius

    def at(self, t: float) -> Transform:
        half = self.angle * t / 2
        turn = Transform(np.array([math.cos(half), *(math.sin(half) * self.axis)]))
        return Transform(self.start @ turn.getRotation(), self.from_ + t * (self.to - self.from_))


def continuousCollide(o1: CollisionObject, tf1_end: Transform, o2: CollisionObject, tf2_end: Transform,
                      request: Optional[ContinuousCollisionRequest] = None,
                      result: Optional[ContinuousCollisionResult] = None) -> float:
    """The time in [0, 1] at which two moving shapes meet; 1 when they do not.

    Each step is as long as the exact distance allows, so no contact that lasts for `toc_err` is missed.

    >>> import graze.fcl as fcl
    >>> a = fcl.CollisionObject(fcl.Box(1, 1, 1))
    >>> b = fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform([5, 0, 0]))
    >>> result = fcl.ContinuousCollisionResult()
    >>> round(fcl.continuousCollide(a, fcl.Transform(), b, fcl.Transform([1, 0, 0]), None, result), 3), result.is_collide
    (1.0, True)
    """
    request = request or ContinuousCollisionRequest()
    if not 0 < request.toc_err < 1:
        raise Fault("toc_err: this is not a number between 0 and 1")
    if o1.is_region or o2.is_region:
        raise Fault("continuousCollide: not for Halfspace and Plane")
    m1 = _Motion(o1.placed, o1.getTransform(), tf1_end)
    m2 = _Motion(o2.placed, o2.getTransform(), tf2_end)
    speed = m1.speed + m2.speed
    a, b = o1.placed.body, o2.placed.body
    t, collides = 0.0, False
    while True:
        apart = float(distance_between(Placed(a, m1.at(t).matrix), Placed(b, m2.at(t).matrix)).distance)
        collides = apart <= 0
        if collides or t == 1 or speed == 0:
            break
        t = min(1.0, t + max(apart / speed * (1 - 1e-9), request.toc_err))
    if result is not None:
        result.is_collide = collides
        result.time_of_contact = t if collides else 1.0
    return t if collides else 1.0
