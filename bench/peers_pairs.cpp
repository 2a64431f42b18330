// SPDX-License-Identifier: Apache-2.0
// Contacts of two meshes: random placements, spheres, real meshes close to each other, and a path.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "bench/cases.hpp"
#include "bench/peers.hpp"
#include "scenes/motions.hpp"
#include "scenes/placements.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze::bench {
namespace {

using scenes::Soup;

std::string triangles_name(std::size_t n) {
    return n >= 1000 ? std::to_string((n + 500) / 1000) + "k" : std::to_string(n);
}

/// The size of a pool depends on the models and on nothing else: counts must be the same in every run. Pools of short
/// queries are large, so that a turn lasts longer than the caches take to warm up.
std::size_t pool(const Study& study, const Soup& soup, Ask ask) {
    const double all = std::clamp(2.5e6 / static_cast<double>(soup.triangle_count()), 40.0, 800.0);
    return static_cast<std::size_t>((ask == Ask::First ? 3000 : all) / (study.quick() ? 10 : 1));
}

/// The queries of a pool that a library gets, spread evenly.
std::vector<std::size_t> part(Share share, const Study& study, const Case& c) {
    const std::size_t n = c.poses.size();
    const double triangles = static_cast<double>(c.a.triangle_count() + c.b.triangle_count());
    const auto few = static_cast<std::size_t>((study.quick() ? 4e4 : 2e5) / triangles);
    const std::size_t count = share == Share::Whole   ? n
                              : share == Share::Tenth ? std::max<std::size_t>(n / 10, std::min<std::size_t>(n, 20))
                                                      : std::min(n, std::max<std::size_t>(few, 4));
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(i * n / count);
    return out;
}

/// One scene: times of all libraries, and their answers. Ours are compared with brute force at `checks` poses, theirs
/// with ours at all poses they were asked.
class Contest {
public:
    Contest(Study& study, std::string experiment, std::string row, const Case& c, Ask ask)
        : study_(study), experiment_(std::move(experiment)), row_(std::move(row)), case_(c), ask_(ask) {
        study.progress.step(experiment_ + ", " + row_);
        for (const PeerKind& kind : pair_peers()) add(kind);
    }

    void add(const PeerKind& kind) {
        kinds_.push_back(kind);
        peers_.push_back(kind.make(case_.a, case_.b));
        parts_.push_back(part(ask_ == Ask::First ? kind.first : kind.all, study_, case_));
    }

    void run(double seconds, std::size_t checks) {
        answers();
        check(checks);
        tests();
        std::vector<Side> sides;
        for (std::size_t s = 0; s < peers_.size(); ++s)
            sides.push_back({kinds_[s].name, parts_[s].size(), [this, s](std::size_t i) {
                                 const Pose& pose = case_.poses[parts_[s][i]];
                                 ask_ == Ask::First ? void(peers_[s]->first(pose)) : void(peers_[s]->all(pose));
                             }});
        const std::vector<double> times = seconds_per_query(study_, sides, seconds);
        for (std::size_t s = 0; s < sides.size(); ++s)
            study_.table.time(experiment_, row_, sides[s].name, times[s] * 1e6, "µs");
        for (std::size_t s = 0; s < sides.size(); ++s) {
            study_.table.count(experiment_ + "-wrong", row_, sides[s].name, static_cast<double>(wrong_[s]));
            study_.table.count(experiment_ + "-checked", row_, sides[s].name,
                               static_cast<double>(s == 0 ? checked_ : parts_[s].size()));
        }
    }

private:
    /// Differences from the right pairs. Where a library names no pairs, whether there are any.
    std::size_t differences(std::size_t s, const Pose& pose, bool first, const std::vector<TrianglePair>& all) {
        PairPeer& peer = *peers_[s];
        if (ask_ == Ask::First) return peer.first(pose) != first;
        const std::size_t count = peer.all(pose);
        return kinds_[s].lists_pairs ? scenes::differing(peer.pairs(), all) : (count != 0) != !all.empty();
    }

    void answers() {
        wrong_.assign(peers_.size(), 0);
        for (std::size_t s = 1; s < peers_.size(); ++s)
            for (const std::size_t i : parts_[s]) {
                const Pose& pose = case_.poses[i];
                std::vector<TrianglePair> all;
                const bool first = ask_ == Ask::First && peers_[0]->first(pose);
                if (ask_ == Ask::All) {
                    peers_[0]->all(pose);
                    all = peers_[0]->pairs();
                    std::ranges::sort(all);
                }
                wrong_[s] += differences(s, pose, first, all);
            }
    }

    void check(std::size_t checks) {
        const scenes::Reference reference(case_.a, case_.b);
        checked_ = std::min(checks, case_.poses.size());
        for (std::size_t i = 0; i < checked_; ++i) {
            const Pose& pose = case_.poses[i * case_.poses.size() / checked_];
            const bool first = ask_ == Ask::First && reference.first(pose);
            wrong_[0] +=
                differences(0, pose, first, ask_ == Ask::All ? reference.all(pose) : std::vector<TrianglePair>{});
        }
        study_.wrong += wrong_[0];
    }

    /// Box and triangle tests per query, of ours and of those that say.
    void tests() {
        Ours ours(built(case_.a), built(case_.b));
        QueryStats stats;
        for (const Pose& pose : case_.poses) ours(ask_, pose, &stats);
        const auto add = [&](const std::string& column, std::uint64_t n, std::size_t queries) {
            study_.table.count(experiment_ + "-tests", row_, column,
                               static_cast<double>(n) / static_cast<double>(queries));
        };
        add("graze, boxes", stats.box_tests, case_.poses.size());
        add("graze, triangles", stats.triangle_tests, case_.poses.size());
        for (std::size_t s = 1; s < peers_.size(); ++s)
            if (const std::uint64_t n = peers_[s]->triangle_tests())
                add(kinds_[s].name + ", triangles", n, parts_[s].size());
    }

    Study& study_;
    std::string experiment_, row_;
    const Case& case_;
    Ask ask_;
    std::vector<PeerKind> kinds_;
    std::vector<std::unique_ptr<PairPeer>> peers_;
    std::vector<std::vector<std::size_t>> parts_;
    std::vector<std::size_t> wrong_;
    std::size_t checked_ = 0;
};

/// Fewer where brute force takes long.
std::size_t checks(const Study& study, const Case& c) {
    const auto n = static_cast<std::size_t>(200'000 / (c.a.triangle_count() + c.b.triangle_count()));
    return std::clamp<std::size_t>(n, 2, 50) / (study.quick() ? 2 : 1);
}

void random_placements(Study& study, const char* experiment, Ask ask) {
    std::vector<NamedSoup> models;
    for (const double minor : {0.2, 0.4, 0.5})
        for (const std::uint32_t side : {22u, 50u, minor == 0.4 ? 224u : 100u}) {
            if (study.quick() && side > 50) continue;
            char name[50];
            Soup soup = scenes::torus(1, minor, side, side);
            std::snprintf(name, sizeof name, "torus 1:%g, %s", minor, triangles_name(soup.triangle_count()).c_str());
            models.push_back({name, std::move(soup)});
        }
    Soup teapot = scenes::teapot(9);
    models.push_back({"teapot, " + triangles_name(teapot.triangle_count()), std::move(teapot)});
    for (const NamedSoup& m : models) {
        const Model model = built(m.soup);
        const Case c{m.name, m.soup, m.soup,
                     scenes::placements_at_hit_rate(model, model, 0.5, pool(study, m.soup, ask), 1)};
        Contest(study, experiment, m.name, c, ask).run(4, checks(study, c));
    }
}

/// How two real meshes lie to each other.
enum class Near { Gap, Touch, Deep };

/// `Gap` is 1e-5 of the smaller ball's radius, `Touch` the two neighbouring doubles of a course around the first
/// contact, `Deep` a hundredth of that radius past it.
std::vector<Pose> placements(Near near, const Model& a, const Model& b, std::size_t count, std::uint64_t seed) {
    if (near == Near::Gap) return scenes::placements_at_gap(a, b, 1e-5, count, seed);
    std::vector<Pose> out;
    if (near == Near::Touch) {
        for (const scenes::Touch& t : scenes::touching_placements(a, b, (count + 1) / 2, seed))
            out.insert(out.end(), {t.clear, t.hit});
        return out;
    }
    const double depth = 0.01 * std::min(scenes::bounding_ball(a).radius, scenes::bounding_ball(b).radius);
    scenes::Random random(seed);
    for (std::size_t tries = 0; out.size() < count && tries < 20 * count; ++tries) {
        const scenes::Course course = scenes::random_course(a, b, random);
        if (const auto found = scenes::approach(a, b, course)) out.push_back(course.at(found->hit - depth));
    }
    return out;
}

}  // namespace

void peers_random_first(Study& study) { random_placements(study, "peers-random-first", Ask::First); }
void peers_random_all(Study& study) { random_placements(study, "peers-random-all", Ask::All); }

void peers_spheres(Study& study) {
    const std::uint32_t triangles = study.quick() ? 8'000 : 32'000;
    scenes::Random random(3);
    for (const double gap : {1e-2, 1e-3, 3e-4}) {
        Case c{"", scenes::sphere(triangles, 1), scenes::sphere(triangles, 1 + gap), {}};
        const std::size_t count = (gap > 5e-3 ? 40 : gap > 5e-4 ? 10 : 4) / (study.quick() ? 2 : 1);
        for (std::size_t i = 0; i < count; ++i) c.poses.push_back(scenes::random_rotation(random));
        char row[50];
        std::snprintf(row, sizeof row, "concentric, ε %g, all", gap);
        Contest(study, "peers-spheres", row, c, Ask::All).run(6, 2);
    }
    const Soup sphere = scenes::sphere(triangles, 1);
    const Model model = built(sphere);
    const Case c{"", sphere, sphere, scenes::placements_at_gap(model, model, 1e-5, study.quick() ? 40 : 400, 4)};
    Contest(study, "peers-spheres", "side by side, ε 1e-5, first", c, Ask::First).run(6, 2);
}

void peers_real(Study& study) {
    const std::vector<NamedSoup> list = meshes(study.options.size);
    const std::pair<Near, const char*> ways[] = {
        {Near::Gap, "gap 1e-5"}, {Near::Touch, "touching"}, {Near::Deep, "1 % deep"}};
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (study.quick() && i != 2) continue;  // the smallest pair
        const NamedSoup &a = list[i], &b = list[(i + 1) % list.size()];
        const Model in_a = built(a.soup), in_b = built(b.soup);
        for (const auto& [near, name] : ways) {
            const Case c{"", a.soup, b.soup, placements(near, in_a, in_b, study.quick() ? 50 : 500, 4 + i)};
            for (const Ask ask : {Ask::First, Ask::All})
                Contest(study, "peers-real",
                        a.name + ", " + b.name + ", " + name + (ask == Ask::First ? ", first" : ", all"), c, ask)
                    .run(3, checks(study, c));
        }
    }
}

namespace {

/// graze with a front. Frames must come in the order of the path, which they do: its share is the whole pool.
class FrontPair : public PairPeer {
public:
    FrontPair(const Soup& a, const Soup& b) : a_(built(a)), b_(built(b)) {}

    bool first(const Pose& a_from_b) override {
        return intersects(a_, b_, a_from_b, {.scratch = &scratch_, .front = &front_});
    }
    std::size_t all(const Pose& a_from_b) override {
        collide(a_, b_, a_from_b, contacts_, {.scratch = &scratch_, .front = &front_});
        return contacts_.size();
    }
    std::vector<TrianglePair> pairs() const override {
        std::vector<TrianglePair> out(contacts_.size());
        std::ranges::transform(contacts_, out.begin(), &Contact::triangles);
        return out;
    }

private:
    Model a_, b_;
    Scratch scratch_;
    Front front_;
    std::vector<Contact> contacts_;
};

}  // namespace

/// A bolt that rattles in the bore of a flange, resampled to a motion per frame.
void peers_path(Study& study) {
    const std::optional<scenes::Motion> motion = scenes::motion("flange");
    for (const double step : {1e-3, 5e-3, 3e-2}) {
        Case c{"", motion->environment, motion->body, scenes::resampled(motion->path, motion->body, step)};
        // A stretch from the middle of the path, where the bolt is in contact.
        const std::size_t frames = std::min<std::size_t>(c.poses.size(), study.quick() ? 60 : 500);
        const auto begin = c.poses.begin() + static_cast<std::ptrdiff_t>((c.poses.size() - frames) / 2);
        c.poses.assign(begin, begin + static_cast<std::ptrdiff_t>(frames));
        char row[50];
        std::snprintf(row, sizeof row, "bolt in a flange, motion %g, all", step);
        Contest contest(study, "peers-path", row, c, Ask::All);
        contest.add({"graze, front", Share::Whole, Share::Whole, true,
                     [](const Soup& a, const Soup& b) -> std::unique_ptr<PairPeer> {
                         return std::make_unique<FrontPair>(a, b);
                     }});
#ifdef GRAZE_BENCH_ODE
        contest.add(ode_coherent_pairs());
#endif
        contest.run(5, checks(study, c));
    }
}

}  // namespace graze::bench
