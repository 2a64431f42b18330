// SPDX-License-Identifier: Apache-2.0
// Debian's assimp-testmodels: each file loads or is refused in one line. GRAZE_LONG=1 runs it (75 MB, a minute).
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "files/assembly.hpp"

namespace graze::files {
namespace {

namespace fs = std::filesystem;

enum Verdict : int { Loaded = 0, Refused = 1, Wrong = 2, Crashed = 3 };

/// In a process of its own, with bounded memory and time.
Verdict verdict(const std::string& path, std::string& what) {
    int ends[2];
    if (pipe(ends) != 0) return Wrong;
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0) {
        const rlimit memory{rlim_t{4} << 30, RLIM_INFINITY};  // readers that are programs may raise it
        setrlimit(RLIMIT_AS, &memory);
        alarm(60);
        const Result<Assembly> read = read_assembly(path);
        std::string said;
        int code = Loaded;
        if (!read) {
            said = read.fault().message;
            code = said.starts_with(path) && said.find('\n') == std::string::npos ? Refused : Wrong;
        } else {
            for (const Part& part : read->parts)
                if (const auto model = Model::build(read->meshes[part.mesh].view(), {.threads = 1}); !model) {
                    said = part.path + ": " + model.fault().message;
                    code = Wrong;
                }
        }
        if (write(ends[1], said.data(), std::min<std::size_t>(said.size(), 4000)) < 0) _exit(Wrong);
        _exit(code);
    }
    close(ends[1]);
    char text[4096];
    for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;) what.append(text, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) what = "signal " + std::to_string(WTERMSIG(status));
    return WIFEXITED(status) ? static_cast<Verdict>(WEXITSTATUS(status)) : Crashed;
}

TEST(Models, AllLoadOrAreRefusedInALine) {
    const fs::path folder = "/usr/share/assimp/models";
    if (!std::getenv("GRAZE_LONG")) GTEST_SKIP() << "GRAZE_LONG=1 runs it";
    if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there: Debian's assimp-testmodels";
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    // Extensions of files that come along with models.
    const std::set<std::string> others = {"",          ".bin", ".png", ".jpg", ".mtl",  ".txt",     ".glsl",
                                          ".tga",      ".bmp", ".gz",  ".md",  ".vert", ".frag",    ".uc",
                                          ".material", ".max", ".vmd", ".gif", ".lxo",  ".skeleton"};
    std::set<fs::path> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && !others.contains(extension(entry.path().string()))) all.insert(entry.path());
    int counts[4] = {};
    for (const fs::path& path : all) {
        std::string what;
        const Verdict v = verdict(path.string(), what);
        ++counts[v];
        if (v != Loaded)
            std::cout << (v == Refused ? "refused " : "FAILED ") << (v == Crashed ? path.string() + ": " : "") << what
                      << "\n";
        EXPECT_LT(v, Wrong) << path << ": " << what;
    }
    std::cout << all.size() << " files: " << counts[Loaded] << " loaded, " << counts[Refused] << " refused, "
              << counts[Wrong] << " wrong, " << counts[Crashed] << " crashed\n";
}

}  // namespace
}  // namespace graze::files
