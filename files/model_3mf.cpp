// SPDX-License-Identifier: Apache-2.0
#include "model_3mf.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "binary.hpp"

namespace graze::files {

namespace {

std::uint32_t u16(std::string_view b, std::size_t at) {
    return load<std::uint16_t>(b.data() + at, std::endian::little);
}
std::uint32_t u32(std::string_view b, std::size_t at) {
    return load<std::uint32_t>(b.data() + at, std::endian::little);
}

/// Returns false when no more is wanted.
bool inflate_to(std::string_view packed, const Piece& take) {
    std::string piece(std::size_t{1} << 16, '\0');
    z_stream stream{};
    // A negative number means raw deflate, without a zlib header.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return true;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), 0xffffffff));
    bool more = true;
    for (int state = Z_OK; more && state == Z_OK;) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        state = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = piece.size() - stream.avail_out;
        if (got > 0) more = take(std::string_view(piece).substr(0, got));
        if (got == 0 && stream.avail_in == 0) break;
    }
    inflateEnd(&stream);
    return more;
}

}  // namespace

void unpack(std::string_view zip, std::string_view ending, const std::function<Piece(const std::string& name)>& start) {
    const std::size_t end = zip.rfind(std::string_view("PK\x05\x06", 4));
    if (end == std::string_view::npos || zip.size() - end < 22) return;
    std::size_t at = u32(zip, end + 16);
    for (std::uint32_t left = u16(zip, end + 10); left > 0; --left) {
        if (at > zip.size() || zip.size() - at < 46 || u32(zip, at) != 0x02014b50) return;
        const std::size_t name_bytes = u16(zip, at + 28), local = u32(zip, at + 42);
        if (zip.size() - at - 46 < name_bytes) return;
        const std::string name(zip.substr(at + 46, name_bytes));
        if (name.ends_with(ending)) {
            if (local > zip.size() || zip.size() - local < 30) return;
            const std::size_t data = local + 30 + u16(zip, local + 26) + u16(zip, local + 28);
            if (data > zip.size()) return;
            const std::string_view packed = zip.substr(data, u32(zip, at + 20));
            const Piece take = start(name);
            if (!(u16(zip, at + 10) == 0 ? take(packed) : inflate_to(packed, take))) return;
        }
        at += 46 + name_bytes + u16(zip, at + 30) + u16(zip, at + 32);
    }
}

}  // namespace graze::files
