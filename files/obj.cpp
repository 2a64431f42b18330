// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include "mesh_file.hpp"
#include "rounding.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

/// Statements that add no polygons: attributes, display, points and lines.
constexpr std::array<std::string_view, 17> skipped = {"vt",       "vn",         "vp",        "s",     "mg",  "usemtl",
                                                      "mtllib",   "usemap",     "maplib",    "bevel", "lod", "c_interp",
                                                      "d_interp", "shadow_obj", "trace_obj", "p",     "l"};

class ObjParser {
public:
    ObjParser(std::string_view text, const std::string& name, std::vector<ObjGroup>* groups)
        : cursor_(text, true), name_(name), groups_(groups) {
        mesh_.points.reserve(text.size() / 100);
        mesh_.corners.reserve(text.size() / 25);
    }

    Result<Mesh> parse() {
        mesh_.offsets.push_back(0);
        do {
            const std::string_view keyword = cursor_.word();
            bool good = true;
            if (keyword == "v")
                good = point();
            else if (keyword == "f" || keyword == "fo")
                good = polygon();
            else if (keyword == "o" || keyword == "g")
                group(keyword == "o");
            else if (!keyword.empty() && std::find(skipped.begin(), skipped.end(), keyword) == skipped.end())
                good = fail({FaultKind::Damaged, "statement " + in_quotes(keyword) + " is not supported"});
            if (!good) return fault_;
        } while (cursor_.next_line());
        // Polygons may come before their points, so this cannot be known earlier.
        if (largest_ > mesh_.points.size())
            return located(name_, largest_line_,
                           {FaultKind::BadIndex,
                            "vertex " + std::to_string(largest_) + " of " + std::to_string(mesh_.points.size())});
        if (mesh_.corners.size() == 3 * (mesh_.offsets.size() - 1)) mesh_.offsets.clear();
        mesh_.error = digits_.error(largest_coordinate(mesh_.points));
        return std::move(mesh_);
    }

private:
    static constexpr std::size_t most = 0xfffffffe;

    bool point() {
        Vec3 p;
        for (int d = 0; d < 3; ++d) {
            const std::string_view word = cursor_.word();
            if (!read_coordinate(word, p[d])) return fail(parse_coordinate(word).fault());
            digits_.add(word);
        }
        // A weight or a colour may follow the coordinates.
        for (std::string_view extra = cursor_.word(); !extra.empty(); extra = cursor_.word())
            if (const Result<double> x = parse_number(extra); !x.ok()) return fail(x.fault());
        if (mesh_.points.size() == most) return fail({FaultKind::TooMany, "more vertices than 32 bits can number"});
        mesh_.points.push_back(p);
        return true;
    }

    bool polygon() {
        for (std::string_view corner = cursor_.word(); !corner.empty(); corner = cursor_.word()) {
            long long index = 0;
            const char* end = corner.data() + corner.size();
            const auto [stop, error] = std::from_chars(corner.data(), end, index);
            if (error != std::errc() || !is_tail({stop, end}))
                return fail({FaultKind::Damaged, in_quotes(corner) + " is not a corner"});
            const long long count = static_cast<long long>(mesh_.points.size());
            if (index == 0 || index < -count || index > static_cast<long long>(most))
                return fail({FaultKind::BadIndex,
                             "vertex " + std::to_string(index) + " of " + std::to_string(count) + " so far"});
            if (mesh_.corners.size() == most) return fail({FaultKind::TooMany, "more corners than 32 bits can number"});
            if (index < 0) index += count + 1;
            if (static_cast<std::size_t>(index) > largest_) {
                largest_ = static_cast<std::size_t>(index);
                largest_line_ = cursor_.line();
            }
            mesh_.corners.push_back(static_cast<std::uint32_t>(index - 1));
        }
        const std::size_t corners = mesh_.corners.size() - mesh_.offsets.back();
        if (corners < 3) return fail({FaultKind::BadPolygon, "a polygon with " + std::to_string(corners) + " corners"});
        mesh_.offsets.push_back(static_cast<std::uint32_t>(mesh_.corners.size()));
        return true;
    }

    /// Checks what follows the vertex of a corner: nothing, `/t`, `/t/n` or `//n`.
    static bool is_tail(std::string_view text) {
        if (text.empty()) return true;
        if (text[0] != '/' || std::count(text.begin(), text.end(), '/') > 2) return false;
        return text.find_first_not_of("/-0123456789") == std::string_view::npos;
    }

    /// Starts a group for the polygons that follow, named by the object, or by object and group.
    void group(bool object) {
        if (!groups_) return;
        std::string words;
        for (std::string_view word = cursor_.word(); !word.empty(); word = cursor_.word())
            words.append(words.empty() ? "" : " ").append(word);
        if (object) object_ = words;
        std::string path = object_;
        if (!object && !words.empty()) path.append(path.empty() ? "" : "/").append(words);
        groups_->push_back({std::move(path), static_cast<std::uint32_t>(mesh_.offsets.size() - 1)});
    }

    bool fail(const Fault& fault) {
        fault_ = located(name_, cursor_.line(), fault);
        return false;
    }

    TextCursor cursor_;
    const std::string& name_;
    std::vector<ObjGroup>* groups_;
    std::string object_;
    WrittenDigits digits_;
    Mesh mesh_;
    std::size_t largest_ = 0, largest_line_ = 0;  // the largest vertex number in use, and its line
    Fault fault_{};
};

}  // namespace

Result<Mesh> parse_obj(std::string_view bytes, const std::string& name, std::vector<ObjGroup>* groups) {
    // A file without any bytes is a failed export rather than an empty model.
    if (bytes.empty()) return Fault{FaultKind::Damaged, name + ":1: the file is empty"};
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
        return Fault{FaultKind::Damaged, name + ":1: text in UTF-16; only UTF-8 and ASCII are supported"};
    if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
    return ObjParser(bytes, name, groups).parse();
}

}  // namespace graze::files
