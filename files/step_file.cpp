// SPDX-License-Identifier: Apache-2.0
#include "step_file.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "beside_program.hpp"
#include "child.hpp"
#include "scale_and_turn.hpp"

namespace graze::files {

namespace {

#ifdef GRAZE_SANITIZED
constexpr std::size_t limited_bytes = 0;  // sanitizers map terabytes
#else
constexpr std::size_t limited_bytes = std::size_t{1} << 30;
#endif

bool is_iges_name(const std::string& path) {
    const std::string kind = extension(path);
    return kind == ".iges" || kind == ".igs";
}

}  // namespace

bool is_step_name(const std::string& path) {
    const std::string kind = extension(path);
    return kind == ".step" || kind == ".stp" || is_iges_name(path);
}

Result<Assembly> read_step(const std::string& path, const ReadOptions& options) {
    const bool iges = is_iges_name(path);
    if (!(options.deflection >= 0 && std::isfinite(options.deflection)))
        return Fault{FaultKind::OutOfRange, path + ": the deflection must be a length of at least 0"};
    const std::filesystem::path program = beside_program("libexec/graze/read_step");
    if (program.empty())
        return Fault{
            FaultKind::File,
            path + ": this build reads no " + (iges ? "IGES" : "STEP") +
                ": it was made without OpenCASCADE (libocct-data-exchange-dev), or the package graze-step is missing"};
    std::array<char, 32> deflection;
    std::snprintf(deflection.data(), deflection.size(), "%.17g", options.deflection);
    constexpr ChildLimits limits{.bytes = limited_bytes, .seconds = 60};
    Result<Assembly> out =
        in_program(path, "OpenCASCADE", {program.string(), path, iges ? "iges" : "step", deflection.data()},
                   ": " + program.string() + " cannot be started", limits);
    if (!out) return out;
    return scale_and_turn(std::move(*out), path, options);
}

}  // namespace graze::files
