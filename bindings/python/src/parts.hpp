// SPDX-License-Identifier: Apache-2.0
// One function per file, which adds its part to the module.
#pragma once

#include "arrays.hpp"

namespace graze::python {

/// A front that Python holds.
struct PyFront {
    Front front;
    bool in_use = false;
};

void add_model(py::module_& m);
void add_shapes(py::module_& m);
void add_queries(py::module_& m);
void add_rays_and_regions(py::module_& m);
void add_scene(py::module_& m);
void add_solid(py::module_& m);
void add_clash(py::module_& m);
void add_robot(py::module_& m);

}  // namespace graze::python
