// SPDX-License-Identifier: Apache-2.0
// Files as `numpy.save` writes them.
#pragma once

#include <string>
#include <vector>

#include "files/binary.hpp"

namespace graze::test {

/// A file of format 1.0 with any text as its header.
inline std::string npy_with_header(std::string header, const std::string& data) {
    header.resize((header.size() + 10) / 64 * 64 + 64 - 11, ' ');
    header += '\n';
    std::string out = "\x93NUMPY\x01";
    out += '\0';
    files::store(out, static_cast<std::uint16_t>(header.size()));
    return out + header + data;
}

/// The numbers as they lie in the file, of type float or double.
template <class T>
std::string npy_file(const std::string& shape, const std::vector<T>& numbers, bool fortran_order = false) {
    std::string data;
    for (const T x : numbers) files::store(data, x);
    return npy_with_header(std::string("{'descr': '<f") + (sizeof(T) == 4 ? "4" : "8") + "', 'fortran_order': " +
                               (fortran_order ? "True" : "False") + ", 'shape': " + shape + ", }",
                           data);
}

}  // namespace graze::test
