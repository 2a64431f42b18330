// SPDX-License-Identifier: Apache-2.0
#include "unit_3mf.hpp"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "binary.hpp"

namespace graze::files {

namespace {

constexpr std::size_t head_bytes = 4096;

std::uint32_t u16(std::string_view b, std::size_t at) {
    return load<std::uint16_t>(b.data() + at, std::endian::little);
}
std::uint32_t u32(std::string_view b, std::size_t at) {
    return load<std::uint32_t>(b.data() + at, std::endian::little);
}

std::string inflated(std::string_view packed) {
    std::string head(head_bytes, '\0');
    z_stream stream{};
    // Negative: without the header of zlib's own format.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(head.data());
    stream.avail_out = static_cast<uInt>(head.size());
    inflate(&stream, Z_SYNC_FLUSH);
    head.resize(head.size() - stream.avail_out);
    inflateEnd(&stream);
    return head;
}

/// The start of the first file whose name ends so; empty where there is none.
std::string head_of(std::string_view zip, std::string_view ending) {
    const std::size_t end = zip.rfind(std::string_view("PK\x05\x06", 4));
    if (end == std::string_view::npos || zip.size() - end < 22) return {};
    std::size_t at = u32(zip, end + 16);
    for (std::uint32_t left = u16(zip, end + 10); left > 0; --left) {
        if (at > zip.size() || zip.size() - at < 46 || u32(zip, at) != 0x02014b50) return {};
        const std::size_t name_bytes = u16(zip, at + 28), local = u32(zip, at + 42);
        if (zip.size() - at - 46 < name_bytes) return {};
        if (zip.substr(at + 46, name_bytes).ends_with(ending)) {
            if (local > zip.size() || zip.size() - local < 30) return {};
            const std::size_t data = local + 30 + u16(zip, local + 26) + u16(zip, local + 28);
            if (data > zip.size()) return {};
            // Packed text of that length is never larger than twice it.
            const std::string_view packed = zip.substr(data, 2 * head_bytes);
            return u16(zip, at + 10) == 0 ? std::string(packed.substr(0, head_bytes)) : inflated(packed);
        }
        at += 46 + name_bytes + u16(zip, at + 30) + u16(zip, at + 32);
    }
    return {};
}

}  // namespace

double unit_of_3mf(std::string_view bytes) {
    constexpr std::array<std::pair<std::string_view, double>, 6> units = {{{"micron", 1e-6},
                                                                           {"millimeter", 1e-3},
                                                                           {"centimeter", 1e-2},
                                                                           {"inch", 0.0254},
                                                                           {"foot", 0.3048},
                                                                           {"meter", 1}}};
    const std::string head = head_of(bytes, ".model");
    const std::size_t model = head.find("<model");
    if (model != std::string::npos) {
        const std::string_view tag = std::string_view(head).substr(model, head.find('>', model) - model);
        for (const auto& [unit, metres] : units)
            for (const char quote : {'"', '\''})
                if (tag.find(" unit=" + (quote + std::string(unit)) + quote) != std::string_view::npos) return metres;
    }
    return 1e-3;
}

}  // namespace graze::files
