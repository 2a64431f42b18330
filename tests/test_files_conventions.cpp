// SPDX-License-Identifier: Apache-2.0
// What formats and files state (units, axes, names, instances), and what files may name.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "files/assembly.hpp"
#include "files/inside.hpp"

namespace graze::files {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class Conventional : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "graze-conventions-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = fs::canonical(pattern);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string at(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
        return at(name);
    }

    fs::path folder_;
};

using References = Conventional;

TEST_F(References, StayInTheFolderOfTheModel) {
    const std::string model = write("in/model.gltf", "{}");
    const std::string secret = write("secret.txt", "secret");
    write("in/deep/a b.bin", "");
    EXPECT_EQ(*resolve_reference(model, "deep/a b.bin"), at("in/deep/a b.bin"));
    EXPECT_EQ(*resolve_reference(model, "absent.bin"), at("in/absent.bin"));
    EXPECT_EQ(*resolve_reference(model, "deep/../absent/../model.gltf"), model);
    EXPECT_EQ(*resolve_reference(model, at("in/deep/x")), at("in/deep/x"));
    EXPECT_EQ(*resolve_reference(model, "../in/x"), at("in/x"));
    const std::string why = "which is outside of its folder (--allow-folder DIR lets it read there)";
    EXPECT_EQ(resolve_reference(model, "../secret.txt").fault().message, model + ": it names '../secret.txt', " + why);
    // A folder whose name only begins in the same way is another one.
    write("inner/x", "");
    fs::create_symlink(secret, folder_ / "in/link");
    fs::create_symlink(folder_, folder_ / "in/up");
    for (const std::string& bad :
         {secret, std::string("../inner/x"), std::string("link"), std::string("absent/../link"),
          std::string("up/secret.txt"), std::string("up/absent"), std::string("deep/../.."), std::string("/etc/passwd"),
          std::string("..")})
        EXPECT_FALSE(resolve_reference(model, bad)) << bad;
    EXPECT_FALSE(resolve_reference(model, std::string_view("x\0y", 3)));
    EXPECT_FALSE(resolve_reference(model, ""));
    EXPECT_FALSE(resolve_reference(model, "deep"));
    ASSERT_EQ(mkfifo(at("in/pipe").c_str(), 0600), 0);
    EXPECT_FALSE(resolve_reference(model, "pipe"));
}

TEST_F(References, MayLeadToAllowedFolders) {
    const std::string model = write("in/model.gltf", "{}");
    write("other/x", "");
    const std::vector<std::string> allowed = {at("absent"), at("other") + "/"};
    EXPECT_EQ(*resolve_reference(model, "../other/x", allowed), at("other/x"));
    EXPECT_FALSE(resolve_reference(model, "../others/x", allowed));
    const std::vector<std::string> all = {"/"};
    EXPECT_TRUE(resolve_reference(model, "../other/x", all));
    // A model that was itself named through a link has the folder of the link.
    fs::create_directory_symlink(folder_ / "in", folder_ / "alias");
    EXPECT_EQ(*resolve_reference(at("alias/model.gltf"), "x.bin"), at("in/x.bin"));
}

TEST_F(References, AreDecoded) {
    EXPECT_EQ(percent_decoded("a%20b%2e%2E/%c3%B6"), "a b../\xc3\xb6");
    EXPECT_EQ(percent_decoded("100%"), "100%");
    EXPECT_EQ(percent_decoded("%4"), "%4");
    EXPECT_EQ(percent_decoded("%zz%-1"), "%zz%-1");
}

}  // namespace
}  // namespace graze::files
