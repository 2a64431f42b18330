// SPDX-License-Identifier: Apache-2.0
#include "exact/dyadic.hpp"

#include <cstdlib>
#include <exception>

namespace boost {

// Boost calls this instead of throwing where exceptions are off. Only a division by zero would throw here, and no
// caller divides by zero. The symbol is weak, so a program that defines its own keeps it.
#if defined(BOOST_NO_EXCEPTIONS)
[[gnu::weak]] void throw_exception(const std::exception&) { std::abort(); }
[[gnu::weak]] void throw_exception(const std::exception&, const source_location&) { std::abort(); }
#endif

}  // namespace boost
