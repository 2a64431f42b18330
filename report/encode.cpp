// SPDX-License-Identifier: Apache-2.0
#include "encode.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "base/parallel.hpp"

namespace graze::report {

namespace {

/// A range of a buffer's bytes in packed order. Chunks are compressed separately; joined they form one stream.
struct Chunk {
    std::size_t buffer, first, count;
    bool last;
    std::string out;
    uLong check;  ///< Adler-32 checksum of the bytes
};
constexpr std::size_t chunk_size = std::size_t{1} << 18;

void compress(Chunk& chunk, std::span<const std::byte> words) {
    std::vector<Bytef> bytes(chunk.count);
    const std::size_t n = words.size() / 4;
    for (std::size_t i = 0; i < chunk.count;) {
        const std::size_t plane = (chunk.first + i) / n, begin = (chunk.first + i) % n;
        const std::size_t end = std::min(n, begin + chunk.count - i);
        for (std::size_t k = begin; k < end; ++k) bytes[i++] = static_cast<Bytef>(words[4 * k + plane]);
    }
    chunk.check = adler32(adler32(0, nullptr, 0), bytes.data(), static_cast<uInt>(bytes.size()));
    z_stream stream{};
    // Level 2 takes half the time of level 6 for a tenth more bytes. The chunk is raw deflate: the zlib header and
    // checksum are added around all chunks.
    deflateInit2(&stream, 2, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
    // The extra bytes are for the marker that ends a chunk on a byte boundary.
    chunk.out.resize(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64);
    stream.next_in = bytes.data();
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(chunk.out.data());
    stream.avail_out = static_cast<uInt>(chunk.out.size());
    deflate(&stream, chunk.last ? Z_FINISH : Z_SYNC_FLUSH);
    assert(stream.avail_in == 0 && stream.avail_out != 0);
    chunk.out.resize(chunk.out.size() - stream.avail_out);
    chunk.out.shrink_to_fit();
    deflateEnd(&stream);
}

}  // namespace

std::vector<std::string> packed(std::span<const std::span<const std::byte>> buffers, unsigned threads) {
    std::vector<Chunk> chunks;
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        const std::size_t size = buffers[b].size();
        std::size_t at = 0;
        do {
            const std::size_t count = std::min(chunk_size, size - at);
            chunks.push_back({b, at, count, at + count == size, {}, 0});
            at += count;
        } while (at < size);
    }
    detail::parallel_for(chunks.size(), threads,
                         [&](std::size_t i) { compress(chunks[i], buffers[chunks[i].buffer]); });

    std::vector<std::string> out(buffers.size(), "\x78\x01");
    uLong check = 1;
    for (Chunk& c : chunks) {
        std::string& to = out[c.buffer];
        to += c.out;
        c.out = {};
        check = c.first == 0 ? c.check : adler32_combine(check, c.check, static_cast<z_off_t>(c.count));
        if (!c.last) continue;
        for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(check >> shift & 255);
    }
    return out;
}

void write_base64(std::string_view bytes, const Sink& to) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<char, 1 << 14> out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return k < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[k])} : 0;
        };
        const std::uint32_t v = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        out[used] = digits[v >> 18];
        out[used + 1] = digits[v >> 12 & 63];
        out[used + 2] = i + 1 < bytes.size() ? digits[v >> 6 & 63] : '=';
        out[used + 3] = i + 2 < bytes.size() ? digits[v & 63] : '=';
        used += 4;
        if (used == out.size() || i + 3 >= bytes.size()) {
            to({out.data(), used});
            used = 0;
        }
    }
}

}  // namespace graze::report
