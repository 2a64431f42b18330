// SPDX-License-Identifier: Apache-2.0
// Parts as Python holds them.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "checks/parts.hpp"

namespace graze::python {

/// A model and its placement, under a name.
struct PyPart {
    std::string name;
    Model model;
    Affine placement;
    files::PartLabels labels;
    double error = 0;  ///< `checks::Part::error`
};

/// The result of `graze.read`. It is immutable.
struct PyParts {
    std::shared_ptr<const checks::Parts> parts;
    PyPart at(std::size_t i) const {
        const checks::Part& part = parts->parts[i];
        return {part.path, parts->models[part.model], part.world_from_model, part.labels, part.error};
    }
};

/// The parts of anything that has some: a PyParts, a PyPart, a dictionary from names to models, or to pairs of a model
/// and a placement, or a list of parts.
std::vector<PyPart> parts_of(py::handle object, const char* what);

/// A string. Bytes of a file's name that are not UTF-8 become lone surrogates, as in Python's own functions.
py::str text_of(const std::string& bytes);
py::list texts_of(const std::vector<std::string>& all);

}  // namespace graze::python
