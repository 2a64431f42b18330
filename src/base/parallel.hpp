// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace graze::detail {

/// The one seam to threads: oneTBB, or std::thread if GRAZE_TBB is off (ThreadSanitizer understands only the latter).
///
/// Calls f(i) for every i in [0, n) on up to `threads` threads (0 means all of the machine's) and waits.
void parallel_for_erased(std::size_t n, unsigned threads, void (*f)(void*, std::size_t), void* context);

template <class F>
void parallel_for(std::size_t n, unsigned threads, F&& f) {
    using Fn = std::remove_reference_t<F>;
    parallel_for_erased(
        n, threads, [](void* c, std::size_t i) { (*static_cast<Fn*>(c))(i); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

}  // namespace graze::detail
