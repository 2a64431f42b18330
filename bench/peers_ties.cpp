// SPDX-License-Identifier: Apache-2.0
// Questions that rounding gets wrong: touching, coplanar, thin and degenerate triangles, very small and very large
// ones. Every library answers in a process of its own, as some end or never return on such input.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "bench/peers.hpp"
#include "scenes/placements.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#include "tests/triangle_families.hpp"

namespace graze::bench {
namespace {

using scenes::Soup;

/// Whether two models have a point in common.
struct Question {
    Soup a, b;
    Pose pose;
    bool truth = false;
};
using Questions = std::vector<Question>;

Soup soup_of(const Triangle& t) { return {{t.a, t.b, t.c}, {0, 1, 2}}; }

Questions triangle_pairs(const test::Family& family, std::size_t count) {
    test::Random random(1);
    Questions out;
    for (std::size_t i = 0; i < count; ++i) {
        const test::TriangleTwo p = family.make(random);
        out.push_back({soup_of(p.s), soup_of(p.t), Pose(), meet(p.s, p.t)});
    }
    return out;
}

/// Unit cubes whose faces, edges or corners touch, and cubes that miss that by 2^-30 or 2^-45.
Questions cubes(std::size_t count) {
    const Soup cube = scenes::box({0.5, 0.5, 0.5});
    scenes::Random random(2);
    Questions out;
    for (std::uint32_t i = 0; i < count; ++i) {
        Vec3 at;
        for (int k = 0; k < 3; ++k) at[k] = 0.5 * static_cast<double>(random.below(5)) - 1;
        const int along = static_cast<int>(random.below(3));
        at[along] = (random.below(2) ? 1 : -1) * (1 + (i % 2 ? 0 : i % 4 ? 0x1p-30 : 0x1p-45));
        const Pose pose = scenes::placed(scenes::axis_rotation(random.below(24)), at);
        out.push_back({cube, cube, pose, scenes::Reference(cube, cube).first(pose)});
    }
    return out;
}

/// Both sides of the last bit between "clear" and "hit".
Questions spheres(std::size_t count) {
    const Soup sphere = scenes::sphere(1280);
    const Model model = built(sphere);
    Questions out;
    for (const scenes::Touch& t : scenes::touching_placements(model, model, count / 2, 3))
        for (const Pose& pose : {t.clear, t.hit})
            out.push_back({sphere, sphere, pose, scenes::Reference(sphere, sphere).first(pose)});
    return out;
}

enum Answer : std::uint8_t { No, Yes, Open, Failed };

/// Memory that a child process writes to.
class Answers {
public:
    explicit Answers(std::size_t count) : count_(count) {
        void* memory = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::exit((std::perror("mmap"), 1));
        data_ = static_cast<volatile std::uint8_t*>(memory);
        for (std::size_t i = 0; i < count; ++i) data_[i] = Open;
    }
    Answers(const Answers&) = delete;
    ~Answers() { munmap(const_cast<std::uint8_t*>(data_), count_); }

    volatile std::uint8_t& operator[](std::size_t i) { return data_[i]; }
    std::size_t first_open() const {
        std::size_t i = 0;
        while (i < count_ && data_[i] != Open) ++i;
        return i;
    }

private:
    std::size_t count_;
    volatile std::uint8_t* data_;
};

/// The child's part. It leaves without destructors, as its parent's objects are not its own.
[[noreturn]] void answer(const PeerKind& kind, const Questions& questions, std::size_t from, Answers& answers) {
    std::freopen("/dev/null", "w", stdout);
    std::freopen("/dev/null", "w", stderr);
    for (std::size_t i = from; i < questions.size(); ++i) {
        const Question& q = questions[i];
        answers[i] = kind.make(q.a, q.b)->first(q.pose) ? Yes : No;
    }
    _exit(0);
}

/// Waits for the child. It is ended when it has answered nothing for two seconds.
void wait_for(pid_t child, Answers& answers) {
    std::size_t open = answers.first_open();
    for (int idle = 0; waitpid(child, nullptr, WNOHANG) == 0; ++idle) {
        usleep(1000);
        if (const std::size_t now = answers.first_open(); now != open) open = now, idle = 0;
        if (idle < 2000) continue;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        return;
    }
}

struct Tally {
    std::size_t missed = 0, invented = 0, failed = 0;
};

Tally ask(const PeerKind& kind, const Questions& questions) {
    Answers answers(questions.size());
    constexpr int most_failures = 5;
    for (int failures = 0; failures < most_failures; ++failures) {
        const pid_t child = fork();
        if (child < 0) std::exit((std::perror("fork"), 1));
        if (child == 0) answer(kind, questions, answers.first_open(), answers);
        wait_for(child, answers);
        const std::size_t open = answers.first_open();
        if (open == questions.size()) break;
        answers[open] = Failed;
    }
    Tally out;
    for (std::size_t i = 0; i < questions.size(); ++i) {
        out.failed += answers[i] >= Open;
        out.missed += answers[i] == No && questions[i].truth;
        out.invented += answers[i] == Yes && !questions[i].truth;
    }
    return out;
}

}  // namespace

void peers_ties(Study& study) {
    const std::size_t count = study.quick() ? 100 : 1000;
    const std::vector<PeerKind> kinds = pair_peers();
    const auto run = [&](std::string row, const Questions& questions) {
        std::ranges::replace(row, '_', ' ');
        study.progress.step("peers-ties, " + row);
        std::size_t hits = 0;
        for (const Question& q : questions) hits += q.truth;
        study.table.count("peers-ties-asked", row, "questions", static_cast<double>(questions.size()));
        study.table.count("peers-ties-asked", row, "hits", static_cast<double>(hits));
        for (const PeerKind& kind : kinds) {
            const Tally t = ask(kind, questions);
            const auto add = [&](const char* what, std::size_t n) {
                study.table.count(std::string("peers-ties") + what, row, kind.name, static_cast<double>(n));
            };
            add("", t.missed + t.invented + t.failed);
            add("-missed", t.missed);
            add("-invented", t.invented);
            add("-failed", t.failed);
            if (kind.name == "graze") study.wrong += t.missed + t.invented + t.failed;
        }
    };
    // Coordinates beyond single precision's exponents are left out: they say nothing of the libraries' tests.
    const std::string_view left_out[] = {"subnormal", "underflow", "huge", "magnitudes"};
    for (const test::Family& family : test::families)
        if (std::ranges::find(left_out, family.name) == std::end(left_out))
            run(family.name, triangle_pairs(family, count));
    run("cubes that touch", cubes(count));
    run("spheres that touch", spheres(count / 5));
}

}  // namespace graze::bench
