// SPDX-License-Identifier: Apache-2.0
// Bricks fall onto a floor: the example of docs/scenes.md.
#include <cstdio>
#include <graze/scene.hpp>
#include <vector>

int main() {
    const std::vector<double> floor_points = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    const std::vector<std::uint32_t> floor_triangles = {0, 1, 2, 0, 2, 3};
    const std::vector<double> brick_points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::vector<std::uint32_t> brick_triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const auto floor = graze::Model::build(graze::SoupView(floor_points, floor_triangles));
    const auto brick = graze::Model::build(graze::SoupView(brick_points, brick_triangles));
    if (!floor || !brick) return 1;

    graze::Scene scene;
    if (!scene.add(*floor, graze::Pose(), {.is_static = true})) return 1;
    std::vector<graze::ObjectId> bricks;
    for (int i = 0; i < 5; ++i) {  // all bricks share one model's memory
        const auto id = scene.add(*brick, graze::Pose(), {.user_data = static_cast<std::uint64_t>(i)});
        if (!id) return 1;
        bricks.push_back(*id);
    }
    for (int frame = 0; frame < 100; ++frame) {
        for (int i = 0; i < 5; ++i) {
            const auto placed = graze::Pose::from_translation({1.5 * i - 3, 0, 1 + i - 0.05 * frame});
            if (!placed || !scene.move(bricks[i], *placed)) return 1;
        }
        for (const graze::ObjectPair& pair : scene.update().begun)
            std::printf("frame %d: brick %u arrives, %zu contacts\n", frame, pair.b.slot,
                        scene.contacts(pair.a, pair.b)->size());
    }
}
