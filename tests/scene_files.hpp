// SPDX-License-Identifier: Apache-2.0
// Small files of the formats that assimp reads, with holes for what makes them wrong.
#pragma once

#include <cstdint>
#include <string>

#include "files/binary.hpp"
#include "files/zip.hpp"

namespace graze::files {

/// A square with a node that moves it by (0, 0, 3).
inline std::string collada(const std::string& unit, const std::string& up,
                           const std::string& points = "0 0 0 1 0 0 1 2 0 0 2 0",
                           const std::string& corners = "0 1 2 3", const std::string& count = "4") {
    return R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter=")" +
           unit + R"("/><up_axis>)" + up + R"(</up_axis></asset>
<library_geometries><geometry id="g" name="square"><mesh><source id="p"><float_array id="pa" count="12">)" +
           points + R"(</float_array><technique_common><accessor source="#pa" count=")" + count +
           R"(" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>)" +
           corners + R"(</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s" name="s"><node id="n" name="lifted"><translate>0 0 3</translate>
<node id="m" name="inner"><instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)";
}

/// A 3MF file of these resources and items.
inline std::string three_mf_of(const std::string& unit, const std::string& resources, const std::string& items) {
    const std::string model =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model " + unit +
        " xml:lang=\"en-US\" xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources>" +
        resources + "</resources><build>" + items + "</build></model>\n";
    return *to_zip(
        {{"[Content_Types].xml",
          "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
          "<Default Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>"
          "</Types>"},
         {"_rels/.rels",
          "<?xml version=\"1.0\"?><Relationships "
          "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
          "Target=\"/3D/3dmodel.model\" Id=\"rel0\" "
          "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>"},
         {"3D/3dmodel.model", model}});
}

inline std::string three_mf(const std::string& unit, const std::string& last_x = "0", const std::string& corner = "3") {
    return three_mf_of(
        unit,
        "<object id=\"1\" type=\"model\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"10\" y=\"0\" "
        "z=\"0\"/><vertex x=\"0\" y=\"20\" z=\"0\"/><vertex x=\"" +
            last_x +
            "\" y=\"0\" z=\"30\"/></vertices><triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" "
            "v2=\"1\" v3=\"" +
            corner + "\"/></triangles></mesh></object>",
        "<item objectid=\"1\"/>");
}

/// A chunk of a 3DS file.
inline std::string chunk(std::uint16_t id, const std::string& data) {
    std::string out;
    store(out, id);
    store(out, static_cast<std::uint32_t>(6 + data.size()));
    return out + data;
}

inline std::string three_ds(std::uint16_t claimed_faces, std::uint16_t corner) {
    std::string points, faces;
    store(points, std::uint16_t{3});
    for (const float x : {0, 0, 0, 1, 0, 0, 0, 2, 3}) store(points, x);
    store(faces, claimed_faces);
    for (const std::uint16_t x : {std::uint16_t{0}, std::uint16_t{1}, corner, std::uint16_t{0}}) store(faces, x);
    return chunk(0x4d4d, chunk(0x3d3d, chunk(0x4000, std::string("blade\0", 6) +
                                                         chunk(0x4100, chunk(0x4110, points) + chunk(0x4120, faces)))));
}

/// A plate of four corners, z up, in units of 2.5 cm.
inline std::string fbx(const std::string& points, const std::string& corners) {
    return R"(; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",2
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",1
		P: "FrontAxisSign", "int", "Integer", "",-1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",2.5
	}
}
Objects:  {
	Geometry: 100, "Geometry::plate", "Mesh" {
		Vertices: *12 {
			a: )" +
           points + R"(
		}
		PolygonVertexIndex: *4 {
			a: )" +
           corners + R"(
		}
		GeometryVersion: 124
	}
	Model: 200, "Model::plate", "Mesh" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",10,0,0
		}
	}
}
Connections:  {
	C: "OO",200,0
	C: "OO",100,200
}
)";
}

/// Two triangles in a file of its own for text, and the numbers in `buffer`, by an address or as data.
inline std::string gltf(const std::string& buffer, const std::string& bytes = "60", const std::string& points = "4",
                        const std::string& corners = "6") {
    return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "sheet", "mesh": 0}],
"meshes": [{"name": "sheet", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": )" +
           points + R"(, "type": "VEC3"}, {"bufferView": 1, "componentType": 5123, "count": )" + corners +
           R"(, "type": "SCALAR"}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
"buffers": [{"uri": ")" +
           buffer + R"(", "byteLength": )" + bytes + R"(}]}
)";
}

/// The buffer that `gltf` refers to.
inline std::string gltf_numbers(float last_z = 1, std::uint16_t last_corner = 3) {
    std::string out;
    for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, last_z}) store(out, x);
    for (const int c : {0, 1, 2, 0, 1}) store(out, static_cast<std::uint16_t>(c));
    store(out, last_corner);
    return out;
}

/// A box of a few faces, in metres.
inline std::string ifc(const std::string& point = "(0.,0.,1.)", const std::string& loop = "(#1,#2,#4)") {
    return R"(ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('ViewDefinition [CoordinationView]'),'2;1');
FILE_NAME('m.ifc','2024-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('IFC2X3'));
ENDSEC;
DATA;
#1=IFCCARTESIANPOINT((0.,0.,0.));
#2=IFCCARTESIANPOINT((1.,0.,0.));
#3=IFCCARTESIANPOINT((0.,2.,0.));
#4=IFCCARTESIANPOINT()" +
           point + R"();
#10=IFCPOLYLOOP((#1,#3,#2));
#11=IFCPOLYLOOP()" +
           loop + R"();
#12=IFCPOLYLOOP((#2,#3,#4));
#13=IFCPOLYLOOP((#3,#1,#4));
#20=IFCFACEOUTERBOUND(#10,.T.);
#21=IFCFACEOUTERBOUND(#11,.T.);
#22=IFCFACEOUTERBOUND(#12,.T.);
#23=IFCFACEOUTERBOUND(#13,.T.);
#30=IFCFACE((#20));
#31=IFCFACE((#21));
#32=IFCFACE((#22));
#33=IFCFACE((#23));
#40=IFCCLOSEDSHELL((#30,#31,#32,#33));
#41=IFCFACETEDBREP(#40);
#50=IFCDIRECTION((0.,0.,1.));
#51=IFCDIRECTION((1.,0.,0.));
#52=IFCAXIS2PLACEMENT3D(#1,#50,#51);
#53=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#52,$);
#54=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);
#55=IFCUNITASSIGNMENT((#54));
#60=IFCPERSON($,'a','b',$,$,$,$,$);
#61=IFCORGANIZATION($,'o',$,$,$);
#62=IFCPERSONANDORGANIZATION(#60,#61,$);
#63=IFCAPPLICATION(#61,'1','graze','graze');
#64=IFCOWNERHISTORY(#62,#63,$,.NOCHANGE.,$,$,$,0);
#70=IFCPROJECT('0000000000000000000001',#64,'project',$,$,$,$,(#53),#55);
#71=IFCLOCALPLACEMENT($,#52);
#72=IFCBUILDING('0000000000000000000002',#64,'building',$,$,#71,$,$,.ELEMENT.,$,$,$);
#73=IFCRELAGGREGATES('0000000000000000000003',#64,$,$,#70,(#72));
#80=IFCSHAPEREPRESENTATION(#53,'Body','Brep',(#41));
#81=IFCPRODUCTDEFINITIONSHAPE($,$,(#80));
#82=IFCLOCALPLACEMENT(#71,#52);
#83=IFCBUILDINGELEMENTPROXY('0000000000000000000004',#64,'wedge',$,$,#82,#81,$,$);
#84=IFCRELCONTAINEDINSPATIALSTRUCTURE('0000000000000000000005',#64,$,$,(#83),#72);
ENDSEC;
END-ISO-10303-21;
)";
}

inline std::string x3d(const std::string& corners = "0 2 1 -1 0 1 3 -1", const std::string& last = "0 0 1") {
    return R"(<?xml version="1.0" encoding="UTF-8"?>
<X3D profile="Interchange" version="3.2"><Scene><Transform translation="0 0 3"><Shape>
<IndexedFaceSet coordIndex=")" +
           corners + R"("><Coordinate point="0 0 0 1 0 0 0 2 0 )" + last + R"("/></IndexedFaceSet>
</Shape></Transform></Scene></X3D>
)";
}

inline std::string off(const std::string& counts = "4 2 0", const std::string& last = "0 0 1",
                       const std::string& corner = "3") {
    return "OFF\n" + counts + "\n0 0 0\n1 0 0\n0 2 0\n" + last + "\n3 0 2 1\n3 0 1 " + corner + "\n";
}

}  // namespace graze::files
