// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace graze::bench {

/// Figures of the experiments that bench/page.py shows. Each belongs to an experiment, and to a row and a column of its
/// table. The row of a curve is the number on its axis.
class Table {
public:
    enum class Kind {
        Count,  ///< the same in every run
        Time,   ///< depends on machine and moment
    };

    void add(std::string experiment, std::string row, std::string column, double value, std::string unit, Kind kind);
    void count(const std::string& experiment, const std::string& row, const std::string& column, double value,
               const std::string& unit = "") {
        add(experiment, row, column, value, unit, Kind::Count);
    }
    void time(const std::string& experiment, const std::string& row, const std::string& column, double value,
              const std::string& unit) {
        add(experiment, row, column, value, unit, Kind::Time);
    }

    /// Writes a CSV file with the columns experiment, row, column, value, unit and kind (count or time). False after
    /// an error, which is printed.
    bool write(const std::string& path) const;
    /// Prints each experiment as a table.
    void print() const;

private:
    struct Cell {
        std::string experiment, row, column, unit;
        double value;
        Kind kind;
    };
    std::vector<Cell> cells_;
};

/// A bar on the terminal, if standard error is one. Elsewhere each step is a line.
class Progress {
public:
    explicit Progress(int steps) : steps_(steps) {}
    /// Says what begins now.
    void step(const std::string& what);
    ~Progress();

private:
    int steps_, done_ = 0;
    bool open_ = false;
};

}  // namespace graze::bench
