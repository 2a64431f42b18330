// SPDX-License-Identifier: Apache-2.0
// Small models and placements from bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "graze/study.hpp"

namespace graze::fuzz {

struct Soup {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;
};

inline std::vector<Vec3> make_points(Bytes& bytes, std::size_t count, std::uint8_t style) {
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p = bytes.point(style);
        points.push_back(is_valid(p) ? p : Vec3{});
    }
    return points;
}

inline Soup make_soup(Bytes& bytes, std::uint8_t style) {
    Soup soup{make_points(bytes, 1 + bytes.take<std::uint8_t>() % 20, style), {}};
    const std::size_t corners = 3 * (1 + bytes.take<std::uint8_t>() % 24);
    for (std::size_t i = 0; i < corners; ++i)
        soup.corners.push_back(bytes.take<std::uint8_t>() % static_cast<std::uint32_t>(soup.points.size()));
    return soup;
}

inline study::TreeSettings make_settings(Bytes& bytes) {
    const auto kind = bytes.take<std::uint8_t>();
    return {.tree = kind & 1 ? study::TreeKind::Binary : study::TreeKind::Wide,
            .volume = static_cast<study::Volume>(kind / 2 % 7),
            .refine = (kind & 64) != 0,
            .split = static_cast<study::Split>(bytes.take<std::uint8_t>() % 5),
            .threads = 1};
}

inline Affine make_placement(Bytes& bytes, std::uint8_t style) {
    Mat3 m;
    const auto shape = bytes.take<std::uint8_t>();
    for (Vec3& row : m.row)
        for (int k = 0; k < 3; ++k) row[k] = std::ldexp(bytes.take<std::int8_t>(), -6 - shape % 16);
    const Vec3 t = bytes.point(style);
    const Result<Affine> placement = Affine::from_matrix(m, shape & 16 ? t : Vec3{});
    return placement ? *placement : Affine();
}

/// A good soup makes a sound model.
inline Model make_model(Bytes& bytes, std::uint8_t style) {
    const Soup soup = make_soup(bytes, style);
    auto model = study::build(SoupView(soup.points, soup.corners), make_settings(bytes));
    require(model.ok() && model->validate().ok(), "a good soup makes a sound model");
    return *model;
}

}  // namespace graze::fuzz
