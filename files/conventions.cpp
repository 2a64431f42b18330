// SPDX-License-Identifier: Apache-2.0
#include "conventions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
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

    std::string names() const {
        return first + (count == 1   ? ""
                        : count == 2 ? " and 1 other"
                                     : " and " + std::to_string(count - 1) + " others");
    }
};

/// Counts a file in the group of its key. Groups stay in the order of their first files.
template <class Key>
void count(std::vector<std::pair<Key, Group>>& groups, const Key& key, const std::string& path) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == key; });
    if (at == groups.end()) at = groups.insert(at, {key, {path, 0}});
    ++at->second.count;
}

}  // namespace

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
    if (kinds.size() < 2) return {};
    std::string differ;
    for (const auto& [known, group] : kinds)
        differ += (differ.empty() ? "" : ", ") + group.names() + " " + in_words(known, group.count == 1);
    return {differ + ": they are compared as they are"};
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
