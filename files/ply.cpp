// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "binary.hpp"
#include "mesh_file.hpp"
#include "rounding.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

enum class Type : std::uint8_t { I8, U8, I16, U16, I32, U32, F32, F64 };

struct Property {
    Type type;                  // type of the number, or of the entries of a list
    std::optional<Type> count;  // type of the count; only lists have one
    int axis = -1;              // coordinate of a point that this is; 0 for the list of corners; -1 for all else
};

struct Element {
    std::string_view name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};

constexpr std::uint64_t most = 0xfffffffe;

std::size_t size_of(Type type) {
    constexpr std::array<std::uint8_t, 8> sizes = {1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[static_cast<std::size_t>(type)];
}

std::optional<Type> type_named(std::string_view name) {
    constexpr std::array<std::array<std::string_view, 2>, 8> names = {{{"char", "int8"},
                                                                       {"uchar", "uint8"},
                                                                       {"short", "int16"},
                                                                       {"ushort", "uint16"},
                                                                       {"int", "int32"},
                                                                       {"uint", "uint32"},
                                                                       {"float", "float32"},
                                                                       {"double", "float64"}}};
    for (std::size_t i = 0; i < names.size(); ++i)
        if (name == names[i][0] || name == names[i][1]) return static_cast<Type>(i);
    return std::nullopt;
}

bool is_whole(Type type) { return type < Type::F32; }

double load_number(const char* at, Type type, std::endian order) {
    switch (type) {
        case Type::I8:
            return load<std::int8_t>(at, order);
        case Type::U8:
            return load<std::uint8_t>(at, order);
        case Type::I16:
            return load<std::int16_t>(at, order);
        case Type::U16:
            return load<std::uint16_t>(at, order);
        case Type::I32:
            return load<std::int32_t>(at, order);
        case Type::U32:
            return load<std::uint32_t>(at, order);
        case Type::F32:
            return load<float>(at, order);
        default:
            return load<double>(at, order);
    }
}

std::int64_t load_whole(const char* at, Type type, std::endian order) {
    if (type == Type::I32) return load<std::int32_t>(at, order);
    if (type == Type::U8) return load<std::uint8_t>(at, order);
    return static_cast<std::int64_t>(load_number(at, type, order));
}

class PlyParser {
public:
    PlyParser(std::string_view bytes, const std::string& name) : bytes_(bytes), cursor_(bytes), name_(name) {}

    Result<Mesh> parse() {
        if (!header()) return fault_;
        for (const Element& element : elements_) {
            const std::uint64_t least = least_bytes(element);
            const std::uint64_t left = binary_ ? bytes_.size() - at_ : cursor_.left();
            if (least == 0) continue;
            if (element.count > (left + !binary_) / least) {  // the last line's end may be missing
                fail({FaultKind::Damaged, "the header claims " + std::to_string(element.count) + " of " +
                                              in_quotes(element.name) + ", for which " + std::to_string(left) +
                                              " bytes are too few"});
                return fault_;
            }
            if (!(binary_ ? binary_rows(element) : text_rows(element))) return fault_;
        }
        if (!ended() || !indices()) return fault_;
        if (mesh_.corners.size() == 3 * (mesh_.offsets.size() - 1)) mesh_.offsets.clear();
        mesh_.error = error(largest_coordinate(mesh_.points));
        return std::move(mesh_);
    }

private:
    /// The least number of bytes that a row takes. In text a number takes a digit and a blank. A face has three
    /// corners.
    std::uint64_t least_bytes(const Element& element) const {
        std::uint64_t least = 0;
        for (const Property& p : element.properties) {
            least += binary_ ? size_of(p.count ? *p.count : p.type) : 2;
            if (p.count && p.axis >= 0) least += 3 * (binary_ ? size_of(p.type) : 2);
        }
        return least;
    }

    bool header() {
        if (bytes_.empty()) return fail({FaultKind::Damaged, "the file is empty"});
        if (cursor_.word() != "ply") return fail({FaultKind::Damaged, "not a PLY file: it does not start with 'ply'"});
        bool format = false;
        while (cursor_.next_line()) {
            const std::string_view keyword = cursor_.word();
            bool good = true;
            if (keyword == "end_header") {
                if (!format) return fail({FaultKind::Damaged, "the header names no format"});
                if (!complete()) return false;
                cursor_.next_line();
                at_ = bytes_.size() - cursor_.left();
                return true;
            }
            if (keyword == "format")
                good = format = format_line();
            else if (keyword == "element")
                good = element_line();
            else if (keyword == "property")
                good = property_line();
            else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info" &&
                     keyword != "Created")  // by Blender before 2.5, without "comment"
                good = fail({FaultKind::Damaged, in_quotes(keyword) + " has no place in a header"});
            if (!good) return false;
        }
        return fail({FaultKind::Damaged, "'end_header' expected, the file ends"});
    }

    bool format_line() {
        const std::string_view word = cursor_.word();
        binary_ = word != "ascii";
        order_ = word == "binary_big_endian" ? std::endian::big : std::endian::little;
        if (binary_ && order_ == std::endian::little && word != "binary_little_endian")
            return fail({FaultKind::Damaged, in_quotes(word) + " is not a format of PLY"});
        return true;
    }

    bool element_line() {
        Element element;
        element.name = cursor_.word();
        const std::string_view count = cursor_.word();
        const auto [stop, error] = std::from_chars(count.data(), count.data() + count.size(), element.count);
        if (count.empty()) return fail({FaultKind::Damaged, "a count is missing"});
        if (error != std::errc() || stop != count.data() + count.size())
            return fail({FaultKind::Damaged, in_quotes(count) + " is not a count"});
        for (const Element& other : elements_)
            if (other.name == element.name && (element.name == "vertex" || element.name == "face"))
                return fail({FaultKind::Damaged, "a second element " + in_quotes(element.name)});
        if (element.count > most && (element.name == "vertex" || element.name == "face"))
            return fail({FaultKind::TooMany, "more of " + in_quotes(element.name) + " than 32 bits can number"});
        elements_.push_back(std::move(element));
        return true;
    }

    bool property_line() {
        if (elements_.empty()) return fail({FaultKind::Damaged, "a property before any element"});
        Element& element = elements_.back();
        Property property{};
        std::string_view word = cursor_.word();
        if (word == "list") {
            word = cursor_.word();
            property.count = type_named(word);
            if (!property.count || !is_whole(*property.count))
                return fail({FaultKind::Damaged, in_quotes(word) + " is not a type of a list's length"});
            word = cursor_.word();
        }
        const std::optional<Type> type = type_named(word);
        if (!type) return fail({FaultKind::Damaged, in_quotes(word) + " is not a type"});
        property.type = *type;
        const std::string_view name = cursor_.word();
        if (element.name == "vertex" && !property.count && name.size() == 1 && name[0] >= 'x' && name[0] <= 'z')
            property.axis = name[0] - 'x';
        if (element.name == "face" && (name == "vertex_indices" || name == "vertex_index")) {
            if (!property.count || !is_whole(property.type))
                return fail({FaultKind::Damaged, in_quotes(name) + " is not a list of whole numbers"});
            property.axis = 0;
        }
        for (const Property& other : element.properties)
            if (property.axis >= 0 && other.axis == property.axis)
                return fail({FaultKind::Damaged, "a second property " + in_quotes(name)});
        element.properties.push_back(property);
        return true;
    }

    /// Rounding error of the numbers in the file. Whole numbers are taken as exact.
    double error(double largest) const {
        bool single = false, real = false;
        for (const Element& element : elements_)
            for (const Property& p : element.properties) {
                const bool coordinate = element.name == "vertex" && p.axis >= 0;
                single = single || (coordinate && p.type == Type::F32);
                real = real || (coordinate && p.type == Type::F64);
            }
        if (!binary_) return digits_.error(largest, single);
        return single ? single_rounding(largest) : real ? double_rounding(largest) : 0;
    }

    /// Checks that the header has what a mesh needs.
    bool complete() {
        mesh_.offsets.push_back(0);
        for (const Element& element : elements_) {
            const auto used = std::count_if(element.properties.begin(), element.properties.end(),
                                            [](const Property& p) { return p.axis >= 0; });
            if (element.name == "vertex" && used != 3)
                return fail({FaultKind::Damaged, "'vertex' lacks one of the properties x, y and z"});
            if (element.name == "face" && used != 1)
                return fail({FaultKind::Damaged, "'face' lacks the property 'vertex_indices'"});
            if (element.name == "tristrips" && element.count > 0)
                return fail({FaultKind::Damaged, "strips of triangles are not supported"});
        }
        return true;
    }

    /// The caller has checked that the bytes can hold this many rows.
    void make_room(const Element& element) {
        if (element.name == "vertex") mesh_.points.reserve(element.count);
        if (element.name == "face") {
            mesh_.offsets.reserve(element.count + 1);
            mesh_.corners.reserve(3 * element.count);
        }
    }

    bool text_rows(const Element& element) {
        make_room(element);
        const bool vertex = element.name == "vertex";
        for (std::uint64_t row = 0; row < element.count; ++row) {
            std::string_view word = cursor_.word_anywhere();
            Vec3 p;
            for (const Property& property : element.properties) {
                std::int64_t entries = 1;
                if (property.count) {
                    if (!whole(word, entries)) return false;
                    if (entries < 0)
                        return fail({FaultKind::Damaged, "a list with " + std::to_string(entries) + " entries"});
                    word = entries > 0 ? cursor_.word() : word;
                }
                for (std::int64_t i = 0; i < entries; ++i, word = i < entries ? cursor_.word() : word) {
                    std::int64_t index = 0;
                    if (vertex && property.axis >= 0) {
                        if (!read_coordinate(word, p[property.axis])) return fail(parse_coordinate(word).fault());
                        digits_.add(word);
                    } else if (property.axis >= 0) {
                        if (!whole(word, index) || !corner(index)) return false;
                    } else if (word.empty()) {
                        return fail({FaultKind::Damaged, "a number is missing"});
                    }
                }
                if (property.axis >= 0 && !vertex && !close_polygon()) return false;
                if (&property != &element.properties.back()) word = cursor_.word();
            }
            if (vertex) mesh_.points.push_back(p);
            if (const std::string_view extra = cursor_.word(); !extra.empty())
                return fail({FaultKind::Damaged, in_quotes(extra) + " is more than the header names"});
        }
        return true;
    }

    bool whole(std::string_view word, std::int64_t& value) {
        if (word.empty()) return fail({FaultKind::Damaged, "a number is missing"});
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error == std::errc() && stop == word.data() + word.size()) return true;
        return fail({FaultKind::Damaged, in_quotes(word) + " is not a whole number"});
    }

    bool binary_rows(const Element& element) {
        make_room(element);
        element_ = element.name;
        const bool vertex = element.name == "vertex";
        for (row_ = 0; row_ < element.count; ++row_) {
            Vec3 p;
            for (const Property& property : element.properties) {
                std::int64_t entries = 1;
                if (property.count) {
                    if (bytes_.size() - at_ < size_of(*property.count)) return cut_short();
                    entries = load_whole(bytes_.data() + at_, *property.count, order_);
                    if (entries < 0)
                        return fail({FaultKind::Damaged, "a list with " + std::to_string(entries) + " entries"});
                    at_ += size_of(*property.count);
                }
                const std::size_t size = size_of(property.type);
                if ((bytes_.size() - at_) / size < static_cast<std::uint64_t>(entries)) return cut_short();
                if (property.axis < 0) {
                    at_ += size * static_cast<std::uint64_t>(entries);
                } else if (vertex) {
                    const double x = load_number(bytes_.data() + at_, property.type, order_);
                    if (!(std::abs(x) <= max_coordinate))
                        return fail(std::isfinite(x) ? Fault{FaultKind::OutOfRange, "a coordinate is beyond 2^1000"}
                                                     : Fault{FaultKind::NotFinite, "a coordinate is not finite"});
                    p[property.axis] = x;
                    at_ += size;
                } else {
                    for (std::int64_t i = 0; i < entries; ++i, at_ += size)
                        if (!corner(load_whole(bytes_.data() + at_, property.type, order_))) return false;
                    if (!close_polygon()) return false;
                }
            }
            if (vertex) mesh_.points.push_back(p);
        }
        element_ = {};
        return true;
    }

    bool cut_short() { return fail({FaultKind::Damaged, "the file ends"}); }

    bool corner(std::int64_t index) {
        if (index < 0 || index > static_cast<std::int64_t>(most))
            return fail({FaultKind::BadIndex, "a corner names vertex " + std::to_string(index)});
        if (mesh_.corners.size() == most) return fail({FaultKind::TooMany, "more corners than 32 bits can number"});
        if (static_cast<std::uint64_t>(index) >= largest_) {
            largest_ = static_cast<std::uint64_t>(index) + 1;
            largest_line_ = cursor_.line();
            largest_face_ = mesh_.offsets.size() - 1;
        }
        mesh_.corners.push_back(static_cast<std::uint32_t>(index));
        return true;
    }

    bool close_polygon() {
        const std::size_t corners = mesh_.corners.size() - mesh_.offsets.back();
        if (corners < 3) return fail({FaultKind::BadPolygon, "a polygon with " + std::to_string(corners) + " corners"});
        mesh_.offsets.push_back(static_cast<std::uint32_t>(mesh_.corners.size()));
        return true;
    }

    /// Checks that only blanks follow the last row. Anything more means that a count is wrong.
    bool ended() {
        if (!binary_) {
            const std::string_view extra = cursor_.word_anywhere();
            return extra.empty() || fail({FaultKind::Damaged, in_quotes(extra) + " after the last row"});
        }
        if (bytes_.find_first_not_of(std::string_view(" \t\r\n\0", 5), at_) == std::string_view::npos) return true;
        return fail({FaultKind::Damaged,
                     std::to_string(bytes_.size() - at_) + " bytes more than the rows that the header claims"});
    }

    /// Faces may come before the vertices, so this cannot be known earlier.
    bool indices() {
        if (largest_ <= mesh_.points.size()) return true;
        const Fault what{FaultKind::BadIndex, "a corner names vertex " + std::to_string(largest_ - 1) + " of " +
                                                  std::to_string(mesh_.points.size())};
        fault_ = binary_ ? Fault{what.kind, name_ + ": face " + std::to_string(largest_face_) + ": " + what.message}
                         : located(name_, largest_line_, what);
        return false;
    }

    bool fail(const Fault& fault) {
        if (at_ == 0 || !binary_)
            fault_ = located(name_, cursor_.line(), fault);
        else if (element_.empty())
            fault_ = {fault.kind, name_ + ": byte " + std::to_string(at_) + ": " + fault.message};
        else
            fault_ = {fault.kind, name_ + ": " + in_quotes(element_) + " " + std::to_string(row_) + " (byte " +
                                      std::to_string(at_) + "): " + fault.message};
        return false;
    }

    std::string_view bytes_;
    TextCursor cursor_;
    const std::string& name_;
    std::vector<Element> elements_;
    bool binary_ = false;
    std::endian order_ = std::endian::little;
    std::size_t at_ = 0;          // next byte to read, in binary data
    std::string_view element_{};  // element that is being read, in binary data
    std::uint64_t row_ = 0;
    WrittenDigits digits_;
    Mesh mesh_;
    std::uint64_t largest_ = 0, largest_line_ = 0,
                  largest_face_ = 0;  // one more than the highest index, its line and its face
    Fault fault_{};
};

}  // namespace

Result<Mesh> parse_ply(std::string_view bytes, const std::string& name) { return PlyParser(bytes, name).parse(); }

}  // namespace graze::files
