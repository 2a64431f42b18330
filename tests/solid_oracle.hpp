// SPDX-License-Identifier: Apache-2.0
// Pairs of solids of which it is known how they lie to each other: by counting cells, or in rational arithmetic.
#pragma once

#include "solid_oracle_cells.hpp"
#include "solid_oracle_tetrahedra.hpp"

namespace graze::test {

/// The case of this number. Cases of all kinds take turns.
inline SolidCase solid_case(std::uint64_t number) {
    using namespace solid_oracle;
    Random random(number);
    switch (number % 4) {
        case 0:
            return case_of_kind<Cubes>("cubes", true, random_cubes, random);
        case 1:
            return case_of_kind<Cells>("cells", false, random_cells, random);
        case 2:
            return case_of(random_cells(random), random_cubes(random), random_placement(random, true),
                           "cells and cubes", random);
        default:
            return case_of_tetrahedra(random);
    }
}

}  // namespace graze::test
