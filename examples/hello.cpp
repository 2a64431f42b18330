// SPDX-License-Identifier: Apache-2.0
// Lists the pairs of triangles of two meshes that meet: the example of README.md.
#include <cstdio>
#include <graze/graze.hpp>
#include <vector>

int main() {
    // A floor of two triangles, and a blade of one triangle that cuts through it.
    const std::vector<double> floor_points = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0};
    const std::vector<std::uint32_t> floor_triangles = {0, 1, 2, 0, 2, 3};
    const std::vector<double> blade_points = {0, 0, -1, 1, 0, -1, 0, 0, 1};
    const std::vector<std::uint32_t> blade_triangles = {0, 1, 2};

    const auto floor = graze::Model::build(graze::SoupView(floor_points, floor_triangles));
    const auto blade = graze::Model::build(graze::SoupView(blade_points, blade_triangles));
    const auto floor_from_blade = graze::Pose::from_translation({2, 1, 0});
    if (!floor || !blade || !floor_from_blade) return 1;

    for (const graze::Contact& contact : graze::collide(*floor, *blade, *floor_from_blade))
        std::printf("triangle %u of the floor meets triangle %u of the blade\n", contact.triangles.a,
                    contact.triangles.b);
}
