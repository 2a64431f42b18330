// SPDX-License-Identifier: Apache-2.0
#include "solid/surface.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exact/perturbed.hpp"
#include "solid/winding.hpp"
#include "soup/weld.hpp"

namespace graze::detail {

namespace {

using Corners = std::array<std::uint32_t, 3>;

class Sets {
public:
    explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
    std::uint32_t find(std::uint32_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(std::uint32_t i, std::uint32_t j) { parent_[find(i)] = find(j); }

private:
    std::vector<std::uint32_t> parent_;
};

/// A triangle at an edge.
struct Page {
    std::uint64_t edge;  ///< its two points, the lower one first
    std::uint32_t triangle;
    std::uint8_t corner;  ///< the edge runs from this corner to the next
    bool forward;         ///< from the lower point to the higher
};

class Builder {
public:
    Builder(const Model& model, Surface& out) : model_(model), out_(out), triangles_(model.triangles()) {
        const std::vector<std::uint32_t> first = detail::first_of_equals(model.points());
        out.corners.reserve(triangles_.size());
        for (const Corners& c : triangles_) out.corners.push_back({first[c[0]], first[c[1]], first[c[2]]});
    }

    void run() {
        find_pages();
        find_shells();
        leave_out_copies();
        orient();
        for (const Shell& shell : out_.shells) out_.has_inside |= shell.inside;
        if (out_.has_inside) place_shells();
    }

private:
    void find_pages() {
        const std::size_t n = triangles_.size();
        out_.degenerate.resize(n);
        out_.edge_of.assign(n, {no_shell, no_shell, no_shell});
        out_.turned.assign(n, 1);
        // Pages are sorted by edge, then by triangle: those of each lower point lie together.
        std::vector<std::uint32_t> next(model_.point_count() + 1);
        for (std::uint32_t i = 0; i < n; ++i) {
            const Corners& c = out_.corners[i];
            const Triangle t = model_.triangle(i);
            // A triangle with two equal corners has an edge twice, which changes nothing.
            const bool thin = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
            out_.degenerate[i] = thin || first_sign(t.a, t.b, t.c) == 0;
            out_.degenerate_count += out_.degenerate[i];
            for (int k = 0; k < 3 && !thin; ++k) ++next[std::min(c[k], c[(k + 1) % 3]) + 1];
        }
        std::partial_sum(next.begin(), next.end(), next.begin());
        pages_.resize(next.back());
        for (std::uint32_t i = 0; i < n; ++i) {
            const Corners& c = out_.corners[i];
            if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
            for (std::uint8_t k = 0; k < 3; ++k) {
                const std::uint32_t p = c[k], q = c[(k + 1) % 3];
                const std::uint32_t at = next[std::min(p, q)]++;
                pages_[at] = {std::uint64_t{std::min(p, q)} << 32 | std::max(p, q), i, k, p < q};
            }
        }
        for (std::size_t i = 0, end = 0; i < pages_.size(); i = end) {
            while (end < pages_.size() && pages_[end].edge >> 32 == pages_[i].edge >> 32) ++end;
            std::sort(pages_.begin() + static_cast<std::ptrdiff_t>(i),
                      pages_.begin() + static_cast<std::ptrdiff_t>(end), [](const Page& x, const Page& y) {
                          return x.edge != y.edge ? x.edge < y.edge : x.triangle < y.triangle;
                      });
        }
    }

    /// Calls f(pages of one edge) for every edge.
    template <class F>
    void for_each_edge(F&& f) const {
        for (std::size_t i = 0, next = 0; i < pages_.size(); i = next) {
            while (next < pages_.size() && pages_[next].edge == pages_[i].edge) ++next;
            f(std::span<const Page>(pages_).subspan(i, next - i));
        }
    }

    void find_shells() {
        Sets sets(triangles_.size());
        for_each_edge([&](std::span<const Page> edge) {
            ++out_.edges;
            out_.open_edges += edge.size() == 1;
            out_.crowded_edges += edge.size() > 2;
            const auto number = static_cast<std::uint32_t>(out_.first_of_edge.size());
            out_.first_of_edge.push_back(no_shell);
            for (const Page& page : edge) {
                sets.join(page.triangle, edge[0].triangle);
                out_.edge_of[page.triangle][page.corner] = number;
                if (out_.first_of_edge.back() == no_shell && !out_.degenerate[page.triangle])
                    out_.first_of_edge.back() = page.triangle;
            }
        });
        std::vector<std::uint32_t> number(triangles_.size(), no_shell);
        out_.shell_of.resize(triangles_.size());
        const std::span<const Vec3> points = model_.points();
        for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
            std::uint32_t& shell = number[sets.find(i)];
            if (shell == no_shell) {
                shell = static_cast<std::uint32_t>(out_.shells.size());
                out_.shells.emplace_back();
                out_.shells.back().first = i;
                out_.shells.back().extremes.fill(triangles_[i][0]);
                out_.shells.back().at.fill(i);
            }
            Shell& s = out_.shells[shell];
            out_.shell_of[i] = shell;
            for (const std::uint32_t c : triangles_[i])
                for (int d = 0; d < 6; ++d) {
                    const double there = points[s.extremes[d]][d / 2], here = points[c][d / 2];
                    if (d % 2 == 0 ? here >= there : here <= there) continue;
                    s.extremes[d] = c;
                    s.at[d] = i;
                }
            if (!s.has_area && !out_.degenerate[i]) {
                s.has_area = true;
                s.first = i;
            }
        }
        for (Shell& shell : out_.shells) shell.closed = shell.has_area;
        bool even = true;
        for_each_edge([&](std::span<const Page> edge) {
            if (edge.size() % 2 == 0) return;
            even = false;
            out_.shells[out_.shell_of[edge[0].triangle]].closed = false;
        });
        out_.closed = even && out_.degenerate_count < triangles_.size();
    }

    /// Leaves out second copies of triangles in shells that are closed without them: some programs write each face
    /// twice, once for either side. A wall between two rooms is there twice, too, and stays so.
    void leave_out_copies() {
        if (out_.crowded_edges == 0) return;
        std::vector<std::pair<Corners, std::uint32_t>> sorted;
        for (std::uint32_t i = 0; i < out_.corners.size(); ++i) {
            Corners c = out_.corners[i];
            std::ranges::sort(c);
            if (!out_.degenerate[i]) sorted.emplace_back(c, i);
        }
        std::ranges::sort(sorted);
        std::vector<bool> copy(out_.corners.size());
        bool any = false;
        for (std::size_t i = 1; i < sorted.size(); ++i)
            if (sorted[i].first == sorted[i - 1].first) any = copy[sorted[i].second] = true;
        if (!any) return;
        std::vector<bool> open(out_.shells.size());
        for_each_edge([&](std::span<const Page> edge) {
            const auto kept = std::ranges::count_if(edge, [&](const Page& page) { return !copy[page.triangle]; });
            if (kept % 2 != 0) open[out_.shell_of[edge[0].triangle]] = true;
        });
        for (std::uint32_t i = 0; i < copy.size(); ++i) {
            const std::uint32_t shell = out_.shell_of[i];
            if (!copy[i] || open[shell]) continue;
            out_.shells[shell].closed = true;
            out_.shell_of[i] = no_shell;
        }
        std::erase_if(pages_, [&](const Page& page) { return out_.shell_of[page.triangle] == no_shell; });
        out_.first_of_edge.assign(out_.first_of_edge.size(), no_shell);
        for_each_edge([&](std::span<const Page> edge) {
            for (const Page& page : edge) {
                std::uint32_t& first = out_.first_of_edge[out_.edge_of[page.triangle][page.corner]];
                if (first == no_shell && !out_.degenerate[page.triangle]) first = page.triangle;
            }
        });
    }

    /// The shells in which some edge is not passed as often one way as the other.
    std::vector<bool> unbalanced() const {
        std::vector<bool> wrong(out_.shells.size());
        for_each_edge([&](std::span<const Page> edge) {
            int sum = 0;
            for (const Page& page : edge) sum += (page.forward ? 1 : -1) * out_.turned[page.triangle];
            if (sum != 0) wrong[out_.shell_of[edge[0].triangle]] = true;
        });
        return wrong;
    }

    /// Turns triangles over until neighbours agree, beginning with the first of each shell.
    void orient() {
        std::vector<bool> wrong = unbalanced();
        bool any = false;
        for (std::size_t s = 0; s < wrong.size(); ++s) any |= wrong[s] = wrong[s] && out_.shells[s].closed;
        if (any) {
            turn_over(wrong);
            wrong = unbalanced();
        }
        for (std::size_t s = 0; s < wrong.size(); ++s) {
            out_.shells[s].inside = out_.shells[s].closed && !wrong[s];
            out_.unorientable |= out_.shells[s].closed && wrong[s];
        }
    }

    void turn_over(const std::vector<bool>& wrong) {
        // Neighbours across edges of two triangles, and whether they disagree.
        struct Neighbour {
            std::uint32_t triangle;
            bool disagrees;
        };
        std::vector<std::array<Neighbour, 3>> neighbours(triangles_.size(), {{{no_shell}, {no_shell}, {no_shell}}});
        for_each_edge([&](std::span<const Page> edge) {
            if (edge.size() != 2) return;
            const bool disagree = edge[0].forward == edge[1].forward;
            neighbours[edge[0].triangle][edge[0].corner] = {edge[1].triangle, disagree};
            neighbours[edge[1].triangle][edge[1].corner] = {edge[0].triangle, disagree};
        });
        std::vector<bool> seen(triangles_.size());
        std::vector<std::uint32_t> stack;
        for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
            if (seen[i] || out_.shell_of[i] == no_shell || !wrong[out_.shell_of[i]]) continue;
            seen[i] = true;
            stack.push_back(i);
            while (!stack.empty()) {
                const std::uint32_t t = stack.back();
                stack.pop_back();
                for (const Neighbour& n : neighbours[t]) {
                    if (n.triangle == no_shell || seen[n.triangle]) continue;
                    seen[n.triangle] = true;
                    out_.turned[n.triangle] = static_cast<std::int8_t>(n.disagrees ? -out_.turned[t] : out_.turned[t]);
                    stack.push_back(n.triangle);
                }
            }
        }
    }

    /// Finds which way each shell faces and which shells go around it, by one ray from a point of it.
    void place_shells() {
        const Placed here(model_, model_.bounds(), out_);
        std::vector<int> faces(out_.shells.size(), 1);
        for (std::uint32_t s = 0; s < out_.shells.size(); ++s) {
            Shell& shell = out_.shells[s];
            if (!shell.has_area) continue;
            const Triangle t = model_.triangle(shell.first);
            int own = 0;
            for (const Winding& w : windings(here, ExactPoint(t, 2), -1))
                if (w.shell == s)
                    own = w.number;
                else
                    shell.around.push_back(w.shell);
            if (!shell.inside) continue;
            // The point was moved to this side of the triangle. A step from front to back adds 1.
            const bool front = -first_sign(t.a, t.b, t.c) * out_.turned[shell.first] > 0;
            const int before = front ? own : own - 1, behind = before + 1;
            faces[s] = before == 0 ? 1 : -1;
            shell.doubtful = before != 0 && behind != 0;
            // Walls of a cavity face what they enclose. A shell that is only partly within others adds to them.
            shell.sign = shell.around.size() % 2 != 0 && nested(here, s) ? -1 : 1;
        }
        for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
            const std::uint32_t s = out_.shell_of[i];
            if (s == no_shell || !out_.shells[s].inside) continue;
            if (faces[s] != out_.shells[s].sign) out_.turned[i] = static_cast<std::int8_t>(-out_.turned[i]);
            out_.misoriented += out_.turned[i] < 0;
        }
    }

    /// Whether the shell is wholly within those around it, as far as the triangles at its outermost points tell. The
    /// points themselves may touch a shell around it.
    bool nested(const Placed& here, std::uint32_t s) const {
        const Shell& shell = out_.shells[s];
        for (int d = 0; d < 6; ++d) {
            if (out_.degenerate[shell.at[d]]) continue;
            Corners c = triangles_[shell.at[d]];
            while (c[2] != shell.extremes[d]) std::ranges::rotate(c, c.begin() + 1);
            const std::span<const Vec3> p = model_.points();
            const std::vector<Winding> found = windings(here, ExactPoint({p[c[0]], p[c[1]], p[c[2]]}, 4), -1);
            for (const std::uint32_t outer : shell.around)
                if (std::ranges::find(found, outer, &Winding::shell) == found.end()) return false;
        }
        return true;
    }

    const Model& model_;
    Surface& out_;
    std::span<const Corners> triangles_;
    std::vector<Page> pages_;
};

}  // namespace

Surface::Surface(const Model& model) { Builder(model, *this).run(); }

}  // namespace graze::detail
