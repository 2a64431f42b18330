// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace graze::files {

/// A new folder that is removed in the end, with everything in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path(error_) / "graze-XXXXXX").string();
        if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~TemporaryFolder() {
        if (!path_.empty()) std::filesystem::remove_all(path_, error_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Empty when the system gave no folder.
    const std::string& path() const { return path_; }
    std::string at(const std::string& name) const { return path_ + "/" + name; }

private:
    std::error_code error_;
    std::string path_;
};

}  // namespace graze::files
