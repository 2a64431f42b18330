// SPDX-License-Identifier: Apache-2.0
// A blade falls onto a floor: the example of docs/fronts.md.
#include <cstdio>
#include <graze/front.hpp>
#include <vector>

int main() {
    const std::vector<double> floor_points = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0};
    const std::vector<std::uint32_t> floor_triangles = {0, 1, 2, 0, 2, 3};
    const std::vector<double> blade_points = {0, 0, -1, 1, 0, -1, 0, 0, 1};
    const std::vector<std::uint32_t> blade_triangles = {0, 1, 2};
    const auto floor = graze::Model::build(graze::SoupView(floor_points, floor_triangles));
    const auto blade = graze::Model::build(graze::SoupView(blade_points, blade_triangles));
    if (!floor || !blade) return 1;

    graze::Front front;  // one per pair of models, kept from frame to frame
    for (int frame = 0; frame < 100; ++frame) {
        const auto floor_from_blade = graze::Pose::from_translation({2, 1, 2 - 0.02 * frame});
        if (!floor_from_blade) return 1;
        if (!graze::intersects(*floor, *blade, *floor_from_blade, {.front = &front})) continue;
        for (const graze::Contact& contact : graze::collide(*floor, *blade, *floor_from_blade, {.front = &front}))
            std::printf("frame %d: triangle %u of the floor\n", frame, contact.triangles.a);
        return 0;
    }
}
