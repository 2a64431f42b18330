// SPDX-License-Identifier: Apache-2.0
#include "stated.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "text.hpp"
#include "zip.hpp"

namespace graze::files {

namespace {

/// The part of a text that states a unit, if any does. It comes first in all formats.
constexpr std::size_t head_size = std::size_t{1} << 16;

/// The first tag that starts with `start`, such as `<unit`, without its end. Empty when there is none.
std::string_view tag_of(std::string_view text, std::string_view start) {
    for (std::size_t at = text.find(start); at != text.npos; at = text.find(start, at + 1)) {
        const std::size_t after = at + start.size();
        if (after < text.size() && std::isspace(static_cast<unsigned char>(text[after])))
            return text.substr(at, text.find('>', at) - at);
    }
    return {};
}

/// The value of an attribute of a tag. Empty when the tag has none.
std::string_view attribute_of(std::string_view tag, std::string_view name) {
    for (std::size_t at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
        if (at == 0 || !std::isspace(static_cast<unsigned char>(tag[at - 1]))) continue;
        const std::size_t quote = tag.find_first_not_of(" \t\r\n=", at + name.size());
        if (quote == tag.npos || (tag[quote] != '"' && tag[quote] != '\'')) continue;
        return tag.substr(quote + 1, tag.find(tag[quote], quote + 1) - quote - 1);
    }
    return {};
}

/// The length of a unit of 3MF or AMF in metres. Both are in millimetres when they state none.
double printing_unit(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, double>, 7> units = {{{"micron", 1e-6},
                                                                           {"millimeter", 1e-3},
                                                                           {"centimeter", 1e-2},
                                                                           {"inch", 0.0254},
                                                                           {"foot", 0.3048},
                                                                           {"feet", 0.3048},
                                                                           {"meter", 1}}};
    const auto* at = std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit.first == name; });
    return at == units.end() ? 1e-3 : at->second;
}

double positive(std::string_view word, double otherwise) {
    const Result<double> x = parse_number(word);
    return x.ok() && *x > 0 ? *x : otherwise;
}

/// COLLADA is in metres with y up when it states nothing else.
Conventions collada(std::string_view text) {
    const std::string_view asset = text.substr(std::min(text.find("<asset"), text.size()));
    const std::string_view head = asset.substr(0, asset.find("</asset>"));
    Conventions out{"COLLADA", positive(attribute_of(tag_of(head, "<unit"), "meter"), 1), 'y'};
    if (head.find("Z_UP") != head.npos) out.up = 'z';
    if (head.find("X_UP") != head.npos) out.up = 'x';
    return out;
}

/// The unit of a DXF file: the number two lines below its name. 0 when the drawing has none.
double dxf_unit(std::string_view text) {
    constexpr std::array<double, 8> units = {0, 0.0254, 0.3048, 1609.344, 1e-3, 1e-2, 1, 1e3};
    TextCursor cursor(text.substr(std::min(text.find("$INSUNITS"), text.size())));
    for (int word = 0; word < 2; ++word) cursor.word_anywhere();
    const Result<double> number = parse_number(cursor.word_anywhere());
    for (std::size_t i = 0; number.ok() && i < units.size(); ++i)
        if (*number == static_cast<double>(i)) return units[i];
    return 0;
}

/// The beginning of a text in a zip archive whose name has this ending.
std::string packed_head(std::string_view zip, std::string_view ending) {
    std::string head;
    unpack(zip, ending, [&](const std::string&) {
        return [&](std::string_view piece) {
            head = piece.substr(0, head_size);
            return false;
        };
    });
    return head;
}

/// The text of an attribute, with the five characters that XML writes in another way.
std::string unescaped(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 5> known = {
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string out;
    while (!text.empty()) {
        const auto* at =
            std::find_if(known.begin(), known.end(), [&](const auto& k) { return text.starts_with(k.first); });
        out += at == known.end() ? text[0] : at->second;
        text.remove_prefix(at == known.end() ? 1 : at->first.size());
    }
    return out;
}

}  // namespace

std::map<std::string, std::string> object_names_3mf(const std::string& path) {
    std::map<std::string, std::string> names;
    const Result<Bytes> bytes = Bytes::of(path);
    if (!bytes) return names;
    unpack(bytes->view(), ".model", [&](const std::string&) -> Piece {
        return [&names, tag = std::string()](std::string_view piece) mutable {
            for (const char c : piece) {
                if (c == '<') tag.clear();
                // Longer than any tag of an object. The rest of a longer one is not kept.
                if (tag.size() < 4096) tag += c;
                if (c != '>' || tag_of(tag, "<object").empty()) continue;
                const std::string_view id = attribute_of(tag, "id"), name = attribute_of(tag, "name");
                if (!name.empty()) names["Object_" + std::string(id)] = unescaped(name);
            }
            return true;
        };
    });
    return names;
}

Conventions stated_conventions(const std::string& path) {
    const std::string kind = extension(path);
    const auto is = [&](std::initializer_list<std::string_view> all) {
        return std::find(all.begin(), all.end(), kind) != all.end();
    };
    Conventions out;
    for (const char c : kind)
        if (c != '.') out.format += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (is({".3ds", ".prj", ".ase", ".ask", ".dxf", ".ifc", ".ifczip", ".md2", ".md3", ".mdc", ".mdl", ".md5mesh",
            ".iqm"}))
        out.up = 'z';
    if (is({".x3d", ".x3db", ".wrl"})) out = {kind == ".wrl" ? "VRML" : "X3D", 1, 'y'};
    if (is({".ifc", ".ifczip"})) out.metres = 1;
    if (!is({".3mf", ".amf", ".dae", ".zae", ".dxf", ".x3d"})) return out;
    const Result<Bytes> bytes = Bytes::of(path);
    if (!bytes) return out;
    const std::string_view text = bytes->view(), head = text.substr(0, head_size);
    if (kind == ".dae") return collada(head);
    if (kind == ".zae") return collada(packed_head(text, ".dae"));
    if (kind == ".3mf")
        return {"3MF", printing_unit(attribute_of(tag_of(packed_head(text, ".model"), "<model"), "unit")), 'z'};
    if (kind == ".amf") out.metres = printing_unit(attribute_of(tag_of(head, "<amf"), "unit"));
    if (kind == ".dxf") out.metres = dxf_unit(head);
    if (const std::string_view unit = tag_of(head, "<unit");
        kind == ".x3d" && attribute_of(unit, "category") == "length")
        out.metres = positive(attribute_of(unit, "conversionFactor"), 1);
    return out;
}

}  // namespace graze::files
