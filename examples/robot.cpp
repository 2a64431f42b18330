// SPDX-License-Identifier: Apache-2.0
// Bends the third joint of a robot from URDF and counts the pairs of links that collide: robot [URDF]. The example of
// docs/guides/robots.md.
#include <cstdio>
#include <graze/files/robot.hpp>

int main(int argc, char** argv) {
    const auto urdf = graze::files::read_robot(argc > 1 ? argv[1] : "arm/arm.urdf").value();
    const auto robot = graze::Robot::build(graze::files::robot_parts(urdf).value()).value();
    std::vector<double> values(robot.value_count());
    if (values.size() < 3) return 2;
    for (double& bend = values[2]; bend <= 2.5; bend += 0.5) {
        const auto pairs = robot.colliding_pairs(values).value();
        std::printf("bend %.1f: %zu pairs of links collide\n", bend, pairs.size());
    }
}
