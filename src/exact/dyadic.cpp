// SPDX-License-Identifier: Apache-2.0
#include "exact/dyadic.hpp"

#include <cstdlib>
#include <exception>

namespace boost {

// What Boost calls in place of a throw where exceptions are off. It would be a division by zero, which no caller does.
// Weak: a program that has its own keeps it.
#if defined(BOOST_NO_EXCEPTIONS)
[[gnu::weak]] void throw_exception(const std::exception&) { std::abort(); }
[[gnu::weak]] void throw_exception(const std::exception&, const source_location&) { std::abort(); }
#endif

}  // namespace boost
