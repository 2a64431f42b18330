// SPDX-License-Identifier: Apache-2.0
// Files of models that someone has forged: the checksum is right, and one number is not. Loading refuses the file, or
// everything that can be asked of the model ends without undefined behaviour.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "graze/tree.hpp"
#include "model/model_data.hpp"
#include "model/model_file.hpp"
#include "scenes/shapes.hpp"
#include "temporary_folder.hpp"

namespace graze {
namespace {

using Bytes = std::vector<char>;
using detail::FileHeader;

/// Asks the model whatever a caller may.
void use(Model m, const Model& partner) {
    Scratch scratch;
    Front front;
    const std::size_t all = std::size_t{m.triangle_count()} * partner.triangle_count();
    for (const double margin : {0.0, 0.1})
        for (int k = 0; k < 4; ++k) {
            const Pose at = *Pose::from_matrix({}, {0.01 * k, 0.3, 0});
            EXPECT_LE(collide_within(m, partner, at, margin, {.scratch = &scratch, .front = &front}).size(), all);
            EXPECT_LE(collide_within(partner, m, at, margin).size(), all);
        }
    static_cast<void>(intersects(m, m, Pose()));
    static_cast<void>(
        intersects(m, partner, *Affine::from_matrix({{Vec3{2, 0, 0}, Vec3{0, 1, 1}, Vec3{0, 0, 1}}}, {})));
    static_cast<void>(nearest_hit(m, *Ray::from_direction({-3, 0.1, 0.2}, {1, 0, 0})));
    static_cast<void>(overlapping(*Box::between({-1, -1, -1}, {0.2, 0.2, 0.2}), m));
    static_cast<void>(m.summary().size() + tree_depth(m));
    static_cast<void>(m.decay());
    static_cast<void>(m.validate().ok());
    Scene scene({.hulls = true, .fronts = true});
    static_cast<void>(scene.add(m, Pose()).ok());
    static_cast<void>(scene.add(partner, Pose()).ok());
    static_cast<void>(scene.add(m, Pose()).ok());
    scene.update();
    static_cast<void>(node_tightness(m, 1, 0.2));
    std::vector<double> points;
    for (std::uint32_t i = 0; i < m.point_count(); ++i) points.insert(points.end(), {0.1 * i, 1.0, 0.01 * i * i});
    static_cast<void>(m.refit(PointView(points), {.rebuild = Rebuild::Never}).ok());
    static_cast<void>(intersects(m, partner, Pose()));
}

class ForgedModel : public testing::TestWithParam<study::TreeSettings> {};

TEST_P(ForgedModel, IsRefusedOrHarmless) {
    const test::TemporaryFolder folder;
    const std::string path = folder.at("model");
    const Model partner = *Model::build(scenes::box());
    const Model m = *study::build(scenes::torus(1, 0.4, 6, 4), GetParam());
    ASSERT_TRUE(m.save(path).ok());
    ASSERT_TRUE(Model::load(path, {.validate = true}).ok());
    std::ifstream in(path, std::ios::binary);
    const Bytes good(std::istreambuf_iterator<char>(in), {});
    FileHeader h;
    std::memcpy(&h, good.data(), sizeof h);

    std::size_t tried = 0, refused = 0, refused_by_validate = 0;
    const auto attempt = [&](Bytes bytes) {
        FileHeader header;
        std::memcpy(&header, bytes.data(), sizeof header);
        header.checksum = detail::file_checksum(std::as_bytes(std::span(bytes)));
        std::memcpy(bytes.data(), &header, sizeof header);
        std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<long>(bytes.size()));
        ++tried;
        auto loaded = Model::load(path);
        if (!loaded) {
            ++refused;
            return;
        }
        refused_by_validate += !Model::load(path, {.validate = true}).ok();
        use(*std::move(loaded), partner);
    };
    const auto put = [&](std::size_t at, auto value) {
        Bytes bytes = good;
        std::memcpy(bytes.data() + at, &value, sizeof value);
        attempt(std::move(bytes));
    };
    constexpr double bad[] = {
        std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300, 1e30, -1, 0, 1e-30};
    // Every number of the header, and every stride-th of each section, taken as a double, a float and an integer.
    const auto forge = [&](std::size_t at) {
        for (const double b : bad) {
            put(at, b);
            put(at, static_cast<float>(b));
        }
        put(at, std::uint32_t{0xffffffff});
        put(at, std::uint16_t{0x8000});
        put(at, std::uint16_t{0});
    };
    for (std::size_t at = offsetof(FileHeader, version); at < sizeof(FileHeader); at += 8) forge(at);
    for (const auto& section : h.section) {
        const std::size_t bytes = section.count * section.item_bytes;
        const std::size_t stride = bytes / 6 / 4 * 4 + 4;
        for (std::size_t at = 0; at + 8 <= bytes; at += stride) forge(section.offset + at);
    }
    EXPECT_GT(tried, 500u);
    EXPECT_GT(refused, tried / 4);
    EXPECT_GT(refused_by_validate, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Trees, ForgedModel,
    testing::Values(study::TreeSettings{.volume = study::Volume::Obb},
                    study::TreeSettings{.volume = study::Volume::Aabb},
                    study::TreeSettings{.tree = study::TreeKind::Binary, .volume = study::Volume::Obb},
                    study::TreeSettings{.tree = study::TreeKind::Binary, .volume = study::Volume::Aabb},
                    study::TreeSettings{.volume = study::Volume::Sphere},
                    study::TreeSettings{.volume = study::Volume::Dop14}));

}  // namespace
}  // namespace graze
