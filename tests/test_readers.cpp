// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "files/binary.hpp"
#include "files/mesh_file.hpp"
#include "files/npy.hpp"
#include "files/pose_file.hpp"
#include "files/text.hpp"
#include "fuzz/check_baseline.hpp"
#include "fuzz/check_files.hpp"
#include "fuzz/check_model_file.hpp"
#include "npy_file.hpp"

namespace graze::files {
namespace {

using Indices = std::vector<std::uint32_t>;

const std::string one_facet =
    "solid part\n"
    "  facet normal 0 0 1\n"
    "    outer loop\n"
    "      vertex 0 0 0\n"
    "      vertex 1 0 0\n"
    "      vertex 0 1 0\n"
    "    endloop\n"
    "  endfacet\n"
    "endsolid part\n";

void append(std::string& bytes, std::uint32_t v) {
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(v >> 8 * i & 0xff);
}

/// Nine floats a triangle.
std::string binary_stl(const std::vector<std::array<float, 9>>& triangles, const std::string& header = "binary") {
    std::string bytes = header;
    bytes.resize(80, '\0');
    append(bytes, static_cast<std::uint32_t>(triangles.size()));
    for (const auto& triangle : triangles) {
        for (int i = 0; i < 3; ++i) append(bytes, 0);
        for (float v : triangle) append(bytes, std::bit_cast<std::uint32_t>(v));
        bytes += std::string(2, '\0');
    }
    return bytes;
}

/// The fault's message; empty when there is none.
template <class T>
std::string message(const Result<T>& result) {
    if (result) return "";
    EXPECT_EQ(result.fault().message.find('\n'), std::string::npos);
    return result.fault().message;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, what.size(), by);
}

TEST(Text, NumbersAreExactAndFinite) {
    EXPECT_EQ(*parse_number("0.1"), 0.1);
    EXPECT_EQ(*parse_number("+2.5e1"), 25);
    EXPECT_EQ(*parse_number("-0"), 0);
    EXPECT_TRUE(std::signbit(*parse_number("-0")));
    EXPECT_EQ(*parse_number("4.9e-324"), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(*parse_number("1e-400"), 0);
    EXPECT_EQ(*parse_number("1.7976931348623157e308"), std::numeric_limits<double>::max());
    for (const char* word : {"", "x", "1x", "1,5", "+-1", "0x10", "1e", "--1", "."})
        EXPECT_EQ(parse_number(word).ok(), false) << word;
    for (const char* word : {"nan", "inf", "-inf", "1e999", "NaN"})
        EXPECT_EQ(parse_number(word).fault().kind, FaultKind::NotFinite) << word;
    EXPECT_EQ(parse_coordinate("1e305").fault().kind, FaultKind::OutOfRange);
    EXPECT_TRUE(parse_coordinate("1e300").ok());
}

TEST(Text, MessagesStayPrintableAndShort) {
    EXPECT_EQ(in_quotes("a\x01\nb"), "'a??b'");
    EXPECT_LT(in_quotes(std::string(1000, 'x')).size(), 60u);
}

TEST(Stl, BinaryWeldsEqualBitsOnly) {
    const float tiny = std::numeric_limits<float>::denorm_min();
    const auto mesh = parse_stl(
        binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 1, 0, 1, 1, 0.1f}, {tiny, 0, 0, 1, 0, 0, 0, 1, 0}}),
        "m.stl");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->corners, (Indices{0, 1, 2, 1, 2, 3, 4, 1, 2}));
    ASSERT_EQ(mesh->points.size(), 5u);
    EXPECT_EQ(mesh->points[3].z, static_cast<double>(0.1f));
    EXPECT_EQ(mesh->points[4].x, static_cast<double>(tiny));
    EXPECT_FALSE(mesh->has_polygons());
}

TEST(Stl, WeldingSurvivesItsTablesGrowth) {
    // Every point twice, in triangles that are far more than the table starts with.
    std::string text = "solid\n";
    constexpr int n = 3000;
    for (int i = 0; i < n; ++i)
        for (int twice = 0; twice < 2; ++twice) {
            text += "facet normal 0 0 0 outer loop\n";
            for (int k = 0; k < 3; ++k) text += "vertex " + std::to_string(i) + " " + std::to_string(k) + " 0\n";
            text += "endloop endfacet\n";
        }
    const auto mesh = parse_stl(text + "endsolid\n", "m.stl");
    ASSERT_TRUE(mesh) << message(mesh);
    ASSERT_EQ(mesh->points.size(), 3u * n);
    for (std::uint32_t i = 0; i < mesh->corners.size(); ++i) {
        const std::uint32_t triangle = i / 3;
        EXPECT_EQ(mesh->points[mesh->corners[i]], (Vec3{double(triangle / 2), double(i % 3), 0}));
    }
}

TEST(Stl, BinaryMayStartWithSolid) {
    const auto mesh = parse_stl(binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}}, "solid exported"), "m.stl");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->polygon_count(), 1u);
}

TEST(Stl, AsciiTakesManySolidsAnyCaseAndCrlf) {
    std::string text = one_facet + replaced(one_facet, "solid part", "SOLID");
    text = replaced(text, "facet normal 0 0 1", "FACET NORMAL nan nan nan");
    std::string crlf;
    for (char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    for (const std::string& variant : {text, crlf}) {
        const auto mesh = parse_stl(variant, "m.stl");
        ASSERT_TRUE(mesh) << message(mesh);
        EXPECT_EQ(mesh->corners, (Indices{0, 1, 2, 0, 1, 2}));
        EXPECT_EQ(mesh->points[1], (Vec3{1, 0, 0}));
    }
}

TEST(Stl, ZeroTrianglesAreValid) {
    EXPECT_EQ(parse_stl("solid nothing\nendsolid nothing\n", "m.stl")->polygon_count(), 0u);
    EXPECT_EQ(parse_stl(binary_stl({}), "m.stl")->polygon_count(), 0u);
}

TEST(Stl, BrokenBinaryFiles) {
    const std::string good = binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 0, 0, 1, 0}});
    // Cut anywhere it is a fault, never a shorter mesh.
    for (std::size_t n = 0; n < good.size(); ++n) {
        const std::string what = message(parse_stl(good.substr(0, n), "m.stl"));
        EXPECT_TRUE(what.starts_with("m.stl: ")) << n << " " << what;
    }
    EXPECT_FALSE(parse_stl(good + "x", "m.stl"));

    std::string claims = good;
    claims.replace(80, 4, std::string("\x00\xca\x9a\x3b", 4));
    EXPECT_EQ(
        message(parse_stl(claims, "m.stl")),
        "m.stl: byte 80: the header claims 1000000000 triangles, which take 50000000084 bytes, and the file has 184");

    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto bad = parse_stl(binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 0, 0, nan, 0}}), "m.stl");
    EXPECT_EQ(message(bad), "m.stl: triangle 1 (byte 174): a coordinate is not finite");
    EXPECT_EQ(bad.fault().kind, FaultKind::NotFinite);
}

TEST(Stl, BrokenAsciiFiles) {
    const auto fault = [](const std::string& what, const std::string& by) {
        return message(parse_stl(replaced(one_facet, what, by), "m.stl"));
    };
    EXPECT_EQ(fault("vertex 1 0 0", "vertex 1 zero 0"), "m.stl:5: 'zero' is not a number");
    EXPECT_EQ(fault("vertex 1 0 0", "vertex 1 nan 0"), "m.stl:5: 'nan' is not a finite number");
    EXPECT_EQ(fault("vertex 1 0 0", "vertex 1 0"), "m.stl:5: a number is missing");
    EXPECT_EQ(fault("vertex 1 0 0", "vertex 1 0 0 0"), "m.stl:5: 'vertex' expected, '0' found");
    EXPECT_EQ(fault("      vertex 0 1 0\n", ""), "m.stl:6: 'vertex' expected, 'endloop' found");
    EXPECT_EQ(fault("    endloop\n", "vertex 1 1 1\nendloop\n"), "m.stl:7: 'endloop' expected, 'vertex' found");
    EXPECT_EQ(fault("endsolid part\n", ""), "m.stl:9: 'facet' or 'endsolid' expected, the file ends");
    for (std::size_t n = 0; n + 10 < one_facet.size(); ++n)
        EXPECT_FALSE(parse_stl(one_facet.substr(0, n), "m.stl")) << n;
}

TEST(Obj, TrianglesWithAllTheTrimmings) {
    const auto mesh = parse_obj(
        "# a comment\r\nmtllib x.mtl\no thing\n\tv 0 0 0\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5 # red\n"
        "vt 0 0\nvn 0 0 1\ns off\nusemtl steel\nf 1 2 3\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\r\n"
        "f 1/1/1 2/1/1 \\\n 3/1/1\nf -3 -2 \\\r\n-1\nl 1 2\nf 3 2\\\n 1",
        "m.obj");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->points, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
    EXPECT_EQ(mesh->corners, (Indices{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 1, 0}));
    EXPECT_FALSE(mesh->has_polygons());
}

TEST(Obj, PolygonsKeepTheirCorners) {
    const auto mesh = parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 2 3 4\nf 4 3 2\n", "m.obj");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->offsets, (Indices{0, 3, 7, 10}));
    EXPECT_EQ(mesh->corners, (Indices{0, 1, 2, 0, 1, 2, 3, 3, 2, 1}));
    const auto model = Model::build(mesh->view());
    ASSERT_TRUE(model) << message(model);
    EXPECT_EQ(model->triangle_count(), 4u);
    EXPECT_EQ(model->polygon_count(), 3u);
}

TEST(Obj, PolygonsMayComeBeforeTheirPoints) {
    const auto mesh = parse_obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "m.obj");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->corners, (Indices{0, 1, 2}));
}

TEST(Obj, ZeroPolygonsAreValid) {
    EXPECT_EQ(parse_obj("# nothing\n", "m.obj")->polygon_count(), 0u);
    EXPECT_EQ(parse_obj("v 0 0 0\n", "m.obj")->polygon_count(), 0u);
    EXPECT_EQ(message(parse_obj("", "m.obj")), "m.obj:1: the file is empty");
}

TEST(Obj, BrokenFiles) {
    const auto fault = [](const std::string& tail) {
        return message(parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + tail, "m.obj"));
    };
    EXPECT_EQ(fault("v 0 x 0\n"), "m.obj:4: 'x' is not a number");
    EXPECT_EQ(fault("v 0 0\n"), "m.obj:4: a number is missing");
    EXPECT_EQ(fault("v 0 0 nan\n"), "m.obj:4: 'nan' is not a finite number");
    EXPECT_EQ(fault("v 0 0 1e305\n"), "m.obj:4: '1e305' is beyond 2^1000");
    EXPECT_EQ(fault("v 0 0 0 w\n"), "m.obj:4: 'w' is not a number");
    EXPECT_EQ(fault("f 1 2\n"), "m.obj:4: a polygon with 2 corners");
    EXPECT_EQ(fault("f\n"), "m.obj:4: a polygon with 0 corners");
    EXPECT_EQ(fault("f 1 2 0\n"), "m.obj:4: vertex 0 of 3 so far");
    EXPECT_EQ(fault("\nf 1 2 -4\n"), "m.obj:5: vertex -4 of 3 so far");
    EXPECT_EQ(fault("f 1 2 3\nf 1 2 4\nf 1 2 3\n"), "m.obj:5: vertex 4 of 3");
    EXPECT_EQ(fault("f 1 2 99999999999\n"), "m.obj:4: vertex 99999999999 of 3 so far");
    EXPECT_EQ(fault("f 1 2 99999999999999999999999\n"), "m.obj:4: '99999999999999999999999' is not a corner");
    EXPECT_EQ(fault("f 1 2 3.5\n"), "m.obj:4: '3.5' is not a corner");
    EXPECT_EQ(fault("f 1 2 3/1/1/1\n"), "m.obj:4: '3/1/1/1' is not a corner");
    EXPECT_EQ(fault("f 1 2 3/x\n"), "m.obj:4: '3/x' is not a corner");
    EXPECT_EQ(fault("surf 0 1 0 1 1 2 3\n"), "m.obj:4: statement 'surf' is not supported");
    EXPECT_EQ(fault("f 1 \\\n 2 \\\n x\n"), "m.obj:6: 'x' is not a corner");
}

const std::string ply_header =
    "ply\nformat ascii 1.0\ncomment made by hand\\\nobj_info x\n"
    "element vertex 4\nproperty float x\nproperty double y\nproperty int z\nproperty uchar red\n"
    "element odd 2\nproperty list uchar float numbers\nproperty short one\n"
    "element face 2\nproperty float quality\nproperty list uchar int vertex_indices\n"
    "end_header\n";
const std::string ply_rows = "0 0 0 9\n1 0.1 0 9\n1 1 2 9\n0 1 0 9\n2 0.5 0.5 7\n0 7\n0.5 3 0 1 2\n0.5 4 0 1 2 3\n";

/// The same in binary.
std::string binary_ply(std::endian order) {
    std::string out =
        replaced(ply_header, "ascii", order == std::endian::big ? "binary_big_endian" : "binary_little_endian");
    const auto put = [&](auto value) {
        std::string one;
        store(one, value);
        if (order == std::endian::big) std::reverse(one.begin(), one.end());
        out += one;
    };
    const double points[4][3] = {{0, 0, 0}, {1, 0.1, 0}, {1, 1, 2}, {0, 1, 0}};
    for (const auto& p : points) {
        put(static_cast<float>(p[0]));
        put(p[1]);
        put(static_cast<std::int32_t>(p[2]));
        put(std::uint8_t{9});
    }
    put(std::uint8_t{2});
    for (int i = 0; i < 2; ++i) put(0.5f);
    put(std::int16_t{7});
    put(std::uint8_t{0});
    put(std::int16_t{7});
    for (const int n : {3, 4}) {
        put(0.5f);
        put(static_cast<std::uint8_t>(n));
        for (int i = 0; i < n; ++i) put(std::int32_t{i});
    }
    return out;
}

TEST(Ply, AllKindsWithMoreThanIsAskedFor) {
    for (const std::string& bytes :
         {ply_header + ply_rows, binary_ply(std::endian::little), binary_ply(std::endian::big)}) {
        const auto mesh = parse_ply(bytes, "m.ply");
        ASSERT_TRUE(mesh) << message(mesh);
        EXPECT_EQ(mesh->points, (std::vector<Vec3>{{0, 0, 0}, {1, 0.1, 0}, {1, 1, 2}, {0, 1, 0}}));
        EXPECT_EQ(mesh->corners, (Indices{0, 1, 2, 0, 1, 2, 3}));
        EXPECT_EQ(mesh->offsets, (Indices{0, 3, 7}));
        // Cut anywhere it is a fault, never a shorter mesh; in text the last line's end may be missing.
        for (std::size_t n = 0; n + 2 < bytes.size(); ++n) {
            const std::string what = message(parse_ply(bytes.substr(0, n), "m.ply"));
            EXPECT_TRUE(what.starts_with("m.ply:")) << n << " " << what;
        }
    }
}

TEST(Ply, FacesMayComeFirst) {
    const auto mesh = parse_ply(
        "ply\r\nformat ascii 1.0\r\nelement face 1\r\nproperty list uint8 uint32 vertex_index\r\nelement vertex 3\r\n"
        "property float32 x\r\nproperty float32 y\r\nproperty float32 z\r\nend_header\r\n3 2 1 0\r\n0 0 0\r\n1 0 "
        "0\r\n0 1 0\r\n",
        "m.ply");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->corners, (Indices{2, 1, 0}));
    EXPECT_FALSE(mesh->has_polygons());
}

TEST(Ply, BrokenFiles) {
    const auto fault = [](const std::string& what, const std::string& by) {
        return message(parse_ply(replaced(ply_header + ply_rows, what, by), "m.ply"));
    };
    EXPECT_EQ(fault("1 0.1 0 9", "1 x 0 9"), "m.ply:18: 'x' is not a number");
    EXPECT_EQ(fault("1 0.1 0 9", "1 nan 0 9"), "m.ply:18: 'nan' is not a finite number");
    EXPECT_EQ(fault("1 0.1 0 9", "1 0.1 0"), "m.ply:18: a number is missing");
    EXPECT_EQ(fault("1 0.1 0 9", "1 0.1 0 9 9"), "m.ply:18: '9' is more than the header names");
    EXPECT_EQ(fault("0.5 3 0 1 2", "0.5 3 0 1 4"), "m.ply:23: a corner names vertex 4 of 4");
    EXPECT_EQ(fault("0.5 3 0 1 2", "0.5 3 0 1 -1"), "m.ply:23: a corner names vertex -1");
    EXPECT_EQ(fault("0.5 3 0 1 2", "0.5 3 0 1 1.5"), "m.ply:23: '1.5' is not a whole number");
    EXPECT_EQ(fault("0.5 3 0 1 2", "0.5 2 0 1"), "m.ply:23: a polygon with 2 corners");
    EXPECT_EQ(fault("0.5 3 0 1 2", "0.5 1000000000 0 1 2"), "m.ply:23: a number is missing");
    EXPECT_EQ(fault("face 2", "face 1"), "m.ply:24: '0.5' after the last row");
    EXPECT_EQ(fault("face 2", "face two"), "m.ply:13: 'two' is not a count");
    EXPECT_EQ(fault("vertex 4", "vertex 1000000000"),
              "m.ply:17: the header claims 1000000000 of 'vertex', for which 76 bytes are too few");
    EXPECT_EQ(fault("face 2", "face 1000000000"),
              "m.ply:22: the header claims 1000000000 of 'face', for which 27 bytes are too few");
    EXPECT_EQ(fault("face 2", "face 99999999999"), "m.ply:13: more of 'face' than 32 bits can number");
    EXPECT_EQ(fault("property double y", "property double Y"),
              "m.ply:16: 'vertex' lacks one of the properties x, y and z");
    EXPECT_EQ(fault("vertex_indices", "corners"), "m.ply:16: 'face' lacks the property 'vertex_indices'");
    EXPECT_EQ(fault("list uchar int", "list float int"), "m.ply:15: 'float' is not a type of a list's length");
    EXPECT_EQ(fault("list uchar int", "list uchar float"), "m.ply:15: 'vertex_indices' is not a list of whole numbers");
    EXPECT_EQ(fault("double", "long"), "m.ply:7: 'long' is not a type");
    EXPECT_EQ(fault("ascii", "binary"), "m.ply:2: 'binary' is not a format of PLY");
    EXPECT_EQ(fault("format ascii 1.0", "comment"), "m.ply:16: the header names no format");
    EXPECT_EQ(fault("obj_info", "info"), "m.ply:4: 'info' has no place in a header");
    EXPECT_EQ(message(parse_ply("", "m.ply")), "m.ply:1: the file is empty");
    EXPECT_EQ(message(parse_ply("plywood", "m.ply")), "m.ply:1: not a PLY file: it does not start with 'ply'");

    const std::string good = binary_ply(std::endian::little);
    const std::size_t start = good.find("end_header\n") + 11;
    std::string bad = good;
    bad.replace(start, 4, std::string("\x00\x00\x80\x7f", 4));
    EXPECT_EQ(message(parse_ply(bad, "m.ply")),
              "m.ply: 'vertex' 0 (byte " + std::to_string(start) + "): a coordinate is not finite");
    bad = good;
    bad.replace(good.size() - 4, 4, std::string("\x04\x00\x00\x00", 4));
    EXPECT_EQ(message(parse_ply(bad, "m.ply")), "m.ply: face 1: a corner names vertex 4 of 4");
    EXPECT_TRUE(message(parse_ply(good + "x", "m.ply")).ends_with("1 bytes more than the rows that the header claims"));
    bad = replaced(good, "face 2", "face 1000000000");
    EXPECT_TRUE(
        message(parse_ply(bad, "m.ply")).ends_with("claims 1000000000 of 'face', for which 38 bytes are too few"));
}

/// The error of an OBJ file whose points have these coordinates, three in a line.
double written_error(const std::string& lines) {
    const auto mesh = parse_obj(lines, "m.obj");
    EXPECT_TRUE(mesh) << message(mesh);
    return mesh ? mesh->error : -1;
}

/// Points all over a cube of this half size, printed in this way.
std::string printed(const char* format, double size) {
    std::string out;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> within(-size, size);
    for (int i = 0; i < 300; ++i) {
        out += "v";
        for (int d = 0; d < 3; ++d) {
            std::array<char, 64> text;
            std::snprintf(text.data(), text.size(), format, within(random));
            out.append(" ").append(text.data());
        }
        out += "\n";
    }
    return out;
}

TEST(Errors, OfText) {
    for (const double size : {1e-3, 1.0, 900.0, 123456.0}) {
        EXPECT_DOUBLE_EQ(written_error(printed("%.6f", size)), 0.5e-6) << size;
        // Six digits: the last one is worth most at the largest coordinates.
        const double unit = std::pow(10, std::floor(std::log10(size * 0.999)) - 5);
        EXPECT_NEAR(written_error(printed("%.6g", size)) / unit, size == 123456 ? 0.05 : 0.5, 1e-9) << size;
        EXPECT_NEAR(written_error(printed("%.5e", size)) / unit, 0.5, 1e-9) << size;
        EXPECT_EQ(written_error(printed("%.17g", size)), std::ldexp(0.5, std::ilogb(size * 0.999) - 52)) << size;
    }
    EXPECT_NEAR(written_error(printed("%.3f", 90)), 0.5e-3, 1e-15);
    // A program that computed with six digits in double precision leaves a few numbers of sixteen.
    EXPECT_NEAR(written_error(printed("%.6g", 9) + "v 0.5076349999999999 0.10000000000000001 1\n"), 0.5e-5, 1e-15);
    // Nine digits are what single precision needs.
    EXPECT_EQ(written_error(printed("%.9g", 9)), std::ldexp(1, 3 - 24));
    // Such numbers may be exact.
    EXPECT_EQ(written_error("v 0 0 0\nv 1 0 0\nv 0 1 0\n"), 0);
    EXPECT_EQ(written_error("v 0.0 0.25 -12.5\nv 1.0 1e3 1.5e-2\n"), 0);
    EXPECT_EQ(written_error("v 1234567 0 0\nv 0.5 0 0\n"), 0);
}

TEST(Errors, OfTextInOtherFormats) {
    const std::string stl =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0.000000 0.000000 0.000000\nvertex 1.000000 0.000000 "
        "0.000000\n"
        "vertex 0.000000 1.000000 0.000000\nendloop\nendfacet\nendsolid a\n";
    EXPECT_DOUBLE_EQ(parse_stl(stl, "m.stl")->error, 0.5e-6);
    const auto ply = [](const std::string& type, const std::string& number) {
        return parse_ply("ply\nformat ascii 1.0\nelement vertex 3\nproperty " + type + " x\nproperty " + type +
                             " y\nproperty " + type + " z\nelement face 1\nproperty list uchar int vertex_index\n" +
                             "end_header\n0 0 0\n" + number + " 0 0\n0 1 0\n3 0 1 2\n",
                         "m.ply")
            ->error;
    };
    EXPECT_EQ(ply("double", "1.5"), 0);
    EXPECT_EQ(ply("float", "1.5"), 0);
    EXPECT_EQ(ply("double", "1.2345678901234567"), std::ldexp(1, -53));
    EXPECT_EQ(ply("float", "1.2345678901234567"), std::ldexp(1, -24));
}

TEST(Errors, OfBinaryNumbers) {
    // Half a unit of single precision at the largest coordinate.
    EXPECT_EQ(parse_stl(binary_stl({{0, 0, 0, 5, 0, 0, 0, 1, 0}}), "m.stl")->error, std::ldexp(1, 2 - 24));
    const auto ply = parse_ply(binary_ply(std::endian::little), "m.ply");
    ASSERT_TRUE(ply);
    EXPECT_EQ(ply->error, std::ldexp(1, 1 - 24));
}

TEST(Corpus, SmallFilesKeepThePromises) {
    const std::pair<const char*, void (*)(std::string_view)> all[] = {
        {"baseline", fuzz::check_baseline}, {"gltf", fuzz::check_gltf}, {"model_file", fuzz::check_model_file},
        {"obj", fuzz::check_obj},           {"ply", fuzz::check_ply},   {"poses", fuzz::check_poses},
        {"stl", fuzz::check_stl},           {"urdf", fuzz::check_urdf}};
    for (const auto& [name, check] : all) {
        const std::filesystem::path folder = std::filesystem::path("tests/fuzz/corpus") / name;
        ASSERT_TRUE(std::filesystem::exists(folder)) << "the tests run in the repository's root";
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const auto bytes = Bytes::of(entry.path().string());
            ASSERT_TRUE(bytes);
            check(bytes->view());
            // And cut off anywhere.
            for (std::size_t n = 0; n < bytes->view().size(); n += 1 + bytes->view().size() / 64)
                check(bytes->view().substr(0, n));
        }
    }
}

TEST(Mesh, FormatByExtensionThenByContent) {
    EXPECT_TRUE(parse_mesh(ply_header + ply_rows, "a"));
    EXPECT_TRUE(
        message(parse_mesh("#VRML V2.0 utf8\nTransform {}\n", "a.wrl")).starts_with("a.wrl: not a known format"));
    const std::string obj = "# x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    EXPECT_TRUE(parse_mesh(obj, "a.OBJ"));
    EXPECT_TRUE(parse_mesh(obj, "folder.stl/mesh"));
    EXPECT_EQ(message(parse_mesh(obj, "a.stl")),
              "a.stl: the extension says STL, and the content is OBJ: rename the file to .obj");
    EXPECT_TRUE(parse_mesh(one_facet, "a.Stl"));
    EXPECT_TRUE(parse_mesh(one_facet, "a"));
    EXPECT_EQ(message(parse_mesh(one_facet, "a.obj")),
              "a.obj: the extension says OBJ, and the content is STL: rename the file to .stl");
    // A damaged file of the right kind is named as what it is.
    EXPECT_EQ(message(parse_mesh("solid a\nfacet\n", "a.stl")).find("rename"), std::string::npos);
    EXPECT_TRUE(parse_mesh(binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}}), "a.bin"));
    EXPECT_FALSE(parse_mesh("neither", "a.bin"));
}

TEST(Mesh, FilesThatCannotBeRead) {
    const std::string folder = std::filesystem::temp_directory_path().string();
    EXPECT_EQ(read_mesh(folder).fault().kind, FaultKind::File);
    EXPECT_EQ(message(read_mesh("no-such-file.stl")), "no-such-file.stl: No such file or directory");
}

TEST(Poses, QuaternionsAndMatrices) {
    const auto poses = parse_poses("# path\n\n1 2 3 0 0 0 2\n0 -1 0 4  1 0 0 5  0 0 1 6 # a quarter turn\n", "p.txt");
    ASSERT_TRUE(poses) << message(poses);
    ASSERT_EQ(poses->size(), 2u);
    EXPECT_EQ((*poses)[0], *Pose::from_matrix({}, {1, 2, 3}));
    EXPECT_EQ((*poses)[1]({1, 0, 0}), (Vec3{4, 6, 6}));
    EXPECT_TRUE(parse_poses("", "p.txt")->empty());
}

TEST(Poses, MatricesAreKeptBitForBit) {
    const auto pose = parse_pose("1 1e-17 0 0.1 -1e-17 0.999999999999 0 0.2 0 0 1.0000000001 0.3");
    ASSERT_TRUE(pose) << message(pose);
    EXPECT_EQ(pose->rotation().row[0], (Vec3{1, 1e-17, 0}));
    EXPECT_EQ(pose->rotation().row[1], (Vec3{-1e-17, 0.999999999999, 0}));
    EXPECT_EQ(pose->rotation().row[2], (Vec3{0, 0, 1.0000000001}));
    EXPECT_EQ(pose->translation(), (Vec3{0.1, 0.2, 0.3}));
}

TEST(Poses, BrokenLines) {
    const auto fault = [](const std::string& line) { return message(parse_poses("# first\n" + line, "p.txt")); };
    EXPECT_EQ(fault("0 0 0 0 0 0\n"),
              "p.txt:2: a pose has 7 numbers (x y z qx qy qz qw) or 12 (a 3x4 matrix by rows), not 6");
    EXPECT_TRUE(fault("1 2 3 4 5 6 7 8 9 10 11 12 13\n").ends_with("not 13"));
    EXPECT_EQ(fault("0 0 0 0 0 0 one\n"), "p.txt:2: 'one' is not a number");
    EXPECT_EQ(fault("0 0 0 0 0 0 1\n0 0 nan 0 0 0 1\n"), "p.txt:3: 'nan' is not a finite number");
    EXPECT_TRUE(fault("0 0 0 0 0 0 0\n").starts_with("p.txt:2: "));
    EXPECT_TRUE(fault("2 0 0 0 0 1 0 0 0 0 1 0\n").starts_with("p.txt:2: "));
    EXPECT_FALSE(parse_pose(""));
    EXPECT_FALSE(parse_pose("0 0 0 0 0 0 1\n0 0 0 0 0 0 1"));
}

using test::npy_file;
using test::npy_with_header;

/// Two poses: a quarter turn about z, and one without a turn.
const std::vector<double> two_rows{0, -1, 0, 4, 1, 0, 0, 5, 0, 0, 1, 6, 1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3};

TEST(NumPy, PosesOfEveryShapeTypeAndOrder) {
    const std::vector<float> floats(two_rows.begin(), two_rows.end());
    std::vector<double> matrices, columns;
    for (std::size_t i = 0; i < 2; ++i) {
        matrices.insert(matrices.end(), two_rows.begin() + 12 * static_cast<std::ptrdiff_t>(i),
                        two_rows.begin() + 12 * static_cast<std::ptrdiff_t>(i + 1));
        matrices.insert(matrices.end(), {0, 0, 0, 1});
    }
    for (std::size_t k = 0; k < 12; ++k) columns.insert(columns.end(), {two_rows[k], two_rows[12 + k]});
    std::vector<double> transposed;  // shape (2, 3, 4), the first index fastest
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t i = 0; i < 2; ++i) transposed.push_back(two_rows[12 * i + 4 * j + k]);
    for (const std::string& bytes :
         {npy_file("(2, 12)", two_rows), npy_file("(2, 3, 4)", two_rows), npy_file("(2, 4, 4)", matrices),
          npy_file("(2, 12)", columns, true), npy_file("(2, 3, 4)", transposed, true)}) {
        const auto poses = parse_poses(bytes, "p.npy");
        ASSERT_TRUE(poses) << message(poses);
        ASSERT_EQ(poses->size(), 2u);
        EXPECT_EQ((*poses)[0]({1, 0, 0}), (Vec3{4, 6, 6}));
        EXPECT_EQ((*poses)[1].translation(), (Vec3{0.1, 0.2, 0.3}));
    }
    const auto narrow = parse_poses(npy_file("(2, 3, 4)", floats), "p.npy");
    ASSERT_TRUE(narrow) << message(narrow);
    EXPECT_EQ((*narrow)[1].translation().x, 0.1f);
    const auto seven = parse_poses(npy_file("(1, 7)", std::vector<double>{1, 2, 3, 0, 0, 0, 2}), "p.npy");
    ASSERT_TRUE(seven) << message(seven);
    EXPECT_EQ((*seven)[0], *Pose::from_translation({1, 2, 3}));
    EXPECT_TRUE(parse_poses(npy_file("(0, 7)", std::vector<float>()), "p.npy")->empty());
}

TEST(NumPy, HeadersOfOtherVersionsAndByteOrders) {
    // Version 2.0 has a longer length. Keys come in any order.
    const std::string header = R"({"shape": (2,), "fortran_order": False, "descr": ">f4"})";
    std::string bytes = "\x93NUMPY\x02";
    bytes += '\0';
    store(bytes, static_cast<std::uint32_t>(header.size()));
    const auto array = parse_npy(bytes + header + std::string("\x3f\x80\0\0\xbf\0\0\0", 8), "a.npy");
    ASSERT_TRUE(array) << message(array);
    EXPECT_EQ(array->shape, std::vector<std::size_t>{2});
    EXPECT_EQ(array->numbers, (std::vector<double>{1, -0.5}));
}

TEST(NumPy, DamagedFilesAreRefused) {
    const auto fault = [](const std::string& bytes) { return message(parse_poses(bytes, "p.npy")); };
    const std::string whole = npy_file("(2, 12)", two_rows);
    for (std::size_t size = 6; size < whole.size(); ++size)
        EXPECT_TRUE(fault(whole.substr(0, size)).starts_with("p.npy: ")) << size;
    EXPECT_EQ(fault(whole.substr(0, 200)), "p.npy: an array of shape (2, 12) takes 192 bytes, the file has 72");
    EXPECT_EQ(fault(whole + "x"), "p.npy: an array of shape (2, 12) takes 192 bytes, the file has 193");
    EXPECT_EQ(fault(whole.substr(0, 9)), "p.npy: the file ends in its header");
    EXPECT_EQ(fault(npy_file("(2, 3, 3)", std::vector<float>(18))),
              "p.npy: the shape is (2, 3, 3), not that of poses: (n, 4, 4), (n, 3, 4), (n, 12) or (n, 7)");
    EXPECT_EQ(fault(npy_file("(4294967296, 4294967296, 12)", std::vector<float>(18))),
              "p.npy: an array of shape (4294967296, 4294967296, 12) takes more than 2^64 bytes, the file has 72");
    std::vector<double> bad = two_rows;
    bad[12 + 3] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(fault(npy_file("(2, 12)", bad)), "p.npy: pose 1: pose: entry 0 of the translation is not finite");
    const auto header = [&](const std::string& text) { return fault(npy_with_header(text, std::string(8, '\0'))); };
    EXPECT_EQ(header("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }"),
              "p.npy: the numbers are of type '<i8', not float32 or float64");
    EXPECT_EQ(header("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }"),
              "p.npy: the array has fields, not plain numbers");
    EXPECT_EQ(header("{'descr': '<f8', 'shape': (1,), }"), "p.npy: the header has no fortran_order");
    EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }"),
              "p.npy: in the header, True or False is expected instead of '0, 'shape': (1,), }'");
    EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (1), }"),
              "p.npy: in the header, a comma is expected instead of '), }'");
    EXPECT_EQ(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"),
              "p.npy: in the header, a length is expected instead of '-1,), }'");
    EXPECT_EQ(header("{'descr': '<f8', 'descr': '<f8'}"),
              "p.npy: the header has the key 'descr', which is unknown or repeated");
    EXPECT_TRUE(header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } import os").starts_with("p.npy: in"));
    std::string version = whole;
    version[6] = 9;
    EXPECT_EQ(fault(version), "p.npy: the format 9.0 is unknown");
}

}  // namespace
}  // namespace graze::files
