// SPDX-License-Identifier: Apache-2.0
#include "seams.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace graze::files {

namespace {

using Corners = std::array<std::uint32_t, 3>;

/// An edge without direction.
std::uint64_t key_of(std::uint32_t a, std::uint32_t b) { return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

/// The ends of an edge.
std::pair<std::uint32_t, std::uint32_t> ends_of(std::uint64_t key) {
    return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
}

class Seams {
public:
    Seams(Mesh& mesh, double reach) : mesh_(mesh), reach_(reach) {}

    double close() {
        find_open();
        if (open_.empty()) return 0;
        sort_corners();
        if (merge_corners()) find_open();
        while (!open_.empty() && drop_slivers()) find_open();
        if (!open_.empty()) {
            sort_corners();
            for (const std::uint64_t key : open_) find_inserts(key);
            split();
        }
        return merged_by_ + inserted_by_;
    }

private:
    /// Finds the edges of an odd number of triangles, in the order of the triangles.
    void find_open() {
        std::unordered_map<std::uint64_t, bool> odd;
        odd.reserve(mesh_.corners.size());
        const auto each = [&](const auto& take) {
            for (std::size_t i = 0; i < mesh_.corners.size(); i += 3)
                for (std::size_t k = 0; k < 3; ++k) take(key_of(mesh_.corners[i + k], mesh_.corners[i + (k + 1) % 3]));
        };
        each([&](std::uint64_t key) { odd[key] = !odd[key]; });
        open_.clear();
        each([&](std::uint64_t key) {
            if (const auto at = odd.find(key); at->second && ends_of(key).first != ends_of(key).second) {
                open_.push_back(key);
                at->second = false;
            }
        });
    }

    /// The corners of open edges along the axis on which they spread the most.
    void sort_corners() {
        corners_.clear();
        for (const std::uint64_t key : open_) {
            corners_.push_back(ends_of(key).first);
            corners_.push_back(ends_of(key).second);
        }
        std::sort(corners_.begin(), corners_.end());
        corners_.erase(std::unique(corners_.begin(), corners_.end()), corners_.end());
        double widest = -1;
        for (int d = 0; d < 3; ++d) {
            const auto along = [&](std::uint32_t i) { return mesh_.points[i][d]; };
            const auto [low, high] = std::ranges::minmax(corners_ | std::views::transform(along));
            if (high - low > widest) axis_ = d;
            widest = std::max(widest, high - low);
        }
        std::sort(corners_.begin(), corners_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(along_axis(a), a) < std::pair(along_axis(b), b);
        });
    }
    double along_axis(std::uint32_t i) const { return mesh_.points[i][axis_]; }

    /// Calls `take` with each corner whose coordinate along the axis is in the range, ends included.
    template <class Take>
    void corners_between(double low, double high, const Take& take) const {
        auto at = std::lower_bound(corners_.begin(), corners_.end(), low,
                                   [&](std::uint32_t i, double x) { return along_axis(i) < x; });
        for (; at != corners_.end() && along_axis(*at) <= high; ++at) take(*at);
    }

    /// Moves corners onto those within reach that have smaller numbers and stay. True when any has moved.
    bool merge_corners() {
        std::vector<std::uint32_t> by_number = corners_;
        std::sort(by_number.begin(), by_number.end());
        std::unordered_map<std::uint32_t, std::uint32_t> onto;
        for (const std::uint32_t i : by_number) {
            std::uint32_t best = i;
            const auto off = [&](std::uint32_t k) { return length(mesh_.points[k] - mesh_.points[i]); };
            corners_between(along_axis(i) - reach_, along_axis(i) + reach_, [&](std::uint32_t k) {
                if (k < best && !onto.contains(k) && off(k) <= reach_) best = k;
            });
            if (best == i) continue;
            onto.emplace(i, best);
            merged_by_ = std::max(merged_by_, off(best));
        }
        if (onto.empty()) return false;
        std::vector<std::uint32_t> out;
        for (std::size_t i = 0; i < mesh_.corners.size(); i += 3) {
            Corners t{mesh_.corners[i], mesh_.corners[i + 1], mesh_.corners[i + 2]};
            const auto same = [&] { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; };
            const bool was = same();
            for (std::uint32_t& c : t)
                if (const auto at = onto.find(c); at != onto.end()) c = at->second;
            if (was || !same()) out.insert(out.end(), t.begin(), t.end());
        }
        mesh_.corners = std::move(out);
        return true;
    }

    /// The distance of c from the line through a and b.
    double height(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
        const Vec3 way = mesh_.points[b] - mesh_.points[a];
        const double size = length(way);
        return size > 0 ? length(cross(way, mesh_.points[c] - mesh_.points[a])) / size : 0;
    }

    /// Removes triangles without area that have an open edge. True when there were any.
    bool drop_slivers() {
        const std::unordered_set<std::uint64_t> open(open_.begin(), open_.end());
        std::vector<std::uint32_t> out;
        for (std::size_t i = 0; i < mesh_.corners.size(); i += 3) {
            const Corners t{mesh_.corners[i], mesh_.corners[i + 1], mesh_.corners[i + 2]};
            double least = reach_ * 2;
            bool at_gap = false;
            for (std::size_t k = 0; k < 3; ++k) {
                least = std::min(least, height(t[k], t[(k + 1) % 3], t[(k + 2) % 3]));
                at_gap = at_gap || open.contains(key_of(t[k], t[(k + 1) % 3]));
            }
            if (at_gap && least <= reach_)
                inserted_by_ = std::max(inserted_by_, least);
            else
                out.insert(out.end(), t.begin(), t.end());
        }
        const bool any = out.size() < mesh_.corners.size();
        mesh_.corners = std::move(out);
        return any;
    }

    /// Finds the corners that lie on an open edge.
    void find_inserts(std::uint64_t key) {
        const auto [a, b] = ends_of(key);
        const Vec3 p = mesh_.points[a], way = mesh_.points[b] - p;
        const double size = dot(way, way);
        if (!(size > 0)) return;
        std::vector<std::pair<double, std::uint32_t>> on;
        corners_between(std::min(along_axis(a), along_axis(b)) - reach_,
                        std::max(along_axis(a), along_axis(b)) + reach_, [&](std::uint32_t i) {
                            if (i == a || i == b) return;
                            const double at = dot(mesh_.points[i] - p, way) / size;
                            if (!(at > 0 && at < 1)) return;
                            const double off = length(mesh_.points[i] - (p + way * at));
                            if (!(off <= reach_)) return;
                            on.emplace_back(at, i);
                            inserted_by_ = std::max(inserted_by_, off);
                        });
        if (on.empty()) return;
        std::sort(on.begin(), on.end());
        std::vector<std::uint32_t>& list = inserts_[key];
        for (const auto& one : on) list.push_back(one.second);
    }

    /// Adds a triangle, split at the corners that lie on its first `sides` edges. Edges that a split makes are not
    /// split again.
    void add(const Corners& t, std::size_t sides, std::vector<std::uint32_t>& out) const {
        for (std::size_t k = 0; k < sides; ++k) {
            const std::uint32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
            const auto at = inserts_.find(key_of(a, b));
            if (at == inserts_.end() || height(a, b, c) <= reach_) continue;
            std::vector<std::uint32_t> row = at->second;
            if (a > b) std::reverse(row.begin(), row.end());
            add({c, a, row.front()}, k == 0 && sides == 3 ? 1 : 0, out);
            for (std::size_t i = 1; i < row.size(); ++i) add({row[i - 1], row[i], c}, 0, out);
            add({b, c, row.back()}, k + 1 < sides ? 1 : 0, out);
            return;
        }
        out.insert(out.end(), t.begin(), t.end());
    }

    void split() {
        std::vector<std::uint32_t> out;
        out.reserve(mesh_.corners.size());
        for (std::size_t i = 0; i < mesh_.corners.size(); i += 3)
            add({mesh_.corners[i], mesh_.corners[i + 1], mesh_.corners[i + 2]}, 3, out);
        mesh_.corners = std::move(out);
    }

    Mesh& mesh_;
    double reach_, merged_by_ = 0, inserted_by_ = 0;
    int axis_ = 0;
    std::vector<std::uint64_t> open_;
    std::vector<std::uint32_t> corners_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> inserts_;  ///< from the smaller end to the larger
};

}  // namespace

double close_seams(Mesh& mesh, double reach) { return Seams(mesh, reach).close(); }

}  // namespace graze::files
