// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace graze::apps {

/// What the command answers to the shell.
enum ExitCode : int { Clear = 0, Collision = 1, Bad = 2 };

struct CollideArguments {
    std::string a, b;                  ///< mesh files
    std::optional<std::string> pose;   ///< of B in A's frame, as text; without one: the identity
    std::optional<std::string> poses;  ///< a file of them instead
    bool first = false;                ///< stop at a pose's first contact
    bool json = false;
    unsigned threads = 0;  ///< of the build; 0: all
};

struct DemoArguments {
    unsigned frames = 200;
    std::uint64_t seed = 1;
    unsigned threads = 0;
};

int collide_files(const CollideArguments& arguments);
int demo(const DemoArguments& arguments);

/// Prints `graze: what` on stderr and returns `Bad`.
int complain(const std::string& what);

/// Milliseconds since it was made.
class Timer {
public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace graze::apps
