// SPDX-License-Identifier: Apache-2.0
#include "pose_distance.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "terminal.hpp"

namespace graze::apps {

using checks::Nesting;

Ruler::Ruler(const DistanceArguments& arguments, const LoadedPair& pair, std::size_t poses)
    : arguments_(arguments),
      a_(pair.a.model),
      b_(pair.b.model),
      solid_a_(pair.a.model),
      solid_b_(pair.b.model),
      several_(poses > 1) {}

PoseDistance Ruler::measure(std::size_t number, const Pose& a_from_b) {
    PoseDistance out{.pose = number};
    const Timer timer;
    out.closest = distance(a_, b_, a_from_b,
                           {.max_distance = arguments_.max_distance,
                            .stats = &out.stats,
                            .scratch = &scratch_,
                            .front = several_ ? &front_ : nullptr});
    out.ms = timer.ms();
    if (out.touches()) return out;
    out.manner = checks::manner_of(solid_a_, solid_b_, a_from_b, {});
    const double limit = arguments_.clearance, found = out.closest.distance;
    if (out.inside() || !(limit > 0)) return out;
    // At exactly the clearance the rounded distance decides nothing, and neither does one that was not measured.
    const bool unknown = found == limit || (out.beyond() && limit > arguments_.max_distance);
    out.close = unknown ? within(a_, b_, a_from_b, limit, {.scratch = &scratch_}) : found < limit;
    return out;
}

checks::FrameAnswer Ruler::frame_of(const PoseDistance& d, const Pose& a_from_b) const {
    checks::FrameAnswer out;
    out.frame = d.pose;
    out.meets = d.touches() || d.inside();
    out.close = !out.meets && !d.beyond();
    if (!d.beyond()) out.closest = d.closest;
    out.nesting = d.manner.nesting;
    if (d.touches()) {
        collide(a_, b_, a_from_b, out.contacts);
        std::ranges::sort(out.contacts);
    }
    out.kind = d.inside()  ? d.manner.kind
               : out.close ? checks::Kind::Clearance
                           : checks::manner_of(solid_a_, solid_b_, a_from_b, out.contacts).kind;
    return out;
}

DistanceLines::DistanceLines(const DistanceArguments& arguments, const LoadedPair& pair, std::span<const Pose> poses)
    : arguments_(arguments),
      pair_(pair),
      matrix_(arguments.output.verbose || arguments.placing.random_count()),
      poses_(poses) {}

void DistanceLines::append_json(fmt::memory_buffer& out, const PoseDistance& d) const {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, R"({{"pose": {}, )", d.pose);
    if (d.beyond()) {
        fmt::format_to(to, R"("distance": null, "point_a": null, "point_b": null, "triangles": null)");
    } else {
        const TrianglePair &t = d.closest.triangles, p = polygons_of(t);
        fmt::format_to(to, R"("distance": {}, "point_a": )", d.closest.distance);
        append_vector(out, d.closest.point_a);
        fmt::format_to(to, R"(, "point_b": )");
        append_vector(out, d.closest.point_b);
        fmt::format_to(to, R"(, "triangles": [{}, {}])", t.a, t.b);
        if (pair_.has_polygons()) fmt::format_to(to, R"(, "polygons": [{}, {}])", p.a, p.b);
    }
    if (d.inside())
        fmt::format_to(to, R"(, "inside": "{}")",
                       d.manner.nesting == Nesting::None   ? "part"
                       : d.manner.nesting == Nesting::AInB ? "A"
                                                           : "B");
    if (arguments_.clearance > 0) fmt::format_to(to, R"(, "close": {})", d.close);
    append_end(out, matrix_ ? &poses_[d.pose] : nullptr, d.stats, arguments_.output.verbose ? &d.ms : nullptr,
               members_of_first(arguments_, pair_, d.pose));
}

std::string DistanceLines::csv_head() const {
    return fmt::format("pose,distance,a,b{},ax,ay,az,bx,by,bz\n", pair_.has_polygons() ? ",polygon_a,polygon_b" : "");
}

void DistanceLines::append_csv(fmt::memory_buffer& out, const PoseDistance& d) const {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "{},", d.pose);
    if (d.beyond()) {
        fmt::format_to(to, ",,{},,,,,,\n", pair_.has_polygons() ? ",," : "");
        return;
    }
    const TrianglePair &t = d.closest.triangles, polygons = polygons_of(t);
    const Vec3 &p = d.closest.point_a, &q = d.closest.point_b;
    fmt::format_to(to, "{},{},{}", d.closest.distance, t.a, t.b);
    if (pair_.has_polygons()) fmt::format_to(to, ",{},{}", polygons.a, polygons.b);
    fmt::format_to(to, ",{},{},{},{},{},{}\n", p.x, p.y, p.z, q.x, q.y, q.z);
}

void DistanceLines::append_line(fmt::memory_buffer& out, const PoseDistance& d) const {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "pose {}: {}", d.pose, in_words(d));
    if (!d.beyond()) fmt::format_to(to, ", triangles {}-{}", d.closest.triangles.a, d.closest.triangles.b);
    fmt::format_to(to, ", {}; {}\n", duration(d.ms), text_of(d.stats));
}

void DistanceLines::append_only(fmt::memory_buffer& out, const PoseDistance& d) const {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "distance  {}\n", in_words(d));
    const auto append = [&](const char* where, const Vec3& p, std::uint32_t triangle) {
        fmt::format_to(to, "{:<8}  ({:.6g}, {:.6g}, {:.6g}), triangle {}\n", where, p.x, p.y, p.z, triangle);
    };
    if (!d.beyond()) {
        append("on A", d.closest.point_a, d.closest.triangles.a);
        append("on B", d.closest.point_b, d.closest.triangles.b);
    }
    if (arguments_.output.verbose) fmt::format_to(to, "time      {}; {}\n", duration(d.ms), text_of(d.stats));
}

std::string DistanceLines::in_words(const PoseDistance& d) const {
    std::string out = d.beyond() ? "more than " + length(arguments_.max_distance) : length(d.closest.distance);
    if (d.touches()) out += ", in contact";
    if (d.close) out += ", within " + length(arguments_.clearance);
    if (d.inside())
        out += d.manner.nesting == Nesting::None   ? ", part of one is inside the other"
               : d.manner.nesting == Nesting::AInB ? ", A is inside B"
                                                   : ", B is inside A";
    return out;
}

TrianglePair DistanceLines::polygons_of(const TrianglePair& triangles) const {
    return {pair_.a.model.polygon_of(triangles.a), pair_.b.model.polygon_of(triangles.b)};
}

}  // namespace graze::apps
