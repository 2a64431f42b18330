// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "mesh_file.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

constexpr std::size_t header_bytes = 84;  // 80 of text and the count of triangles
constexpr std::size_t record_bytes = 50;  // normal, three corners, attribute
constexpr std::uint32_t none = 0xffffffff;

/// Numbers points so that those with equal bits share a number.
class Welder {
public:
    explicit Welder(std::size_t expected) { slots_.assign(std::bit_ceil(expected * 2 + 16), none); }

    std::uint32_t index(const Vec3& p) {
        if (points.size() * 2 >= slots_.size()) grow();
        std::uint32_t& slot = find(p);
        if (slot == none) {
            slot = static_cast<std::uint32_t>(points.size());
            points.push_back(p);
        }
        return slot;
    }

    std::vector<Vec3> points;

private:
    using Bits = std::array<std::uint64_t, 3>;

    std::uint32_t& find(const Vec3& p) {
        const Bits bits = std::bit_cast<Bits>(p);
        std::uint64_t h = bits[0] * 0x9e3779b97f4a7c15u;
        h = (std::rotl(h, 29) ^ bits[1]) * 0xbf58476d1ce4e5b9u;
        h = (std::rotl(h, 29) ^ bits[2]) * 0x94d049bb133111ebu;
        h ^= h >> 32;
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = h & mask;
        while (slots_[i] != none && std::bit_cast<Bits>(points[slots_[i]]) != bits) i = (i + 1) & mask;
        return slots_[i];
    }

    void grow() {
        slots_.assign(slots_.size() * 2, none);
        for (std::uint32_t i = 0; i < points.size(); ++i) find(points[i]) = i;
    }

    std::vector<std::uint32_t> slots_;  // a power of two of them, at most half in use
};

std::uint32_t read_u32(const char* p) {
    std::uint32_t v = 0;
    for (int i = 3; i >= 0; --i) v = v << 8 | static_cast<unsigned char>(p[i]);
    return v;
}

Result<Mesh> parse_binary(std::string_view bytes, const std::string& name) {
    const auto damaged = [&](const std::string& what) { return Fault{FaultKind::Damaged, name + ": " + what}; };
    if (bytes.size() < header_bytes)
        return damaged("not an STL file: " + std::to_string(bytes.size()) +
                       " bytes are too few for a header, and it does not start with 'solid'");
    const std::uint64_t count = read_u32(bytes.data() + 80);
    const std::uint64_t needed = header_bytes + record_bytes * count;
    if (bytes.size() != needed)
        return damaged("byte 80: the header claims " + std::to_string(count) + " triangles, which take " +
                       std::to_string(needed) + " bytes, and the file has " + std::to_string(bytes.size()));
    if (count > none / 3) return Fault{FaultKind::TooMany, name + ": more corners than 32 bits can number"};
    Mesh mesh;
    Welder welder(count / 2);
    mesh.corners.reserve(3 * count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t record = header_bytes + record_bytes * i;
        for (int k = 0; k < 3; ++k) {
            const std::uint64_t at = record + 12 * (k + 1);
            Vec3 p;
            for (int d = 0; d < 3; ++d) p[d] = std::bit_cast<float>(read_u32(bytes.data() + at + 4 * d));
            if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
                return Fault{FaultKind::NotFinite, name + ": triangle " + std::to_string(i) + " (byte " +
                                                       std::to_string(at) + "): a coordinate is not finite"};
            mesh.corners.push_back(welder.index(p));
        }
    }
    mesh.points = std::move(welder.points);
    return mesh;
}

bool is_keyword(std::string_view word, std::string_view keyword) {
    if (word.size() != keyword.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if ((word[i] | 0x20) != keyword[i]) return false;
    return true;
}

/// One or more `solid … endsolid`, whose facets have three vertices. Names and normals are not
/// looked at: exporters write anything there, "nan" for the normal of a thin facet included.
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
        if (mesh_.corners.size() > none - 3) return fail({FaultKind::TooMany, "more corners than 32 bits can number"});
        if (!expect("normal")) return false;
        for (int d = 0; d < 3; ++d) cursor_.word_anywhere();
        if (!expect("outer") || !expect("loop")) return false;
        for (int k = 0; k < 3; ++k) {
            if (!expect("vertex")) return false;
            Vec3 p;
            for (int d = 0; d < 3; ++d) {
                const Result<double> x = parse_coordinate(cursor_.word());
                if (!x) return fail(x.fault());
                p[d] = *x;
            }
            mesh_.corners.push_back(welder_.index(p));
        }
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
    Mesh mesh_;
    Fault fault_{};
};

}  // namespace

Result<Mesh> parse_stl(std::string_view bytes, const std::string& name) {
    // Binary headers may start with "solid" as well, so the size is asked first. A binary file cut
    // short is told from text by its zeros: the count has one for all but enormous files.
    const bool fits = bytes.size() >= header_bytes &&
                      bytes.size() == header_bytes + record_bytes * std::uint64_t{read_u32(bytes.data() + 80)};
    const bool text = is_keyword(TextCursor(bytes).word_anywhere(), "solid") &&
                      bytes.substr(0, header_bytes).find('\0') == std::string_view::npos;
    return fits || !text ? parse_binary(bytes, name) : AsciiParser(bytes, name).parse();
}

}  // namespace graze::files
