// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace graze::detail {

/// Asks the system for large pages where that is possible. Page faults of small pages would take a third of the time of
/// a build of millions of triangles.
void prefer_large_pages(void* memory, std::size_t bytes);

/// Reserves room for n items.
template <class T>
void reserve_large(std::vector<T>& v, std::size_t n) {
    v.reserve(n);
    prefer_large_pages(v.data(), n * sizeof(T));
}

/// An array of items that are not initialised.
template <class T>
std::unique_ptr<T[]> make_large(std::size_t n) {
    auto p = std::make_unique_for_overwrite<T[]>(n);
    prefer_large_pages(p.get(), n * sizeof(T));
    return p;
}

}  // namespace graze::detail
