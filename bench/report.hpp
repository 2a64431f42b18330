// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases.hpp"
#include "bench/harness.hpp"
#include "graze/study.hpp"

namespace graze::bench {

/// Options of the benchmark programs.
struct Options {
    Size size;
    bool peer = true, by_cpu = false;
    std::string only, json, csv;

    bool wanted(const std::string& name) const { return only.empty() || only == name; }
};
/// Nothing when the arguments are not understood, or ask for help.
std::optional<Options> parse(int argc, char** argv);

/// One line of the result. Fields that were not measured are empty.
struct Row {
    std::string scenario;
    std::string peer;  ///< the library that `peer_us` belongs to
    std::size_t queries = 0, hits = 0, checked = 0;
    double ours_us = 0, box_tests = 0, triangle_tests = 0;
    double floor = 0, aim = 0;
    std::optional<double> peer_us, ratio, value;
    std::size_t wrong = 0, peer_wrong = 0, differ = 0;
    Span total;                                        ///< time of the timed passes
    std::vector<std::pair<std::string, double>> more;  ///< other figures

    double cpu_share() const { return total.wall > 0 ? total.cpu / total.wall : 1; }
};

/// Says which rows elapsed time does not describe.
void print_disturbed(const std::vector<Row>& rows, bool by_cpu);
bool write_json(const std::vector<Row>& rows, const std::string& path);
/// Writes the file that was asked for; the program's exit status: 1 after a wrong answer.
int finish(const std::vector<Row>& rows, const Options& options);

/// To the core that GRAZE_CORE names. Not from outside: oneTBB's threads would share that core.
void pin();

/// The model, or the end of the program.
Model built(const SoupView& soup, const study::TreeSettings& settings = {.threads = 1});

/// Our side as a serious caller has it: scratch and result kept between queries.
class Ours {
public:
    Ours(Model a, Model b) : a_(std::move(a)), b_(std::move(b)) {}

    std::size_t operator()(Ask ask, const Affine& a_from_b, QueryStats* stats = nullptr) {
        const QuerySettings options{.stats = stats, .scratch = &scratch_};
        if (ask == Ask::First) return intersects(a_, b_, a_from_b, options);
        collide(a_, b_, a_from_b, contacts_, options);
        return contacts_.size();
    }
    std::vector<TrianglePair> pairs() const;

private:
    Model a_, b_;
    Scratch scratch_;
    std::vector<Contact> contacts_;
};

}  // namespace graze::bench
