// SPDX-License-Identifier: Apache-2.0
#include "checks/part_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "files/assembly.hpp"

namespace graze::checks {

namespace fs = std::filesystem;

namespace {

bool hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

/// Why an entry of a folder that is no regular file may hide parts; empty when it cannot.
std::string why_not_read(const fs::directory_entry& entry) {
    std::error_code ignored;
    const bool folder = entry.is_directory(ignored), link = entry.is_symlink(ignored);
    if (folder) return link ? "links to folders are not followed" : "";
    const bool may_be_mesh = files::is_mesh_name(entry.path().string()) || (link && !entry.path().has_extension());
    if (!may_be_mesh) return "";
    return link && !entry.exists(ignored) ? "the link leads nowhere" : "this is not a file";
}

}  // namespace

std::string folder_name(const std::string& folder) {
    std::error_code ignored;
    const fs::path path = fs::absolute(folder, ignored).lexically_normal();
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Result<void> add_folder(const std::string& folder, PartFiles& out) {
    std::error_code error;
    std::vector<fs::path> found;
    std::vector<LeftOut> left_out;
    std::size_t others = 0;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (hidden(at->path())) {
            at.disable_recursion_pending();
            continue;
        }
        std::error_code ignored;
        const std::string path = at->path().string();
        if (!at->is_regular_file(ignored)) {
            if (const std::string why = why_not_read(*at); !why.empty())
                left_out.push_back({path, "", "", path + ": " + why});
        } else if (files::is_mesh_name(path)) {
            found.push_back(at->path());
        } else {
            ++others;
        }
    }
    if (error) return Fault{FaultKind::File, folder + ": " + error.message()};
    if (found.empty() && left_out.empty())
        return Fault{FaultKind::File, folder + ": the folder has no meshes or scenes"};
    std::sort(found.begin(), found.end());
    std::ranges::sort(left_out, {}, &LeftOut::file);
    std::ranges::move(left_out, std::back_inserter(out.left_out));
    const std::string own_name = folder_name(folder);
    for (const fs::path& path : found) {
        fs::path below = path.lexically_relative(folder);
        const std::string file_name = own_name + "/" + below.generic_string();
        out.sources.push_back({path.string(), below.replace_extension().generic_string(), file_name});
    }
    if (others > 0)
        out.notes.push_back(folder + ": " + std::to_string(others) +
                            (others == 1 ? " file of another kind is left out" : " files of other kinds are left out"));
    return {};
}

std::vector<std::string> files_of(std::span<const std::string> paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        std::error_code ignored;
        PartFiles found;
        if (!fs::is_directory(path, ignored) || !add_folder(path, found))
            files.push_back(path);  // a folder that cannot be read is left out
        for (PartFile& source : found.sources) files.push_back(std::move(source.file));
        for (LeftOut& one : found.left_out) files.push_back(std::move(one.file));
    }
    return files;
}

}  // namespace graze::checks
