// SPDX-License-Identifier: Apache-2.0
// Shapes of IFC files: profiles with fillets and slopes, swept disks, surfaces that close, and products whose triangles
// are not their shape.
#include <algorithm>
#include <array>
#include <cmath>

#include "checks/parts.hpp"
#include "ifc_house.hpp"

namespace graze::files {
namespace {

using namespace test;
using IfcShapes = InHouse;

/// Lines of a product with these items, numbered from `id` on.
std::string product(int id, const std::string& name, const std::string& items) {
    const auto n = [&](int more) { return "#" + std::to_string(id + more); };
    return n(0) + "=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(" + items + "));\n" + n(1) +
           "=IFCPRODUCTDEFINITIONSHAPE($,$,(" + n(0) + "));\n" + n(2) + "=IFCBEAM('0000000000000000000" +
           std::to_string(id) + "',$,'" + name + "',$,$,#136," + n(1) + ",$,$);\n";
}

/// Lines of a beam of one metre with this profile, numbered from `id` on.
std::string beam(int id, const std::string& name, const std::string& profile) {
    const auto n = [&](int more) { return "#" + std::to_string(id + more); };
    return n(3) + "=" + profile + ";\n" + n(4) + "=IFCEXTRUDEDAREASOLID(" + n(3) + ",#52,#50,1000.);\n" +
           product(id, name, n(4));
}

bool is_closed(const Mesh& mesh) {
    const Result<Model> model = Model::build(mesh.view());
    return model.ok() && Solid(*model).closed();
}

TEST_F(IfcShapes, ProfilesKeepTheirFilletsAndSlopes) {
    // Eight chords per quarter of a circle leave this part of the radius' square out of a corner.
    const double k = 1 - 4 * std::sin(M_PI / 16), slope = 0.14, tan = std::tan(slope);
    const struct {
        const char* name;
        const char* line;
        double area, radius;  // in mm² and mm, the radius of the largest arc
    } all[] = {
        {"rounded", "IFCROUNDEDRECTANGLEPROFILEDEF(.AREA.,$,#111,60.,30.,5.)", 1800 - 100 * k, 5},
        {"stadium", "IFCROUNDEDRECTANGLEPROFILEDEF(.AREA.,$,$,60.,30.,15.)", 1800 - 900 * k, 15},
        {"hollow", "IFCRECTANGLEHOLLOWPROFILEDEF(.AREA.,$,#111,60.,30.,3.,2.,5.)", 504 - 84 * k, 5},
        {"I", "IFCISHAPEPROFILEDEF(.AREA.,$,#111,100.,200.,6.,10.,12.,$,$)", 3080 + 576 * k, 12},
        {"sloping I", "IFCISHAPEPROFILEDEF(.AREA.,$,#111,100.,200.,6.,10.,$,$,0.14)", 1200 + 4 * 47 * (10 - 1.5 * tan),
         0},
        {"unlike I", "IFCASYMMETRICISHAPEPROFILEDEF(.AREA.,$,#111,100.,200.,6.,10.,12.,60.,8.,6.,$,$,$,$)",
         2572 + 360 * k, 12},
        {"T", "IFCTSHAPEPROFILEDEF(.AREA.,$,#111,50.,25.,4.,5.,3.,2.,1.,$,$)", 305 + 8 * k, 3},
        {"U", "IFCUSHAPEPROFILEDEF(.AREA.,$,#111,50.,25.,5.,4.,3.,2.,$)", 410 + 10 * k, 3},
        {"sloping U", "IFCUSHAPEPROFILEDEF(.AREA.,$,#111,50.,25.,5.,4.,$,$,0.14)", 250 + 40 * (4 - 2.5 * tan), 0},
        {"L", "IFCLSHAPEPROFILEDEF(.AREA.,$,#111,60.,40.,5.,4.,2.,$)", 475 + 8 * k, 4},
        {"C", "IFCCSHAPEPROFILEDEF(.AREA.,$,#111,50.,25.,5.,10.,2.)", 500 - 180 * k, 7},
        {"Z", "IFCZSHAPEPROFILEDEF(.AREA.,$,#111,50.,25.,4.,5.,3.,2.)", 410 + 10 * k, 3},
    };
    House more{.metres = millimetre, .schema = "IFC4"};
    int id = 500;
    for (const auto& one : all) more.more += beam(id += 10, one.name, one.line);
    const Assembly read = house(more);
    ASSERT_EQ(read.parts.size(), 4 + std::size(all));
    EXPECT_TRUE(read.unread.empty());
    for (std::size_t i = 0; i < std::size(all); ++i) {
        const Mesh& mesh = read.meshes[read.parts[4 + i].mesh];
        EXPECT_EQ(read.parts[4 + i].name, all[i].name);
        EXPECT_NEAR(volume(mesh), all[i].area * 1e-6, 1e-9) << all[i].name;
        EXPECT_TRUE(is_closed(mesh)) << all[i].name;
        EXPECT_NEAR(mesh.error, all[i].radius * 1e-3 * (1 - std::cos(M_PI / 32)), 1e-6) << all[i].name;
    }
    // The profile is where its placement says, and the T's flange is above.
    const Bounds t = bounds(read, read.parts[10]), l = bounds(read, read.parts[13]);
    EXPECT_NEAR(t.low.x, -0.0125, 1e-8);
    EXPECT_NEAR(t.high.y, 0.025, 1e-8);
    EXPECT_NEAR(l.low.x, -0.02, 1e-8);
    EXPECT_NEAR(l.high.y, 0.03, 1e-8);
}

TEST_F(IfcShapes, ProfilesThatContradictThemselvesAreListed) {
    House bad{.metres = millimetre, .schema = "IFC4"};
    bad.more = beam(500, "tight", "IFCCSHAPEPROFILEDEF(.AREA.,$,#111,50.,25.,5.,10.,30.)");
    const Assembly read = house(bad);
    ASSERT_EQ(read.unread.size(), 1u);
    EXPECT_EQ(read.unread[0].path, "tight");
    EXPECT_EQ(read.unread[0].id, "0000000000000000000500");
    EXPECT_EQ(read.unread[0].reason, "the dimensions of its IfcCShapeProfileDef contradict each other");
}

TEST_F(IfcShapes, DisksAreSweptFromStartToEnd) {
    // A way of two straight pieces of one metre and a quarter of a circle of 0.2 m between them.
    const std::string way = R"(#500=IFCCARTESIANPOINT((0.,0.,0.));
#501=IFCCARTESIANPOINT((1000.,0.,0.));
#502=IFCPOLYLINE((#500,#501));
#503=IFCCARTESIANPOINT((1000.,200.,0.));
#504=IFCDIRECTION((0.,-1.,0.));
#505=IFCAXIS2PLACEMENT3D(#503,#50,#504);
#506=IFCCIRCLE(#505,200.);
#507=IFCTRIMMEDCURVE(#506,(IFCPARAMETERVALUE(0.)),(IFCPARAMETERVALUE(1.5707963267948966)),.T.,.PARAMETER.);
#508=IFCCARTESIANPOINT((1200.,200.,0.));
#509=IFCVECTOR(#133,1.);
#510=IFCLINE(#508,#509);
#511=IFCCARTESIANPOINT((1200.,1200.,0.));
#512=IFCTRIMMEDCURVE(#510,(#508),(#511),.T.,.CARTESIAN.);
#513=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#502);
#514=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#507);
#515=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#512);
#516=IFCCOMPOSITECURVE((#513,#514,#515),.F.);
#520=IFCCARTESIANPOINTLIST3D(((0.,0.,0.),(1000.,0.,0.),(1141.4213562373095,58.578643762690495,0.),(1200.,200.,0.),(1200.,1200.,0.)));
#521=IFCINDEXEDPOLYCURVE(#520,(IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5))),.F.);
#522=IFCPOLYLINE((#500,#501,#508));
#523=IFCCIRCLE(#52,500.);
)";
    const double bend = 0.2 * 8 * 2 * std::sin(M_PI / 32), ring = 0.5 * 32 * 2 * std::sin(M_PI / 32);
    const double corner = 1 + std::hypot(0.2, 0.2);
    const struct {
        const char* name;
        const char* line;
        double way, inner;  // the length of its chords and the inner radius in metres
    } all[] = {
        {"all", "IFCSWEPTDISKSOLID(#516,10.,$,$,$)", 2 + bend, 0},
        {"by parameters", "IFCSWEPTDISKSOLID(#516,10.,$,0.,1002.5707963267949)", 2 + bend, 0},
        {"straight part", "IFCSWEPTDISKSOLID(#516,10.,$,0.25,0.75)", 0.5, 0},
        {"arc and half a line", "IFCSWEPTDISKSOLID(#516,10.,$,1.,502.5707963267949)", 0.5 + bend, 0},
        {"indexed", "IFCSWEPTDISKSOLID(#521,10.,$,$,$)", 2 + bend, 0},
        {"pipe", "IFCSWEPTDISKSOLID(#521,10.,8.,$,$)", 2 + bend, 0.008},
        {"mitred", "IFCSWEPTDISKSOLID(#522,10.,$,0.,2.)", corner, 0},
        {"from 0 to 1", "IFCSWEPTDISKSOLID(#522,10.,$,0.,1.)", corner, 0},
        {"ring", "IFCSWEPTDISKSOLID(#523,10.,$,0.,6.283185307179586)", ring, 0},
        {"rounded", "IFCSWEPTDISKSOLIDPOLYGONAL(#522,10.,$,$,$,50.)", 0, 0},
    };
    House more{.metres = millimetre, .schema = "IFC4", .more = way};
    int id = 600;
    for (const auto& one : all) {
        id += 10;
        more.more +=
            "#" + std::to_string(id + 5) + "=" + one.line + ";\n" + product(id, one.name, "#" + std::to_string(id + 5));
    }
    const Assembly read = house(more);
    ASSERT_EQ(read.parts.size(), 4 + std::size(all));
    EXPECT_TRUE(read.unread.empty());
    const double disk = 16 * std::sin(M_PI / 16);  // area of a polygon of 32 corners
    for (std::size_t i = 0; i < std::size(all); ++i) {
        const auto& one = all[i];
        const Mesh& mesh = read.meshes[read.parts[4 + i].mesh];
        EXPECT_EQ(read.parts[4 + i].name, one.name);
        EXPECT_TRUE(is_closed(mesh)) << one.name;
        if (one.way == 0) continue;
        const double right = disk * (1e-4 - one.inner * one.inner) * one.way;
        EXPECT_NEAR(volume(mesh), right, 2e-4 * right) << one.name;
        EXPECT_GE(mesh.error, 0.01 * (1 - std::cos(M_PI / 32))) << one.name;
        EXPECT_LT(mesh.error, 0.003) << one.name;
    }
    // The ends are square, and the arc starts where the line ends.
    expect_bounds(read, 6, {0.25, -0.01, -0.01}, {0.75, 0.01, 0.01});
    EXPECT_NEAR(bounds(read, read.parts[7]).low.x, 1, 1e-6);
    EXPECT_NEAR(bounds(read, read.parts[7]).high.y, 0.7, 1e-6);
    EXPECT_EQ(std::ranges::count(read.notes, path() + ": 'from 0 to 1' is swept along a whole curve, though its "
                                                      "parameters are 0 to 1"),
              1);
    // Rounding a corner of 45° with a radius of 50 mm saves a little of the way.
    EXPECT_LT(volume(read.meshes[read.parts[13].mesh]), volume(read.meshes[read.parts[10].mesh]));
    EXPECT_GT(volume(read.meshes[read.parts[13].mesh]), 0.99 * volume(read.meshes[read.parts[10].mesh]));
}

TEST_F(IfcShapes, ProductsWhoseTrianglesAreNotTheirShapeAreListed) {
    House bad{.metres = millimetre, .schema = "IFC4"};
    // A way without length has no sweep, and a circle turned about its own middle none that faces outwards.
    bad.more = R"(#504=IFCSWEPTDISKSOLID(#505,10.,$,0.,1.);
#505=IFCPOLYLINE((#1,#1));
#506=IFCCIRCLEPROFILEDEF(.AREA.,$,#111,400.);
#507=IFCAXIS1PLACEMENT(#1,#133);
#508=IFCREVOLVEDAREASOLID(#506,#52,#507,3.141592653589793);
)";
    bad.more += product(520, "nothing", "#504") + product(530, "half", "#113,#504") + product(540, "ball", "#508");
    const Assembly read = house(bad);
    ASSERT_EQ(read.unread.size(), 3u);
    EXPECT_EQ(read.unread[0], (Unread{"nothing", "0000000000000000000520", "its IfcSweptDiskSolid cannot be meshed"}));
    EXPECT_EQ(read.unread[1], (Unread{"half", "0000000000000000000530", "its IfcSweptDiskSolid cannot be meshed"}));
    EXPECT_EQ(read.unread[2],
              (Unread{"ball", "0000000000000000000540", "web-ifc gives its IfcRevolvedAreaSolid no volume"}));
    // A check leaves them out, by the names of file and product.
    const Result<checks::Parts> parts = checks::read_parts(std::array{path()}, {});
    ASSERT_TRUE(parts) << parts.fault().message;
    ASSERT_EQ(parts->left_out.size(), 3u);
    EXPECT_EQ(parts->left_out[1].name(), "half");
    EXPECT_EQ(parts->left_out[1].reason,
              path() + ": 'half' (0000000000000000000530): its IfcSweptDiskSolid cannot be meshed");
    std::vector<std::string> notes;
    ASSERT_TRUE(read_mesh(path(), {}, &notes));
    EXPECT_EQ(std::ranges::count(notes, parts->left_out[1].reason), 1);
}

TEST_F(IfcShapes, PointsOnEdgesOfNeighboursLeaveNoGaps) {
    // A tetrahedron with one more point on an edge, which only one of the two triangles there has.
    House more{.metres = millimetre, .schema = "IFC4"};
    more.more =
        R"(#500=IFCCARTESIANPOINTLIST3D(((0.,0.,0.),(1000.,0.,700.),(0.,1000.,0.),(0.,0.,1000.),(300.,0.,210.)));
#501=IFCTRIANGULATEDFACESET(#500,$,.T.,((1,3,2),(2,3,4),(3,1,4),(1,5,4),(5,2,4)),$);
)" + product(510, "girder", "#501");
    const Assembly read = house(more);
    ASSERT_EQ(read.parts.size(), 5u);
    const Mesh& mesh = read.meshes[read.parts[4].mesh];
    EXPECT_TRUE(is_closed(mesh));
    EXPECT_EQ(mesh.polygon_count(), 6u);
    EXPECT_LT(mesh.error, 1e-6);
}

}  // namespace
}  // namespace graze::files
