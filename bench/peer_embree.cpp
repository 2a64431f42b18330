// SPDX-License-Identifier: Apache-2.0
#include "bench/peer_embree.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace graze::bench {
namespace {

/// Builds in the calling thread.
RTCDevice one_thread() {
    const RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
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

}  // namespace

std::unique_ptr<MeshPeer> embree_mesh(const scenes::Soup& soup, Shapes shapes) {
    return std::make_unique<EmbreeMesh>(soup, shapes);
}

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
