// SPDX-License-Identifier: Apache-2.0
// 32 lanes that the CPU runs one after another, so that tests of a GPU's walk need none.
#pragma once

#include <array>
#include <vector>

#include "gpu/walk.hpp"

namespace graze::gpu {

template <class Lane>
class EmulatedWarp {
public:
    /// `depth` is the sum of both trees' depths.
    explicit EmulatedWarp(unsigned depth) : stacks_(32 * depth) {
        for (std::size_t k = 0; k < 32; ++k) {
            lanes_[k].state = LaneState::Idle;
            lanes_[k].stack = stacks_.data() + depth * k;
        }
    }

    template <class F>
    void each(const F& f) {
        for (int k = 0; k < 32; ++k) f(lanes_[static_cast<std::size_t>(k)], k);
    }
    template <class F>
    std::uint32_t ballot(const F& f) const {
        std::uint32_t votes = 0;
        for (std::size_t k = 0; k < 32; ++k) votes |= static_cast<std::uint32_t>(f(lanes_[k])) << k;
        return votes;
    }
    /// A member of lane number `source`.
    template <class T>
    T from(T Lane::* member, const Lane&, int source) const {
        return lanes_[static_cast<std::size_t>(source)].*member;
    }
    std::uint32_t take(std::uint32_t* counter, std::uint32_t n) {
        *counter += n;
        return *counter - n;
    }
    /// Entry i of the stack of lane number `source`, for lane k.
    const Entry& entry_of(int source, int, int i) { return lanes_[static_cast<std::size_t>(source)].entry(i); }
    std::uint8_t* slots() { return slots_.data(); }
    void sync() {}

private:
    std::array<Lane, 32> lanes_{};
    std::array<std::uint8_t, 128> slots_{};
    std::vector<Entry> stacks_;
};

}  // namespace graze::gpu
