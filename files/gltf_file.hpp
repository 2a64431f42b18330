// SPDX-License-Identifier: Apache-2.0
// A glTF document, its buffers and the numbers in them. Each index and size is checked before it is used. Everything
// here throws a `Fault`, without the name of the file, since any member of a document may be missing or of another
// kind. Only its reader (gltf.cpp) may use it: it catches them.
#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "mesh_file.hpp"

namespace graze::files {

using GltfJson = nlohmann::json;

/// The member of an object. Null when there is none, or when this is not an object.
const GltfJson* member(const GltfJson& object, const char* key);
/// A number that counts something. `what` is its name, for the fault.
std::uint64_t whole(const GltfJson& value, const char* what);
/// The member of an object as a number that counts something, or `otherwise` when there is none.
std::uint64_t whole(const GltfJson& object, const char* key, std::uint64_t otherwise);
/// The numbers of a list, such as a translation. Its size must fit.
template <std::size_t N>
std::array<double, N> numbers(const GltfJson& list, const char* what) {
    std::array<double, N> out;
    if (!list.is_array() || list.size() != N)
        throw Fault{FaultKind::Damaged, std::string(what) + " is not a list of " + std::to_string(N) + " numbers"};
    for (std::size_t i = 0; i < N; ++i) {
        if (!list[i].is_number())
            throw Fault{FaultKind::Damaged, std::string(what) + " has an entry that is not a number"};
        out[i] = list[i].get<double>();
    }
    return out;
}

/// The elements of an accessor: vectors of a few numbers each.
class GltfNumbers {
public:
    std::size_t size() const { return count_; }
    /// Number k of element i. Integers that stand for fractions are divided.
    double at(std::size_t i, unsigned k) const;
    /// Distance between neighbouring numbers. 0 for those of single precision.
    double step() const;
    /// Number of elements that replace others, for which a sparse accessor has a list.
    std::size_t sparse_size() const { return sparse_.size(); }

private:
    friend class GltfFile;

    unsigned type_ = 0;
    bool normalised_ = false;
    const char* data_ = nullptr;  // null: all are 0
    std::size_t stride_ = 0, count_ = 0, element_ = 0;
    std::vector<std::uint64_t> sparse_;  // the elements that are replaced, in ascending order
    const char* replaced_ = nullptr;     // by these
};

class GltfFile {
public:
    /// Component types.
    enum Type : unsigned { Byte = 5120, UByte, Short, UShort, UInt = 5125, Float };

    /// `allowed` are folders, besides that of the file, that may hold its buffers.
    GltfFile(std::string_view bytes, const std::string& path, std::span<const std::string> allowed);

    const GltfJson& root() const { return root_; }
    /// An entry of a list of the document, which must exist. `list` is its name: `nodes`.
    const GltfJson& entry(const char* list, std::uint64_t index) const;
    /// Refuses a document that requires an extension which its reader does not know. Returns the names of others that
    /// it uses, not known either, which may be left out.
    std::string check_extensions() const;
    /// The numbers of an accessor, whose type must be `kind`, such as `VEC3`, and whose components must be one of
    /// `types`.
    GltfNumbers accessor(std::uint64_t index, const char* kind, std::initializer_list<unsigned> types);
    /// Number of bytes in the document and the buffers in use.
    std::size_t bytes() const { return bytes_; }

private:
    std::string_view buffer(std::uint64_t index);
    std::string_view view(std::uint64_t index);
    /// The beginning of `count` elements of `size` bytes, `stride` apart, which must lie in the view.
    const char* elements(std::uint64_t view, std::uint64_t offset, std::uint64_t count, std::size_t size,
                         std::size_t stride);
    void read_sparse(const GltfJson& sparse, GltfNumbers& out);
    void read_container(std::string_view bytes);

    const std::string& path_;
    std::span<const std::string> allowed_;
    GltfJson root_;
    std::string_view json_, binary_;                     // the chunks of a .glb file
    std::map<std::uint64_t, std::string_view> buffers_;  // those in use
    std::deque<Bytes> mapped_;
    std::deque<std::string> decoded_;
    std::size_t bytes_ = 0;
};

}  // namespace graze::files
