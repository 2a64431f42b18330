// SPDX-License-Identifier: Apache-2.0
// Scenes of other formats, the writers, and what is said of files that are broken.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "files/assembly.hpp"
#include "files/binary.hpp"
#include "files/write.hpp"
#include "scene_files.hpp"
#include "temporary_folder.hpp"

namespace graze::files {
namespace {

using Json = nlohmann::json;
using Indices = std::vector<std::uint32_t>;

class Files : public test::InTemporaryFolder {
protected:
    /// The message for such a file, without the folder; empty when it loads. Always one line that starts with its name.
    std::string refusal(const std::string& name, const std::string& bytes) const {
        const std::string path = write(name, bytes);
        const Result<Assembly> read = read_assembly(path);
        if (read) return "";
        const std::string& what = read.fault().message;
        EXPECT_TRUE(what.starts_with(path) && what.find('\n') == std::string::npos) << what;
        return what.substr(std::min(what.size(), folder_.string().size() + 1));
    }
};

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-6) {
    EXPECT_LE(length(a - b), tolerance) << a.x << " " << a.y << " " << a.z << " and " << b.x << " " << b.y << " "
                                        << b.z;
}

Mesh tetrahedron() {
    Mesh mesh;
    mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.corners = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    mesh.name = "tetrahedron";
    return mesh;
}

Mesh prism() {
    Mesh mesh;
    mesh.points = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.3, 0}, {0, 0, 1e-7}, {0.1, 0, 1e-7}, {0, 0.3, 1e-7}};
    mesh.corners = {0, 2, 1, 3, 4, 5, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5};
    mesh.offsets = {0, 3, 6, 10, 14, 18};
    mesh.name = "prism";
    mesh.colour = Colour{1, 0.5, 0.25, 1};
    return mesh;
}

Affine affine(const std::array<double, 12>& rows) { return *Affine::from_rows(rows); }

/// Two tetrahedra, one turned and moved, and a prism scaled by 2.
Assembly three_parts() {
    Assembly a;
    a.meshes = {tetrahedron(), prism()};
    a.parts = {{"left", "left", 0, Affine()},
               {"right \"one\"\n", "right", 0, affine({0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7})},
               {"pr\xc3\xb6sm\xff", "prism", 1, affine({2, 0, 0, 1, 0, 2, 0, 0, 0, 0, 2, 0})}};
    return a;
}

TEST_F(Files, NativeFormatsAreOnePart) {
    const std::string path = write("part.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    const auto read = read_assembly(path);
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->parts.size(), 1u);
    EXPECT_EQ(read->parts[0].name, "part");
    EXPECT_EQ(read->parts[0].world_from_mesh, Affine());
    const auto turned = read_assembly(path, {.scale = 0.001, .up = Up::Y});
    EXPECT_EQ((*merged(*turned)).points[2], (Vec3{0, 0, 2 * 0.001}));
    EXPECT_EQ((*merged(*read_assembly(path, {.up = Up::X}))).points[1], (Vec3{0, 0, 1}));
    EXPECT_FALSE(read_assembly(path, {.scale = 0}));
    EXPECT_FALSE(read_assembly(path, {.scale = std::nan("")}));
    EXPECT_FALSE(read_assembly((folder_ / "absent.glb").string()));
}

TEST_F(Files, ErrorsAreScaledAndPlaced) {
    const std::string obj =
        "v 0.000000 0.000000 0.000000\nv 1.000000 0.000000 0.000000\nv 0.000000 1.000000 0.000000\n"
        "o one\nf 1 2 3\no two\nf 3 2 1\n";
    const auto read = read_assembly(write("m.obj", obj), {.scale = 1000, .groups = true});
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->errors().size(), 2u);
    for (const double error : read->errors()) EXPECT_NEAR(error, 0.5e-3, 1e-12);

    Assembly a;
    a.meshes.resize(1);
    a.meshes[0].points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    a.meshes[0].corners = {0, 1, 2};
    a.meshes[0].error = 1e-6;
    a.parts = {{"as it is", "", 0, Affine()},
               {"turned", "", 0, *Affine::from_rows({0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0})},
               {"far", "", 0, *Affine::from_rows({1, 0, 0, 1e9, 0, 1, 0, 0, 0, 0, 1, 0})},
               {"stretched", "", 0, *Affine::from_rows({1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0})},
               {"rounded", "", 0, Affine(), {}, 1e-7}};
    const std::vector<double> errors = a.errors();
    EXPECT_EQ(errors[0], 1e-6);
    EXPECT_NEAR(errors[1], 1e-6, 1e-14);
    EXPECT_NEAR(errors[2], 1e-6 + 4 * 0x1p-52 * 1e9, 1e-14);
    EXPECT_NEAR(errors[3], 3e-6, 1e-14);
    EXPECT_EQ(errors[4], 1e-6 + 1e-7);
    EXPECT_EQ(merged(a)->error, errors[3]);
}

TEST_F(Files, ObjGroupsArePartsIfAsked) {
    const std::string path = write("groups.obj",
                                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\no arm\ng upper\nf 1 2 4\nf 2 3 4\n"
                                   "g lower\nf 1 3 4 2\no hand\nf 1 2 3\no arm\ng upper\nf 3 2 1\n");
    const auto read = read_assembly(path, {.groups = true});
    ASSERT_TRUE(read) << read.fault().message;
    std::vector<std::pair<std::string, std::size_t>> parts;
    for (const Part& part : read->parts) parts.emplace_back(part.path, read->meshes[part.mesh].polygon_count());
    EXPECT_EQ(parts, (std::vector<std::pair<std::string, std::size_t>>{
                         {"", 1}, {"arm/upper", 3}, {"arm/lower", 1}, {"hand", 1}}));
    EXPECT_EQ(read->parts[1].name, "upper");
    const Mesh& hand = read->meshes[read->parts[3].mesh];
    EXPECT_EQ(hand.points.size(), 3u);
    EXPECT_EQ(hand.corners, (Indices{0, 1, 2}));
    EXPECT_EQ(read->meshes[read->parts[2].mesh].offsets, (Indices{0, 4}));
    EXPECT_EQ(read_assembly(path)->parts.size(), 1u);
    EXPECT_EQ(read_mesh(path)->polygon_count(), 6u);
}

TEST_F(Files, ObjAndPlyComeBackBitForBit) {
    const Assembly parts = three_parts();
    const Mesh all = *merged(parts);
    const std::vector<Curve> curves = {{{{0, 0, 0}, {0.1, 0.2, 0.3}, {1, 1, 1}}, "ring", {}, true}};
    for (const char* name : {"all.obj", "all.ply"}) {
        const std::string path = (folder_ / name).string();
        const auto done = write_assembly(path, parts, curves);
        ASSERT_TRUE(done) << done.fault().message;
        const auto back = read_mesh(path);
        ASSERT_TRUE(back) << back.fault().message;
        EXPECT_EQ(back->corners, all.corners);
        EXPECT_EQ(back->offsets, all.offsets);
        ASSERT_EQ(back->points.size(), all.points.size() + 3);
        for (std::size_t i = 0; i < all.points.size(); ++i) EXPECT_EQ(back->points[i], all.points[i]) << i;
        EXPECT_EQ(back->points[all.points.size() + 1], (Vec3{0.1, 0.2, 0.3}));
    }
    const auto obj = to_obj(parts, curves);
    EXPECT_NE(obj->find("\nl 15 16 17 15\n"), std::string::npos) << *obj;
    const auto ply = to_ply(parts, curves);
    EXPECT_NE(ply->find("element edge 3\n"), std::string::npos);
    const auto groups = read_assembly((folder_ / "all.obj").string(), {.groups = true});
    ASSERT_EQ(groups->parts.size(), 3u);
    EXPECT_EQ(groups->parts[0].name, "left");
}

TEST_F(Files, PolygonsOfManyCornersInPly) {
    Mesh disk;
    disk.offsets = {0};
    for (std::uint32_t i = 0; i < 300; ++i) {
        disk.points.push_back({std::cos(i * 0.02), std::sin(i * 0.02), 0});
        disk.corners.push_back(i);
    }
    disk.offsets.push_back(300);
    const std::string path = (folder_ / "disk.ply").string();
    ASSERT_TRUE(write_assembly(path, single(disk)));
    const auto back = read_mesh(path);
    ASSERT_TRUE(back) << back.fault().message;
    EXPECT_EQ(back->offsets, disk.offsets);
    EXPECT_EQ(back->points, disk.points);
}

TEST_F(Files, StlComesBackInSinglePrecision) {
    const Assembly parts = three_parts();
    const std::string path = (folder_ / "all.stl").string();
    ASSERT_TRUE(write_assembly(path, parts));
    const auto back = read_mesh(path);
    ASSERT_TRUE(back) << back.fault().message;
    const Mesh all = *merged(parts);
    const Indices cut = triangles(all);
    ASSERT_EQ(back->corners.size(), cut.size());
    EXPECT_EQ(cut.size(), 3u * (4 + 4 + 8));
    for (std::size_t i = 0; i < cut.size(); ++i)
        for (int d = 0; d < 3; ++d)
            EXPECT_EQ(back->points[back->corners[i]][d], static_cast<float>(all.points[cut[i]][d]));
    Mesh far = tetrahedron();
    far.points[0].x = 1e39;
    EXPECT_EQ(to_stl(single(far)).fault().kind, FaultKind::OutOfRange);
    EXPECT_EQ(to_glb(single(far)).fault().kind, FaultKind::OutOfRange);
    const std::vector<Curve> curves(1);
    EXPECT_FALSE(write_assembly(path, parts, curves));
    EXPECT_FALSE(write_assembly((folder_ / "all.xyz").string(), parts));
    EXPECT_FALSE(write_assembly((folder_ / "absent" / "all.stl").string(), parts));
}

/// The JSON and the binary part; checks the frame of the file and every accessor.
Json glb_json(const std::string& glb, std::string& binary) {
    const auto u32 = [&](std::size_t at) { return load<std::uint32_t>(glb.data() + at, std::endian::little); };
    EXPECT_EQ(glb.substr(0, 4), "glTF");
    EXPECT_EQ(u32(4), 2u);
    EXPECT_EQ(u32(8), glb.size());
    const std::size_t n = u32(12);
    EXPECT_EQ(n % 4, 0u);
    EXPECT_EQ(glb.substr(16, 4), "JSON");
    const Json json = Json::parse(glb.substr(20, n));
    if (20 + n < glb.size()) {
        EXPECT_EQ(u32(20 + n), glb.size() - 28 - n);
        EXPECT_EQ(glb.substr(24 + n, 4), std::string("BIN\0", 4));
        binary = glb.substr(28 + n);
        EXPECT_EQ(json["buffers"][0]["byteLength"], binary.size());
    }
    for (const Json& accessor : json.value("accessors", Json::array())) {
        const Json& view = json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
        const std::size_t size = accessor["type"] == "VEC3" ? 12 : 4, count = accessor["count"];
        EXPECT_GE(count, 1u);
        EXPECT_EQ(size * count, view["byteLength"].get<std::size_t>());
        const std::size_t start = view["byteOffset"];
        EXPECT_LE(start + size * count, binary.size());
        if (size == 4) continue;
        for (int d = 0; d < 3; ++d) {
            float low = 1e38f, high = -1e38f;
            for (std::size_t i = 0; i < count; ++i) {
                const float x = load<float>(binary.data() + start + 12 * i + 4 * d, std::endian::little);
                low = std::min(low, x);
                high = std::max(high, x);
            }
            EXPECT_EQ(accessor["min"][d].get<float>(), low);
            EXPECT_EQ(accessor["max"][d].get<float>(), high);
        }
    }
    return json;
}

TEST_F(Files, GlbIsWhatTheFormatAsksFor) {
    Assembly parts = three_parts();
    parts.parts.push_back({"sheared", "", 0, affine({1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3})});
    const std::vector<Curve> curves = {{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, "ring", Colour{0, 1, 0, 0.5}, true}};
    std::string binary;
    const Json json = glb_json(*to_glb(parts, curves), binary);
    EXPECT_EQ(json["asset"]["version"], "2.0");
    ASSERT_EQ(json["nodes"].size(), 6u);
    EXPECT_EQ(json["meshes"].size(), 4u);  // the sheared part has one of its own
    EXPECT_EQ(json["nodes"][1]["name"], "right \"one\"\n");
    EXPECT_EQ(json["nodes"][2]["name"], "pr\xc3\xb6sm?");
    EXPECT_EQ(json["nodes"][0]["mesh"], json["nodes"][1]["mesh"]);
    EXPECT_FALSE(json["nodes"][0].contains("matrix"));
    EXPECT_EQ(json["nodes"][1]["matrix"], (Json{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}));
    EXPECT_FALSE(json["nodes"][3].contains("matrix"));
    EXPECT_EQ(json["nodes"][5]["children"], (Json{0, 1, 2, 3, 4}));
    EXPECT_EQ(json["scenes"][0]["nodes"], (Json{5}));
    const Json ring = json["meshes"][3]["primitives"][0];
    EXPECT_EQ(ring["mode"], 3);
    EXPECT_EQ(json["accessors"][ring["attributes"]["POSITION"].get<int>()]["count"], 4);
    EXPECT_EQ(json["materials"][ring["material"].get<int>()]["alphaMode"], "BLEND");
    EXPECT_EQ(json["materials"][json["meshes"][1]["primitives"][0]["material"].get<int>()]["pbrMetallicRoughness"]
                  ["baseColorFactor"],
              (Json{1, 0.5, 0.25, 1}));

    const Json empty = glb_json(*to_glb({}), binary);
    EXPECT_FALSE(empty.contains("buffers"));
    EXPECT_FALSE(empty["nodes"][0].contains("children"));
}

/// Formats that need assimp.
class Scenes : public Files {
protected:
    void SetUp() override {
        Files::SetUp();
        if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    }
};

TEST_F(Files, WithoutAssimpTheFormatIsNamed) {
    if (has_assimp()) GTEST_SKIP() << "built with assimp";
    EXPECT_NE(refusal("scene.dae", "<COLLADA/>").find("assimp"), std::string::npos);
}

TEST_F(Files, GlbComesBack) {
    const Assembly parts = three_parts();
    const std::vector<Curve> curves = {{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, "ring", {}, false}};
    const std::string path = (folder_ / "all.glb").string();
    ASSERT_TRUE(write_assembly(path, parts, curves));
    const auto back = read_assembly(path);
    ASSERT_TRUE(back) << back.fault().message;
    ASSERT_EQ(back->parts.size(), 3u);
    EXPECT_EQ(back->parts[0].name, "left");
    EXPECT_EQ(back->parts[0].path, "z up/left");
    EXPECT_EQ(back->parts[0].mesh, back->parts[1].mesh);
    EXPECT_EQ(back->parts[0].world_from_mesh, Affine());
    EXPECT_EQ(back->parts[1].world_from_mesh, parts.parts[1].world_from_mesh);
    // The prism's scale is in its points, so that it is rigid.
    EXPECT_TRUE(back->parts[2].world_from_mesh.rigid());
    EXPECT_EQ(back->meshes[back->parts[2].mesh].colour, (Colour{1, 0.5, 0.25, 1}));
    ASSERT_EQ(back->notes.size(), 1u);
    EXPECT_TRUE(back->notes[0].ends_with("2 points and lines are skipped")) << back->notes[0];
    const Mesh a = *merged(*back), b = *merged(parts);
    const Indices cut = triangles(b);
    ASSERT_EQ(a.corners.size(), cut.size());
    for (std::size_t i = 0; i < cut.size(); ++i) expect_near(a.points[a.corners[i]], b.points[cut[i]]);
    // Points are floats. Placements have all their digits.
    for (const Part& part : back->parts) {
        EXPECT_GT(back->meshes[part.mesh].error, 1e-8);
        EXPECT_LT(part.extra_error, 1e-14);
    }
    // Unturned, y is up.
    expect_near((*merged(*read_assembly(path, {.up = Up::Keep}))).points[1], {0, 0, -1});
    expect_near((*merged(*read_assembly(path, {.scale = 10}))).points[1], {0, 10, 0});
}

TEST_F(Scenes, ColladaKeepsPolygonsUnitsAndAxes) {
    const auto z_up = read_assembly(write("z.dae", collada("0.01", "Z_UP")));
    ASSERT_TRUE(z_up) << z_up.fault().message;
    ASSERT_EQ(z_up->parts.size(), 1u);
    EXPECT_EQ(z_up->parts[0].name, "inner");
    EXPECT_TRUE(z_up->parts[0].path.ends_with("lifted/inner")) << z_up->parts[0].path;
    EXPECT_TRUE(z_up->parts[0].world_from_mesh.rigid());
    // Half a unit of the floats of assimp, the largest of which is 2, in centimetres.
    EXPECT_NEAR(z_up->meshes[0].error, std::ldexp(1, 1 - 24) * 0.01, 1e-16);
    EXPECT_EQ(z_up->meshes[0].offsets, (Indices{0, 4}));
    expect_near((*merged(*z_up)).points[2], {0.01, 0.02, 0.03});
    const auto y_up = read_assembly(write("y.dae", collada("1", "Y_UP")));
    expect_near((*merged(*y_up)).points[2], {1, -3, 2});
    expect_near((*merged(*read_assembly((folder_ / "y.dae").string(), {.up = Up::Keep}))).points[2], {1, 2, 3});
    expect_near((*merged(*read_assembly((folder_ / "z.dae").string(), {.up = Up::Keep}))).points[2],
                {0.01, 0.02, 0.03});
    expect_near((*merged(*read_assembly((folder_ / "z.dae").string(), {.up = Up::Y}))).points[2], {0.01, -0.03, 0.02});
}

TEST_F(Scenes, BrokenCollada) {
    EXPECT_NE(refusal("m.dae", collada("1", "Z_UP", "0 0 0 one 0 0 1 2 0 0 2 0")), "");
    EXPECT_NE(refusal("m.dae", collada("1", "Z_UP", "0 0 0 nan 0 0 1 2 0 0 2 0")), "");
    EXPECT_NE(refusal("m.dae", collada("1", "Z_UP", "0 0 0 1 0 0 1 2 0 0 2 0", "0 1 2 9")), "");
    EXPECT_NE(refusal("m.dae", collada("1", "Z_UP", "0 0 0 1 0 0 1 2 0 0 2 0", "")), "");
    const std::string good = collada("1", "Z_UP");
    for (std::size_t n = 0; n + 20 < good.size(); n += 61) EXPECT_NE(refusal("m.dae", good.substr(0, n)), "") << n;
}

TEST_F(Files, BrokenGlb) {
    const std::string good = *to_glb(single(tetrahedron()));
    ASSERT_EQ(refusal("m.glb", good), "");
    for (std::size_t n = 0; n < good.size(); n += 41) EXPECT_NE(refusal("m.glb", good.substr(0, n)), "") << n;
    // The same length, so that the frame stays right.
    const auto changed = [&](const std::string& what, std::string by) {
        std::string bytes = good;
        const std::size_t at = bytes.find(what);
        EXPECT_NE(at, std::string::npos) << what;
        by.resize(what.size(), ' ');
        bytes.replace(at, what.size(), by);
        return refusal("m.glb", bytes);
    };
    EXPECT_NE(changed("\"count\":12,\"type\":\"SCALAR\"", "\"count\":1000000000         "), "");
    EXPECT_NE(changed("\"count\":4,\"type\":\"VEC3\"", "\"count\":1000000000      "), "");
    EXPECT_NE(changed("\"count\":4,\"type\"", "\"count\":q,\"type\""), "");
    EXPECT_NE(changed("\"bufferView\":1", "\"bufferView\":7"), "");
    EXPECT_NE(changed("\"POSITION\":0", "\"POSITION\":9"), "");
    // A corner that does not exist, and a coordinate that is no number.
    std::string bytes = good;
    bytes[bytes.size() - 4] = 9;
    EXPECT_EQ(refusal("m.glb", bytes), "m.glb: mesh 'tetrahedron', face 3: a corner names vertex 9 of 4");
    bytes = good;
    const std::size_t first = bytes.size() - 48 - 48;
    bytes.replace(first, 4, std::string("\x00\x00\xc0\x7f", 4));
    EXPECT_EQ(refusal("m.glb", bytes), "m.glb: mesh 'tetrahedron', face 0: a coordinate is not finite");
    EXPECT_EQ(refusal("m.glb", *to_glb({})), "m.glb: the file has no triangles");
}

TEST_F(Scenes, ThreeMfKnowsItsUnit) {
    const auto millimetres = read_assembly(write("mm.3mf", three_mf("unit=\"millimeter\"")));
    ASSERT_TRUE(millimetres) << millimetres.fault().message;
    const Mesh mesh = *merged(*millimetres);
    EXPECT_EQ(mesh.polygon_count(), 2u);
    expect_near(mesh.points[mesh.corners[5]], {0, 0, 0.03});
    const Mesh inches = *merged(*read_assembly(write("inch.3mf", three_mf("unit='inch'"))));
    expect_near(inches.points[inches.corners[5]], {0, 0, 0.762});
    const Mesh unsaid = *merged(*read_assembly(write("none.3mf", three_mf(""))));
    expect_near(unsaid.points[unsaid.corners[5]], {0, 0, 0.03});

    const std::string good = three_mf("");
    EXPECT_NE(refusal("m.3mf", three_mf("", "0", "9")), "");
    for (std::size_t n = 0; n < good.size(); n += 131) EXPECT_NE(refusal("m.3mf", good.substr(0, n)), "") << n;
}

TEST_F(Scenes, ThreeDsHasZUp) {
    const auto read = read_assembly(write("m.3ds", three_ds(1, 2)));
    ASSERT_TRUE(read) << read.fault().message;
    expect_near((*merged(*read)).points[2], {0, 2, 3});
    expect_near((*merged(*read_assembly((folder_ / "m.3ds").string(), {.up = Up::Keep}))).points[2], {0, 2, 3});
    const std::string good = three_ds(1, 2);
    for (std::size_t n = 0; n < good.size(); n += 7) EXPECT_NE(refusal("m.3ds", good.substr(0, n)), "") << n;
    EXPECT_NE(refusal("m.3ds", three_ds(60000, 2)), "");
}

TEST_F(Scenes, FbxKnowsUnitAndAxis) {
    const auto read = read_assembly(write("m.fbx", fbx("0,0,0,1,0,0,1,2,0,0,2,4", "0,1,2,-4")));
    ASSERT_TRUE(read) << read.fault().message;
    const Mesh mesh = *merged(*read);
    EXPECT_EQ(mesh.offsets, (Indices{0, 4}));
    expect_near(mesh.points[mesh.corners[3]], {10 * 0.025, 2 * 0.025, 4 * 0.025});
    EXPECT_NE(refusal("m.fbx", fbx("0,0,0,1,0,0,1,2,0,0,2,4", "0,1,2,-9")), "");
    EXPECT_NE(refusal("m.fbx", fbx("0,0,0,one,0,0,1,2,0,0,2,4", "0,1,2,-4")), "");
    const std::string good = fbx("0,0,0,1,0,0,1,2,0,0,2,4", "0,1,2,-4");
    for (std::size_t n = 0; n + 80 < good.size(); n += 97) EXPECT_NE(refusal("m.fbx", good.substr(0, n)), "") << n;
}

TEST_F(Files, TransformsWithoutInverseArePlaced) {
    std::string binary;
    Json json = glb_json(*to_glb(single(tetrahedron())), binary);
    json["nodes"][0]["scale"] = {1, 1, 0};
    std::string text = json.dump();
    text.append((4 - text.size() % 4) % 4, ' ');
    std::string out = "glTF";
    for (const std::size_t v : {std::size_t{2}, 28 + text.size() + binary.size(), text.size()})
        store(out, static_cast<std::uint32_t>(v));
    out += "JSON" + text;
    store(out, static_cast<std::uint32_t>(binary.size()));
    out += std::string("BIN\0", 4) + binary;
    const auto read = read_assembly(write("flat.glb", out));
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->notes.size(), 1u);
    expect_near((*merged(*read)).points[3], {0, 0, 0});
}

}  // namespace
}  // namespace graze::files
