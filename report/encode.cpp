// SPDX-License-Identifier: Apache-2.0
#include "encode.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace graze::report {

namespace {

/// Bytes of the UTF-8 character that the text starts with, 0 when it is none (overlong forms, surrogates and what is
/// beyond U+10FFFF are none).
std::size_t character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf0 && byte(1) < 0x90) ||
        (lead == 0xf4 && byte(1) > 0x8f))
        return 0;
    return length;
}

void append_base64(std::string& out, std::span<const unsigned char> bytes) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t begin = out.size();
    out.resize(begin + (bytes.size() + 2) / 3 * 4, '=');
    char* to = out.data() + begin;
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        const std::uint32_t v = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) *to++ = digits[v >> shift & 63];
    }
    if (i == bytes.size()) return;
    const std::uint32_t v = bytes[i] << 16 | (i + 1 < bytes.size() ? bytes[i + 1] << 8 : 0);
    *to++ = digits[v >> 18];
    *to++ = digits[v >> 12 & 63];
    if (i + 1 < bytes.size()) *to = digits[v >> 6 & 63];
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const std::size_t length = character(text);
        const unsigned char c = static_cast<unsigned char>(text[0]);
        if (length == 0)
            out += "\\ufffd";
        else if (c < 0x20 || c == '<' || c == 0x7f)
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
        else if (c == '"' || c == '\\')
            (out += '\\') += text[0];
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

void append_packed(std::string& out, std::span<const std::byte> words) {
    // Chunks bound the memory that packing takes; zlib joins them into one stream.
    constexpr std::size_t chunk = 1 << 18;
    const std::size_t count = words.size() / 4;
    std::vector<unsigned char> planes(chunk), packed;
    z_stream stream{};
    deflateInit(&stream, 4);
    std::size_t used = 0;
    for (int plane = 0; plane < 4; ++plane) {
        std::size_t at = 0;
        do {
            const std::size_t n = std::min(chunk, count - at);
            for (std::size_t i = 0; i < n; ++i) planes[i] = static_cast<unsigned char>(words[4 * (at + i) + plane]);
            at += n;
            const bool last = plane == 3 && at == count;
            stream.next_in = planes.data();
            stream.avail_in = static_cast<uInt>(n);
            do {
                if (packed.size() < used + chunk) packed.resize(2 * packed.size() + 2 * chunk);
                stream.next_out = packed.data() + used;
                stream.avail_out = static_cast<uInt>(chunk);
                deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
                used += chunk - stream.avail_out;
            } while (stream.avail_out == 0);
        } while (at < count);
    }
    deflateEnd(&stream);
    append_base64(out, std::span(packed).first(used));
}

}  // namespace graze::report
