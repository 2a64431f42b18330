// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace graze::apps {

namespace {

bool stderr_is_terminal() {
#ifdef _WIN32
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(fileno(stderr)) != 0;
#endif
}

}  // namespace

ProgressBar::ProgressBar(std::size_t total) : total_(total), visible_(stderr_is_terminal()) {}

ProgressBar::~ProgressBar() {
    if (visible_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(std::size_t done) {
    if (!visible_ || timer_.ms() < next_ms_) return;
    next_ms_ = timer_.ms() + 50;
    constexpr std::size_t width = 40;
    const std::size_t full = total_ ? width * done / total_ : width;
    std::string bar;
    for (std::size_t i = 0; i < width; ++i) bar += i < full ? "━" : "┄";
    fmt::print(stderr, "\r{} {}/{}\x1b[K", bar, done, total_);
    std::fflush(stderr);
}

}  // namespace graze::apps
