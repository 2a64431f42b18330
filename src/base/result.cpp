// SPDX-License-Identifier: Apache-2.0
#include "graze/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace graze::detail {

void misused_result(const Fault* fault) {
    if (fault)
        std::fprintf(stderr, "graze: a fault was taken for a value: %s\n", fault->message.c_str());
    else
        std::fputs("graze: a value was taken for a fault\n", stderr);
    std::abort();
}

}  // namespace graze::detail
