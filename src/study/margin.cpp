// SPDX-License-Identifier: Apache-2.0
#include "query/margin.hpp"

#include "graze/study.hpp"

namespace graze::study {

bool within_by_contacts(const Model& a, const Model& b, const Affine& a_from_b, double margin,
                        const IntersectSettings& settings) {
    return !(margin < 0) && detail::intersects(a, b, a_from_b, margin, settings);
}

}  // namespace graze::study
