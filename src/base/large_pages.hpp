// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace graze::detail {

/// Asks the system for large pages where that is possible: a build of millions of triangles would spend
/// a third of its time on the first touch of small ones.
void prefer_large_pages(void* memory, std::size_t bytes);

/// Makes room for n items.
template <class T>
void reserve_large(std::vector<T>& v, std::size_t n) {
    v.reserve(n);
    prefer_large_pages(v.data(), n * sizeof(T));
}

/// Items that are not initialised.
template <class T>
std::unique_ptr<T[]> make_large(std::size_t n) {
    auto p = std::make_unique_for_overwrite<T[]>(n);
    prefer_large_pages(p.get(), n * sizeof(T));
    return p;
}

}  // namespace graze::detail
