// SPDX-License-Identifier: Apache-2.0
// Statements of formats and files (units, axes, names, instances), and the files that a file may name.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "files/assembly.hpp"
#include "files/binary.hpp"
#include "files/conventions.hpp"
#include "files/gltf.hpp"
#include "files/inside.hpp"
#include "files/write.hpp"
#include "scene_files.hpp"
#include "temporary_folder.hpp"

namespace graze::files {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Conventional : public test::InTemporaryFolder {};

using References = Conventional;

TEST_F(References, StayInTheFolderOfTheModel) {
    const std::string model = write("in/model.gltf", "{}");
    const std::string secret = write("secret.txt", "secret");
    write("in/deep/a b.bin", "");
    EXPECT_EQ(*resolve_reference(model, "deep/a b.bin"), at("in/deep/a b.bin"));
    EXPECT_EQ(*resolve_reference(model, "absent.bin"), at("in/absent.bin"));
    EXPECT_EQ(*resolve_reference(model, "deep/../absent/../model.gltf"), model);
    EXPECT_EQ(*resolve_reference(model, at("in/deep/x")), at("in/deep/x"));
    EXPECT_EQ(*resolve_reference(model, "../in/x"), at("in/x"));
    const std::string why = "which is outside of its folder (--allow-folder DIR lets it read there)";
    EXPECT_EQ(resolve_reference(model, "../secret.txt").fault().message, model + ": it names '../secret.txt', " + why);
    // A folder whose name only begins in the same way is another one.
    write("inner/x", "");
    fs::create_symlink(secret, folder_ / "in/link");
    fs::create_symlink(folder_, folder_ / "in/up");
    for (const std::string& bad :
         {secret, std::string("../inner/x"), std::string("link"), std::string("absent/../link"),
          std::string("up/secret.txt"), std::string("up/absent"), std::string("deep/../.."), std::string("/etc/passwd"),
          std::string("..")})
        EXPECT_FALSE(resolve_reference(model, bad)) << bad;
    EXPECT_FALSE(resolve_reference(model, std::string_view("x\0y", 3)));
    EXPECT_FALSE(resolve_reference(model, ""));
    EXPECT_FALSE(resolve_reference(model, "deep"));
    ASSERT_EQ(mkfifo(at("in/pipe").c_str(), 0600), 0);
    EXPECT_FALSE(resolve_reference(model, "pipe"));
}

TEST_F(References, MayLeadToAllowedFolders) {
    const std::string model = write("in/model.gltf", "{}");
    write("other/x", "");
    const std::vector<std::string> allowed = {at("absent"), at("other") + "/"};
    EXPECT_EQ(*resolve_reference(model, "../other/x", allowed), at("other/x"));
    EXPECT_FALSE(resolve_reference(model, "../others/x", allowed));
    const std::vector<std::string> all = {"/"};
    EXPECT_TRUE(resolve_reference(model, "../other/x", all));
    // A model that was itself named through a link has the folder of the link.
    fs::create_directory_symlink(folder_ / "in", folder_ / "alias");
    EXPECT_EQ(*resolve_reference(at("alias/model.gltf"), "x.bin"), at("in/x.bin"));
}

TEST_F(References, OfAssimpStayInside) {
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    write("in/near.obj", triangle);
    write("far.obj", triangle);
    // A LightWave scene names the files of its objects.
    const auto scene = [&](const std::string& name) {
        return write("in/scene.lws", "LWSC\n5\n\nLoadObjectLayer 1 10000000 " + name + "\nShowObject 7 -1 0 1 1\n");
    };
    const Result<Assembly> near = read_assembly(scene("near.obj"));
    ASSERT_TRUE(near) << near.fault().message;
    EXPECT_EQ(near->polygon_count(), 1u);
    for (const std::string& name : {std::string("../far.obj"), at("far.obj")}) {
        const std::string path = scene(name);
        const Result<Assembly> far = read_assembly(path);
        ASSERT_FALSE(far);
        EXPECT_TRUE(far.fault().message.starts_with(path + ": it names '") &&
                    far.fault().message.find("outside of its folder") != std::string::npos)
            << far.fault().message;
        EXPECT_TRUE(read_assembly(path, {.allowed_folders = {folder_.string()}}));
    }
}

TEST_F(References, AreDecoded) {
    EXPECT_EQ(percent_decoded("a%20b%2e%2E/%c3%B6"), "a b../\xc3\xb6");
    EXPECT_EQ(percent_decoded("100%"), "100%");
    EXPECT_EQ(percent_decoded("%4"), "%4");
    EXPECT_EQ(percent_decoded("%zz%-1"), "%zz%-1");
}

/// A glTF document that is put together piece by piece.
struct GltfText {
    Json json = {{"asset", {{"version", "2.0"}}}, {"scene", 0}, {"scenes", {{{"nodes", {0}}}}}};
    std::string binary;

    /// Adds a view of these numbers and returns its index.
    template <class T>
    std::size_t view(const std::vector<T>& numbers, Json more = Json::object()) {
        binary.append((4 - binary.size() % 4) % 4, '\0');
        more["buffer"] = 0;
        more["byteOffset"] = binary.size();
        more["byteLength"] = numbers.size() * sizeof(T);
        for (const T x : numbers) store(binary, x);
        return add("bufferViews", more);
    }
    std::size_t accessor(std::size_t view, int type, std::size_t count, const char* kind, Json more = Json::object()) {
        more["bufferView"] = view;
        more["componentType"] = type;
        more["count"] = count;
        more["type"] = kind;
        return add("accessors", more);
    }
    std::size_t add(const char* list, const Json& entry) {
        json[list].push_back(entry);
        return json[list].size() - 1;
    }
    /// Adds a mesh of one primitive.
    std::size_t mesh(const std::string& name, std::size_t positions, Json more = Json::object()) {
        more["attributes"]["POSITION"] = positions;
        return add("meshes", {{"name", name}, {"primitives", {more}}});
    }
    /// Adds a right triangle in the plane z = 0, of this size.
    std::size_t triangle(const std::string& name, float size = 1) {
        return mesh(name, accessor(view<float>({0, 0, 0, size, 0, 0, 0, size, 0}), 5126, 3, "VEC3"));
    }
    std::string glb() const {
        Json with = json;
        std::string bin = binary;
        bin.append((4 - bin.size() % 4) % 4, '\0');
        if (!with.contains("buffers")) with["buffers"] = {{{"byteLength", bin.size()}}};
        std::string text = with.dump();
        text.append((4 - text.size() % 4) % 4, ' ');
        std::string out = "glTF";
        for (const std::size_t v : {std::size_t{2}, 28 + text.size() + bin.size(), text.size()})
            store(out, static_cast<std::uint32_t>(v));
        out += "JSON" + text;
        store(out, static_cast<std::uint32_t>(bin.size()));
        return out + std::string("BIN\0", 4) + bin;
    }
    /// Reads it with its own axes.
    Result<Assembly> read() const { return parse_gltf(glb(), "m.glb", {.up = Up::Keep}); }
    std::string refusal() const {
        const Result<Assembly> out = read();
        if (out) return "";
        EXPECT_TRUE(out.fault().message.starts_with("m.glb: ") && out.fault().message.find('\n') == std::string::npos);
        return out.fault().message.substr(7);
    }
};

/// The triangles of all parts, corner by corner, where they are placed.
std::vector<Vec3> placed(const Assembly& assembly) {
    const Mesh all = *merged(assembly);
    std::vector<Vec3> out;
    for (const std::uint32_t c : all.corners) out.push_back(all.points[c]);
    return out;
}

std::vector<std::string> paths_of(const Assembly& assembly) {
    std::vector<std::string> out;
    for (const Part& part : assembly.parts) out.push_back(part.path);
    return out;
}

using Gltf = Conventional;

TEST_F(Gltf, QuantisedPositions) {
    GltfText text;
    // Shorts that stand for -1 to 1, eight bytes apart.
    const std::size_t shorts =
        text.view<std::int16_t>({-32768, -32767, 0, 0, 32767, 0, 0, 0, 0, 32767, 16384, 0}, {{"byteStride", 8}});
    text.mesh("fractions", text.accessor(shorts, 5122, 3, "VEC3", {{"normalized", true}}));
    // Bytes that stand for themselves.
    const std::size_t bytes = text.view<std::uint8_t>({0, 0, 0, 0, 255, 0, 0, 0, 0, 7, 1, 0}, {{"byteStride", 4}});
    text.mesh("whole", text.accessor(bytes, 5121, 3, "VEC3"));
    text.add("nodes", {{"mesh", 0}, {"children", {1}}, {"scale", {2, 2, 2}}});
    text.add("nodes", {{"mesh", 1}});
    text.json["extensionsUsed"] = text.json["extensionsRequired"] = {"KHR_mesh_quantization"};
    const Result<Assembly> read = text.read();
    ASSERT_TRUE(read) << read.fault().message;
    EXPECT_TRUE(read->notes.empty());
    EXPECT_EQ(
        placed(*read),
        (std::vector<Vec3>{{-2, -2, 0}, {2, 0, 0}, {0, 2, 2 * (16384 / 32767.0)}, {0, 0, 0}, {510, 0, 0}, {0, 14, 2}}));
    EXPECT_EQ(paths_of(*read), (std::vector<std::string>{"fractions", "fractions/whole"}));
    // Half a step, which the node's scale doubles.
    EXPECT_NEAR(read->errors()[0], 1 / 32767.0, 1e-12);
    EXPECT_NEAR(read->errors()[1], 1, 1e-12);
}

TEST_F(Gltf, PlacementsAreRounded) {
    GltfText text;
    text.triangle("sheet", 4);
    text.json["scenes"][0]["nodes"] = {0, 1, 2, 4};
    text.add("nodes", {{"mesh", 0}, {"translation", {8, 0.5, -100}}});
    text.add("nodes", {{"mesh", 0}, {"translation", {8.12345, 0, 0}}});
    text.add("nodes", {{"mesh", 0}, {"translation", {8.123456789012345, 0, 0}}});
    text.add("nodes", {{"mesh", 0}});
    text.add("nodes", {{"children", {3}}, {"rotation", {0, 0, 0.70710677, 0.70710677}}});
    const Result<Assembly> read = text.read();
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->parts.size(), 4u);
    EXPECT_EQ(read->meshes[0].error, std::ldexp(1, 2 - 24));
    // Short numbers may be exact, long ones are those of double precision, and all others may have been floats.
    EXPECT_EQ(read->parts[0].extra_error, 0);
    EXPECT_EQ(read->parts[1].extra_error, std::ldexp(1, 3 - 24));
    EXPECT_EQ(read->parts[2].extra_error, std::ldexp(1, 3 - 53));
    // The corners of the sheet turn by as much as two floats below 1 are off.
    EXPECT_GT(read->parts[3].extra_error, 4 * std::ldexp(1, -25));
    EXPECT_LT(read->parts[3].extra_error, 40 * std::ldexp(1, -25));
}

TEST_F(Gltf, InstancesAreParts) {
    GltfText text;
    const std::size_t at = text.accessor(text.view<float>({1, 0, 0, 2, 0, 0, 3, 0, 0}), 5126, 3, "VEC3");
    // A quarter turn about z in bytes that stand for fractions, and none.
    const std::size_t turns = text.accessor(text.view<std::int8_t>({0, 0, 90, 90, 0, 0, 0, 127, 0, 0, 0, 127}), 5120, 3,
                                            "VEC4", {{"normalized", true}});
    const std::size_t scales = text.accessor(text.view<float>({1, 1, 1, 1, 1, 1, 2, 2, 2}), 5126, 3, "VEC3");
    text.triangle("tree");
    text.add("nodes", {{"name", "wood"},
                       {"mesh", 0},
                       {"translation", {0, 10, 0}},
                       {"extensions",
                        {{"EXT_mesh_gpu_instancing",
                          {{"attributes", {{"TRANSLATION", at}, {"ROTATION", turns}, {"SCALE", scales}}}}}}}});
    text.json["extensionsRequired"] = {"EXT_mesh_gpu_instancing"};
    const Result<Assembly> read = text.read();
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->parts.size(), 3u);
    EXPECT_EQ(read->meshes.size(), 1u);
    const std::vector<Vec3> points = placed(*read);
    const std::vector<Vec3> expected = {{1, 10, 0}, {1, 11, 0}, {0, 10, 0}, {2, 10, 0}, {3, 10, 0},
                                        {2, 11, 0}, {3, 10, 0}, {5, 10, 0}, {3, 12, 0}};
    for (std::size_t i = 0; i < 9; ++i) EXPECT_LE(length(points[i] - expected[i]), 1e-12) << i;
    EXPECT_EQ(paths_of(*read), (std::vector<std::string>{"wood", "wood", "wood"}));

    GltfText fewer = text;
    fewer.json["accessors"][scales]["count"] = 2;
    EXPECT_EQ(fewer.refusal(), "node 'wood' has instances whose counts differ");
}

TEST_F(Gltf, UnknownExtensionsAreRefusedByName) {
    GltfText text;
    text.triangle("a");
    text.add("nodes", {{"mesh", 0}});
    for (const char* packed : {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"}) {
        text.json["extensionsRequired"] = {"KHR_texture_transform", packed};
        EXPECT_EQ(text.refusal(), "it requires the extension '" + std::string(packed) +
                                      "', which is not supported: export it without compression");
    }
    text.json["extensionsRequired"] = {"ACME_bends"};
    EXPECT_EQ(text.refusal(), "it requires the extension 'ACME_bends', which is not supported");
    text.json["extensionsRequired"] = {"KHR_materials_unlit", "KHR_texture_basisu", "KHR_lights_punctual"};
    EXPECT_EQ(text.refusal(), "");
    text.json["extensionsUsed"] = {"KHR_materials_unlit", "ACME_bends", "CESIUM_RTC"};
    EXPECT_EQ(text.read()->notes, (std::vector<std::string>{"m.glb: it uses extensions that are not known here and are "
                                                            "left out: 'ACME_bends', 'CESIUM_RTC'"}));
    text.json["asset"]["version"] = "1.0";
    EXPECT_EQ(text.refusal(), "glTF of version '1.0' is not supported, only 2.0 is");
}

TEST_F(Gltf, CompressionWithAFallbackIsRead) {
    GltfText text;
    text.triangle("a");
    text.add("nodes", {{"mesh", 0}});
    text.json["extensionsUsed"] = {"KHR_draco_mesh_compression", "EXT_meshopt_compression"};
    text.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"] = {{"bufferView", 0}};
    text.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = {{"buffer", 0}};
    ASSERT_EQ(text.refusal(), "");
    EXPECT_TRUE(text.read()->notes.empty());
    GltfText draco = text;
    draco.json["accessors"][0].erase("bufferView");
    EXPECT_EQ(draco.refusal(),
              "mesh 'a': it is compressed with KHR_draco_mesh_compression, which is not supported: export it without "
              "compression");
    text.json["buffers"] = {{{"byteLength", 36}},
                            {{"byteLength", 36}, {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}}};
    text.json["bufferViews"][0]["buffer"] = 1;
    EXPECT_EQ(text.refusal(),
              "it is compressed with EXT_meshopt_compression, which is not supported: export it without compression");
}

TEST_F(Gltf, StripsFansAndSparseNumbers) {
    GltfText text;
    const std::size_t points =
        text.accessor(text.view<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0}), 5126, 5, "VEC3");
    const std::size_t corners = text.accessor(text.view<std::uint16_t>({0, 1, 2, 3, 4}), 5123, 5, "SCALAR");
    text.mesh("strip", points, {{"mode", 5}, {"indices", corners}});
    text.mesh("fan", points, {{"mode", 6}});
    // Points that are all 0 but two.
    const std::size_t which = text.view<std::uint8_t>({1, 2}), values = text.view<float>({5, 0, 0, 0, 6, 0});
    const std::size_t sparse = text.accessor(0, 5126, 3, "VEC3",
                                             {{"sparse",
                                               {{"count", 2},
                                                {"indices", {{"bufferView", which}, {"componentType", 5121}}},
                                                {"values", {{"bufferView", values}}}}}});
    text.json["accessors"][sparse].erase("bufferView");
    text.mesh("sparse", sparse);
    text.add("nodes", {{"children", {1, 2, 3}}});
    for (int mesh = 0; mesh < 3; ++mesh) text.add("nodes", {{"mesh", mesh}});
    const Result<Assembly> read = text.read();
    ASSERT_TRUE(read) << read.fault().message;
    const Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}};
    EXPECT_EQ(placed(*read),
              (std::vector<Vec3>{p[0], p[1], p[2], p[1], p[3], p[2], p[2], p[3],      p[4],      p[0],     p[1],
                                 p[2], p[0], p[2], p[3], p[0], p[3], p[4], {0, 0, 0}, {5, 0, 0}, {0, 6, 0}}));
    text.json["accessors"][sparse]["count"] = 2;
    EXPECT_EQ(text.refusal(), "a sparse accessor replaces elements that do not exist or out of order");
}

TEST_F(Gltf, TransformsNamesAndScenes) {
    GltfText text;
    text.triangle("inside");
    const std::size_t points = text.accessor(0, 5126, 3, "VEC3");
    text.mesh("lines", points, {{"mode", 2}});
    text.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", points}}};
    text.json["materials"] = {{{"pbrMetallicRoughness", {{"baseColorFactor", {1, 0.5, 0.25, 1}}}}}};
    text.json["meshes"][0]["primitives"][0]["material"] = 0;
    const double third = 1.0 / 3;  // not a float
    text.add("nodes", {{"name", "root"}, {"children", {1, 2}}, {"translation", {third, 0, 0}}});
    text.add("nodes", {{"children", {3}}, {"matrix", {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}}});
    text.add("nodes", {{"name", "loops"}, {"mesh", 1}});
    text.add("nodes", {{"mesh", 0}, {"skin", 0}, {"extensions", {{"KHR_node_visibility", {{"visible", false}}}}}});
    text.add("nodes", {{"name", "elsewhere"}, {"mesh", 0}});
    text.add("scenes", {{"name", "other"}, {"nodes", {4}}});
    const Result<Assembly> read = text.read();
    ASSERT_TRUE(read) << read.fault().message;
    EXPECT_EQ(paths_of(*read), (std::vector<std::string>{"root/inside"}));
    EXPECT_EQ(placed(*read), (std::vector<Vec3>{{third + 5, 6, 7}, {third + 5, 7, 7}, {third + 4, 6, 7}}));
    EXPECT_EQ(read->meshes[0].colour, (Colour{1, 0.5, 0.25, 1}));
    EXPECT_EQ(read->notes,
              (std::vector<std::string>{"m.glb: it has 2 scenes: only scene 0 '' is read",
                                        "m.glb: 3 points and lines are skipped",
                                        "m.glb: nodes that are hidden are read as well: 1",
                                        "m.glb: skins are skipped: meshes are in their rest pose",
                                        "m.glb: morph targets are skipped: meshes have their base shape"}));
    text.json["scene"] = 1;
    EXPECT_EQ(paths_of(*text.read()), (std::vector<std::string>{"elsewhere"}));
    text.json["nodes"][3]["children"] = {0};
    text.json["scene"] = 0;
    EXPECT_EQ(text.refusal(), "node 'root' is in the scene more than once");
    text.json["nodes"][3].erase("children");
    text.json["nodes"][3]["scale"] = {1e302, 1e302, 1e302};
    EXPECT_EQ(text.refusal(), "mesh 'inside': a transform takes a coordinate beyond 2^1000");
    text.json["nodes"][3].erase("scale");
    text.json["nodes"][1]["scale"] = {1, 1, 1};
    EXPECT_EQ(text.refusal(), "a node has both a matrix and a translation, rotation or scale");
}

TEST_F(Gltf, BuffersInTextAndInFiles) {
    GltfText text;
    text.triangle("a");
    text.add("nodes", {{"mesh", 0}});
    const auto refusal = [&](const std::string& uri, const ReadOptions& options = {}) -> std::string {
        text.json["buffers"] = {{{"byteLength", 36}, {"uri", uri}}};
        const std::string path = write("in/m.gltf", text.json.dump());
        const Result<Assembly> read = read_assembly(path, options);
        if (read) return "";
        EXPECT_TRUE(read.fault().message.starts_with(path + ": ")) << read.fault().message;
        return read.fault().message.substr(path.size() + 2);
    };
    const std::string base64 = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    EXPECT_EQ(refusal("data:application/octet-stream;base64," + base64), "");
    EXPECT_EQ(placed(*read_assembly(at("in/m.gltf"), {.up = Up::Keep})),
              (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
    EXPECT_EQ(refusal("data:application/octet-stream;base64,AAA="), "buffer 0 has 2 bytes of 36");
    EXPECT_NE(refusal("data:application/octet-stream;base64,A-_A" + base64), "");
    EXPECT_NE(refusal("data:,abc"), "");
    write("in/deep/a b.bin", text.binary);
    EXPECT_EQ(refusal("deep/a%20b.bin"), "");
    write("secret.bin", text.binary);
    fs::create_symlink(folder_ / "secret.bin", folder_ / "in/link.bin");
    const std::string outside = "which is outside of its folder (--allow-folder DIR lets it read there)";
    EXPECT_EQ(refusal("../secret.bin"), "it names '../secret.bin', " + outside);
    EXPECT_EQ(refusal("%2e%2e/secret.bin"), "it names '../secret.bin', " + outside);
    EXPECT_EQ(refusal("%2E%2e%2fsecret.bin"), "it names '../secret.bin', " + outside);
    EXPECT_EQ(refusal("link.bin"), "it names 'link.bin', " + outside);
    EXPECT_NE(refusal(at("secret.bin")), "");
    EXPECT_NE(refusal("file://" + at("secret.bin")), "");
    EXPECT_NE(refusal("http://example.com/a.bin"), "");
    EXPECT_NE(refusal("deep/a%20b.bin%00"), "");
    EXPECT_EQ(refusal("../secret.bin", {.allowed_folders = {folder_.string()}}), "");
    EXPECT_NE(refusal("absent.bin").find("No such file"), std::string::npos);
}

TEST_F(Gltf, FilesThatUnfoldWithoutEndAreRefused) {
    // Two thousand nodes flatten the same mesh, each of which would get points of its own.
    GltfText flat;
    const std::size_t points = flat.accessor(flat.view<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}), 5126, 3, "VEC3");
    const std::size_t corners =
        flat.accessor(flat.view<std::uint8_t>(std::vector<std::uint8_t>(30'000, 0)), 5121, 30'000, "SCALAR");
    flat.mesh("much", points, {{"indices", corners}});
    // Few bytes place many parts with long names.
    GltfText wood;
    wood.triangle("tree");
    wood.json["accessors"].push_back({{"componentType", 5126}, {"type", "VEC3"}, {"count", 1'000'000}});
    const Json instances = {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", 1}}}}}};
    Json nodes = Json::array();
    for (int i = 0; i < 2000; ++i) {
        nodes.push_back(flat.add("nodes", {{"mesh", 0}, {"scale", {0, 0, 0}}}));
        wood.add("nodes", {{"name", std::string(150, 'n')}, {"mesh", 0}, {"extensions", instances}});
    }
    flat.json["scenes"][0]["nodes"] = wood.json["scenes"][0]["nodes"] = nodes;
    EXPECT_EQ(flat.refusal(), "it unfolds to far more than its bytes hold");
    EXPECT_EQ(wood.refusal(), "it unfolds to far more than its bytes hold");
    // Points that take no bytes.
    GltfText zero;
    zero.triangle("zero");
    zero.json["accessors"][0].erase("bufferView");
    zero.json["accessors"][0]["count"] = 4'000'000'002;
    zero.add("nodes", {{"mesh", 0}});
    EXPECT_EQ(zero.refusal(), "it unfolds to far more than its bytes hold");
    zero.json["accessors"][0]["count"] = 4'000'000'000'002;
    EXPECT_EQ(zero.refusal(), "accessor 0 has more elements than 32 bits can number");
    // A document that is nothing but depth.
    EXPECT_FALSE(parse_gltf(std::string(200'000, '['), "deep.gltf", {}));
    GltfText chain;
    chain.triangle("end");
    for (int i = 0; i < 3000; ++i) chain.add("nodes", {{"children", {i + 1}}});
    chain.add("nodes", {{"mesh", 0}});
    EXPECT_EQ(chain.refusal(), "node 1000 is nested too deep");
}

/// A file that uses most of what the reader knows.
std::string rich_glb() {
    GltfText text;
    const std::size_t points =
        text.accessor(text.view<std::int16_t>({0, 0, 0, 0, 9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 9, 0}, {{"byteStride", 8}}),
                      5122, 4, "VEC3");
    const std::size_t corners =
        text.accessor(text.view<std::uint8_t>({0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3}), 5121, 12, "SCALAR");
    const std::size_t which = text.view<std::uint16_t>({3}), values = text.view<std::int16_t>({1, 1, 12});
    const std::size_t sparse = text.accessor(0, 5122, 4, "VEC3",
                                             {{"sparse",
                                               {{"count", 1},
                                                {"indices", {{"bufferView", which}, {"componentType", 5123}}},
                                                {"values", {{"bufferView", values}}}}}});
    const std::size_t places = text.accessor(text.view<float>({0, 0, 0, 20, 0, 0}), 5126, 2, "VEC3");
    text.mesh("solid", points, {{"indices", corners}, {"material", 0}});
    text.mesh("strip", sparse, {{"mode", 5}});
    text.json["materials"] = {{{"pbrMetallicRoughness", {{"baseColorFactor", {1, 0.5, 0.25, 1}}}}}};
    text.add("nodes", {{"name", "root"}, {"children", {1, 2}}, {"rotation", {0, 0, 0.6, 0.8}}, {"scale", {1, 2, 3}}});
    text.add("nodes",
             {{"mesh", 0}, {"extensions", {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", places}}}}}}}});
    text.add("nodes", {{"mesh", 1}, {"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}}});
    return text.glb();
}

TEST_F(Gltf, AnyChangeOfBytesIsReadOrRefused) {
    const std::string good = rich_glb();
    const Result<Assembly> read = parse_gltf(good, "m.glb", {});
    ASSERT_TRUE(read) << read.fault().message;
    EXPECT_EQ(read->parts.size(), 3u);
    std::mt19937 random(7);
    const std::string_view tokens[] = {"0",    "-1", "1e99", "4294967296", "18446744073709551615",
                                       "null", "[]", "{}",   "\"\"",       ",",
                                       "}",    "]",  "0.5",  "true"};
    std::size_t loaded = 0;
    for (int round = 0; round < 6000; ++round) {
        std::string bytes = good;
        for (std::size_t k = 0; k < 1 + random() % 3; ++k) {
            const std::size_t at = random() % bytes.size();
            switch (random() % 4) {
                case 0:
                    bytes[at] = static_cast<char>(random());
                    break;
                case 1:
                    bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
                    break;
                case 2: {  // a digit, so that the document stays one
                    const std::size_t digit = bytes.find_first_of("0123456789", at);
                    if (digit != std::string::npos) bytes[digit] = static_cast<char>('0' + random() % 10);
                    break;
                }
                default: {  // a value of another kind, in place of a number
                    const std::size_t digit = bytes.find_first_of("0123456789", at);
                    const std::string_view token = tokens[random() % std::size(tokens)];
                    if (digit != std::string::npos && digit + token.size() < bytes.size())
                        bytes.replace(digit, token.size(), token);
                }
            }
        }
        const Result<Assembly> changed = parse_gltf(bytes, "m.glb", {});
        if (!changed) {
            const std::string& what = changed.fault().message;
            ASSERT_TRUE(what.starts_with("m.glb: ") && what.find('\n') == std::string::npos) << what;
            continue;
        }
        ++loaded;
        for (const Part& part : changed->parts) {
            ASSERT_LT(part.mesh, changed->meshes.size());
            const Mesh& mesh = changed->meshes[part.mesh];
            for (const std::uint32_t c : mesh.corners) ASSERT_LT(c, mesh.points.size());
        }
    }
    EXPECT_GT(loaded, 500u);
    for (std::size_t n = 0; n < good.size(); n += 7) EXPECT_FALSE(parse_gltf(good.substr(0, n), "m.glb", {})) << n;
}

TEST_F(Gltf, NoAreaIsSaid) {
    const auto notes = [&](const std::string& name, const std::string& bytes) {
        const Result<Assembly> read = read_assembly(write(name, bytes));
        EXPECT_TRUE(read) << read.fault().message;
        std::string all;
        for (const std::string& note : read->notes) all += note.substr(folder_.string().size() + 1) + "\n";
        return all;
    };
    EXPECT_EQ(notes("flat.obj", "v 0 0 0\nv 1 3 7\nv 2 6 14\nv 4 12 28\nf 1 2 3\nf 1 2 3 4\n"),
              "flat.obj: all 2 polygons of mesh 'flat' have no area\n");
    EXPECT_EQ(notes("one.obj", "v 0 0 0\nv 1 3 7\nv 2 6 14\nv 4 12 29\nf 1 2 3\nf 1 2 3 4\n"), "");
    GltfText text;
    text.triangle("point", 0);
    text.triangle("dot", 0);
    text.add("nodes", {{"mesh", 0}, {"children", {1}}});
    EXPECT_EQ(notes("m.glb", (text.add("nodes", {{"mesh", 1}}), text.glb())),
              "m.glb: mesh 'point' and 1 other have only triangles without area\n");
}

/// A file's statements, and its points after reading.
class Stated : public Conventional {
protected:
    void expect(const std::string& name, const std::string& bytes, const Conventions& stated, const std::string& note) {
        const std::string path = write(name, bytes);
        const Result<Assembly> read = read_assembly(path);
        ASSERT_TRUE(read) << read.fault().message;
        EXPECT_EQ(read->conventions.format, stated.format) << name;
        EXPECT_DOUBLE_EQ(read->conventions.metres, stated.metres) << name;
        EXPECT_EQ(read->conventions.up, stated.up) << name;
        const std::array file{FileConventions{name, read->conventions}};
        const std::vector<std::string> notes = notes_on(file, {});
        EXPECT_EQ(notes.empty() ? "" : notes[0], note) << name;
        EXPECT_LE(notes.size(), 1u);
    }
};

TEST_F(Stated, OfBuiltInFormats) {
    expect("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", {"OBJ", 0, 0}, "");
    expect("a.stl",
           "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
           "endfacet\nendsolid a\n",
           {"STL", 0, 0}, "");
    expect("a.glb", rich_glb(), {"glTF", 1, 'y'}, "a.glb: glTF is y-up: turned to z-up (--up keep leaves it)");
}

TEST_F(Stated, OfFormatsOfAssimp) {
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    expect("z.dae", collada("0.01", "Z_UP"), {"COLLADA", 0.01, 'z'},
           "z.dae: COLLADA in centimetres: scaled to metres (--scale 100 undoes it)");
    expect("x.dae", collada("1", "X_UP"), {"COLLADA", 1, 'x'},
           "x.dae: COLLADA is x-up: turned to z-up (--up keep leaves it)");
    expect("i.dae", collada("0.0254", "Y_UP"), {"COLLADA", 0.0254, 'y'},
           "i.dae: COLLADA in inches, y-up: scaled to metres, turned to z-up (--scale 39.3701 and --up keep undo it)");
    expect("a.3mf", three_mf("unit=\"inch\""), {"3MF", 0.0254, 'z'},
           "a.3mf: 3MF in inches: scaled to metres (--scale 39.3701 undoes it)");
    expect("b.3mf", three_mf(""), {"3MF", 0.001, 'z'},
           "b.3mf: 3MF in millimetres: scaled to metres (--scale 1000 undoes it)");
    expect("a.3ds", three_ds(1, 2), {"3DS", 0, 'z'}, "");
    const std::string plate = fbx("0,0,0,1,0,0,1,2,0,0,2,4", "0,1,2,-4");
    expect("a.fbx", plate, {"FBX", 2.5f * 0.01, 'z'},
           "a.fbx: FBX in units of 0.025 m: scaled to metres (--scale 40 undoes it)");
    const std::string shape =
        "<Shape><IndexedFaceSet coordIndex='0 1 2 -1'><Coordinate point='0 0 0 1 0 0 0 2 0'/>"
        "</IndexedFaceSet></Shape>";
    expect("a.x3d", "<X3D><Scene>" + shape + "</Scene></X3D>", {"X3D", 1, 'y'},
           "a.x3d: X3D is y-up: turned to z-up (--up keep leaves it)");
    expect("b.x3d",
           "<X3D><head><unit category='length' name='cm' conversionFactor='0.01'/></head><Scene>" + shape +
               "</Scene></X3D>",
           {"X3D", 0.01, 'y'},
           "b.x3d: X3D in centimetres, y-up: scaled to metres, turned to z-up (--scale 100 and --up keep undo it)");
    EXPECT_EQ((*merged(*read_assembly(at("b.x3d")))).points[2], (Vec3{0, 0, 0.02}));
    expect(
        "a.dxf",
        "0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n4\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n0\n3DFACE\n8\nwalls\n10\n0\n"
        "20\n0\n30\n0\n11\n1000\n21\n0\n31\n0\n12\n1000\n22\n2000\n32\n0\n13\n0\n23\n2000\n33\n0\n0\nENDSEC\n0\nEOF\n",
        {"DXF", 0.001, 'z'}, "a.dxf: DXF in millimetres: scaled to metres (--scale 1000 undoes it)");
}

TEST_F(Stated, LayersOfDrawings) {
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    std::string text = "0\nSECTION\n2\nENTITIES\n";
    for (const char* layer : {"walls", "pipes"})
        text += std::string("0\n3DFACE\n8\n") + layer +
                "\n10\n0\n20\n0\n30\n0\n11\n1\n21\n0\n31\n0\n12\n1\n22\n2\n32\n0\n13\n0\n23\n2\n33\n0\n";
    const Result<Assembly> read = read_assembly(write("a.dxf", text + "0\nENDSEC\n0\nEOF\n"));
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->parts.size(), 2u);
    EXPECT_EQ(read->parts[0].labels.layer, "walls");
    EXPECT_EQ(read->parts[1].labels.layer, "pipes");
    EXPECT_EQ(read->conventions, (Conventions{"DXF", 0, 'z'}));
}

TEST_F(Stated, BodiesOf3mf) {
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    const auto object = [](const std::string& id, const std::string& more) {
        return "<object id=\"" + id + "\"" + more +
               " type=\"model\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"10\" y=\"0\" "
               "z=\"0\"/><vertex x=\"0\" y=\"20\" z=\"0\"/></vertices><triangles><triangle v1=\"0\" v2=\"1\" "
               "v3=\"2\"/></triangles></mesh></object>";
    };
    const Result<Assembly> read = read_assembly(write(
        "a.3mf", three_mf_of("unit=\"centimeter\"",
                             object("1", " name=\"nut &amp; bolt\"") + object("2", "") +
                                 "<object id=\"3\" name=\"pair\" type=\"model\"><components>"
                                 "<component objectid=\"1\"/><component objectid=\"2\" "
                                 "transform=\"1 0 0 0 1 0 0 0 1 100 0 0\"/></components></object>",
                             "<item objectid=\"1\" transform=\"0 1 0 -1 0 0 0 0 1 0 0 50\"/><item objectid=\"3\"/>")));
    ASSERT_TRUE(read) << read.fault().message;
    EXPECT_EQ(paths_of(*read),
              (std::vector<std::string>{"3MF/nut & bolt", "3MF/pair/nut & bolt", "3MF/pair/Object_2"}));
    const std::vector<Vec3> expected = {{0, 0, 0.5}, {0, 0.1, 0.5}, {-0.2, 0, 0.5}, {0, 0, 0},  {0.1, 0, 0},
                                        {0, 0.2, 0}, {1, 0, 0},     {1.1, 0, 0},    {1, 0.2, 0}};
    const std::vector<Vec3> points = placed(*read);
    ASSERT_EQ(points.size(), 9u);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_LE(length(points[i] - expected[i]), 1e-6) << i;
}

TEST_F(Stated, X3dThatRepeatsGroupsIsRefused) {
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    const std::string text =
        "<X3D><Scene>\n<Group DEF='g'><Shape><IndexedFaceSet coordIndex='0 1 2 -1'><Coordinate point='0 0 0 1 0 0 0 2 "
        "0'/></IndexedFaceSet></Shape></Group>\n<Transform translation='5 0 0'><Group USE='g'/></Transform>\n"
        "<Transform translation='9 0 0'><Group USE='g'/></Transform></Scene></X3D>";
    const std::string path = write("a.x3d", text);
    const Result<Assembly> read = read_assembly(path);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.fault().message, path + ":3: element 'Group' repeats another one (USE), which is not supported");
}

TEST_F(Stated, DifferencesAreSaidOnce) {
    const Conventions stl{"STL", 0, 0}, gltf{"glTF", 1, 'y'}, three_ds{"3DS", 0, 'z'};
    const std::vector<FileConventions> two = {{"a.stl", stl}, {"b.glb", gltf}};
    const std::string turned = "glTF is y-up: turned to z-up (--up keep leaves it)";
    EXPECT_EQ(notes_on(two, {}), (std::vector<std::string>{"b.glb: " + turned,
                                                           "a.stl states neither unit nor up axis, b.glb is in metres "
                                                           "with z up: they are compared as they are"}));
    EXPECT_EQ(notes_on(two, {.up = Up::Keep}),
              (std::vector<std::string>{"a.stl states neither unit nor up axis, b.glb is in metres with y up: they are "
                                        "compared as they are"}));
    EXPECT_EQ(notes_on(two, {}, false)[0], "b.glb: glTF is y-up: turned to z-up");
    std::vector<FileConventions> many(300, {"a.glb", gltf});
    EXPECT_EQ(notes_on(many, {}), (std::vector<std::string>{"a.glb and 299 others: " + turned}));
    many.push_back({"b.3ds", three_ds});
    many.push_back({"c.3ds", three_ds});
    EXPECT_EQ(notes_on(many, {})[1],
              "a.glb and 299 others are in metres with z up, b.3ds and 1 other have z up and "
              "state no unit: they are compared as they are");
    EXPECT_EQ(notes_on(many, {}).size(), 2u);
}

}  // namespace
}  // namespace graze::files
