// SPDX-License-Identifier: Apache-2.0
// Time of the broad phases by scene, in nanoseconds an object and update of one thread's processor time; means over
// frames, as some do things now and then, all phases turn by turn on the same frames. FCL's managers beside them,
// without the time to make boxes. Usage: micro_broad [largest number of objects] [part of a scene's name]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "scene/broad_phase.hpp"
#include "scenes/random.hpp"

#ifdef GRAZE_BENCH_FCL
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#endif

namespace {

using namespace graze;
using detail::WorldBox;

struct Setting {
    const char* name;
    double step = 0.01;     ///< greatest of a frame, in edges of a box
    double drift = 0;       ///< the same step at every frame, besides
    double teleports = 0;   ///< share that is placed anew at each frame
    double moving = 1;      ///< share that moves; the others stand
    double flat = 1;        ///< factor on the world along z
    int clusters = 0;       ///< the world is that many places far apart
    bool giant = false;     ///< one box as large as the world
    bool together = false;  ///< all in one place
    double spread = 1;      ///< largest size over the smallest
};

class World {
public:
    World(const Setting& scene, std::size_t n) : scene_(scene), random_(1) {
        // A cube in which a box overlaps two others.
        edge_ = scene.together   ? 0.1
                : scene.flat < 1 ? std::sqrt(2.0 * static_cast<double>(n))
                                 : std::cbrt(4.0 * static_cast<double>(n));
        edge_ *= std::pow(scene.spread, 0.4);
        for (std::size_t i = 0; i < n; ++i) {
            const double size =
                random_.between(0.5, 1.5) * std::exp(random_.unit() * random_.unit() * std::log(scene.spread));
            sizes_.push_back({size, size * random_.between(0.8, 1.2), size * random_.between(0.8, 1.2)});
            if (scene.giant && i == n / 2) sizes_[i] = {edge_, edge_, 1};
            at_.push_back(place());
            velocity_.push_back(random_.in_cube(-scene.drift, scene.drift));
            moving.push_back(random_.unit() < scene.moving);
        }
        boxes.resize(n);
        for (std::size_t i = 0; i < n; ++i) make_box(i);
        edge_ = std::max(edge_, 1e-3);
    }

    void step() {
        changed.clear();
        for (std::size_t i = 0; i < at_.size(); ++i) {
            if (!moving[i]) continue;
            if (scene_.teleports > 0 && random_.unit() < scene_.teleports)
                at_[i] = place();
            else
                at_[i] = at_[i] + random_.in_cube(-scene_.step, scene_.step) + velocity_[i];
            make_box(i);
            changed.push_back(static_cast<std::uint32_t>(i));
        }
    }

    std::vector<WorldBox> boxes;
    std::vector<char> moving;
    std::vector<std::uint32_t> changed;

private:
    Vec3 place() {
        Vec3 p = random_.in_cube(0, edge_);
        p.z *= scene_.flat;
        if (scene_.clusters > 0) {
            const std::uint32_t c = random_.below(static_cast<std::uint32_t>(scene_.clusters));
            p = p * std::cbrt(1.0 / scene_.clusters) + Vec3{c % 2 * 1e4, c / 2 % 2 * 1e3, c * 1e3};
        }
        return p;
    }
    void make_box(std::size_t i) {
        for (int k = 0; k < 3; ++k) {
            boxes[i].low[k] = static_cast<float>(at_[i][k] - 0.5 * sizes_[i][k]);
            boxes[i].high[k] = static_cast<float>(at_[i][k] + 0.5 * sizes_[i][k]);
        }
    }

    Setting scene_;
    scenes::Random random_;
    double edge_;
    std::vector<Vec3> sizes_, at_, velocity_;
};

class Side {
public:
    virtual ~Side() = default;
    virtual void prepare(const World&) {}
    /// The number of pairs.
    virtual std::size_t update(const World&, bool first) = 0;
    virtual double bytes() const { return 0; }
};

class Ours final : public Side {
public:
    explicit Ours(BroadPhaseKind kind, unsigned threads = 1)
        : phase_(detail::make_broad_phase(kind)), threads_(threads) {}
    std::size_t update(const World& w, bool first) override {
        if (first)
            for (std::uint32_t i = 0; i < w.boxes.size(); ++i) phase_->set(i, w.boxes[i], w.moving[i]);
        else
            for (const std::uint32_t i : w.changed) phase_->set(i, w.boxes[i], true);
        return phase_->update(threads_).size();
    }
    double bytes() const override { return static_cast<double>(phase_->bytes()); }

private:
    std::unique_ptr<detail::BroadPhase> phase_;
    unsigned threads_;
};

#ifdef GRAZE_BENCH_FCL
template <class Manager>
class Fcl final : public Side {
public:
    void prepare(const World& w) override {
        fresh_ = objects_.empty();
        if (fresh_)
            for (const WorldBox& b : w.boxes) {
                const auto shape =
                    std::make_shared<fcl::Boxd>(b.high[0] - b.low[0], b.high[1] - b.low[1], b.high[2] - b.low[2]);
                objects_.push_back(std::make_unique<fcl::CollisionObjectd>(shape));
            }
        for (std::size_t i = 0; i < objects_.size(); ++i) {
            const WorldBox& b = w.boxes[i];
            objects_[i]->setTranslation(
                {0.5 * (b.low[0] + b.high[0]), 0.5 * (b.low[1] + b.high[1]), 0.5 * (b.low[2] + b.high[2])});
            objects_[i]->computeAABB();
        }
    }
    std::size_t update(const World&, bool) override {
        if (fresh_) {
            std::vector<fcl::CollisionObjectd*> all;
            for (auto& o : objects_) all.push_back(o.get());
            manager_.registerObjects(all);
            manager_.setup();
        } else {
            manager_.update();
        }
        pairs_.clear();
        manager_.collide(&pairs_, [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
            static_cast<Pairs*>(data)->push_back({a, b});
            return false;
        });
        return pairs_.size();
    }

private:
    using Pairs = std::vector<std::pair<fcl::CollisionObjectd*, fcl::CollisionObjectd*>>;
    Manager manager_;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
    Pairs pairs_;
    bool fresh_ = true;
};
#endif

void measure(const Setting& scene, std::size_t n) {
    World world(scene, n);
    std::vector<std::unique_ptr<Side>> sides;
    using enum BroadPhaseKind;
    for (const BroadPhaseKind kind : {Auto, SweepAndPrune, Sweep, Tree}) sides.push_back(std::make_unique<Ours>(kind));
    const std::size_t ours = sides.size();
#ifdef GRAZE_BENCH_FCL
    if (!std::getenv("NO_FCL")) {
        sides.push_back(std::make_unique<Fcl<fcl::DynamicAABBTreeCollisionManagerd>>());
        // Quadratic where much changes.
        if (n <= 1000) sides.push_back(std::make_unique<Fcl<fcl::SaPCollisionManagerd>>());
    }
#endif
    const int frames = n <= 1000 ? 150 : n <= 10000 ? 50 : 20;
    std::vector<std::vector<double>> times(sides.size());
    std::vector<double> first(sides.size());
    std::size_t pairs = 0;
    for (int frame = -10; frame < frames; ++frame) {
        if (frame > -10) world.step();
        bool fresh = true;
        for (std::size_t turn = 0; turn < sides.size(); ++turn) {
            const std::size_t s = (turn + static_cast<std::size_t>(frame + 10)) % sides.size();
            // A peer takes part in a few frames: it is slow.
            if (s >= ours && frame > -8 && (n > 1000 ? frame % 8 : frame % 2)) continue;
            sides[s]->prepare(world);
            const bench::Stopwatch watch;
            const std::size_t found = sides[s]->update(world, frame == -10);
            const double ns = watch.elapsed().cpu * 1e9 / static_cast<double>(n);
            if (frame == -10) first[s] = ns;
            if (frame >= 0) times[s].push_back(ns);
            if (s >= ours) continue;
            if (fresh) pairs = found;
            fresh = false;
            if (found != pairs) {
                std::fprintf(stderr, "micro_broad: %zu pairs, not %zu\n", found, pairs);
                std::exit(1);
            }
        }
    }
    std::printf("%-10s %7zu %6.2f", scene.name, n, static_cast<double>(pairs) / static_cast<double>(n));
    for (std::size_t s = 0; s < sides.size(); ++s) {
        double sum = 0;
        for (const double t : times[s]) sum += t;
        std::printf(" %7.1f (%5.0f)", sum / static_cast<double>(times[s].size()), first[s]);
    }
    std::printf("  %.0f", sides[0]->bytes() / static_cast<double>(n));
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t most = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 100000;
    const std::string part = argc > 2 ? argv[2] : "";
    const Setting settings[] = {{.name = "coherent"},
                                {.name = "drifting", .step = 0, .drift = 0.03},
                                {.name = "medium", .step = 0.1},
                                {.name = "fast", .step = 1},
                                {.name = "teleports", .teleports = 0.01},
                                {.name = "anew", .teleports = 1},
                                {.name = "clusters", .clusters = 10},
                                {.name = "layer", .flat = 1e-6},
                                {.name = "giant", .giant = true},
                                {.name = "sizes", .spread = 100},
                                {.name = "standing", .moving = 0.1},
                                {.name = "together", .together = true}};
    std::printf("ns an object and update, mean (first update)\n%-10s %7s %6s %15s %15s %15s %15s %15s %15s  bytes\n",
                "", "n", "pairs", "auto", "lists", "sweep", "tree", "FCL tree", "FCL lists");
    for (const Setting& scene : settings)
        for (std::size_t n = 100; n <= most; n *= 10)
            if (std::string(scene.name).find(part) != std::string::npos && (!scene.together || n == 1000))
                measure(scene, n);
}
