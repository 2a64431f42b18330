// SPDX-License-Identifier: Apache-2.0
// Soups from bytes, bad ones included: a build gives a sound model whose contacts are those of brute
// force, or a fault that the soup deserves.
#include <algorithm>
#include <optional>
#include <vector>

#include "brute_force.hpp"
#include "bytes.hpp"
#include "graze/study.hpp"

namespace {

using namespace graze;

struct Soup {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners, offsets;

    SoupView view() const { return SoupView(std::span<const Vec3>(points), corners).with_polygons(offsets); }
};

Soup make_soup(fuzz::Bytes& bytes) {
    Soup soup;
    const auto style = bytes.take<std::uint8_t>();
    const bool polygons = style & 16;
    // Most soups name points that exist; with this bit indices are anything.
    const bool wild = style & 32;
    const std::size_t point_count = bytes.take<std::uint8_t>() % 24;
    const std::size_t corner_count = bytes.take<std::uint8_t>() % 96;
    for (std::size_t i = 0; i < point_count; ++i) soup.points.push_back(bytes.point(style));
    for (std::size_t i = 0; i < corner_count; ++i) {
        const auto index = bytes.take<std::uint8_t>();
        soup.corners.push_back(wild || point_count == 0 ? index : index % static_cast<std::uint32_t>(point_count));
    }
    if (polygons) {
        soup.offsets.push_back(wild ? bytes.take<std::uint8_t>() % 2 : 0);
        while (soup.offsets.back() < corner_count && soup.offsets.size() < 100)
            soup.offsets.push_back(
                wild ? bytes.take<std::uint8_t>()
                     : std::min<std::uint32_t>(static_cast<std::uint32_t>(corner_count),
                                               soup.offsets.back() + 3 + bytes.take<std::uint8_t>() % 6));
    } else if (!wild) {
        soup.corners.resize(corner_count / 3 * 3);
    }
    return soup;
}

/// Whether `Model::build` has to accept the soup.
bool is_good(const Soup& soup) {
    for (const Vec3& p : soup.points)
        if (!fuzz::is_valid(p)) return false;
    for (std::uint32_t corner : soup.corners)
        if (corner >= soup.points.size()) return false;
    if (soup.offsets.empty()) return soup.corners.size() % 3 == 0;
    if (soup.offsets.front() != 0 || soup.offsets.back() != soup.corners.size()) return false;
    for (std::size_t i = 1; i < soup.offsets.size(); ++i)
        if (soup.offsets[i] < soup.offsets[i - 1] + 3) return false;
    return true;
}

std::vector<TrianglePair> by_tree(const Model& a, const Model& b, const Pose& pose) {
    std::vector<TrianglePair> pairs;
    for (const Contact& c : collide(a, b, pose)) {
        fuzz::require(c.polygons == TrianglePair{a.polygon_of(c.triangles.a), b.polygon_of(c.triangles.b)}, "polygons");
        pairs.push_back(c.triangles);
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

Pose make_pose(fuzz::Bytes& bytes) {
    const auto style = bytes.take<std::uint8_t>();
    const Vec3 translation = bytes.point(style % 4 == 0 ? 1 : style);
    std::array<double, 4> q{};
    for (double& v : q) v = bytes.take<std::int8_t>();
    const Result<Pose> pose = Pose::from_quaternion(q, translation);
    return pose ? *pose : Pose();
}

std::optional<Model> build(const Soup& soup, study::TreeKind tree) {
    const Result<Model> model = study::build(soup.view(), {.tree = tree, .threads = 1});
    fuzz::require(model.ok() == is_good(soup), "good soups build and bad ones do not");
    if (!model) {
        fuzz::require(!model.fault().message.empty(), "a fault has a message");
        return std::nullopt;
    }
    fuzz::require(model->validate().ok(), "the tree is sound");
    return *model;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const Soup first = make_soup(bytes), second = make_soup(bytes);
    const std::optional<Model> a = build(first, study::TreeKind::Wide), b = build(second, study::TreeKind::Wide);
    const std::optional<Model> a2 = build(first, study::TreeKind::Binary), b2 = build(second, study::TreeKind::Binary);
    if (!a || !b) return 0;
    for (const Pose& pose : {Pose(), make_pose(bytes)}) {
        const std::vector<TrianglePair> expected = fuzz::by_brute_force(*a, *b, pose);
        fuzz::require(by_tree(*a, *b, pose) == expected, "wide trees answer as brute force");
        fuzz::require(by_tree(*a2, *b2, pose) == expected, "binary trees answer as brute force");
        fuzz::require(intersects(*a, *b, pose) == !expected.empty(), "first contact as all contacts");
        fuzz::require(by_tree(*a, *a, pose) == fuzz::by_brute_force(*a, *a, pose), "a model with itself");
    }
    return 0;
}
