# SPDX-License-Identifier: Apache-2.0
"""The names of python-fcl that scripts with meshes use.

    import graze.fcl as fcl    # instead of: import fcl

Meshes are exact. Spheres, capsules, cones, cylinders and ellipsoids are polyhedra inside the true shape, no further from
it than a thousandth of their largest radius; `fcl.chordal_error` changes that for shapes made afterwards. Boxes, convex
polyhedra, triangles, half-spaces and planes are exact.

A solid is its surface: a shape inside another one does not meet it.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import shapes
from ._graze import Fault, Model, Slab, overlapping, pose
from ._pairs import Placed, distance_between, gaps, touches

__all__ = ["BVHModel", "Box", "Capsule", "CollisionData", "CollisionGeometry", "CollisionObject", "CollisionRequest",
           "CollisionResult", "Cone", "Contact", "ContinuousCollisionRequest", "ContinuousCollisionResult", "Convex",
           "Cylinder", "DistanceData", "DistanceRequest", "DistanceResult", "DynamicAABBTreeCollisionManager",
           "Ellipsoid", "Halfspace", "Plane", "Sphere", "Transform", "TriangleP", "chordal_error", "collide",
           "continuousCollide", "defaultCollisionCallback", "defaultDistanceCallback", "distance"]

chordal_error: Optional[float] = None  # in the unit of the shapes; None means a thousandth of the largest radius


class Transform:
    """A rotation and a translation: Transform(), Transform(rotation), Transform(translation),
    Transform(rotation, translation) or Transform(transform). A rotation is a 3×3 matrix or a quaternion w, x, y, z.

    >>> import graze.fcl as fcl
    >>> fcl.Transform([0, 0, 0, 1], [5, 0, 0]).getRotation().tolist()
    [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    def __init__(self, *arguments: Any) -> None:
        self.matrix = np.eye(4)
        if len(arguments) > 2:
            raise TypeError(f"Transform: at most 2 arguments, {len(arguments)} given")
        if len(arguments) == 1 and isinstance(arguments[0], Transform):
            self.matrix = arguments[0].matrix.copy()
            return
        for i, argument in enumerate(arguments):
            array = np.asarray(argument, dtype=np.float64)
            if i == 0 and array.shape == (3, 3):
                self.setRotation(array)
            elif i == 0 and array.shape == (4,):
                self.setQuatRotation(array)
            elif array.shape == (3,):
                self.setTranslation(array)
            else:
                raise Fault(f"Transform: an array of shape {array.shape} is neither a rotation nor a translation")

    def getRotation(self) -> np.ndarray:
        return self.matrix[:3, :3].copy()

    def getTranslation(self) -> np.ndarray:
        return self.matrix[:3, 3].copy()

    def getQuatRotation(self) -> np.ndarray:
        m = self.matrix[:3, :3]
        # The largest of w, x, y, z comes first: what it divides is then not small.
        squares = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2],
                            1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]])
        x, y, z = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
        xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
        rows = np.array([[squares[0], x, y, z], [x, squares[1], xy, xz], [y, xy, squares[2], yz], [z, xz, yz, squares[3]]])
        q = rows[int(np.argmax(squares))]
        return q / np.linalg.norm(q)

    def setRotation(self, rotation: Any) -> None:
        array = np.asarray(rotation, dtype=np.float64)
        if array.shape != (3, 3):
            raise Fault(f"rotation: the shape is {array.shape}, not (3, 3)")
        self.matrix[:3, :3] = array

    def setTranslation(self, translation: Any) -> None:
        array = np.asarray(translation, dtype=np.float64)
        if array.shape != (3,):
            raise Fault(f"translation: the shape is {array.shape}, not (3,)")
        self.matrix[:3, 3] = array

    def setQuatRotation(self, quaternion: Any) -> None:
        array = np.asarray(quaternion, dtype=np.float64)
        if array.shape != (4,):
            raise Fault(f"quaternion: the shape is {array.shape}, not (4,)")
        self.matrix[:3, :3] = pose(quaternion=array[[1, 2, 3, 0]])[:3, :3]


class CollisionGeometry:
    """A shape. `model` is its mesh."""

    def __init__(self, model: Optional[Model] = None) -> None:
        self._model = model

    @property
    def model(self) -> Model:
        if self._model is None:
            raise Fault("BVHModel: endModel() has not been called")
        return self._model


class BVHModel(CollisionGeometry):
    """A mesh: beginModel, addSubModel or addVertex and addTriangle, endModel."""

    def __init__(self) -> None:
        super().__init__()
        self._points: List[np.ndarray] = []
        self._triangles: List[np.ndarray] = []
        self._count = 0

    def beginModel(self, num_tris_: int = 0, num_vertices_: int = 0) -> int:
        self.__init__()  # type: ignore[misc]
        return 0

    def addVertex(self, x: float, y: float, z: float) -> int:
        self._points.append(np.array([[x, y, z]], dtype=np.float64))
        self._count += 1
        return 0

    def addTriangle(self, v1: Any, v2: Any, v3: Any) -> int:
        self.addSubModel([v1, v2, v3], [[0, 1, 2]])
        return 0

    def addSubModel(self, verts: Any, triangles: Any) -> int:
        points, corners = np.asarray(verts), np.asarray(triangles)
        Model(points, corners)  # a Fault names what is wrong with this part
        if len(corners):
            self._triangles.append(corners.astype(np.int64) + self._count)
        self._points.append(points.reshape(-1, 3))
        self._count += len(points)
        return 0

    def endModel(self) -> int:
        points = np.concatenate(self._points) if self._points else np.empty((0, 3))
        triangles = np.concatenate(self._triangles) if self._triangles else np.empty((0, 3), dtype=np.int64)
        self._model = Model(points, triangles)
        self._points, self._triangles = [], []
        return 0

    def num_tris_(self) -> int:
        return self.model.triangle_count


class Box(CollisionGeometry):
    def __init__(self, x: float, y: float, z: float) -> None:
        super().__init__(shapes.box([x, y, z]))
        self.side = np.array([x, y, z], dtype=np.float64)


class Sphere(CollisionGeometry):
    def __init__(self, radius: float) -> None:
        super().__init__(shapes.sphere(radius, chordal_error))
        self.radius = radius


class Ellipsoid(CollisionGeometry):
    def __init__(self, a: float, b: float, c: float) -> None:
        super().__init__(shapes.ellipsoid([a, b, c], chordal_error))
        self.radii = np.array([a, b, c], dtype=np.float64)


class Capsule(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(shapes.capsule(radius, lz, chordal_error))
        self.radius, self.lz = radius, lz


class Cone(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(shapes.cone(radius, lz, chordal_error))
        self.radius, self.lz = radius, lz


class Cylinder(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        super().__init__(shapes.cylinder(radius, lz, chordal_error))
        self.radius, self.lz = radius, lz


class TriangleP(CollisionGeometry):
    def __init__(self, a: Any, b: Any, c: Any) -> None:
        super().__init__(Model([a, b, c], [[0, 1, 2]]))


class Convex(CollisionGeometry):
    """A polyhedron. `faces` has for each face the number of its corners, then their indices."""

    def __init__(self, verts: Any, num_faces: int, faces: Any) -> None:
        numbers = [int(n) for n in np.asarray(faces).ravel()]
        polygons: List[List[int]] = []
        while numbers:
            count = numbers[0]
            if count < 0 or count >= len(numbers):
                raise Fault(f"faces: face {len(polygons)} has {count} corners, {len(numbers) - 1} numbers are left")
            polygons.append(numbers[1:count + 1])
            numbers = numbers[count + 1:]
        if len(polygons) != num_faces:
            raise Fault(f"faces: {num_faces} were announced, {len(polygons)} are there")
        corners = [corner for polygon in polygons for corner in polygon]
        offsets = np.cumsum([0] + [len(polygon) for polygon in polygons])
        super().__init__(Model(np.asarray(verts, dtype=np.float64), np.array(corners, dtype=np.int64), offsets))


class _Region(CollisionGeometry):
    """A half-space or a plane: an exact region, without triangles."""

    def __init__(self, n: Any, d: float) -> None:
        super().__init__()
        self.n, self.d = np.asarray(n, dtype=np.float64), float(d)
        self.slab = self._slab()

    def _slab(self) -> Slab:
        raise NotImplementedError

    @property
    def model(self) -> Model:
        raise Fault("Halfspace and Plane have no triangles: two of them cannot be compared")


class Halfspace(_Region):
    """The points with n · x ≤ d."""

    def _slab(self) -> Slab:
        return Slab.half_space(self.n, self.d)


class Plane(_Region):
    """The points with n · x = d."""

    def _slab(self) -> Slab:
        return Slab.plane(self.n, self.d)


class CollisionObject:
    """A shape in the world."""

    def __init__(self, geom: CollisionGeometry, tf: Optional[Transform] = None) -> None:
        if not isinstance(geom, CollisionGeometry):
            raise TypeError("geom: this is no graze.fcl.CollisionGeometry")
        self.collision_geometry = geom
        self._tf = Transform() if tf is None else Transform(tf)
        self._cached: Optional[Placed] = None

    @property
    def placed(self) -> Placed:
        if self._cached is None:
            self._cached = Placed(self.collision_geometry.model, self._tf.matrix)
        return self._cached

    @property
    def is_region(self) -> bool:
        return isinstance(self.collision_geometry, _Region)

    def getTransform(self) -> Transform:
        return Transform(self._tf)

    def setTransform(self, tf: Transform) -> None:
        self._tf, self._cached = Transform(tf), None

    def getTranslation(self) -> np.ndarray:
        return self._tf.getTranslation()

    def setTranslation(self, translation: Any) -> None:
        self._tf.setTranslation(translation)
        self._cached = None

    def getRotation(self) -> np.ndarray:
        return self._tf.getRotation()

    def setRotation(self, rotation: Any) -> None:
        self._tf.setRotation(rotation)
        self._cached = None

    def getQuatRotation(self) -> np.ndarray:
        return self._tf.getQuatRotation()

    def setQuatRotation(self, quaternion: Any) -> None:
        self._tf.setQuatRotation(quaternion)
        self._cached = None


class Contact:
    """Two triangles that meet. `o1` and `o2` are the shapes, `b1` and `b2` the triangles, -1 for a half-space or plane.

    `pos` is a common point, `normal` the unit normal of `b1`, or of a half-space or plane; `penetration_depth` how far
    the other triangle reaches behind it.
    """

    def __init__(self, o1: CollisionGeometry, o2: CollisionGeometry, b1: int, b2: int, normal: np.ndarray,
                 pos: np.ndarray, penetration_depth: float) -> None:
        self.o1, self.o2, self.b1, self.b2 = o1, o2, b1, b2
        self.normal, self.pos, self.penetration_depth = normal, pos, penetration_depth


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
    def __init__(self, enable_nearest_points: bool = False, gjk_solver_type: Any = None, **ignored: Any) -> None:
        self.enable_nearest_points = enable_nearest_points


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


def _region_contacts(mesh: CollisionObject, region: CollisionObject, limit: int) -> List[Tuple[int, np.ndarray, np.ndarray,
                                                                                               float]]:
    """Triangle, normal of the region, point and depth of each triangle that overlaps the region."""
    geometry = region.collision_geometry
    assert isinstance(geometry, _Region)
    region_from_mesh = Placed(Model(np.empty((0, 3)), []), region._tf.matrix).from_here(mesh.placed)
    model = mesh.placed.model
    triangles = overlapping(model, geometry.slab, region_from_mesh)
    if limit:
        triangles = triangles[:limit]
    length = float(np.linalg.norm(geometry.n))
    unit = region._tf.matrix[:3, :3] @ (geometry.n / length)
    out = []
    for triangle in triangles:
        corners = model.corners([triangle])[0] @ region_from_mesh[:3, :3].T + region_from_mesh[:3, 3]
        heights = (corners @ geometry.n - geometry.d) / length
        deepest = int(np.argmin(heights)) if isinstance(geometry, Halfspace) else int(np.argmin(np.abs(heights)))
        world = region._tf.matrix[:3, :3] @ corners[deepest] + region._tf.matrix[:3, 3]
        out.append((int(triangle), unit, world, float(max(0.0, -heights.min()))))
    return out


def _contacts(o1: CollisionObject, o2: CollisionObject, limit: int) -> List[Contact]:
    g1, g2 = o1.collision_geometry, o2.collision_geometry
    if o2.is_region:
        return [Contact(g1, g2, triangle, -1, -normal, point, depth)
                for triangle, normal, point, depth in _region_contacts(o1, o2, limit)]
    if o1.is_region:
        return [Contact(g1, g2, -1, triangle, normal, point, depth)
                for triangle, normal, point, depth in _region_contacts(o2, o1, limit)]
    return [Contact(g1, g2, touch.triangle_a, touch.triangle_b, touch.normal, touch.point, touch.depth)
            for touch in touches(o1.placed, o2.placed, limit)]


def collide(o1: CollisionObject, o2: CollisionObject, request: Optional[CollisionRequest] = None,
            result: Optional[CollisionResult] = None) -> int:
    """The number of contacts found, `num_max_contacts` at most. They have points and normals whatever `enable_contact` is.

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
    found = _contacts(o1, o2, max(1, request.num_max_contacts))
    result.contacts += found
    result.is_collision = result.is_collision or bool(found)
    return len(found)


def distance(o1: CollisionObject, o2: CollisionObject, request: Optional[DistanceRequest] = None,
             result: Optional[DistanceResult] = None) -> float:
    """The least distance; 0 where the surfaces meet. Nearest points are in the world.

    >>> import graze.fcl as fcl
    >>> a = fcl.CollisionObject(fcl.Box(1, 1, 1))
    >>> fcl.distance(a, fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform([3, 0, 0])))
    2.0
    """
    if o1.is_region or o2.is_region:
        raise Fault("distance: not for Halfspace and Plane")
    found = distance_between(o1.placed, o2.placed)
    if result is not None and found.distance < result.min_distance:
        result.min_distance = float(found.distance)
        result.o1, result.o2 = o1.collision_geometry, o2.collision_geometry
        result.b1, result.b2 = int(found.triangle_a), int(found.triangle_b)
        if request is not None and request.enable_nearest_points:
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
        radius = float(np.linalg.norm(corners, axis=1).max()) if len(corners) else 0.0
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
    a, b = o1.placed.model, o2.placed.model
    t, collides = 0.0, False
    while True:
        apart = float(distance_between(Placed(a, m1.at(t).matrix), Placed(b, m2.at(t).matrix)).distance)
        collides = apart == 0
        if collides or t == 1 or speed == 0:
            break
        t = min(1.0, t + max(apart / speed * (1 - 1e-9), request.toc_err))
    if result is not None:
        result.is_collide = collides
        result.time_of_contact = t if collides else 1.0
    return t if collides else 1.0


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
        bounds = self._bounds(others)
        for i, j in np.argwhere(bounds == 0):
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

    def _bounds(self, others: List[CollisionObject]) -> np.ndarray:
        """How far apart the boxes of two objects are: 0 for half-spaces and planes. Pairs that do not count are
        infinitely far."""
        everywhere = Placed(Model([[0, 0, 0]], [[0, 0, 0]]))
        everywhere.low, everywhere.high = np.full(3, -math.inf), np.full(3, math.inf)
        out = gaps([everywhere if a.is_region else a.placed for a in self._objects],
                   [everywhere if b.is_region else b.placed for b in others])
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
