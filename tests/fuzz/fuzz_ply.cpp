// SPDX-License-Identifier: Apache-2.0
// The reader of PLY on any bytes.
#include "check_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    graze::fuzz::check_ply({reinterpret_cast<const char*>(data), size});
    return 0;
}
