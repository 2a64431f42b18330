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

bool is_terminal(std::FILE* stream) {
#ifdef _WIN32
    return _isatty(_fileno(stream)) != 0;
#else
    return isatty(fileno(stream)) != 0;
#endif
}

std::string grouped(std::uint64_t n) {
    std::string text = std::to_string(n);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

std::string counted(std::uint64_t n, const char* what) {
    return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s");
}

std::string duration(double ms) {
    if (ms >= 1000) return fmt::format("{:.1f} s", ms * 1e-3);
    if (ms >= 1) return fmt::format("{:.1f} ms", ms);
    if (ms >= 1e-3) return fmt::format("{:.1f} µs", ms * 1e3);
    return fmt::format("{:.1f} ns", ms * 1e6);
}

ProgressBar::ProgressBar(std::size_t total, bool wanted) : total_(total), visible_(wanted && is_terminal(stderr)) {}

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

void ProgressBar::show(std::size_t done, std::size_t total) {
    total_ = total;
    show(done);
}

}  // namespace graze::apps
