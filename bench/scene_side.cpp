// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/scene.hpp"
#ifdef GRAZE_BENCH_FCL
#include "bench/peer_fcl.hpp"
#endif

namespace graze::bench {

namespace {

constexpr int turn = 4;  ///< frames of a side in a row
constexpr int warm = 4;  ///< first frames, which are not measured

class OurScene final : public SceneSide {
public:
    OurScene(const scenes::Objects& objects, const SceneSettings& settings) : scene_(settings) {
        const std::vector<Model> models = objects.models();
        for (std::size_t i = 0; i < objects.size(); ++i)
            ids_.push_back(*scene_.add(models[objects.shape[i]], objects.placed[i]));
    }
    void frame(const std::vector<Pose>& placed) override {
        for (std::size_t i = 0; i < ids_.size(); ++i) (void)scene_.move(ids_[i], placed[i]);
        touching_ = &scene_.update();
    }
    Pairs touching() const override {
        Pairs out;
        for (const auto* list : {&touching_->begun, &touching_->persisting})
            for (const ObjectPair& p : *list) out.emplace_back(p.a.slot, p.b.slot);  // slots are given in order
        std::ranges::sort(out);
        return out;
    }
    const SceneStats* stats() const override { return &scene_.stats(); }
    std::size_t bytes() const override { return scene_.bytes(); }

private:
    Scene scene_;
    std::vector<ObjectId> ids_;
    const TouchingPairs* touching_ = nullptr;
};

#ifdef GRAZE_BENCH_FCL
class FclSide final : public SceneSide {
public:
    explicit FclSide(const scenes::Objects& objects) {
        for (const scenes::Soup& s : objects.shapes) models_.emplace_back(s);
        for (std::size_t i = 0; i < objects.size(); ++i) scene_.add(models_[objects.shape[i]], objects.placed[i]);
    }
    void frame(const std::vector<Pose>& placed) override {
        for (std::size_t i = 0; i < placed.size(); ++i) scene_.move(static_cast<std::uint32_t>(i), placed[i]);
        touching_ = &scene_.update();
    }
    Pairs touching() const override {
        Pairs out = *touching_;
        std::ranges::sort(out);
        return out;
    }
    bool ours() const override { return false; }

private:
    std::vector<FclModel> models_;
    FclScene scene_;
    const std::vector<FclScene::Pair>* touching_ = nullptr;
};
#endif

/// Measurements of a side, frame by frame.
struct Record {
    std::vector<double> wall, cpu, move, broad, hull, tree, boxes, hulls, touching, unmoved, red;
    SceneFigures figures;

    /// The stages look at the clock; by processor time each gets its share of that.
    void add(const Span& span, bool by_cpu, const SceneStats* stats, std::size_t pairs) {
        wall.push_back(span.wall * 1e6);
        cpu.push_back(span.cpu * 1e6);
        touching.push_back(static_cast<double>(pairs));
        if (!stats) return;
        const double stages = stats->broad_phase.seconds + stats->hulls.seconds + stats->trees.seconds;
        const double us = by_cpu && span.wall > 0 ? 1e6 * span.cpu / span.wall : 1e6;
        move.push_back(std::max(0.0, span.wall - stages) * us);
        broad.push_back(stats->broad_phase.seconds * us);
        hull.push_back(stats->hulls.seconds * us);
        tree.push_back(stats->trees.seconds * us);
        boxes.push_back(static_cast<double>(stats->broad_phase.out));
        hulls.push_back(static_cast<double>(stats->hulls.out));
        unmoved.push_back(static_cast<double>(stats->unmoved));
        red.push_back(static_cast<double>(stats->hull_hits));
    }
    SceneFigures summary() const {
        SceneFigures f = figures;
        f.wall_us = median(wall), f.cpu_us = median(cpu), f.move_us = median(move), f.broad_us = median(broad);
        f.hull_us = median(hull), f.tree_us = median(tree), f.boxes = median(boxes), f.hulls = median(hulls);
        f.touching = median(touching), f.unmoved = median(unmoved), f.red = median(red);
        return f;
    }
};

}  // namespace

std::unique_ptr<SceneSide> our_scene(const scenes::Objects& objects, const SceneSettings& settings) {
    return std::make_unique<OurScene>(objects, settings);
}

std::unique_ptr<SceneSide> fcl_scene([[maybe_unused]] const scenes::Objects& objects) {
#ifdef GRAZE_BENCH_FCL
    return std::make_unique<FclSide>(objects);
#else
    return nullptr;
#endif
}

std::vector<SceneFigures> compare(const Next& next, std::vector<std::unique_ptr<SceneSide>>& sides, int frames,
                                  bool by_cpu, Span& total) {
    std::vector<Record> records(sides.size());
    std::vector<Model> models;
    for (int begin = -warm; begin < frames; begin += turn) {
        std::vector<std::vector<Pose>> placed;
        const scenes::Objects* objects = nullptr;
        while (placed.size() < turn) {
            objects = &next();
            placed.push_back(objects->placed);
        }
        if (models.empty()) models = objects->models();
        std::vector<Pairs> first(turn);
        for (std::size_t k = 0; k < sides.size(); ++k) {
            // The order changes, but the first side comes first in the frames that are not measured.
            const std::size_t s = (k + static_cast<std::size_t>((begin + warm) / turn)) % sides.size();
            for (int i = 0; i < turn; ++i) {
                const Stopwatch watch;
                sides[s]->frame(placed[static_cast<std::size_t>(i)]);
                const Span span = watch.elapsed();
                const Pairs pairs = sides[s]->touching();
                if (begin >= 0) {
                    total += span;
                    records[s].add(span, by_cpu, sides[s]->stats(), pairs.size());
                }
                Pairs& reference = first[static_cast<std::size_t>(i)];
                if (k == 0) {
                    reference = pairs;
                    continue;
                }
                Pairs odd;
                std::ranges::set_symmetric_difference(reference, pairs, std::back_inserter(odd));
                records[s].figures.differ += odd.size();
                for (const auto& [a, b] : odd) {
                    const auto& at = placed[static_cast<std::size_t>(i)];
                    const bool truth = intersects(models[objects->shape[a]], models[objects->shape[b]],
                                                  *relative(Affine(at[a]), Affine(at[b])));
                    const bool said = std::ranges::binary_search(pairs, std::pair(a, b));
                    const std::size_t other = static_cast<std::size_t>((begin + warm) / turn) % sides.size();
                    ++records[said == truth ? other : s].figures.wrong;
                }
            }
        }
    }
    std::vector<SceneFigures> out;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        records[s].figures.bytes = sides[s]->bytes();
        out.push_back(records[s].summary());
    }
    return out;
}

}  // namespace graze::bench
