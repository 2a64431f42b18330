// SPDX-License-Identifier: Apache-2.0
#include "contact_kind.hpp"

namespace graze::checks {

std::vector<Solid> solids_of(std::span<const Model> models) {
    std::vector<Solid> solids;
    solids.reserve(models.size());
    for (const Model& model : models) solids.emplace_back(model);
    return solids;
}

namespace {

Manner manner_of(const RelationResult& found, bool meet) {
    switch (found.relation) {
        case Relation::Disjoint:
        case Relation::Touching:
            break;
        case Relation::Crossing:
            if (meet) return {Kind::Crossing};
            return {Kind::Inside, found.a_enters_b ? Nesting::AInB : Nesting::BInA};
        case Relation::AInsideB:
            return {Kind::Inside, Nesting::AInB};
        case Relation::BInsideA:
            return {Kind::Inside, Nesting::BInA};
        case Relation::Equal:
            return {Kind::Duplicate};
    }
    return {};
}

}  // namespace

Manner manner_of(const Solid& a, const Solid& b, const Affine& a_from_b, std::span<const Contact> contacts) {
    return manner_of(relation_from(a, b, a_from_b, contacts), !contacts.empty());
}

Manner manner_of(const Solid& a, const Solid& b, const Affine& a_from_b) {
    return manner_of(relation(a, b, a_from_b), true);
}

}  // namespace graze::checks
