// SPDX-License-Identifier: Apache-2.0
// Arrays in the memory of a GPU: what CuPy, PyTorch, JAX, Numba and the like make.
#pragma once

#include "arrays.hpp"

namespace graze::python {

/// True for an array with `__cuda_array_interface__`, and for one with `__dlpack__` that is on a CUDA device.
bool on_gpu(py::handle object);

/// Whether two models meet, with placements of shape (n, 3, 4) on a GPU, used there. The answers are a NumPy array.
py::array_t<bool> intersects_on_gpu(const Model& a, const Model& b, py::handle a_from_b, const char* what);

}  // namespace graze::python
