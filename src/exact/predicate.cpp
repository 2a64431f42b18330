// SPDX-License-Identifier: Apache-2.0
#include "exact/predicate.hpp"

#include "base/float_environment.hpp"
#include "exact/triangle_meeting.hpp"

namespace graze {
namespace detail {

bool meet(const Triangle& s, const Triangle& t, bool& used_exact) {
    return triangle_cases::decide(s, t, 0, used_exact) != Meeting::Apart;
}

}  // namespace detail

bool meet(const Triangle& s, const Triangle& t) {
    const detail::DefaultFloats floats;
    bool used_exact = false;
    return detail::meet(s, t, used_exact);
}

Meeting meeting(const Triangle& s, const Triangle& t) {
    const detail::DefaultFloats floats;
    bool used_exact = false;
    return detail::triangle_cases::decide(s, t, 1, used_exact);
}

}  // namespace graze
