// SPDX-License-Identifier: Apache-2.0
#include "checks/baseline_parts.hpp"

#include <algorithm>

#include "checks/encode.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

/// True when one is the end of the other, whole names only: the same file seen from different folders.
bool same_file(const std::string& a, const std::string& b) {
    const auto ends = [](const std::string& path, const std::string& end) {
        return path == end || path.ends_with("/" + end);
    };
    return ends(a, b) || ends(b, a);
}

/// The beginning of the paths of a file's parts when there are several files: `screws/m4` for `plant/screws/m4.obj`,
/// where plant is the folder that was read.
std::string beginning(const std::string& file_name) {
    std::string out = file_name.substr(file_name.find('/') + 1);
    return out.substr(0, out.size() - files::extension(out).size());
}

bool begins_with(const std::string& path, const std::string& beginning) {
    return path == beginning || path.starts_with(beginning + "/");
}

}  // namespace

PartsNow::PartsNow(const Parts& parts, const std::vector<Gone>& earlier) : parts_(parts) {
    for (std::uint32_t i = 0; i < parts.parts.size(); ++i) {
        by_path_.emplace(as_utf8(parts.parts[i].path), i);
        if (const std::string& id = parts.parts[i].labels.id; !id.empty()) by_id_.emplace(as_utf8(id), i);
    }
    ids_hold_ = std::ranges::any_of(
        earlier, [&](const Gone& one) { return by_id_.contains(one.id_a) || by_id_.contains(one.id_b); });
    // Where the earlier run did not say the file, the path stands for it.
    std::map<std::pair<std::string, bool>, std::string> known;
    const auto add = [&](const std::string& id, const std::string& path, const std::string& file) {
        const std::string& where = file.empty() ? path : file;
        const auto [at, fresh] = known.emplace(std::pair(id, file.empty()), where);
        if (!fresh && at->second != where) shared_.insert(id);
    };
    for (const Gone& one : earlier) {
        add(one.id_a, one.a, one.file_a);
        add(one.id_b, one.b, one.file_b);
        if (one.id_a == one.id_b) shared_.insert(one.id_a);
    }
}

std::optional<std::uint32_t> PartsNow::by_path(const std::string& path) const {
    const auto at = by_path_.find(path);
    return at == by_path_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::uint32_t> PartsNow::find(const EarlierPart& part) const {
    const std::optional<std::uint32_t> here = by_path(part.path);
    if (!part.id.empty() && ids_hold_) {
        const auto [first, last] = by_id_.equal_range(part.id);
        if (first != last && std::next(first) == last && !shared_.contains(part.id)) return first->second;
        // Several files may have the same part: the path tells which.
        for (auto at = first; at != last; ++at)
            if (here == at->second) return here;
        if (here && !parts_.parts[*here].labels.id.empty()) return {};
    }
    if (here || part.file.empty()) return here;
    const std::string file = beginning(part.file);
    const std::optional<std::uint32_t> other = begins_with(part.path, file) && part.path.size() > file.size()
                                                   ? by_path(part.path.substr(file.size() + 1))
                                                   : by_path(file + "/" + part.path);
    return other && same_file(part.file, parts_.file_name(parts_.parts[*other])) ? other : std::nullopt;
}

PartsNow::Fate PartsNow::fate(const EarlierPart& part) const {
    const auto not_checked = [&](const std::string& why) { return Fate{State::NotChecked, why}; };
    const auto gone = [&](const std::string& why) { return Fate{State::PartGone, why}; };
    const std::string leaf = part.path.substr(part.path.rfind('/') + 1);
    for (const LeftOut& one : parts_.left_out)
        if (!one.product.empty() && (one.id.empty() || part.id.empty() ? one.product == part.path : one.id == part.id))
            return not_checked(leaf + " has no triangles, and is left out of " + one.file);
    if (parts_.file_names.empty()) return gone(leaf + " is not among the parts");
    const auto folder_of = [](const std::string& file) {
        return file.substr(0, std::min(file.find('/'), file.size()));
    };
    if (!part.file.empty()) {
        for (const LeftOut& one : parts_.left_out)
            if (one.product.empty() && same_file(one.file, part.file)) return not_checked(one.file + " was not read");
        for (const std::string& name : parts_.file_names)
            if (same_file(name, part.file)) return gone(leaf + " is no longer in " + name);
        const bool below_a_folder =
            part.file.find('/') != std::string::npos && std::ranges::count(parts_.folders, folder_of(part.file)) > 0;
        if (below_a_folder) return gone("there is no " + part.file + " any more");
        return not_checked(part.file + " is not among the files of this run");
    }
    for (const std::string& name : parts_.file_names)
        if (begins_with(part.path, beginning(name))) return gone(leaf + " is no longer in " + name);
    return not_checked("the baseline does not say which file " + leaf + " is from");
}

}  // namespace graze::checks
