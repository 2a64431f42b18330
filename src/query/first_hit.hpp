// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>

#include "base/batch_loop.hpp"
#include "base/first_fault.hpp"
#include "graze/batch.hpp"

namespace graze::detail {

/// Index of the input that is visited at this time. Some times have none: their index is `n` or more.
inline std::size_t visited(std::size_t time, std::size_t n, PoseOrder order) {
    if (order == PoseOrder::Given) return time;
    // The bits of the time in reverse, counted from the end of the list.
    std::size_t reversed = 0;
    for (std::size_t span = std::bit_ceil(n) >> 1; span > 0; span >>= 1, time >>= 1) reversed |= time & 1 ? span : 0;
    return reversed < n ? n - 1 - reversed : n;
}

/// The first of n inputs, in an order of visits, for which `hits(lane, i)` is true; nothing when there is none or when
/// `progress` stopped the batch. A fault of `hits` counts if it comes before the first hit.
template <class Lane, class F>
Result<std::optional<std::size_t>> first_hit(std::size_t n, PoseOrder order, unsigned threads,
                                             const std::function<Step(std::size_t)>& progress, Lanes<Lane>& lanes,
                                             F&& hits) {
    const std::size_t times = order == PoseOrder::Given || n == 0 ? n : std::bit_ceil(n);
    std::atomic<std::size_t> first{times};  // the earliest time of a hit that is known
    FirstFault faults;
    const auto tell = [&](std::size_t done) {
        if (std::min<std::size_t>(first, faults.at()) < done) return Step::Stop;
        return progress ? progress(std::min(done, n)) : Step::Continue;
    };
    run_pieces(times, threads, tell, lanes, [&](Lane& lane, std::size_t begin, std::size_t end) {
        for (std::size_t time = begin; time < std::min<std::size_t>({end, first, faults.at()}); ++time) {
            const std::size_t i = visited(time, n, order);
            if (i >= n) continue;
            const Result<bool> hit = hits(lane, i);
            if (!hit.ok())
                faults.report(time, hit.fault());
            else if (*hit)
                for (std::size_t known = first; time < known && !first.compare_exchange_weak(known, time);) {
                }
        }
    });
    if (faults.any() && faults.at() < first) return faults.fault();
    if (first == times) return std::optional<std::size_t>();
    return std::optional(visited(first, n, order));
}

}  // namespace graze::detail
