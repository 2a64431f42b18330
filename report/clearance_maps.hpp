// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report.hpp"
#include "shape.hpp"

namespace graze::report {

/// The clearance maps of a document, as steps of the distance per triangle that is drawn: 1 to 65,534 evenly from 0 to
/// the reach, 0 for no distance at all, and 65,535 beyond the reach.
class ClearanceMaps {
public:
    explicit ClearanceMaps(const Document& document);

    /// False when no part has a finite distance. There are no maps then.
    bool any() const { return any_; }
    double reach() const { return reach_; }

    /// Appends the map of a part, if it has one. `shape` is what is drawn of its model.
    void add(std::uint32_t part, const Shape& shape);

    /// Where the map of a part begins in `steps`.
    std::optional<std::size_t> first(std::uint32_t part) const { return first_[part]; }
    const std::vector<std::uint32_t>& steps() const { return steps_; }

private:
    const Document& d_;
    double reach_ = 0;
    bool any_ = false;
    std::vector<std::optional<std::size_t>> first_;
    std::vector<std::uint32_t> steps_;
};

/// One value per triangle of the shape, from one per triangle of the model. Where triangles were merged, it is the
/// least of the triangle's own value and of those that vanished at its corners.
std::vector<double> carried(const Model& model, const Shape& shape, std::span<const double> values);

}  // namespace graze::report
