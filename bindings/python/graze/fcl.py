# SPDX-License-Identifier: Apache-2.0
"""The names of python-fcl that scripts with meshes use.

    import graze.fcl as fcl    # instead of: import fcl

Meshes are surfaces and everything else is solid, as in FCL. Meshes, spheres, capsules, boxes, convex polyhedra, triangles,
half-spaces and planes are exact. Cones, cylinders and ellipsoids are polyhedra around the true shape, no further from it
than a thousandth of their largest radius; `fcl.chordal_error` changes that for shapes made afterwards.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._fcl_queries import (CollisionRequest, CollisionResult, Contact, ContinuousCollisionRequest, ContinuousCollisionResult,
                           DistanceRequest, DistanceResult, collide, continuousCollide, distance)
from ._fcl_shapes import (BVHModel, Box, Capsule, CollisionGeometry, CollisionObject, Cone, Convex, Cylinder, Ellipsoid,
                          Halfspace, Plane, Sphere, Transform, TriangleP)
from ._graze import Model
from ._pairs import Placed, gaps, near
from ._solids import Body

__all__ = ["BVHModel", "Box", "Capsule", "CollisionData", "CollisionGeometry", "CollisionObject", "CollisionRequest",
           "CollisionResult", "Cone", "Contact", "ContinuousCollisionRequest", "ContinuousCollisionResult", "Convex",
           "Cylinder", "DistanceData", "DistanceRequest", "DistanceResult", "DynamicAABBTreeCollisionManager",
           "Ellipsoid", "Halfspace", "Plane", "Sphere", "Transform", "TriangleP", "chordal_error", "collide",
           "continuousCollide", "defaultCollisionCallback", "defaultDistanceCallback", "distance"]

chordal_error: Optional[float] = None  # in the unit of the shapes; None means a thousandth of the largest radius


class CollisionData:
    def __init__(self, request: Optional[CollisionRequest] = None, result: Optional[CollisionResult] = None) -> None:
        self.request, self.result = request or CollisionRequest(), result or CollisionResult()
        self.done = False


class DistanceData:
    def __init__(self, request: Optional[DistanceRequest] = None, result: Optional[DistanceResult] = None) -> None:
        self.request, self.result = request or DistanceRequest(), result or DistanceResult()
        self.done = False


def defaultCollisionCallback(o1: CollisionObject, o2: CollisionObject, cdata: CollisionData) -> bool:
    """Collects contacts until there are as many as requested."""
    if cdata.done:
        return True
    collide(o1, o2, cdata.request, cdata.result)
    enough = len(cdata.result.contacts) >= cdata.request.num_max_contacts
    cdata.done = cdata.result.is_collision and enough and not cdata.request.enable_cost
    return cdata.done


def defaultDistanceCallback(o1: CollisionObject, o2: CollisionObject, ddata: DistanceData) -> Tuple[bool, float]:
    """Keeps the least distance."""
    distance(o1, o2, ddata.request, ddata.result)
    ddata.done = ddata.result.min_distance <= 0
    return ddata.done, ddata.result.min_distance


class DynamicAABBTreeCollisionManager:
    """Objects, and callbacks for pairs of them whose boxes overlap.

    >>> import graze.fcl as fcl
    >>> manager = fcl.DynamicAABBTreeCollisionManager()
    >>> manager.registerObjects([fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform([x, 0, 0])) for x in (0, 0.5, 9)])
    >>> manager.setup()
    >>> data = fcl.CollisionData()
    >>> manager.collide(data, fcl.defaultCollisionCallback)
    >>> data.result.is_collision
    True
    """

    def __init__(self) -> None:
        self._objects: List[CollisionObject] = []

    def registerObjects(self, other_objs: Iterable[CollisionObject]) -> None:
        for obj in other_objs:
            self.registerObject(obj)

    def registerObject(self, obj: CollisionObject) -> None:
        if not isinstance(obj, CollisionObject):
            raise TypeError("obj: this is no graze.fcl.CollisionObject")
        self._objects.append(obj)

    def unregisterObject(self, obj: CollisionObject) -> None:
        self._objects = [other for other in self._objects if other is not obj]

    def setup(self) -> None:
        """Nothing is prepared: the objects' own placements are read at each call."""

    def update(self, arg: Any = None) -> None:
        """Nothing is prepared: the objects' own placements are read at each call."""

    def getObjects(self) -> List[CollisionObject]:
        return list(self._objects)

    def clear(self) -> None:
        self._objects = []

    def empty(self) -> bool:
        return not self._objects

    def size(self) -> int:
        return len(self._objects)

    def collide(self, *arguments: Any) -> None:
        """collide(data, callback), collide(object, data, callback) or collide(manager, data, callback)."""
        others, data, callback = self._asked(arguments)
        boxes = self._boxes(self._objects)
        for i, j in near(boxes) if others is self._objects else near(boxes, self._boxes(others)):
            if callback(self._objects[i], others[j], data):
                return

    def distance(self, *arguments: Any) -> None:
        """distance(data, callback), distance(object, data, callback) or distance(manager, data, callback)."""
        others, data, callback = self._asked(arguments)
        bounds, least = self._bounds(others), math.inf
        for flat in np.argsort(bounds, axis=None):
            i, j = divmod(int(flat), len(others))
            if bounds[i, j] > least or bounds[i, j] == math.inf:
                return
            done, least = callback(self._objects[i], others[j], data)
            if done:
                return

    @staticmethod
    def _boxes(objects: List[CollisionObject]) -> List[Placed]:
        """The objects with their boxes: all of space for half-spaces and planes."""
        everywhere = Placed(Body.surface(Model([[0, 0, 0]], [[0, 0, 0]])))
        everywhere.low, everywhere.high = np.full(3, -math.inf), np.full(3, math.inf)
        return [everywhere if one.is_region else one.placed for one in objects]

    def _bounds(self, others: List[CollisionObject]) -> np.ndarray:
        """How far apart the boxes of two objects are. Pairs that are ignored are infinitely far."""
        out = gaps(self._boxes(self._objects), self._boxes(others))
        if others is self._objects:
            out[np.tril_indices(len(others))] = math.inf
        return out

    def _asked(self, arguments: Sequence[Any]) -> Tuple[List[CollisionObject], Any, Callable[..., Any]]:
        """The other objects, which are those of the manager itself without any; the data and the callback."""
        if len(arguments) == 2:
            return self._objects, arguments[0], arguments[1]
        if len(arguments) != 3:
            raise TypeError(f"data and callback, or another object or manager before them, not {len(arguments)} arguments")
        other: Union[CollisionObject, DynamicAABBTreeCollisionManager] = arguments[0]
        if isinstance(other, DynamicAABBTreeCollisionManager):
            return list(other._objects), arguments[1], arguments[2]
        return [other], arguments[1], arguments[2]
