// SPDX-License-Identifier: Apache-2.0
#include "graze/query.hpp"

#include <cmath>
#include <optional>

#include "base/float_environment.hpp"
#include "exact/decide.hpp"
#include "front/front.hpp"
#include "model/access.hpp"
#include "query/margin.hpp"
#include "wide_walk/run.hpp"

namespace graze {

Scratch::Scratch() : impl_(std::make_unique<Impl>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

namespace {

/// Reports every pair of triangles, as an infinite margin asks for.
bool report_all(const detail::Search& search) {
    const auto count_a = static_cast<std::uint32_t>(search.a.geometry.triangles.size());
    const auto count_b = static_cast<std::uint32_t>(search.b.geometry.triangles.size());
    for (std::uint32_t i = 0; i < count_a; ++i)
        for (std::uint32_t j = 0; j < count_b; ++j)
            if (search.report(i, j) == Step::Stop) return false;
    return true;
}

/// `witness` is tried first, if there is one.
bool run_search(const Model& a, const Model& b, const Affine& a_from_b, double margin, detail::Sink sink, bool first,
                const TrianglePair* witness, const QuerySettings& settings) {
    const detail::DefaultFloats floats;
    const detail::Search search{detail::Access::data(a), detail::Access::data(b), a_from_b, sink, first, margin};
    if (!std::isfinite(margin)) return report_all(search);
    std::optional<Scratch::Impl> own;
    Scratch::Impl& scratch = settings.scratch ? detail::Access::impl(*settings.scratch) : own.emplace();
    QueryStats stats;
    const bool seen = witness && detail::pair_within(search.a, search.b, a_from_b, *witness, margin, stats);
    const bool all = seen             ? false
                     : settings.front ? detail::run(search, detail::Access::impl(*settings.front), scratch, stats)
                                      : detail::run(search, scratch, stats);
    if (settings.stats) *settings.stats += stats;
    return all;
}

}  // namespace

namespace detail {

bool pair_within(const ModelData& in_a, const ModelData& in_b, const Affine& a_from_b, const TrianglePair& pair,
                 double margin, QueryStats& stats) {
    const Geometry &a = in_a.geometry, &b = in_b.geometry;
    if (pair.a >= a.triangles.size() || pair.b >= b.triangles.size()) return false;
    const Triangle t = b.triangle(pair.b);
    ++stats.triangle_tests;
    return decide(a.triangle(pair.a), {a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)}, margin, stats);
}

bool for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, double margin, ContactSink sink,
                      void* context, const QuerySettings& settings) {
    return run_search(a, b, a_from_b, margin, {nullptr, sink, context}, false, nullptr, settings);
}

bool intersects(const Model& a, const Model& b, const Affine& a_from_b, double margin,
                const IntersectSettings& settings) {
    const auto keep = [](void* witness, const Contact& contact) {
        if (witness) *static_cast<TrianglePair*>(witness) = contact.triangles;
        return Step::Stop;
    };
    return !run_search(a, b, a_from_b, margin, {nullptr, keep, settings.witness}, true,
                       settings.front ? nullptr : settings.witness,
                       {.stats = settings.stats, .scratch = settings.scratch, .front = settings.front});
}

void collide(const Model& a, const Model& b, const Affine& a_from_b, double margin, std::vector<Contact>& contacts,
             const ContactSettings& settings) {
    contacts.clear();
    Sink sink{&contacts, nullptr, nullptr};
    CountingSink counting{sink, settings.max_contacts};
    if (settings.max_contacts > 0) sink = {nullptr, CountingSink::report, &counting};
    run_search(a, b, a_from_b, margin, sink, false, nullptr,
               {.stats = settings.stats, .scratch = settings.scratch, .front = settings.front});
}

}  // namespace detail

bool intersects(const Model& a, const Model& b, const Affine& a_from_b, const IntersectSettings& settings) {
    return detail::intersects(a, b, a_from_b, 0, settings);
}

void collide(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
             const ContactSettings& settings) {
    detail::collide(a, b, a_from_b, 0, contacts, settings);
}

std::vector<Contact> collide(const Model& a, const Model& b, const Affine& a_from_b, const ContactSettings& settings) {
    std::vector<Contact> contacts;
    collide(a, b, a_from_b, contacts, settings);
    return contacts;
}

}  // namespace graze
