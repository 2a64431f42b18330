# SPDX-License-Identifier: Apache-2.0
"""The modules for users of trimesh and of python-fcl."""
import copy
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
        self.assertEqual([(contact.names, contact.index("cube0"), contact.index("__external")) for contact in data],
                         [({"cube0", "__external"}, -1, -1)])  # convex meshes have one contact, of solids
        self.assertAlmostEqual(data[0].depth, 0.4)
        np.testing.assert_allclose(data[0].normal, [1, 0, 0], atol=1e-12)
        self.assertAlmostEqual(data[0].point[0], 0.3)
        self.assertIs(manager.in_collision_single(Mesh(graze.shapes.sphere(0.1))), True)  # inside cube0

    def test_solids_and_surfaces(self):
        ball = Mesh(graze.shapes.sphere(0.1))
        self.manager.add_object("ball", ball)
        self.assertEqual(self.manager.in_collision_internal(return_names=True), (True, {("ball", "cube0")}))
        self.assertAlmostEqual(self.manager.min_distance_internal(name="ball"), -0.6, delta=1e-3)
        # A notch makes the box a surface: it holds nothing, and what meets it is a pair of triangles.
        points, triangles = self.box.vertices, self.box.faces
        middle = np.append(points, [[0, 0, 0.2]], axis=0)
        top = next(t for t in triangles if (points[t][:, 2] > 0).all())
        rest = [t for t in triangles.tolist() if t != top.tolist()]
        notched = graze.Model(middle, rest + [[top[i], top[(i + 1) % 3], 8] for i in range(3)])
        self.assertEqual(graze.Solid(notched).flaw, "none")
        self.manager.add_object("cube0", notched)
        self.assertIs(self.manager.in_collision_internal(), False)
        self.assertGreater(self.manager.min_distance_internal(name="ball"), 0)
        self.manager.set_transform("ball", at(0, 0, -0.45))
        hit, data = self.manager.in_collision_internal(return_data=True)
        self.assertTrue(hit and all(c.index("cube0") >= 0 and c.index("ball") == -1 for c in data))
        self.assertEqual(self.manager.min_distance_internal(), -1)
        _, touching = self.manager.in_collision_single(notched, at(0.5, 0, 0), return_data=True)
        self.assertTrue(all(c.index("__external") >= 0 for c in touching))
        self.assertEqual(self.manager.min_distance_single(notched, at(5, 0, 0)), -1)
        self.manager.remove_object("ball"), self.manager.remove_object("cube1")
        self.assertEqual(self.manager.min_distance_single(notched, at(0.5, 0, 0)), 0)

    def test_convex_up_to_the_rounding_of_floats(self):
        ball = graze.shapes.sphere(1)
        self.manager.add_object("far", graze.Model((ball.points + [5, 30, 5]).astype(np.float32), ball.triangles))
        self.assertIs(self.manager.in_collision_single(Mesh(graze.shapes.sphere(0.1)), at(5, 30, 5)), True)

    def test_deepest(self):
        # The least distance is that of the pair that overlaps most.
        for name, x in (("a", 0.8), ("b", -0.3), ("c", 0.9)):
            self.manager.add_object(name, self.box, at(x, 20, 0))
        distance, name, data = self.manager.min_distance_single(self.box, at(0, 20, 0), return_name=True, return_data=True)
        self.assertEqual(name, "b")
        self.assertAlmostEqual(distance, -0.7)
        self.assertAlmostEqual(np.linalg.norm(data.point("b") - data.point("__external")), 0.7)
        distance, names = self.manager.min_distance_internal(return_names=True)
        self.assertEqual(names, ("a", "c"))
        self.assertAlmostEqual(distance, -0.9)

    def test_solids_within_others(self):
        # The box of a shape whose own coordinates are large is larger than the shape.
        inner = graze.shapes.box([0.999, 0.5, 0.5])
        self.manager.add_object("far", graze.Model(inner.points + 1e6, inner.triangles), at(-1e6, -1e6, -1e6))
        self.assertEqual(self.manager.in_collision_internal(return_names=True), (True, {("cube0", "far")}))

    def test_least_of_solids_and_surfaces(self):
        # A solid that meets a surface has the distance -1, less than that of any two solids here.
        self.manager.set_transform("cube1", at(0.5, 0, 0))
        self.manager.add_object("ball", graze.shapes.sphere(0.1), at(20.2, 0.2, 0))
        self.manager.add_object("triangle", graze.Model([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), at(20, 0, 0))
        self.assertEqual(self.manager.min_distance_internal(return_names=True), (-1, ("ball", "triangle")))

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
        self.assertAlmostEqual(manager.min_distance_single(self.box, at(0.75, 0, 0)), -0.25)
        self.assertAlmostEqual(manager.min_distance_single(self.box), -1)
        self.assertEqual(manager.min_distance_single(self.box, at(1, 0, 0)), 0)  # they touch
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

    def put(self, shape, *translation, quaternion=None):
        return fcl.CollisionObject(shape, fcl.Transform(np.array([1.0, 0, 0, 0] if quaternion is None else quaternion),
                                                        np.array(translation or (0, 0, 0), dtype=float)))

    def signed(self, a, b, nearest=None):
        return fcl.distance(a, b, fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True), nearest)

    def test_solids(self):
        box = self.put(fcl.Box(6, 6, 6))
        for shape in (fcl.Sphere(0.5), fcl.Capsule(0.5, 1), fcl.Box(1, 1, 1), fcl.Cone(0.5, 1), fcl.Cylinder(0.5, 1),
                      fcl.Ellipsoid(0.5, 0.4, 0.3), fcl.TriangleP([0, 0, 0], [1, 0, 0], [0, 1, 0]),
                      self.mesh(graze.shapes.box([1, 1, 1]))):
            inside = self.put(shape)
            self.assertGreater(fcl.collide(inside, box), 0, type(shape).__name__)
            self.assertGreater(fcl.collide(box, inside), 0)
            self.assertEqual(fcl.distance(inside, box), -1)
        self.assertEqual(self.signed(self.put(fcl.Sphere(0.5)), box), -3.5)
        self.assertEqual(self.signed(box, self.put(fcl.Sphere(0.5), -1, 0, 0)), -2.5)
        # Meshes are surfaces: what is inside does not meet them.
        shell = self.put(self.mesh(graze.shapes.box([6, 6, 6])))
        self.assertEqual(fcl.collide(shell, self.put(fcl.Sphere(0.5))), 0)
        self.assertEqual(self.signed(shell, self.put(fcl.Sphere(0.5))), 2.5)
        self.assertEqual(self.signed(shell, self.put(fcl.Sphere(0.5), 3, 0, 0)), -1)
        self.assertEqual(self.signed(shell, shell), 0)

    def test_triangles_of_a_mesh_that_meet_a_solid(self):
        mesh = self.put(self.mesh(graze.shapes.box([1, 1, 1])))
        result = fcl.CollisionResult()
        request = fcl.CollisionRequest(num_max_contacts=100, enable_contact=True)
        self.assertEqual(fcl.collide(mesh, self.put(fcl.Box(6, 6, 6)), request, result), 12)  # all of them are inside
        self.assertEqual(sorted(contact.b1 for contact in result.contacts), list(range(12)))
        result = fcl.CollisionResult()
        self.assertEqual(fcl.collide(self.put(fcl.Sphere(0.5), 0.75, 0, 0), mesh, request, result), 2)
        for contact in result.contacts:
            self.assertEqual((contact.b1, contact.penetration_depth), (-1, 0.25))
            np.testing.assert_allclose(mesh.collision_geometry.model.corners([contact.b2])[0, :, 0], 0.5)
            np.testing.assert_allclose(contact.normal, [-1, 0, 0])
            np.testing.assert_allclose(contact.pos, [0.5, 0, 0])

    def test_spheres_are_exact(self):
        rng = np.random.default_rng(7)
        for _ in range(300):
            r, s = rng.uniform(0.5, 2, 2)
            way = rng.normal(size=3)
            way /= np.linalg.norm(way)
            turn = rng.normal(size=4)
            a = self.put(fcl.Sphere(r), *rng.uniform(-9, 9, 3), quaternion=turn)
            from_ = a.getTranslation()
            b = self.put(fcl.Sphere(s), *(from_ + (r + s - 0.0005) * way), quaternion=turn[::-1])
            self.assertEqual(fcl.collide(a, b), 1)
            nearest = fcl.DistanceResult()
            self.assertAlmostEqual(self.signed(a, b, nearest), -0.0005, places=12)
            np.testing.assert_allclose(nearest.nearest_points[0], from_ + r * way, atol=1e-12)
            b.setTranslation(from_ + (r + s + 0.0005) * way)
            self.assertEqual(fcl.collide(a, b), 0)
            self.assertAlmostEqual(self.signed(a, b), 0.0005, places=12)
            # A box that the sphere overlaps with a corner, and one that it just misses.
            corner = self.put(fcl.Box(1, 1, 1))
            corner.setTranslation(from_ + np.sign(way) * 0.5 + (r - 0.0005) * way)
            self.assertEqual(fcl.collide(a, corner), 1)
            corner.setTranslation(from_ + np.sign(way) * 0.5 + (r + 0.0005) * way)
            self.assertAlmostEqual(fcl.distance(corner, a), 0.0005, places=12)

    def test_balls_that_touch_may_be_turned(self):
        rng = np.random.default_rng(12)
        for _ in range(50):
            one, other = (self.put(fcl.Sphere(1), x, 0, 0, quaternion=rng.normal(size=4)) for x in (0, 2))
            box = self.put(fcl.Box(1, 1, 1), -1.5, 0, 0)
            for a, b in ((one, other), (other, one), (one, box), (box, one)):
                self.assertEqual((fcl.collide(a, b), fcl.distance(a, b)), (1, -1))

    def test_capsules_are_exact(self):
        rng = np.random.default_rng(8)
        a = self.put(fcl.Capsule(0.25, 2))
        for angle in rng.uniform(0, np.pi, 50):
            # Axes that are 1 apart and cross when seen along y.
            b = self.put(fcl.Capsule(0.5, 2), 0, 1, 0, quaternion=[np.cos(angle / 2), 0, np.sin(angle / 2), 0])
            self.assertAlmostEqual(fcl.distance(a, b), 0.25, places=12)
            b.setTranslation([0.0, 0.7, 0])
            self.assertAlmostEqual(self.signed(a, b), -0.05, places=12)
        self.assertAlmostEqual(self.signed(a, self.put(fcl.Capsule(0.5, 2), quaternion=[0.5**0.5, 0, 0.5**0.5, 0])), -0.75)

    def test_depth_of_boxes(self):
        # Boxes are parted along a face's normal or a product of two edges (Gottschalk 1996).
        rng = np.random.default_rng(9)
        for _ in range(60):
            sides, turns = rng.uniform(0.5, 2, (2, 3)), rng.normal(size=(2, 4))
            objects = [self.put(fcl.Box(*side), *rng.uniform(-0.4, 0.4, 3), quaternion=turn)
                       for side, turn in zip(sides, turns)]
            (ra, rb), (ta, tb) = ([o.getRotation() for o in objects], [o.getTranslation() for o in objects])
            axes = [*ra.T, *rb.T, *(np.cross(u, v) for u in ra.T for v in rb.T)]
            depths = []
            for axis in (axis / np.linalg.norm(axis) for axis in axes):
                reach = sum(np.abs(axis @ r) @ side / 2 for r, side in ((ra, sides[0]), (rb, sides[1])))
                depths.append(reach - abs(axis @ (tb - ta)))
            nearest = fcl.DistanceResult()
            self.assertAlmostEqual(self.signed(*objects, nearest), -min(depths), places=9)
            points = nearest.nearest_points
            self.assertAlmostEqual(np.linalg.norm(points[1] - points[0]), min(depths), places=9)
            result = fcl.CollisionResult()
            fcl.collide(*objects, fcl.CollisionRequest(enable_contact=True), result)
            contact = result.contacts[0]
            self.assertAlmostEqual(contact.penetration_depth, min(depths), places=9)
            np.testing.assert_allclose(points[1], points[0] - min(depths) * contact.normal, atol=1e-9)
            np.testing.assert_allclose(contact.pos, (points[0] + points[1]) / 2, atol=1e-9)
            objects[1].setTranslation(tb + (min(depths) + 1e-9) * contact.normal)  # the normal points to the second
            self.assertEqual(fcl.collide(*objects), 0)

    def contact(self, a, b):
        result = fcl.CollisionResult()
        fcl.collide(a, b, fcl.CollisionRequest(num_max_contacts=100, enable_contact=True), result)
        return result.contacts[0]

    def test_normals_where_cores_touch(self):
        # A centre on a face, and axes that cross: rounding must not choose the direction.
        rng = np.random.default_rng(11)
        for _ in range(100):
            turn, place = rng.normal(size=4), rng.uniform(-9, 9, 3)
            box, capsule = (self.put(shape, *place, quaternion=turn) for shape in (fcl.Box(1, 1, 1), fcl.Capsule(0.5, 2)))
            axes = box.getRotation()
            on_face = self.put(fcl.Sphere(0.1), *(place + axes @ [*rng.uniform(-0.4, 0.4, 2), 0.5]))
            for first, second, sign in ((box, on_face, 1), (on_face, box, -1)):
                contact = self.contact(first, second)
                np.testing.assert_allclose(contact.normal, sign * axes[:, 2], atol=1e-6)
                self.assertAlmostEqual(contact.penetration_depth, 0.1, places=9)
            middle = place + axes @ [0, 0, rng.uniform(-0.3, 0.3)]
            angle = rng.uniform(0.1, 1.4)
            leaning = fcl.Transform(axes @ fcl.Transform([np.cos(angle), np.sin(angle), 0, 0]).getRotation(), middle)
            for other in (self.put(fcl.Sphere(0.1), *middle), self.put(fcl.Capsule(0.1, 1), *middle, quaternion=turn),
                          fcl.CollisionObject(fcl.Capsule(0.1, 1), leaning)):
                contact = self.contact(capsule, other)
                self.assertLess(abs(contact.normal @ axes[:, 2]), 1e-6)
                self.assertAlmostEqual(np.linalg.norm(contact.normal), 1)
                self.assertAlmostEqual(contact.penetration_depth, 0.6, places=9)
            self.assertAlmostEqual(abs(contact.normal @ axes[:, 0]), 1)

    def test_depth_in_a_notch(self):
        # The convex hull of the corners decides how deep: a ball that lies in a notch moves out of it.
        box = graze.shapes.box([1, 1, 1])
        walls = [t for t in box.triangles.tolist() if (box.points[t][:, 2] < 0).any()]
        slopes = [[i, j, 8] for i, j in ((1, 5), (5, 7), (7, 3), (3, 1))]
        faces = np.array([[3, *t] for t in walls + slopes])
        notched = self.put(fcl.Convex(np.append(box.points, [[0, 0, -0.3]], axis=0), len(faces), faces))
        self.assertEqual(fcl.collide(notched, self.put(fcl.Sphere(0.01))), 0)
        for height in (0.0, -0.1, -0.28):
            ball = self.put(fcl.Sphere(0.3), 0, 0, height)
            contact = self.contact(notched, ball)
            depth = 0.8 - abs(height)
            self.assertAlmostEqual(contact.penetration_depth, depth)
            self.assertAlmostEqual(self.signed(ball, notched), -depth)
            ball.setTranslation(ball.getTranslation() + (depth + 1e-9) * contact.normal)
            self.assertEqual(fcl.collide(notched, ball), 0)

    def test_small_shapes_far_from_the_origin(self):
        for far in (1e6, 1e9):
            for size in (1e-9, 1e-3, 1.0):
                outer, inner, mesh = (self.put(shape, far, -far, far, quaternion=[0.1, 0.2, 0.3, 0.4]) for shape in (
                    fcl.Box(1.5 * size, 1.5 * size, 1.5 * size), fcl.Box(size, size, size),
                    self.mesh(graze.shapes.box([size, size, size]))))
                self.assertAlmostEqual(self.contact(outer, inner).penetration_depth / size, 1.25)
                self.assertAlmostEqual(self.signed(outer, inner) / size, -1.25)
                self.assertAlmostEqual(self.contact(mesh, outer).penetration_depth / size, 1.25)
                self.assertEqual(fcl.collide(outer, mesh, fcl.CollisionRequest(num_max_contacts=100)), 12)

    def test_curved_shapes_are_around_the_true_ones(self):
        rng = np.random.default_rng(10)
        angle, part = rng.uniform(0, 2 * np.pi, 5000), rng.uniform(0, 1, 5000)
        around = np.stack([np.cos(angle), np.sin(angle), np.zeros(5000)], axis=1)
        up, sphere = [0, 0, 1], rng.normal(size=(5000, 3))
        sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
        cases = [(fcl.Cylinder(2, 3), 2 * around + np.outer(3 * part - 1.5, up)),
                 (fcl.Cone(2, 3), 2 * around * part[:, None] + np.outer(1.5 - 3 * part, up)),
                 (fcl.Ellipsoid(2, 1, 0.5), sphere * [2, 1, 0.5])]
        for shape, points in cases:
            solid = graze.Solid(shape.model)
            self.assertEqual(solid.flaw, "none")
            self.assertTrue(graze.contains(solid, points).all(), type(shape).__name__)
            depths = -graze.signed_distance(solid, points).distance
            self.assertTrue(0 <= depths.min() and 1e-5 < depths.max() <= 0.002, (depths.min(), depths.max()))
        fcl.chordal_error = 1e-4
        try:
            fine = fcl.Cylinder(2, 3)
        finally:
            fcl.chordal_error = None
        self.assertLess(-graze.signed_distance(fine.model, cases[0][1]).distance.min(), 1e-4)
        # Along the axes their sizes are the true ones.
        self.assertAlmostEqual(fcl.distance(self.put(fcl.Cylinder(1, 1)), self.put(fcl.Cylinder(1, 1), 3, 0, 0)), 1, places=12)
        self.assertAlmostEqual(self.signed(self.put(fcl.Cone(1, 2)), self.put(fcl.Box(2, 2, 2), 0, 0, 1.75)), -0.25, places=12)

    def test_what_is_refused(self):
        box = graze.shapes.box([1, 1, 1])
        faces = np.hstack([np.full((12, 1), 3), box.triangles]).ravel()
        self.assertEqual(fcl.Convex(box.points, 12, faces).num_faces, 12)
        with self.assertRaisesRegex(graze.Fault, "do not enclose"):
            fcl.Convex(box.points, 11, faces[4:])
        sphere = fcl.Sphere(1)
        self.assertEqual(repr(sphere), "<graze.fcl.Sphere: radius=1.0>")
        self.assertEqual(repr(fcl.Box(1, 2, 3)), "<graze.fcl.Box: side=[1.0, 2.0, 3.0]>")
        self.assertEqual(repr(fcl.TriangleP([0, 0, 0], [1, 0, 0], [0, 1, 0])), "<graze.fcl.TriangleP>")
        with self.assertRaisesRegex(AttributeError, "make another one"):
            sphere.radius = 2
        with self.assertRaises(ValueError):
            fcl.Box(1, 1, 1).side[0] = 2
        self.assertRaises(graze.Fault, fcl.Sphere, -1)
        self.assertRaises(graze.Fault, fcl.Cone, 1, 0)
        self.assertRaises(graze.Fault, fcl.Capsule, 1, -1)
        doubled = fcl.CollisionObject(sphere, fcl.Transform(2 * np.eye(3)))
        with self.assertRaisesRegex(graze.Fault, "keep their size"):
            fcl.collide(doubled, fcl.CollisionObject(sphere))
        # Rotations of a few digits are rotations, and flat shapes may be scaled.
        sloppy = fcl.CollisionObject(sphere, fcl.Transform(np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]], np.float32)))
        self.assertEqual(fcl.collide(sloppy, self.put(fcl.Sphere(1), 1.9, 0, 0)), 1)
        large = fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform(4 * np.eye(3)))
        self.assertAlmostEqual(fcl.distance(large, self.put(fcl.Sphere(1), 5, 0, 0)), 2)

    def test_what_is_given_may_change_afterwards(self):
        corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        mesh = fcl.BVHModel()
        mesh.beginModel()
        mesh.addSubModel(corners, [[0, 1, 2]])
        corners += 100
        mesh.addSubModel(corners, [[0, 1, 2]])
        mesh.endModel()
        self.assertEqual(mesh.model.bounds.tolist(), [[0, 0, 0], [101, 101, 100]])
        one, ball = fcl.CollisionObject(mesh), self.put(fcl.Sphere(0.1))
        self.assertEqual(fcl.collide(one, ball), 1)
        mesh.beginModel()
        mesh.addSubModel(corners, [[0, 1, 2]])
        mesh.endModel()
        self.assertEqual(fcl.collide(one, ball), 0)
        other = copy.copy(ball)
        other.setTranslation([100.0, 100, 100])
        self.assertEqual(ball.getTranslation().tolist(), [0, 0, 0])
        self.assertEqual((fcl.collide(one, ball), fcl.collide(one, other)), (0, 1))
        box = graze.shapes.box([1, 1, 1])
        faces = np.hstack([np.full((12, 1), 3), box.triangles]).ravel()
        self.assertEqual(fcl.Convex(box.points, 12, faces.astype(float)).num_faces, 12)
        for wrong in (faces + 0.5, np.full(48, np.nan)):
            with self.assertRaisesRegex(graze.Fault, "whole numbers"):
                fcl.Convex(box.points, 12, wrong)

    def test_continuous(self):
        thin = fcl.CollisionObject(fcl.Box(0.001, 4, 4))
        fast = fcl.CollisionObject(fcl.Sphere(0.1), fcl.Transform([-50, 0, 0]))
        result = fcl.ContinuousCollisionResult()
        request = fcl.ContinuousCollisionRequest(toc_err=1e-6)
        time = fcl.continuousCollide(thin, fcl.Transform(), fast, fcl.Transform([50, 0, 0]), request, result)
        self.assertTrue(result.is_collide)
        self.assertAlmostEqual(time, (50 - 0.1005) / 100, delta=1e-6)
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
