// SPDX-License-Identifier: Apache-2.0
#include "step_file.hpp"

#include <algorithm>
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

std::string number(double x) {
    std::array<char, 32> text;
    return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.17g", x))};
}

/// Runs the reader. `again` are further arguments.
Result<Assembly> run(const std::string& path, double deflection, std::span<const std::string> again) {
    const bool iges = is_iges_name(path);
    const std::filesystem::path program = beside_program("libexec/graze/read_step");
    if (program.empty())
        return Fault{
            FaultKind::File,
            path + ": this build reads no " + (iges ? "IGES" : "STEP") +
                ": it was made without OpenCASCADE (libocct-data-exchange-dev), or the package graze-step is missing"};
    // OpenCASCADE looks for files that an assembly names beside an absolute path.
    std::error_code error;
    const std::filesystem::path full = std::filesystem::absolute(path, error);
    std::vector<std::string> command{program.string(), error ? path : full.string(), iges ? "iges" : "step",
                                     number(deflection)};
    command.insert(command.end(), again.begin(), again.end());
    constexpr ChildLimits limits{.bytes = limited_bytes, .seconds = 60};
    return in_program(path, "OpenCASCADE", command, ": " + program.string() + " cannot be started", limits);
}

bool is_deflection(double x) { return x >= 0 && std::isfinite(x); }

}  // namespace

bool is_step_name(const std::string& path) {
    const std::string kind = extension(path);
    return kind == ".step" || kind == ".stp" || is_iges_name(path);
}

Result<Assembly> read_step(const std::string& path, const ReadOptions& options) {
    if (!is_deflection(options.deflection))
        return Fault{FaultKind::OutOfRange, path + ": the deflection must be a length of at least 0"};
    Result<Assembly> out = run(path, options.deflection, {});
    if (!out) return out;
    return scale_and_turn(std::move(*out), path, options);
}

Result<std::vector<Mesh>> remesh(const std::string& path, const ReadOptions& options, std::span<const Remesh> wanted) {
    // The system limits the length of a command.
    constexpr std::size_t at_a_time = 10'000;
    std::vector<Mesh> out;
    while (!wanted.empty()) {
        const std::span<const Remesh> some = wanted.first(std::min(wanted.size(), at_a_time));
        std::vector<std::string> words;
        for (const Remesh& one : some) {
            if (!(is_deflection(one.deflection) && one.deflection > 0))
                return Fault{FaultKind::OutOfRange, path + ": the deflection must be a length above 0"};
            words.insert(words.end(), {std::to_string(one.mesh), number(one.deflection / options.scale)});
        }
        Result<Assembly> read = run(path, options.deflection, words);
        if (!read) return read.fault();
        if (read->meshes.size() != some.size())
            return Fault{FaultKind::Damaged, path + ": OpenCASCADE failed while reading it"};
        for (Mesh& mesh : read->meshes) {
            scale(mesh, options.scale);
            out.push_back(std::move(mesh));
        }
        wanted = wanted.subspan(some.size());
    }
    return out;
}

}  // namespace graze::files
