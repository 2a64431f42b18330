// SPDX-License-Identifier: Apache-2.0
// One answer for one placement, arrays of answers for many.
#pragma once

#include <concepts>
#include <functional>

#include "batch.hpp"

namespace graze::python {

/// How a batch is run. A query with one placement ignores both.
struct BatchSettings {
    unsigned threads = 0;
    py::object progress = py::none();
};

/// Working memory of this thread. Queries do not allocate once it is warm.
inline Scratch& scratch() {
    thread_local Scratch all;
    return all;
}

/// Calls `f(i, placement)` for each placement of a batch. The first invalid placement is a fault.
template <class F>
void for_each_placement(const Placements& placements, const BatchSettings& batch, F&& f) {
    FirstFault faults;
    run_batch(placements.size(), batch.threads, batch.progress, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Result<Affine> placement = placements[i];
            if (placement)
                f(i, *placement);
            else
                faults.report(i, numbered("placement", i, placement.fault()));
        }
    });
    raise(faults);
}

/// `f(placement)` gives a number: one, or an array of them for a batch.
template <class F>
py::object number_for(const Placements& placements, const BatchSettings& batch, F&& f) {
    using T = std::invoke_result_t<F&, const Affine&>;
    if (!placements.batch()) {
        const Affine placement = placements.one();
        T answer;
        {
            const py::gil_scoped_release release;
            answer = f(placement);
        }
        return py::cast(answer);
    }
    py::array_t<T> out(static_cast<py::ssize_t>(placements.size()));
    T* to = out.mutable_data();
    for_each_placement(placements, batch, [&](std::size_t i, const Affine& placement) { to[i] = f(placement); });
    return out;
}

/// `f(placement, list)` appends what it finds. Returns the list, and for a batch the offsets too; otherwise None.
template <class T, class F>
std::pair<std::vector<T>, py::object> list_for(const Placements& placements, const BatchSettings& batch, F&& f) {
    if (!placements.batch()) {
        const Affine placement = placements.one();
        std::vector<T> list;
        {
            const py::gil_scoped_release release;
            f(placement, list);
        }
        return {std::move(list), py::none()};
    }
    Ragged<T> all(placements.size());
    FirstFault faults;
    run_batch(placements.size(), batch.threads, batch.progress, [&](std::size_t first, std::size_t last) {
        all.collect(first, last, [&](std::size_t i, std::vector<T>& list) {
            const Result<Affine> placement = placements[i];
            if (placement)
                f(*placement, list);
            else
                faults.report(i, numbered("placement", i, placement.fault()));
        });
    });
    raise(faults);
    std::vector<T> list = all.join();
    return {std::move(list), all.offsets()};
}

/// The result of `closest_points`. `f(point)` gives the closest point of a surface.
py::object closest_points_for(const Vectors& points, const BatchSettings& batch,
                              const std::function<ClosestPoint(const Vec3&)>& f);

}  // namespace graze::python
