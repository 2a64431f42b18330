// SPDX-License-Identifier: Apache-2.0
// Pairs of soups with the hash of all their contacts. Python's tests use them too.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"

namespace graze::test {

/// The hash is that of the sorted contacts of 300 poses, `ties` of them ties, and changes only with a generator or a
/// fault of the predicate.
struct GoldenCase {
    const char* name;
    scenes::Soup (*a)();
    scenes::Soup (*b)();
    unsigned ties;
    std::uint64_t golden;
};

inline void PrintTo(const GoldenCase& one, std::ostream* out) { *out << one.name; }

/// The cases that take little time.
inline std::vector<GoldenCase> quick_cases() {
    using namespace scenes;
    return {
        {"Torus", [] { return torus(); }, [] { return torus(); }, 40, 0xd5ad25fdaef677b4u},
        {"IntegerGround", [] { return integer_ground(16, 2, 1); }, [] { return integer_ground(16, 2, 2); }, 150,
         0x4ccdb108da009f30u},
        {"CubeLattice", [] { return cube_lattice(4); }, [] { return cube_lattice(3); }, 150, 0x68927a60350ecff8u},
        {"RandomSoup", [] { return random_soup(600, 0.1, 1); }, [] { return random_soup(400, 0.15, 2); }, 40,
         0x03df989918a5027bu},
        {"Needles", [] { return needles(300, 1); }, [] { return needles(300, 2, 1e3); }, 40, 0x6dcbb660babf8dd6u},
        {"DegenerateMixture", [] { return degenerate_mixture(300, 1); }, [] { return degenerate_mixture(300, 1); }, 100,
         0x22d37d6b94fea740u},
        {"Boxes", [] { return box({1, 2, 4}); }, [] { return box({1, 1, 0.5}); }, 150, 0xecb6a6e1d2875483u},
    };
}

}  // namespace graze::test
