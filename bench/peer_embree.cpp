// SPDX-License-Identifier: Apache-2.0
#include "bench/peer_embree.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "bench/peers.hpp"

namespace graze::bench {
namespace {

std::atomic<std::ptrdiff_t> held = 0;  ///< bytes

/// Builds in the calling thread.
RTCDevice one_thread() {
    const RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
    const auto count = [](void*, ssize_t bytes, bool) {
        held += bytes;
        return true;
    };
    if (device) rtcSetDeviceMemoryMonitorFunction(device, count, nullptr);
    if (device) return device;
    std::fprintf(stderr, "Embree does not start\n");
    std::exit(1);
}

/// A scene of one mesh.
struct EmbreeScene {
    RTCDevice device = one_thread();
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;
    float* points = nullptr;

    EmbreeScene() = default;
    EmbreeScene(const EmbreeScene&) = delete;
    ~EmbreeScene() {
        clear();
        rtcReleaseDevice(device);
    }

    void clear() {
        if (geometry) rtcReleaseGeometry(geometry);
        if (scene) rtcReleaseScene(scene);
        geometry = nullptr;
        scene = nullptr;
    }

    void build(const std::vector<float>& xyz, const std::vector<std::uint32_t>& corners, RTCSceneFlags flags,
               RTCBuildQuality of_scene, RTCBuildQuality of_geometry) {
        clear();
        scene = rtcNewScene(device);
        rtcSetSceneFlags(scene, flags);
        rtcSetSceneBuildQuality(scene, of_scene);
        geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        rtcSetGeometryBuildQuality(geometry, of_geometry);
        points = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                             3 * sizeof(float), xyz.size() / 3));
        std::copy(xyz.begin(), xyz.end(), points);
        auto* indices = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), corners.size() / 3));
        std::copy(corners.begin(), corners.end(), indices);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
    }
};

class EmbreeMesh : public MeshPeer {
public:
    EmbreeMesh(const scenes::Soup& soup, Shapes shapes) : corners_(soup.corners) {
        for (const auto& s : shapes) shapes_.push_back(floats(s));
        EmbreeMesh::build();
    }

    const char* name() const override { return "Embree"; }
    /// Only a dynamic scene of low quality refits its geometries; others build anew at each commit.
    void build() override {
        if (shapes_.size() > 1)
            scene_.build(shapes_[0], corners_, RTC_SCENE_FLAG_DYNAMIC, RTC_BUILD_QUALITY_LOW, RTC_BUILD_QUALITY_REFIT);
        else
            scene_.build(shapes_[0], corners_, RTC_SCENE_FLAG_NONE, RTC_BUILD_QUALITY_MEDIUM, RTC_BUILD_QUALITY_MEDIUM);
    }
    void clear() override { scene_.clear(); }
    void refit(std::size_t shape) override {
        std::copy(shapes_[shape].begin(), shapes_[shape].end(), scene_.points);
        rtcUpdateGeometryBuffer(scene_.geometry, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(scene_.geometry);
        rtcCommitScene(scene_.scene);
    }
    std::pair<Vec3, Vec3> bounds() const override {
        RTCBounds b;
        rtcGetSceneBounds(scene_.scene, &b);
        return {{b.lower_x, b.lower_y, b.lower_z}, {b.upper_x, b.upper_y, b.upper_z}};
    }

private:
    std::vector<std::uint32_t> corners_;
    std::vector<std::vector<float>> shapes_;
    EmbreeScene scene_;
};

RTCRay make_ray(const FloatRay& r) {
    RTCRay ray{};
    ray.org_x = r.origin[0], ray.org_y = r.origin[1], ray.org_z = r.origin[2];
    ray.dir_x = r.direction[0], ray.dir_y = r.direction[1], ray.dir_z = r.direction[2];
    ray.tfar = std::numeric_limits<float>::infinity();
    ray.mask = 0xffffffff;
    return ray;
}

float below(double x) {
    const auto f = static_cast<float>(x);
    return f <= x ? f : std::nextafter(f, -std::numeric_limits<float>::infinity());
}
float above(double x) { return -below(-x); }

/// Triangles as a user's geometry. Boxes are rounded outwards.
class EmbreeSoup {
public:
    EmbreeSoup(RTCDevice device, const scenes::Soup& soup)
        : points(soup.points), corners(soup.corners), scene(rtcNewScene(device)) {
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        geometry_ = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry_, static_cast<unsigned>(corners.size() / 3));
        rtcSetGeometryBuildQuality(geometry_, RTC_BUILD_QUALITY_REFIT);
        rtcSetGeometryUserData(geometry_, this);
        rtcSetGeometryBoundsFunction(geometry_, bounds, nullptr);
        rtcSetGeometryIntersectFunction(geometry_, [](const RTCIntersectFunctionNArguments*) {});
        rtcAttachGeometry(scene, geometry_);
        commit();
    }
    EmbreeSoup(const EmbreeSoup&) = delete;
    ~EmbreeSoup() {
        rtcReleaseGeometry(geometry_);
        rtcReleaseScene(scene);
    }

    void commit() {
        rtcCommitGeometry(geometry_);
        rtcCommitScene(scene);
    }
    Triangle triangle(std::uint32_t i) const {
        return {points[corners[3 * i]], points[corners[3 * i + 1]], points[corners[3 * i + 2]]};
    }

    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;
    RTCScene scene;

private:
    static void bounds(const RTCBoundsFunctionArguments* args) {
        const Triangle t = static_cast<const EmbreeSoup*>(args->geometryUserPtr)->triangle(args->primID);
        RTCBounds& b = *args->bounds_o;
        const auto low = [&](int k) { return below(std::min({t.a[k], t.b[k], t.c[k]})); };
        const auto high = [&](int k) { return above(std::max({t.a[k], t.b[k], t.c[k]})); };
        b.lower_x = low(0), b.lower_y = low(1), b.lower_z = low(2);
        b.upper_x = high(0), b.upper_y = high(1), b.upper_z = high(2);
    }
    RTCGeometry geometry_;
};

/// rtcCollide on two scenes of triangles. It knows no transforms, so B's points are mapped and its tree is refitted in
/// each query. It has no triangle test, so that is ours, which is exact. It has no early end either.
class EmbreePair : public PairPeer {
public:
    EmbreePair(const scenes::Soup& a, const scenes::Soup& b) : a_(device(), a), b_(device(), b), points_(b.points) {}

    bool first(const Pose& a_from_b) override { return run(a_from_b, true) != 0; }
    std::size_t all(const Pose& a_from_b) override { return run(a_from_b, false); }
    std::vector<TrianglePair> pairs() const override { return found_; }
    std::uint64_t triangle_tests() const override { return tests_; }

private:
    /// One for all pairs.
    static RTCDevice device() {
        static const RTCDevice made = one_thread();
        return made;
    }
    static void collide(void* user, RTCCollision* list, unsigned count) {
        auto& self = *static_cast<EmbreePair*>(user);
        for (unsigned i = 0; i < count; ++i) {
            if (self.one_ && !self.found_.empty()) return;
            ++self.tests_;
            if (meet(self.a_.triangle(list[i].primID0), self.b_.triangle(list[i].primID1)))
                self.found_.push_back({list[i].primID0, list[i].primID1});
        }
    }
    std::size_t run(const Pose& a_from_b, bool one) {
        for (std::size_t i = 0; i < points_.size(); ++i) b_.points[i] = a_from_b(points_[i]);
        b_.commit();
        found_.clear();
        one_ = one;
        rtcCollide(a_.scene, b_.scene, collide, this);
        return found_.size();
    }

    EmbreeSoup a_, b_;
    std::vector<Vec3> points_;
    std::vector<TrianglePair> found_;
    std::uint64_t tests_ = 0;
    bool one_ = false;
};

std::unique_ptr<PairPeer> embree_pair(const scenes::Soup& a, const scenes::Soup& b) {
    return std::make_unique<EmbreePair>(a, b);
}

}  // namespace

std::unique_ptr<MeshPeer> embree_mesh(const scenes::Soup& soup, Shapes shapes) {
    return std::make_unique<EmbreeMesh>(soup, shapes);
}

PeerKind embree_pairs() { return {"Embree", Share::Few, Share::Few, true, embree_pair}; }

std::size_t embree_bytes() { return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, held)); }

struct EmbreeRays::Impl : EmbreeScene {};

EmbreeRays::EmbreeRays(const scenes::Soup& soup) : impl_(std::make_unique<Impl>()) {
    impl_->build(floats(soup.points), soup.corners, RTC_SCENE_FLAG_ROBUST, RTC_BUILD_QUALITY_HIGH,
                 RTC_BUILD_QUALITY_HIGH);
}

EmbreeRays::~EmbreeRays() = default;

std::uint32_t EmbreeRays::nearest(const FloatRay& r) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit hit{};
    hit.ray = make_ray(r);
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(impl_->scene, &context, &hit);
    return hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? none : hit.hit.primID;
}

bool EmbreeRays::any(const FloatRay& r) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay ray = make_ray(r);
    rtcOccluded1(impl_->scene, &context, &ray);
    return ray.tfar < 0;
}

}  // namespace graze::bench
