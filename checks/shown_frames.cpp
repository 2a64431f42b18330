// SPDX-License-Identifier: Apache-2.0
#include "checks/shown_frames.hpp"

#include <algorithm>

namespace graze::checks {

std::vector<std::size_t> shown_frames(const std::vector<bool>& collides, std::span<const std::size_t> always,
                                      std::size_t most) {
    std::vector<bool> shown(collides.size(), collides.size() <= most);
    std::size_t count = static_cast<std::size_t>(std::ranges::count(shown, true));
    for (const std::size_t i : always) {
        count += !shown[i];
        shown[i] = true;
    }
    for (const bool kind : {true, false}) {
        std::vector<std::size_t> others;
        for (std::size_t i = 0; i < shown.size(); ++i)
            if (!shown[i] && collides[i] == kind) others.push_back(i);
        const std::size_t room = std::min(others.size(), most - std::min(most, count));
        for (std::size_t k = 0; k < room; ++k) shown[others[k * others.size() / room]] = true;
        count += room;
    }
    std::vector<std::size_t> frames;
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (shown[i]) frames.push_back(i);
    return frames;
}

}  // namespace graze::checks
