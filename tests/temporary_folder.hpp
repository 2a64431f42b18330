// SPDX-License-Identifier: Apache-2.0
// A folder that a test may fill. It is gone when the test ends.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace graze::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "graze-test-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
        path_ = std::filesystem::canonical(pattern);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Absolute, without symbolic links.
    const std::filesystem::path& path() const { return path_; }
    std::string at(std::string_view name) const { return (path_ / name).string(); }
    /// Writes a file, and makes the folders that its name has in front. Returns its path.
    std::string write(std::string_view name, std::string_view bytes) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return at(name);
    }

private:
    std::filesystem::path path_;
};

/// A fixture for tests that need files: each has an empty folder of its own.
class InTemporaryFolder : public ::testing::Test {
protected:
    std::string at(std::string_view name) const { return temporary_.at(name); }
    std::string write(std::string_view name, std::string_view bytes) const { return temporary_.write(name, bytes); }

private:
    TemporaryFolder temporary_;

protected:
    const std::filesystem::path& folder_ = temporary_.path();
};

inline std::string read_all(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace graze::test
