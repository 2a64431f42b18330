// SPDX-License-Identifier: Apache-2.0
#include "scenes/teapot.hpp"

#include <algorithm>
#include <array>

namespace graze::scenes {

namespace {

using Patch = std::array<std::array<Vec3, 4>, 4>;

struct Ring {
    double radius, height;
};

/// Meridians of the surfaces of revolution, four control points each.
constexpr Ring meridians[6][4] = {
    {{1.4, 2.4}, {1.3375, 2.53125}, {1.4375, 2.53125}, {1.5, 2.4}},  // rim
    {{1.5, 2.4}, {1.75, 1.875}, {2, 1.35}, {2, 0.9}},                // body
    {{2, 0.9}, {2, 0.45}, {1.5, 0.225}, {1.5, 0.15}},
    {{0, 3.15}, {0.8, 3.15}, {0, 2.85}, {0.2, 2.7}},  // lid
    {{0.2, 2.7}, {0.4, 2.55}, {1.3, 2.55}, {1.3, 2.4}},
    {{1.5, 0.15}, {1.5, 0.075}, {1.425, 0}, {0, 0}},  // bottom
};

struct Section {
    Vec3 inner, outer;  ///< on the plane y = 0
    double width;       ///< distance of the control points beside the two
};

/// Handle and spout: two patches in a row each, mirrored in y. Neighbours share a section.
constexpr Section handle[7] = {
    {{-1.6, 0, 2.025}, {-1.5, 0, 2.25}, 0.3}, {{-2.3, 0, 2.025}, {-2.5, 0, 2.25}, 0.3},
    {{-2.7, 0, 2.025}, {-3, 0, 2.25}, 0.3},   {{-2.7, 0, 1.8}, {-3, 0, 1.8}, 0.3},
    {{-2.7, 0, 1.575}, {-3, 0, 1.35}, 0.3},   {{-2.5, 0, 1.125}, {-2.65, 0, 0.9375}, 0.3},
    {{-2, 0, 0.9}, {-1.9, 0, 0.6}, 0.3},
};
constexpr Section spout[7] = {
    {{1.7, 0, 1.425}, {1.7, 0, 0.6}, 0.66},       {{2.6, 0, 1.425}, {3.1, 0, 0.825}, 0.66},
    {{2.3, 0, 2.1}, {2.4, 0, 2.025}, 0.25},       {{2.7, 0, 2.4}, {3.3, 0, 2.4}, 0.25},
    {{2.8, 0, 2.475}, {3.525, 0, 2.49375}, 0.25}, {{2.9, 0, 2.475}, {3.45, 0, 2.5125}, 0.15},
    {{2.8, 0, 2.4}, {3.2, 0, 2.4}, 0.15},
};

/// Exact at both ends and between equal values: neighbouring patches share their border points,
/// and a border that is one point stays one.
Vec3 mix(const Vec3& a, const Vec3& b, double t) { return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t); }

/// De Casteljau's.
Vec3 bezier(const std::array<Vec3, 4>& p, double t) {
    const Vec3 a = mix(p[0], p[1], t), b = mix(p[1], p[2], t), c = mix(p[2], p[3], t);
    return mix(mix(a, b, t), mix(b, c, t), t);
}

void add_patch(Soup& s, const Patch& patch, const PatchCells& cells) {
    const auto base = static_cast<std::uint32_t>(s.points.size());
    for (std::uint32_t i = 0; i <= cells.along; ++i)
        for (std::uint32_t j = 0; j <= cells.around; ++j) {
            const double u = static_cast<double>(i) / cells.along, v = static_cast<double>(j) / cells.around;
            s.add(bezier({bezier(patch[0], v), bezier(patch[1], v), bezier(patch[2], v), bezier(patch[3], v)}, u));
        }
    for (std::uint32_t i = 0; i < cells.along; ++i)
        for (std::uint32_t j = 0; j < cells.around; ++j) {
            const std::uint32_t at = base + i * (cells.around + 1) + j;
            s.add_quad(at, at + cells.around + 1, at + cells.around + 2, at + 1);
        }
}

/// Newell's nearly circular quarter: handles of 0.56 radii instead of 0.5523.
void add_revolved(Soup& s, const Ring (&meridian)[4], std::uint32_t cells) {
    constexpr double x[4] = {1, 1, 0.56, 0}, y[4] = {0, 0.56, 1, 1};
    for (int quarter = 0; quarter < 4; ++quarter) {
        Patch patch;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                Vec3 p{meridian[i].radius * x[j], meridian[i].radius * y[j], meridian[i].height};
                for (int k = 0; k < quarter; ++k) p = {-p.y, p.x, p.z};
                patch[i][j] = p;
            }
        add_patch(s, patch, {cells, cells});
    }
}

void add_arm(Soup& s, const Section (&section)[7], const PatchCells& cells) {
    for (const int first : {0, 3})
        for (const double side : {-1.0, 1.0}) {
            Patch patch;
            for (int i = 0; i < 4; ++i) {
                const Section& c = section[first + i];
                const Vec3 beside{0, side * c.width, 0};
                patch[i] = {c.inner, c.inner + beside, c.outer + beside, c.outer};
                if (side < 0) std::ranges::reverse(patch[i]);  // both sides look outwards
            }
            add_patch(s, patch, cells);
        }
}

}  // namespace

Soup teapot(std::uint32_t cells) { return teapot(cells, {cells, cells}, {cells, cells}); }

Soup teapot(std::uint32_t cells, const PatchCells& in_handle, const PatchCells& in_spout) {
    Soup s;
    for (const auto& meridian : meridians) add_revolved(s, meridian, cells);
    add_arm(s, handle, in_handle);
    add_arm(s, spout, in_spout);
    return welded(s);
}

}  // namespace graze::scenes
