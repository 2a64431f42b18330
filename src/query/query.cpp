// SPDX-License-Identifier: Apache-2.0
#include "graze/query.hpp"

#include <cassert>
#include <cmath>

#include "base/float_environment.hpp"
#include "front/front.hpp"

namespace graze {

namespace {

bool search(const Model& a, const Model& b, const Affine& a_from_b, const detail::Sink& sink, bool first,
            const QuerySettings& options) {
    const detail::DefaultFloats floats;
    assert(options.margin >= 0 && std::isfinite(options.margin));
    Scratch::Impl own;
    Scratch::Impl& scratch = options.scratch ? options.scratch->impl() : own;
    QueryStats stats;
    const detail::Search search{a.data(), b.data(), a_from_b, sink, first, options.margin};
    const bool all = options.front ? detail::run(search, options.front->impl(), scratch, stats)
                                   : detail::run(search, scratch, stats);
    if (options.stats) *options.stats += stats;
    return all;
}

}  // namespace

bool detail::for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, ContactSink sink, void* context,
                              const QuerySettings& options) {
    return search(a, b, a_from_b, {nullptr, sink, context}, false, options);
}

bool intersects(const Model& a, const Model& b, const Affine& a_from_b, const QuerySettings& options) {
    return !search(a, b, a_from_b, {nullptr, [](void*, const Contact&) { return Step::Stop; }, nullptr}, true, options);
}

void collide(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
             const QuerySettings& options) {
    contacts.clear();
    search(a, b, a_from_b, {&contacts, nullptr, nullptr}, false, options);
}

std::vector<Contact> collide(const Model& a, const Model& b, const Affine& a_from_b, const QuerySettings& options) {
    std::vector<Contact> contacts;
    collide(a, b, a_from_b, contacts, options);
    return contacts;
}

namespace {

template <class Placement>
Result<Placement> relative_of(const Placement& world_from_a, const Placement& world_from_b) {
    const detail::DefaultFloats floats;
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
                        const QuerySettings& options) {
    auto a_from_b = relative(world_from_a, world_from_b);
    if (!a_from_b) return a_from_b.fault();
    return intersects(a, b, *a_from_b, options);
}

Result<std::vector<Contact>> collide(const Model& a, const Affine& world_from_a, const Model& b,
                                     const Affine& world_from_b, const QuerySettings& options) {
    auto a_from_b = relative(world_from_a, world_from_b);
    if (!a_from_b) return a_from_b.fault();
    return collide(a, b, *a_from_b, options);
}

}  // namespace graze
