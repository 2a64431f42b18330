// SPDX-License-Identifier: Apache-2.0
// IFC files: units, axes, names, labels, openings, shared shapes, and what is said of files that are broken.
#include <cstdlib>
#include <random>

#include "files/zip.hpp"
#include "ifc_house.hpp"
#include "scene_files.hpp"

namespace graze::files {
namespace {

using namespace test;
using Ifc = InHouse;

TEST_F(Ifc, AnyUnitComesOutInMetres) {
    for (const double metres : {1.0, millimetre, foot, inch}) {
        // As far from the origin as national grids are, nothing is lost.
        const Vec3 site = metres == millimetre ? Vec3{3500000.123, 5400000.456, 100} : Vec3{};
        const Assembly read = house({.metres = metres, .site = site});
        ASSERT_EQ(read.parts.size(), 4u) << metres;
        EXPECT_NEAR(read.conventions.metres, metres, 1e-12);
        EXPECT_EQ(read.conventions.format, "IFC");
        EXPECT_EQ(read.conventions.up, 'z');
        expect_bounds(read, 0, site + Vec3{1, 2, 3}, site + Vec3{5, 2.3, 6});
        expect_bounds(read, 1, site + Vec3{9.75, -0.125, 0}, site + Vec3{10.25, 0.125, 1});
        expect_bounds(read, 2, site + Vec3{10.875, 1.75, 3}, site + Vec3{11.125, 2.25, 4});
        // The opening is cut.
        EXPECT_NEAR(volume(read.meshes[read.parts[0].mesh]), 4 * 0.3 * 3 - 1 * 0.3 * 1, 1e-6);
        for (const Mesh& mesh : read.meshes)
            for (const Vec3& p : mesh.points) EXPECT_LT(length(p), 10);
    }
    const Assembly turned = house({.metres = foot}, {.scale = 2, .up = Up::Y});
    expect_bounds(turned, 0, {2, -12, 4}, {10, -6, 4.6});
}

TEST_F(Ifc, PartsHaveNamesAndLabels) {
    const Assembly read = house({.schema = "IFC4X3_ADD2"});
    ASSERT_EQ(read.parts.size(), 4u);
    const Part& wall = read.parts[0];
    EXPECT_EQ(wall.name, "North wall");
    EXPECT_EQ(wall.path, "Gelände/Büro/Étage 1/North wall");
    EXPECT_EQ(wall.labels.id, "2O2Fr$t4X7Zf8NOew3FNr2");
    EXPECT_EQ(wall.labels.type, "IfcWallStandardCase");
    EXPECT_EQ(wall.labels.layer, "A-WALL");
    EXPECT_EQ(wall.labels.storey, "Étage 1");
    EXPECT_EQ(wall.labels.discipline, "");
    EXPECT_EQ(read.parts[3].path, "Gelände/Büro/Étage 1/IfcFurnishingElement");
    // The chairs share a mesh and are placed rigidly.
    EXPECT_EQ(read.meshes.size(), 2u);
    EXPECT_EQ(read.meshes[1].points.size(), 8u);
    EXPECT_EQ(read.meshes[1].polygon_count(), 12u);
    for (const Part& part : read.parts) EXPECT_TRUE(part.world_from_mesh.rigid());
    const std::string storey = path() + ": 'Gelände/Büro/Étage 1/";
    EXPECT_EQ(read.notes, (std::vector<std::string>{storey + "Room' is a space: it is left out",
                                                    storey + "Nothing' has no geometry"}));
    // Raw Latin-1, as old programs write it.
    EXPECT_EQ(house({.wall_name = "S\xfc\x64\\X\\0Aside''"}).parts[0].name, "Süd side'");
}

TEST_F(Ifc, ShapesAreSharedOnlyWhereTheyAreEqual) {
    // Two walls of one mapped shape, of which one has an opening, and one that is stretched to 8 × 0.3 × 9 m.
    House more;
    more.contained = ",#307,#311,#324";
    more.more = R"(#300=IFCREPRESENTATIONMAP(#52,#301);
#301=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#303));
#303=IFCEXTRUDEDAREASOLID(#83,#52,#50,3.);
#304=IFCMAPPEDITEM(#300,#116);
#305=IFCSHAPEREPRESENTATION(#53,'Body','MappedRepresentation',(#304));
#306=IFCPRODUCTDEFINITIONSHAPE($,$,(#305));
#307=IFCWALL('000000000000000000000G',$,'cut',$,$,#136,#306,$);
#311=IFCWALL('000000000000000000000H',$,'whole',$,$,#132,#306,$);
#315=IFCLOCALPLACEMENT(#136,#207);
#316=IFCOPENINGELEMENT('000000000000000000000I',$,'Opening',$,$,#315,#205,$);
#317=IFCRELVOIDSELEMENT('000000000000000000000J',$,$,$,#307,#316);
#320=IFCCARTESIANTRANSFORMATIONOPERATOR3DNONUNIFORM($,$,#1,2.,$,1.,3.);
#321=IFCMAPPEDITEM(#300,#320);
#322=IFCSHAPEREPRESENTATION(#53,'Body','MappedRepresentation',(#321));
#323=IFCPRODUCTDEFINITIONSHAPE($,$,(#322));
#324=IFCWALL('000000000000000000000K',$,'stretched',$,$,#132,#323,$);
)";
    const Assembly read = house(more);
    ASSERT_EQ(read.parts.size(), 7u);
    EXPECT_EQ(read.parts[4].name, "cut");
    EXPECT_NEAR(volume(read.meshes[read.parts[4].mesh]), 3.3, 1e-6);
    EXPECT_NEAR(volume(read.meshes[read.parts[5].mesh]), 3.6, 1e-6);
    EXPECT_NEAR(volume(read.meshes[read.parts[6].mesh]), 8 * 0.3 * 9, 1e-5);
    expect_bounds(read, 6, {10, 0, 0}, {18, 0.3, 9});
}

/// The largest distance of a part's edges from a cylinder around the z axis.
double inside_of(const Assembly& read, std::size_t part, double radius) {
    const Mesh& mesh = read.meshes[read.parts[part].mesh];
    const Affine& place = read.parts[part].world_from_mesh;
    double most = 0;
    for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
        const Vec3 a = place(mesh.points[mesh.corners[i]]),
                   b = place(mesh.points[mesh.corners[i - i % 3 + (i + 1) % 3]]);
        if (length(a - b) < radius / 4) most = std::max(most, radius - std::hypot((a.x + b.x) / 2, (a.y + b.y) / 2));
    }
    return most;
}

TEST_F(Ifc, EveryMeshCarriesItsError) {
    House round{.metres = millimetre, .schema = "IFC4"};
    round.more = R"(#400=IFCCIRCLEPROFILEDEF(.AREA.,$,#111,300.);
#401=IFCEXTRUDEDAREASOLID(#400,#52,#50,3000.);
#402=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#401));
#403=IFCPRODUCTDEFINITIONSHAPE($,$,(#402));
#404=IFCCOLUMN('000000000000000000000G',$,'column',$,$,#136,#403,$,$);
#410=IFCCARTESIANPOINTLIST2D(((0.,0.),(1000.,0.),(1500.,500.),(1000.,1000.),(0.,1000.)));
#411=IFCINDEXEDPOLYCURVE(#410,(IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5,1))),.F.);
#412=IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#411);
#413=IFCEXTRUDEDAREASOLID(#412,#52,#50,100.);
#414=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#413));
#415=IFCPRODUCTDEFINITIONSHAPE($,$,(#414));
#416=IFCSLAB('000000000000000000000H',$,'slab',$,$,#136,#415,$,$);
#420=IFCISHAPEPROFILEDEF(.AREA.,$,#111,200.,190.,6.5,10.,18.,$,$);
#421=IFCEXTRUDEDAREASOLID(#420,#52,#50,3000.);
#422=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#421));
#423=IFCPRODUCTDEFINITIONSHAPE($,$,(#422));
#424=IFCBEAM('000000000000000000000I',$,'beam',$,$,#136,#423,$,$);
#430=IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$,#1,2.,$);
#431=IFCREPRESENTATIONMAP(#52,#402);
#432=IFCMAPPEDITEM(#431,#430);
#433=IFCCIRCLE(#111,900.);
#434=IFCSHAPEREPRESENTATION(#53,'FootPrint','Curve2D',(#433));
#435=IFCSHAPEREPRESENTATION(#53,'Body','MappedRepresentation',(#432));
#436=IFCPRODUCTDEFINITIONSHAPE($,$,(#434,#435));
#437=IFCCOLUMN('000000000000000000000J',$,'thick column',$,$,#136,#436,$,$);
#440=IFCBSPLINECURVEWITHKNOTS(2,(#441,#442,#443),.UNSPECIFIED.,.F.,.F.,(3,3),(0.,1.),.UNSPECIFIED.);
#441=IFCCARTESIANPOINT((0.,0.));
#442=IFCCARTESIANPOINT((500.,800.));
#443=IFCCARTESIANPOINT((1000.,0.));
#444=IFCPOLYLINE((#443,#441));
#445=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#440);
#446=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#444);
#447=IFCCOMPOSITECURVE((#445,#446),.F.);
#448=IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#447);
#449=IFCEXTRUDEDAREASOLID(#448,#52,#50,100.);
#450=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#449));
#451=IFCPRODUCTDEFINITIONSHAPE($,$,(#450));
#452=IFCSLAB('000000000000000000000K',$,'spline',$,$,#136,#451,$,$);
#460=IFCCARTESIANPOINT((1000.,0.));
#461=IFCAXIS2PLACEMENT2D(#460,$);
#462=IFCRECTANGLEPROFILEDEF(.AREA.,$,#461,200.,200.);
#463=IFCDIRECTION((0.,1.,0.));
#464=IFCAXIS1PLACEMENT(#1,#463);
#465=IFCREVOLVEDAREASOLID(#462,#52,#464,1.5707963267948966);
#466=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#465));
#467=IFCPRODUCTDEFINITIONSHAPE($,$,(#466));
#468=IFCCOLUMN('000000000000000000000L',$,'quarter',$,$,#136,#467,$,$);
)";
    const Assembly read = house(round);
    ASSERT_EQ(read.parts.size(), 10u);
    const auto error = [&](std::size_t part) { return read.meshes[read.parts[part].mesh].error; };
    // The file states 1e-5 mm. Corners near an opening may be merged.
    EXPECT_NEAR(error(0), 1e-4, 1e-6);
    EXPECT_LT(error(1), 1e-7);
    // web-ifc has 31 different points on a circle.
    EXPECT_EQ(read.parts[4].name, "column");
    EXPECT_GE(error(4), inside_of(read, 4, 0.3));
    EXPECT_GT(inside_of(read, 4, 0.3), 0.3 * (1 - std::cos(M_PI / 32)));
    EXPECT_LT(error(4), 0.3 * 0.006);
    // A half circle of radius 0.5 m: both of its halves have 16 pieces.
    EXPECT_NEAR(error(5), 0.5 * (1 - std::cos(M_PI / 64)), 1e-6);
    // A fillet of 18 mm has eight pieces.
    EXPECT_NEAR(error(6), 0.018 * (1 - std::cos(M_PI / 32)), 1e-6);
    // The footprint has no triangles.
    EXPECT_NEAR(error(7), 2 * error(4), 1e-6);
    EXPECT_GE(error(7), inside_of(read, 7, 0.6));
    EXPECT_GT(error(8), 1e-3);
    EXPECT_LT(error(8), 1e-2);
    // The outer radius of the quarter ring is 1.1 m, and it has eight pieces.
    EXPECT_GE(error(9), 1.1 * (1 - std::cos(M_PI / 32)));
    EXPECT_LT(error(9), 1.1 * 0.01);
    ASSERT_GE(read.notes.size(), 2u);
    EXPECT_EQ(read.notes[0], path() + ": 'column' and 5 others are curved: meshed with 32 points per circle");

    // A precision that a part is too small for is not believed; without one it is usually 1e-5 m.
    House coarse;
    for (const char* precision : {"$", "0.5"}) {
        const Result<Assembly> out = this->read(replaced(coarse.text(), "1.E-05", precision));
        ASSERT_TRUE(out) << out.fault().message;
        EXPECT_NEAR(out->meshes[out->parts[1].mesh].error, 1e-5, 1e-7) << precision;
    }
    const Result<Assembly> stated = this->read(replaced(coarse.text(), "1.E-05", "0.0005"), {.scale = 1000});
    ASSERT_TRUE(stated) << stated.fault().message;
    EXPECT_NEAR(stated->meshes[stated->parts[1].mesh].error, 0.5, 1e-3);
}

TEST_F(Ifc, AProductOfSeveralShapesIsOnePartWithAPath) {
    House two{.metres = millimetre, .contained = ",#500", .wall_items = "#84,#400"};
    two.more = R"(#401=IFCCARTESIANPOINT((0.,0.,4000.));
#402=IFCAXIS2PLACEMENT3D(#401,#50,#133);
#400=IFCEXTRUDEDAREASOLID(#83,#402,#50,1000.);
#410=IFCCOLOURRGB($,1.,0.5,0.25);
#411=IFCSURFACESTYLERENDERING(#410,0.,$,$,$,$,$,$,.NOTDEFINED.);
#412=IFCSURFACESTYLE('s',.BOTH.,(#411));
#413=IFCPRESENTATIONSTYLEASSIGNMENT((#412));
#414=IFCSTYLEDITEM(#84,(#413),$);
#415=IFCSTYLEDITEM(#400,(#413),$);
#500=IFCSTAIR('000000000000000000000G',$,'Stairs',$,$,#136,$,$,.NOTDEFINED.);
#501=IFCSTAIRFLIGHT('000000000000000000000H',$,'Flight',$,$,#136,#119,$,$,$,$,$);
#502=IFCRELAGGREGATES('000000000000000000000I',$,$,$,#500,(#501));
#503=IFCWALL('000000000000000000000J',$,'Nowhere',$,$,#136,#119,$);
)";
    const Assembly read = house(two);
    ASSERT_EQ(read.parts.size(), 6u);
    // The second shape is turned by a quarter: its length runs along y.
    expect_bounds(read, 0, {0.7, 2, 3}, {5, 6, 8});
    EXPECT_NEAR(volume(read.meshes[read.parts[0].mesh]), 3.3 + 1.2, 1e-6);
    EXPECT_EQ(read.meshes[read.parts[0].mesh].colour, (Colour{1, 0.5, 0.25, 1}));
    EXPECT_EQ(read.meshes[read.parts[1].mesh].colour, std::nullopt);
    EXPECT_EQ(read.parts[4].path, "Gelände/Büro/Étage 1/Stairs/Flight");
    EXPECT_EQ(read.parts[4].labels.storey, "Étage 1");
    EXPECT_EQ(read.parts[5].path, "Nowhere");
    EXPECT_EQ(read.parts[5].labels.storey, "");
}

TEST_F(Ifc, ArchivesAreUnpacked) {
    const std::string text = House().text();
    for (const bool damaged : {false, true}) {
        std::string bytes = *to_zip({{"notes.txt", "no"}, {"house.ifc", text}});
        if (damaged) bytes.resize(bytes.size() / 2);
        const Result<Assembly> out = read(bytes, {}, "house.ifczip");
        EXPECT_EQ(out.ok(), !damaged);
        if (out) EXPECT_EQ(out->parts.size(), 4u);
    }
    EXPECT_EQ(refusal(*to_zip({{"house.ifcXML", text}}), "house.ifczip"), ": the archive holds no .ifc file");
}

TEST_F(Ifc, BrokenFilesAreRefusedInALine) {
    const std::string good = ifc();
    for (const std::size_t eighths : {1, 4, 7}) EXPECT_NE(refusal(good.substr(0, good.size() * eighths / 8)), "");
    EXPECT_NE(refusal(good.substr(0, good.size() - 20)), "");
    EXPECT_NE(refusal(""), "");
    EXPECT_EQ(refusal(std::string(1000, '\0')), ": not an IFC file: it does not start with ISO-10303-21");
    EXPECT_NE(refusal(ifc("(0.,zero,1.)")).find("'zero' is not a value"), std::string::npos);
    EXPECT_NE(refusal(ifc("(0.,1.5.2,1.)")).find("'1.5.2' is not a number"), std::string::npos);
    EXPECT_NE(refusal(ifc("(0.,0.,1.)", "(#1,#2,#999)")).find(": #999 is not defined"), std::string::npos);
    EXPECT_NE(refusal(ifc("(0.,0.,1.)", "(#1,#2,#1000000000)")).find("#1000000000 is not defined"), std::string::npos);
    EXPECT_NE(refusal(ifc("(0.,0.,1.)", "(#1,#2,#4")).find("a parenthesis is not closed"), std::string::npos);
    EXPECT_NE(refusal(replaced(good, "#2=", "#1=")).find("#1 is defined twice"), std::string::npos);
    EXPECT_EQ(refusal(replaced(good, "IFC2X3", "IFC2X2")),
              ": the schema IFC2X2 is not supported; IFC2X3, IFC4 and IFC4X3 are");
    EXPECT_EQ(refusal(replaced(good, "#82,#81,$,$)", "#82,$,$,$)")),
              ": no product has a shape; 'building/wedge' has no geometry");
    // web-ifc takes what is no direction for one that is not a number.
    House bad;
    bad.more = R"(#330=IFCCARTESIANTRANSFORMATIONOPERATOR3D(#331,$,#1,1.,$);
#331=IFCDIRECTION(#1,'1','x','x');
#332=IFCMAPPEDITEM(#100,#330);
#333=IFCSHAPEREPRESENTATION(#53,'Body','MappedRepresentation',(#332));
#334=IFCPRODUCTDEFINITIONSHAPE($,$,(#333));
#335=IFCWALL('000000000000000000000L',$,'turned',$,$,#136,#334,$);
)";
    EXPECT_EQ(refusal(bad.text()), ": a coordinate of 'turned' is not finite, or out of range");
    // A missing line that changes no shape is skipped.
    const Result<Assembly> loose = read(replaced(replaced(good, "(#83),#72)", "(#83,#999),#72)"), "IFC2X3", "IFC4X1"));
    ASSERT_TRUE(loose) << loose.fault().message;
    EXPECT_EQ(loose->notes,
              (std::vector<std::string>{path() + ": the schema IFC4X1, a draft, is read as IFC4X3",
                                        path() + ": 1 reference to a line that is not there is skipped"}));
}

TEST_F(Ifc, MutatedFilesLoadOrAreRefused) {
    const std::string good = House().text();
    std::mt19937 random(7);
    for (int i = 0; i < 4; ++i) {
        std::string bad = good;
        // Digits, so that most of them pass the check of the text.
        for (int k = 0; k < 3; ++k) {
            std::size_t at = random() % bad.size();
            while (bad[at] < '0' || bad[at] > '9') at = (at + 1) % bad.size();
            bad[at] = static_cast<char>('0' + random() % 10);
        }
        const Result<Assembly> out = read(bad);
        if (out)
            for (const Mesh& mesh : out->meshes) EXPECT_TRUE(Model::build(mesh.view(), {.threads = 1})) << i;
        else
            EXPECT_EQ(out.fault().message.find('\n'), std::string::npos) << out.fault().message;
    }
}

TEST_F(Ifc, WhatIsMissingIsNamed) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", folder_.c_str(), 1);
    EXPECT_EQ(refusal(House().text()), ": reading IFC needs Node.js (package nodejs)");
    setenv("PATH", path.c_str(), 1);
    setenv("GRAZE_PREFIX", folder_.c_str(), 1);
    EXPECT_NE(refusal(House().text()).find(": this build reads no IFC"), std::string::npos);
    unsetenv("GRAZE_PREFIX");
}

TEST(IfcNames, AreThoseOfScenes) {
    for (const char* name : {"a.ifc", "a.IFC", "a.ifczip", "a.step", "a.stp", "a.STP", "a.iges", "a.igs"})
        EXPECT_TRUE(is_mesh_name(name)) << name;
    EXPECT_FALSE(is_mesh_name("a.ifcxml"));
}

}  // namespace
}  // namespace graze::files
