// SPDX-License-Identifier: Apache-2.0
// The readers of baselines and of rules, for clash checks, on any bytes.
#include "check_baseline.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    graze::fuzz::check_baseline({reinterpret_cast<const char*>(data), size});
    return 0;
}
