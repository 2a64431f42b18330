// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <string>

#include "files/text.hpp"

#ifdef _WIN32
#include <io.h>
#else
#include <sys/ioctl.h>
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

std::optional<std::size_t> terminal_width(std::FILE* stream) {
    if (!is_terminal(stream)) return std::nullopt;
#ifndef _WIN32
    if (winsize size; ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
#endif
    return 80;
}

std::string shortened(const std::string& text, std::size_t width) {
    const std::size_t all = files::columns(text);
    if (all <= width) return text;
    const auto begin_of = [&](std::size_t character) {
        std::size_t at = 0;
        for (; character > 0; --character) at += std::max<std::size_t>(files::character(text.substr(at, 4)), 1);
        return at;
    };
    // The end of a path distinguishes it best, so it gets the larger half.
    const std::size_t left = (width - 1) / 2, right = width - 1 - left;
    return text.substr(0, begin_of(left)) + "…" + text.substr(begin_of(all - right));
}

Table::Table(std::vector<std::string> texts, const std::vector<std::string>& figures) : texts_(texts.size()) {
    texts.insert(texts.end(), figures.begin(), figures.end());
    rows_.push_back(std::move(texts));
}

std::string Table::text(std::optional<std::size_t> width) const {
    constexpr std::size_t gap = 2, least = 12;
    std::vector<std::size_t> wide(rows_[0].size());
    std::size_t all = 0;
    for (std::size_t i = 0; i < wide.size(); ++i) {
        for (std::size_t r = 1; r < rows_.size(); ++r) wide[i] = std::max(wide[i], files::columns(rows_[r][i]));
        if (wide[i] == 0) continue;
        wide[i] = std::max(wide[i], files::columns(rows_[0][i]));
        all += wide[i] + (all > 0 ? gap : 0);
    }
    // The widest text gives way first.
    for (; width && all > *width; --all) {
        const auto widest = std::max_element(wide.begin(), wide.begin() + static_cast<std::ptrdiff_t>(texts_));
        if (*widest <= least) break;
        --*widest;
    }
    std::string out;
    for (const std::vector<std::string>& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < wide.size(); ++i) {
            if (wide[i] == 0) continue;
            const std::string cell = i < texts_ ? shortened(row[i], wide[i]) : row[i];
            const std::string blanks(wide[i] - files::columns(cell), ' ');
            line += (line.empty() ? "" : std::string(gap, ' ')) + (i < texts_ ? cell + blanks : blanks + cell);
        }
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
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
    const double ms = timer_.ms();
    std::string rest;
    if (ms > 2000 && done > 0 && done < total_)
        rest = fmt::format(", about {:.0f} s left",
                           std::ceil(ms * 1e-3 * static_cast<double>(total_ - done) / static_cast<double>(done)));
    fmt::print(stderr, "\r{} {}/{}{}\x1b[K", bar, done, total_, rest);
    std::fflush(stderr);
}

void ProgressBar::show(std::size_t done, std::size_t total) {
    total_ = total;
    show(done);
}

namespace {

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int signal) {
    interrupted = true;
    std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
    interrupted = false;
    std::signal(SIGINT, on_interrupt);
}

Interrupt::~Interrupt() { std::signal(SIGINT, SIG_DFL); }

const std::atomic<bool>* Interrupt::requested() const { return &interrupted; }

}  // namespace graze::apps
