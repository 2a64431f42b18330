// SPDX-License-Identifier: Apache-2.0
// The tables and figures of the temporal coherence paper (Tropp, Tal, Shimshoni and Dobkin), one row and column each as
// there. The paper's coherence is a query with a front.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "bench/fronts.hpp"
#include "bench/table.hpp"
#include "front/motion.hpp"
#include "model/access.hpp"

namespace graze::bench {
namespace {

struct PaperScene {
    std::string_view name;
    const char* title;
    std::size_t stride;  ///< makes the median motion that of the paper's path (table 1)
};
constexpr PaperScene paper_scenes[] = {
    {"torus", "Torus", 2}, {"pipes", "Pipes", 10}, {"hand", "Hand", 4}, {"flange", "Flange", 17}};

/// A kind of tree, with the paper's thresholds where it has some.
struct Kind {
    Tree tree;
    std::string title;
    std::optional<FrontSettings> paper = {};

    const char* figure() const { return tree.aligned() ? "coherence-fig9" : "coherence-fig8"; }
};
const std::vector<Kind>& kinds() {
    using study::TreeKind, study::Volume;
    static const std::vector<Kind> list = {
        {tree_of("binary-obb", TreeKind::Binary, Volume::Obb), "OBB", FrontSettings{.coherence = 0.14, .prune = 0.17}},
        {tree_of("binary-aabb", TreeKind::Binary, Volume::Aabb), "AABB",
         FrontSettings{.coherence = 0.2, .prune = 0.15}},
        {tree_of("wide-obb", TreeKind::Wide, Volume::Obb), "Wide OBB"},
        {tree_of("wide-aabb", TreeKind::Wide, Volume::Aabb), "Wide AABB"},
    };
    return list;
}

/// A threshold by several values (figures 4 to 6). Each is studied at motions of about its size, which for wide trees
/// are smaller.
struct Sweep {
    const char *experiment, *words;
    const char *binary_pace, *wide_pace;  ///< null: not of such trees
    std::vector<const char*> values;
    FrontSettings (*with)(double value);
};
std::vector<Sweep> sweeps(bool quick) {
    using Values = std::vector<const char*>;
    const auto values = [&](Values all, Values few) { return quick ? few : all; };
    return {{"coherence-fig4", "when to use coherence", "uneven", "original",
             values({"0.005", "0.01", "0.02", "0.05", "0.1", "0.14", "0.2", "0.3", "0.5"}, {"0.02", "0.14", "0.5"}),
             [](double v) { return FrontSettings{.coherence = v}; }},
            {"coherence-fig5", "when to sprout", "0.03", nullptr,
             values({"0.03", "0.1", "0.3", "1", "3", "10", "100"}, {"0.1", "1", "100"}),
             [](double v) { return FrontSettings{.coherence = 1, .sprout = v}; }},
            {"coherence-fig6", "when to prune", "0.03", "0.005",
             values({"0.02", "0.05", "0.1", "0.17", "0.3", "0.5", "1", "3"}, {"0.05", "0.17", "1"}),
             [](double v) { return FrontSettings{.coherence = 1, .prune = v}; }}};
}

std::vector<const char*> motion_sizes(bool quick) {
    if (quick) return {"0.005", "0.03", "0.1"};
    return {"0.001", "0.002", "0.005", "0.01", "0.02", "0.03", "0.05", "0.1", "0.2", "0.5", "1.0"};
}

Pace pace_of(const char* name) { return {name, std::atof(name)}; }

class Papers {
public:
    explicit Papers(const Options& options)
        : options_(options),
          bar_((options.only.empty() ? static_cast<int>(std::size(paper_scenes)) : 1) * steps_of_scene) {
        effort_ = options.size.quick ? Effort{0.05, 1, 3, options.by_cpu} : Effort{0.4, 2, 15, options.by_cpu};
    }

    int run() {
        for (const PaperScene& paper : paper_scenes) {
            if (!options_.wanted(std::string(paper.name))) continue;
            title_ = paper.title;
            say("path");
            MotionScene scene(*scenes::motion(paper.name, options_.size.scale), paper.stride,
                              options_.size.quick ? 400 : 1500, options_.size.quick);
            table1(scene);
            say("table 2");
            table2(scene, "original", "Original");
            table2(scene, "uneven", "Every few frames");
            table2(scene, "0.03", "Interpolated 0.03");
            for (const Sweep& sweep : sweeps(options_.size.quick)) {
                say(sweep.words);
                for (const Kind& kind : kinds()) threshold(scene, kind, sweep);
            }
            say("motion sizes");
            for (const char* size : motion_sizes(options_.size.quick))
                for (const Kind& kind : kinds()) motion_size(scene, kind, size);
        }
        if (title_.empty()) {
            std::fprintf(stderr, "bench_fronts: the paper has no scene %s\n", options_.only.c_str());
            return 2;
        }
        if (wrong_ > 0) std::printf("\n%zu answers differ from the plain query's\n", wrong_);
        return table_.write(options_.csv) && wrong_ == 0 ? 0 : 1;
    }

private:
    static constexpr int steps_of_scene = 6;  // calls of say()

    void say(const char* what) { bar_.step(title_ + ", " + what); }

    /// Describes the scene and its path. The paper measures motions by the largest edge of the moving object's
    /// box, which depends on the kind of box.
    void table1(MotionScene& scene) {
        const char* id = "coherence-table1";
        const scenes::Motion& motion = scene.motion();
        table_.count(id, "Triangles Env", title_, static_cast<double>(motion.environment.triangle_count()));
        table_.count(id, "Triangles Obj", title_, static_cast<double>(motion.body.triangle_count()));
        table_.count(id, "Number of frames", title_, static_cast<double>(motion.path.size()));
        for (const std::size_t stride : {std::size_t{1}, scene.stride()}) {
            if (stride > 1) table_.count(id, "Every few frames: one of", title_, static_cast<double>(stride));
            for (const int kind : {1, 0}) {
                const auto [a, b] = scene.models(kinds()[static_cast<std::size_t>(kind)].tree);
                const std::vector<double> sizes = motions(motion.path, b, stride);
                const auto large = std::ranges::count_if(sizes, [](double s) { return s > 0.1; });
                const std::string which =
                    kinds()[static_cast<std::size_t>(kind)].title + (stride > 1 ? ", every few frames" : "");
                table_.count(id, which + ": median motion size", title_, median(sizes));
                table_.count(id, which + ": % of large motions", title_,
                             100 * static_cast<double>(large) / static_cast<double>(sizes.size()), "%");
            }
        }
    }
    /// The motions from each frame to the one that is `stride` later (equation 9), relative to the body's box.
    static std::vector<double> motions(const std::vector<Pose>& path, const Model& body, std::size_t stride) {
        const detail::RootBall ball(detail::Access::data(body));
        std::vector<double> out;
        for (std::size_t i = stride; i < path.size(); ++i)
            out.push_back(detail::motion_bound(Affine(path[i - stride]), Affine(path[i]), ball.centre, ball.radius) /
                          ball.edge);
        return out;
    }

    /// Rows as in the paper, then those of the wide trees.
    void table2(MotionScene& scene, const char* pace, const char* words) {
        for (const Kind& kind : kinds()) {
            const auto& frames = scene.frames(pace_of(pace));
            const bool binary_aabb = kind.tree.aligned() && !kind.tree.wide();
            const std::string column = std::string(words) + " " + title_;
            std::vector<Side> sides = plain_and_fronts(scene, kind);
            if (binary_aabb) add_side(sides, scene, kind, How::Full);
            const std::vector<Figures> figures = measure(sides, frames);
            const auto row = [&](const std::string& name, std::size_t i) {
                table_.time("coherence-table2", name, column, us(figures[i]), "µs");
                add_work("coherence-table2", name, column, figures[i], frames.size());
                if (i == 1 || i == 2)
                    table_.time("coherence-table2-gain", name, column, us(figures[0]) / us(figures[i]), "×");
            };
            row(kind.title + (binary_aabb ? "lite" : "") + " non-coherence", 0);
            row(kind.title + " coherence", 1);
            if (kind.paper) row(kind.title + " coherence, paper's thresholds", 2);
            if (binary_aabb) row(kind.title + " non-coherence", 3);
        }
    }

    void threshold(MotionScene& scene, const Kind& kind, const Sweep& sweep) {
        const char* pace = kind.tree.wide() ? sweep.wide_pace : sweep.binary_pace;
        if (pace == nullptr || (kind.tree.wide() && kind.tree.aligned())) return;
        const std::vector<Affine> frames = thinned(scene.frames(pace_of(pace)), options_.size.quick ? 1 : 2);
        std::vector<Side> sides;
        add_side(sides, scene, kind, How::Plain);
        for (const char* value : sweep.values) add_side(sides, scene, kind, How::Fronted, sweep.with(std::atof(value)));
        const std::vector<Figures> figures = measure(sides, frames);
        for (std::size_t i = 0; i < sweep.values.size(); ++i)
            add_point(sweep.experiment, sweep.values[i], kind.title + " " + title_, figures[i + 1], figures[0],
                      frames.size());
    }

    /// Figures 8 and 9.
    void motion_size(MotionScene& scene, const Kind& kind, const char* size) {
        const auto& frames = scene.frames(pace_of(size));
        std::vector<Side> sides = plain_and_fronts(scene, kind);
        const std::vector<Figures> figures = measure(sides, frames);
        const std::string column = kind.title + " " + title_;
        add_work(kind.figure(), size, column + ", plain", figures[0], frames.size());
        add_point(kind.figure(), size, column, figures[1], figures[0], frames.size());
        if (kind.paper)
            add_point(kind.figure(), size, column + ", paper's thresholds", figures[2], figures[0], frames.size());
    }

    static void add_side(std::vector<Side>& sides, MotionScene& scene, const Kind& kind, How how,
                         const FrontSettings& settings = {}) {
        const auto [a, b] = scene.models(kind.tree);
        sides.emplace_back(a, b, Ask::All, how, settings);
    }
    /// The plain query, a front with our thresholds, and one with the paper's.
    static std::vector<Side> plain_and_fronts(MotionScene& scene, const Kind& kind) {
        std::vector<Side> sides;
        add_side(sides, scene, kind, How::Plain);
        add_side(sides, scene, kind, How::Fronted);
        if (kind.paper) add_side(sides, scene, kind, How::Fronted, *kind.paper);
        return sides;
    }

    std::vector<Figures> measure(std::vector<Side>& sides, const std::vector<Affine>& frames) {
        Span total;
        std::vector<Figures> out = compare(sides, frames, Ask::All, effort_, total);
        for (const Figures& f : out) wrong_ += f.wrong;
        return out;
    }

    double us(const Figures& f) const { return options_.by_cpu ? f.cpu_us : f.wall_us; }

    /// Tests per frame, in a table beside that of the times.
    void add_work(const std::string& id, const std::string& row, const std::string& column, const Figures& f,
                  std::size_t frames) {
        const auto each = [&](std::uint64_t n) { return static_cast<double>(n) / static_cast<double>(frames); };
        table_.count(id + "-work", row, column, each(f.stats.box_tests), "box tests");
        table_.count(id + "-work", row, column, each(f.stats.axis_tests), "axis tests");
        table_.count(id + "-work", row, column, each(f.stats.triangle_tests), "triangle tests");
    }
    /// A point of a curve as the paper draws it: time with a front over time without one.
    void add_point(const std::string& id, const std::string& row, const std::string& column, const Figures& front,
                   const Figures& plain, std::size_t frames) {
        table_.time(id, row, column, us(front) / us(plain), "time over plain");
        add_work(id, row, column, front, frames);
    }

    const Options& options_;
    Effort effort_;
    Table table_;
    Progress bar_;
    std::string title_;
    std::size_t wrong_ = 0;
};

}  // namespace

int run_papers(const Options& options) { return Papers(options).run(); }

}  // namespace graze::bench
