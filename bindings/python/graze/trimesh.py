# SPDX-License-Identifier: Apache-2.0
"""A collision manager with the methods of trimesh's own.

    from graze.trimesh import CollisionManager    # instead of: from trimesh.collision import CollisionManager

Meshes are Trimesh objects, anything else with `vertices` and `faces`, or graze models. As with trimesh, those that are
closed and convex are solids and all others are surfaces.
"""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Literal, Optional, Set, Tuple, overload

import numpy as np

from ._graze import Closest, Fault, Model, Scene
from ._pairs import Placed, Touch, corners, meets, near, nearest, touches
from ._solids import Body, is_convex

__all__ = ["CollisionManager", "ContactData", "DistanceData"]

_EXTERNAL = "__external"
_Yes = Literal[True]
_No = Literal[False]
_Pair = Tuple[str, str]


def _body(mesh: Any) -> Body:
    """The shape of a mesh. One that says whether it is convex, as a Trimesh does, is believed if it is closed."""
    if not isinstance(mesh, Model) and not (hasattr(mesh, "vertices") and hasattr(mesh, "faces")):
        raise TypeError("mesh: this has no vertices and faces")
    model = mesh if isinstance(mesh, Model) else Model(mesh)
    body = Body.solid(model)
    assert body.inside is not None
    said = getattr(mesh, "is_convex", None)
    return body if (is_convex(model) if said is None else said and body.inside.closed) else Body.surface(model)


class ContactData:
    """Two triangles that meet, a triangle and a convex mesh, or two convex meshes. `names` are those of the two objects.

    Convex meshes: moving the second object by `depth` along `normal` parts the two, and no shorter translation does; `point`
    is in the middle of what it moves through. Other meshes: `point` is a common point in the world, `normal` the unit normal
    of the first object's triangle (that of the second one's turned around, where the first is convex), and `depth` how far
    the other one reaches behind it.
    """

    def __init__(self, names: Iterable[str], touch: Touch) -> None:
        a, b = names
        self.names = {a, b}
        self.point, self.normal, self.depth = touch.point, touch.normal, touch.depth
        self._indices = {a: touch.triangle_a, b: touch.triangle_b}

    def index(self, name: str) -> int:
        """The triangle of the object of this name, -1 for a convex one."""
        return self._indices[name]


class DistanceData:
    """Where two objects are closest. `names` are those of the two. Where they meet, `distance` is 0 for two surfaces, -1 for
    a surface and a convex mesh, and less than 0 by the depth of a contact for two convex meshes."""

    def __init__(self, names: Iterable[str], found: Closest) -> None:
        a, b = names
        self.names = {a, b}
        self.distance = float(found.distance)
        self._indices = {a: int(found.triangle_a), b: int(found.triangle_b)}
        self._points = {a: found.point_a, b: found.point_b}

    def index(self, name: str) -> int:
        """The closest triangle of the object of this name, -1 for a convex one."""
        return self._indices[name]

    def point(self, name: str) -> np.ndarray:
        """The closest point of the object of this name, in the world."""
        return self._points[name]


def _answer(first: Any, *rest: Tuple[bool, Any]) -> Any:
    """The first alone, or a tuple with those that were asked for."""
    asked = [value for wanted, value in rest if wanted]
    return (first, *asked) if asked else first


class CollisionManager:
    """Objects by name, and which of them collide. Whether they do is exact; touching counts.

    >>> from graze.trimesh import CollisionManager
    >>> manager = CollisionManager()
    >>> manager.add_object("a", graze.shapes.box([1, 1, 1]))
    >>> manager.add_object("b", graze.shapes.box([1, 1, 1]), graze.pose(translation=[1, 0, 0]))
    >>> manager.in_collision_internal(return_names=True)
    (True, {('a', 'b')})
    >>> manager.set_transform("b", graze.pose(translation=[3, 0, 0]))
    >>> manager.min_distance_internal(return_names=True)
    (2.0, ('a', 'b'))
    >>> manager.set_transform("b", graze.pose(translation=[0.75, 0, 0]))
    >>> manager.min_distance_internal()
    -0.25
    """

    def __init__(self) -> None:
        self._objects: Dict[str, Placed] = {}
        self._ids: Dict[str, int] = {}
        self._names: Dict[int, str] = {}
        self._scene = Scene()

    def add_object(self, name: str, mesh: Any, transform: Optional[Any] = None) -> None:
        """Adds an object. One of that name is replaced."""
        placed = Placed(_body(mesh), transform)
        if name in self._objects:
            self.remove_object(name)
        self._ids[name] = self._scene.add(placed.model, placed.transform)
        self._names[self._ids[name]] = name
        self._objects[name] = placed

    def remove_object(self, name: str) -> None:
        """Removes an object. A ValueError if there is none of that name."""
        self._object(name)
        self._scene.remove(self._ids[name])
        del self._names[self._ids.pop(name)], self._objects[name]

    def set_transform(self, name: str, transform: Any) -> None:
        """Moves an object. A ValueError if there is none of that name."""
        placed = self._object(name)
        moved = Placed(placed.body, transform)
        self._scene.move(self._ids[name], moved.transform)
        self._objects[name] = moved

    @overload
    def in_collision_single(self, mesh: Any, transform: Optional[Any] = ...,
                            return_names: _No = ..., return_data: _No = ...) -> bool: ...
    @overload
    def in_collision_single(self, mesh: Any, transform: Optional[Any] = ...,
                            *, return_names: _Yes, return_data: _No = ...) -> Tuple[bool, Set[str]]: ...
    @overload
    def in_collision_single(self, mesh: Any, transform: Optional[Any] = ...,
                            return_names: _No = ..., *, return_data: _Yes) -> Tuple[bool, List[ContactData]]: ...
    @overload
    def in_collision_single(self, mesh: Any, transform: Optional[Any] = ...,
                            *, return_names: _Yes, return_data: _Yes) -> Tuple[bool, Set[str], List[ContactData]]: ...
    def in_collision_single(self, mesh: Any, transform: Optional[Any] = None, return_names: bool = False,
                            return_data: bool = False) -> Any:
        """Whether a mesh collides with an object: a bool, the set of names, a list of ContactData.

        In the data the mesh is called `__external`.
        """
        pairs, data = self._meeting([(_EXTERNAL, Placed(_body(mesh), transform))], return_names, return_data)
        return _answer(bool(pairs), (return_names, {name for name, _ in pairs}), (return_data, data))

    @overload
    def in_collision_internal(self, return_names: _No = ..., return_data: _No = ...) -> bool: ...
    @overload
    def in_collision_internal(self, return_names: _Yes, return_data: _No = ...) -> Tuple[bool, Set[_Pair]]: ...
    @overload
    def in_collision_internal(self, return_names: _No = ..., *, return_data: _Yes) -> Tuple[bool, List[ContactData]]: ...
    @overload
    def in_collision_internal(self, return_names: _Yes, return_data: _Yes) -> Tuple[bool, Set[_Pair], List[ContactData]]: ...
    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether two objects collide: a bool, the set of pairs of names, a list of ContactData."""
        found = self._scene.update()
        pairs = np.concatenate([found.begun, found.persisting]).tolist()
        names = {tuple(sorted((self._names[a], self._names[b]))) for a, b in pairs}
        names |= {tuple(sorted(pair)) for pair in self._nested()}
        data = [ContactData(pair, touch) for pair in sorted(names) if return_data
                for touch in touches(self._objects[pair[0]], self._objects[pair[1]])]
        return _answer(bool(names), (return_names, names), (return_data, data))

    @overload
    def in_collision_other(self, other_manager: CollisionManager,
                           return_names: _No = ..., return_data: _No = ...) -> bool: ...
    @overload
    def in_collision_other(self, other_manager: CollisionManager,
                           *, return_names: _Yes, return_data: _No = ...) -> Tuple[bool, Set[_Pair]]: ...
    @overload
    def in_collision_other(self, other_manager: CollisionManager,
                           return_names: _No = ..., *, return_data: _Yes) -> Tuple[bool, List[ContactData]]: ...
    @overload
    def in_collision_other(self, other_manager: CollisionManager,
                           *, return_names: _Yes, return_data: _Yes) -> Tuple[bool, Set[_Pair], List[ContactData]]: ...
    def in_collision_other(self, other_manager: CollisionManager, return_names: bool = False,
                           return_data: bool = False) -> Any:
        """Whether an object collides with one of another manager: a bool, the set of pairs of names, a list of
        ContactData. The names of this manager's objects come first."""
        pairs, data = self._meeting(list(other_manager._objects.items()), return_names, return_data)
        return _answer(bool(pairs), (return_names, pairs), (return_data, data))

    @overload
    def min_distance_single(self, mesh: Any, transform: Optional[Any] = ...,
                            return_name: _No = ..., return_data: _No = ...) -> float: ...
    @overload
    def min_distance_single(self, mesh: Any, transform: Optional[Any] = ...,
                            *, return_name: _Yes, return_data: _No = ...) -> Tuple[float, Optional[str]]: ...
    @overload
    def min_distance_single(self, mesh: Any, transform: Optional[Any] = ...,
                            return_name: _No = ..., *, return_data: _Yes) -> Tuple[float, Optional[DistanceData]]: ...
    @overload
    def min_distance_single(self, mesh: Any, transform: Optional[Any] = ...,
                            *, return_name: _Yes, return_data: _Yes) -> Tuple[float, Optional[str], Optional[DistanceData]]: ...
    def min_distance_single(self, mesh: Any, transform: Optional[Any] = None, return_name: bool = False,
                            return_data: bool = False) -> Any:
        """The least distance of a mesh from an object: a float, the object's name, a DistanceData."""
        found = self._nearest([(_EXTERNAL, Placed(_body(mesh), transform))])
        return self._distance(found, (return_name, found[0] if found else None), return_data)

    @overload
    def min_distance_internal(self, name: Optional[str] = ...,
                              return_names: _No = ..., return_data: _No = ...) -> float: ...
    @overload
    def min_distance_internal(self, name: Optional[str] = ...,
                              *, return_names: _Yes, return_data: _No = ...) -> Tuple[float, Optional[_Pair]]: ...
    @overload
    def min_distance_internal(self, name: Optional[str] = ...,
                              return_names: _No = ..., *, return_data: _Yes) -> Tuple[float, Optional[DistanceData]]: ...
    @overload
    def min_distance_internal(self, name: Optional[str] = ...,
                              *, return_names: _Yes, return_data: _Yes) -> Tuple[float, Optional[_Pair], Optional[DistanceData]]: ...
    def min_distance_internal(self, name: Optional[str] = None, return_names: bool = False,
                              return_data: bool = False) -> Any:
        """The least distance of two objects: a float, the pair of their names, a DistanceData. With `name` one of the
        two is that object."""
        if name is not None:
            self._object(name)
        found = self._nearest(sorted(self._objects.items()), among_themselves=True, one=name)
        return self._distance(found, (return_names, found[:2] if found else None), return_data)

    @overload
    def min_distance_other(self, other_manager: CollisionManager,
                           return_names: _No = ..., return_data: _No = ...) -> float: ...
    @overload
    def min_distance_other(self, other_manager: CollisionManager,
                           *, return_names: _Yes, return_data: _No = ...) -> Tuple[float, Optional[_Pair]]: ...
    @overload
    def min_distance_other(self, other_manager: CollisionManager,
                           return_names: _No = ..., *, return_data: _Yes) -> Tuple[float, Optional[DistanceData]]: ...
    @overload
    def min_distance_other(self, other_manager: CollisionManager,
                           *, return_names: _Yes, return_data: _Yes) -> Tuple[float, Optional[_Pair], Optional[DistanceData]]: ...
    def min_distance_other(self, other_manager: CollisionManager, return_names: bool = False,
                           return_data: bool = False) -> Any:
        """The least distance of an object from one of another manager: a float, the pair of their names, a
        DistanceData. The name of this manager's object comes first."""
        found = self._nearest(list(other_manager._objects.items()))
        return self._distance(found, (return_names, found[:2] if found else None), return_data)

    def _nested(self) -> List[Tuple[str, ...]]:
        """Pairs of objects that meet, of which one may be wholly inside the other, a convex one."""
        names, objects = zip(*sorted(self._objects.items())) if self._objects else ((), ())
        (low, high), convex = corners(objects), np.array([placed.body.is_convex for placed in objects], dtype=bool)
        a, b = near(objects).T
        slack = 2 * np.array([placed.slack for placed in objects]).reshape(-1, 3)  # boxes are larger by half of it
        a_holds_b = convex[a] & (low[a] <= low[b] + slack[b]).all(axis=1) & (high[b] - slack[b] <= high[a]).all(axis=1)
        b_holds_a = convex[b] & (low[b] <= low[a] + slack[a]).all(axis=1) & (high[a] - slack[a] <= high[b]).all(axis=1)
        held = a_holds_b | b_holds_a
        return [(names[i], names[j]) for i, j in zip(a[held], b[held]) if meets(objects[i], objects[j])]

    def _object(self, name: str) -> Placed:
        if name not in self._objects:
            raise Fault(f"{name} is not in the collision manager")
        return self._objects[name]

    def _meeting(self, others: List[Tuple[str, Placed]], all_of_them: bool,
                 with_data: bool) -> Tuple[Set[_Pair], List[ContactData]]:
        """The names of an object and another one that meet, and their contacts. One pair unless more are wanted."""
        mine = list(self._objects.items())
        names: Set[Tuple[str, str]] = set()
        data: List[ContactData] = []
        for i, j in near([a for _, a in mine], [b for _, b in others]):
            (name_a, a), (name_b, b) = mine[i], others[j]
            if not meets(a, b):
                continue
            names.add((name_a, name_b))
            if with_data:
                data += [ContactData((name_a, name_b), touch) for touch in touches(a, b)]
            elif not all_of_them:
                break
        return names, data

    def _nearest(self, others: List[Tuple[str, Placed]], among_themselves: bool = False,
                 one: Optional[str] = None) -> Optional[Tuple[str, str, Closest]]:
        """The closest of an object and another one. Among themselves, each pair counts once, and with `one` only those
        of that object."""
        mine = others if among_themselves else list(self._objects.items())
        wanted = np.ones((len(mine), len(others)), dtype=bool)
        if among_themselves:
            wanted = np.triu(wanted, 1)
        if one is not None:
            is_one = np.array([name == one for name, _ in mine])
            wanted &= is_one[:, None] | is_one[None, :]
        last = None
        for i, j, found in nearest([a for _, a in mine], [b for _, b in others], wanted):
            last = (mine[i][0], others[j][0], found)
        return last

    @staticmethod
    def _distance(found: Optional[Tuple[str, str, Closest]], names: Tuple[bool, Any], return_data: bool) -> Any:
        distance = float(found[2].distance) if found else float("inf")
        data = DistanceData(found[:2], found[2]) if found else None
        return _answer(distance, names, (return_data, data))
