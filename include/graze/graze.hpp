// SPDX-License-Identifier: Apache-2.0
// graze: exact collision detection for polygon soups.
//
// A `SoupView` shows the library your points and triangles. `Model::build` copies them and builds a tree. A `Pose` or
// `Affine` places one model in the other's frame. Queries take models and placements that exist and so are valid:
// they cannot fail, and they return their answers as plain values.
//
//     math.hpp      Vec3, Mat3, Pose, Affine
//     soup.hpp      SoupView: your points and triangles
//     box.hpp       Box: a box along the axes, which may be flat or unbounded
//     model.hpp     Model: build, refit, save, load
//     query.hpp     two models: intersects, collide, for_each_contact
//     batch.hpp     two models in many placements: intersects, count_contacts, collide, first_collision;
//                   distances, nearest_hits, any_hits, all_hits
//     contact.hpp   point, normal and depth of a contact
//     self.hpp      one model: self_intersects, self_contacts, for_each_self_contact
//     distance.hpp  two models: distance, within, collide_within, clearances; the closest point of a model
//     region.hpp    a model and a box, half-space or plane: overlapping, intersects, visible
//     ray.hpp       a model and a ray: nearest_hit, any_hit, all_hits
//     front.hpp     Front: faster queries along a motion
//     scene.hpp     Scene: which of many objects touch; rays, boxes and distances asked of them
//     broad_phase.hpp   many boxes: overlapping_pairs, pairs_within
//     robot.hpp     Robot: which configurations of a robot collide, and which links
//     hull.hpp      Hull: convex hulls and their distance
//     solid.hpp     Solid: side_of, relation, overlap, intersection_curves, inside_depth, penetration
//     shapes.hpp    spheres, capsules and boxes against models, solids and each other
//     triangle.hpp  the exact predicate on two triangles
//     result.hpp    Result and Fault: what making a value can return
//     simd.hpp      simd_target: the instruction set that queries run on
//
// Three headers are not included here. graze/gpu.hpp has batches on a GPU. graze/tree.hpp looks into a model's tree.
// graze/study.hpp has what the papers compare: other trees, fits and splits.
#pragma once

#include "graze/batch.hpp"
#include "graze/box.hpp"
#include "graze/broad_phase.hpp"
#include "graze/closest.hpp"
#include "graze/contact.hpp"
#include "graze/distance.hpp"
#include "graze/front.hpp"
#include "graze/hull.hpp"
#include "graze/math.hpp"
#include "graze/model.hpp"
#include "graze/query.hpp"
#include "graze/ray.hpp"
#include "graze/region.hpp"
#include "graze/result.hpp"
#include "graze/robot.hpp"
#include "graze/scene.hpp"
#include "graze/self.hpp"
#include "graze/shapes.hpp"
#include "graze/simd.hpp"
#include "graze/solid.hpp"
#include "graze/soup.hpp"
#include "graze/triangle.hpp"
