// SPDX-License-Identifier: Apache-2.0
// Counts the contacts of two unit cubes, the second moved along x by the number given as the argument.
#include <cstdio>
#include <cstdlib>
#include <graze/graze.hpp>
#include <vector>

int main(int argc, char** argv) {
    const double step = argc > 1 ? std::atof(argv[1]) : 1;
    const std::vector<double> points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    const std::vector<std::uint32_t> triangles = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                                  1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    const auto cube = graze::Model::build(graze::SoupView(points, triangles));
    const auto aside = graze::Pose::from_translation({step, 0, 0});
    if (!cube || !aside) {
        std::fprintf(stderr, "consumer: %s\n", (cube ? aside.fault() : cube.fault()).message.c_str());
        return 2;
    }
    const std::vector<graze::Contact> contacts = graze::collide(*cube, *cube, *aside);
    std::printf("%zu contacts\n", contacts.size());
    return contacts.empty() ? 0 : 1;
}
