// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graze/graze.hpp"
#include "scenes/soup.hpp"

namespace graze::bench {

/// How large the scenarios are made.
struct Size {
    bool quick = false;
    double scale = 1;  ///< factor on the models' triangle counts
};

/// Two models and a pool of placements of b in a's frame, all distinct.
struct Case {
    std::string name;
    scenes::Soup a, b;
    std::vector<Pose> poses;
};

enum class Ask { First, All };

/// A row of the goals in the design.
struct Scenario {
    const char* name;
    Ask ask;
    double floor, aim;  ///< goals for FCL's time over ours in the worst case; 0: no goal
    std::vector<Case> (*make)(const Size&);
    std::size_t checks, quick_checks;  ///< poses of each case compared with brute force
    bool cold = false;                 ///< other memory is read before each query, so that no cache holds the models
};

const std::vector<Scenario>& scenarios();

struct NamedSoup {
    std::string name;
    scenes::Soup soup;
};
/// The real meshes, or generated shapes where they are not at hand. Each is scaled to a ball of radius 1/2 around it.
std::vector<NamedSoup> meshes(const Size& size);

/// The model of the build and memory figures.
scenes::Soup million(const Size& size);
/// A small model in contact with it, to check the large model's answers by.
Case million_check(const Size& size);

}  // namespace graze::bench
