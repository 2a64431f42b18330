// SPDX-License-Identifier: Apache-2.0
#include "graze/query.hpp"

#include <cassert>
#include <cmath>

#include "any_view.hpp"
#include "model_data.hpp"
#include "pair_walk.hpp"
#include "scratch.hpp"

namespace graze {

Scratch::Scratch() : impl_(std::make_unique<Impl>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

namespace {

/// Binary trees, trees of different kinds, or wide ones too different in size for float32.
bool walk_any(const Model& a, const Model& b, const Affine& a_from_b, const detail::Sink& sink, double margin,
              std::vector<detail::NodePair>& stack, QueryStats& stats) {
    const detail::ModelData &da = a.data(), &db = b.data();
    const auto found = [&](std::uint32_t i, std::uint32_t j) {
        return sink.report({{i, j}, {a.polygon_of(i), b.polygon_of(j)}});
    };
    const auto walk = [&](const auto& tree_a, const auto& tree_b) {
        return detail::walk_triangles(tree_a, da.geometry, tree_b, db.geometry, a_from_b, margin, stack, stats, found);
    };
    if (da.is_wide() || db.is_wide() || da.binary.index() != db.binary.index())
        return walk(detail::AnyView(da), detail::AnyView(db));
    return std::visit([&]<class Tree>(const Tree& tree) { return walk(tree, std::get<Tree>(db.binary)); }, da.binary);
}

bool search(const Model& a, const Model& b, const Affine& a_from_b, const detail::Sink& sink, bool first,
            const QueryOptions& options) {
    assert(options.margin >= 0 && std::isfinite(options.margin));
    const detail::ModelData &da = a.data(), &db = b.data();
    Scratch::Impl own;
    Scratch::Impl& scratch = options.scratch ? options.scratch->impl() : own;
    QueryStats stats;
    const bool fast = da.is_wide() && db.is_wide() && detail::fits_float(da.wide, db.wide, a_from_b, options.margin);
    const bool all =
        fast ? detail::wide_for_each_contact(da, db, a_from_b, sink, first, options.margin, scratch.wide, stats)
             : walk_any(a, b, a_from_b, sink, options.margin, scratch.pairs, stats);
    if (options.stats) *options.stats += stats;
    return all;
}

}  // namespace

bool detail::for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, ContactSink sink, void* context,
                              const QueryOptions& options) {
    return search(a, b, a_from_b, {nullptr, sink, context}, false, options);
}

bool intersects(const Model& a, const Model& b, const Affine& a_from_b, const QueryOptions& options) {
    return !search(a, b, a_from_b, {nullptr, [](void*, const Contact&) { return Step::Stop; }, nullptr}, true, options);
}

void collide(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
             const QueryOptions& options) {
    contacts.clear();
    search(a, b, a_from_b, {&contacts, nullptr, nullptr}, false, options);
}

std::vector<Contact> collide(const Model& a, const Model& b, const Affine& a_from_b, const QueryOptions& options) {
    std::vector<Contact> contacts;
    collide(a, b, a_from_b, contacts, options);
    return contacts;
}

namespace {

template <class Placement>
Result<Placement> relative_of(const Placement& world_from_a, const Placement& world_from_b) {
    auto a_from_world = inverse(world_from_a);
    if (!a_from_world) return a_from_world.fault();
    return compose(*a_from_world, world_from_b);
}

}  // namespace

Result<Pose> relative(const Pose& world_from_a, const Pose& world_from_b) {
    return relative_of(world_from_a, world_from_b);
}
Result<Affine> relative(const Affine& world_from_a, const Affine& world_from_b) {
    return relative_of(world_from_a, world_from_b);
}

Result<bool> intersects(const Model& a, const Affine& world_from_a, const Model& b, const Affine& world_from_b,
                        const QueryOptions& options) {
    auto a_from_b = relative(world_from_a, world_from_b);
    if (!a_from_b) return a_from_b.fault();
    return intersects(a, b, *a_from_b, options);
}

Result<std::vector<Contact>> collide(const Model& a, const Affine& world_from_a, const Model& b,
                                     const Affine& world_from_b, const QueryOptions& options) {
    auto a_from_b = relative(world_from_a, world_from_b);
    if (!a_from_b) return a_from_b.fault();
    return collide(a, b, *a_from_b, options);
}

}  // namespace graze
