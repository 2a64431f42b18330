// SPDX-License-Identifier: Apache-2.0
// Levels of trees over a torus: figure 9 of the OBBTree paper.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/papers.hpp"
#include "graze/tree.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench::papers {
namespace {

constexpr unsigned levels = 8;
constexpr double panel = 210, label_height = 22;  ///< pixels

/// A view from above and aside, without perspective: towards the viewer, to the right and up.
constexpr Vec3 viewer{0.36, -0.6, 0.714}, right{0.857, 0.514, 0}, up{-0.367, 0.612, 0.7};

struct Face {
    std::array<Vec3, 4> corners;
    double depth, light;
    std::size_t number;  ///< decides between faces of equal depth
};

/// The faces of a box that look towards the viewer.
void add_faces(const OrientedBox& box, std::vector<Face>& out) {
    for (int i = 0; i < 3; ++i)
        for (const double side : {1.0, -1.0}) {
            const Vec3 normal = box.axes.row[i] * side;
            if (dot(normal, viewer) <= 0) continue;
            const Vec3 middle = box.centre + normal * box.half[i];
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const Vec3 u = box.axes.row[j] * box.half[j], v = box.axes.row[k] * box.half[k];
            out.push_back({{middle + u + v, middle - u + v, middle - u - v, middle + u - v},
                           dot(middle, viewer),
                           std::max(0.0, dot(normal, Vec3{-0.3, -0.5, 0.81})),
                           out.size()});
        }
}

/// The boxes as shaded faces, the farthest first. The colours stand out from light and from dark paper.
std::string drawn(const std::vector<OrientedBox>& boxes, const std::array<double, 3>& colour, double left, double top) {
    std::vector<Face> faces;
    for (const OrientedBox& box : boxes) add_faces(box, faces);
    std::ranges::sort(faces, {}, [](const Face& f) { return std::pair(f.depth, f.number); });
    std::string out;
    char text[256];
    for (const Face& face : faces) {
        std::string points;
        for (const Vec3& p : face.corners) {
            const double scale = panel / 4.6;
            std::snprintf(text, sizeof text, "%.1f,%.1f ", left + panel / 2 + scale * dot(p, right),
                          top + panel / 2 - scale * dot(p, up));
            points += text;
        }
        points.pop_back();
        const double shade = 0.55 + 0.5 * face.light;
        const auto channel = [&](std::size_t c) { return static_cast<int>(std::min(255.0, colour[c] * shade)); };
        std::snprintf(text, sizeof text, "<polygon points=\"%s\" fill=\"#%02x%02x%02x\"/>\n", points.c_str(),
                      channel(0), channel(1), channel(2));
        out += text;
    }
    return out;
}

struct Tree {
    const char* name;
    Model model;
    std::array<double, 3> colour;
};

/// A row of four levels per tree, then the other four.
std::string picture(const std::vector<Tree>& all) {
    const double height = 4 * (panel + label_height);
    char text[512];
    std::snprintf(text, sizeof text,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\">\n"
                  "<title>Levels of an AABB tree and an OBB tree over a torus</title>\n"
                  "<g stroke=\"#222\" stroke-width=\"0.4\" stroke-linejoin=\"round\">\n",
                  4 * panel, height);
    std::string out = text, labels;
    for (unsigned level = 0; level < levels; ++level)
        for (std::size_t k = 0; k < all.size(); ++k) {
            const double left = panel * (level % 4);
            const double top = (panel + label_height) * static_cast<double>(k + all.size() * (level / 4));
            const auto boxes = node_boxes(all[k].model, level);
            out += drawn(boxes, all[k].colour, left, top + label_height);
            std::snprintf(text, sizeof text, "<text x=\"%g\" y=\"%g\">%s, level %u: %zu %s</text>\n", left + panel / 2,
                          top + 15, all[k].name, level, boxes.size(), boxes.size() == 1 ? "box" : "boxes");
            labels += text;
        }
    return out + "</g>\n<g fill=\"#808080\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n" +
           labels + "</g>\n</svg>\n";
}

/// False after an error, which is printed.
bool write_picture(const std::string& folder, const std::string& name, const std::string& content) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::perror(path.c_str());
        return false;
    }
    const bool bad = std::fputs(content.c_str(), file) < 0;
    if (std::fclose(file) == 0 && !bad) return true;
    std::perror(path.c_str());
    return false;
}

}  // namespace

void tree_levels(Run& run) {
    const scenes::Soup torus = scenes::torus();
    const std::vector<Tree> all = {{"AABBs", built(torus, paper_tree(study::Volume::Aabb)), {240, 150, 60}},
                                   {"OBBs", built(torus, paper_tree(study::Volume::Obb)), {80, 165, 240}}};
    for (unsigned level = 0; level < levels; ++level)
        for (const Tree& tree : all) {
            const auto add = [&](const std::string& column, double value, const char* unit) {
                run.table.count("obb-fig9", "level " + std::to_string(level), std::string(tree.name) + ", " + column,
                                value, unit);
            };
            double volume = 0;
            const auto boxes = node_boxes(tree.model, level);
            for (const OrientedBox& b : boxes) volume += 8 * b.half.x * b.half.y * b.half.z;
            double sum = 0, most = 0;
            const auto nodes = node_tightness(tree.model, level, 0.02);
            for (const NodeTightness& t : nodes) {
                sum += t.off_surface;
                most = std::max(most, t.off_surface);
            }
            add("boxes", static_cast<double>(boxes.size()), "");
            add("volume of all boxes", volume, "R³");
            add("farthest point from the torus, mean of the boxes", sum / static_cast<double>(nodes.size()), "R");
            add("farthest point from the torus, worst box", most, "R");
        }
    if (!run.pictures.empty() && !write_picture(run.pictures, "obb-fig9.svg", picture(all))) run.failed = true;
}

}  // namespace graze::bench::papers
