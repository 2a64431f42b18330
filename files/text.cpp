// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace graze::files {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

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

std::size_t TextCursor::continuation() const {
    if (!backslash_ || *at_ != '\\') return 0;
    if (end_ - at_ >= 2 && at_[1] == '\n') return 2;
    if (end_ - at_ >= 3 && at_[1] == '\r' && at_[2] == '\n') return 3;
    return 0;
}

std::string_view TextCursor::any_word() {
    while (at_ != end_) {
        if (is_blank(*at_)) {
            ++at_;
        } else if (const std::size_t n = continuation()) {
            at_ += n;
            ++line_;
        } else {
            break;
        }
    }
    if (at_ != end_ && *at_ == '#')
        while (at_ != end_ && *at_ != '\n') ++at_;
    const char* start = at_;
    while (at_ != end_ && *at_ != '\n' && !is_blank(*at_) && !continuation()) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
}

std::string_view TextCursor::word_anywhere() {
    for (;;) {
        const std::string_view w = word();
        if (!w.empty() || !next_line()) return w;
    }
}

bool TextCursor::next_line() {
    while (at_ != end_ && *at_ != '\n') {
        if (const std::size_t n = continuation()) {
            at_ += n;
            ++line_;
        } else {
            ++at_;
        }
    }
    if (at_ == end_) return false;
    ++at_;
    ++line_;
    return true;
}

Result<double> parse_number(std::string_view word) {
    if (word.empty()) return Fault{FaultKind::Damaged, "a number is missing"};
    std::string_view digits = word;
    if (digits[0] == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
    double value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || stop != digits.data() + digits.size())
        return Fault{FaultKind::Damaged, in_quotes(word) + " is not a number"};
    // from_chars gives no value for a number that rounds to zero or to infinity.
    if (error == std::errc::result_out_of_range) value = std::strtod(std::string(digits).c_str(), nullptr);
    if (!std::isfinite(value)) return Fault{FaultKind::NotFinite, in_quotes(word) + " is not a finite number"};
    return value;
}

Result<double> parse_coordinate(std::string_view word) {
    Result<double> value = parse_number(word);
    if (value.ok() && std::abs(*value) > max_coordinate)
        return Fault{FaultKind::OutOfRange, in_quotes(word) + " is beyond 2^1000"};
    return value;
}

bool read_coordinate(std::string_view word, double& value) {
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && stop == word.data() + word.size() && std::abs(value) <= max_coordinate) return true;
    const Result<double> other = parse_coordinate(word);
    if (other.ok()) value = *other;
    return other.ok();
}

std::string one_line(std::string text) {
    std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    constexpr std::size_t most = 200;
    if (text.size() > most) text = text.substr(0, most) + "...";
    return text;
}

std::string printable(std::string_view text, std::string_view keep) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = character(text);
        const std::string_view one = text.substr(0, length);
        const unsigned char c = static_cast<unsigned char>(text[0]);
        const bool control = (c < 0x20 && keep.find(text[0]) == keep.npos) || c == 0x7f;
        const bool upper_control = c == 0xc2 && one < "\xc2\xa0";  // U+0080 to U+009F
        // U+202A to U+202E, and U+2066 to U+2069.
        const bool direction =
            (one >= "\xe2\x80\xaa" && one <= "\xe2\x80\xae") || (one >= "\xe2\x81\xa6" && one <= "\xe2\x81\xa9");
        if (length == 0 || control || upper_control || direction)
            out += '?';
        else
            out += one;
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string in_quotes(std::string_view word) {
    constexpr std::size_t most = 40;
    std::string text = "'";
    for (char c : word.substr(0, most)) text += c >= ' ' && c <= '~' ? c : '?';
    return text + (word.size() > most ? "...'" : "'");
}

Fault located(const std::string& name, std::size_t line, const Fault& fault) {
    return {fault.kind, name + ":" + std::to_string(line) + ": " + fault.message};
}

void append_json(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const std::size_t length = character(text);
        const unsigned char c = static_cast<unsigned char>(text[0]);
        if (length == 0)
            out += "\\ufffd";
        else if (c < 0x20 || c == '<' || c == 0x7f)
            ((out += "\\u00") += "0123456789abcdef"[c >> 4]) += "0123456789abcdef"[c & 15];
        else if (c == '"' || c == '\\')
            (out += '\\') += text[0];
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

}  // namespace graze::files
