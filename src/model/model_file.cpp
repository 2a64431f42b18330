// SPDX-License-Identifier: Apache-2.0
#include "model/model_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/output_file.hpp"
#include "model/check_numbers.hpp"
#include "model/model_data.hpp"

namespace graze::detail {

namespace {

using Bytes = std::span<const std::byte>;

/// The first byte is not text, and the last two reveal converted line endings.
constexpr unsigned char file_magic[8] = {0x9d, 'g', 'r', 'a', 'z', 'e', '\r', '\n'};
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::byte zeros[file_alignment] = {};

/// Four independent lanes of words. Each step is one-to-one in the word and in the lane's state.
class Checksum {
public:
    /// Adds bytes. A last block that is not full counts as padded with zeros.
    void add(Bytes bytes) {
        for (; bytes.size() >= block; bytes = bytes.subspan(block)) add_block(bytes.data());
        if (bytes.empty()) return;
        std::byte last[block] = {};
        std::memcpy(last, bytes.data(), bytes.size());
        add_block(last);
    }

    std::uint64_t value() const {
        std::uint64_t v = 0;
        for (const std::uint64_t lane : lane_) v = (std::rotl(v, 23) ^ lane) * odd;
        return v ^ v >> 32;
    }

private:
    static constexpr std::size_t block = 64;
    static constexpr std::uint64_t odd = 0xd6e8feb86659fd93;

    void add_block(const std::byte* at) {
        for (std::size_t k = 0; k < block / 8; ++k) {
            std::uint64_t word;
            std::memcpy(&word, at + 8 * k, 8);
            lane_[k % 4] = std::rotl((lane_[k % 4] ^ word) * odd, 31);
        }
    }

    std::uint64_t lane_[4] = {1, 2, 3, 4};
};

constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + file_alignment - 1) / file_alignment * file_alignment;
}

/// Calls f(section, array) for each array of a model.
template <class Model, class F>
void for_each_section(Model& m, F&& f) {
    f(FileHeader::points, m.geometry.points);
    f(FileHeader::triangles, m.geometry.triangles);
    f(FileHeader::polygon_of, m.geometry.polygon_of);
    f(FileHeader::wide_nodes, m.wide.nodes);
    f(FileHeader::wide_leaves, m.wide.leaves);
    f(FileHeader::wide_boxes, m.wide.boxes);
    std::visit([&](auto& tree) { f(FileHeader::binary_nodes, tree.nodes); }, m.binary);
}

template <class T>
constexpr std::uint32_t item_bytes(const Array<T>&) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= file_alignment);
    return sizeof(T);
}

std::string number(std::size_t n) { return std::to_string(n); }

/// Reads a file in steps. Each step returns what is wrong, or an empty string.
struct Check {
    Bytes file;
    const ModelData& m;

    static std::string start(Bytes file, FileHeader& h) {
        if (file.size() < sizeof file_magic || std::memcmp(file.data(), file_magic, sizeof file_magic) != 0)
            return "is not a graze model";
        if (file.size() < sizeof h) return "ends within its header";
        std::memcpy(&h, file.data(), sizeof h);
        if (h.byte_order != byte_order_mark) return "was written on a machine of another byte order";
        if (h.version != file_version)
            return "is of version " + std::to_string(h.version) + ", not " + std::to_string(file_version);
        return "";
    }

    std::string layout(const FileHeader& h) const {
        if (h.file_bytes != file.size())
            return "has " + number(file.size()) + " bytes where its header says " + number(h.file_bytes);
        if (file.size() % file_alignment != 0 || h.checksum != file_checksum(file)) return "fails its checksum";
        std::size_t offset = sizeof h;
        std::string wrong;
        for_each_section(m, [&](FileHeader::Name name, const auto& array) {
            const FileHeader::Section& s = h.section[name];
            if (!wrong.empty()) return;
            const std::size_t left = file.size() - offset;
            if (s.offset != offset || s.item_bytes != item_bytes(array) || s.count > left / s.item_bytes ||
                padded(s.count * s.item_bytes) > left)
                wrong = "section " + std::to_string(name) + " is out of place";
            else
                offset += padded(s.count * s.item_bytes);
        });
        if (wrong.empty() && offset != file.size()) return "has " + number(file.size() - offset) + " bytes too many";
        return wrong;
    }

    std::string geometry() const {
        const Geometry& g = m.geometry;
        // These are nearly the limits for soups: nodes and points stay below 2^32.
        if (g.triangles.size() >= 1u << 31 || g.points.size() >= std::numeric_limits<std::uint32_t>::max())
            return "has too many triangles or points";
        for (std::size_t i = 0; i < g.points.size(); ++i)
            for (int k = 0; k < 3; ++k)
                if (!(std::abs(g.points[i][k]) <= max_coordinate)) return "point " + number(i) + " is out of range";
        for (std::size_t i = 0; i < g.triangles.size(); ++i)
            for (const std::uint32_t c : g.triangles[i])
                if (c >= g.points.size()) return "triangle " + number(i) + " names a point that does not exist";
        if (g.polygon_of.empty() ? g.polygon_count != g.triangles.size() : g.polygon_of.size() != g.triangles.size())
            return "triangles and polygons differ in number";
        for (std::size_t i = 0; i < g.polygon_of.size(); ++i)
            if (g.polygon_of[i] >= g.polygon_count) return "triangle " + number(i) + " is of no polygon";
        return "";
    }

    /// Checks that everything but the first item has exactly one parent, which comes before it. `children(i)` are those
    /// of item i.
    template <class Children>
    static std::string tree(std::size_t size, const Children& children) {
        std::vector<bool> reached(size);
        for (std::size_t i = 0; i < size; ++i) {
            if (i > 0 && !reached[i]) return "node " + number(i) + " has no parent before it";
            for (const std::uint32_t c : children(i)) {
                if (c <= i || c >= size) return "node " + number(i) + " has a child out of place";
                if (reached[c]) return "node " + number(c) + " has two parents";
                reached[c] = true;
            }
        }
        return "";
    }

    /// Marks the triangles of one leaf as held.
    static std::string hold(std::vector<bool>& held, std::span<const std::uint32_t> triangles) {
        for (const std::uint32_t t : triangles) {
            if (t >= held.size()) return "a leaf holds a triangle that does not exist";
            if (held[t]) return "triangle " + number(t) + " is in two leaves";
            held[t] = true;
        }
        return "";
    }

    std::string wide_tree() const {
        const WideTree& t = m.wide;
        const std::size_t nodes = t.nodes.size(), leaves = t.leaves.size(), triangles = m.geometry.triangles.size();
        if (t.boxes.size() != nodes + leaves) return "boxes and nodes differ in number";
        if (leaves > triangles || nodes > leaves || (leaves == 0) != (triangles == 0))
            return number(nodes) + " nodes and " + number(leaves) + " leaves for " + number(triangles) + " triangles";
        int exponent;
        if (!(t.unit >= 0x1p-1000 && t.unit <= 0x1p1002) || std::frexp(t.unit, &exponent) != 0.5 ||
            !(t.bound >= 0 && t.bound <= max_coordinate))
            return "has no proper unit";
        std::vector<bool> held(triangles);
        for (std::size_t i = 0; i < t.boxes.size(); ++i) {
            const WideBox& box = t.boxes[i];
            if (box.count < 1 || box.count > (i < nodes ? node_children : leaf_triangles))
                return "box " + number(i) + " has a count out of range";
            for (int j = 0; j < 3; ++j)
                if (!(std::abs(box.centre[j]) <= 8 * max_coordinate && box.half[j] >= 0 && box.half[j] <= 64))
                    return "box " + number(i) + " is out of range";
            // A leaf's size keeps it from ever being opened.
            if (i < nodes ? !(box.size >= 0 && box.size <= 256) : box.size != -1)
                return "box " + number(i) + " has no proper size";
            if (i < nodes) {
                // Lanes past the count are checked too, because the search for the deepest box looks at all lanes.
                for (const std::uint32_t ref : t.nodes[i].ref)
                    if (ref >= t.boxes.size()) return "node " + number(i) + " has a child out of place";
            } else {
                const WideLeaf& leaf = t.leaves[i - nodes];
                for (const std::uint32_t id : leaf.id)
                    if (id >= triangles) return "a leaf holds a triangle that does not exist";
                if (auto wrong = hold(held, {leaf.id, box.count}); !wrong.empty()) return wrong;
            }
        }
        if (std::find(held.begin(), held.end(), false) != held.end()) return "a triangle is in no leaf";
        return tree(t.boxes.size(), [&](std::size_t i) {
            return i < nodes ? std::span(t.nodes[i].ref, t.boxes[i].count) : std::span<const std::uint32_t>();
        });
    }

    std::string binary_tree() const {
        return std::visit([this](const auto& tree) { return binary_tree(tree); }, m.binary);
    }

    template <class Bv>
    std::string binary_tree(const BvTree<Bv>& t) const {
        const std::size_t triangles = m.geometry.triangles.size();
        if (t.nodes.size() != (triangles == 0 ? 0 : 2 * triangles - 1) || t.depth > t.nodes.size())
            return number(t.nodes.size()) + " nodes for " + number(triangles) + " triangles";
        if (t.frame.exponent < -960 || t.frame.exponent > 1001 || !(std::abs(t.frame.centre.x) <= max_coordinate) ||
            !(std::abs(t.frame.centre.y) <= max_coordinate) || !(std::abs(t.frame.centre.z) <= max_coordinate))
            return "has no proper frame";
        std::vector<bool> held(triangles);
        for (const auto& node : t.nodes)
            if (node.child == 0)
                if (auto wrong = hold(held, {&node.triangle, 1}); !wrong.empty()) return wrong;
        std::uint32_t pair[2];
        return Check::tree(t.nodes.size(), [&](std::size_t i) {
            pair[0] = t.nodes[i].child;
            pair[1] = pair[0] + 1;
            return std::span<const std::uint32_t>(pair, pair[0] == 0 ? 0 : 2);
        });
    }
};

}  // namespace

std::uint64_t file_checksum(std::span<const std::byte> file) {
    FileHeader h;
    std::memcpy(&h, file.data(), sizeof h);
    h.checksum = 0;
    Checksum sum;
    sum.add(std::as_bytes(std::span(&h, 1)));
    sum.add(file.subspan(sizeof h));
    return sum.value();
}

Result<void> save_model(const ModelData& m, const std::string& path) {
    FileHeader h{};
    std::copy(std::begin(file_magic), std::end(file_magic), h.magic);
    h.byte_order = byte_order_mark;
    h.version = file_version;
    h.tree = static_cast<std::uint8_t>(m.settings.tree);
    h.volume = static_cast<std::uint8_t>(m.settings.volume);
    h.fit = static_cast<std::uint8_t>(m.settings.fit);
    h.split = static_cast<std::uint8_t>(m.settings.split);
    h.refine = m.settings.refine;
    h.built_cost = m.built_cost;
    h.aligned_ratio = m.aligned_ratio;
    h.polygon_count = m.geometry.polygon_count;
    std::visit(
        [&](const auto& tree) {
            h.exponent = tree.frame.exponent;
            h.centre = tree.frame.centre;
            h.depth = tree.depth;
        },
        m.binary);
    h.unit = m.wide.unit;
    h.bound = m.wide.bound;

    std::vector<Bytes> pieces{{}};  // room for the header
    std::size_t offset = sizeof h;
    for_each_section(m, [&](FileHeader::Name name, const auto& array) {
        h.section[name] = {offset, array.size(), item_bytes(array), 0};
        pieces.push_back(std::as_bytes(array.span()));
        pieces.push_back(Bytes(zeros).first(padded(array.bytes()) - array.bytes()));
        offset += padded(array.bytes());
    });
    h.file_bytes = offset;
    pieces[0] = std::as_bytes(std::span(&h, 1));
    Checksum sum;
    for (std::size_t i = 0; i < pieces.size(); i += i == 0 ? 1 : 2) sum.add(pieces[i]);
    h.checksum = sum.value();
    return write_file(path, [&](const ByteSink& to) {
        for (const Bytes& piece : pieces) to(piece);
    });
}

Result<std::unique_ptr<ModelData>> load_model(const std::string& path) {
    auto file = MappedFile::open(path);
    if (!file.ok()) return file.fault();
    const Bytes bytes = (*file)->bytes();
    FileHeader h;
    if (const auto wrong = Check::start(bytes, h); !wrong.empty()) return Fault{FaultKind::File, path + ": " + wrong};

    auto m = std::make_unique<ModelData>();
    const Check check{bytes, *m};
    const auto damaged = [&](const std::string& wrong) { return Fault{FaultKind::Damaged, path + ": " + wrong}; };
    if (h.tree > static_cast<std::uint8_t>(TreeKind::Binary) ||
        !set_kind(m->binary, static_cast<graze::Volume>(h.volume)) ||
        h.fit > static_cast<std::uint8_t>(Fit::HullSurface) || h.split > static_cast<std::uint8_t>(Split::Area))
        return damaged("has a tree of an unknown kind");
    m->settings = {static_cast<TreeKind>(h.tree), static_cast<graze::Volume>(h.volume), static_cast<Fit>(h.fit),
                   h.refine != 0, static_cast<Split>(h.split)};
    if (const auto wrong = check.layout(h); !wrong.empty()) return damaged(wrong);
    for_each_section(*m, [&]<class T>(FileHeader::Name name, Array<T>& array) {
        const FileHeader::Section& s = h.section[name];
        array = Array<T>(std::span(reinterpret_cast<const T*>(bytes.data() + s.offset), s.count));
    });
    m->file = std::move(*file);
    m->geometry.polygon_count = h.polygon_count;
    m->wide.unit = h.unit;
    m->wide.bound = h.bound;
    m->wide.aligned = m->settings.volume == graze::Volume::Aabb;
    m->built_cost = h.built_cost;
    m->aligned_ratio = h.aligned_ratio;
    std::visit(
        [&](auto& tree) {
            tree.frame = {h.centre, h.exponent};
            tree.depth = h.depth;
        },
        m->binary);
    const bool is_wide = m->is_wide();
    if (is_wide && m->settings.volume != graze::Volume::Obb && m->settings.volume != graze::Volume::Aabb)
        return damaged("has a wide tree of an unknown kind");
    const bool no_binary = std::visit([](const auto& tree) { return tree.empty(); }, m->binary);
    if (!(is_wide ? no_binary : m->wide.empty() && m->wide.nodes.empty() && m->wide.boxes.empty()))
        return damaged("has trees of two kinds");
    if (const auto wrong = check.geometry(); !wrong.empty()) return damaged(wrong);
    if (const auto wrong = is_wide ? check.wide_tree() : check.binary_tree(); !wrong.empty()) return damaged(wrong);
    if (const auto wrong = check_numbers(*m); !wrong.empty()) return damaged(wrong);
    return m;
}

}  // namespace graze::detail
