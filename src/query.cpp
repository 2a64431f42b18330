// SPDX-License-Identifier: Apache-2.0
#include "graze/query.hpp"

#include <cassert>

#include "model_data.hpp"
#include "wide_walk.hpp"

namespace graze {

struct Scratch::Impl {
    detail::WideScratch wide;
};
Scratch::Scratch() : impl_(std::make_unique<Impl>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

namespace {

bool search(const Model& a, const Model& b, const Pose& a_from_b, detail::ContactSink sink, void* context, bool first,
            const QueryOptions& options) {
    assert(options.margin >= 0 && options.margin <= max_coordinate);
    detail::WideScratch own;
    QueryStats stats;
    const bool all = detail::wide_for_each_contact(a.data(), b.data(), a_from_b, sink, context, first, options.margin,
                                                   options.scratch ? options.scratch->impl().wide : own, stats);
    if (options.stats) *options.stats += stats;
    return all;
}

}  // namespace

bool detail::for_each_contact(const Model& a, const Model& b, const Pose& a_from_b, ContactSink sink, void* context,
                              const QueryOptions& options) {
    return search(a, b, a_from_b, sink, context, false, options);
}

bool intersects(const Model& a, const Model& b, const Pose& p, const QueryOptions& o) {
    return !search(a, b, p, [](void*, const Contact&) { return Step::Stop; }, nullptr, true, o);
}

void collide(const Model& a, const Model& b, const Pose& p, std::vector<Contact>& out, const QueryOptions& o) {
    out.clear();
    for_each_contact(a, b, p, [&](const Contact& c) { out.push_back(c); return Step::Continue; }, o);
}

std::vector<Contact> collide(const Model& a, const Model& b, const Pose& p, const QueryOptions& o) {
    std::vector<Contact> out;
    collide(a, b, p, out, o);
    return out;
}

Result<Pose> relative(const Pose& world_from_a, const Pose& world_from_b) {
    auto a_from_world = inverse(world_from_a);
    if (!a_from_world) return a_from_world.fault();
    return compose(*a_from_world, world_from_b);
}

Result<bool> intersects(const Model& a, const Pose& wa, const Model& b, const Pose& wb, const QueryOptions& o) {
    auto p = relative(wa, wb);
    if (!p) return p.fault();
    return intersects(a, b, *p, o);
}

Result<std::vector<Contact>> collide(const Model& a, const Pose& wa, const Model& b, const Pose& wb,
                                     const QueryOptions& o) {
    auto p = relative(wa, wb);
    if (!p) return p.fault();
    return collide(a, b, *p, o);
}

}  // namespace graze
