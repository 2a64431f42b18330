# SPDX-License-Identifier: Apache-2.0
"""Shapes of graze.fcl, and their places in the world."""
from __future__ import annotations

import math
from typing import Any, List, Optional

import numpy as np

from . import shapes
from ._graze import Fault, Model, Slab, _Shape, pose
from ._pairs import Placed
from ._solids import Body


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


_FIXED = ("side", "radius", "radii", "lz", "n", "d", "num_faces")


class CollisionGeometry:
    """A shape. `model` is its mesh; that of a sphere is its centre, that of a capsule its axis."""

    def __init__(self, body: Optional[Body] = None) -> None:
        self._body = body

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and name in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.{name}: shapes do not change; make another one")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        sizes = [f"{name}={np.asarray(self.__dict__[name]).tolist()}" for name in _FIXED if name in self.__dict__]
        return f"<graze.fcl.{type(self).__name__}{': ' + ', '.join(sizes) if sizes else ''}>"

    @property
    def body(self) -> Body:
        if self._body is None:
            raise Fault("BVHModel: endModel() has not been called")
        return self._body

    @property
    def model(self) -> Model:
        return self.body.model


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
        points, corners = np.array(verts), np.array(triangles)
        Model(points, corners)  # a Fault names what is wrong with this part
        if len(corners):
            self._triangles.append(corners.astype(np.int64) + self._count)
        self._points.append(points.reshape(-1, 3))
        self._count += len(points)
        return 0

    def endModel(self) -> int:
        points = np.concatenate(self._points) if self._points else np.empty((0, 3))
        triangles = np.concatenate(self._triangles) if self._triangles else np.empty((0, 3), dtype=np.int64)
        self._body = Body.surface(Model(points, triangles))
        self._points, self._triangles = [], []
        return 0

    def num_tris_(self) -> int:
        return self.model.triangle_count


def _chordal_error(radius: float) -> float:
    """How far a polyhedron may be from the true shape, whose largest radius this is."""
    from . import fcl  # where users set it

    return radius / 1000 if fcl.chordal_error is None else fcl.chordal_error


def _constant(numbers: Any) -> np.ndarray:
    array = np.array(numbers, dtype=np.float64)
    array.flags.writeable = False
    return array


class Box(CollisionGeometry):
    def __init__(self, x: float, y: float, z: float) -> None:
        super().__init__(Body.solid(shapes.box([x, y, z])))
        self.side = _constant([x, y, z])


class Sphere(CollisionGeometry):
    def __init__(self, radius: float) -> None:
        super().__init__(Body(_Shape.sphere(radius), True))
        self.radius = float(radius)


class Capsule(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        if lz < 0:
            raise Fault(f"lz: {lz} is negative")
        super().__init__(Body(_Shape.capsule([0, 0, -lz / 2], [0, 0, lz / 2], radius), True))
        self.radius, self.lz = float(radius), float(lz)


# Curved shapes that no core with a radius describes are polyhedra around the true shape: they miss no contact. Their
# faces touch the true shape up to a rounding that this factor outweighs.
_OUTSIDE = 1 + 2.0**-45


def _turned(profile: np.ndarray, radius: float) -> Model:
    """A polyhedron around the solid that a profile of (radius, z) makes around the z axis."""
    error = _chordal_error(shapes._positive(radius, "radius"))
    steps = shapes._steps(radius, error * radius / (error + radius))  # the error grows where inside becomes outside
    steps += -steps % 4
    # The middles of faces lie on the axes, so that the bounds are the true ones.
    tangent = math.tan(math.pi / steps)
    model = shapes._turned(profile, steps)
    points = model.points
    points[:, :2] = points[:, :2] @ np.array([[1, tangent], [-tangent, 1]]) * _OUTSIDE
    return Model(points, model.triangles)


class Ellipsoid(CollisionGeometry):
    def __init__(self, a: float, b: float, c: float) -> None:
        longest = max(shapes._positive(radius, "radii") for radius in (a, b, c))
        inner = shapes.sphere(1, _chordal_error(longest) / longest / 1.01)
        corners = inner.corners(np.arange(inner.triangle_count))
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        heights = np.einsum("ij,ij->i", corners[:, 0], normals) / np.linalg.norm(normals, axis=1)
        radii = _constant([a, b, c])
        super().__init__(Body.solid(Model(inner.points * (radii * _OUTSIDE / heights.min()), inner.triangles)))
        self.radii = radii


class Cone(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        half = shapes._positive(lz, "lz") / 2
        super().__init__(Body.solid(_turned(np.array([[0, -half], [radius, -half], [0, half]]), radius)))
        self.radius, self.lz = float(radius), float(lz)


class Cylinder(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        half = shapes._positive(lz, "lz") / 2
        super().__init__(Body.solid(_turned(np.array([[0, -half], [radius, -half], [radius, half], [0, half]]), radius)))
        self.radius, self.lz = float(radius), float(lz)


class TriangleP(CollisionGeometry):
    def __init__(self, a: Any, b: Any, c: Any) -> None:
        super().__init__(Body(_Shape(Model([a, b, c], [[0, 1, 2]])), True))


class Convex(CollisionGeometry):
    """A solid convex polyhedron. `faces` has for each face the number of its corners, then their indices.

    The faces must enclose it. They decide what meets it; how deep, the convex hull of its corners.
    """

    def __init__(self, verts: Any, num_faces: int, faces: Any) -> None:
        given = np.asarray(faces).ravel()
        with np.errstate(invalid="ignore"):
            integers = given.astype(np.int64)
        if (integers != given).any():
            raise Fault("faces: these are not whole numbers")
        numbers, at = integers.tolist(), 0
        polygons: List[List[int]] = []
        while at < len(numbers):
            count, left = numbers[at], len(numbers) - at - 1
            if count < 0 or count > left:
                raise Fault(f"faces: face {len(polygons)} has {count} corners, {left} numbers are left")
            polygons.append(numbers[at + 1:at + 1 + count])
            at += 1 + count
        if len(polygons) != num_faces:
            raise Fault(f"faces: {num_faces} were announced, {len(polygons)} are there")
        corners = [corner for polygon in polygons for corner in polygon]
        offsets = np.cumsum([0] + [len(polygon) for polygon in polygons])
        model = Model(np.asarray(verts, dtype=np.float64), np.array(corners, dtype=np.int64), offsets)
        super().__init__(Body.solid(model))
        if not self.body.inside.closed:  # type: ignore[union-attr]
            raise Fault("Convex: the faces do not enclose a solid; BVHModel takes open meshes")
        self.num_faces = num_faces


class Region(CollisionGeometry):
    """A half-space or a plane: an exact region, without triangles."""

    def __init__(self, n: Any, d: float) -> None:
        super().__init__()
        self.n, self.d = _constant(n), float(d)
        self.slab = self._slab()

    def _slab(self) -> Slab:
        raise NotImplementedError

    @property
    def body(self) -> Body:
        raise Fault("Halfspace and Plane have no triangles: two of them cannot be compared")


class Halfspace(Region):
    """The points with n · x ≤ d."""

    def _slab(self) -> Slab:
        return Slab.half_space(self.n, self.d)


class Plane(Region):
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
        if self._cached is None or self._cached.body is not self.collision_geometry.body:
            self._cached = Placed(self.collision_geometry.body, self._tf.matrix)
        return self._cached

    @property
    def is_region(self) -> bool:
        return isinstance(self.collision_geometry, Region)

    def __copy__(self) -> CollisionObject:
        return CollisionObject(self.collision_geometry, self._tf)

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
