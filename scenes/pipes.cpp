// SPDX-License-Identifier: Apache-2.0
#include "scenes/pipes.hpp"

#include <array>
#include <vector>

#include "scenes/random.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

constexpr double bend = 0.35;  // radius of an elbow's axis, in cells

constexpr Vec3 directions[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

/// Which cells of the lattice are taken.
class Cells {
public:
    explicit Cells(std::uint32_t n) : n_(n), taken_(std::size_t{n} * n * n) {}

    bool is_free(const Vec3& c) const {
        for (int i = 0; i < 3; ++i)
            if (c[i] < 0 || c[i] >= n_) return false;
        return !taken_[index(c)];
    }
    void take(const Vec3& c) { taken_[index(c)] = true; }

private:
    std::size_t index(const Vec3& c) const { return static_cast<std::size_t>((c.z * n_ + c.y) * n_ + c.x); }

    std::uint32_t n_;
    std::vector<bool> taken_;
};

/// A walk through free cells from `start`, mostly straight on, until it is stuck or long enough.
std::vector<Vec3> walk(Cells& cells, const Vec3& start, Random& random, std::uint32_t most) {
    std::vector<Vec3> path{start};
    cells.take(start);
    std::uint32_t heading = random.below(6);
    while (path.size() < most) {
        const bool straight = random.below(3) != 0 && cells.is_free(path.back() + directions[heading]);
        std::uint32_t tries = 0;
        if (!straight) {
            heading = random.below(6);
            while (tries < 6 && !cells.is_free(path.back() + directions[heading])) {
                heading = (heading + 1) % 6;
                ++tries;
            }
        }
        if (tries == 6) break;
        path.push_back(path.back() + directions[heading]);
        cells.take(path.back());
    }
    return path;
}

/// Sweeps a circle along a path of cell centres.
class Sweep {
public:
    Sweep(Soup& soup, const PipeSettings& settings) : soup_(soup), settings_(settings) {}

    void pipe(const std::vector<Vec3>& path) {
        Vec3 ahead = path[1] - path[0];
        u_ = {ahead.y, ahead.z, ahead.x};
        v_ = cross(ahead, u_);
        ring(path[0] - ahead * bend);
        cap(path[0] - ahead * bend, true);
        for (std::size_t i = 1; i + 1 < path.size(); ++i) {
            const Vec3 next = path[i + 1] - path[i];
            if (next != ahead) elbow(path[i], ahead, next);
            ahead = next;
        }
        ring(path.back() + ahead * bend);
        join();
        cap(path.back() + ahead * bend, false);
    }

private:
    /// One ring about `centre`; u_ and v_ span its plane.
    void ring(const Vec3& centre) {
        for (std::uint32_t k = 0; k < settings_.sides; ++k) {
            const SinCos a = sin_cos(static_cast<double>(k) / settings_.sides);
            soup_.add(centre + (u_ * a.cos + v_ * a.sin) * settings_.radius);
        }
    }

    /// Triangles between the last ring and the one before it.
    void join() {
        const std::uint32_t n = settings_.sides, last = static_cast<std::uint32_t>(soup_.points.size()) - n;
        for (std::uint32_t k = 0; k < n; ++k) {
            const std::uint32_t k1 = (k + 1) % n;
            soup_.add_quad(previous_ + k, previous_ + k1, last + k1, last + k);
        }
        previous_ = last;
    }

    void cap(const Vec3& centre, bool start) {
        const std::uint32_t n = settings_.sides, first = static_cast<std::uint32_t>(soup_.points.size()) - n;
        const std::uint32_t middle = soup_.add(centre);
        previous_ = first;
        for (std::uint32_t k = 0; k < n; ++k) {
            const std::uint32_t k1 = (k + 1) % n;
            if (start)
                soup_.add_triangle(middle, first + k1, first + k);
            else
                soup_.add_triangle(middle, first + k, first + k1);
        }
    }

    /// A quarter turn from `from` to `to` about `corner`; the frame turns along, so rings match.
    void elbow(const Vec3& corner, const Vec3& from, const Vec3& to) {
        const Vec3 axis = cross(from, to), pivot = corner - from * bend + to * bend;
        const Vec3 u = u_, v = v_;
        for (std::uint32_t k = 0; k <= settings_.elbow_pieces; ++k) {
            const SinCos a = sin_cos(0.25 * k / settings_.elbow_pieces);
            const Vec3 inward = to * a.cos - from * a.sin;
            u_ = axis * dot(u, axis) + inward * dot(u, to);
            v_ = axis * dot(v, axis) + inward * dot(v, to);
            ring(pivot - inward * bend);
            join();
        }
    }

    Soup& soup_;
    const PipeSettings& settings_;
    Vec3 u_, v_;
    std::uint32_t previous_ = 0;
};

}  // namespace

Soup pipes(const PipeSettings& settings) {
    const std::uint32_t n = settings.cells;
    Random random(settings.seed);
    Cells cells(n);
    Soup soup;
    Sweep sweep(soup, settings);
    // Starts are drawn at random; those that fall on a pipe, or cannot leave their cell, are lost.
    const double wanted = settings.fill * n * n * n;
    double used = 0;
    for (std::uint64_t draw = 0; used < wanted && draw < 64ull * n * n * n; ++draw) {
        Vec3 start;
        for (int i = 0; i < 3; ++i) start[i] = random.below(n);
        if (!cells.is_free(start)) continue;
        const std::vector<Vec3> path = walk(cells, start, random, 8 * n);
        if (path.size() > 1) sweep.pipe(path);
        used += static_cast<double>(path.size());
    }
    const double cell = settings.size / n, middle = (n - 1) / 2.0;
    for (Vec3& p : soup.points) p = (p - Vec3{middle, middle, middle}) * cell;
    return soup;
}

}  // namespace graze::scenes
