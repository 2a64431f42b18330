// SPDX-License-Identifier: Apache-2.0
// IFC files that say where they are on a map are placed beside each other, or refused.
#include <algorithm>
#include <array>
#include <cmath>

#include "checks/parts.hpp"
#include "files/conventions.hpp"
#include "ifc_house.hpp"

namespace graze::checks {
namespace {

using namespace test;
using files::MapConversion;

class Maps : public InHouse {
protected:
    /// Lines of a conversion to metres of a map: origin, direction of the x axis, scale.
    static std::string lines(const std::string& numbers, const std::string& crs = "EPSG:25832") {
        return "#600=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);\n#601=IFCPROJECTEDCRS('" + crs +
               "',$,$,$,$,$,#600);\n#602=IFCMAPCONVERSION(#53,#601," + numbers + ");\n";
    }
    std::string house_at(const std::string& name, const std::string& more) const {
        return write(name, House{.metres = millimetre, .schema = "IFC4", .more = more}.text());
    }
    std::optional<MapConversion> map_of(const House& house) const { return this->house(house).conventions.map; }
};

TEST_F(Maps, ConversionsAreReadInMetres) {
    const auto with = [&](const std::string& numbers) {
        return map_of({.metres = millimetre, .schema = "IFC4", .more = lines(numbers)});
    };
    EXPECT_EQ(with("500000.,5400000.,113.5,0.6,0.8,0.001"),
              (MapConversion{"EPSG:25832", {500000, 5400000, 113.5}, 0.6, 0.8, 1}));
    // A grid's factor; axes of any length.
    EXPECT_EQ(with("1.,2.,3.,0.,5.,0.0009996")->scale, 0.9996);
    EXPECT_EQ(with("1.,2.,3.,0.,5.,0.0009996")->sine, 1);
    // Many programs write a scale between metres, or none.
    EXPECT_EQ(with("1.,2.,3.,$,$,1."), (MapConversion{"EPSG:25832", {1, 2, 3}}));
    EXPECT_EQ(with("1.,2.,3.,$,$,$"), (MapConversion{"EPSG:25832", {1, 2, 3}}));
    // Without a unit of its own the map has the file's.
    EXPECT_EQ(map_of({.metres = millimetre,
                      .schema = "IFC4",
                      .more = replaced(lines("1000.,2000.,3000.,$,$,1."), "$,#600)", "$,$)")})
                  ->origin,
              (Vec3{1, 2, 3}));
    EXPECT_EQ(map_of({}), std::nullopt);
    // IFC 2x3 has properties for it.
    const std::string sets = R"(#600=IFCPROPERTYSINGLEVALUE('Eastings',$,IFCLENGTHMEASURE(500000.),$);
#601=IFCPROPERTYSINGLEVALUE('Northings',$,IFCLENGTHMEASURE(5400000.),$);
#602=IFCPROPERTYSET('000000000000000000000P',$,'ePset_MapConversion',$,(#600,#601));
#603=IFCPROPERTYSINGLEVALUE('Name',$,IFCLABEL('EPSG:25832'),$);
#604=IFCPROPERTYSET('000000000000000000000Q',$,'ePset_ProjectedCRS',$,(#603));
)";
    EXPECT_EQ(map_of({.metres = millimetre, .more = sets}), (MapConversion{"EPSG:25832", {500000, 5400000, 0}}));
}

TEST_F(Maps, FilesAreMovedToWhereTheFirstHasThem) {
    const std::string a = house_at("a.ifc", lines("500000.,5400000.,100.,1.,0.,0.001"));
    const std::string same = house_at("b.ifc", lines("500000.,5400000.,100.,1.,0.,0.001"));
    // The x axis of this one points north.
    const std::string turned = house_at("c.ifc", lines("500030.,5400040.,101.,0.,1.,0.001", "epsg 25832"));
    const Result<Parts> read = read_parts(std::array{a, same, turned}, {});
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->parts.size(), 12u);
    EXPECT_TRUE(read->left_out.empty());
    EXPECT_EQ(read->parts[0].world_from_model, read->parts[4].world_from_model);
    // The wall of 4 × 0.3 × 3 m at (1, 2, 3).
    const Bounds wall = world_box(read->models[read->parts[8].model], read->parts[8].world_from_model);
    EXPECT_NEAR(wall.lo.x, 30 - 2.3, 1e-6);
    EXPECT_NEAR(wall.lo.y, 40 + 1, 1e-6);
    EXPECT_NEAR(wall.hi.z, 1 + 6, 1e-6);
    EXPECT_GT(read->parts[8].error, read->parts[0].error);
    EXPECT_LT(read->parts[8].error, read->parts[0].error + 1e-7);
    EXPECT_NE(std::ranges::find(read->notes, turned +
                                                 ": moved by 50.01 m and turned by 90° to where the map has it "
                                                 "beside " +
                                                 a + " (EPSG:25832)"),
              read->notes.end());
    EXPECT_EQ(std::ranges::count_if(read->notes, [](const std::string& n) { return n.find(": moved") != n.npos; }), 1);
}

TEST_F(Maps, UnlikeMapsAreLeftOut) {
    const std::string a = house_at("a.ifc", lines("1.,2.,3.,1.,0.,0.001"));
    const std::string b = house_at("b.ifc", lines("1.,2.,3.,1.,0.,0.001", "EPSG:25833"));
    const std::string why = b + ": not compared with " + a + ": its map is EPSG:25833, not EPSG:25832";
    const Result<Parts> read = read_parts(std::array{a, b}, {});
    ASSERT_TRUE(read) << read.fault().message;
    EXPECT_EQ(read->parts.size(), 4u);
    ASSERT_EQ(read->left_out.size(), 1u);
    EXPECT_EQ(read->left_out[0].file, b);
    EXPECT_EQ(read->left_out[0].reason, why);
    const Result<Parts> strict = read_parts(std::array{a, b}, {}, 0, {}, BadFiles::Stop);
    ASSERT_FALSE(strict);
    EXPECT_EQ(strict.fault().message, why);
}

TEST_F(Maps, FilesOnNoMapAreNamed) {
    const files::Conventions on{"IFC", 1, 'z', MapConversion{"EPSG:25832", {1, 2, 3}}}, off{"IFC", 1, 'z'};
    const std::vector<files::FileConventions> mixed{{"a.ifc", on}, {"b.ifc", off}, {"c.ifc", off}, {"d.ifc", off}};
    EXPECT_EQ(
        files::notes_on(mixed, {}),
        (std::vector<std::string>{"a.ifc says where on a map the coordinates are (EPSG:25832), b.ifc and 2 others "
                                  "do not: they are compared as they are"}));
    EXPECT_TRUE(files::notes_on(std::span(mixed).first(1), {}).empty());
    EXPECT_TRUE(files::notes_on(std::span(mixed).subspan(1), {}).empty());
}

TEST(MapPlacement, FollowsScaleAndAxes) {
    const double half = std::sqrt(0.5);
    const MapConversion to{"X", {5000000, 7000000, 10}, half, half, 0.9996};
    MapConversion from{"Y", {5000010, 7000020, 12}, -half, half, 1};
    const auto on = [](const MapConversion& map) { return files::Conventions{"IFC", 1, 'z', map}; };
    const auto on_map = [](const MapConversion& m, const Vec3& p) {
        return Vec3{m.cosine * p.x - m.sine * p.y, m.sine * p.x + m.cosine * p.y, p.z} * m.scale + m.origin;
    };
    const Vec3 p{3, 4, 5};
    const Result<Affine> place = files::placement_by_map(on(to), on(from), {});
    ASSERT_TRUE(place);
    EXPECT_LT(length(on_map(to, (*place)(p)) - on_map(from, p)), 1e-8);
    // Both files twice as large and with y up: the same place, seen so.
    const Result<Affine> turned = files::placement_by_map(on(to), on(from), {.scale = 2, .up = files::Up::Y});
    const Mat3 up = files::to_z_up(files::Up::Y);
    ASSERT_TRUE(turned);
    EXPECT_LT(length((*turned)(up * p * 2) - up * (*place)(p) * 2), 1e-9);
    // Files with the same conversion stay as they are, bit for bit.
    EXPECT_EQ(*files::placement_by_map(on(to), on(to), {}), Affine());
    from = to;
    from.crs = "the same by another name";
    EXPECT_EQ(*files::placement_by_map(on(to), on(from), {}), Affine());
    EXPECT_EQ(*files::placement_by_map({"IFC", 1, 'z'}, on(from), {}), Affine());
}

}  // namespace
}  // namespace graze::checks
