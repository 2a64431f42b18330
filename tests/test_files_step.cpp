// SPDX-License-Identifier: Apache-2.0
// STEP and IGES files, written here with OpenCASCADE: units, names, placements, colours, deflection.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "checks/clash.hpp"
#include "files/assembly.hpp"
#include "files/beside_program.hpp"
#include "files/step_file.hpp"
#include "temporary_folder.hpp"

#ifdef GRAZE_OPENCASCADE
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakePolygon.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakeRevol.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRepPrimAPI_MakeTorus.hxx>
#include <IGESCAFControl_Writer.hxx>
#include <IGESControl_Controller.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <STEPControl_Controller.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopoDS_Shape.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <gp_Ax1.hxx>

#endif

namespace graze::files {
namespace {

class Step : public test::InTemporaryFolder {
protected:
    /// The message for such a file, from the end of its name on; empty when it loads.
    std::string refusal(const std::string& name, const std::string& bytes) const {
        const std::string path = write(name, bytes);
        const Result<Assembly> out = read_assembly(path);
        if (out) return "";
        const std::string& what = out.fault().message;
        EXPECT_TRUE(what.starts_with(path) && what.find('\n') == what.npos) << what;
        return what.substr(std::min(what.size(), path.size()));
    }
};

TEST_F(Step, ABuildWithoutTheReaderSaysSo) {
    setenv("GRAZE_PREFIX", folder_.c_str(), 1);
    EXPECT_EQ(refusal("part.step", "ISO-10303-21;\n"),
              ": this build reads no STEP: it was made without OpenCASCADE (libocct-data-exchange-dev), or the package "
              "graze-step is missing");
    EXPECT_EQ(refusal("part.IGS", "S\n"),
              ": this build reads no IGES: it was made without OpenCASCADE (libocct-data-exchange-dev), or the package "
              "graze-step is missing");
    unsetenv("GRAZE_PREFIX");
}

#ifdef GRAZE_OPENCASCADE

/// A plate of 100 × 50 × 10 mm and two places of a peg of radius 5 and height 20 mm: one moved by (20, 0, 10), the
/// other turned about x by a right angle and moved by (60, 0, 10).
Handle(TDocStd_Document) plate_with_pegs() {
    Handle(TDocStd_Document) document;
    XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
    const Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    const Handle(XCAFDoc_ColorTool) colours = XCAFDoc_DocumentTool::ColorTool(document->Main());
    const auto product = [&](const TopoDS_Shape& shape, const char* name) {
        const TDF_Label label = shapes->AddShape(shape, false);
        TDataStd_Name::Set(label, TCollection_ExtendedString(name, true));
        return label;
    };
    const TDF_Label plate = product(BRepPrimAPI_MakeBox(100, 50, 10).Shape(), "Plate");
    const TDF_Label peg = product(BRepPrimAPI_MakeCylinder(5, 20).Shape(), "Zäpfchen");
    colours->SetColor(peg, Quantity_Color(1, 0.5, 0.25, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    const TDF_Label top = shapes->NewShape();
    TDataStd_Name::Set(top, "Gauge");
    const auto place = [&](const TDF_Label& what, const char* name, const gp_Trsf& how) {
        TDataStd_Name::Set(shapes->AddComponent(top, what, TopLoc_Location(how)), name);
    };
    gp_Trsf left, right, turn;
    left.SetTranslation(gp_Vec(20, 0, 10));
    right.SetTranslation(gp_Vec(60, 0, 10));
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)), M_PI / 2);
    place(plate, "base", gp_Trsf());
    place(peg, "left peg", left);
    place(peg, "right peg", right * turn);
    shapes->UpdateAssemblies();
    return document;
}

void write_step(const std::string& path, const char* unit) {
    Message::DefaultMessenger()->ChangePrinters().Clear();
    // The controller sets the default of the unit; the writer takes it when it is made.
    STEPControl_Controller::Init();
    Interface_Static::SetCVal("write.step.unit", unit);
    STEPCAFControl_Writer writer;
    writer.Transfer(plate_with_pegs());
    ASSERT_EQ(writer.Write(path.c_str()), IFSelect_RetDone);
}

double volume(const Mesh& mesh) {
    double sum = 0;
    for (std::size_t i = 0; i + 2 < mesh.corners.size(); i += 3)
        sum += dot(mesh.points[mesh.corners[i]],
                   cross(mesh.points[mesh.corners[i + 1]], mesh.points[mesh.corners[i + 2]]));
    return sum / 6;
}

void expect_bounds(const Assembly& assembly, std::size_t part, const Vec3& low, const Vec3& high, double tolerance) {
    const Part& p = assembly.parts[part];
    Vec3 is_low{1e300, 1e300, 1e300}, is_high{-1e300, -1e300, -1e300};
    for (const Vec3& point : assembly.meshes[p.mesh].points)
        for (int d = 0; d < 3; ++d) {
            is_low[d] = std::min(is_low[d], p.world_from_mesh(point)[d]);
            is_high[d] = std::max(is_high[d], p.world_from_mesh(point)[d]);
        }
    for (int d = 0; d < 3; ++d) {
        EXPECT_NEAR(is_low[d], low[d], tolerance) << part << " " << d;
        EXPECT_NEAR(is_high[d], high[d], tolerance) << part << " " << d;
    }
}

/// Every edge has two triangles, which run along it in opposite directions.
bool is_closed(const Mesh& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (std::size_t i = 0; i < mesh.corners.size(); i += 3)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = mesh.corners[i + k], b = mesh.corners[i + (k + 1) % 3];
            edges[std::minmax(a, b)] += a < b ? 1 : -1;
        }
    return std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 0; });
}

TEST_F(Step, AnAssemblyInAnyUnit) {
    for (const auto& [unit, metres] : {std::pair("MM", 0.001), std::pair("INCH", 0.0254), std::pair("M", 1.0)}) {
        write_step(at("gauge.step"), unit);
        const Result<Assembly> read = read_assembly(at("gauge.step"));
        ASSERT_TRUE(read) << read.fault().message;
        EXPECT_EQ(read->conventions, (Conventions{"STEP", metres, 'z'}));
        ASSERT_EQ(read->parts.size(), 3u);
        // The writer leaves out the name of a place that does not move. Then the product's name stands for it.
        EXPECT_EQ(read->parts[0].path, "Gauge/Plate");
        EXPECT_EQ(read->parts[1].path, "Gauge/left peg");
        EXPECT_EQ(read->parts[2].name, "right peg");
        EXPECT_EQ(read->parts[2].labels.type, "Zäpfchen");
        // Both pegs share a mesh.
        ASSERT_EQ(read->meshes.size(), 2u);
        EXPECT_EQ(read->parts[1].mesh, read->parts[2].mesh);
        expect_bounds(*read, 0, {0, 0, 0}, {0.1, 0.05, 0.01}, 1e-9);
        // The silhouette of the triangles of a curve lies within the deflection.
        expect_bounds(*read, 1, {0.015, -0.005, 0.01}, {0.025, 0.005, 0.03}, 5e-5);
        expect_bounds(*read, 2, {0.055, -0.02, 0.005}, {0.065, 0, 0.015}, 5e-5);
        const Mesh& peg = read->meshes[read->parts[1].mesh];
        EXPECT_NEAR(volume(peg), M_PI * 0.005 * 0.005 * 0.02, 0.02 * M_PI * 0.005 * 0.005 * 0.02);
        EXPECT_NEAR(volume(read->meshes[read->parts[0].mesh]), 0.1 * 0.05 * 0.01, 1e-12);
        for (const Mesh& mesh : read->meshes) EXPECT_TRUE(is_closed(mesh));
        ASSERT_TRUE(peg.colour);
        EXPECT_NEAR((*peg.colour)[1], 0.5, 0.01);
        ASSERT_EQ(read->notes.size(), 1u) << read->notes[1];
        EXPECT_EQ(read->notes[0], "curved faces are meshed within 0.0245 to 0.112 mm (--deflection sets it)");
    }
}

TEST_F(Step, OptionsAreTaken) {
    write_step(at("gauge.stp"), "MM");
    const auto coarse = read_assembly(at("gauge.stp"), {.deflection = 1e-3});
    const auto fine = read_assembly(at("gauge.stp"), {.scale = 1000, .up = Up::Y, .deflection = 1e-6});
    ASSERT_TRUE(coarse && fine);
    EXPECT_GT(fine->polygon_count(), 5 * coarse->polygon_count());
    EXPECT_EQ(fine->notes,
              (std::vector<std::string>{"curved faces are meshed within 0.001 mm (--deflection sets it)"}));
    expect_bounds(*fine, 0, {0, -10, 0}, {100, 0, 50}, 1e-6);
    EXPECT_FALSE(read_assembly(at("gauge.stp"), {.deflection = -1}));
    EXPECT_FALSE(read_assembly(at("gauge.stp"), {.deflection = std::nan("")}));
}

TEST_F(Step, EveryMeshCarriesItsError) {
    write_step(at("gauge.step"), "MM");
    const auto read = read_assembly(at("gauge.step"));
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->meshes.size(), 2u);
    // The plate has planes and straight edges alone: the tolerance of its vertices is all that it may be off.
    EXPECT_FALSE(read->meshes[0].curved);
    EXPECT_NEAR(read->meshes[0].error, 1e-10, 1e-12);
    EXPECT_TRUE(read->meshes[1].curved);
    EXPECT_NEAR(read->meshes[1].error, 24.5e-6, 0.1e-6);
    const std::vector<double> errors = read->errors();
    ASSERT_EQ(errors.size(), 3u);
    EXPECT_EQ(errors[0], read->meshes[0].error);
    EXPECT_NEAR(errors[2], read->meshes[1].error, 1e-15);
    const auto coarse = read_assembly(at("gauge.step"), {.scale = 1000, .deflection = 1e-3});
    ASSERT_TRUE(coarse);
    EXPECT_NEAR(coarse->meshes[0].error, 1e-7, 1e-9);
    EXPECT_NEAR(coarse->meshes[1].error, 1, 1e-3);
}

/// The largest distance of the triangles from the surface of a peg.
double off_peg(const Mesh& mesh) {
    double most = 0;
    for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
        const Vec3 a = mesh.points[mesh.corners[i]], b = mesh.points[mesh.corners[i - i % 3 + (i + 1) % 3]];
        const Vec3 middle = (a + b) * 0.5;
        if (middle.z > 1e-9 && middle.z < 0.02 - 1e-9) most = std::max(most, 0.005 - std::hypot(middle.x, middle.y));
    }
    return most;
}

/// Writes one shape as it is.
void write_shape(const std::string& path, const TopoDS_Shape& shape) {
    Handle(TDocStd_Document) document;
    XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
    XCAFDoc_DocumentTool::ShapeTool(document->Main())->AddShape(shape, false);
    STEPControl_Controller::Init();
    Interface_Static::SetCVal("write.step.unit", "MM");
    STEPCAFControl_Writer writer;
    writer.Transfer(document);
    ASSERT_EQ(writer.Write(path.c_str()), IFSelect_RetDone);
}

TEST_F(Step, NoTriangleIsFurtherOffThanItsError) {
    const auto off_ball = [](const Vec3& p) { return std::abs(length(p) - 0.01); };
    const auto off_ring = [](const Vec3& p) { return std::abs(std::hypot(std::hypot(p.x, p.y) - 0.02, p.z) - 0.005); };
    write_shape(at("ball.step"), BRepPrimAPI_MakeSphere(10).Shape());
    write_shape(at("ring.step"), BRepPrimAPI_MakeTorus(20, 5).Shape());
    for (const double deflection : {0.0, 2e-3, 1e-5})
        for (const bool ball : {true, false}) {
            const auto read = read_assembly(at(ball ? "ball.step" : "ring.step"), {.deflection = deflection});
            ASSERT_TRUE(read) << read.fault().message;
            const Mesh& mesh = read->meshes[0];
            EXPECT_TRUE(mesh.curved);
            // OpenCASCADE misses 10 µm on the ball by as much again.
            double most = 0;
            for (std::size_t i = 0; i < mesh.corners.size(); i += 3) {
                const Vec3 a = mesh.points[mesh.corners[i]], b = mesh.points[mesh.corners[i + 1]],
                           c = mesh.points[mesh.corners[i + 2]];
                for (int u = 0; u <= 10; ++u)
                    for (int v = 0; u + v <= 10; ++v) {
                        const Vec3 p = a * (0.1 * u) + b * (0.1 * v) + c * (1 - 0.1 * u - 0.1 * v);
                        most = std::max(most, ball ? off_ball(p) : off_ring(p));
                    }
            }
            EXPECT_LE(most, mesh.error) << deflection << " " << ball;
        }
}

TEST_F(Step, ChosenMeshesAreCutFiner) {
    write_step(at("gauge.step"), "MM");
    for (const double scale : {1.0, 1000.0}) {
        const ReadOptions options{.scale = scale};
        const auto read = read_assembly(at("gauge.step"), options);
        ASSERT_TRUE(read) << read.fault().message;
        const auto finer = remesh(at("gauge.step"), options,
                                  std::vector<Remesh>{{1, 1e-6 * scale}, {0, 1e-6 * scale}, {1, 1e-4 * scale}});
        ASSERT_TRUE(finer) << finer.fault().message;
        ASSERT_EQ(finer->size(), 3u);
        const Mesh &fine = (*finer)[0], &former = read->meshes[1];
        EXPECT_TRUE(fine.curved);
        EXPECT_NEAR(fine.error, 1e-6 * scale, 1e-9 * scale);
        EXPECT_GT(fine.corners.size(), 3 * former.corners.size());
        EXPECT_EQ(fine.name, former.name);
        EXPECT_EQ(fine.colour, former.colour);
        if (scale == 1) {
            EXPECT_LE(off_peg(fine), fine.error);
            EXPECT_LE(off_peg(former), former.error);
            EXPECT_GT(off_peg(former), fine.error);
        }
        // Planes look outwards, and the peg has one cylinder.
        for (int i = 0; i < 2; ++i) {
            const Mesh& mesh = (*finer)[static_cast<std::size_t>(i)];
            std::size_t cylinders = 0;
            for (const SimpleFace& face : mesh.faces) {
                cylinders += face.radius != 0;
                if (face.radius != 0) EXPECT_NEAR(face.radius, 0.005 * scale, 1e-12 * scale);
                for (const Vec3& p : mesh.points) {
                    const Vec3 way = p - face.point;
                    if (face.radius == 0)
                        EXPECT_LE(dot(way, face.direction), 1e-12 * scale);
                    else
                        EXPECT_NEAR(length(cross(way, face.direction)), face.radius, 1e-12 * scale);
                }
            }
            EXPECT_EQ(cylinders, i == 0 ? 1u : 0u);
            EXPECT_EQ(mesh.faces.size(), i == 0 ? 3u : 6u);
        }
        // Planes stay as they are.
        EXPECT_EQ((*finer)[1].points, read->meshes[0].points);
        EXPECT_EQ((*finer)[1].corners, read->meshes[0].corners);
        EXPECT_EQ((*finer)[1].error, read->meshes[0].error);
        // A coarser one forgets the triangles of the first.
        EXPECT_LT((*finer)[2].corners.size(), fine.corners.size());
    }
    EXPECT_FALSE(remesh(at("gauge.step"), {}, std::vector<Remesh>{{2, 1e-6}}));
    EXPECT_FALSE(remesh(at("gauge.step"), {}, std::vector<Remesh>{{1, 0}}));
    EXPECT_FALSE(remesh(at("absent.step"), {}, std::vector<Remesh>{{1, 1e-6}}));
}

/// A ring with a hole of radius 8 mm and a shaft in it that is larger by this many millimetres.
Handle(TDocStd_Document) shaft_in_ring(double larger) {
    Handle(TDocStd_Document) document;
    XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
    const Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    BRepBuilderAPI_MakePolygon outline;
    for (const auto& [x, z] : {std::pair(8, -10), {20, -10}, {20, 10}, {8, 10}}) outline.Add(gp_Pnt(x, 0, z));
    outline.Close();
    const TopoDS_Shape ring =
        BRepPrimAPI_MakeRevol(BRepBuilderAPI_MakeFace(outline.Wire()).Face(), gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)));
    const gp_Ax2 below(gp_Pnt(0, 0, -15), gp_Dir(0, 0, 1));
    const TopoDS_Shape shaft = BRepPrimAPI_MakeCylinder(below, 8 + larger, 30).Shape();
    const TDF_Label top = shapes->NewShape();
    gp_Trsf turn;
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), 0.3);
    for (const auto& [shape, name, place] : {std::tuple(ring, "ring", gp_Trsf()), {shaft, "shaft", turn}}) {
        const TDF_Label label = shapes->AddShape(shape, false);
        TDataStd_Name::Set(label, name);
        shapes->AddComponent(top, label, TopLoc_Location(place));
    }
    shapes->UpdateAssemblies();
    return document;
}

// An assembly may keep its parts in files of their own. OpenCASCADE did not find them by a relative path with a folder,
// and left out those that are missing in silence.
TEST_F(Step, FilesThatAnAssemblyNamesMustBeThere) {
    STEPCAFControl_Writer writer;
    ASSERT_TRUE(writer.Transfer(plate_with_pegs(), STEPControl_AsIs, ""));
    ASSERT_EQ(writer.Write(at("whole.step").c_str()), IFSelect_RetDone);
    EXPECT_TRUE(std::filesystem::exists(at("Plate.stp")));
    const std::string relative = std::filesystem::relative(at("whole.step")).string();
    const Result<Assembly> all = read_assembly(relative);
    ASSERT_TRUE(all) << all.fault().message;
    EXPECT_EQ(all->parts.size(), 3u);
    EXPECT_TRUE(all->unread.empty());
    std::filesystem::remove(at("Plate.stp"));
    const Result<Assembly> some = read_assembly(relative);
    ASSERT_TRUE(some) << some.fault().message;
    EXPECT_EQ(some->parts.size(), 2u);
    EXPECT_EQ(
        std::ranges::count(
            some->unread, Unread{"Plate.stp", "", "this file, which the assembly names, is missing or cannot be read"}),
        1);
}

TEST_F(Step, FitsAreDecidedByFinerMeshes) {
    for (const double larger : {0.0, 0.003, -0.003}) {
        STEPCAFControl_Writer writer;
        ASSERT_TRUE(writer.Transfer(shaft_in_ring(larger)));
        ASSERT_EQ(writer.Write(at("fit.step").c_str()), IFSelect_RetDone);
        const ReadOptions options;
        const Result<checks::Parts> parts = checks::read_parts(std::vector{at("fit.step")}, options);
        ASSERT_TRUE(parts) << parts.fault().message;
        const Result<checks::Clashes> coarse = checks::find_clashes(*parts);
        const Result<checks::Clashes> fine = checks::find_clashes(*parts, {.reading = options});
        ASSERT_TRUE(coarse && fine);
        ASSERT_EQ(coarse->fits.size(), 1u) << larger;
        EXPECT_GT(coarse->fits[0].band, 10e-6);
        EXPECT_EQ(coarse->refined, 0u);
        EXPECT_EQ(fine->refined, 1u);
        EXPECT_EQ(fine->count(checks::Kind::Crossing), larger > 0 ? 1u : 0u);
        ASSERT_EQ(fine->fits.size(), larger > 0 ? 0u : 1u);
        if (larger <= 0) {
            EXPECT_LT(fine->fits[0].band, 2e-6);
            EXPECT_EQ(fine->fits[0].note, larger == 0 ? "same axis and radius: 0.008" : "");
        }
    }
}

TEST_F(Step, Iges) {
    for (const bool solids : {true, false}) {
        // The constructor sets the defaults of the unit and the mode.
        IGESControl_Controller::Init();
        Interface_Static::SetCVal("write.iges.unit", "INCH");
        Interface_Static::SetIVal("write.iges.brep.mode", solids);
        IGESCAFControl_Writer fresh;
        ASSERT_TRUE(fresh.Transfer(plate_with_pegs()));
        ASSERT_TRUE(fresh.Write(at("gauge.igs").c_str()));
        const auto read = read_assembly(at("gauge.igs"));
        ASSERT_TRUE(read) << read.fault().message;
        EXPECT_EQ(read->conventions, (Conventions{"IGES", 0.0254, 'z'}));
        std::vector<std::string> paths;
        for (const Part& part : read->parts) paths.push_back(part.path);
        const std::vector<std::string> bodies{"gauge/solid 1", "gauge/solid 2", "gauge/solid 3"};
        EXPECT_EQ(paths, solids ? bodies : std::vector<std::string>{"gauge"});
        if (solids) {
            // The plate is as exact as in STEP.
            EXPECT_NEAR(read->meshes[0].error, 1e-10, 1e-12);
            EXPECT_NEAR(read->meshes[1].error, 24.5e-6, 0.1e-6);
        }
        Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
        const Result<Mesh> all = merged(*read);
        for (const Vec3& p : all->points)
            for (int d = 0; d < 3; ++d) {
                low[d] = std::min(low[d], p[d]);
                high[d] = std::max(high[d], p[d]);
            }
        EXPECT_LT(length(low - Vec3{0, -0.02, 0}), 1e-4);
        EXPECT_LT(length(high - Vec3{0.1, 0.05, 0.03}), 1e-4);
    }
}

TEST_F(Step, BrokenFilesAreRefusedInALine) {
    write_step(at("gauge.step"), "MM");
    const Result<std::string> good = read_bytes(at("gauge.step"));
    ASSERT_TRUE(good);
    for (const std::size_t eighths : {1, 4, 7})
        EXPECT_EQ(refusal("m.step", good->substr(0, good->size() * eighths / 8)),
                  ": not a STEP file, or a damaged one");
    std::string bad = *good;
    bad.replace(bad.find("= PLANE('',#"), 12, "= PLANE('',#9");
    // Entities that cannot be converted are missing in the parts.
    EXPECT_EQ(refusal("m.step", bad), "");
    EXPECT_EQ(read_assembly(at("m.step"))->unread, (std::vector<Unread>{{"m", "", "1 entity could not be converted"}}));
    EXPECT_NE(refusal("m.step", "ISO-10303-21;\n"), "");
    EXPECT_NE(refusal("m.step", std::string(1000, '\0')), "");
    EXPECT_NE(refusal("m.igs", std::string(1000, 'x')), "");
}

#endif

}  // namespace
}  // namespace graze::files
