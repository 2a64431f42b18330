// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "graze/graze.hpp"

namespace graze::files {

/// Reads a text word by word and counts lines. Blanks separate words. A `#` at the beginning of a word starts a
/// comment. With `backslash`, a backslash at the end of a line continues it on the next one. Lines may end in CRLF.
class TextCursor {
public:
    explicit TextCursor(std::string_view text, bool backslash = false)
        : at_(text.data()), end_(text.data() + text.size()), backslash_(backslash) {}

    /// Number of bytes not read yet.
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

    /// The line that the last word came from, counted from 1.
    std::size_t line() const { return line_; }

    /// The next word of this line; empty at the line's end.
    std::string_view word() {
        if (at_ != end_ && *at_ == ' ') ++at_;
        const char* start = at_;
        while (at_ != end_ && plain(*at_)) ++at_;
        // Nearly always a space or the end of the line comes next. `any_word` handles everything else.
        if (start != at_ && (at_ == end_ || *at_ == ' ' || *at_ == '\n'))
            return {start, static_cast<std::size_t>(at_ - start)};
        at_ = start;
        return any_word();
    }

    /// The next word of this or a later line; empty at the text's end.
    std::string_view word_anywhere();

    /// Skips the rest of this line. False when there is no further line.
    bool next_line();

private:
    /// True for characters that belong to a word whatever comes before and after them.
    static bool plain(char c) { return static_cast<unsigned char>(c) > ' ' && c != '#' && c != '\\'; }
    std::string_view any_word();
    /// Length of a backslash and the line break after it; 0 when there is none here.
    std::size_t continuation() const;

    const char* at_;
    const char* end_;
    std::size_t line_ = 1;
    bool backslash_;
};

/// Reads a finite number. A magnitude too small for double is rounded as strtod rounds it.
Result<double> parse_number(std::string_view word);

/// Reads a number within `max_coordinate`.
Result<double> parse_coordinate(std::string_view word);

/// Reads a coordinate as `parse_coordinate` does, but returns false instead of a fault.
bool read_coordinate(std::string_view word, double& value);

/// Number of bytes of the UTF-8 character that the text starts with. 0 when it is not UTF-8: overlong forms, surrogates
/// and numbers beyond U+10FFFF are not.
std::size_t character(std::string_view text);

/// The text without control characters, cut after 200 bytes.
std::string one_line(std::string text);

/// The text with `?` in place of everything that could steer a terminal or deceive its reader: control characters,
/// bytes that are not UTF-8, and characters that override the direction of writing. Names come from files of anyone.
/// Line breaks and tabs stay only where `keep` has them.
std::string printable(std::string_view text, std::string_view keep = {});

/// Number of characters, each of which takes a column of a terminal in most scripts.
std::size_t columns(std::string_view text);

/// The word in quotes, shortened and printable, for messages of one line.
std::string in_quotes(std::string_view word);

/// The fault with `name:line: ` in front.
Fault located(const std::string& name, std::size_t line, const Fault& fault);

/// Appends the text as a JSON string that may stand inside a script element of a page: `<` is escaped, so that no name
/// ends the element. Bytes that are not UTF-8 become U+FFFD.
void append_json(std::string& out, std::string_view text);

}  // namespace graze::files
