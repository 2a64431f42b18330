// SPDX-License-Identifier: Apache-2.0
// Prints point, normal and depth of each contact of a blade that is stuck in a floor.
#include <cstdio>
#include <graze/graze.hpp>
#include <vector>

int main() {
    const std::vector<double> floor = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0}, blade = {0, 0, -0.5, 1, 0, 1, 0, 0, 1};
    const std::vector<int> corners = {0, 1, 2, 0, 2, 3}, corner = {0, 1, 2};
    const auto a = graze::Model::build({floor, corners}), b = graze::Model::build({blade, corner});
    const auto at = graze::Pose::from_translation({2, 1, 0});
    if (!a || !b || !at) return 1;
    for (const graze::Contact& contact : graze::collide(*a, *b, *at)) {
        const auto [p, n, depth] = graze::contact_point(*a, *b, *at, contact);
        std::printf("point %g %g %g, normal %g %g %g, depth %g\n", p.x, p.y, p.z, n.x, n.y, n.z, depth);
    }
}
