// SPDX-License-Identifier: Apache-2.0
#include "scene_numbers.hpp"

#include <algorithm>
#include <array>

#include "text.hpp"
#include "zip.hpp"

namespace graze::files {

namespace {

/// An element, by its name or the end of its name, whose attributes are numbers separated by blanks and commas.
struct Numbers {
    std::string_view element;
    std::array<std::string_view, 3> attributes;
};
constexpr std::array<Numbers, 2> numbers_3mf = {{{"vertex", {"x", "y", "z"}}, {"triangle", {"v1", "v2", "v3"}}}};
constexpr std::array<Numbers, 3> numbers_x3d = {
    {{"Coordinate", {"point"}}, {"CoordinateDouble", {"point"}}, {"Set", {"coordIndex", "index"}}}};

/// The ends of the names of X3D elements that hold shapes. Where one repeats another by USE, assimp loses what follows.
constexpr std::array<std::string_view, 7> holders_x3d = {"Group",  "Transform", "Switch", "Collision",
                                                         "Anchor", "Billboard", "LOD"};

/// Reads XML piece by piece, only as closely as finding attributes takes.
class Scanner {
public:
    explicit Scanner(std::span<const Numbers> numbers) : numbers_(numbers) {}

    /// Returns false at the first word that is not a number, and sets `fault`.
    bool take(std::string_view piece) {
        for (const char c : piece) {
            if (!step(c)) return false;
            if (c == '\n') ++line;
        }
        return true;
    }

    /// To be called after the last piece. Returns false when the outermost element did not end.
    bool ended() {
        if (in_ == In::Text && depth_ == 0 && any_) return true;
        fault = {FaultKind::Damaged, any_ ? "the file ends within an element" : "this is not XML"};
        return false;
    }

    std::size_t line = 1;
    Fault fault{};

private:
    enum class In { Text, Element, Tag, Value, Comment };

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    bool step(char c) {
        switch (in_) {
            case In::Text:
                if (c == '<') enter(In::Element);
                return true;
            case In::Element:
                if (c == '>' || is_blank(c)) {
                    element_ = word_;
                    last_ = element_.empty() ? c : element_.back();
                    c == '>' ? leave_tag() : enter(In::Tag);
                } else {
                    grow(c);
                    if (word_ == "!--") enter(In::Comment);
                }
                return true;
            case In::Comment:
                word_ += c;
                if (word_.size() > 3) word_.erase(0, 1);
                if (word_ == "-->") enter(In::Text);
                return true;
            case In::Tag:
                if (c == '>') {
                    leave_tag();
                    return true;
                }
                last_ = is_blank(c) ? last_ : c;
                if (c == '"' || c == '\'') {
                    quote_ = c;
                    checked_ = is_checked();
                    if (word_ == "USE" && is_holder()) {
                        fault = {FaultKind::Damaged, "element " + in_quotes(element_) +
                                                         " repeats another one (USE), which is not supported"};
                        return false;
                    }
                    enter(In::Value);
                } else if (is_blank(c)) {
                    word_.clear();
                } else if (c != '=') {
                    grow(c);
                }
                return true;
            case In::Value:
                if (c != quote_ && c != ',' && !is_blank(c)) {
                    if (checked_) grow(c);
                    return true;
                }
                const bool good = !checked_ || word_.empty() || is_number();
                enter(c == quote_ ? In::Tag : In::Value);
                return good;
        }
        return true;
    }

    void enter(In state) {
        in_ = state;
        word_.clear();
    }
    void leave_tag() {
        enter(In::Text);
        if (element_.starts_with('?') || element_.starts_with('!')) return;
        any_ = true;
        if (element_.starts_with('/'))
            --depth_;
        else if (last_ != '/')
            ++depth_;
    }
    /// Longer than any number or name that matters. The rest of a longer word is not kept.
    void grow(char c) {
        if (word_.size() < 400) word_ += c;
    }
    bool is_checked() const {
        return std::any_of(numbers_.begin(), numbers_.end(), [&](const Numbers& n) {
            return element_.ends_with(n.element) && !word_.empty() &&
                   std::find(n.attributes.begin(), n.attributes.end(), word_) != n.attributes.end();
        });
    }
    bool is_holder() const {
        return std::any_of(holders_x3d.begin(), holders_x3d.end(),
                           [&](std::string_view name) { return element_.ends_with(name); });
    }
    bool is_number() {
        const Result<double> number = parse_number(word_);
        if (!number.ok()) fault = number.fault();
        return number.ok();
    }

    std::span<const Numbers> numbers_;
    In in_ = In::Text;
    std::string word_, element_;
    char quote_ = '"', last_ = ' ';  // the quote that is open, and the last character of a tag
    bool checked_ = false, any_ = false;
    long depth_ = 0;
};

}  // namespace

Result<void> check_numbers(const std::string& path) {
    const std::string kind = extension(path);
    if (kind != ".3mf" && kind != ".x3d") return {};
    const Result<Bytes> bytes = Bytes::of(path);
    if (!bytes) return bytes.fault();
    if (kind == ".x3d") {
        Scanner scanner(numbers_x3d);
        if (!scanner.take(bytes->view()) || !scanner.ended()) return located(path, scanner.line, scanner.fault);
        return {};
    }
    std::optional<Fault> fault;
    unpack(bytes->view(), ".model", [&](const std::string& name) -> Piece {
        return [&fault, where = path + ": " + name, scanner = Scanner(numbers_3mf)](std::string_view piece) mutable {
            if (scanner.take(piece)) return true;
            fault = located(where, scanner.line, scanner.fault);
            return false;
        };
    });
    if (fault) return *fault;
    return {};
}

}  // namespace graze::files
