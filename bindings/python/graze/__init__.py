# SPDX-License-Identifier: Apache-2.0
"""Exact collision detection for triangle meshes.

>>> import numpy as np, graze
>>> floor = graze.Model([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
>>> blade = graze.Model([[0, 0, -1], [1, 0, -1], [0, 0, 1]], [[0, 1, 2]])
>>> graze.collide(floor, blade, graze.pose(translation=[2, 1, 0])).tolist()
[[0, 0]]
"""
from ._graze import (AllHits, Box, Closest, ClosestPoints, Contacts, Fault, Front, Hull, Model, Overlaps, RayHit, RayHits,
                     Refit, Scene, Slab, TouchingPairs, __version__, all_hits, any_hit, clearances, closest,
                     closest_points, collide, distance, intersects, nearest_hit, overlapping, pose, visible, within)
from . import shapes

__all__ = ["AllHits", "Box", "Closest", "ClosestPoints", "Contacts", "Fault", "Front", "Hull", "Model", "Overlaps",
           "RayHit", "RayHits", "Refit", "Scene", "Slab", "TouchingPairs", "__version__", "all_hits", "any_hit",
           "clearances", "closest", "closest_points", "collide", "distance", "intersects", "nearest_hit", "overlapping",
           "pose", "shapes", "visible", "within"]

for _type in (Box, Front, Hull, Model, Scene, Slab):
    _type.__module__ = "graze"
del _type
