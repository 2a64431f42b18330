// SPDX-License-Identifier: Apache-2.0
// The loader of saved models on any bytes.
#include "check_model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    graze::fuzz::check_model_file({reinterpret_cast<const char*>(data), size});
    return 0;
}
