// SPDX-License-Identifier: Apache-2.0
// The parts of bench_peers: the question that every library is asked, and the experiments.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/mesh_peer.hpp"
#include "bench/report.hpp"
#include "bench/table.hpp"
#include "graze/graze.hpp"
#include "scenes/soup.hpp"

namespace graze::bench {

/// Two meshes in a library's trees.
class PairPeer {
public:
    virtual ~PairPeer() = default;

    virtual bool first(const Pose& a_from_b) = 0;
    /// Finds all contacts. Returns their number, by whatever the library counts.
    virtual std::size_t all(const Pose& a_from_b) = 0;
    /// The triangles of the contacts that the last `all` found, each pair once.
    virtual std::vector<TrianglePair> pairs() const = 0;
    /// Triangle pairs that the library's boxes left over since it was built; 0 where it does not say.
    virtual std::uint64_t triangle_tests() const { return 0; }
};

/// How many queries of a pool a library is timed with, so that a slow one does not take all the time.
enum class Share {
    Whole,
    Tenth,
    Few,  ///< for a query that handles every triangle of a model anew
};

struct PeerKind {
    std::string name;
    Share first, all;
    bool lists_pairs;  ///< otherwise only whether there are contacts is compared
    std::unique_ptr<PairPeer> (*make)(const scenes::Soup& a, const scenes::Soup& b);
};

// The libraries that the build found. graze comes first in `pair_peers`.
std::vector<PeerKind> fcl_pairs();
PeerKind gimpact_pairs();
PeerKind ode_pairs();
/// ODE with its temporal coherence switched on.
PeerKind ode_coherent_pairs();
PeerKind cgal_pairs();
PeerKind embree_pairs();
std::vector<PeerKind> pair_peers();

/// Rays against one mesh. Origins and directions have single-precision coordinates.
class RayPeer {
public:
    static constexpr std::uint32_t none = 0xffffffff;

    virtual ~RayPeer() = default;
    virtual const char* name() const = 0;
    /// The first triangle on the half-line, or `none`.
    virtual std::uint32_t nearest(const Vec3& origin, const Vec3& direction) = 0;
    virtual bool any(const Vec3& origin, const Vec3& direction) = 0;
};

std::unique_ptr<RayPeer> bullet_rays(const scenes::Soup& soup);
std::unique_ptr<RayPeer> ode_rays(const scenes::Soup& soup);
std::unique_ptr<RayPeer> cgal_rays(const scenes::Soup& soup);

std::unique_ptr<MeshPeer> ode_mesh(const scenes::Soup& soup, Shapes shapes);
/// It is built only: CGAL's tree cannot be refitted.
std::unique_ptr<MeshPeer> cgal_mesh(const scenes::Soup& soup);

/// Data that the experiments share.
struct Study {
    const Options& options;
    Table& table;
    Progress& progress;
    std::size_t wrong = 0;  ///< answers of ours

    bool quick() const { return options.size.quick; }
};

/// One library in an experiment: `ask(i)` is its i-th query.
struct Side {
    std::string name;
    std::size_t queries;
    std::function<void(std::size_t)> ask;
};
/// Medians of the time of one query, in seconds. The sides take turns in changing order.
std::vector<double> seconds_per_query(const Study& study, const std::vector<Side>& sides, double seconds);

struct Experiment {
    const char* name;
    int steps, quick_steps;  ///< rows, for the progress bar
    void (*run)(Study&);
};

void peers_ties(Study& study);
void peers_random_first(Study& study);
void peers_random_all(Study& study);
void peers_spheres(Study& study);
void peers_real(Study& study);
void peers_path(Study& study);
void peers_build(Study& study);
void peers_memory(Study& study);
void peers_refit(Study& study);
void peers_rays(Study& study);
void peers_distance(Study& study);
void peers_scene(Study& study);
void peers_robot(Study& study);

}  // namespace graze::bench
