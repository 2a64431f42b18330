// SPDX-License-Identifier: Apache-2.0
// Readers in a process of their own: what they read comes back bit for bit, and how they end is told in a line.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <thread>

#include "files/assembly_wire.hpp"
#include "files/child.hpp"
#include "temporary_folder.hpp"

namespace graze::files {
namespace {

Assembly some(std::size_t triangles) {
    Assembly a;
    a.meshes.resize(2);
    a.meshes[0].name = "many";
    for (std::size_t i = 0; i < triangles; ++i)
        for (int k = 0; k < 3; ++k) {
            a.meshes[0].corners.push_back(static_cast<std::uint32_t>(a.meshes[0].points.size()));
            a.meshes[0].points.push_back({0.1 * static_cast<double>(i), k / 3.0, -1e-300});
        }
    a.meshes[1].points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    a.meshes[1].corners = {0, 1, 2, 0, 1, 2, 3};
    a.meshes[1].offsets = {0, 3, 7};
    a.meshes[1].colour = Colour{1, 0.5, 0.25, 1};
    a.meshes[0].error = 2.5e-7;
    a.meshes[1].curved = true;
    a.parts = {{"left", "all/left", 0, Affine()},
               {std::string("odd\0\n", 5), "", 1, *Affine::from_rows({0, -2, 0, 5, 2, 0, 0, 0.1, 0, 0, 2, 7})}};
    a.parts[1].extra_error = 1e-9;
    a.notes = {"one", ""};
    return a;
}

void expect_same(const Assembly& a, const Assembly& b) {
    ASSERT_EQ(a.meshes.size(), b.meshes.size());
    for (std::size_t i = 0; i < a.meshes.size(); ++i) {
        EXPECT_EQ(a.meshes[i].points, b.meshes[i].points);
        EXPECT_EQ(a.meshes[i].corners, b.meshes[i].corners);
        EXPECT_EQ(a.meshes[i].offsets, b.meshes[i].offsets);
        EXPECT_EQ(a.meshes[i].name, b.meshes[i].name);
        EXPECT_EQ(a.meshes[i].colour, b.meshes[i].colour);
        EXPECT_EQ(a.meshes[i].error, b.meshes[i].error);
        EXPECT_EQ(a.meshes[i].curved, b.meshes[i].curved);
    }
    ASSERT_EQ(a.parts.size(), b.parts.size());
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
        EXPECT_EQ(a.parts[i].name, b.parts[i].name);
        EXPECT_EQ(a.parts[i].path, b.parts[i].path);
        EXPECT_EQ(a.parts[i].mesh, b.parts[i].mesh);
        EXPECT_EQ(a.parts[i].extra_error, b.parts[i].extra_error);
        EXPECT_EQ(a.parts[i].world_from_mesh, b.parts[i].world_from_mesh);
        EXPECT_EQ(a.parts[i].world_from_mesh.rigid(), b.parts[i].world_from_mesh.rigid());
    }
    EXPECT_EQ(a.unread, b.unread);
    EXPECT_EQ(a.notes, b.notes);
    EXPECT_EQ(a.conventions, b.conventions);
}

std::string sent(const Result<Assembly>& read) {
    std::string out;
    EXPECT_TRUE(send(read, [&](const void* bytes, std::size_t count) {
        out.append(static_cast<const char*>(bytes), count);
        return true;
    }));
    return out;
}

std::optional<Result<Assembly>> received(std::string_view bytes) {
    return receive([&](void* to, std::size_t count) {
        if (count > bytes.size()) return false;
        if (count > 0) std::memcpy(to, bytes.data(), count);
        bytes.remove_prefix(count);
        return true;
    });
}

TEST(Wire, WhatIsSentArrives) {
    Assembly a = some(100'000);
    a.unread.push_back({"house/bath", "id", "web-ifc makes no triangles of it"});
    for (const bool on_map : {false, true}) {
        if (on_map) a.conventions.map = MapConversion{"EPSG:25832", {1, 2, 3}, 0.6, 0.8, 0.9996};
        const auto back = received(sent(a));
        ASSERT_TRUE(back && back->ok());
        expect_same(**back, a);
    }
    const auto fault = received(sent(Fault{FaultKind::BadIndex, "m.glb: no"}));
    ASSERT_TRUE(fault && !fault->ok());
    EXPECT_EQ(fault->fault().kind, FaultKind::BadIndex);
    EXPECT_EQ(fault->fault().message, "m.glb: no");
}

TEST(Wire, WhatCannotBeIsRefused) {
    const std::string good = sent(some(2));
    for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(received(std::string_view(good).substr(0, n))) << n;
    const auto refused = [](const auto& change) {
        Assembly a = some(2);
        change(a);
        EXPECT_FALSE(received(sent(a)));
    };
    refused([](Assembly& a) { a.meshes[0].points[3].y = std::numeric_limits<double>::quiet_NaN(); });
    refused([](Assembly& a) { a.meshes[0].points[3].y = 1e305; });
    refused([](Assembly& a) { a.conventions.map = MapConversion{"X", {1, 2, 3}, 1, 1}; });
    refused([](Assembly& a) { a.conventions.map = MapConversion{"X", {1, 1e305, 3}}; });
    refused([](Assembly& a) { a.conventions.map = MapConversion{"X", {1, 2, 3}, 1, 0, 0}; });
    refused([](Assembly& a) { a.meshes[0].corners[5] = 6; });
    refused([](Assembly& a) { a.meshes[0].corners.pop_back(); });
    refused([](Assembly& a) { a.meshes[1].offsets = {0, 2, 7}; });
    refused([](Assembly& a) { a.meshes[1].offsets = {0, 7, 3}; });
    refused([](Assembly& a) { a.meshes[1].offsets = {3, 7}; });
    refused([](Assembly& a) { a.parts[1].mesh = 2; });
    refused([](Assembly& a) { a.meshes[0].error = -1; });
    refused([](Assembly& a) { a.parts[0].extra_error = std::numeric_limits<double>::infinity(); });
    // Any byte changed: refused, or an assembly that models can be built of.
    for (std::size_t i = 0; i < good.size(); ++i)
        for (const int bit : {0, 3, 7}) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ 1 << bit);
            const auto back = received(bad);
            if (!back || !back->ok()) continue;
            for (const Mesh& mesh : (*back)->meshes) EXPECT_TRUE(Model::build(mesh.view(), {.threads = 1})) << i;
            for (const Part& part : (*back)->parts) EXPECT_LT(part.mesh, (*back)->meshes.size()) << i;
        }
}

/// The fault's message of a reader that does not come back.
template <class F>
std::string ending(const F& reader, const ChildLimits& limits = {}) {
    const auto read = in_child(
        "m.glb", "assimp",
        [&]() -> Result<Assembly> {
            reader();
            return Assembly();
        },
        limits);
    return read ? "" : read.fault().message;
}

TEST(Child, ComesBackWithWhatItRead) {
    const Assembly a = some(100'000);
    const auto back = in_child("m.glb", "assimp", [&]() -> Result<Assembly> { return a; });
    ASSERT_TRUE(back) << back.fault().message;
    expect_same(*back, a);
    const auto fault =
        in_child("m.glb", "assimp", []() -> Result<Assembly> { return Fault{FaultKind::Damaged, "m.glb: bad"}; });
    ASSERT_FALSE(fault);
    EXPECT_EQ(fault.fault().message, "m.glb: bad");
}

TEST(Child, ItsEndIsAFault) {
    EXPECT_EQ(ending([] { std::raise(SIGSEGV); }), "m.glb: assimp ended with a segmentation fault while reading it");
    EXPECT_EQ(ending([] { std::abort(); }), "m.glb: assimp aborted while reading it");
    EXPECT_EQ(ending([] { std::raise(SIGFPE); }), "m.glb: assimp divided by zero while reading it");
    EXPECT_EQ(ending([] { _exit(7); }), "m.glb: assimp ended with exit code 7 while reading it");
    EXPECT_EQ(ending([] { _exit(0); }), "m.glb: assimp failed while reading it");
    EXPECT_EQ(ending([] { std::raise(SIGKILL); }), "m.glb: assimp was ended by signal 9 while reading it");
}

TEST(Child, IsHeldToItsTime) {
    volatile std::uint64_t spins = 0;
    EXPECT_EQ(ending(
                  [&] {
                      for (;;) spins = spins + 1;
                  },
                  {.seconds = 1}),
              "m.glb: assimp did not come to an end while reading it");
    EXPECT_EQ(spins, 0u);
    // With files to read it has longer.
    rlimit now{};
    const auto seconds = [&](std::size_t bytes) {
        const auto read = in_child("m.glb", "assimp", [&]() -> Result<Assembly> {
            allow_for(bytes);
            getrlimit(RLIMIT_CPU, &now);
            return Fault{FaultKind::Damaged, std::to_string(now.rlim_cur)};
        });
        return std::stoul(read.fault().message);
    };
    EXPECT_EQ(seconds(0), 10u);
    EXPECT_EQ(seconds(5'000'000), 510u);
    allow_for(1 << 30);  // says nothing to a process that is no child
    getrlimit(RLIMIT_CPU, &now);
    EXPECT_EQ(now.rlim_cur, RLIM_INFINITY);
}

TEST(Child, IsHeldToItsMemory) {
    const auto read = in_child("m.glb", "assimp",
                               []() -> Result<Assembly> {
                                   rlimit now{};
                                   getrlimit(RLIMIT_AS, &now);
                                   if (now.rlim_cur == RLIM_INFINITY) return Fault{FaultKind::File, "unlimited"};
                                   try {
                                       const std::vector<char> all(std::size_t{1} << 30, 'x');
                                       // Seen from elsewhere, so that no compiler leaves it out.
                                       static const char* volatile seen = all.data();
                                       return Fault{FaultKind::File, std::string("taken, ") + seen[1]};
                                   } catch (const std::bad_alloc&) {
                                       return Fault{FaultKind::File, "refused"};
                                   }
                               },
                               {.bytes = 100 << 20});
    ASSERT_FALSE(read);
    if (read.fault().message == "unlimited") GTEST_SKIP() << "no limits under sanitizers";
    EXPECT_EQ(read.fault().message, "refused");
}

TEST(Child, IsQuietAndLeavesNoTrace) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::printf("once");
    EXPECT_NE(ending([] {
                  std::cout << "out" << std::flush;
                  std::cerr << "err";
                  std::printf("more");
                  std::abort();
              }),
              "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "once");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(Child, HandlersOfTheProgramAreNotRunInIt) {
    static std::atomic<int> ran = 0;
    const auto before = std::signal(SIGSEGV, [](int) {
        ran = 1;
        _exit(9);
    });
    EXPECT_EQ(ending([] { std::raise(SIGSEGV); }), "m.glb: assimp ended with a segmentation fault while reading it");
    std::signal(SIGSEGV, before);
    // A program that lets the system reap its children learns no more than that it failed.
    const auto reaped = std::signal(SIGCHLD, SIG_IGN);
    EXPECT_EQ(ending([] { std::raise(SIGSEGV); }), "m.glb: assimp failed while reading it");
    const auto good = in_child("m.glb", "assimp", []() -> Result<Assembly> { return some(10); });
    EXPECT_TRUE(good);
    std::signal(SIGCHLD, reaped);
}

TEST(Child, ManyThreadsHaveChildren) {
    // Others allocate, throw and print meanwhile.
    std::atomic<bool> stop = false;
    std::vector<std::thread> busy, readers;
    for (int i = 0; i < 2; ++i)
        busy.emplace_back([&] {
            while (!stop) {
                try {
                    const std::vector<std::string> all(100, std::string(100, 'x'));
                    throw std::runtime_error(all[7]);
                } catch (const std::exception&) {
                }
            }
        });
    std::atomic<int> good = 0, bad = 0;
    constexpr int each = 25;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&, i] {
            for (int k = 0; k < each; ++k) {
                const bool crash = (k + i) % 5 == 0;
                const auto read = in_child("m.glb", "assimp", [&]() -> Result<Assembly> {
                    if (crash) std::raise(SIGSEGV);
                    try {
                        throw std::runtime_error("in the child");
                    } catch (const std::exception&) {
                    }
                    return some(static_cast<std::size_t>(1000 + k));
                });
                if (read.ok() == crash || (read && read->meshes[0].polygon_count() != 1000u + static_cast<unsigned>(k)))
                    ++bad;
                else
                    ++good;
            }
        });
    for (std::thread& t : readers) t.join();
    stop = true;
    for (std::thread& t : busy) t.join();
    EXPECT_EQ(good, 4 * each);
    EXPECT_EQ(bad, 0);
}

/// The message about a shell that runs these words instead of reading this file.
std::string program_ending(const std::string& words, const ChildLimits& limits = {}) {
    const auto read = in_program("/dev/null", "sh", {"/bin/sh", "-c", words}, ": no shell", limits);
    return read ? "" : read.fault().message;
}

TEST(Program, ComesBackWithWhatItSends) {
    const test::TemporaryFolder folder;
    const Assembly a = some(10'000);
    const std::string file = folder.write("sent", sent(a));
    const auto back = in_program(file, "sh", {"/bin/sh", "-c", "cat >&3; echo out; echo err >&2"}, "", {});
    ASSERT_TRUE(back) << back.fault().message;
    expect_same(*back, a);
    std::ofstream(file, std::ios::binary) << sent(Fault{FaultKind::Damaged, ":7: bad"});
    const auto fault = in_program(file, "sh", {"/bin/sh", "-c", "cat >&3"}, "", {});
    ASSERT_FALSE(fault);
    EXPECT_EQ(fault.fault().message, file + ":7: bad");
    std::remove(file.c_str());
    const auto missing = in_program("/dev/null", "it", {"/nowhere/it"}, ": it is not there", {});
    EXPECT_EQ(missing.fault().message, "/dev/null: it is not there");
    const auto no_file = in_program(file, "sh", {"/bin/sh", "-c", "exit 0"}, "", {});
    EXPECT_EQ(no_file.fault().message, file + ": the file cannot be opened");
}

TEST(Program, ItsEndIsAFault) {
    EXPECT_EQ(program_ending("exit 7"), "/dev/null: sh ended with exit code 7 while reading it");
    EXPECT_EQ(program_ending("kill -SEGV $$"), "/dev/null: sh ended with a segmentation fault while reading it");
    EXPECT_EQ(program_ending("kill -TRAP $$"), "/dev/null: sh aborted while reading it");
    EXPECT_EQ(program_ending("exit 0"), "/dev/null: sh failed while reading it");
    EXPECT_NE(program_ending("echo nonsense >&3; exec sleep 1000"), "");
    EXPECT_EQ(program_ending("while :; do :; done", {.seconds = 1}),
              "/dev/null: sh did not come to an end while reading it");
    // tail keeps a whole line in memory.
    EXPECT_EQ(program_ending("head -c 400000000 /dev/zero | tail", {.bytes = 100 << 20}),
              "/dev/null: sh ended with exit code 1 while reading it");
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace graze::files
