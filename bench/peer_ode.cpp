// SPDX-License-Identifier: Apache-2.0
// ODE's meshes: double coordinates around OPCODE, whose boxes and triangle test are of single precision.
#include <ode/ode.h>

#include <algorithm>
#include <cstdarg>

#include "bench/peers.hpp"
#include "bench/scene.hpp"

namespace graze::bench {
namespace {

/// ODE writes a line for each contact that its table cannot hold.
void say_nothing(int, const char*, std::va_list) {}

void start() {
    static const bool started = [] {
        dInitODE2(0);
        dAllocateODEDataForThread(static_cast<unsigned>(dAllocateMaskAll));
        dSetMessageHandler(say_nothing);
        return true;
    }();
    (void)started;
}

void place(dGeomID geom, const Pose& pose) {
    dMatrix3 rotation{};
    for (std::size_t i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) rotation[4 * i + static_cast<std::size_t>(k)] = pose.rotation().row[i][k];
    dGeomSetRotation(geom, rotation);
    const Vec3& t = pose.translation();
    dGeomSetPosition(geom, t.x, t.y, t.z);
}

/// A mesh that refers to its own copy of points and corners.
class OdeGeometry {
public:
    explicit OdeGeometry(const scenes::Soup& soup) : points_(soup.points), corners_(soup.corners) {
        start();
        // OPCODE makes no tree of a single triangle, and ODE then crashes. The triangle twice is the same set of
        // points.
        if (corners_.size() == 3) corners_.insert(corners_.end(), {corners_[0], corners_[1], corners_[2]});
        build();
    }
    OdeGeometry(const OdeGeometry&) = delete;
    ~OdeGeometry() { clear(); }

    void build() {
        data_ = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildDouble(data_, points_.data(), sizeof(Vec3), static_cast<int>(points_.size()),
                                    corners_.data(), static_cast<int>(corners_.size()), 3 * sizeof(dTriIndex));
        geom_ = dCreateTriMesh(nullptr, data_, nullptr, nullptr, nullptr);
    }
    void clear() {
        if (!geom_) return;
        dGeomDestroy(geom_);
        dGeomTriMeshDataDestroy(data_);
        geom_ = nullptr;
    }
    void refit(const std::vector<Vec3>& points) {
        std::ranges::copy(points, points_.begin());
        dGeomTriMeshDataUpdate(data_);
    }
    dGeomID geom() const { return geom_; }

private:
    static_assert(sizeof(dTriIndex) == sizeof(std::uint32_t) && sizeof(Vec3) == 3 * sizeof(double));
    std::vector<Vec3> points_;
    std::vector<std::uint32_t> corners_;
    dTriMeshDataID data_ = nullptr;
    dGeomID geom_ = nullptr;
};

class OdePair : public PairPeer {
public:
    OdePair(const scenes::Soup& a, const scenes::Soup& b, bool coherent) : a_(a), b_(b), contacts_(1) {
        for (const dGeomID geom : {a_.geom(), b_.geom()}) dGeomTriMeshEnableTC(geom, dTriMeshClass, coherent);
    }

    bool first(const Pose& a_from_b) override { return run(a_from_b, 1 | static_cast<int>(CONTACTS_UNIMPORTANT)) != 0; }
    std::size_t all(const Pose& a_from_b) override {
        contacts_.resize(most);
        return run(a_from_b, most);
    }
    /// ODE merges contacts that lie close together and then names no triangles.
    std::vector<TrianglePair> pairs() const override { return {}; }

private:
    static constexpr int most = 0xffff;  ///< ODE takes no larger limit

    std::size_t run(const Pose& a_from_b, int flags) {
        place(b_.geom(), a_from_b);
        return static_cast<std::size_t>(dCollide(a_.geom(), b_.geom(), flags, contacts_.data(), sizeof(dContactGeom)));
    }

    OdeGeometry a_, b_;
    std::vector<dContactGeom> contacts_;
};

template <bool coherent>
std::unique_ptr<PairPeer> ode_pair(const scenes::Soup& a, const scenes::Soup& b) {
    return std::make_unique<OdePair>(a, b, coherent);
}

class OdeMesh : public MeshPeer {
public:
    OdeMesh(const scenes::Soup& soup, Shapes shapes) : shapes_(shapes.begin(), shapes.end()), geometry_(soup) {}

    const char* name() const override { return "ODE"; }
    void build() override {
        geometry_.clear();
        geometry_.build();
    }
    void clear() override { geometry_.clear(); }
    void refit(std::size_t shape) override { geometry_.refit(shapes_[shape]); }
    std::pair<Vec3, Vec3> bounds() const override {
        dReal b[6];
        dGeomGetAABB(geometry_.geom(), b);
        return {{b[0], b[2], b[4]}, {b[1], b[3], b[5]}};
    }

private:
    std::vector<std::vector<Vec3>> shapes_;
    OdeGeometry geometry_;
};

class OdeRays : public RayPeer {
public:
    explicit OdeRays(const scenes::Soup& soup) : geometry_(soup), ray_(dCreateRay(nullptr, 1)) {}
    OdeRays(const OdeRays&) = delete;
    ~OdeRays() override { dGeomDestroy(ray_); }

    const char* name() const override { return "ODE"; }
    std::uint32_t nearest(const Vec3& origin, const Vec3& direction) override {
        dGeomRaySetFirstContact(ray_, 0);
        dGeomRaySetClosestHit(ray_, 1);
        dContactGeom contact;
        return run(origin, direction, contact) ? static_cast<std::uint32_t>(contact.side2) : none;
    }
    bool any(const Vec3& origin, const Vec3& direction) override {
        dGeomRaySetClosestHit(ray_, 0);
        dGeomRaySetFirstContact(ray_, 1);
        dContactGeom contact;
        return run(origin, direction, contact);
    }

private:
    bool run(const Vec3& o, const Vec3& d, dContactGeom& contact) {
        dGeomRaySet(ray_, o.x, o.y, o.z, d.x, d.y, d.z);
        dGeomRaySetLength(ray_, length(d));
        return dCollide(ray_, geometry_.geom(), 1, &contact, sizeof contact) > 0;
    }

    OdeGeometry geometry_;
    dGeomID ray_;
};

/// A space of ODE's whose pairs of boxes are asked for one contact. Objects of one shape share its tree.
class OdeScene final : public SceneSide {
public:
    explicit OdeScene(const scenes::Objects& objects) {
        start();
        space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
        for (const scenes::Soup& s : objects.shapes) shapes_.push_back(std::make_unique<OdeGeometry>(s));
        for (std::size_t i = 0; i < objects.size(); ++i) {
            const dTriMeshDataID data = dGeomTriMeshGetData(shapes_[objects.shape[i]]->geom());
            objects_.push_back(dCreateTriMesh(space_, data, nullptr, nullptr, nullptr));
            dGeomSetData(objects_.back(), reinterpret_cast<void*>(i));
            place(objects_.back(), objects.placed[i]);
        }
    }
    OdeScene(const OdeScene&) = delete;
    ~OdeScene() override { dSpaceDestroy(space_); }

    void frame(const std::vector<Pose>& placed) override {
        for (std::size_t i = 0; i < placed.size(); ++i) place(objects_[i], placed[i]);
        touching_.clear();
        dSpaceCollide(space_, this, meet);
    }
    Pairs touching() const override {
        Pairs out = touching_;
        std::ranges::sort(out);
        return out;
    }
    bool ours() const override { return false; }

private:
    static void meet(void* data, dGeomID a, dGeomID b) {
        const auto number = [](dGeomID g) {
            return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(dGeomGetData(g)));
        };
        dContactGeom contact;
        if (dCollide(a, b, 1 | static_cast<int>(CONTACTS_UNIMPORTANT), &contact, sizeof contact) > 0)
            static_cast<OdeScene*>(data)->touching_.push_back(std::minmax(number(a), number(b)));
    }

    std::vector<std::unique_ptr<OdeGeometry>> shapes_;
    dSpaceID space_ = nullptr;
    std::vector<dGeomID> objects_;
    Pairs touching_;
};

}  // namespace

std::unique_ptr<SceneSide> ode_scene(const scenes::Objects& objects) { return std::make_unique<OdeScene>(objects); }

PeerKind ode_pairs() { return {"ODE", Share::Tenth, Share::Tenth, false, ode_pair<false>}; }
PeerKind ode_coherent_pairs() { return {"ODE, coherent", Share::Whole, Share::Whole, false, ode_pair<true>}; }

std::unique_ptr<MeshPeer> ode_mesh(const scenes::Soup& soup, Shapes shapes) {
    return std::make_unique<OdeMesh>(soup, shapes);
}

std::unique_ptr<RayPeer> ode_rays(const scenes::Soup& soup) { return std::make_unique<OdeRays>(soup); }

}  // namespace graze::bench
