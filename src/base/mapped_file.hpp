// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graze/result.hpp"

namespace graze::detail {

/// A file's contents in memory, read-only, aligned to 64 bytes at least. Mapped where the system can,
/// read otherwise; a mapped file may be removed or replaced meanwhile, but not written to.
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
    std::vector<Block> read_;  ///< unused when mapped
    std::span<const std::byte> bytes_;
};

/// Writes the pieces one after the other to `path`.tmp and moves that to `path`, so that what was there
/// stays whole, for those who have it mapped too, until all is written.
Result<Done> replace_file(const std::string& path, std::span<const std::span<const std::byte>> pieces);

}  // namespace graze::detail
