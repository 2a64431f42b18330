// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graze::detail {

/// A claim that two models are far apart in some place.
struct NearClaim {
    enum class Kind : std::uint8_t {
        Pair,   ///< everything below two nodes
        StepA,  ///< some children of A's node, and B's node
        StepB,  ///< some children of B's node, and A's node
    };
    double until;  ///< the distance, plus the odometer when it was found
    std::uint32_t a, b;
    Kind kind;
    std::uint8_t lanes;  ///< the children, for a step
};

/// Where a search for a distance ended. Together its claims are about all pairs of triangles. The odometer counts the
/// motion since the first of them: a claim holds for as long as what is left of its distance exceeds the least one.
class NearFront {
public:
    double odometer = 0;
    std::size_t taken = 0;  ///< number of claims taken out in all
    double grace = 0;       ///< claims of less than the least distance plus this are not worth making

    /// Number of claims, those left by a search that goes on excluded.
    std::size_t size() const { return heap_.size(); }
    std::size_t bytes() const { return (heap_.capacity() + new_.capacity()) * sizeof(NearClaim); }
    void clear() {
        heap_.clear();
        new_.clear();
        odometer = 0;
    }
    void add(double distance, std::uint32_t a, std::uint32_t b, NearClaim::Kind kind, unsigned lanes) {
        new_.push_back({distance + odometer, a, b, kind, static_cast<std::uint8_t>(lanes)});
    }
    /// Takes out the claim that ends first, unless it is still about more than this distance.
    bool take(double distance, NearClaim& claim) {
        if (heap_.empty() || heap_.front().until - odometer > distance) return false;
        ++taken;
        claim = heap_.front();
        std::pop_heap(heap_.begin(), heap_.end(), later);
        heap_.pop_back();
        return true;
    }

    /// Ends a search: what was added counts from the next search on.
    void settle() {
        if (new_.size() > heap_.size() / 4) {
            heap_.insert(heap_.end(), new_.begin(), new_.end());
            std::make_heap(heap_.begin(), heap_.end(), later);
        } else {
            for (const NearClaim& claim : new_) {
                heap_.push_back(claim);
                std::push_heap(heap_.begin(), heap_.end(), later);
            }
        }
        new_.clear();
    }

private:
    static bool later(const NearClaim& x, const NearClaim& y) { return x.until > y.until; }

    std::vector<NearClaim> heap_, new_;
};

}  // namespace graze::detail
