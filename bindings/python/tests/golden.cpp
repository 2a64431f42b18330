// SPDX-License-Identifier: Apache-2.0
// Writes models, placements and the C++ answers for the Python tests: golden FOLDER
#include "agree/golden.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "agree/golden_cases.hpp"
#include "agree/mixed_poses.hpp"

namespace {

using namespace graze;
using scenes::Soup;

template <class T>
void write(const std::string& path, const std::vector<T>& values) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    if (!out.flush()) {
        std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
        std::exit(1);
    }
}

void write_soup(const std::string& path, const Soup& soup) {
    write(path + ".points", soup.points);
    write(path + ".corners", soup.corners);
}

/// Answers that are numbers: distances, nearest hits and closest points, one after the other.
std::vector<double> numbers(const Model& a, const Model& b, const std::vector<Pose>& poses) {
    std::vector<double> out;
    for (const Pose& pose : poses) {
        out.push_back(distance(a, b, pose).distance);
        // B's origin and x axis, as seen from A, make a ray and a point.
        const Vec3 from = pose.translation(), along = pose.rotation().column(0);
        const auto hit = nearest_hit(a, *Ray::from_direction(from, along));
        out.push_back(hit ? hit->t : std::numeric_limits<double>::infinity());
        out.push_back(closest_point(a, from).distance);
        out.push_back(static_cast<double>(overlapping(a.bounds(), b, pose).size()));
    }
    return out;
}

/// Every so many placements are asked about solids.
constexpr std::size_t solid_step = 15;

/// Answers about solids, one row after the other.
std::vector<double> solid_numbers(const Solid& a, const Solid& b, const std::vector<Pose>& poses) {
    std::vector<double> out;
    for (std::size_t i = 0; i < poses.size(); i += solid_step) {
        const Pose& pose = poses[i];
        const Overlap common = overlap(a, b, pose);
        std::size_t points = 0;
        for (const Curve& curve : intersection_curves(a, b, pose)) points += curve.points.size();
        out.insert(out.end(), {static_cast<double>(relation(a, b, pose).relation),
                               static_cast<double>(side_of(a, pose.translation())),
                               signed_distance(a, pose.translation()).distance, common.volume, common.area,
                               penetration(a, b, pose).depth, static_cast<double>(points)});
    }
    return out;
}

void run(const test::GoldenCase& one, const std::string& folder) {
    const Soup soup_a = one.a(), soup_b = one.b();
    const Model a = *Model::build(soup_a, {.threads = 1}), b = *Model::build(soup_b, {.threads = 1});
    const std::vector<Pose> poses = test::mixed_poses({soup_a, a}, {soup_b, b}, 300, one.ties);
    std::vector<double> rows;
    std::vector<std::uint32_t> counts, pairs;
    test::Hash hash;
    for (const Pose& pose : poses) {
        const std::array<double, 12> row = pose.rows();
        rows.insert(rows.end(), row.begin(), row.end());
        std::vector<TrianglePair> found;
        for (const Contact& contact : collide(a, b, pose)) found.push_back(contact.triangles);
        std::sort(found.begin(), found.end());
        hash.add(found);
        counts.push_back(static_cast<std::uint32_t>(found.size()));
        for (const TrianglePair& pair : found) pairs.insert(pairs.end(), {pair.a, pair.b});
    }
    if (hash.value() != one.golden) {
        std::fprintf(stderr, "%s: C++ has lost its golden hash\n", one.name);
        std::exit(1);
    }
    const std::string path = folder + "/" + one.name;
    write_soup(path + ".a", soup_a);
    write_soup(path + ".b", soup_b);
    write(path + ".poses", rows);
    write(path + ".counts", counts);
    write(path + ".pairs", pairs);
    write(path + ".numbers", numbers(a, b, poses));
    write(path + ".solids", solid_numbers(Solid(a), Solid(b), poses));
    std::printf("%s %llx\n", one.name, static_cast<unsigned long long>(hash.value()));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    for (const test::GoldenCase& one : test::quick_cases()) run(one, argv[1]);
}
