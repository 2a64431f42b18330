# SPDX-License-Identifier: Apache-2.0
"""The modules for users of trimesh and of python-fcl."""
import unittest

import numpy as np

import graze
import graze.fcl as fcl
from graze.trimesh import CollisionManager


class Mesh:
    """The part of a Trimesh that these modules need."""

    def __init__(self, model):
        self.vertices, self.faces = model.points, model.triangles.astype(np.int64)


def at(*translation):
    return graze.pose(translation=translation)


class Trimesh(unittest.TestCase):
    def setUp(self):
        self.box = Mesh(graze.shapes.box([1, 1, 1]))
        self.manager = CollisionManager()
        self.manager.add_object("cube0", self.box)
        self.manager.add_object("cube1", self.box, transform=at(5, 0, 0))

    def test_single(self):
        manager = self.manager
        self.assertIs(manager.in_collision_single(self.box, at(0, 2, 0)), False)
        self.assertIs(manager.in_collision_single(self.box, transform=at(1, 0, 0)), True)  # they touch
        hit, names = manager.in_collision_single(self.box, at(0.5, 0.5, 0), return_names=True)
        self.assertEqual((hit, names), (True, {"cube0"}))
        hit, names, data = manager.in_collision_single(self.box, at(0.6, 0, 0), return_names=True, return_data=True)
        self.assertEqual(data[0].names, {"cube0", "__external"})
        for contact in data:
            self.assertLess(contact.index("cube0"), 12)
            self.assertLess(contact.index("__external"), 12)
            self.assertEqual(contact.point.shape, (3,))
            self.assertAlmostEqual(np.linalg.norm(contact.normal), 1)
        self.assertAlmostEqual(min(c.depth for c in data if c.normal[0] == 1), 0.4)

    def test_internal(self):
        manager = self.manager
        self.assertEqual(manager.in_collision_internal(return_names=True, return_data=True), (False, set(), []))
        manager.set_transform("cube1", at(0, 0, 0.5))
        hit, names, data = manager.in_collision_internal(return_names=True, return_data=True)
        self.assertEqual((hit, names), (True, {("cube0", "cube1")}))
        self.assertGreater(len(data), 0)
        self.assertIs(manager.in_collision_internal(), True)
        manager.remove_object("cube1")
        self.assertIs(manager.in_collision_internal(), False)
        with self.assertRaises(ValueError):
            manager.remove_object("cube1")
        with self.assertRaises(ValueError):
            manager.set_transform("cube7", np.eye(4))

    def test_other(self):
        other = CollisionManager()
        other.add_object("ball", Mesh(graze.shapes.sphere(0.5)), at(5, 0, 0.6))
        hit, names, data = self.manager.in_collision_other(other, return_names=True, return_data=True)
        self.assertEqual((hit, names), (True, {("cube1", "ball")}))
        self.assertEqual(data[0].names, {"cube1", "ball"})
        other.set_transform("ball", at(5, 0, 3))
        self.assertIs(self.manager.in_collision_other(other), False)
        distance, names, data = self.manager.min_distance_other(other, return_names=True, return_data=True)
        self.assertEqual(names, ("cube1", "ball"))
        self.assertAlmostEqual(distance, 2)
        np.testing.assert_allclose(data.point("cube1"), [5, 0, 0.5], atol=1e-12)
        np.testing.assert_allclose(data.point("ball"), [5, 0, 2.5], atol=1e-12)

    def test_distances(self):
        manager = self.manager
        self.assertEqual(manager.min_distance_internal(return_names=True), (4.0, ("cube0", "cube1")))
        distance, name, data = manager.min_distance_single(self.box, at(3, 0, 0), return_name=True, return_data=True)
        self.assertEqual((distance, name, data.names), (1.0, "cube1", {"cube1", "__external"}))
        self.assertEqual(data.point("__external")[0], 3.5)
        self.assertEqual(manager.min_distance_single(self.box), 0.0)
        self.assertEqual(CollisionManager().min_distance_internal(), np.inf)
        scaled = np.diag([2.0, 2, 2, 1])  # lengths are those of the world
        manager.set_transform("cube0", scaled)
        self.assertEqual(manager.min_distance_internal(), 3.5)
        with self.assertRaises(TypeError):
            manager.add_object("nothing", object())
        with self.assertRaises(graze.Fault):
            manager.add_object("flat", self.box, np.zeros((4, 4)))

    def test_many_agree_with_pairs(self):
        rng = np.random.default_rng(3)
        manager, places = CollisionManager(), graze.pose(quaternion=rng.normal(size=(25, 4)),
                                                         translation=rng.uniform(0, 4, size=(25, 3)))
        model = graze.shapes.box([1, 0.7, 0.5])
        for i, place in enumerate(places):
            manager.add_object(f"{i:02}", model, place)
        meets = {(f"{i:02}", f"{j:02}") for i in range(25) for j in range(i)
                 if graze.intersects(model, model, graze.relative(places[i], places[j]))}
        _, names = manager.in_collision_internal(return_names=True)
        self.assertEqual(names, {tuple(sorted(pair)) for pair in meets})
        self.assertGreater(len(names), 3)


class Fcl(unittest.TestCase):
    def mesh(self, model):
        mesh = fcl.BVHModel()
        mesh.beginModel(model.triangle_count, model.point_count)
        mesh.addSubModel(model.points, model.triangles)
        mesh.endModel()
        return mesh

    def test_script_of_meshes(self):
        a = self.mesh(graze.shapes.box([1, 1, 1]))
        one = fcl.CollisionObject(a, fcl.Transform(np.eye(3), np.zeros(3)))
        two = fcl.CollisionObject(self.mesh(graze.shapes.box([1, 1, 1])), fcl.Transform(np.array([0.6, 0, 0])))
        request, result = fcl.CollisionRequest(num_max_contacts=100, enable_contact=True), fcl.CollisionResult()
        count = fcl.collide(one, two, request, result)
        self.assertEqual((count, result.is_collision), (len(result.contacts), True))
        self.assertGreater(count, 4)
        for contact in result.contacts:
            self.assertIs(contact.o1, a)
            self.assertTrue(0 <= contact.b1 < 12 and 0 <= contact.b2 < 12)
            self.assertEqual(contact.pos.shape, (3,))
            self.assertGreaterEqual(contact.penetration_depth, 0)
        two.setTranslation(np.array([3.0, 0, 0]))
        self.assertEqual(fcl.collide(one, two, fcl.CollisionRequest(), fcl.CollisionResult()), 0)
        result = fcl.DistanceResult()
        self.assertEqual(fcl.distance(one, two, fcl.DistanceRequest(enable_nearest_points=True), result), 2.0)
        self.assertEqual([point[0] for point in result.nearest_points], [0.5, 2.5])

    def test_transforms(self):
        tf = fcl.Transform(np.array([0.5, 0.5, 0.5, 0.5]), [1, 2, 3])
        np.testing.assert_allclose(tf.getRotation() @ [1, 0, 0], [0, 1, 0], atol=1e-15)
        np.testing.assert_allclose(tf.getQuatRotation(), [0.5] * 4, atol=1e-15)
        for q in np.random.default_rng(0).normal(size=(50, 4)):
            q /= np.linalg.norm(q)
            back = fcl.Transform(q).getQuatRotation()
            self.assertAlmostEqual(abs(float(back @ q)), 1)
        self.assertRaises(graze.Fault, fcl.Transform, np.eye(2))

    def test_primitives(self):
        floor = fcl.CollisionObject(fcl.Halfspace([0, 0, 1], 0))
        for shape, reach in ((fcl.Box(1, 1, 1), 0.5), (fcl.Sphere(1), 1), (fcl.Capsule(0.5, 1), 1), (fcl.Cone(1, 1), 0.5),
                             (fcl.Cylinder(1, 2), 1), (fcl.Ellipsoid(1, 1, 2), 2)):
            standing = fcl.CollisionObject(shape, fcl.Transform([0, 0, reach]))
            request = fcl.CollisionRequest(num_max_contacts=10, enable_contact=True)
            self.assertGreater(fcl.collide(standing, floor, request), 0)
            standing.setTranslation([0, 0, reach + 0.01])
            self.assertEqual(fcl.collide(floor, standing, request), 0)
        tetrahedron = fcl.Convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 4,
                                 [3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3])
        self.assertEqual(fcl.collide(fcl.CollisionObject(tetrahedron), fcl.CollisionObject(fcl.Plane([0, 0, 1], 0.5))), 1)
        self.assertRaises(graze.Fault, fcl.Convex, [[0, 0, 0]], 1, [3, 0, 0])
        self.assertRaises(graze.Fault, fcl.collide, floor, floor)

    def test_continuous(self):
        thin = fcl.CollisionObject(fcl.Box(0.001, 4, 4))
        fast = fcl.CollisionObject(fcl.Sphere(0.1), fcl.Transform([-50, 0, 0]))
        result = fcl.ContinuousCollisionResult()
        request = fcl.ContinuousCollisionRequest(toc_err=1e-6)
        time = fcl.continuousCollide(thin, fcl.Transform(), fast, fcl.Transform([50, 0, 0]), request, result)
        self.assertTrue(result.is_collide)
        self.assertAlmostEqual(time, (50 - 0.1005) / 100, delta=2e-6)
        fast.setTransform(fcl.Transform([-50, 5, 0]))
        self.assertEqual(fcl.continuousCollide(thin, fcl.Transform(), fast, fcl.Transform([50, 5, 0])), 1.0)

    def test_manager(self):
        objects = [fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform([2.0 * i, 0, 0])) for i in range(5)]
        manager = fcl.DynamicAABBTreeCollisionManager()
        manager.registerObjects(objects)
        manager.setup()
        data = fcl.CollisionData()
        manager.collide(data, fcl.defaultCollisionCallback)
        self.assertFalse(data.result.is_collision)
        probe = fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform([2.5, 0, 0]))
        data = fcl.CollisionData(fcl.CollisionRequest(num_max_contacts=1000, enable_contact=True))
        manager.collide(probe, data, fcl.defaultCollisionCallback)
        self.assertEqual({id(contact.o1) for contact in data.result.contacts}, {id(objects[1].collision_geometry)})
        distances = fcl.DistanceData()
        manager.distance(distances, fcl.defaultDistanceCallback)
        self.assertEqual(distances.result.min_distance, 1.0)
        manager.unregisterObject(objects[0])
        self.assertEqual((manager.size(), manager.empty()), (4, False))


if __name__ == "__main__":
    unittest.main()
