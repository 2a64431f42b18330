// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "assembly.hpp"

namespace graze::files {

/// Memory and time that a child may use in addition to what the size of its files allows.
struct ChildLimits {
    std::size_t bytes = std::size_t{512} << 20;  ///< bytes of memory beyond what the process had before
    unsigned seconds = 10;                       ///< seconds of computing time
};

/// Runs `read` in a process of its own and returns its result. A library that crashes, never ends or uses all memory
/// then costs no more than a fault, which names the file and `by`, the library. On systems without fork it runs in this
/// process.
///
/// The child is a fork without exec. It has only the calling thread, and locks that another thread held stay locked in
/// it. The C library takes care of its own (memory, streams). `read` must not use any other lock that this process
/// uses: no threads, no TBB. A child has limits of memory (not under sanitizers, which map terabytes) and of time, and
/// prints nothing.
Result<Assembly> in_child(const std::string& path, const std::string& by, const std::function<Result<Assembly>()>& read,
                          const ChildLimits& limits = {});

/// Runs a program that reads a file from its standard input and sends an assembly to its descriptor 3, as
/// `assembly_wire.hpp` describes. A fault that it sends has a message that follows the name of the file (": not IFC").
/// `missing` is such a message too, for when the program is not there. Limits hold as for `in_child`, but `bytes` is
/// all the memory that the program may use, and 0 sets no limit. On systems without fork this is a fault.
Result<Assembly> in_program(const std::string& path, const std::string& by, const std::vector<std::string>& command,
                            const std::string& missing, const ChildLimits& limits);

/// Tells a child that it has opened a file of this size, for which it may use more memory and time. Does nothing
/// outside of a child.
void allow_for(std::size_t file_bytes);

}  // namespace graze::files
