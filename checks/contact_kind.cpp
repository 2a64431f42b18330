// SPDX-License-Identifier: Apache-2.0
#include "contact_kind.hpp"

namespace graze::checks {

std::vector<Solid> solids_of(std::span<const Model> models) {
    std::vector<Solid> solids;
    solids.reserve(models.size());
    for (const Model& model : models) solids.emplace_back(model);
    return solids;
}

Manner manner_of(const RelationResult& found) {
    switch (found.relation) {
        case Relation::Disjoint:
        case Relation::Touching:
            break;
        case Relation::Crossing:
            return {Kind::Crossing};
        case Relation::AInsideB:
            return {Kind::Inside, Nesting::AInB};
        case Relation::BInsideA:
            return {Kind::Inside, Nesting::BInA};
        case Relation::Equal:
            return {Kind::Duplicate};
    }
    return {};
}

Manner manner_of(const Solid& a, const Solid& b, const Affine& a_from_b, std::span<const Contact> contacts) {
    return manner_of(relation_from(a, b, a_from_b, contacts));
}

Manner manner_of(const Solid& a, const Solid& b, const Affine& a_from_b) { return manner_of(relation(a, b, a_from_b)); }

}  // namespace graze::checks
