// SPDX-License-Identifier: Apache-2.0
#include "graze/self.hpp"

#include <optional>

#include "base/float_environment.hpp"
#include "model/access.hpp"
#include "soup/weld.hpp"
#include "wide_walk/run.hpp"

namespace graze {

namespace {

/// Passes on the contacts of triangles that are not within some rings of each other. Which triangles meet in a point is
/// only found out once there is a contact.
class RingSink {
public:
    RingSink(const detail::Geometry& geometry, std::span<const std::uint32_t> first, unsigned rings, detail::Sink inner)
        : geometry_(geometry), first_(first), rings_(rings), inner_(inner) {}

    static Step report(void* context, const Contact& contact) {
        RingSink& self = *static_cast<RingSink*>(context);
        return self.near(contact.triangles) ? Step::Continue : self.inner_.report(contact);
    }

private:
    /// Lists the triangles at each point.
    void list() {
        begin_.assign(first_.size() + 1, 0);
        for (const detail::Corners& t : geometry_.triangles)
            for (const std::uint32_t p : t) ++begin_[first_[p] + 1];
        for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
        at_.resize(3 * geometry_.triangles.size());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (std::uint32_t i = 0; i < geometry_.triangles.size(); ++i)
            for (const std::uint32_t p : geometry_.triangles[i]) at_[next[first_[p]]++] = i;
        reached_.assign(first_.size(), false);
    }

    /// Grows from the corners of a, ring by ring, and looks for a corner of b.
    bool near(const TrianglePair& pair) {
        if (begin_.empty()) list();
        points_.clear();
        add(pair.a);
        std::size_t done = 0;
        for (unsigned ring = 1; ring < rings_ && done < points_.size(); ++ring)
            for (const std::size_t end = points_.size(); done < end; ++done) {
                const std::uint32_t p = points_[done];
                for (std::size_t k = begin_[p]; k < begin_[p + 1]; ++k) add(at_[k]);
            }
        bool found = false;
        for (const std::uint32_t p : geometry_.triangles[pair.b]) found = found || reached_[first_[p]];
        for (const std::uint32_t p : points_) reached_[p] = false;
        return found;
    }
    void add(std::uint32_t triangle) {
        for (const std::uint32_t p : geometry_.triangles[triangle]) {
            if (reached_[first_[p]]) continue;
            reached_[first_[p]] = true;
            points_.push_back(first_[p]);
        }
    }

    const detail::Geometry& geometry_;
    std::span<const std::uint32_t> first_;
    unsigned rings_;
    detail::Sink inner_;
    std::vector<std::size_t> begin_;  ///< the triangles at point i: [begin_[i], begin_[i + 1])
    std::vector<std::uint32_t> at_;
    std::vector<bool> reached_;
    std::vector<std::uint32_t> points_;
};

bool run_search(const Model& model, detail::Sink sink, const SelfSettings& settings) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    std::optional<Scratch::Impl> own;
    Scratch::Impl& scratch = settings.scratch ? detail::Access::impl(*settings.scratch) : own.emplace();
    detail::first_of_equals(data.geometry.points.span(), scratch.self.first, scratch.self.slots);
    detail::CountingSink counting{sink, settings.max_contacts};
    if (settings.max_contacts > 0) sink = {nullptr, detail::CountingSink::report, &counting};
    RingSink rings(data.geometry, scratch.self.first, settings.rings, sink);
    if (settings.rings > 1) sink = {nullptr, RingSink::report, &rings};
    QueryStats stats;
    const bool all =
        detail::run(detail::SelfSearch{data, scratch.self.first, sink, settings.rings == 0}, scratch, stats);
    if (settings.stats) *settings.stats += stats;
    return all;
}

}  // namespace

bool detail::for_each_self_contact(const Model& model, ContactSink sink, void* context, const SelfSettings& settings) {
    return run_search(model, {nullptr, sink, context}, settings);
}

bool self_intersects(const Model& model, const SelfIntersectSettings& settings) {
    return !run_search(model, {nullptr, [](void*, const Contact&) { return Step::Stop; }, nullptr},
                       {.rings = settings.rings, .stats = settings.stats, .scratch = settings.scratch});
}

void self_contacts(const Model& model, std::vector<Contact>& contacts, const SelfSettings& settings) {
    contacts.clear();
    run_search(model, {&contacts, nullptr, nullptr}, settings);
}

std::vector<Contact> self_contacts(const Model& model, const SelfSettings& settings) {
    std::vector<Contact> contacts;
    self_contacts(model, contacts, settings);
    return contacts;
}

}  // namespace graze
