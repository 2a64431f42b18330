// SPDX-License-Identifier: Apache-2.0
#include "base/large_pages.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace graze::detail {

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = 4096, large = std::uintptr_t{1} << 21;
    if (bytes < 2 * large) return;
    // Only whole pages can be advised. It is no error if the system does not follow the advice.
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
    const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address is rounded to whole pages.
    (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace graze::detail
