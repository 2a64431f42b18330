// SPDX-License-Identifier: Apache-2.0
#include "base/simd_targets.hpp"

#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "graze/simd.hpp"

namespace graze {
namespace detail {
namespace {

struct Target {
    const char* name;
    std::int64_t bits;  ///< as Highway numbers them
};

constexpr std::int64_t emulated = HWY_EMU128 | HWY_SCALAR;
constexpr Target all[] = {
    {"scalar", emulated},
#if HWY_ARCH_X86
    {"sse4", HWY_SSE4},
    {"avx2", HWY_AVX2},
    {"avx512", HWY_AVX3},
#elif HWY_ARCH_ARM
    {"neon", HWY_NEON},
#elif HWY_ARCH_WASM
    {"wasm", HWY_WASM},
#endif
};

bool available(const Target& target) { return (target.bits & HWY_TARGETS & (hwy::SupportedTargets() | emulated)) != 0; }

}  // namespace

std::vector<std::string> simd_targets() {
    std::vector<std::string> names;
    for (const Target& target : all)
        if (available(target)) names.emplace_back(target.name);
    return names;
}

bool choose_simd_target(const std::string& name) {
    for (const Target& target : all)
        if (name == target.name && available(target)) {
            hwy::GetChosenTarget().Update(target.bits);
            return true;
        }
    return false;
}

bool choose_simd_target_from_environment() {
    const char* name = std::getenv("GRAZE_TARGET");
    if (!name || !*name || choose_simd_target(name)) return true;
    std::string names;
    for (const std::string& target : simd_targets()) names += ' ' + target;
    std::fprintf(stderr, "graze: GRAZE_TARGET=%s: not available on this machine, which has:%s\n", name, names.c_str());
    std::_Exit(2);
}

}  // namespace detail

const char* simd_target() {
    hwy::ChosenTarget& chosen = hwy::GetChosenTarget();
    if (!chosen.IsInitialized()) chosen.Update(hwy::SupportedTargets());
    // Targets are tried in the order of their bits, best first, as the index counts them.
    const std::size_t index = chosen.GetIndex();
    for (const detail::Target& target : detail::all) {
        hwy::ChosenTarget one;
        one.Update(target.bits);
        if (one.GetIndex() == index) return target.name;
    }
    return "unknown";
}

}  // namespace graze
