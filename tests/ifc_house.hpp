// SPDX-License-Identifier: Apache-2.0
// A small house as an IFC file, to which tests add products.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "files/assembly.hpp"
#include "files/beside_program.hpp"
#include "temporary_folder.hpp"

namespace graze::test {

using namespace files;

inline constexpr double millimetre = 0.001, foot = 0.3048, inch = 0.0254;

/// The lines of a length unit, which is #54.
inline std::string unit_lines(double metres) {
    if (metres == 1) return "#54=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);\n";
    if (metres == millimetre) return "#54=IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.);\n";
    const bool in_millimetres = metres == inch;
    return std::string("#56=IFCSIUNIT(*,.LENGTHUNIT.,") + (in_millimetres ? ".MILLI." : "$") +
           ",.METRE.);\n#57=IFCDIMENSIONALEXPONENTS(1,0,0,0,0,0,0);\n#58=IFCMEASUREWITHUNIT(IFCLENGTHMEASURE(" +
           (in_millimetres ? "25.4" : "0.3048") + "),#56);\n#54=IFCCONVERSIONBASEDUNIT(#57,.LENGTHUNIT.,'" +
           (in_millimetres ? "INCH" : "FOOT") + "',#58);\n";
}

struct House {
    double metres = 1;
    std::string schema = "IFC2X3";
    Vec3 site = {};  ///< where the site is, in metres
    std::string wall_name = "North wall";
    std::string more;       ///< lines at the end
    std::string contained;  ///< numbers of more products of the storey
    std::string wall_items = "#84";

    /// A wall of 4 × 0.3 × 3 m at (1, 2, 3) with an opening of 1 × 0.3 × 1 m, three chairs that share a shape, a room,
    /// and a product without a shape.
    std::string text() const;
};

inline std::string House::text() const {
    const auto l = [&](double x) {
        char text[40];
        std::snprintf(text, sizeof text, "%#.15g", x / metres);
        return std::string(text);
    };
    const auto point = [&](const Vec3& p) {
        return "IFCCARTESIANPOINT((" + l(p.x) + "," + l(p.y) + "," + l(p.z) + "));\n";
    };
    const auto flat = [&](double x, double y) { return "IFCCARTESIANPOINT((" + l(x) + "," + l(y) + "));\n"; };
    const auto guid = [](char last) { return std::string("('000000000000000000000") + last + "',$,"; };
    std::string t =
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('house.ifc','',(''),(''),'','','');\n"
        "FILE_SCHEMA(('" +
        schema + "'));\nENDSEC;\nDATA;\n";
    t += unit_lines(metres);
    t += "#1=IFCCARTESIANPOINT((0.,0.,0.));\n#50=IFCDIRECTION((0.,0.,1.));\n#51=IFCDIRECTION((1.,0.,0.));\n"
         "#52=IFCAXIS2PLACEMENT3D(#1,#50,#51);\n"
         "#53=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#52,$);\n#55=IFCUNITASSIGNMENT((#54));\n";
    t += "#70=IFCPROJECT" + guid('1') + "'Project',$,$,$,$,(#53),#55);\n#68=" + point(site) +
         "#69=IFCAXIS2PLACEMENT3D(#68,#50,#51);\n#71=IFCLOCALPLACEMENT($,#69);\n";
    // The same text in three of the ways that ISO 10303-21 has for letters beyond ASCII.
    t += "#72=IFCSITE" + guid('2') + "'Gel\\X2\\00E4\\X0\\nde',$,$,#71,$,$,.ELEMENT.,$,$,$,$,$);\n";
    t += "#73=IFCBUILDING" + guid('3') + "'B\\S\\|ro',$,$,#71,$,$,.ELEMENT.,$,$,$);\n";
    t += "#74=IFCBUILDINGSTOREY" + guid('4') + "'\\X\\C9tage 1',$,$,#71,$,$,.ELEMENT.,0.);\n";
    t += "#75=IFCRELAGGREGATES" + guid('5') + "$,$,#70,(#72));\n#76=IFCRELAGGREGATES" + guid('6') +
         "$,$,#72,(#73));\n#77=IFCRELAGGREGATES" + guid('7') + "$,$,#73,(#74));\n";
    t += "#78=IFCRELCONTAINEDINSPATIALSTRUCTURE" + guid('8') + "$,$,(#90,#120,#121,#122,#140,#150" + contained +
         "),#74);\n";
    // The wall, and the shape of the opening.
    t += "#80=" + flat(2, 0.15) + "#81=IFCDIRECTION((1.,0.));\n#82=IFCAXIS2PLACEMENT2D(#80,#81);\n" +
         "#83=IFCRECTANGLEPROFILEDEF(.AREA.,$,#82," + l(4) + "," + l(0.3) +
         ");\n#84=IFCEXTRUDEDAREASOLID(#83,#52,#50," + l(3) +
         ");\n#85=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(" + wall_items +
         "));\n#86=IFCPRODUCTDEFINITIONSHAPE($,$,(#85));\n#87=" + point({1, 2, 3}) +
         "#88=IFCAXIS2PLACEMENT3D(#87,#50,#51);\n#89=IFCLOCALPLACEMENT(#71,#88);\n"
         "#90=IFCWALLSTANDARDCASE('2O2Fr$t4X7Zf8NOew3FNr2',$,'" +
         wall_name + "',$,$,#89,#86,$);\n#91=IFCPRESENTATIONLAYERASSIGNMENT('A-WALL',$,(#85),$);\n";
    t += "#200=" + flat(0.5, 0.15) + "#201=IFCAXIS2PLACEMENT2D(#200,#81);\n#202=IFCRECTANGLEPROFILEDEF(.AREA.,$,#201," +
         l(1) + "," + l(0.3) + ");\n#203=IFCEXTRUDEDAREASOLID(#202,#52,#50," + l(1) +
         ");\n#204=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#203));\n#205=IFCPRODUCTDEFINITIONSHAPE($,$,(#204));"
         "\n#206=" +
         point({1, 0, 1}) + "#207=IFCAXIS2PLACEMENT3D(#206,#50,#51);\n#208=IFCLOCALPLACEMENT(#89,#207);\n" +
         "#209=IFCOPENINGELEMENT" + guid('9') + "'Opening',$,$,#208,#205,$);\n#210=IFCRELVOIDSELEMENT" + guid('A') +
         "$,$,#90,#209);\n";
    // The chairs: 0.5 × 0.25 × 1 m around the z axis.
    t += "#110=" + flat(0, 0) + "#111=IFCAXIS2PLACEMENT2D(#110,#81);\n#112=IFCRECTANGLEPROFILEDEF(.AREA.,$,#111," +
         l(0.5) + "," + l(0.25) + ");\n#113=IFCEXTRUDEDAREASOLID(#112,#52,#50," + l(1) +
         ");\n#115=IFCSHAPEREPRESENTATION(#53,'Body','SweptSolid',(#113));\n#100=IFCREPRESENTATIONMAP(#52,#115);\n"
         "#116=IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$,#1,$,$);\n#117=IFCMAPPEDITEM(#100,#116);\n"
         "#118=IFCSHAPEREPRESENTATION(#53,'Body','MappedRepresentation',(#117));\n"
         "#119=IFCPRODUCTDEFINITIONSHAPE($,$,(#118));\n#130=" +
         point({10, 0, 0}) +
         "#131=IFCAXIS2PLACEMENT3D(#130,#50,#51);\n#132=IFCLOCALPLACEMENT(#71,#131);\n#133=IFCDIRECTION((0.,1.,0.));\n"
         "#134=IFCAXIS2PLACEMENT3D(#130,#50,#133);\n#135=IFCLOCALPLACEMENT(#89,#134);\n"
         "#136=IFCLOCALPLACEMENT(#71,#52);\n";
    t += "#120=IFCFURNISHINGELEMENT" + guid('B') + "'Chair',$,$,#132,#119,$);\n#121=IFCFURNISHINGELEMENT" + guid('C') +
         "'Chair',$,$,#135,#119,$);\n#122=IFCFURNISHINGELEMENT" + guid('D') + "$,$,$,#136,#119,$);\n";
    t += "#140=IFCSPACE" + guid('E') + "'Room',$,$,#132,#205,$,.ELEMENT.,.INTERNAL.,$);\n";
    t += "#150=IFCBUILDINGELEMENTPROXY" + guid('F') + "'Nothing',$,$,#132,$,$,$);\n";
    return t + more + "ENDSEC;\nEND-ISO-10303-21;\n";
}

struct Bounds {
    Vec3 low = {1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300};
};

inline Bounds bounds(const Assembly& assembly, const Part& part) {
    Bounds out;
    for (const Vec3& point : assembly.meshes[part.mesh].points)
        for (int d = 0; d < 3; ++d) {
            out.low[d] = std::min(out.low[d], part.world_from_mesh(point)[d]);
            out.high[d] = std::max(out.high[d], part.world_from_mesh(point)[d]);
        }
    return out;
}

inline void expect_bounds(const Assembly& assembly, std::size_t part, const Vec3& low, const Vec3& high) {
    const Bounds is = bounds(assembly, assembly.parts[part]);
    for (int d = 0; d < 3; ++d) {
        EXPECT_NEAR(is.low[d], low[d], 1e-6) << part << " " << d;
        EXPECT_NEAR(is.high[d], high[d], 1e-6) << part << " " << d;
    }
}

/// The volume inside of a closed mesh.
inline double volume(const Mesh& mesh) {
    double sum = 0;
    for (std::size_t i = 0; i + 2 < mesh.corners.size(); i += 3)
        sum += dot(mesh.points[mesh.corners[i]],
                   cross(mesh.points[mesh.corners[i + 1]], mesh.points[mesh.corners[i + 2]]));
    return sum / 6;
}

/// Reads houses from files in a temporary folder.
class InHouse : public InTemporaryFolder {
protected:
    void SetUp() override {
        if (beside_program("share/graze/ifc/read_ifc.mjs").empty()) GTEST_SKIP() << "built without npm";
    }

    Result<Assembly> read(const std::string& text, const ReadOptions& options = {},
                          const std::string& name = "house.ifc") const {
        return read_assembly(write(name, text), options);
    }
    /// The path of the file that `read` writes unless it gets another name.
    std::string path() const { return (folder_ / "house.ifc").string(); }
    /// Reads a file that must load.
    Assembly house(const House& house, const ReadOptions& options = {}) const {
        Result<Assembly> out = read(house.text(), options);
        EXPECT_TRUE(out) << out.fault().message;
        return out ? std::move(*out) : Assembly();
    }
    /// The message for such a file, from the end of its name on; empty when it loads.
    std::string refusal(const std::string& text, const std::string& name = "house.ifc") const {
        const Result<Assembly> out = read(text, {}, name);
        if (out) return "";
        const std::string& what = out.fault().message;
        EXPECT_TRUE(what.starts_with((folder_ / name).string()) && what.find('\n') == what.npos) << what;
        return what.substr(std::min(what.size(), (folder_ / name).string().size()));
    }
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
}

}  // namespace graze::test
