// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graze/result.hpp"

namespace graze::detail {

/// The contents of a file in memory, read-only, aligned to at least 64 bytes. The file is mapped if the system can, and
/// read otherwise. A mapped file may be removed or replaced meanwhile, but not written to.
class MappedFile {
public:
    static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return bytes_; }

private:
    struct alignas(64) Block {
        std::byte bytes[64];
    };

    MappedFile() = default;
    std::vector<Block> read_;  ///< empty when the file is mapped
    std::span<const std::byte> bytes_;
};

}  // namespace graze::detail
