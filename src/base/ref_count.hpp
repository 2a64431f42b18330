// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace graze::detail {

/// Counts the owners of the object that it is a member of. It starts with one owner.
///
/// std::shared_ptr cannot safely tell an owner that it is the last one: `use_count` is a relaxed read, so another
/// thread's use of the object before it let go need not have happened before what the last owner does next. Here
/// `release` is a release operation and `is_sole_owner` an acquire operation, so it has.
class RefCount {
public:
    RefCount() = default;
    /// A copy of the object is another object, with one owner.
    RefCount(const RefCount&) noexcept {}
    RefCount& operator=(const RefCount&) noexcept { return *this; }

    /// The caller already owns the object, so the new owner learns nothing from the count.
    void add_owner() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
    /// True for the last owner, who must delete the object.
    [[nodiscard]] bool release() noexcept { return owners_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
    /// When true, the caller may write to the object: all reads by former owners happened before.
    bool is_sole_owner() const noexcept { return owners_.load(std::memory_order_acquire) == 1; }

private:
    std::atomic<std::size_t> owners_{1};
};

}  // namespace graze::detail
