// SPDX-License-Identifier: Apache-2.0
#include "wide_walk/wide_walk.hpp"

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide_walk/wide_walk.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide_walk/wide_pair_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

/// If eager steps find no contact, there is probably none. Small batches follow, which hide the latency of one step
/// behind another, and then the search continues as one for all contacts.
template <WideKind kind>
bool search_pairs(WideQuery& q, WideScratch& scratch) {
    constexpr unsigned patience = 200;
    WideForgets policy{scratch};
    WidePairWalk<kind, WideForgets> walk(q, scratch, policy);
    walk.push_roots();
    if (q.first && !(walk.run_eagerly() && walk.template run_batches<4>(1, patience))) return false;
    return walk.template run_batches<steps_abreast>(leaves_waiting);
}

}  // namespace

bool wide_pair_search(WideQuery& q, WideScratch& scratch) {
    switch (q.kind) {
        case WideKind::Aligned:
            return search_pairs<WideKind::Aligned>(q, scratch);
        case WideKind::Affine:
            return search_pairs<WideKind::Affine>(q, scratch);
        default:
            return search_pairs<WideKind::Oriented>(q, scratch);
    }
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_pair_search);

bool wide_search(const Search& search, WideScratch& scratch, QueryStats& stats) {
    if (search.a.wide.empty() || search.b.wide.empty()) return true;
    WideQuery q;
    const bool all = q.set_up(search) > 0 || HWY_DYNAMIC_DISPATCH(wide_pair_search)(q, scratch);
    stats += q.stats;
    return all;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
