// SPDX-License-Identifier: Apache-2.0
#include "beside_program.hpp"

#include <cstdlib>
#include <vector>
#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <array>
#include <cstdint>
#endif

namespace graze::files {

namespace {

namespace fs = std::filesystem;

/// The folder of the running program; empty when the system does not say.
fs::path program_folder() {
    std::error_code unknown;
#ifdef __APPLE__
    std::array<char, 4096> name{};
    std::uint32_t size = name.size();
    if (_NSGetExecutablePath(name.data(), &size) != 0) return {};
    return fs::canonical(name.data(), unknown).parent_path();
#else
    return fs::read_symlink("/proc/self/exe", unknown).parent_path();
#endif
}

}  // namespace

fs::path beside_program(const fs::path& relative) {
    std::vector<fs::path> folders;
    if (const char* given = std::getenv("GRAZE_PREFIX"))
        folders.emplace_back(given);
    else if (const fs::path program = program_folder(); !program.empty())
        folders = {program, program.parent_path()};
    for (const fs::path& folder : folders) {
        std::error_code unreadable;
        if (fs::is_regular_file(folder / relative, unreadable)) return folder / relative;
    }
    return {};
}

}  // namespace graze::files
