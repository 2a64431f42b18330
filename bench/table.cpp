// SPDX-License-Identifier: Apache-2.0
#include "bench/table.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace graze::bench {
namespace {

/// A field of a CSV file, in quotes where it needs them.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string number(double value, const char* format) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// Columns on a terminal that a text of UTF-8 takes.
int width(const std::string& text) {
    return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void print_padded(const std::string& text, int columns, bool left) {
    const int blank = std::max(0, columns - width(text));
    std::printf(left ? "%2$s%1$*3$s" : "%1$*3$s%2$s", "", text.c_str(), blank);
}

/// Adds a text if it is not there yet; its place.
std::size_t place_of(std::vector<std::string>& texts, const std::string& text) {
    const auto found = std::find(texts.begin(), texts.end(), text);
    if (found != texts.end()) return static_cast<std::size_t>(found - texts.begin());
    texts.push_back(text);
    return texts.size() - 1;
}

}  // namespace

void Table::add(std::string experiment, std::string row, std::string column, double value, std::string unit,
                Kind kind) {
    cells_.push_back({std::move(experiment), std::move(row), std::move(column), std::move(unit), value, kind});
}

bool Table::write(const std::string& path) const {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::perror(path.c_str());
        return false;
    }
    std::fputs("experiment,row,column,value,unit,kind\n", file);
    for (const Cell& c : cells_)
        std::fprintf(file, "%s,%s,%s,%s,%s,%s\n", field(c.experiment).c_str(), field(c.row).c_str(),
                     field(c.column).c_str(), number(c.value, "%.10g").c_str(), field(c.unit).c_str(),
                     c.kind == Kind::Count ? "count" : "time");
    const bool failed = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || failed) {
        std::perror(path.c_str());
        return false;
    }
    return true;
}

void Table::print() const {
    std::vector<std::string> experiments;
    for (const Cell& c : cells_) place_of(experiments, c.experiment);
    for (const std::string& experiment : experiments) {
        std::vector<std::string> rows, columns;
        for (const Cell& c : cells_)
            if (c.experiment == experiment)
                place_of(rows, c.row), place_of(columns, c.unit.empty() ? c.column : c.column + ", " + c.unit);
        std::vector<std::vector<std::string>> shown(rows.size(), std::vector<std::string>(columns.size()));
        for (const Cell& c : cells_)
            if (c.experiment == experiment)
                shown[place_of(rows, c.row)][place_of(columns, c.unit.empty() ? c.column : c.column + ", " + c.unit)] =
                    number(c.value, "%.4g");

        int first = 0;
        for (const std::string& row : rows) first = std::max(first, width(row));
        std::printf("\n%s\n", experiment.c_str());
        print_padded("", first, true);
        for (const std::string& column : columns) print_padded(column, width(column) + 2, false);
        std::printf("\n");
        for (std::size_t r = 0; r < rows.size(); ++r) {
            print_padded(rows[r], first, true);
            for (std::size_t c = 0; c < columns.size(); ++c) print_padded(shown[r][c], width(columns[c]) + 2, false);
            std::printf("\n");
        }
    }
}

void Progress::step(const std::string& what) {
    if (isatty(STDERR_FILENO)) {
        constexpr int length = 30;
        const int full = steps_ > 0 ? std::min(length, length * done_ / steps_) : 0;
        std::fprintf(stderr, "\r\033[K[%s%s] %d of %d: %s", std::string(static_cast<std::size_t>(full), '#').c_str(),
                     std::string(static_cast<std::size_t>(length - full), '.').c_str(), done_ + 1, steps_,
                     what.c_str());
        open_ = true;
    } else {
        std::fprintf(stderr, "%d of %d: %s\n", done_ + 1, steps_, what.c_str());
    }
    std::fflush(stderr);
    ++done_;
}

Progress::~Progress() {
    if (open_) std::fputs("\r\033[K", stderr);
}

}  // namespace graze::bench
