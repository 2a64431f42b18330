// SPDX-License-Identifier: Apache-2.0
#include "beside_program.hpp"

#include <dlfcn.h>

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

/// The folder of the Python extension that this is part of. Empty in a program.
fs::path extension_folder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&beside_program), &info) == 0 || info.dli_fname == nullptr) return {};
    const fs::path file = info.dli_fname;  // of a program, what it was started as
    return file.is_absolute() && file.extension() == ".so" ? file.parent_path() : fs::path();
}

}  // namespace

fs::path beside_program(const fs::path& relative) {
    std::vector<fs::path> folders;
    if (const char* given = std::getenv("GRAZE_PREFIX")) {
        folders.emplace_back(given);
    } else {
        if (const fs::path extension = extension_folder(); !extension.empty()) folders.push_back(extension);
        if (const fs::path program = program_folder(); !program.empty())
            folders.insert(folders.end(), {program, program.parent_path()});
    }
    for (const fs::path& folder : folders) {
        std::error_code unreadable;
        if (fs::is_regular_file(folder / relative, unreadable)) return folder / relative;
    }
    return {};
}

}  // namespace graze::files
