// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace graze::detail {

/// Whether a loop's iterations compute or wait.
enum class LoopWork : std::uint8_t {
    Computes,
    Waits,  ///< for a disk or for other programs, so more threads than cores pay
};

void parallel_for_erased(std::size_t n, unsigned threads, LoopWork work, void (*f)(void*, std::size_t), void* context);

/// Calls f(i) for every i in [0, n) on up to `threads` threads (0 means one per core) and waits for all of them. The
/// calling thread works too, so everything is done even when the system refuses another thread. f must not throw.
///
/// This is the one seam to threads of the library, the command and the bindings: oneTBB, or std::thread if GRAZE_TBB is
/// off (ThreadSanitizer understands only the latter) or the work waits. A thread that waits for a loop within f takes
/// no other f meanwhile, so f may use memory that belongs to its thread.
template <class F>
void parallel_for(std::size_t n, unsigned threads, F&& f, LoopWork work = LoopWork::Computes) {
    using Fn = std::remove_reference_t<F>;
    parallel_for_erased(
        n, threads, work, [](void* c, std::size_t i) noexcept { (*static_cast<Fn*>(c))(i); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

}  // namespace graze::detail
