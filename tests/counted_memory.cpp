// SPDX-License-Identifier: Apache-2.0
#include "counted_memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace graze::test {

std::atomic<long long> allocations = 0, live_blocks = 0, bytes_asked = 0;

namespace {

void* counted(std::size_t size, std::size_t alignment) {
    void* const p = alignment > alignof(std::max_align_t)
                        ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                        : std::malloc(size ? size : 1);
    if (!p) std::abort();
    ++allocations;
    ++live_blocks;
    bytes_asked += static_cast<long long>(size);
    return p;
}
void drop(void* p) noexcept {
    if (p) --live_blocks;
    std::free(p);
}

}  // namespace
}  // namespace graze::test

using graze::test::counted;
using graze::test::drop;

// Not inline: g++ would take new and free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, 1); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return counted(size, 1); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a) {
    return counted(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t a) {
    return counted(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { drop(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { drop(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { drop(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { drop(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { drop(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { drop(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { drop(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { drop(p); }
