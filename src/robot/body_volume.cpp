// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "model/access.hpp"
#include "model/any_view.hpp"
#include "robot/robot_data.hpp"

namespace graze::detail {

namespace {

double sum(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

/// The centre and radius of a small sphere around the model. The centre moves towards the farthest corner in ever
/// shorter steps (Bădoiu and Clarkson 2003).
std::pair<Vec3, double> sphere_around(const Model& model) {
    std::vector<Vec3> corners;
    corners.reserve(3 * std::size_t{model.triangle_count()});
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        corners.insert(corners.end(), {t.a, t.b, t.c});
    }
    if (corners.empty()) return {};
    Vec3 centre = corners[0];
    const auto farthest = [&] {
        const auto square = [&](const Vec3& p) { return dot(p - centre, p - centre); };
        return *std::ranges::max_element(corners, {}, square);
    };
    const std::size_t steps = std::clamp<std::size_t>(2'000'000 / corners.size(), 10, 200);
    for (std::size_t i = 1; i <= steps; ++i) centre = centre + (farthest() - centre) * (1 / static_cast<double>(i + 1));
    // The length is accurate to 2^-50 of itself. One that overflows is infinite, and then the sphere decides nothing.
    return {centre, length(farthest() - centre) * (1 + 0x1p-48)};
}

}  // namespace

BodyVolume volume_around(const Model& model) {
    BodyVolume out;
    const AnyView view(Access::data(model));
    if (view.empty()) return out;
    std::tie(out.centre, out.radius) = sphere_around(model);
    const Obb box = view.volume(view.root());
    const double unit = std::ldexp(1, view.frame.exponent);
    out.middle = box.centre * unit + view.frame.centre;
    // The rows are orthonormal to 2^-50: their transpose is the inverse but for errors that the slack of
    // near_pairs.cpp covers.
    for (int i = 0; i < 3; ++i) out.axis[i] = box.axes.row[static_cast<std::size_t>(i)];
    out.half = box.half * unit;
    out.lengths = sum(out.centre) + out.radius + sum(out.middle) + 2 * sum(out.half);
    return out;
}

}  // namespace graze::detail
