// SPDX-License-Identifier: Apache-2.0
#include "conventions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

namespace graze::files {

namespace {

std::string short_number(double x) {
    std::array<char, 32> text;
    return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.6g", x))};
}

/// The unit in words: `millimetres`.
std::string unit_name(double metres) {
    constexpr std::array<std::pair<double, const char*>, 7> known = {{{1, "metres"},
                                                                      {1e-2, "centimetres"},
                                                                      {1e-3, "millimetres"},
                                                                      {1e-6, "micrometres"},
                                                                      {0.0254, "inches"},
                                                                      {0.3048, "feet"},
                                                                      {1e3, "kilometres"}}};
    for (const auto& [size, name] : known)
        if (std::abs(metres / size - 1) < 1e-6) return name;
    return "units of " + short_number(metres) + " m";
}

/// Changes that were made to a file without being asked for: `glTF is y-up: turned to z-up (--up keep leaves it)`.
/// Empty when nothing was.
std::string conversion(const Conventions& c, const ReadOptions& options, bool offers) {
    const Up axis = turned_axis(c, options);
    const bool turned = options.up == Up::Stated && (axis == Up::X || axis == Up::Y);
    const bool scaled = c.metres > 0 && std::abs(c.metres - 1) > 1e-9;
    const std::string up = std::string(1, c.up) + "-up", undo = "--scale " + short_number(1 / c.metres);
    const auto hint = [&](const std::string& text) { return offers ? " (" + text + ")" : ""; };
    if (turned && scaled)
        return c.format + " in " + unit_name(c.metres) + ", " + up + ": scaled to metres, turned to z-up" +
               hint(undo + " and --up keep undo it");
    if (turned) return c.format + " is " + up + ": turned to z-up" + hint("--up keep leaves it");
    if (scaled) return c.format + " in " + unit_name(c.metres) + ": scaled to metres" + hint(undo + " undoes it");
    return "";
}

/// A file's coordinates, as far as they are known once it is read.
struct Known {
    bool metres = false;
    char up = 0;

    bool operator==(const Known&) const = default;
};

Known known_of(const Conventions& c, const ReadOptions& options) {
    const bool given = options.up == Up::X || options.up == Up::Y || options.up == Up::Z;
    return {c.metres > 0, given || (options.up == Up::Stated && c.up != 0) ? 'z' : c.up};
}

std::string in_words(const Known& known, bool one) {
    const std::string up(1, known.up), is = one ? "is" : "are", states = one ? "states" : "state";
    if (known.metres && known.up) return is + " in metres with " + up + " up";
    if (known.metres) return is + " in metres and " + states + " no up axis";
    if (known.up) return (one ? "has " : "have ") + up + " up and " + states + " no unit";
    return states + " neither unit nor up axis";
}

/// The first file that something is true of, and the number of those files.
struct Group {
    std::string first;
    std::size_t count = 0;

    std::string names() const { return names_of(first, count); }
};

/// Counts a file in the group of its key. Groups stay in the order of their first files.
template <class Key>
void count(std::vector<std::pair<Key, Group>>& groups, const Key& key, const std::string& path) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == key; });
    if (at == groups.end()) at = groups.insert(at, {key, {path, 0}});
    ++at->second.count;
}

/// The number after `EPSG`; empty when there is none.
std::string epsg_code(const std::string& crs) {
    const std::size_t name = std::min(crs.find("EPSG"), crs.find("epsg"));
    if (name == crs.npos) return "";
    const std::size_t first = std::min(crs.find_first_of("0123456789", name), crs.size());
    return crs.substr(first, crs.find_first_not_of("0123456789", first) - first);
}

/// Says which files are on a map when others are not. Empty when all are alike.
std::string map_note(std::span<const FileConventions> files) {
    Group stated, unstated;
    std::string crs;
    for (const FileConventions& file : files) {
        if (file.conventions.format != "IFC") continue;
        Group& group = file.conventions.map ? stated : unstated;
        if (group.count++ == 0) group.first = file.path;
        if (crs.empty() && file.conventions.map) crs = file.conventions.map->crs;
    }
    if (stated.count == 0 || unstated.count == 0) return "";
    return stated.names() + (stated.count == 1 ? " says" : " say") + " where on a map the coordinates are" +
           (crs.empty() ? "" : " (" + crs + ")") + ", " + unstated.names() + (unstated.count == 1 ? " does" : " do") +
           " not: they are compared as they are";
}

}  // namespace

Result<Affine> placement_by_map(const Conventions& first, const Conventions& other, const ReadOptions& options) {
    if (!first.map || !other.map || first.map == other.map) return Affine();
    const MapConversion &to = *first.map, &from = *other.map;
    const std::string a = epsg_code(to.crs), b = epsg_code(from.crs);
    if (!a.empty() && !b.empty() && a != b) return Fault{FaultKind::File, "its map is " + from.crs + ", not " + to.crs};
    // One turn, so that its cosine is 1 where both are turned alike.
    const bool alike = to.cosine == from.cosine && to.sine == from.sine;
    const double cosine = alike ? 1 : to.cosine * from.cosine + to.sine * from.sine;
    const double sine = alike ? 0 : to.cosine * from.sine - to.sine * from.cosine, scale = from.scale / to.scale;
    const Mat3 linear{
        {Vec3{scale * cosine, -scale * sine, 0}, Vec3{scale * sine, scale * cosine, 0}, Vec3{0, 0, scale}}};
    const Vec3 apart = (from.origin - to.origin) * (1 / to.scale);
    const Vec3 moved{to.cosine * apart.x + to.sine * apart.y, to.cosine * apart.y - to.sine * apart.x, apart.z};
    const Mat3 turn = to_z_up(options.up);
    return Affine::from_matrix(turn * linear * transpose(turn), turn * moved * options.scale);
}

std::string map_move_note(const Affine& placement, const FileConventions& first, const ReadOptions& options) {
    const std::string& crs = first.conventions.map->crs;
    const Mat3& m = placement.linear();
    const double trace = (m.row[0].x + m.row[1].y + m.row[2].z) / std::cbrt(dot(m.row[0], cross(m.row[1], m.row[2])));
    const double degrees = std::acos(std::clamp((trace - 1) / 2, -1.0, 1.0)) * 180 / std::numbers::pi;
    return "moved by " + short_number(length(placement.translation()) / options.scale) + " m" +
           (degrees > 1e-6 ? " and turned by " + short_number(degrees) + "°" : "") +
           " to where the map has it beside " + first.path + (crs.empty() ? "" : " (" + crs + ")");
}

std::string names_of(const std::string& first, std::size_t count) {
    if (count == 1) return first;
    return first + " and " + std::to_string(count - 1) + (count == 2 ? " other" : " others");
}

Up turned_axis(const Conventions& conventions, const ReadOptions& options) {
    if (options.up != Up::Stated) return options.up;
    return conventions.up == 'x' ? Up::X : conventions.up == 'y' ? Up::Y : Up::Keep;
}

double length_factor(const Conventions& conventions, const ReadOptions& options) {
    return (conventions.metres > 0 ? conventions.metres : 1) * options.scale;
}

std::vector<std::string> differences(std::span<const FileConventions> files, const ReadOptions& options) {
    std::vector<std::pair<Known, Group>> kinds;
    for (const FileConventions& file : files) count(kinds, known_of(file.conventions, options), file.path);
    std::vector<std::string> out;
    if (std::string one = map_note(files); !one.empty()) out.push_back(std::move(one));
    if (kinds.size() < 2) return out;
    std::string differ;
    for (const auto& [known, group] : kinds)
        differ += (differ.empty() ? "" : ", ") + group.names() + " " + in_words(known, group.count == 1);
    out.push_back(differ + ": they are compared as they are");
    return out;
}

std::vector<std::string> notes_on(std::span<const FileConventions> files, const ReadOptions& options, bool offers) {
    std::vector<std::pair<std::string, Group>> conversions;
    for (const FileConventions& file : files)
        if (const std::string done = conversion(file.conventions, options, offers); !done.empty())
            count(conversions, done, file.path);
    std::vector<std::string> notes;
    for (const auto& [done, group] : conversions) notes.push_back(group.names() + ": " + done);
    for (std::string& one : differences(files, options)) notes.push_back(std::move(one));
    return notes;
}

}  // namespace graze::files
