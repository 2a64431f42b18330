// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graze/graze.hpp"

namespace graze::files {

/// An array of numbers from a NumPy file.
struct NpyArray {
    std::vector<std::size_t> shape;
    std::vector<double> numbers;  ///< the last index changes fastest, in whatever order the file has them
};

/// True for bytes that begin as NumPy files do.
bool starts_like_npy(std::string_view bytes);

/// Reads a file that `numpy.save` wrote: float32 or float64 of either byte order, in C or Fortran order. Other types
/// are faults, and so are files whose size is not that of their array. A fault's message begins with `name: `.
Result<NpyArray> parse_npy(std::string_view bytes, const std::string& name);

/// `(3, 4)`, as NumPy writes a shape.
std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace graze::files
