// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace graze::apps {

/// Measures milliseconds since its construction.
class Timer {
public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// 1,234,567
std::string grouped(std::uint64_t n);
/// 1 contact, 2,345 contacts
std::string counted(std::uint64_t n, const char* what);
/// 1.5 s, 20.3 ms, 4.0 µs, 12.1 ns
std::string duration(double ms);

bool is_terminal(std::FILE* stream);
/// Number of columns of the terminal that the stream goes to; nothing when it goes elsewhere.
std::optional<std::size_t> terminal_width(std::FILE* stream);

/// The text in at most `width` characters, with `…` in place of its middle.
std::string shortened(const std::string& text, std::size_t width);

/// A table with a line per row: texts to the left, then figures, which are aligned to the right. A column without any
/// entry is left out.
class Table {
public:
    Table(std::vector<std::string> texts, const std::vector<std::string>& figures);
    /// As many cells as there are columns, printable.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// The lines. When a width is given, texts are shortened so that lines fit, but to no less than a few characters.
    std::string text(std::optional<std::size_t> width) const;

private:
    std::size_t texts_;
    std::vector<std::vector<std::string>> rows_;  ///< the first has the titles
};

/// A progress bar on standard error. Shows nothing when that is not a terminal.
class ProgressBar {
public:
    explicit ProgressBar(std::size_t total, bool wanted = true);
    /// Erases the bar.
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// Cheap to call often: it draws about twenty times a second. After two seconds it says how long the rest may take.
    void show(std::size_t done);
    void show(std::size_t done, std::size_t total);

private:
    std::size_t total_;
    bool visible_;
    Timer timer_;
    double next_ms_ = 0;
};

/// Turns the first Ctrl-C into a request to stop while it lives. The second one ends the program.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    const std::atomic<bool>* requested() const;
};

}  // namespace graze::apps
