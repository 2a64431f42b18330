// SPDX-License-Identifier: Apache-2.0
// The reader of glTF, text or binary, on any bytes.
#include "check_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    graze::fuzz::check_gltf({reinterpret_cast<const char*>(data), size});
    return 0;
}
