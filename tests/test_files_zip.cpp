// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>

#include "files/zip.hpp"

namespace graze::files {
namespace {

/// The archive's files by its central directory, each checked against its local header, sizes and checksum.
std::vector<ZipEntry> unzip(const std::string& zip) {
    const auto number = [&](std::size_t at, int bytes) {
        std::uint32_t value = 0;
        for (int i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(zip.at(at + i));
        return value;
    };
    std::vector<ZipEntry> entries;
    const std::size_t end = zip.size() - 22;
    EXPECT_EQ(number(end, 4), 0x06054b50u);
    EXPECT_EQ(number(end + 8, 2), number(end + 10, 2));
    std::size_t at = number(end + 16, 4);
    EXPECT_EQ(at + number(end + 12, 4), end);
    for (std::uint32_t i = 0; i < number(end + 10, 2); ++i) {
        EXPECT_EQ(number(at, 4), 0x02014b50u);
        const std::uint32_t method = number(at + 10, 2), crc = number(at + 16, 4), packed = number(at + 20, 4),
                            size = number(at + 24, 4), length = number(at + 28, 2), local = number(at + 42, 4);
        EXPECT_EQ(number(at + 8, 2), 0x800u);
        EXPECT_EQ(number(local, 4), 0x04034b50u);
        EXPECT_EQ(zip.substr(at + 6, 26), zip.substr(local + 4, 26));
        const std::string name = zip.substr(at + 46, length);
        EXPECT_EQ(name, zip.substr(local + 30, length));
        std::string data = zip.substr(local + 30 + length, packed), contents(size, '\0');
        if (method == 8) {
            z_stream stream{};
            inflateInit2(&stream, -MAX_WBITS);
            stream.next_in = reinterpret_cast<Bytef*>(data.data());
            stream.avail_in = packed;
            stream.next_out = reinterpret_cast<Bytef*>(contents.data());
            stream.avail_out = size;
            EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
            EXPECT_EQ(stream.total_out, size);
            inflateEnd(&stream);
        } else {
            EXPECT_EQ(method, 0u);
            EXPECT_EQ(packed, size);
            contents = data;
        }
        EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(contents.data()), size), crc);
        entries.push_back({name, contents});
        at += 46 + length;
    }
    EXPECT_EQ(at, end);
    return entries;
}

TEST(Zip, GivesBackWhatWentIn) {
    std::string noise;
    for (std::uint32_t i = 0, x = 1; i < 5'000; ++i) noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
    const std::vector<ZipEntry> entries = {
        {"empty", ""}, {"Tür/", ""}, {"Tür/漢.txt", "short"}, {"long", std::string(1'000'000, 'x')}, {"noise", noise}};
    const auto zip = to_zip(entries);
    ASSERT_TRUE(zip);
    EXPECT_LT(zip->size(), 10'000u);
    const auto back = unzip(*zip);
    ASSERT_EQ(back.size(), entries.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        EXPECT_EQ(back[i].name, entries[i].name);
        EXPECT_EQ(back[i].contents, entries[i].contents);
    }
    EXPECT_EQ(*to_zip(entries), *zip);
    EXPECT_TRUE(unzip(*to_zip({})).empty());
}

TEST(Zip, ReadsItsOwnArchives) {
    const std::vector<ZipEntry> entries = {{"a", std::string(10'000, 'x')}, {"b/", ""}, {"b/c", "short"}, {"d", ""}};
    const std::string zip = *to_zip(entries);
    const auto all = [](std::string_view) { return true; };
    for (const std::string& archive : {zip, zip + std::string(22, 'c')}) {
        const auto back = from_zip(archive, all);
        ASSERT_TRUE(back) << back.fault().message;
        ASSERT_EQ(back->size(), 4u);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ((*back)[i].name, entries[i].name);
            EXPECT_EQ((*back)[i].contents, entries[i].contents);
        }
    }
    EXPECT_EQ(from_zip(zip, [](std::string_view name) { return name == "b/c"; })->size(), 1u);
    for (std::size_t n = 0; n < zip.size(); ++n) EXPECT_FALSE(from_zip(zip.substr(0, n), all)) << n;
    // A file that claims to be far larger than its bytes can be.
    std::string bomb = zip;
    const std::size_t directory = bomb.find("PK\x01\x02");
    for (std::size_t i = 0; i < 4; ++i) bomb[directory + 24 + i] = '\x1f';
    EXPECT_FALSE(from_zip(bomb, all));
}

TEST(Zip, RefusesWhatTheFormatCannotHold) {
    EXPECT_TRUE(to_zip(std::vector<ZipEntry>(65'534)));
    EXPECT_EQ(to_zip(std::vector<ZipEntry>(65'535)).fault().kind, FaultKind::TooMany);
    EXPECT_EQ(to_zip({{std::string(65'536, 'a'), ""}}).fault().kind, FaultKind::TooMany);
}

TEST(Zip, UnpacksPieceByPiece) {
    std::string noise;
    for (std::uint32_t i = 0, x = 1; i < 5'000; ++i) noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
    // One that is deflated, one that is not, and one that nobody asks for.
    const std::string zip =
        *to_zip({{"a.model", std::string(1'000'000, 'x')}, {"b.txt", "no"}, {"c.model", noise}, {"d.model", "last"}});
    std::vector<ZipEntry> got;
    std::size_t pieces = 0, wanted = 100;
    const auto start = [&](const std::string& name) -> Piece {
        got.push_back({name, ""});
        return [&](std::string_view piece) {
            got.back().contents += piece;
            return ++pieces < wanted;
        };
    };
    unpack(zip, ".model", start);
    ASSERT_EQ(got.size(), 3u);
    EXPECT_EQ(got[0].contents, std::string(1'000'000, 'x'));
    EXPECT_EQ(got[1].name, "c.model");
    EXPECT_EQ(got[1].contents, noise);
    EXPECT_EQ(got[2].contents, "last");
    EXPECT_GT(pieces, 10u);
    // Nothing comes after a piece that was the last one wanted.
    got.clear();
    pieces = 0, wanted = 2;
    unpack(zip, ".model", start);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(pieces, 2u);
    EXPECT_LT(got[0].contents.size(), 1'000'000u);
    // An archive that is cut off has no directory; damaged bytes end their own file alone.
    got.clear();
    pieces = 0, wanted = 100;
    unpack(zip.substr(0, zip.size() - 1), ".model", start);
    EXPECT_TRUE(got.empty());
    std::string damaged = zip;
    damaged[30 + 7] = '\x07';  // no kind of block
    unpack(damaged, ".model", start);
    ASSERT_EQ(got.size(), 3u);
    EXPECT_EQ(got[0].contents, "");
    EXPECT_EQ(got[2].contents, "last");
}

}  // namespace
}  // namespace graze::files
