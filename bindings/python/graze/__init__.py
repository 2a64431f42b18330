# SPDX-License-Identifier: Apache-2.0
"""Exact collision detection for triangle meshes.

>>> import numpy as np, graze
>>> floor = graze.Model([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
>>> blade = graze.Model([[0, 0, -1], [1, 0, -1], [0, 0, 1]], [[0, 1, 2]])
>>> graze.collide(floor, blade, graze.pose(translation=[2, 1, 0])).tolist()
[[0, 0]]
"""
from typing import Any as _Any, Callable as _Callable, TypeVar as _TypeVar

try:
    import numpy as _numpy  # noqa: F401
except ImportError:
    raise ImportError("graze needs numpy, which this Python does not have: pip install numpy, or Debian's python3-numpy and a "
                      "virtual environment made with --system-site-packages") from None

from . import _graze, _results
from ._graze import (AllHits, Box, Clash, Clashes, Closest, ClosestPoints, ContactGeometry, Contacts, Curve, Fault, Front,
                     Hull, Model, Overlap, Overlaps, Part, Parts, Penetration, RayHit, RayHits, Refit, Robot,
                     RobotAnswers, Scene, Side, Slab, Solid, TouchingPairs, __version__)
from . import shapes

_F = _TypeVar("_F", bound=_Callable[..., _Any])


def _plain(function: _F) -> _F:
    """The function as one of Python's own: those of the extension cannot be pickled, and process pools pickle them."""
    def call(*arguments: _Any, **named: _Any) -> _Any:
        return function(*arguments, **named)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call  # type: ignore[return-value]


all_hits = _plain(_graze.all_hits)
any_hit = _plain(_graze.any_hit)
clash = _plain(_graze.clash)
clearances = _plain(_graze.clearances)
closest = _plain(_graze.closest)
closest_points = _plain(_graze.closest_points)
collide = _plain(_graze.collide)
collide_within = _plain(_graze.collide_within)
contact_geometry = _plain(_graze.contact_geometry)
contact_points = _plain(_graze.contact_points)
contains = _plain(_graze.contains)
distance = _plain(_graze.distance)
inside_depth = _plain(_graze.inside_depth)
intersection_curves = _plain(_graze.intersection_curves)
intersects = _plain(_graze.intersects)
nearest_hit = _plain(_graze.nearest_hit)
overlap = _plain(_graze.overlap)
overlapping = _plain(_graze.overlapping)
penetration = _plain(_graze.penetration)
pose = _plain(_graze.pose)
read = _plain(_graze.read)
relation = _plain(_graze.relation)
relative = _plain(_graze.relative)
self_contacts = _plain(_graze.self_contacts)
self_intersects = _plain(_graze.self_intersects)
side_of = _plain(_graze.side_of)
signed_distance = _plain(_graze.signed_distance)
touching_within = _plain(_graze.touching_within)
visible = _plain(_graze.visible)
within = _plain(_graze.within)

__all__ = ["AllHits", "Box", "Clash", "Clashes", "Closest", "ClosestPoints", "ContactGeometry", "Contacts", "Curve",
           "Fault", "Front", "Hull", "Model", "Overlap", "Overlaps", "Part", "Parts", "Penetration", "RayHit", "RayHits",
           "Refit", "Robot", "RobotAnswers", "Scene", "Side", "Slab", "Solid", "TouchingPairs", "__version__", "all_hits",
           "any_hit", "clash", "clearances", "closest", "closest_points", "collide", "collide_within", "contact_geometry",
           "contact_points", "contains", "distance", "inside_depth", "intersection_curves", "intersects", "nearest_hit",
           "overlap", "overlapping", "penetration", "pose", "read", "relation", "relative", "self_contacts",
           "self_intersects", "shapes", "side_of", "signed_distance", "touching_within", "visible", "within"]

for _type in (Box, Clashes, Front, Hull, Model, Part, Parts, Robot, RobotAnswers, Scene, Slab, Solid):
    _type.__module__ = "graze"
del _type
_results.add()
