// SPDX-License-Identifier: Apache-2.0
// Trees of one mesh: builds, memory and refits.
#include <malloc.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "bench/peer_fcl.hpp"
#include "bench/peers.hpp"
#include "graze/study.hpp"
#include "scenes/deform.hpp"
#include "scenes/shapes.hpp"
#ifdef GRAZE_BENCH_EMBREE
#include "bench/peer_embree.hpp"
#endif

namespace graze::bench {
namespace {

using scenes::Soup;
using Peers = std::vector<std::unique_ptr<MeshPeer>>;

/// Our tree as a side like the others.
class OurMesh : public MeshPeer {
public:
    OurMesh(const Soup& soup, Shapes shapes, const char* name, study::Volume volume)
        : soup_(soup), shapes_(shapes), name_(name), volume_(volume) {
        OurMesh::build();
    }

    const char* name() const override { return name_; }
    void build() override { model_ = built(soup_, {.volume = volume_, .threads = 1}); }
    void clear() override { model_ = Model(); }
    void refit(std::size_t shape) override {
        if (!model_.refit(shapes_[shape], {.rebuild = Rebuild::Never}))
            std::exit((std::fprintf(stderr, "a refit failed\n"), 1));
    }
    std::pair<Vec3, Vec3> bounds() const override { return {}; }

private:
    const Soup& soup_;
    Shapes shapes_;
    const char* name_;
    study::Volume volume_;
    Model model_;
};

/// One shape makes trees for meshes that stay, several make trees that can be refitted. `made` sees each while the next
/// one is not yet built.
Peers mesh_peers(const Soup& soup, Shapes shapes, const std::function<void(MeshPeer&)>& made = {}) {
    Peers out;
    const auto add = [&](std::unique_ptr<MeshPeer> peer) {
        if (made) made(*peer);
        out.push_back(std::move(peer));
    };
    add(std::make_unique<OurMesh>(soup, shapes, "graze", study::Volume::Auto));
    add(std::make_unique<OurMesh>(soup, shapes, "graze, aligned", study::Volume::Aabb));
#ifdef GRAZE_BENCH_FCL
    for (const FclBoxes boxes : {FclBoxes::Oriented, FclBoxes::OrientedAndSwept, FclBoxes::Spheres, FclBoxes::Aligned})
        add(fcl_mesh(soup, shapes, boxes));
#endif
#ifdef GRAZE_BENCH_BULLET
    add(gimpact_mesh(soup, shapes));
    add(bullet_mesh(soup, shapes));
#endif
#ifdef GRAZE_BENCH_ODE
    add(ode_mesh(soup, shapes));
#endif
#ifdef GRAZE_BENCH_CGAL
    if (shapes.size() == 1) add(cgal_mesh(soup));
#endif
#ifdef GRAZE_BENCH_EMBREE
    add(embree_mesh(soup, shapes));
#endif
    return out;
}

/// Landscapes of 100,000 and of a million triangles.
std::vector<NamedSoup> landscapes(const Study& study) {
    std::vector<NamedSoup> out{{"100k triangles", scenes::landscape(224)}};
    if (!study.quick()) out.push_back({"1M triangles", scenes::landscape(707)});
    return out;
}

/// Bytes in use that this process has from malloc or from Embree.
std::size_t bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    std::size_t bytes = info.uordblks + info.hblkhd;
#ifdef GRAZE_BENCH_EMBREE
    bytes += embree_bytes();
#endif
    return bytes;
}

}  // namespace

void peers_build(Study& study) {
    for (const NamedSoup& m : landscapes(study)) {
        study.progress.step("peers-build, " + m.name);
        const Peers peers = mesh_peers(m.soup, std::span(&m.soup.points, 1), [](MeshPeer& peer) { peer.clear(); });
        Span total;
        const Effort effort = study.quick() ? Effort{0, 1, 1} : Effort{20, 2, 9};
        const std::vector<Span> spans = take_turns(
            peers.size(), effort, total, [&](std::size_t s) { peers[s]->build(); },
            [&](std::size_t s) { peers[s]->clear(); });
        for (std::size_t s = 0; s < peers.size(); ++s)
            study.table.time(
                "peers-build", m.name, peers[s]->name(),
                spans[s].seconds(study.options.by_cpu) * 1e9 / static_cast<double>(m.soup.triangle_count()),
                "ns per triangle");
    }
}

void peers_memory(Study& study) {
    for (const NamedSoup& m : landscapes(study)) {
        study.progress.step("peers-memory, " + m.name);
        mesh_peers(m.soup, std::span(&m.soup.points, 1), [&](MeshPeer& peer) {
            const auto full = static_cast<double>(bytes_in_use());
            peer.clear();
            const double bytes = full - static_cast<double>(bytes_in_use());
            study.table.count("peers-memory", m.name, peer.name(),
                              std::round(bytes / static_cast<double>(m.soup.triangle_count())), "bytes per triangle");
        });
    }
}

void peers_refit(Study& study) {
    study.progress.step("peers-refit");
    const Soup soup = scenes::torus(1, 0.4, 224, 224);
    const std::vector<std::vector<Vec3>> shapes = {soup.points, scenes::twisted(soup, 0.25),
                                                   scenes::waved(soup, 0.2, 2)};
    const Peers peers = mesh_peers(soup, shapes);
    std::vector<Side> sides;
    for (const auto& peer : peers)
        sides.push_back({peer->name(), 2 * shapes.size(), [&](std::size_t i) { peer->refit(i % shapes.size()); }});
    const std::vector<double> times = seconds_per_query(study, sides, 15);
    for (std::size_t s = 0; s < sides.size(); ++s)
        study.table.time("peers-refit", "torus, 100k triangles", sides[s].name,
                         times[s] * 1e9 / static_cast<double>(soup.triangle_count()), "ns per triangle");
}

}  // namespace graze::bench
