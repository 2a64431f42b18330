// SPDX-License-Identifier: Apache-2.0
// The main program of all tests. It says which instruction set they ran on, and which of them are slow.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <string>

#include "graze/simd.hpp"

/// Assimp forgets memory when it throws, and OpenCASCADE keeps some until the end. The leak checker looks at the rest.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libassimp\nleak:libTK\n"; }

namespace {

/// Prints the tests that used the processor for long. Those that need to belong in script/long, or say why they stay.
class SlowTests : public testing::EmptyTestEventListener {
    static constexpr double limit = 10;  // seconds

    void OnTestStart(const testing::TestInfo&) override { start_ = std::clock(); }
    void OnTestEnd(const testing::TestInfo& test) override {
        const double seconds = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
        if (seconds > limit) std::printf("slow: %s.%s took %.0f s\n", test.test_suite_name(), test.name(), seconds);
    }

    std::clock_t start_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest::GetInstance()->listeners().Append(new SlowTests);
    std::printf("instruction set: %s\n", graze::simd_target());
    return RUN_ALL_TESTS();
}
