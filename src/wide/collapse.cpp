// SPDX-License-Identifier: Apache-2.0
#include "wide/collapse.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "base/large_pages.hpp"
#include "base/parallel.hpp"

namespace graze::detail {

namespace {

/// Numbers of boxes that a subtree may be given beside another one.
constexpr unsigned ways = node_children - 1;

}  // namespace

Collapse::Collapse(const Topology& topology, unsigned threads) : t_(topology), split_(topology.nodes.size() * ways) {
    // cost[n][k] is the least summed area of opened nodes when subtree n is represented by at most k + 1 boxes (k <
    // ways). One box means that n itself is opened later. Children come after parents, so a backward pass sees them
    // first (Ylitie, Karras and Laine 2017, section 3.1, without merging leaves).
    const auto cost = make_large<std::array<float, ways>>(t_.nodes.size());
    // shown[k] is the cost of representing n by at most k + 2 boxes without opening n as a node of its own.
    const auto finish = [&](std::size_t n, const std::array<float, ways>& shown) {
        std::array<float, ways>& own = cost[n];
        own[0] = t_.nodes[n].area + shown[ways - 1];
        for (unsigned k = 1; k < ways; ++k) own[k] = std::min(own[k - 1], shown[k - 1]);
        // A split of 0 says that one box is shown, because it costs no more than several.
        for (unsigned k = 0; k < ways - 1; ++k)
            if (own[0] <= shown[k]) split_[n * ways + k] = 0;
    };
    const auto weigh = [&](std::size_t n) {
        const TopologyNode& node = t_.nodes[n];
        if (node.child == 0) {
            cost[n].fill(0);
            return;
        }
        const auto &left = cost[node.child], &right = cost[node.child + 1];
        // A packet leaves all slots but one to the other side, which is most often a packet too.
        if (t_.nodes[node.child].child == 0) {
            for (unsigned k = 0; k < ways; ++k) split_[n * ways + k] = 1;
            finish(n, right);
            return;
        }
        if (t_.nodes[node.child + 1].child == 0) {
            for (unsigned k = 0; k < ways; ++k) split_[n * ways + k] = static_cast<std::uint8_t>(k + 1);
            finish(n, left);
            return;
        }
        std::array<float, ways> shown;
        for (unsigned k = 0; k < ways; ++k) {
            shown[k] = std::numeric_limits<float>::infinity();
            for (unsigned l = 1; l <= k + 1; ++l) {
                const float c = left[l - 1] + right[k + 1 - l];
                if (c < shown[k]) {
                    shown[k] = c;
                    split_[n * ways + k] = static_cast<std::uint8_t>(l);
                }
            }
        }
        finish(n, shown);
    };
    const std::vector<std::size_t>& runs = t_.runs;
    parallel_for(runs.size(), threads, [&](std::size_t r) {
        for (std::size_t n = r + 1 < runs.size() ? runs[r + 1] : t_.nodes.size(); n-- > runs[r];) weigh(n);
    });
    for (std::size_t n = runs.empty() ? t_.nodes.size() : runs[0]; n-- > 0;) weigh(n);
}

unsigned Collapse::children(std::uint32_t root, std::uint32_t out[node_children]) const {
    struct Job {
        std::uint32_t node;
        unsigned slots;
    };
    Job stack[2 * node_children];
    unsigned top = 0, n = 0;
    const std::uint32_t c = t_.nodes[root].child;
    assert(c != 0);
    const unsigned l = split_[root * ways + ways - 1];
    stack[top++] = {c + 1, node_children - l};
    stack[top++] = {c, l};
    while (top > 0) {
        const Job j = stack[--top];
        const TopologyNode& node = t_.nodes[j.node];
        const unsigned left = j.slots >= 2 && node.child != 0 ? split_[j.node * ways + j.slots - 2] : 0;
        if (left == 0) {
            out[n++] = j.node;
            continue;
        }
        stack[top++] = {node.child + 1, j.slots - left};
        stack[top++] = {node.child, left};
    }
    return n;
}

}  // namespace graze::detail
