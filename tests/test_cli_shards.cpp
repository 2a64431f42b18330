// SPDX-License-Identifier: Apache-2.0
// `graze clash plan`, `shard`, `merge` and `run`: the answer is that of `graze clash`, byte for byte, whatever happens
// on the way.
#include <fcntl.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "checks/cuts.hpp"
#include "cli.hpp"
#include "files/write.hpp"
#include "scenes/plant.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GRAZE_SLOW 1
#endif
#endif
#ifdef GRAZE_SLOW
constexpr int kills = 20;  // processes start slowly under sanitizers
#else
constexpr int kills = 100;
#endif

using Contents = std::map<std::string, std::string>;

Contents contents_of(const fs::path& folder) {
    Contents out;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(".graze-")) out[name] = read_all(entry.path());
    }
    return out;
}

class CliShards : public Cli {
protected:
    void SetUp() override {
        Cli::SetUp();
        fs::create_directories(folder_ / "parts");
        parts_ = quoted("parts");
        plan_ = quoted("plan");
    }
    std::string quoted(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }

    void place(const std::string& name, const scenes::Soup& soup, const Vec3& at = {}) const {
        files::Mesh mesh;
        for (const Vec3& p : soup.points) mesh.points.push_back(p + at);
        mesh.corners = soup.corners;
        ASSERT_TRUE(files::write_assembly((folder_ / "parts" / name).string(), files::single(std::move(mesh))));
    }
    /// Parts that meet 0.7 others each on average, some of them twice, one in another and one of odd name.
    void fill(std::uint32_t count) const {
        const scenes::LargePlant plant(count, 100);
        for (std::uint32_t i = 0; i < count; ++i) {
            place(plant.name(i) + ".stl", plant.part(i));
            if (i % 16 == 3) place(plant.name(i) + "-twin.stl", plant.part(i));
        }
        place("housing.stl", scenes::box({1, 1, 1}), {-5, 0, 0});
        place("core.stl", scenes::box({0.5, 0.5, 0.5}), {-5, 0, 0});
        place("near\xff.stl", scenes::box({0.5, 0.5, 0.5}), {-5, 0, 1.75});  // no UTF-8
    }
    /// Plans, runs all shards and merges with the same options, and expects the same bytes in all forms.
    void expect_same(const std::string& inputs, const std::string& pair_options, const std::string& answer_options,
                     const std::string& plan_options, const std::string& shard_options) const {
        const std::string all = inputs + " " + pair_options;
        const auto forms = [&](const std::string& stem) {
            return answer_options + " --junit " + quoted(stem + ".xml") + " --bcf " + quoted(stem + ".bcfzip") +
                   " --write " + quoted(stem + ".obj")
#ifdef GRAZE_REPORT
                   + " --html " + quoted(stem + ".html")
#endif
                ;
        };
        ASSERT_EQ(setenv("SOURCE_DATE_EPOCH", "1000000000", 1), 0);
        const Outcome one = run("clash " + all + forms("one") + " --json");
        const bool left_out = one.err.find("left out: ") != std::string::npos;
        ASSERT_TRUE(one.code <= 1 || left_out) << one.err;
        fs::remove_all(folder_ / "plan");
        ASSERT_EQ(run("clash plan -o " + plan_ + " " + all + plan_options).code, left_out ? 2 : 0) << all;
        const auto shards = Json::parse(run("clash plan --json -o " + plan_ + " " + all + plan_options).out)["shards"];
        for (std::size_t k = 0; k < shards; ++k) {
            const Outcome done = run("clash shard " + plan_ + " " + std::to_string(k) + shard_options);
            ASSERT_EQ(done.code, 0) << done.err;
        }
        const Outcome merged = run("clash merge " + plan_ + forms("merged") + " --json");
        EXPECT_EQ(merged.code, one.code) << merged.err;
        EXPECT_EQ(merged.out, one.out);
        EXPECT_EQ(merged.err, one.err);
        for (const std::string kind : {".xml", ".bcfzip", ".obj", ".html"})
            EXPECT_TRUE(read_all(folder_ / ("one" + kind)) == read_all(folder_ / ("merged" + kind))) << kind;
        for (const char* form : {" --csv", " --list"})
            EXPECT_EQ(run("clash merge " + plan_ + answer_options + form).out,
                      run("clash " + all + answer_options + form).out);
    }
    std::vector<fs::path> files_in(const std::string& below) const {
        std::vector<fs::path> out;
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / "plan" / below))
            if (entry.is_regular_file()) out.push_back(entry.path());
        std::ranges::sort(out);
        return out;
    }
    static void damage(const fs::path& path) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(fs::file_size(path) / 2));
        const char byte = static_cast<char>(file.peek() ^ 1);
        file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
        file.put(byte);
    }

    std::string parts_, plan_;
};

TEST(Cells, EveryPointIsInOneCellAndBoxesTouchAllOfTheirs) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> at(0, 9);  // many points on the cuts
    const auto point = [&] { return Vec3{1.0 * at(random), 1.0 * at(random), 1.0 * at(random)}; };
    for (const std::size_t count : {1, 2, 3, 7, 64}) {
        std::vector<checks::WeightedPoint> points;
        for (int i = 0; i < 500; ++i) points.push_back({point(), 1.0});
        const checks::Cells cells(points, count);
        EXPECT_TRUE(cells.valid());
        EXPECT_EQ(cells.size(), count);
        const std::vector<checks::Bounds> boxes = cells.boxes();
        for (int i = 0; i < 500; ++i) {
            const Vec3 p = point();
            std::set<std::uint32_t> holding, touched;
            for (std::uint32_t k = 0; k < boxes.size(); ++k) {
                bool in = true;
                for (int d = 0; d < 3; ++d) in = in && p[d] >= boxes[k].lo[d] && p[d] < boxes[k].hi[d];
                if (in) holding.insert(k);
            }
            EXPECT_EQ(holding, std::set{cells.cell_of(p)});
            checks::Bounds box;
            box.add(p);
            box.add(point());
            cells.for_each_touched(box, [&](std::uint32_t k) { touched.insert(k); });
            EXPECT_TRUE(touched.contains(cells.cell_of(p)));
            EXPECT_TRUE(touched.contains(cells.cell_of(box.hi)));
        }
    }
    EXPECT_EQ(checks::Cells({{Vec3{}, 1}, {Vec3{}, 1}}, 4).size(), 1u);
    EXPECT_FALSE(checks::Cells({{0, 0, 0, ~0}}).valid());
}

TEST_F(CliShards, CityHasThePlantedClashesAndNoOthers) {
    const Outcome made = run("samples city " + quoted("city") + " --parts 150 --triangles 100 --clashes 8 --json");
    ASSERT_EQ(made.code, 0) << made.err;
    std::set<std::array<std::string, 3>> planted, found;
    std::istringstream list(read_all(folder_ / "city/planted.csv"));
    std::string line;
    std::getline(list, line);
    while (std::getline(list, line)) {
        std::istringstream cells(line);
        std::array<std::string, 3> row;
        for (std::string& cell : row) std::getline(cells, cell, ',');
        if (row[1] < row[0]) std::swap(row[0], row[1]);
        planted.insert(row);
    }
    const Json answer = Json::parse(run("clash --json --clearance 0.25 " + quoted("city/parts")).out);
    for (const Json& clash : answer["clashes"])
        found.insert(std::array<std::string, 3>{clash["a"], clash["b"], clash["kind"]});
    EXPECT_EQ(found, planted);
    EXPECT_EQ(found.size(), 8u);
    EXPECT_EQ(answer["parts"], 150);
    expect_complaint("samples city " + quoted("city"), (folder_ / "city/parts").string() + ": exists already");
}

TEST_F(CliShards, MergeGivesTheBytesOfOneMachine) {
    fill(60);
    expect_same(parts_, "", "", " --shards 7", "");
    const std::string rules = write("rules.txt",
                                    "group: round *ring* *washer*\nbolt-* @round they are meant to\n"
                                    "clearance: nut-* * 0.02\nclearance: near* housing 1\n");
    const std::string options =
        " --rules " + quoted("rules.txt") + " --clearance 0.1 --tolerance 0.05 --ignore 'block-*:*=soft'";
    // Pieces: no shard may use more than a megabyte.
    expect_same(parts_, options, "", " --shards 5", " --memory 1 --threads 2");
    const Outcome before = run("clash --json " + parts_ + " --clearance 0.2 --only crossing,clearance");
    write("before.json", before.out);
    expect_same(parts_, options + " --between '*-0*' '*-2*' --between '*' '*-twin'",
                " --baseline " + quoted("before.json") + " --worse-by 0.01 --not touching", " --shards 3", "");
}

TEST_F(CliShards, FitsAndMeasuresAreThoseOfOneMachine) {
    // Blocks in two rows: of each row the first three fit, and the last has sunk into its neighbour.
    for (int i = 0; i < 8; ++i)
        place("box-" + std::to_string(i) + ".stl", scenes::box({0.5, 0.5, 0.5}),
              {(i % 4) * 0.99 - (i % 4 == 3 ? 0.2 : 0), 0, i / 4 * 10.0});
    const auto summary = [&] { return Json::parse(run("clash merge --json " + plan_).out)["summary"]; };
    expect_same(parts_, " --error 0.01", "", " --shards 4", "");
    EXPECT_EQ(summary()["fits"], 4);
    EXPECT_EQ(summary()["clashes"], 2);
    EXPECT_EQ(summary()["measured"], 2);
    expect_same(parts_, " --error 0.01 --strict-fits", "", " --shards 4", "");
    EXPECT_EQ(summary()["fits"], 0);
    EXPECT_EQ(summary()["clashes"], 6);
    expect_same(parts_, "", "", " --shards 4", "");
    EXPECT_EQ(summary()["clashes"], 6);
}

/// Finer meshes of STEP files depend on their order in the last digits.
TEST_F(CliShards, FinerMeshesAreThoseOfOneMachine) {
    const fs::path step = fs::absolute(fs::path("..") / "shared" / "models" / "assemblies" / "as1-oc-214.stp");
    if (!fs::exists(step)) GTEST_SKIP() << "no ../shared/models/assemblies";
    if (run("info '" + step.string() + "'").err.find("reads no STEP") != std::string::npos)
        GTEST_SKIP() << "built without a reader of STEP";
    expect_same("'" + step.string() + "'", "", "", " --shards 4", "");
    EXPECT_GT(Json::parse(run("clash merge --json " + plan_).out)["summary"]["refined"], 0);
}

TEST_F(CliShards, PartsTooCloseAreFoundAcrossTheCutsOfSpace) {
    // Gaps of exactly the clearance, and boxes that overlap nowhere.
    for (int i = 0; i < 32; ++i)
        place("box-" + std::to_string(10 + i) + ".stl", scenes::box({0.25, 0.25, 0.25}),
              {1.0 * (i % 4), 1.0 * (i / 4 % 4), 1.0 * (i / 16)});
    expect_same(parts_, " --clearance 0.5", "", " --shards 8", "");
    EXPECT_EQ(Json::parse(run("clash merge --json " + plan_).out)["summary"]["kinds"]["clearance"], 64);
}

TEST_F(CliShards, ScenesWithPlacementsGiveTheBytesOfOneMachine) {
    ASSERT_EQ(run("samples -q " + quoted("samples")).code, 0);
    // With rules, because the depth of the welds takes most of the time.
    const std::string rules = " --rules " + quoted("samples/rules.txt");
    expect_same(quoted("samples/plant.glb"), " --scale 1000" + rules, "", " --shards 5", "");
    expect_same(quoted("samples/plant.glb") + " " + quoted("samples/plant/post-1.stl") + " " + quoted("nothing.stl"),
                " --clearance 0.01" + rules, "", " --shards 2", "");
}

TEST_F(CliShards, WorkersKilledAtAnyMomentLoseNothing) {
    fill(24);
    const std::string expected = run("clash --json " + parts_).out;
    ASSERT_EQ(run("clash plan -q --shards 6 -o " + plan_ + " " + parts_).code, 0);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(run("clash run -q --jobs 2 " + plan_).code, 1);
    const auto whole =
        std::min<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(80));
    const Contents results = contents_of(folder_ / "plan/results");
    ASSERT_EQ(results.size(), 6u);

    std::mt19937 random(7);
    for (int i = 0; i < kills; ++i) {
        if (i % 5 == 0)
            for (const fs::path& one : files_in("results")) fs::remove(one);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const int null = open("/dev/null", O_RDWR);
            for (int standard = 0; standard < 3; ++standard) dup2(null, standard);
            execl(GRAZE_COMMAND, "graze", "clash", "run", "--jobs", "2", (folder_ / "plan").c_str(), nullptr);
            _exit(127);
        }
        std::this_thread::sleep_for(whole * std::uniform_real_distribution(0.0, 1.0)(random));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        // Files that exist are complete.
        for (const auto& [name, bytes] : contents_of(folder_ / "plan/results")) EXPECT_EQ(bytes, results.at(name));
    }
    for (const fs::path& one : files_in("results")) fs::remove(one);
    EXPECT_EQ(run("clash run --json --jobs 3 " + plan_).out, expected);
    EXPECT_EQ(contents_of(folder_ / "plan/results"), results);
    EXPECT_EQ(read_all(folder_ / "plan/answer.json"), expected);
}

TEST_F(CliShards, FullDiskIsSaidAndARunGoesOnAfterwards) {
    fill(24);
    const std::string expected = run("clash --json " + parts_).out;
    // `cat` has no limit: it runs in another shell.
    const auto said = [&](const std::string& arguments) {
        const std::string line = "( (ulimit -f 0; exec " GRAZE_COMMAND " " + arguments +
                                 ") 2>&1 >/dev/null ) | cat >'" + (folder_ / "said").string() + "'";
        static_cast<void>(!std::system(line.c_str()));
        return read_all(folder_ / "said");
    };
    EXPECT_NE(said("clash plan --shards 2 -o " + plan_ + " " + parts_).find("File too large"), std::string::npos);
    EXPECT_EQ(run("clash merge " + plan_).code, 2);
    ASSERT_EQ(run("clash plan -q --shards 2 -o " + plan_ + " " + parts_).code, 0);
    const std::string text = said("clash shard " + plan_ + " 1");
    EXPECT_NE(text.find("/results/"), std::string::npos) << text;
    EXPECT_NE(text.find("File too large"), std::string::npos) << text;
    EXPECT_TRUE(files_in("results").empty());
    EXPECT_EQ(run("clash run --json " + plan_).out, expected);
}

TEST_F(CliShards, DamageIsFoundAndMended) {
    fill(24);
    const std::string expected = run("clash --json " + parts_).out;
    ASSERT_EQ(run("clash plan -q --shards 3 -o " + plan_ + " " + parts_).code, 0);
    expect_complaint("clash merge " + plan_, (folder_ / "plan").string() + ": shard 0 has no result yet");
    ASSERT_EQ(run("clash run -q " + plan_).code, 1);

    // Results: damaged, cut off, of another shard.
    std::vector<fs::path> results = files_in("results");
    const std::string good = read_all(results[1]);
    damage(results[1]);
    Outcome merged = run("clash merge " + plan_);
    EXPECT_EQ(merged.code, 2);
    EXPECT_NE(merged.err.find(results[1].string() + ": fails its checksum"), std::string::npos) << merged.err;
    fs::resize_file(results[1], 20);
    EXPECT_EQ(run("clash merge " + plan_).code, 2);
    fs::remove(results[1]);
    fs::copy_file(results[0], results[1]);
    merged = run("clash merge " + plan_);
    EXPECT_NE(merged.err.find("is the result of another shard or plan"), std::string::npos) << merged.err;
    EXPECT_EQ(run("clash run --json " + plan_).out, expected);
    EXPECT_EQ(read_all(results[1]), good);

    // A model: the shards that need it fail and name it, the rest goes on, and a new plan mends it.
    for (const fs::path& one : results) fs::remove(one);
    const fs::path model = files_in("models")[0];
    damage(model);
    const Outcome failed = run("clash run " + plan_);
    EXPECT_EQ(failed.code, 2);
    EXPECT_NE(failed.err.find("failed 3 times"), std::string::npos) << failed.err;
    EXPECT_NE(failed.err.find(model.string() + ": fails its checksum"), std::string::npos) << failed.err;
    ASSERT_EQ(run("clash plan -q -o " + plan_ + " " + parts_ + " --shards 3").code, 0);
    EXPECT_EQ(run("clash run --json " + plan_).out, expected);

    // Damages a shard's task, the index, and the plan itself.
    for (const fs::path& one : files_in("results")) fs::remove(one);
    damage(files_in("shards")[0]);
    EXPECT_NE(run("clash run " + plan_).err.find("is damaged or of another plan"), std::string::npos);
    damage(files_in("index")[0]);
    damage(folder_ / "plan/plan");
    expect_complaint("clash run " + plan_, (folder_ / "plan/plan").string() + ": fails its checksum");
    ASSERT_EQ(run("clash plan -q --shards 3 -o " + plan_ + " " + parts_).code, 0);
    EXPECT_EQ(run("clash run --json " + plan_).out, expected);

    expect_complaint("clash shard " + plan_ + " 3", (folder_ / "plan").string() + ": there is no shard 3");
    expect_complaint("clash plan -o " + quoted("parts") + " " + parts_,
                     (folder_ / "parts").string() + ": the folder has");
    expect_complaint("clash run " + quoted("none"), (folder_ / "none/plan").string() + ": No such file");
}

TEST_F(CliShards, ChangedInputsAreNoticedAndOnlyTheirShardsRunAgain) {
    // Two rows of boxes that overlap their neighbours, far from each other.
    for (int i = 0; i < 24; ++i)
        place("box-" + std::to_string(10 + i) + ".stl", scenes::box({1, 1, 1}), {1.5 * i, 0, i < 12 ? 0.0 : 100.0});
    const std::string plan = "clash plan --json --shards 6 -o " + plan_ + " " + parts_;
    ASSERT_EQ(run(plan).code, 0);
    ASSERT_EQ(run("clash run -q " + plan_).code, 1);
    EXPECT_EQ(Json::parse(run(plan).out)["done"], 6);  // nothing has changed

    place("box-10.stl", scenes::box({1, 1, 2}));
    const std::string changed = (folder_ / "parts/box-10.stl").string() + ": has changed since the plan";
    for (const char* command : {"clash merge ", "clash run "}) expect_complaint(command + plan_, changed);
    EXPECT_EQ(run("clash merge --as-planned " + plan_).code, 1);
    const int done = Json::parse(run(plan).out)["done"];
    EXPECT_GE(done, 4);
    EXPECT_LT(done, 6);
    EXPECT_EQ(run("clash run --json " + plan_).out, run("clash --json " + parts_).out);

    // A file more at the front moves the numbers of all parts, and no shard but its own.
    place("a.stl", scenes::box({1, 1, 1}), {0, 1.5, 0});
    expect_complaint("clash run " + plan_, (folder_ / "parts/").string());
    EXPECT_GE(Json::parse(run(plan).out)["done"], 4);
    EXPECT_EQ(run("clash run --json " + plan_).out, run("clash --json " + parts_).out);
    fs::remove(folder_ / "parts/a.stl");
    EXPECT_EQ(run("clash merge " + plan_).code, 2);
    EXPECT_GE(Json::parse(run(plan).out)["done"], 4);
    EXPECT_EQ(run("clash run --json " + plan_).out, run("clash --json " + parts_).out);
    // Other options are another question.
    for (const char* other : {" --clearance 0.1", " --tolerance 0.1", " --error 0.1"})
        EXPECT_EQ(Json::parse(run(plan + other).out)["done"], 0) << other;
}

}  // namespace
}  // namespace graze
