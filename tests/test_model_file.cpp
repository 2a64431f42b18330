// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "graze/study.hpp"
#include "model/access.hpp"
#include "model/model_data.hpp"
#include "model/model_file.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#include "temporary_folder.hpp"

namespace graze {
namespace {

using detail::FileHeader;
using scenes::Soup;
using Bytes = std::vector<char>;

constexpr study::TreeKind kinds[] = {study::TreeKind::Wide, study::TreeKind::Binary};

class ModelFile : public test::InTemporaryFolder {
protected:
    std::string path(const std::string& name) const { return at(name); }

    Bytes read(const std::string& name) const {
        std::ifstream in(path(name), std::ios::binary);
        return Bytes(std::istreambuf_iterator<char>(in), {});
    }
    std::string write(const std::string& name, const Bytes& bytes) const {
        return InTemporaryFolder::write(name, {bytes.data(), bytes.size()});
    }
    Bytes saved(const Model& m) const {
        const auto done = m.save(path("saved"));
        EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.fault().message);
        return read("saved");
    }

    /// The fault of loading these bytes, which must be one and name the file.
    Fault fault_of(const Bytes& bytes) const {
        write("bad", bytes);
        return fault_of_bad();
    }
    Fault fault_of_bad() const {
        const auto m = Model::load(path("bad"));
        if (m.ok()) return {FaultKind::NotRigid, "was loaded"};
        EXPECT_NE(m.fault().message.find(path("bad") + ": "), std::string::npos) << m.fault().message;
        EXPECT_EQ(m.fault().message.find('\n'), std::string::npos);
        return m.fault();
    }
};

Soup torus() { return scenes::torus(1, 0.4, 30, 20); }

/// Gives the bytes the checksum that they should have.
Bytes forged(Bytes bytes) {
    FileHeader h;
    std::memcpy(&h, bytes.data(), sizeof h);
    h.checksum = detail::file_checksum(std::as_bytes(std::span(bytes)));
    std::memcpy(bytes.data(), &h, sizeof h);
    return bytes;
}

FileHeader header_of(const Bytes& bytes) {
    FileHeader h;
    std::memcpy(&h, bytes.data(), sizeof h);
    return h;
}

TEST_F(ModelFile, RoundTrip) {
    scenes::Random random(1);
    const std::vector<Vec3> points{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
    const std::vector<std::uint32_t> corners{0, 1, 2, 3, 4, 5, 6}, offsets{0, 4, 7};
    const Soup triangle{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, 2}}, none, large = torus();
    const Soup few = scenes::torus(1, 0.4, 10, 6);
    const Soup far = scenes::scale(few, 0x1p990), small = scenes::scale(few, 0x1p-1060);
    struct Case {
        SoupView soup;
        double size;
    };
    const Case cases[] = {{none, 1},      {triangle, 1},      {large, 1},
                          {far, 0x1p990}, {small, 0x1p-1060}, {SoupView(points, corners).with_polygons(offsets), 3}};
    for (const study::TreeKind kind : kinds)
        for (const auto& [soup, size] : cases) {
            const Model m = *study::build(soup, {.tree = kind});
            const Bytes bytes = saved(m);
            const auto loaded = Model::load(path("saved"));
            ASSERT_TRUE(loaded.ok()) << loaded.fault().message;
            EXPECT_EQ(study::tree_settings(*loaded).tree, kind);
            EXPECT_EQ(loaded->triangle_count(), m.triangle_count());
            EXPECT_EQ(loaded->polygon_count(), m.polygon_count());
            EXPECT_EQ(loaded->point_count(), m.point_count());
            EXPECT_EQ(tree_depth(*loaded), tree_depth(m));
            EXPECT_EQ(loaded->bytes(), m.bytes());
            EXPECT_TRUE(loaded->validate().ok());
            for (std::uint32_t i = 0; i < m.triangle_count(); ++i) {
                EXPECT_EQ(loaded->triangle(i).c, m.triangle(i).c);
                EXPECT_EQ(loaded->polygon_of(i), m.polygon_of(i));
            }
            for (int k = 0; k < 5; ++k) {
                const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-0.7, 0.7) * size);
                QueryStats before, after;
                EXPECT_EQ(collide(*loaded, *loaded, pose, {.stats = &after}), collide(m, m, pose, {.stats = &before}));
                EXPECT_EQ(after.box_tests, before.box_tests);
                EXPECT_EQ(collide(*loaded, m, pose), collide(m, *loaded, pose));
            }
            // Saved over itself while mapped, it stays what it was.
            EXPECT_EQ(saved(*loaded), bytes);
            EXPECT_EQ(collide(*loaded, *loaded, {}), collide(m, m, {}));
        }
}

TEST_F(ModelFile, SameModelSameBytes) {
    const Soup soup = torus();
    for (const study::TreeKind kind : kinds) {
        const Bytes bytes = saved(*study::build(soup, {.tree = kind, .threads = 1}));
        EXPECT_EQ(saved(*study::build(soup, {.tree = kind, .threads = 2})), bytes);
        const FileHeader h = header_of(bytes);
        EXPECT_EQ(h.file_bytes, bytes.size());
        for (const auto& section : h.section) EXPECT_EQ(section.offset % detail::file_alignment, 0u);
    }
}

TEST_F(ModelFile, OutlivesItsFile) {
    const Model built = *Model::build(torus());
    saved(built);
    Model kept;
    {
        const Model loaded = *Model::load(path("saved"));
        kept = loaded;
    }
    ASSERT_TRUE(std::filesystem::remove(path("saved")));
    EXPECT_EQ(collide(kept, kept, {}), collide(built, built, {}));
    EXPECT_TRUE(kept.validate().ok());
}

TEST_F(ModelFile, FilesThatCannotBe) {
    const auto load_fault = [](const std::string& at) {
        const auto m = Model::load(at);
        EXPECT_FALSE(m.ok());
        EXPECT_EQ(m.fault().kind, FaultKind::File);
        return m.fault().message;
    };
    EXPECT_EQ(load_fault(path("missing")), path("missing") + ": No such file or directory");
    EXPECT_EQ(load_fault(folder_.string()), folder_.string() + ": is not a file");
    EXPECT_EQ(load_fault(write("empty", {})), path("empty") + ": is not a graze model");
    EXPECT_EQ(load_fault(write("text", Bytes(300, '#'))), path("text") + ": is not a graze model");

    const Model m = *Model::build(torus());
    const auto nowhere = m.save(path("no/such/folder"));
    ASSERT_FALSE(nowhere.ok());
    EXPECT_EQ(nowhere.fault().kind, FaultKind::File);
    EXPECT_EQ(nowhere.fault().message, path("no/such/folder") + ": No such file or directory");
    const auto onto_folder = m.save(folder_.string());
    ASSERT_FALSE(onto_folder.ok());
    EXPECT_EQ(onto_folder.fault().kind, FaultKind::File);
}

TEST_F(ModelFile, OtherVersionsAndMachines) {
    Bytes bytes = saved(*Model::build(torus()));
    FileHeader h = header_of(bytes);
    h.version = detail::file_version + 1;
    std::memcpy(bytes.data(), &h, sizeof h);
    EXPECT_EQ(fault_of(forged(bytes)).message, path("bad") + ": is of version 3, not 2");
    h.byte_order = 0x04030201;
    std::memcpy(bytes.data(), &h, sizeof h);
    const Fault fault = fault_of(forged(bytes));
    EXPECT_EQ(fault.kind, FaultKind::File);
    EXPECT_NE(fault.message.find("byte order"), std::string::npos);
}

TEST_F(ModelFile, EveryChangedByteIsRefused) {
    const Soup soup = scenes::box();
    for (const study::TreeKind kind : kinds) {
        const Bytes bytes = saved(*study::build(soup, {.tree = kind}));
        ASSERT_LT(bytes.size(), 6000u);
        std::fstream file(write("bad", bytes), std::ios::binary | std::ios::in | std::ios::out);
        const auto put = [&](std::size_t i, char byte) {
            file.seekp(static_cast<std::streamoff>(i)).put(byte).flush();
        };
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            put(i, static_cast<char>(bytes[i] ^ 1 << i % 8));
            const Fault fault = fault_of_bad();
            ASSERT_TRUE(fault.kind == FaultKind::Damaged || fault.kind == FaultKind::File) << i;
            put(i, bytes[i]);
        }
        EXPECT_TRUE(Model::load(path("bad")).ok());
    }
}

TEST_F(ModelFile, EveryTruncationIsRefused) {
    const Bytes bytes = saved(*Model::build(scenes::box()));
    write("bad", bytes);
    for (std::size_t size = bytes.size(); size-- > 0;) {
        std::filesystem::resize_file(path("bad"), size);
        const Fault fault = fault_of_bad();
        ASSERT_TRUE(fault.kind == FaultKind::Damaged || fault.kind == FaultKind::File) << size;
    }
    Bytes longer = bytes;
    longer.resize(bytes.size() + 64);
    EXPECT_EQ(fault_of(longer).kind, FaultKind::Damaged);
    // Pieces in another place.
    Bytes swapped = bytes;
    std::swap_ranges(swapped.begin() + sizeof(FileHeader), swapped.begin() + sizeof(FileHeader) + 64,
                     swapped.begin() + sizeof(FileHeader) + 64);
    EXPECT_NE(swapped, bytes);
    EXPECT_EQ(fault_of(swapped).kind, FaultKind::Damaged);
}

/// A file with a right checksum and one thing wrong: item `i` of a section changed.
template <class T, class Change>
Bytes with(const Bytes& bytes, FileHeader::Name section, std::size_t i, Change&& change) {
    Bytes out = bytes;
    T item;
    char* at = out.data() + header_of(bytes).section[section].offset + i * sizeof(T);
    std::memcpy(static_cast<void*>(&item), at, sizeof item);
    change(item);
    std::memcpy(at, static_cast<const void*>(&item), sizeof item);
    return forged(out);
}

template <class Change>
Bytes with_header(const Bytes& bytes, Change&& change) {
    FileHeader h = header_of(bytes);
    change(h);
    Bytes out = bytes;
    std::memcpy(out.data(), &h, sizeof h);
    return forged(out);
}

TEST_F(ModelFile, ForgedHeadersAreRefused) {
    for (const study::TreeKind kind : kinds) {
        const Bytes bytes = saved(*study::build(torus(), {.tree = kind}));
        const auto message = [&](auto change) {
            const Fault fault = fault_of(with_header(bytes, change));
            EXPECT_EQ(fault.kind, FaultKind::Damaged) << fault.message;
            return fault.message;
        };
        for (int s = 0; s < FileHeader::section_count; ++s) {
            message([&](FileHeader& h) { h.section[s].offset += 64; });
            message([&](FileHeader& h) { h.section[s].count = std::numeric_limits<std::uint64_t>::max() / 2; });
            message([&](FileHeader& h) { h.section[s].count += 1000; });
            message([&](FileHeader& h) { h.section[s].item_bytes += 4; });
            message([&](FileHeader& h) { h.section[s].item_bytes = 0; });
            if (header_of(bytes).section[s].count > 0) message([&](FileHeader& h) { h.section[s].count = 0; });
        }
        message([](FileHeader& h) { h.tree = 2; });
        message([](FileHeader& h) { h.tree = 1 - h.tree; });
        message([](FileHeader& h) { h.polygon_count += 1; });
        message([](FileHeader& h) { h.file_bytes += 64; });
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 0x1p1010})
            message([&](FileHeader& h) { h.unit = h.bound = h.centre.z = bad; });
    }
}

TEST_F(ModelFile, ForgedGeometryIsRefused) {
    const std::vector<Vec3> points{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    const std::vector<std::uint32_t> corners{0, 1, 2, 3}, offsets{0, 4};
    const Bytes bytes = saved(*Model::build(SoupView(points, corners).with_polygons(offsets)));
    const auto kind = [&](const Bytes& bad) { return fault_of(bad).kind; };
    using Corners = detail::Corners;
    EXPECT_TRUE(Model::load(write("good", forged(bytes))).ok());
    EXPECT_EQ(kind(with<Corners>(bytes, FileHeader::triangles, 1, [](Corners& c) { c[2] = 4; })), FaultKind::Damaged);
    EXPECT_EQ(kind(with<std::uint32_t>(bytes, FileHeader::polygon_of, 1, [](std::uint32_t& p) { p = 1; })),
              FaultKind::Damaged);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 0x1.1p1000})
        EXPECT_EQ(kind(with<Vec3>(bytes, FileHeader::points, 3, [&](Vec3& p) { p.y = bad; })), FaultKind::Damaged);
}

TEST_F(ModelFile, ForgedTreesAreRefused) {
    const Model wide = *Model::build(torus()), binary = *study::build(torus(), {.tree = study::TreeKind::Binary});
    const Bytes w = saved(wide), b = saved(binary);
    const auto refused = [&](const Bytes& bad) {
        const Fault fault = fault_of(bad);
        EXPECT_EQ(fault.kind, FaultKind::Damaged) << fault.message;
    };
    const auto boxes = static_cast<std::uint32_t>(detail::Access::data(wide).wide.boxes.size());
    const std::size_t nodes = detail::Access::data(wide).wide.nodes.size();
    ASSERT_GT(nodes, 2u);
    const auto node = [&](auto change) { refused(with<detail::WideNode>(w, FileHeader::wide_nodes, 1, change)); };
    node([&](detail::WideNode& n) { n.ref[0] = boxes; });
    node([&](detail::WideNode& n) { n.ref[7] = boxes; });
    node([&](detail::WideNode& n) { n.ref[0] = 1; });
    node([&](detail::WideNode& n) { n.ref[0] = 0; });
    node([&](detail::WideNode& n) { n.ref[0] = n.ref[1]; });
    const auto box = [&](std::size_t i, auto change) {
        refused(with<detail::WideBox>(w, FileHeader::wide_boxes, i, change));
    };
    box(1, [](detail::WideBox& x) { x.count = 9; });
    box(1, [](detail::WideBox& x) { x.count = 0; });
    box(1, [](detail::WideBox& x) { x.size = -1; });
    box(1, [](detail::WideBox& x) { x.size = std::numeric_limits<float>::quiet_NaN(); });
    box(1, [](detail::WideBox& x) { x.half[1] = std::numeric_limits<float>::infinity(); });
    box(1, [](detail::WideBox& x) { x.centre[1] = std::numeric_limits<double>::quiet_NaN(); });
    box(nodes, [](detail::WideBox& x) { x.size = 1; });
    box(nodes, [](detail::WideBox& x) { x.count = 9; });
    box(nodes, [](detail::WideBox& x) { x.count -= 1; });
    const auto leaf = [&](auto change) { refused(with<detail::WideLeaf>(w, FileHeader::wide_leaves, 0, change)); };
    leaf([](detail::WideLeaf& l) { l.id[0] = 1200; });
    leaf([](detail::WideLeaf& l) { l.id[7] = 1200; });
    leaf([](detail::WideLeaf& l) { l.id[0] = l.id[1]; });

    using Node = detail::BvTree<detail::Obb>::Node;
    const auto bv = [&](std::size_t i, auto change) { refused(with<Node>(b, FileHeader::binary_nodes, i, change)); };
    const std::size_t last =
        std::get<detail::BvTree<detail::Obb>>(detail::Access::data(binary).binary).nodes.size() - 1;
    bv(0, [](Node& n) { n.child = 0; });
    bv(0, [](Node& n) { n.child = 3; });
    bv(0, [&](Node& n) { n.child = static_cast<std::uint32_t>(last); });
    bv(1, [](Node& n) { n.child = 1; });
    bv(1, [](Node& n) { n.child = 0xffffffff; });
    bv(last, [](Node& n) { n.triangle = 1200; });
    bv(last, [](Node& n) { n.triangle ^= 1; });
    bv(last, [](Node& n) { n.child = 1; });
}

TEST_F(ModelFile, ForgedFilesAreSafeToQuery) {
    // Whatever is accepted with a right checksum: queries stay within memory and end.
    scenes::Random random(5);
    const Soup soup = scenes::torus(1, 0.4, 14, 10);
    const Model partner = *Model::build(soup);
    int accepted = 0;
    for (const study::TreeKind kind : kinds) {
        const Bytes bytes = saved(*study::build(soup, {.tree = kind}));
        for (int k = 0; k < 300; ++k) {
            Bytes bad = bytes;
            for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
                const std::uint32_t at = random.below(static_cast<std::uint32_t>(bytes.size()));
                bad[at] = static_cast<char>(random.bits());
            }
            const auto m = Model::load(write("bad", forged(bad)));
            if (!m.ok()) continue;
            ++accepted;
            const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-0.5, 0.5));
            (void)intersects(*m, partner, pose);
            EXPECT_LE(collide(*m, partner, pose).size(), 280u * 280u);
            EXPECT_LE(collide(partner, *m, pose).size(), 280u * 280u);
            EXPECT_LE(tree_depth(*m), m->triangle_count());
            (void)m->validate();
        }
    }
    EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace graze
