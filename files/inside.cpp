// SPDX-License-Identifier: Apache-2.0
#include "inside.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "text.hpp"

namespace graze::files {

namespace fs = std::filesystem;

namespace {

/// True when the file lies in the folder or below it. Links in the folder's own path are followed. The file's path has
/// none left.
bool is_below(const fs::path& file, const fs::path& folder) {
    std::error_code error;
    fs::path root = fs::canonical(folder, error);
    if (error) return false;
    if (!root.has_filename()) root = root.parent_path();  // "a/" becomes "a"
    return std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
}

}  // namespace

Result<std::string> resolve_reference(const std::string& model, std::string_view reference,
                                      std::span<const std::string> allowed) {
    const auto refused = [&](const std::string& why) {
        return Fault{FaultKind::File, model + ": it names " + in_quotes(reference) + ", " + why};
    };
    if (reference.empty() || reference.find('\0') != reference.npos) return refused("which is not the name of a file");
    std::error_code error;
    const fs::path own = fs::path(model).parent_path(), folder = own.empty() ? fs::path(".") : own;
    fs::path file = fs::weakly_canonical(fs::absolute(folder, error) / reference, error);
    // "absent/../link" becomes "link" only now: the second round follows it.
    if (!error) file = fs::weakly_canonical(file, error);
    if (error) return refused("which cannot be followed: " + error.message());
    if (!is_below(file, folder) &&
        std::none_of(allowed.begin(), allowed.end(), [&](const std::string& one) { return is_below(file, one); }))
        return refused("which is outside of its folder (--allow-folder DIR lets it read there)");
    if (fs::exists(file, error) && !fs::is_regular_file(file, error)) return refused("which is not a plain file");
    return file.string();
}

std::string percent_decoded(std::string_view uri) {
    std::string out;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        unsigned char byte = 0;
        const char* digits = uri.data() + i + 1;
        if (uri[i] == '%' && i + 2 < uri.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += uri[i];
        }
    }
    return out;
}

}  // namespace graze::files
