// SPDX-License-Identifier: Apache-2.0
// The readers of URDF and SRDF on any bytes.
#include "check_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    graze::fuzz::check_urdf({reinterpret_cast<const char*>(data), size});
    return 0;
}
