// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "graze must be compiled without -ffast-math and -ffinite-math-only: its bounds assume IEEE arithmetic"
#endif

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace graze::detail {

/// Sets the default floating-point environment while it lives: rounding to nearest, with subnormal numbers. Restores
/// the caller's control word at the end. Every derivation in docs/exactness.md assumes this environment, but programs
/// that are linked with -ffast-math, or that process audio, often flush subnormal numbers to zero.
///
/// Reads the control word and writes it only if it differs. Does nothing on machines other than x86-64 and 64-bit ARM.
class DefaultFloats {
public:
    DefaultFloats() : saved_(read()) {
        if ((saved_ & mask) != 0) write(saved_ & ~mask);
    }
    ~DefaultFloats() {
        if ((saved_ & mask) != 0) write(saved_);
    }
    DefaultFloats(const DefaultFloats&) = delete;
    DefaultFloats& operator=(const DefaultFloats&) = delete;

private:
#if defined(__SSE2__) || defined(_M_X64)
    using Word = std::uint32_t;
    static constexpr Word mask = 0xe040;  // flush to zero, the two bits of rounding, denormals are zero
    static Word read() { return _mm_getcsr(); }
    static void write(Word w) { _mm_setcsr(w); }
#elif defined(__aarch64__)
    using Word = std::uint64_t;
    static constexpr Word mask = 0x1c00003;  // FZ, the two bits of rounding, FIZ and AH
    static Word read() {
        Word w;
        asm volatile("mrs %0, fpcr" : "=r"(w));
        return w;
    }
    static void write(Word w) { asm volatile("msr fpcr, %0" : : "r"(w)); }
#else
    using Word = std::uint32_t;
    static constexpr Word mask = 0;
    static Word read() { return 0; }
    static void write(Word) {}
#endif

    Word saved_;
};

}  // namespace graze::detail
