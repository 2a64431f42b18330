// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "graze/study.hpp"
#include "report/clash_page.hpp"
#include "report/clearance_maps.hpp"
#include "report/contact_shape.hpp"
#include "report/report.hpp"
#include "report/shape.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"
#include "temporary_folder.hpp"

namespace graze::report {
namespace {

Model model_of(const scenes::Soup& soup) { return *Model::build(soup.view()); }
Pose at(double x, double y, double z) { return *Pose::from_matrix({}, {x, y, z}); }

/// The text of the element of this name, which must be there once.
std::string element(const std::string& page, const std::string& name) {
    const std::string id = "id=\"graze-" + name + "\">";
    const std::size_t begin = page.find(id);
    EXPECT_NE(begin, std::string::npos) << name;
    EXPECT_EQ(page.find(id, begin + 1), std::string::npos) << name;
    const std::size_t end = page.find("</script>", begin);
    return page.substr(begin + id.size(), end - begin - id.size());
}

nlohmann::json json_of(const std::string& page) { return nlohmann::json::parse(element(page, "document")); }

/// Undoes base64, zlib and the planes.
template <class Word>
std::vector<Word> words(const std::string& page, const std::string& name) {
    static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string packed;
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : element(page, name)) {
        if (c == '=') break;
        EXPECT_NE(digits.find(c), std::string_view::npos);
        bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
        if ((have += 6) >= 8) packed.push_back(static_cast<char>(bits >> (have -= 8)));
    }
    std::vector<unsigned char> planes(1 << 24);
    uLongf size = planes.size();
    EXPECT_EQ(uncompress(planes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()), Z_OK);
    const std::size_t n = size / 4;
    std::vector<Word> out(n);
    for (std::size_t i = 0; i < n; ++i) {
        const unsigned char bytes[4] = {planes[i], planes[n + i], planes[2 * n + i], planes[3 * n + i]};
        std::memcpy(&out[i], bytes, 4);
    }
    return out;
}

/// Item i of a buffer of 3×4 matrices by columns, applied.
Vec3 mapped(const std::vector<float>& matrices, std::size_t i, const Vec3& q) {
    const float* m = &matrices[12 * i];
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = m[k] * q.x + m[3 + k] * q.y + m[6 + k] * q.z + m[9 + k];
    return p;
}

Hit hit_of(const Document& d, std::uint32_t a, std::uint32_t b) {
    Hit hit{.a = a, .b = b};
    const Affine a_from_b = *relative(d.parts[a].placement, d.parts[b].placement);
    for (const Contact& c : collide(d.meshes[d.parts[a].mesh], d.meshes[d.parts[b].mesh], a_from_b))
        hit.pairs.push_back(c.triangles);
    hit.contacts = hit.pairs.size();
    return hit;
}

/// Two boxes and two spheres that share a model, some of which meet.
Document small_document() {
    Document d{.title = "a title", .units = "mm"};
    d.meshes = {model_of(scenes::box()), model_of(scenes::sphere(500))};
    d.parts = {{.name = "box", .mesh = 0, .group = "boxes", .tree = true},
               {.name = "ball", .mesh = 1, .placement = at(1.3, 0, 0)},
               {.name = "other ball", .mesh = 1, .placement = at(-1.2, 0.5, 0)}};
    d.clashes = {{.hit = hit_of(d, 0, 1), .state = State::New, .note = "look"}, {.hit = hit_of(d, 0, 2)}};
    return d;
}

TEST(Report, SaysWhatTheDocumentSays) {
    Document d = small_document();
    d.figures = {{"time", "3 ms"}};
    d.answer = R"({"a": "</script><b>"})";
    const std::string page = html(d);
    const auto json = json_of(page);
    EXPECT_EQ(json["title"], "a title");
    EXPECT_EQ(json["units"], "mm");
    EXPECT_EQ(json["figures"], nlohmann::json::parse(R"([["time", "3 ms"]])"));
    ASSERT_EQ(json["parts"].size(), 3u);
    EXPECT_EQ(json["parts"][0]["name"], "box");
    EXPECT_EQ(json["parts"][2]["mesh"], 1);
    ASSERT_EQ(json["clashes"].size(), 2u);
    for (int i = 0; i < 2; ++i) {
        const auto& hit = json["clashes"][i]["hit"];
        EXPECT_EQ(hit[0], 0);
        EXPECT_EQ(hit[1], i + 1);
        EXPECT_EQ(hit[2], "crossing");
        EXPECT_GT(hit[3], 0);
        EXPECT_EQ(hit[3], d.clashes[i].hit.contacts);
        EXPECT_EQ(hit[5], d.clashes[i].hit.pairs.size());
    }
    EXPECT_EQ(json["clashes"][0]["state"], "new");
    EXPECT_EQ(json["clashes"][0]["note"], "look");
    EXPECT_EQ(json["triangles"], json["shown"]);
    EXPECT_EQ(json["triangles"], 12 + 2 * d.meshes[1].triangle_count());
    EXPECT_EQ(nlohmann::json::parse(element(page, "answer"))["a"], "</script><b>");
}

TEST(Report, DrawsTheModelsWhereTheyAre) {
    const Document d = small_document();
    const std::string page = html(d);
    const auto json = json_of(page);
    const auto points = words<float>(page, "points"), places = words<float>(page, "places");
    auto corners = words<std::uint32_t>(page, "corners");
    ASSERT_EQ(places.size(), 12 * d.parts.size());
    const double size = json["scene"]["size"];
    const Vec3 centre{json["scene"]["centre"][0], json["scene"]["centre"][1], json["scene"]["centre"][2]};
    for (std::size_t i = 0; i < d.parts.size(); ++i) {
        const auto& mesh = json["meshes"][d.parts[i].mesh];
        const Model& model = d.meshes[d.parts[i].mesh];
        const std::size_t first_point = mesh[0], first = mesh[2], count = mesh[3];
        ASSERT_EQ(count, model.triangle_count());
        std::uint32_t corner = 0;
        for (std::size_t t = 0; t < count; ++t) {
            const Triangle exact = model.triangle(static_cast<std::uint32_t>(t));
            const std::array<Vec3, 3> wanted{exact.a, exact.b, exact.c};
            for (std::size_t k = 0; k < 3; ++k) {
                corner += corners[3 * (first + t) + k];
                const float* q = &points[3 * (first_point + corner)];
                const Vec3 world = centre + mapped(places, i, {q[0], q[1], q[2]}) * size;
                EXPECT_LT(length(world - d.parts[i].placement(wanted[k])), 1e-5);
            }
        }
    }
}

TEST(Report, DrawsContactsAndCurvesWhereTheyAre) {
    const Document d = small_document();
    const std::string page = html(d);
    const auto json = json_of(page);
    const auto ids = words<std::uint32_t>(page, "exact-ids"), pairs = words<std::uint32_t>(page, "pairs");
    const auto curves = words<float>(page, "curves");
    const double size = json["scene"]["size"];
    const Vec3 centre{json["scene"]["centre"][0], json["scene"]["centre"][1], json["scene"]["centre"][2]};
    for (int c = 0; c < 2; ++c) {
        const auto& hit = json["clashes"][c]["hit"];
        const std::size_t first = hit[4], count = hit[5], first_segment = hit[6], segments = hit[7];
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_EQ((TrianglePair{ids[pairs[2 * (first + i)]], ids[pairs[2 * (first + i) + 1]]}),
                      d.clashes[c].hit.pairs[i]);
        // On the unit sphere, nearly (its facets), and on the cube's surface.
        const Vec3 ball = d.parts[c + 1].placement.translation();
        EXPECT_GT(segments, 10u);
        for (std::size_t i = 2 * first_segment; i < 2 * (first_segment + segments); ++i) {
            const Vec3 p = centre + Vec3{curves[3 * i], curves[3 * i + 1], curves[3 * i + 2]} * size;
            EXPECT_NEAR(length(p - ball), 1, 0.03);
            EXPECT_NEAR(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), 1, 1e-5);
        }
        EXPECT_NEAR(json["clashes"][c]["at"][0].get<double>(), c == 0 ? 1 : -1, 0.5);
    }
}

TEST(Report, SaysWhatAReviewNeeds) {
    Document d = small_document();
    d.parts[1].labels = {
        .id = "guid", .type = "IfcWall", .layer = "A-WALL", .storey = "Level 1", .discipline = "structure"};
    Clash& c = d.clashes[1];
    c.id = "an id";
    c.extent = 0.5;
    c.depth = std::numeric_limits<double>::quiet_NaN();
    c.volume = 0;
    c.translation = Vec3{0, 0.5, -1};
    c.exact = Kind::Inside;
    c.band = 0.25;
    c.thin = true;
    c.severity = std::numeric_limits<double>::infinity();
    c.cause = 7;
    c.cause_name = "a cause";
    c.state = State::Worse;
    c.review = {.status = "accepted", .comment = "</script>", .priority = "Major", .due = "2026-12-31"};
    d.moving = {1};
    d.frames = {{.number = 4, .placements = {d.parts[1].placement}},
                {.number = 8, .placements = {d.parts[1].placement}}};
    d.all_frames = 10;
    d.all_hits = 3;
    const auto json = json_of(html(d));
    for (const char* label : {"type", "layer", "storey", "discipline", "id"})
        EXPECT_FALSE(json["parts"][0].contains(label)) << label;
    EXPECT_EQ(json["parts"][1]["storey"], "Level 1");
    EXPECT_EQ(json["parts"][1]["type"], "IfcWall");
    EXPECT_EQ(json["parts"][1]["id"], "guid");
    EXPECT_FALSE(json["clashes"][0].contains("id"));
    const auto& said = json["clashes"][1];
    EXPECT_EQ(said["id"], "an id");
    EXPECT_EQ(said["extent"], 0.5);
    EXPECT_TRUE(said["depth"].is_null());
    EXPECT_EQ(said["volume"], 0);
    EXPECT_EQ(said["translation"], nlohmann::json::parse("[0, 0.5, -1]"));
    EXPECT_EQ(said["exact"], "inside");
    EXPECT_EQ(said["band"], 0.25);
    for (const char* unknown : {"depth", "volume", "translation", "exact", "harmless"})
        EXPECT_FALSE(json["clashes"][0].contains(unknown)) << unknown;
    EXPECT_EQ(said["thin"], true);
    EXPECT_EQ(said["severity"], std::numeric_limits<double>::max());
    EXPECT_EQ(said["cause"], 7);
    EXPECT_EQ(json["causes"]["7"], "a cause");
    EXPECT_EQ(said["state"], "worse");
    EXPECT_EQ(said["review"], nlohmann::json::parse(R"(["accepted", "", "</script>", "Major", "2026-12-31"])"));
    EXPECT_EQ(json["all_frames"], 10);
    EXPECT_EQ(json["all_hits"], 3);
    EXPECT_EQ(json["numbers"], nlohmann::json::parse("[4, 8]"));
}

/// The drawing of the contacts of two triangles on a page.
ContactShape drawn(const Triangle& s, const Triangle& t) {
    ContactShape shape;
    ContactDrawing drawing(shape);
    drawing.add(s, t, intersection(s, t));
    drawing.add(s, t, intersection(s, t));  // a second time adds no dot
    EXPECT_FALSE(drawing.finish().empty());
    return shape;
}

TEST(Report, ContactsAreSegmentsAreasAndDots) {
    const Triangle flat{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    // Through it.
    const ContactShape through = drawn(flat, {{0.25, 0.1, -0.5}, {0.25, 0.5, -0.5}, {0.25, 0.3, 0.5}});
    EXPECT_EQ(through.segments.size(), 12u);
    EXPECT_TRUE(through.areas.empty() && through.dots.empty());
    // In one plane: the common area is a small triangle.
    const ContactShape over = drawn(flat, {{0.25, 0.25, 0}, {2, 0.25, 0}, {0.25, 2, 0}});
    EXPECT_EQ(over.areas, (std::vector<std::uint32_t>{3, 3}));
    double most = 0;
    for (std::size_t i = 0; i < 9; i += 3) {
        EXPECT_GE(over.area_corners[i], 0.25f);
        EXPECT_GE(over.area_corners[i + 1], 0.25f);
        most = std::max<double>(most, over.area_corners[i] + over.area_corners[i + 1]);
    }
    EXPECT_NEAR(most, 1, 1e-6);
    EXPECT_TRUE(over.segments.empty() && over.dots.empty());
    // A strip much longer than wide is drawn as a segment.
    const ContactShape strip = drawn(flat, {{-1, 0.2, 0}, {2, 0.2, 0}, {2, 0.2001, 0}});
    EXPECT_TRUE(strip.areas.empty());
    EXPECT_EQ(strip.segments.size(), 12u);
    // A corner on the face, and a gap between two.
    for (const double height : {0.0, 0.125}) {
        const ContactShape point = drawn(flat, {{0.25, 0.25, height}, {0.25, 0.25, 1}, {0.5, 0.25, 1}});
        ASSERT_EQ(point.dots.size(), 3u) << height;
        EXPECT_NEAR(point.dots[2], height / 2, 1e-6);
        EXPECT_TRUE(point.areas.empty() && point.segments.empty());
    }
}

TEST(Report, ContactsOnALargeFloorStaySmall) {
    // A box stands on a floor of two triangles, which are much larger than where they meet. In the units of the page,
    // which depend on a third part, rounding may part the two faces. In the floor's frame they are in one plane.
    const scenes::Soup floor{{{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}}, {0, 1, 2, 0, 2, 3}};
    for (int k = 0; k < 8; ++k) {
        Document d;
        d.meshes = {model_of(floor), model_of(scenes::box())};
        d.parts = {{.name = "floor", .mesh = 0},
                   {.name = "box", .mesh = 1, .placement = at(20, 5, 1)},
                   {.name = "lamp", .mesh = 1, .placement = at(0, 0, 10 + k)}};
        d.clashes = {{.hit = hit_of(d, 0, 1)}};
        d.clashes[0].hit.kind = Kind::Touching;
        const std::string page = html(d);
        const auto corners = words<float>(page, "area-corners"), dots = words<float>(page, "dots"),
                   curves = words<float>(page, "curves");
        const double size = json_of(page)["scene"]["size"], middle = json_of(page)["scene"]["centre"][2];
        ASSERT_FALSE(corners.empty()) << k;
        Bounds all;
        for (const auto& buffer : {corners, dots, curves})
            for (std::size_t i = 0; i < buffer.size(); i += 3)
                all.add(Vec3{buffer[i], buffer[i + 1], buffer[i + 2]} * size);
        EXPECT_NEAR(all.half().x, 1, 1e-4);
        EXPECT_NEAR(all.half().y, 1, 1e-4);
        EXPECT_NEAR(all.half().z, 0, 1e-4);
        EXPECT_NEAR(all.centre().z + middle, 0, 1e-4);
    }
}

TEST(Report, NamesCannotBreakOut) {
    const std::string evil = "</script><img src=x onerror=alert(1)><!-- \"'\\ \n\t\x01 &lt; \xf0\x9f\x98\x80";
    const std::string broken = "a\xff\xfe\xc0\xaf\xed\xa0\x80z\xe2\x82";
    Document d = small_document();
    d.title = d.units = d.parts[0].name = d.parts[0].group = d.clashes[0].note = evil;
    d.parts[1].name = broken;
    d.figures = {{evil, evil}};
    d.clashes.push_back({.hit = {.a = no_part, .b = no_part}, .gone_a = evil, .gone_b = broken});
    const std::string page = html(d), plain = html(small_document());
    const auto count = [](const std::string& text, std::string_view what) {
        std::size_t n = 0;
        for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++n;
        return n;
    };
    for (const std::string_view tag : {"<script", "</script", "<img", "<!--"})
        EXPECT_EQ(count(page, tag), count(plain, tag)) << tag;
    const auto json = json_of(page);  // which takes only UTF-8
    EXPECT_EQ(json["title"], evil);
    EXPECT_EQ(json["parts"][0]["name"], evil);
    EXPECT_EQ(json["clashes"][2]["a"], evil);
    const std::string said = json["parts"][1]["name"];
    EXPECT_EQ(said.front(), 'a');
    EXPECT_NE(said.find("z"), std::string::npos);
    EXPECT_NE(said.find("\xef\xbf\xbd"), std::string::npos);
}

TEST(Report, SimplifiesWithinItsBudget) {
    Document d;
    d.meshes = {model_of(scenes::sphere(32'000)), model_of(scenes::torus(1, 0.4, 100, 100)), model_of(scenes::box())};
    for (std::uint32_t i = 0; i < 12; ++i)
        d.parts.push_back({.name = "p", .mesh = i % 3, .placement = at(1.5 * i, 0, 0)});
    d.clashes = {{.hit = hit_of(d, 0, 1)}};
    ASSERT_GT(d.clashes[0].hit.contacts, 0u);
    for (const std::size_t budget : {1'000u, 20'000u, 100'000u}) {
        const std::string page = html(d, {.triangles = budget});
        const auto json = json_of(page);
        EXPECT_EQ(json["triangles"], 4 * (32'000 + 20'000 + 12));
        EXPECT_LE(json["shown"], budget);
        EXPECT_GE(json["shown"], budget / 3);
        EXPECT_EQ(json["meshes"][2][3], 12);  // the small one stays whole
        // The points that are left still form the sphere.
        const auto points = words<float>(page, "points");
        for (std::size_t i = 0; i < json["meshes"][0][1].get<std::size_t>(); ++i)
            EXPECT_NEAR(length({points[3 * i], points[3 * i + 1], points[3 * i + 2]}), 1, 1e-5);
        // Contacts stay exact.
        const auto exact = words<float>(page, "exact");
        const auto pairs = words<std::uint32_t>(page, "pairs");
        ASSERT_EQ(json["clashes"][0]["hit"][5], d.clashes[0].hit.contacts);
        const Triangle first = d.meshes[0].triangle(d.clashes[0].hit.pairs[0].a);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(exact[9 * pairs[0] + k], first.a[k], 1e-6);
    }
}

TEST(Report, DrawsTheShortestLines) {
    Document d = small_document();
    const std::string before = html(d);
    EXPECT_EQ(before.find("id=\"graze-clearances\""), std::string::npos);
    const auto plain = json_of(before);
    EXPECT_FALSE(plain.contains("clearance"));
    for (const auto& clash : plain["clashes"]) EXPECT_EQ(clash["hit"].size(), 12u);

    const Closest closest{.distance = 0.1, .point_a = {2.3, 0, 0}, .point_b = {2.4, 0, 0}};
    const Hit hit{.a = 1, .b = 2, .kind = Kind::Clearance, .closest = closest};
    d.clashes.push_back({.hit = hit});
    d.clashes.push_back({.hit = {.a = 0, .b = 1, .kind = Kind::Clearance, .closest = Closest{}}});
    d.moving = {2};
    d.frames = {{.placements = {d.parts[2].placement}, .hits = {hit}}};
    const auto json = json_of(html(d));
    const double size = json["scene"]["size"];
    for (const auto& said : {json["clashes"][2]["hit"], json["frames"][0][0]}) {
        ASSERT_EQ(said.size(), 19u);
        EXPECT_EQ(said[2], "clearance");
        EXPECT_EQ(said[3], 0);
        EXPECT_EQ(said[12], 0.1);
        for (int k = 0; k < 3; ++k) {
            const double centre = json["scene"]["centre"][k];
            EXPECT_NEAR(centre + size * said[13 + k].get<double>(), closest.point_a[k], 1e-6);
            EXPECT_NEAR(centre + size * said[16 + k].get<double>(), closest.point_b[k], 1e-6);
        }
    }
    EXPECT_NEAR(json["clashes"][2]["at"][0].get<double>(), 2.35, 1e-9);
    EXPECT_NEAR(json["clashes"][2]["ball"][3].get<double>() * size, 0.05, 1e-6);
    // A distance that is not known is no line.
    EXPECT_EQ(json["clashes"][3]["hit"].size(), 12u);
    EXPECT_FALSE(json["clashes"][3].contains("at"));
}

TEST(Report, ClearanceMapsHaveADistancePerTriangle) {
    constexpr double far = std::numeric_limits<double>::infinity();
    Document d = small_document();
    const std::size_t n = d.meshes[1].triangle_count();
    // Two parts of one model with maps of their own.
    std::vector<double> map(n);
    for (std::size_t i = 0; i < n; ++i) map[i] = i % 7 == 0 ? far : i % 5 == 0 ? 0 : 0.001 * static_cast<double>(i);
    map[1] = 1e-9;
    d.parts[1].clearances = map;
    d.parts[2].clearances.assign(n, far);
    const double most = 0.001 * static_cast<double>(n - 1);
    ASSERT_TRUE(std::ranges::find(map, most) != map.end());
    for (const double asked : {0.0, 0.2}) {
        d.clearance = asked;
        const std::string page = html(d);
        const auto json = json_of(page);
        const double reach = json["clearance"];
        EXPECT_EQ(reach, asked == 0 ? most : asked);
        EXPECT_FALSE(json["parts"][0].contains("map"));
        const auto steps = words<std::uint32_t>(page, "clearances");
        ASSERT_EQ(steps.size(), 2 * n);
        const std::size_t first = json["parts"][1]["map"], other = json["parts"][2]["map"];
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(steps[other + i], 65'535u);
            const std::uint32_t step = steps[first + i];
            if (map[i] > reach)
                EXPECT_EQ(step, 65'535u);
            else if (map[i] == 0)
                EXPECT_EQ(step, 0u);
            else
                EXPECT_NEAR((step - 1) * reach / 65'533, map[i], reach / 131'066 * 1.001);
        }
        EXPECT_EQ(steps[first + 1], 1u);
    }
    // Maps without any distance are left out.
    d.parts[1].clearances.assign(n, far);
    EXPECT_EQ(html(d).find("id=\"graze-clearances\""), std::string::npos);
    EXPECT_FALSE(json_of(html(d))["parts"][1].contains("map"));
}

TEST(Report, SimplifiedMapsKeepTheLeastDistance) {
    Document d;
    d.meshes = {model_of(scenes::sphere(32'000))};
    const Model& ball = d.meshes[0];
    const Extent extent = Extent::around(ball.points());
    for (const std::uint32_t near : {0u, 777u, 20'001u}) {
        std::vector<double> map(ball.triangle_count(), 1);
        map[near] = 0.25;
        const Shape shape = shape_of(ball, extent, 2'000);
        ASSERT_LE(shape.triangle_count(), 2'000u);
        const std::vector<double> shown = carried(ball, shape, map);
        ASSERT_EQ(shown.size(), shape.triangle_count());
        int found = 0;
        const Vec3 place = extent.unit(ball.triangle(near).a);
        for (std::size_t i = 0; i < shown.size(); ++i) {
            if (shown[i] == 1) continue;
            EXPECT_EQ(shown[i], 0.25);
            ++found;
            const float* p = &shape.points[3 * shape.corners[3 * i]];
            EXPECT_LT(length(Vec3{p[0], p[1], p[2]} - place), 0.3);
        }
        EXPECT_GE(found, 1) << near;
        EXPECT_LE(found, 24) << near;
    }
    // A shape that is drawn whole keeps its own numbers.
    const std::vector<double> map(ball.triangle_count(), 3);
    EXPECT_EQ(carried(ball, shape_of(ball, extent, 32'000), map), map);
}

TEST(Report, IsTheSameWhateverTheThreads) {
    Document d;
    scenes::Random random(4);
    for (std::uint32_t i = 0; i < 12; ++i) {
        d.meshes.push_back(model_of(scenes::torus(1, random.between(0.1, 0.6), 90, 90)));
        d.parts.push_back({.name = "p", .mesh = i, .placement = at(1.5 * i, 0, 0)});
        if (i > 0) d.clashes.push_back({.hit = hit_of(d, i - 1, i)});
    }
    // Whole, more words than a chunk holds; and simplified.
    for (const std::size_t triangles : {1'000'000u, 50'000u})
        EXPECT_TRUE(html(d, {.triangles = triangles, .threads = 1}) == html(d, {.triangles = triangles, .threads = 3}));
    const std::string page = html(d);
    const auto points = words<float>(page, "points");
    std::size_t at_point = 0;
    for (const Model& m : d.meshes) {
        const Extent e = Extent::around(m.points());
        for (const Vec3& p : m.points()) {
            const Vec3 q = e.unit(p);
            for (int k = 0; k < 3; ++k) ASSERT_EQ(points.at(at_point++), static_cast<float>(q[k]));
        }
    }
    EXPECT_EQ(at_point, points.size());
}

TEST(Report, LeavesOutContactsButCountsThem) {
    Document d = small_document();
    const std::uint64_t all = d.clashes[0].hit.contacts;
    ASSERT_GT(all, 20u);
    const auto json = json_of(html(d, {.pairs = 20}));
    EXPECT_EQ(json["clashes"][0]["hit"][3], all);
    EXPECT_EQ(json["clashes"][0]["hit"][5], 10);
}

TEST(Report, HarmlessEntriesTakeNoRoomFromClashes) {
    Document d = small_document();
    d.clashes[1].harmless = true;
    const auto json = json_of(html(d, {.pairs = 20}));
    EXPECT_EQ(json["clashes"][0]["hit"][5], 20);
    EXPECT_EQ(json["clashes"][1]["hit"][5], 5);
    EXPECT_EQ(json["clashes"][1]["harmless"], true);
}

TEST(Report, FitsComeLastAndAreHarmless) {
    checks::Parts parts;
    parts.models = {*Model::build(scenes::box())};
    for (const char* name : {"a", "b", "c"}) parts.parts.push_back({.path = name, .model = 0, .world_from_model = {}});
    checks::Clashes clashes;
    checks::Clash crossing, fit;
    crossing.b = 1;
    crossing.measures = {0.25, 0.5, Vec3{1, 2, 3}};
    crossing.band = 0.001;
    fit.a = 1, fit.b = 2;
    fit.kind = Kind::Fit;
    fit.band = 0.002;
    clashes.clashes = {crossing};
    clashes.fits = {fit};
    clashes.resolved = {{"a", "c", Kind::Touching}};
    parts.parts[0].labels.id = "3f$x";
    const Document page = clash_page(parts, clashes, "", "");
    ASSERT_EQ(page.clashes.size(), 3u);
    EXPECT_EQ(page.clashes[0].more, (std::vector<std::pair<std::string, std::string>>{{"id of A", "3f$x"}}));
    EXPECT_EQ(json_of(html(page))["clashes"][0]["more"], nlohmann::json::parse(R"([["id of A", "3f$x"]])"));
    EXPECT_TRUE(page.clashes[1].more.empty());
    EXPECT_EQ(page.clashes[0].depth, 0.25);
    EXPECT_EQ(page.clashes[0].volume, 0.5);
    EXPECT_EQ(page.clashes[0].translation, (Vec3{1, 2, 3}));
    EXPECT_FALSE(page.clashes[0].exact || page.clashes[0].harmless);
    EXPECT_EQ(page.clashes[1].state, State::Resolved);
    EXPECT_FALSE(page.clashes[1].harmless);
    EXPECT_TRUE(page.clashes[2].harmless);
    EXPECT_EQ(page.clashes[2].exact, Kind::Crossing);
    EXPECT_EQ(page.clashes[2].band, 0.002);
}

TEST(Report, LargeAssembliesShowThePartsOfTheGravestClashes) {
    checks::Parts parts;
    parts.models = {*Model::build(scenes::box()), *Model::build(scenes::torus())};
    for (std::uint32_t i = 0; i <= most_parts; ++i)
        parts.parts.push_back({.path = std::to_string(i), .model = i % 2, .world_from_model = {}});
    checks::Clashes clashes;
    for (std::uint32_t i = 0; i < most_parts; ++i) {
        checks::Clash& clash = clashes.clashes.emplace_back();
        clash.a = i;
        clash.b = i + 1;
        clash.severity = i == 7 ? 1 : 2;  // the least grave: number 7
        clash.low = clash.high = {1.0 * i, 2, 3};
        clash.pairs = {{0, 0}};
    }
    const std::vector<std::uint32_t> drawn = drawn_parts(parts, clashes);
    // There is room for one more part, and none for both of a clash.
    EXPECT_EQ(drawn.size(), most_parts - 1);
    EXPECT_TRUE(std::ranges::is_sorted(drawn));
    const Document page = clash_page(parts, clashes, "", "");
    EXPECT_EQ(page.parts.size(), drawn.size());
    EXPECT_EQ(page.all_parts, most_parts + 1);
    EXPECT_EQ(page.meshes.size(), 2u);
    ASSERT_EQ(page.clashes.size(), most_parts);
    std::size_t undrawn = 0;
    for (std::uint32_t i = 0; i < page.clashes.size(); ++i) {
        const Clash& clash = page.clashes[i];
        if (clash.hit.b != no_part) {
            EXPECT_EQ(page.parts[clash.hit.b].name, std::to_string(i + 1));
            continue;
        }
        ++undrawn;
        EXPECT_EQ(clash.gone_b, std::to_string(i + 1));
        EXPECT_TRUE(clash.hit.pairs.empty());
        EXPECT_EQ(clash.at, (Vec3{1.0 * i, 2, 3}));
    }
    EXPECT_EQ(undrawn, 2u);

    parts.parts.pop_back();
    clashes.clashes.clear();
    EXPECT_EQ(drawn_parts(parts, clashes).size(), most_parts);
    EXPECT_EQ(clash_page(parts, clashes, "", "").all_parts, 0u);
}

TEST(Report, FramesPlaceTheMovingParts) {
    Document d = small_document();
    d.moving = {2, 1};
    for (int i = 0; i < 3; ++i) {
        Frame f{.placements = {at(-3, i, 0), at(1.3 + i, 0, 0)}};
        if (i == 0) f.hits = {hit_of(d, 0, 1)};
        d.frames.push_back(f);
    }
    d.clashes[0].frame = 0;
    const std::string page = html(d);
    const auto json = json_of(page);
    EXPECT_EQ(json["moving"], nlohmann::json::parse("[2, 1]"));
    ASSERT_EQ(json["frames"].size(), 3u);
    EXPECT_EQ(json["frames"][0][0][3], d.clashes[0].hit.contacts);
    EXPECT_TRUE(json["frames"][2].empty());
    EXPECT_EQ(json["clashes"][0]["frame"], 0);
    const auto places = words<float>(page, "places");
    ASSERT_EQ(places.size(), 12u * (3 + 3 * 2));
    const double size = json["scene"]["size"];
    for (int i = 0; i < 3; ++i) {
        const Vec3 ball = mapped(places, 3 + 2 * i, {}) * size;
        EXPECT_NEAR(ball.y + json["scene"]["centre"][1].get<double>(), i, 1e-5);
    }
}

TEST(Report, TreesHoldTheModelAtEachLevel) {
    Document d = small_document();
    d.parts[1].tree = true;
    const Extent extent = Extent::around(scenes::sphere(500).points);
    for (const study::TreeKind kind : {study::TreeKind::Wide, study::TreeKind::Binary}) {
        d.meshes[1] = *study::build(scenes::sphere(500).view(), {.tree = kind});
        const std::string page = html(d, {.boxes = 300});
        const auto tree = json_of(page)["parts"][1]["tree"];
        const auto boxes = words<float>(page, "boxes");
        ASSERT_GE(tree["levels"].size(), 3u);
        EXPECT_EQ(tree["levels"][0], 1);
        std::size_t box = tree["first"];
        for (const std::size_t count : tree["levels"]) {
            EXPECT_LE(count, 300u);
            // Each corner of the model lies in a box of the level: |B⁻¹ (p − c)| ≤ 1 along its edges.
            for (std::uint32_t t = 0; t < d.meshes[1].triangle_count(); ++t) {
                const Vec3 p = extent.unit(d.meshes[1].triangle(t).a);
                bool held = false;
                for (std::size_t i = box; i < box + count && !held; ++i) {
                    held = true;
                    const float* m = &boxes[12 * i];
                    const Vec3 off = p - Vec3{m[9], m[10], m[11]};
                    for (int k = 0; k < 3; ++k) {
                        const Vec3 edge{m[3 * k], m[3 * k + 1], m[3 * k + 2]};
                        held = held && std::abs(dot(off, edge)) <= dot(edge, edge) + 1e-5 * length(edge);
                    }
                }
                EXPECT_TRUE(held) << "corner " << t;
            }
            box += count;
        }
    }
}

TEST(Report, SizesOfAnyKind) {
    for (const double scale : {0x1p990, 0x1p-1040, 1e-30, 1e25}) {
        Document d;
        d.meshes = {model_of(scenes::scale(scenes::box(), scale)), model_of(scenes::scale(scenes::sphere(80), scale))};
        d.parts = {{.name = "a", .mesh = 0, .tree = true}, {.name = "b", .mesh = 1, .placement = at(scale, 0, 0)}};
        d.clashes = {{.hit = hit_of(d, 0, 1)}};
        ASSERT_GT(d.clashes[0].hit.contacts, 0u);
        const std::string page = html(d);
        for (const char* name : {"points", "places", "exact", "curves", "area-corners", "dots", "boxes"})
            for (const float x : words<float>(page, name)) {
                ASSERT_TRUE(std::isfinite(x)) << name << " at " << scale;
                // Boxes of models below 2^-960 are larger than these.
                const bool bounded = name != std::string_view("boxes");
                ASSERT_TRUE(!bounded || std::abs(x) <= 2.5) << name << " at " << scale << ": " << x;
            }
        EXPECT_NEAR(json_of(page)["clashes"][0]["at"][0].get<double>() / scale, 0.8, 0.6);
    }
}

TEST(Report, EmptyDocumentsAndModels) {
    EXPECT_EQ(json_of(html({}))["parts"].size(), 0u);
    Document d{.meshes = {Model(), model_of(scenes::box())}};
    d.parts = {{.name = "nothing", .mesh = 0, .tree = true}, {.name = "box", .mesh = 1}};
    const auto json = json_of(html(d, {.triangles = 1}));
    EXPECT_EQ(json["parts"][0]["tree"]["levels"].size(), 0u);
    EXPECT_EQ(json["triangles"], 12);
}

TEST(Report, WritesAFileOrSaysWhyNot) {
    const test::TemporaryFolder folder;
    const std::string path = folder.at("report.html");
    const Document d = small_document();
    ASSERT_TRUE(write(d, path));
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ((std::string{std::istreambuf_iterator<char>(in), {}}), html(d));
    const auto failed = write(d, folder.at("no/such/folder/report.html"));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.fault().kind, FaultKind::File);
}

TEST(Report, PageIsWholeAndSmall) {
    const std::string page = html({});
    EXPECT_LT(page.size(), 800'000u);
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_TRUE(page.ends_with("</html>\n"));
    EXPECT_EQ(page.find(" src="), std::string::npos);
}

TEST(Report, SharesAreFair) {
    EXPECT_EQ(fair_share({}, 10), ~std::size_t{0});
    EXPECT_EQ(fair_share({{3}, {5}}, 8), ~std::size_t{0});
    EXPECT_EQ(fair_share({{100}, {2}, {100}}, 22), 10u);
    EXPECT_EQ(fair_share({{100, 4}, {2, 1}}, 42), 10u);
    EXPECT_EQ(fair_share({{100}, {100}}, 0), 1u);
}

}  // namespace
}  // namespace graze::report
