// SPDX-License-Identifier: Apache-2.0
#include "encode.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "files/text.hpp"

namespace graze::checks {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

}  // namespace

std::string as_utf8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = files::character(text);
        out += length == 0 ? replacement : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string as_xml(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = files::character(text);
        const std::string_view one = text.substr(0, length);
        const unsigned char c = static_cast<unsigned char>(text[0]);
        const bool control = c < 0x20 && c != '\t' && c != '\n' && c != '\r';
        out += length == 0 || control || one == "\xef\xbf\xbe" || one == "\xef\xbf\xbf" ? replacement : one;
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string as_csv(std::string_view text) {
    std::string out = as_utf8(text);
    if (out.find_first_of("=+-@\t\r") == 0) out.insert(0, "'");
    if (out.find_first_of("\",\r\n") == out.npos) return out;
    for (std::size_t at = 0; (at = out.find('"', at)) != out.npos; at += 2) out.insert(at, "\"");
    return "\"" + out + "\"";
}

std::string guid(std::string_view path_a, std::string_view path_b, std::string_view what) {
    const std::string a = as_utf8(path_a), b = as_utf8(path_b);
    Hash hash;
    hash.add(what);
    hash.add(a < b ? a : b);
    hash.add(a < b ? b : a);
    // Marked as version 5 (a name's hash) and of the usual variant, for readers that check.
    return fmt::format("{:08x}-{:04x}-5{:03x}-{:04x}-{:012x}", hash.high >> 32, hash.high >> 16 & 0xffff,
                       hash.high & 0xfff, 0x8000 | (hash.low >> 48 & 0x3fff), hash.low & 0xffffffffffff);
}

Result<std::string> timestamp() {
    std::int64_t seconds = std::time(nullptr);
    if (const char* given = std::getenv("SOURCE_DATE_EPOCH"); given && *given) {
        const std::string_view text = given;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        constexpr std::int64_t end_of_9999 = 253'402'300'799;
        if (error != std::errc() || stop != text.data() + text.size() || seconds < 0 || seconds > end_of_9999)
            return Fault{FaultKind::Damaged, "SOURCE_DATE_EPOCH is not a number of seconds since 1970"};
    }
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

bool is_day(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    const auto number = [&](std::size_t from, std::size_t size) {
        int value = -1;
        const auto [stop, error] = std::from_chars(text.data() + from, text.data() + from + size, value);
        return error == std::errc() && stop == text.data() + from + size ? value : -1;
    };
    const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
    if (year < 0 || month < 0 || day < 0) return false;
    return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                       std::chrono::day(static_cast<unsigned>(day)))
        .ok();
}

}  // namespace graze::checks
