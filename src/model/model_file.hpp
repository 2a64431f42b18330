// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graze/math.hpp"
#include "graze/result.hpp"

namespace graze::detail {

struct ModelData;

/// Raise this whenever the meaning of a section changes, including the structs of the trees.
inline constexpr std::uint32_t file_version = 2;
inline constexpr std::size_t file_alignment = 64;

/// The beginning of a model's file. The sections follow as they are in memory, in this order and the machine's byte
/// order, each padded with zeros to a multiple of `file_alignment`.
struct FileHeader {
    enum Name { points, triangles, polygon_of, wide_nodes, wide_leaves, wide_boxes, binary_nodes, section_count };
    struct Section {
        std::uint64_t offset, count;
        std::uint32_t item_bytes, zero;
    };

    unsigned char magic[8];
    std::uint32_t byte_order;  ///< 0x01020304, stored by the writer
    std::uint32_t version;
    std::uint64_t file_bytes;
    std::uint64_t checksum;                 ///< `file_checksum`
    std::uint8_t tree, volume, fit, split;  ///< from `TreeSettings`
    std::uint8_t refine, zero[7];
    std::uint32_t polygon_count;
    std::int32_t exponent;  ///< exponent of a binary tree's frame
    std::uint32_t depth;    ///< depth of a binary tree
    Vec3 centre;            ///< centre of a binary tree's frame
    double unit, bound;     ///< unit and bound of a wide tree
    double built_cost, aligned_ratio;
    Section section[section_count];
    std::uint64_t spare[5];
};
static_assert(sizeof(FileHeader) == 320);

/// The checksum of a whole file (a multiple of 64 bytes), with the checksum's own field taken as zero. It finds
/// accidental damage, with certainty if the damage is within eight bytes. It does not protect against forgery.
std::uint64_t file_checksum(std::span<const std::byte> file);

Result<void> save_model(const ModelData& model, const std::string& path);

/// Maps a model. The arrays of the result view the mapped file. Besides the checksum, everything is checked that
/// queries rely on to stay within the arrays and to terminate. A forged file can therefore only be wrong about where
/// its triangles are.
Result<std::unique_ptr<ModelData>> load_model(const std::string& path);

}  // namespace graze::detail
