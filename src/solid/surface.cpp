// SPDX-License-Identifier: Apache-2.0
#include "solid/surface.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "exact/flat.hpp"
#include "exact/perturbed.hpp"
#include "solid/round.hpp"
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
        part_shells();
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
        out_.shell_of.assign(n, 0);
        // Pages are sorted by edge, then by triangle: those of each lower point lie together.
        std::vector<std::uint32_t> next(model_.point_count() + 1);
        bool any_thin = false;
        for (std::uint32_t i = 0; i < n; ++i) {
            const Corners& c = out_.corners[i];
            const Triangle t = model_.triangle(i);
            const bool is_thin = thin(c);
            any_thin |= is_thin;
            out_.degenerate[i] = is_thin || first_sign(t.a, t.b, t.c) == 0;
            out_.degenerate_count += out_.degenerate[i];
            for (int k = 0; k < 3 && !is_thin; ++k) ++next[std::min(c[k], c[(k + 1) % 3]) + 1];
        }
        std::partial_sum(next.begin(), next.end(), next.begin());
        pages_.resize(next.back());
        for (std::uint32_t i = 0; i < n; ++i) {
            const Corners& c = out_.corners[i];
            if (thin(c)) continue;
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
        if (any_thin) add_thin();
    }

    static bool thin(const Corners& c) { return c[0] == c[1] || c[1] == c[2] || c[2] == c[0]; }

    /// A triangle with equal corners has an edge twice. Where others have the edge or the point, it adds nothing.
    /// Otherwise it is a sheet of its own, with one edge or none.
    void add_thin() {
        std::vector<bool> used(model_.point_count());
        for (const Corners& c : out_.corners)
            if (!thin(c))
                for (const std::uint32_t p : c) used[p] = true;
        std::vector<Page> more;
        for (std::uint32_t i = 0; i < out_.corners.size(); ++i) {
            const Corners& c = out_.corners[i];
            if (!thin(c)) continue;
            const std::uint8_t k = c[0] != c[1] ? 0 : 1;
            const std::uint32_t p = c[k], q = c[k + 1];
            const Page page{std::uint64_t{std::min(p, q)} << 32 | std::max(p, q), i, k, p < q};
            if (p == q ? used[p] : std::ranges::binary_search(pages_, page.edge, {}, &Page::edge))
                out_.shell_of[i] = no_shell;
            else if (p != q)
                more.push_back(page);
            out_.connected += out_.shell_of[i] == no_shell;
        }
        if (more.empty()) return;
        pages_.insert(pages_.end(), more.begin(), more.end());
        std::ranges::sort(pages_, {}, [](const Page& page) { return std::pair{page.edge, page.triangle}; });
    }

    /// Calls f(pages of one edge) for every edge.
    template <class F>
    void for_each_edge(F&& f) const {
        for_each_edge_of(std::span<const Page>(pages_), f);
    }
    template <class F>
    void for_each_edge(F&& f) {
        for_each_edge_of(std::span<Page>(pages_), f);
    }
    template <class Pages, class F>
    static void for_each_edge_of(Pages pages, F& f) {
        for (std::size_t i = 0, next = 0; i < pages.size(); i = next) {
            while (next < pages.size() && pages[next].edge == pages[i].edge) ++next;
            f(pages.subspan(i, next - i));
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
        number_shells(sets);
        out_.connected += static_cast<std::uint32_t>(out_.shells.size());
        for (Shell& shell : out_.shells) shell.closed = shell.has_area;
        bool even = true;
        for_each_edge([&](std::span<const Page> edge) {
            if (edge.size() % 2 == 0) return;
            even = false;
            out_.shells[out_.shell_of[edge[0].triangle]].closed = false;
        });
        out_.closed = even && !out_.shells.empty() && std::ranges::all_of(out_.shells, &Shell::closed);
    }

    /// Makes a shell of each set, in the order of their first triangles.
    void number_shells(Sets& sets) {
        out_.shells.clear();
        std::vector<std::uint32_t> number(triangles_.size(), no_shell);
        const std::span<const Vec3> points = model_.points();
        for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
            if (out_.shell_of[i] == no_shell) continue;
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
    }

    /// Leaves out second copies of triangles in shells that are closed without them: some programs write each face
    /// twice, once for either side. A wall between two rooms is there twice, too, and stays so.
    void leave_out_copies() {
        if (out_.crowded_edges == 0) return;
        for (std::uint32_t i = 0; i < out_.corners.size(); ++i) {
            Corners c = out_.corners[i];
            std::ranges::sort(c);
            if (!out_.degenerate[i]) copies_.emplace_back(c, i);
        }
        std::ranges::sort(copies_);
        std::vector<bool> copy(out_.corners.size());
        bool any = false;
        for (std::size_t i = 1; i < copies_.size(); ++i)
            if (copies_[i].first == copies_[i - 1].first) any = copy[copies_[i].second] = true;
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

    /// Parts closed shells at edges of more than two triangles. In the order around the edge, half-planes that follow
    /// each other are joined two by two. So the shells are surfaces that touch themselves and others there without
    /// passing through. Which way triangles face does not matter, but those that agree are joined first.
    void part_shells() {
        if (out_.crowded_edges == 0) return;
        joined_along_line_.assign(out_.edges, false);
        if (out_.degenerate_count > 0) join_along_lines();
        Sets sets(triangles_.size());
        for_each_edge([&](std::span<Page> edge) {
            if (joined_along_line_[number_of(edge[0])]) return;
            const bool closed = out_.shells[out_.shell_of[edge[0].triangle]].closed;
            if (closed && edge.size() > 2) pair_up(edge);
            for (std::size_t i = 1; i < edge.size(); ++i)
                if (!closed || i % 2 == 1) sets.join(edge[i].triangle, edge[i - 1].triangle);
        });
        for (const auto& [x, y] : line_joints_) sets.join(x.triangle, y.triangle);
        std::vector<bool> closed(triangles_.size());
        for (std::uint32_t i = 0; i < closed.size(); ++i)
            closed[i] = out_.shell_of[i] != no_shell && out_.shells[out_.shell_of[i]].closed;
        number_shells(sets);
        for (Shell& shell : out_.shells) shell.closed = shell.has_area && closed[shell.first];
        choose_first();
    }

    std::uint32_t number_of(const Page& page) const { return out_.edge_of[page.triangle][page.corner]; }

    /// Where triangles without area are at an edge of more than two triangles, they do not tell where the surface goes
    /// on. Instead, the triangles with an area at all edges of that line are joined, part of the line by part. In a
    /// closed shell each part has an even number of them.
    void join_along_lines() {
        const auto fills = [&](std::uint32_t i) {
            return out_.degenerate[i] && out_.shell_of[i] != no_shell && out_.shells[out_.shell_of[i]].closed;
        };
        Sets lines(out_.edges);
        for (std::uint32_t i = 0; i < triangles_.size(); ++i)
            for (int k = 1; k < 3 && fills(i); ++k) lines.join(out_.edge_of[i][0], out_.edge_of[i][k]);
        std::vector<bool> filled(out_.edges), crowded(out_.edges);
        for_each_edge([&](std::span<const Page> edge) {
            const std::uint32_t line = lines.find(number_of(edge[0]));
            if (edge.size() > 2) crowded[line] = true;
            for (const Page& page : edge)
                if (fills(page.triangle)) filled[line] = true;
        });
        std::map<std::uint32_t, std::vector<Page>> pages;
        for_each_edge([&](std::span<const Page> edge) {
            const std::uint32_t line = lines.find(number_of(edge[0]));
            if (!crowded[line] || !filled[line]) return;
            joined_along_line_[number_of(edge[0])] = true;
            for (const Page& page : edge)
                if (out_.degenerate[page.triangle])
                    out_.shell_of[page.triangle] = no_shell;
                else
                    pages[line].push_back(page);
        });
        for (const auto& [_, of_line] : pages) join_line(of_line);
    }

    void join_line(const std::vector<Page>& pages) {
        const std::span<const Vec3> points = model_.points();
        const auto precedes = [&](std::uint32_t p, std::uint32_t q) { return before(points[p], points[q]); };
        std::vector<std::uint32_t> ends;
        for (const Page& page : pages)
            for (const int k : {0, 1}) ends.push_back(out_.corners[page.triangle][(page.corner + k) % 3]);
        std::ranges::sort(ends, precedes);
        ends.erase(std::ranges::unique(ends).begin(), ends.end());
        std::vector<Page> here;
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            here.clear();
            for (Page page : pages) {
                std::uint32_t from = out_.corners[page.triangle][page.corner];
                std::uint32_t to = out_.corners[page.triangle][(page.corner + 1) % 3];
                page.forward = precedes(from, to);
                if (!page.forward) std::swap(from, to);
                if (precedes(ends[i], from) || precedes(to, ends[i + 1])) continue;
                page.edge = std::uint64_t{ends[i]} << 32 | ends[i + 1];
                here.push_back(page);
            }
            if (here.size() > 2) pair_up(here);
            for (std::size_t k = 0; k + 1 < here.size(); k += 2) line_joints_.emplace_back(here[k], here[k + 1]);
        }
    }

    /// Growth of the winding number as one turns past the page, counter-clockwise around its edge.
    static int jump(const Page& page) { return page.forward ? -1 : 1; }

    std::uint32_t off_edge(const Page& page) const { return out_.corners[page.triangle][(page.corner + 2) % 3]; }

    /// Pairs of pages in order around an edge: those that agree and bound what is inside between them, then the others.
    static std::vector<Page> matched(std::span<Page> edge) {
        // Begin where the winding number is least.
        std::size_t start = 0;
        for (int i = 0, sum = 0, least = 0; i < static_cast<int>(edge.size()); ++i)
            if (sum += jump(edge[i]); sum < least) {
                least = sum;
                start = i + 1;
            }
        std::ranges::rotate(edge, edge.begin() + static_cast<std::ptrdiff_t>(start % edge.size()));
        std::vector<Page> out, open;
        for (const Page& page : edge)
            if (!open.empty() && open.back().forward != page.forward) {
                out.insert(out.end(), {open.back(), page});
                open.pop_back();
            } else {
                open.push_back(page);
            }
        out.insert(out.end(), open.begin(), open.end());
        return out;
    }

    /// Orders the pages of an edge so that the first two are joined, the next two, and so on.
    void pair_up(std::span<Page> edge) {
        const std::span<const Vec3> points = model_.points();
        const std::uint32_t p = edge[0].edge >> 32, q = edge[0].edge & 0xffff'ffff;
        const Round round(points[p], points[q], points[off_edge(edge[0])]);
        const auto precedes = [&](const Page& x, const Page& y) {
            const std::uint32_t u = off_edge(x), v = off_edge(y);
            return u != v && round.before(points[u], points[v]);
        };
        // Copies lie on each other in the same order at each of their edges. Where they face both ways, what each
        // bounds is on its own side.
        const auto layer = [&](const Page& page) {
            const std::uint32_t r = off_edge(page);
            const auto number = static_cast<std::int64_t>(page.triangle);
            return std::pair{jump(page), (p < q) + (q < r) + (r < p) == 2 ? number : -number};
        };
        std::ranges::sort(edge, [&](const Page& x, const Page& y) {
            return precedes(x, y) || (!precedes(y, x) && layer(x) < layer(y));
        });
        std::vector<Page> joined = matched(edge);
        // Pages that lie on each other are better not joined: nothing is between them. Pages of which each is joined to
        // the next may have fewer such pairs.
        const auto flat_pairs = [&](std::span<const Page> pages) {
            int count = 0;
            for (std::size_t i = 0; i < pages.size(); i += 2)
                count += !precedes(pages[i], pages[i + 1]) && !precedes(pages[i + 1], pages[i]);
            return count;
        };
        int least = flat_pairs(joined);
        for (int shift = 0; shift < 2 && least > 0; ++shift) {
            if (const int count = flat_pairs(edge); count < least) {
                least = count;
                joined.assign(edge.begin(), edge.end());
            }
            std::ranges::rotate(edge, edge.begin() + 1);
        }
        std::ranges::copy(joined, edge.begin());
    }

    /// Lets the first triangle of each shell be one that lies on no other, if there is one. Two copies in one shell lie
    /// back to back and bound nothing.
    void choose_first() {
        enum Kind : std::uint8_t { Free, Shared, Doubled };
        std::vector<Kind> kind(triangles_.size(), Free);
        const auto shell = [&](const auto& copy) { return out_.shell_of[copy.second]; };
        for (auto it = copies_.begin(), end = it; it != copies_.end(); it = end) {
            while (end != copies_.end() && end->first == it->first) ++end;
            if (end - it == 1) continue;
            std::sort(it, end, [&](const auto& x, const auto& y) { return shell(x) < shell(y); });
            const auto each_shell = [&](auto&& f) {
                for (auto from = it, to = it; from != end && shell(*from) != no_shell; from = to) {
                    while (to != end && shell(*to) == shell(*from)) ++to;
                    f(from, to);
                }
            };
            int bounded = 0;
            each_shell([&](auto from, auto to) { bounded += (to - from) % 2 != 0; });
            each_shell([&](auto from, auto to) {
                const Kind found = (to - from) % 2 == 0 ? Doubled : bounded > 1 ? Shared : Free;
                for (auto copy = from; copy != to; ++copy) kind[copy->second] = found;
            });
        }
        std::vector<std::uint8_t> best(out_.shells.size(), Doubled + 1);
        for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
            const std::uint32_t s = out_.shell_of[i];
            if (s == no_shell || out_.degenerate[i] || kind[i] >= best[s]) continue;
            best[s] = kind[i];
            out_.shells[s].first = i;
        }
        for (std::size_t s = 0; s < best.size(); ++s) out_.shells[s].covered = best[s] == Shared;
    }

    /// Calls f(page, page) for all pages of closed shells that are joined.
    template <class F>
    void for_each_joint(F&& f) const {
        for_each_edge([&](std::span<const Page> edge) {
            if (!joined_along_line_.empty() && joined_along_line_[number_of(edge[0])]) return;
            if (!out_.shells[out_.shell_of[edge[0].triangle]].closed) return;
            for (std::size_t i = 0; i < edge.size(); i += 2) f(edge[i], edge[i + 1]);
        });
        for (const auto& [x, y] : line_joints_) f(x, y);
    }

    /// The closed shells in which neighbours face different sides.
    std::vector<bool> disagreeing() const {
        std::vector<bool> wrong(out_.shells.size());
        for_each_joint([&](const Page& x, const Page& y) {
            const bool along_x = x.forward == (out_.turned[x.triangle] > 0);
            const bool along_y = y.forward == (out_.turned[y.triangle] > 0);
            if (along_x == along_y) wrong[out_.shell_of[x.triangle]] = true;
        });
        return wrong;
    }

    /// Turns triangles over until neighbours agree, beginning with the first of each shell.
    void orient() {
        std::vector<bool> wrong = disagreeing();
        if (std::ranges::find(wrong, true) != wrong.end()) {
            turn_over(wrong);
            wrong = disagreeing();
        }
        for (std::size_t s = 0; s < wrong.size(); ++s) {
            out_.shells[s].inside = out_.shells[s].closed && !wrong[s];
            out_.unorientable |= wrong[s];
        }
    }

    void turn_over(const std::vector<bool>& wrong) {
        // For each triangle the next on the way to one that stands for its shell, and whether it faces the other way.
        std::vector<std::uint32_t> next(triangles_.size());
        std::iota(next.begin(), next.end(), 0u);
        std::vector<bool> opposed(triangles_.size());
        const auto find = [&](std::uint32_t i) {
            std::uint32_t last = i;
            bool sum = false;
            for (; next[last] != last; last = next[last]) sum ^= opposed[last];
            const std::pair found{last, sum};
            while (i != last) {
                const bool own = opposed[i];
                opposed[i] = sum;
                sum ^= own;
                i = std::exchange(next[i], last);
            }
            return found;
        };
        for_each_joint([&](const Page& x, const Page& y) {
            if (!wrong[out_.shell_of[x.triangle]]) return;
            const auto [last_x, opposed_x] = find(x.triangle);
            const auto [last_y, opposed_y] = find(y.triangle);
            if (last_x == last_y) return;
            next[last_x] = last_y;
            opposed[last_x] = opposed_x ^ opposed_y ^ (x.forward == y.forward);
        });
        for (std::uint32_t i = 0; i < triangles_.size(); ++i)
            if (find(i).second) out_.turned[i] = -1;
    }

    /// Finds which way each shell faces and which shells go around it, by one ray from a point of it.
    void place_shells() {
        const Placed here(model_, model_.bounds(), out_);
        std::vector<int> faces(out_.shells.size(), 1);
        for (std::uint32_t s = 0; s < out_.shells.size(); ++s) {
            Shell& shell = out_.shells[s];
            if (!shell.has_area) continue;
            const Triangle t = model_.triangle(shell.first);
            int own = 0, moves = -1;
            const auto look = [&] {
                own = 0;
                shell.around.clear();
                for (const Winding& w : windings(here, ExactPoint(t, 2), moves))
                    if (w.shell == s)
                        own = w.number;
                    else
                        shell.around.push_back(w.shell);
            };
            look();
            if (!shell.inside) continue;
            // Outside of a shell that is covered lie others. Those that go around it go around its inner side.
            if (shell.covered && own == 0) {
                moves = 1;
                look();
            }
            // The point was moved to this side of the triangle. A step from front to back adds 1.
            const bool front = moves * first_sign(t.a, t.b, t.c) * out_.turned[shell.first] > 0;
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
    std::vector<std::pair<Corners, std::uint32_t>> copies_;  ///< triangles by their sorted corners, so that copies meet
    std::vector<bool> joined_along_line_;                    ///< edges whose triangles `line_joints_` has
    std::vector<std::pair<Page, Page>> line_joints_;
};

}  // namespace

Surface::Surface(const Model& model) { Builder(model, *this).run(); }

}  // namespace graze::detail
