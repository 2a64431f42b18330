// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "binary.hpp"
#include "mesh_file.hpp"
#include "rounding.hpp"
#include "text.hpp"
#include "welder.hpp"

namespace graze::files {

namespace {

constexpr std::size_t header_bytes = 84;  // 80 of text and the count of triangles
constexpr std::size_t record_bytes = 50;  // normal, three corners, attribute
constexpr std::uint64_t max_corners = 0xfffffffe;

std::uint32_t claimed(std::string_view bytes) { return load<std::uint32_t>(bytes.data() + 80, std::endian::little); }

bool size_fits(std::string_view bytes) {
    return bytes.size() >= header_bytes && bytes.size() == header_bytes + record_bytes * std::uint64_t{claimed(bytes)};
}

/// Names the first corner that is not finite, from triangle i on.
Fault not_finite(std::string_view bytes, const std::string& name, std::uint64_t i) {
    for (;; ++i)
        for (int c = 0; c < 9; ++c) {
            const std::uint64_t at = header_bytes + record_bytes * i + 12 + 4 * c;
            if (!std::isfinite(load<float>(bytes.data() + at, std::endian::little)))
                return {FaultKind::NotFinite, name + ": triangle " + std::to_string(i) + " (byte " +
                                                  std::to_string(at) + "): a coordinate is not finite"};
        }
}

Result<Mesh> parse_binary(std::string_view bytes, const std::string& name) {
    const auto damaged = [&](const std::string& what) { return Fault{FaultKind::Damaged, name + ": " + what}; };
    if (bytes.empty()) return damaged("the file is empty");
    if (bytes.size() < header_bytes)
        return damaged("not an STL file: " + std::to_string(bytes.size()) +
                       " bytes are too few for a header, and it does not start with 'solid'");
    const std::uint64_t count = claimed(bytes);
    const std::uint64_t needed = header_bytes + record_bytes * count;
    if (bytes.size() != needed)
        return damaged("byte 80: the header claims " + std::to_string(count) + " triangles, which take " +
                       std::to_string(needed) + " bytes, and the file has " + std::to_string(bytes.size()));
    if (count > max_corners / 3) return Fault{FaultKind::TooMany, name + ": more corners than 32 bits can number"};
    Mesh mesh;
    Welder welder(count / 2);
    mesh.corners.reserve(3 * count);
    std::array<Vec3, Welder::batch> points;
    for (std::uint64_t i = 0; i < count;) {
        // Triangles are read in batches. A number that is not finite is located afterwards.
        std::size_t n = 0;
        bool finite = true;
        const std::uint64_t start = i;
        for (; i < count && n + 3 <= points.size(); ++i) {
            const char* at = bytes.data() + header_bytes + record_bytes * i + 12;
            for (int k = 0; k < 3; ++k, at += 12) {
                const float x = load<float>(at, std::endian::little), y = load<float>(at + 4, std::endian::little),
                            z = load<float>(at + 8, std::endian::little);
                finite = finite && std::isfinite(x) && std::isfinite(y) && std::isfinite(z);
                points[n++] = {x, y, z};
            }
        }
        if (!finite) return not_finite(bytes, name, start);
        welder.weld(std::span(points).first(n), mesh.corners);
    }
    mesh.points = std::move(welder.points);
    mesh.error = single_rounding(largest_coordinate(mesh.points));
    return mesh;
}

bool is_keyword(std::string_view word, std::string_view keyword) {
    if (word.size() != keyword.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if ((word[i] | 0x20) != keyword[i]) return false;
    return true;
}

/// Reads one or more `solid … endsolid` whose facets have three vertices. Names and normals are ignored: exporters
/// write anything there, even "nan" for the normal of a thin facet.
class AsciiParser {
public:
    AsciiParser(std::string_view text, const std::string& name)
        : cursor_(text), name_(name), welder_(text.size() / 500) {}

    Result<Mesh> parse() {
        if (!expect("solid")) return fault_;
        do {
            cursor_.next_line();
            if (!solid()) return fault_;
            cursor_.next_line();
            word_ = cursor_.word_anywhere();
            if (!word_.empty() && !is_keyword(word_, "solid")) {
                fail("'solid'");
                return fault_;
            }
        } while (!word_.empty());
        mesh_.points = std::move(welder_.points);
        mesh_.error = digits_.error(largest_coordinate(mesh_.points));
        return std::move(mesh_);
    }

private:
    bool solid() {
        for (;;) {
            word_ = cursor_.word_anywhere();
            if (is_keyword(word_, "endsolid")) return true;
            if (!is_keyword(word_, "facet")) return fail("'facet' or 'endsolid'");
            if (!facet()) return false;
        }
    }

    bool facet() {
        if (mesh_.corners.size() > max_corners - 3)
            return fail({FaultKind::TooMany, "more corners than 32 bits can number"});
        if (!expect("normal")) return false;
        for (int d = 0; d < 3; ++d) cursor_.word_anywhere();
        if (!expect("outer") || !expect("loop")) return false;
        std::array<Vec3, 3> p;
        for (int k = 0; k < 3; ++k) {
            if (!expect("vertex")) return false;
            for (int d = 0; d < 3; ++d) {
                const std::string_view word = cursor_.word();
                if (!read_coordinate(word, p[k][d])) return fail(parse_coordinate(word).fault());
                digits_.add(word);
            }
        }
        welder_.weld(p, mesh_.corners);
        return expect("endloop") && expect("endfacet");
    }

    bool expect(std::string_view keyword) {
        word_ = cursor_.word_anywhere();
        return is_keyword(word_, keyword) || fail(in_quotes(keyword));
    }

    bool fail(const std::string& expected) {
        return fail({FaultKind::Damaged,
                     expected + " expected, " + (word_.empty() ? "the file ends" : in_quotes(word_) + " found")});
    }
    bool fail(const Fault& fault) {
        fault_ = located(name_, cursor_.line(), fault);
        return false;
    }

    TextCursor cursor_;
    const std::string& name_;
    Welder welder_;
    std::string_view word_;
    WrittenDigits digits_;
    Mesh mesh_;
    Fault fault_{};
};

}  // namespace

bool starts_like_stl(std::string_view bytes) {
    return is_keyword(TextCursor(bytes).word_anywhere(), "solid") || size_fits(bytes);
}

Result<Mesh> parse_stl(std::string_view bytes, const std::string& name) {
    // Binary headers may start with "solid" as well, so the size is checked first. A truncated binary file differs from
    // text by its zero bytes: the count has one except in enormous files.
    const bool text = is_keyword(TextCursor(bytes).word_anywhere(), "solid") &&
                      bytes.substr(0, header_bytes).find('\0') == std::string_view::npos;
    return size_fits(bytes) || !text ? parse_binary(bytes, name) : AsciiParser(bytes, name).parse();
}

}  // namespace graze::files
