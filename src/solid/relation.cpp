// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/float_environment.hpp"
#include "exact/flat.hpp"
#include "exact/perturbed.hpp"
#include "graze/solid.hpp"
#include "solid/contact_books.hpp"
#include "solid/place.hpp"
#include "solid/relate.hpp"
#include "solid/round.hpp"
#include "solid/solid_data.hpp"

namespace graze {

namespace detail {
namespace {

class Relating {
public:
    Relating(const Placed& a, const Placed& b) : models_{&a, &b} {}

    /// Looks at the pairs of triangles that meet, none of which cross, and at the shells without such pairs.
    RelationResult decide(const std::vector<TrianglePair>& met) {
        for (int x = 0; x < 2; ++x) along_[x].assign(models_[x]->surface.shells.size(), false);
        if (!met.empty()) seen_ = read_books(*models_[0], *models_[1], met, along_);
        for (int x = 0; x < 2 && !seen_.complete(); ++x) add_segments(x, met);
        for (int x = 0; x < 2 && !seen_.complete(); ++x) add_shells(x, met);
        RelationResult out;
        out.relation = relation_of(!met.empty());
        out.a_enters_b = seen_.enters[0];
        out.b_enters_a = seen_.enters[1];
        for (const Placed* model : models_) out.inside_known &= model->surface.closed && !model->surface.unorientable;
        return out;
    }

private:
    Relation relation_of(bool meets) const {
        if (!seen_.common) {
            if (!meets) return Relation::Disjoint;
            return seen_.outside[0] || seen_.outside[1] ? Relation::Touching : Relation::Equal;
        }
        if (!seen_.outside[0]) return seen_.outside[1] ? Relation::AInsideB : Relation::Equal;
        return seen_.outside[1] ? Relation::Crossing : Relation::BInsideA;
    }

    /// Takes the triangles without area of shells without inside, where they meet the other model. Such a triangle is a
    /// segment, which the other model's triangles part into pieces.
    void add_segments(int x, const std::vector<TrianglePair>& met) {
        const Surface& surface = models_[x]->surface;
        if (surface.degenerate_count == 0) return;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (const TrianglePair& pair : met) {
            const auto [own, other] = x == 0 ? std::pair{pair.a, pair.b} : std::pair{pair.b, pair.a};
            const std::uint32_t shell = surface.shell_of[own];
            if (shell != no_shell && !surface.shells[shell].inside && surface.degenerate[own])
                pairs.emplace_back(own, other);
        }
        std::ranges::sort(pairs);
        for (std::size_t i = 0, end = 0; i < pairs.size() && !seen_.complete(); i = end) {
            while (end < pairs.size() && pairs[end].first == pairs[i].first) ++end;
            const Segment segment = segment_of(models_[x]->triangle(pairs[i].first));
            if (segment.point()) continue;
            std::vector<std::pair<Place, Place>> parts;
            for (std::size_t k = i; k < end; ++k) add_part(segment, models_[1 - x]->triangle(pairs[k].second), parts);
            add_pieces(x, segment, parts);
        }
    }

    /// The part of a segment in a triangle that it meets. Where the segment passes its plane, the part is a place.
    static void add_part(const Segment& s, const Triangle& t, std::vector<std::pair<Place, Place>>& parts) {
        std::pair<Place, Place> part{0.0, 1.0};
        auto& [from, to] = part;
        const auto [axis, turn] = view(t.a, t.b, t.c);
        if (turn == 0) {
            const Segment other = segment_of(t);
            if (first_sign(s.from, s.to, other.from) != 0 || first_sign(s.from, s.to, other.to) != 0) return;
            const int along = s.from.x != s.to.x ? 0 : s.from.y != s.to.y ? 1 : 2;
            const auto place = [&](const Vec3& p) {
                return Place(Dyadic(p[along]) - s.from[along], Dyadic(s.to[along]) - s.from[along]);
            };
            if (before(s.from, other.from)) from = place(other.from);
            if (before(other.to, s.to)) to = place(other.to);
        } else {
            bool used_exact = false;
            const int at_from = orient3d(t.a, t.b, t.c, s.from, used_exact);
            const int at_to = orient3d(t.a, t.b, t.c, s.to, used_exact);
            if (at_from * at_to < 0) {
                const Dyadic begin = orient3d_dyadic(t, s.from);
                from = to = Place(begin, begin - orient3d_dyadic(t, s.to));
            } else if (at_from != 0 || at_to != 0 || !clip(s.from, s.to, t, axis, turn, from, to)) {
                return;
            }
        }
        parts.push_back(std::move(part));
    }

    void add_pieces(int x, const Segment& segment, const std::vector<std::pair<Place, Place>>& parts) {
        std::vector<Place> places{0.0, 1.0};
        for (const auto& [from, to] : parts) places.insert(places.end(), {from, to});
        std::ranges::sort(places, [](const Place& u, const Place& v) { return compare(u, v) < 0; });
        for (std::size_t i = 0; i + 1 < places.size(); ++i) {
            const Place &from = places[i], &to = places[i + 1];
            if (compare(from, to) == 0) continue;
            const bool on_surface = std::ranges::any_of(parts, [&](const auto& part) {
                return compare(part.first, from) <= 0 && compare(to, part.second) <= 0;
            });
            if (on_surface) continue;
            // Some place between them has few digits.
            Dyadic low = 0.0, high = 1.0, middle = 0.5;
            for (;; middle = (low + high) * 0.5)
                if (compare({middle, 1.0}, from) <= 0)
                    low = middle;
                else if (compare(to, {middle, 1.0}) <= 0)
                    high = middle;
                else
                    break;
            const ExactPoint point(segment.from, segment.to, middle);
            const Placed& other = *models_[1 - x];
            seen_.add_sheet(x, other.surface.has_inside && total_winding(other, point, x == 0 ? -1 : 1) != 0);
        }
    }

    /// Takes the shells that do not meet the other model along a segment: each lies wholly on one side of it, but for
    /// points in which it touches.
    void add_shells(int x, const std::vector<TrianglePair>& met) {
        const Surface& surface = models_[x]->surface;
        std::vector<std::uint32_t> free(surface.shells.size());  // a triangle that does not meet the other model
        if (met.empty()) {
            for (std::uint32_t s = 0; s < free.size(); ++s) free[s] = surface.shells[s].first;
        } else {
            std::vector<bool> touched(surface.shell_of.size());
            for (const TrianglePair& pair : met) touched[x == 0 ? pair.a : pair.b] = true;
            free.assign(free.size(), no_shell);
            for (std::uint32_t i = 0; i < touched.size(); ++i)
                if (const std::uint32_t s = surface.shell_of[i]; s != no_shell && !touched[i] && free[s] == no_shell)
                    free[s] = i;
        }
        for (std::uint32_t s = 0; s < free.size() && !seen_.complete(); ++s)
            if (!along_[x][s] && (surface.shells[s].has_area || free[s] != no_shell)) add_shell(x, s, free[s]);
    }

    void add_shell(int x, std::uint32_t s, std::uint32_t free) {
        const Placed &own = *models_[x], &other = *models_[1 - x];
        const Shell& shell = own.surface.shells[s];
        const bool in_other = lies_in(own, shell, free, other, x == 0 ? -1 : 1);
        if (!shell.inside) return seen_.add_sheet(x, in_other);
        seen_.enters[x] |= in_other;
        int outer = 0;
        for (const std::uint32_t around : shell.around) outer += own.surface.shells[around].sign;
        for (const int winding : {outer, outer + shell.sign}) {
            if (shell.covered && winding == outer) continue;  // other shells tell what is outside
            const bool in_own = winding != 0;
            seen_.add(x == 0 ? in_own : in_other, x == 0 ? in_other : in_own);
        }
    }

    static bool lies_in(const Placed& own, const Shell& shell, std::uint32_t free, const Placed& other, int moves) {
        if (!other.surface.has_inside) return false;
        for (const std::uint32_t i : shell.extremes)
            if (!other.bounds.holds(own.point(i))) return false;
        if (free != no_shell) return total_winding(other, ExactPoint(own.triangle(free).a), moves) != 0;
        // Every triangle touches the other model, each in some points. One of these places is none of them.
        const Triangle t = own.triangle(shell.first);
        for (int k = 2; k < 64; ++k) {
            bool on_surface = false;
            const int winding = total_winding(other, ExactPoint(t, k), moves, &on_surface);
            if (!on_surface) return winding != 0;
        }
        return false;
    }

    const Placed* models_[2];
    Seen seen_;
    std::vector<bool> along_[2];
};

/// True when the triangle bounds nothing: one without area in a shell that has an inside.
bool bounds_nothing(SolidData& data, std::uint32_t i, const Triangle& t) {
    if (first_sign(t.a, t.b, t.c) != 0) return false;
    const Surface& surface = data.surface();
    const std::uint32_t shell = surface.shell_of[i];
    return shell == no_shell || surface.shells[shell].inside;
}

bool crosses(SolidData& a, SolidData& b, const Affine& a_from_b, const TrianglePair& pair) {
    const Triangle s = a.model.triangle(pair.a), u = b.model.triangle(pair.b);
    const Triangle t{a_from_b(u.a), a_from_b(u.b), a_from_b(u.c)};
    return meeting(s, t) == Meeting::Crossing && !bounds_nothing(a, pair.a, s) && !bounds_nothing(b, pair.b, t);
}

/// The relation of two solids with these pairs of triangles that meet, none of which cross.
RelationResult without_crossing(SolidData& a, SolidData& b, const Affine& a_from_b,
                                const std::vector<TrianglePair>& met) {
    if (met.empty() && FrameBox(a.bounds()).apart(FrameBox(b.bounds(), a_from_b))) return {};
    const Placed placed_a(a.model, a.bounds(), a.surface()), placed_b(b.model, b.bounds(), b.surface(), a_from_b);
    return Relating(placed_a, placed_b).decide(met);
}

bool empty(const SolidData& data) { return data.model.triangle_count() == 0; }

}  // namespace

Related::Related(const Solid& solid_a, const Solid& solid_b, const Affine& a_from_b, const QuerySettings& settings) {
    SolidData &data_a = SolidData::of(solid_a), &data_b = SolidData::of(solid_b);
    if (empty(data_a) || empty(data_b)) return;
    bool crossing = false;
    for (const Contact& contact : collide(data_a.model, data_b.model, a_from_b, settings)) {
        met.push_back(contact.triangles);
        crossing = crossing || crosses(data_a, data_b, a_from_b, contact.triangles);
    }
    a.emplace(data_a.model, data_a.bounds(), data_a.surface());
    b.emplace(data_b.model, data_b.bounds(), data_b.surface(), a_from_b);
    relation = crossing ? Relation::Crossing : Relating(*a, *b).decide(met).relation;
}

bool have_common_part(const Solid& a, const Solid& b, const Affine& a_from_b) {
    const Relation r = graze::relation(a, b, a_from_b).relation;
    return r != Relation::Disjoint && r != Relation::Touching;
}

double size_of(const Solid& solid) {
    const Box& box = SolidData::of(solid).bounds();
    return box.empty() ? 0 : length(box.hi() - box.lo());
}

}  // namespace detail

RelationResult relation(const Solid& a, const Solid& b, const Affine& a_from_b, const QuerySettings& settings) {
    using namespace detail;
    const DefaultFloats floats;
    SolidData &data_a = SolidData::of(a), &data_b = SolidData::of(b);
    if (empty(data_a) || empty(data_b)) return {};
    std::vector<TrianglePair> met;
    const bool all = for_each_contact(
        data_a.model, data_b.model, a_from_b,
        [&](const Contact& contact) {
            met.push_back(contact.triangles);
            return crosses(data_a, data_b, a_from_b, contact.triangles) ? Step::Stop : Step::Continue;
        },
        settings);
    return all ? without_crossing(data_a, data_b, a_from_b, met) : RelationResult{Relation::Crossing};
}

RelationResult relation_from(const Solid& a, const Solid& b, const Affine& a_from_b,
                             std::span<const Contact> contacts) {
    using namespace detail;
    const DefaultFloats floats;
    SolidData &data_a = SolidData::of(a), &data_b = SolidData::of(b);
    if (empty(data_a) || empty(data_b)) return {};
    std::vector<TrianglePair> met;
    for (const Contact& contact : contacts) {
        if (crosses(data_a, data_b, a_from_b, contact.triangles)) return {Relation::Crossing};
        met.push_back(contact.triangles);
    }
    return without_crossing(data_a, data_b, a_from_b, met);
}

const char* name(Relation relation) {
    constexpr const char* names[] = {"disjoint", "touching", "crossing", "a inside b", "b inside a", "equal"};
    return names[static_cast<int>(relation)];
}

}  // namespace graze
