// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "commands.hpp"

namespace graze::apps {

/// A bar on standard error that fills up; nothing at all when that is not a terminal.
class ProgressBar {
public:
    explicit ProgressBar(std::size_t total);
    /// Wipes the bar.
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// Cheap to call often: it draws some twenty times a second.
    void show(std::size_t done);

private:
    std::size_t total_;
    bool visible_;
    Timer timer_;
    double next_ms_ = 0;
};

}  // namespace graze::apps
