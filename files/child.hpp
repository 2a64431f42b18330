// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "assembly.hpp"

namespace graze::files {

/// What a child may take, beside what its files' size allows.
struct ChildLimits {
    std::size_t bytes = std::size_t{512} << 20;  ///< of memory, more than the process had before
    unsigned seconds = 10;                       ///< of computing
};

/// Runs `read` in a process of its own and hands back what it returns, so that a library that crashes, does not end or
/// takes all memory costs no more than a fault, which names the file and `by`, what reads it. Where there are no such
/// processes it runs in this one.
///
/// The child is a fork without exec, and of a program with threads it has the calling one only: what locks another
/// thread held stay locked in it. The C library sees to its own (memory, streams); `read` may not use others that this
/// process uses: no threads, none of TBB. Children have their own limits of memory (not under sanitizers, which map
/// terabytes) and of time, and are quiet.
Result<Assembly> in_child(const std::string& path, const std::string& by, const std::function<Result<Assembly>()>& read,
                          const ChildLimits& limits = {});

/// In a child: it has opened a file of so many bytes, and may take more memory and time for it. Nothing otherwise.
void allow_for(std::size_t file_bytes);

}  // namespace graze::files
