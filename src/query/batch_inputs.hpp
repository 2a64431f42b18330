// SPDX-License-Identifier: Apache-2.0
// Shared by batches of placements and batches of rays: inputs that may be faults, answers in the caller's memory, and
// lists of findings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/batch_loop.hpp"
#include "base/first_fault.hpp"
#include "base/float_environment.hpp"
#include "graze/query.hpp"

namespace graze::detail {

/// Calls `f(lane, i, input)` for each input of `inputs`, which has a size and whose elements are `Result`s. Returns
/// false when `progress` stopped it. A fault is that of the first invalid input: "placement 7: …" with "placement" as
/// `what`.
template <class Inputs, class Lane, class F>
Result<bool> for_each_input(const Inputs& inputs, const char* what, unsigned threads,
                            const std::function<Step(std::size_t)>& progress, Lanes<Lane>& lanes, F&& f) {
    FirstFault faults;
    const bool all =
        run_pieces(inputs.size(), threads, progress, lanes, [&](Lane& lane, std::size_t first, std::size_t last) {
            const DefaultFloats floats;
            for (std::size_t i = first; i < last && i < faults.at(); ++i) {
                const auto input = inputs[i];
                if (input.ok())
                    f(lane, i, *input);
                else
                    faults.report(i, numbered(what, i, input.fault()));
            }
        });
    if (faults.any()) return faults.fault();
    return all;
}

/// The fault of a batch whose answers do not fit. None when they do.
inline std::optional<Fault> no_room(std::size_t answers, std::size_t inputs) {
    if (answers == inputs) return std::nullopt;
    return Fault{FaultKind::OutOfRange,
                 "batch: there is room for " + std::to_string(answers) + " answers, not for " + std::to_string(inputs)};
}

/// The findings of one thread for some of the inputs, a list for each.
template <class T>
class FoundLists {
public:
    /// The list of input i begins here. Its findings are appended to `items`.
    void begin(std::size_t i) {
        if (runs_.empty() || next_ != i) runs_.push_back({i, items.size()});
        next_ = i + 1;
    }
    std::vector<T> items;

    /// Copies all findings to `all`, where the list of input i begins at offsets[i].
    void copy_to(std::vector<T>& all, const std::vector<std::size_t>& offsets) const {
        for (std::size_t k = 0; k < runs_.size(); ++k) {
            const std::size_t end = k + 1 < runs_.size() ? runs_[k + 1].begin : items.size();
            std::copy(items.data() + runs_[k].begin, items.data() + end, all.data() + offsets[runs_[k].first]);
        }
    }

private:
    /// Consecutive inputs.
    struct Run {
        std::size_t first = 0, begin = 0;  ///< index of the first input, and where its findings begin
    };
    std::vector<Run> runs_;
    std::size_t next_ = 0;  ///< the input that continues the last run
};

/// Joins the lists of all lanes, which are in their member `found`. Before, offsets[i + 1] is the length of list i;
/// afterwards list i is from offsets[i] to offsets[i + 1].
template <class Lane, class T>
void join(const Lanes<Lane>& lanes, std::vector<T>& all, std::vector<std::size_t>& offsets) {
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    all.resize(offsets.back());
    for (const auto& lane : lanes.all()) lane->found.copy_to(all, offsets);
}

}  // namespace graze::detail
