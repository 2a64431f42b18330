// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include "graze/result.hpp"

namespace graze::detail {

/// The fault of input `index` in a list of inputs: "placement 7: …".
inline Fault numbered(const char* what, std::size_t index, const Fault& fault) {
    return {fault.kind, std::string(what) + ' ' + std::to_string(index) + ": " + fault.message};
}

/// The earliest fault among those that threads report.
class FirstFault {
public:
    /// Inputs from here on need no answer.
    std::size_t at() const { return at_; }
    void report(std::size_t at, Fault fault) {
        const std::lock_guard lock(mutex_);
        if (at >= at_) return;
        at_ = at;
        fault_ = std::move(fault);
    }
    bool any() const { return fault_.has_value(); }
    const Fault& fault() const { return *fault_; }

private:
    std::mutex mutex_;
    std::atomic<std::size_t> at_{std::numeric_limits<std::size_t>::max()};
    std::optional<Fault> fault_;
};

}  // namespace graze::detail
