// SPDX-License-Identifier: Apache-2.0
#include "graze/query.hpp"

#include <cmath>
#include <optional>

#include "base/float_environment.hpp"
#include "exact/decide.hpp"
#include "front/front.hpp"
#include "model/access.hpp"
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

/// Whether a pair of triangles, if there is such a pair, meets or is within the margin.
bool meets(const detail::Search& search, const TrianglePair& pair, QueryStats& stats) {
    const detail::Geometry &a = search.a.geometry, &b = search.b.geometry;
    if (pair.a >= a.triangles.size() || pair.b >= b.triangles.size()) return false;
    const Triangle t = b.triangle(pair.b);
    const Affine& place = search.a_from_b;
    ++stats.triangle_tests;
    return detail::decide(a.triangle(pair.a), {place(t.a), place(t.b), place(t.c)}, search.margin, stats);
}

bool run_search(const Model& a, const Model& b, const Affine& a_from_b, detail::Sink sink, bool first,
                const QuerySettings& settings) {
    const detail::DefaultFloats floats;
    detail::CountingSink counting{sink, settings.max_contacts};
    if (settings.max_contacts > 0 && !first) sink = {nullptr, detail::CountingSink::report, &counting};
    const double margin = std::abs(settings.margin);
    const detail::Search search{detail::Access::data(a), detail::Access::data(b), a_from_b, sink, first, margin};
    if (!std::isfinite(margin)) return report_all(search);
    std::optional<Scratch::Impl> own;
    Scratch::Impl& scratch = settings.scratch ? detail::Access::impl(*settings.scratch) : own.emplace();
    QueryStats stats;
    const bool seen = first && settings.witness && !settings.front && meets(search, *settings.witness, stats);
    const bool all = seen             ? false
                     : settings.front ? detail::run(search, detail::Access::impl(*settings.front), scratch, stats)
                                      : detail::run(search, scratch, stats);
    if (settings.stats) *settings.stats += stats;
    return all;
}

}  // namespace

bool detail::for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, ContactSink sink, void* context,
                              const QuerySettings& settings) {
    return run_search(a, b, a_from_b, {nullptr, sink, context}, false, settings);
}

bool intersects(const Model& a, const Model& b, const Affine& a_from_b, const QuerySettings& settings) {
    const auto keep = [](void* witness, const Contact& contact) {
        if (witness) *static_cast<TrianglePair*>(witness) = contact.triangles;
        return Step::Stop;
    };
    return !run_search(a, b, a_from_b, {nullptr, keep, settings.witness}, true, settings);
}

void collide(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
             const QuerySettings& settings) {
    contacts.clear();
    run_search(a, b, a_from_b, {&contacts, nullptr, nullptr}, false, settings);
}

std::vector<Contact> collide(const Model& a, const Model& b, const Affine& a_from_b, const QuerySettings& settings) {
    std::vector<Contact> contacts;
    collide(a, b, a_from_b, contacts, settings);
    return contacts;
}

}  // namespace graze
