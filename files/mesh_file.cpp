// SPDX-License-Identifier: Apache-2.0
#include "mesh_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "assembly.hpp"
#include "base/mapped_file.hpp"
#include "soup/triangulate.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

bool starts_like_obj(std::string_view bytes) {
    TextCursor cursor(bytes);
    const std::string_view first = cursor.word_anywhere();
    for (std::string_view word : {"v", "vt", "vn", "f", "o", "g", "s", "mtllib", "usemtl"})
        if (first == word) return true;
    return false;
}

}  // namespace

std::vector<std::uint32_t> triangles(const Mesh& mesh) {
    if (!mesh.has_polygons()) return mesh.corners;
    std::vector<detail::Corners> cut;
    detail::Triangulator triangulator;
    for (std::size_t i = 0; i < mesh.polygon_count(); ++i) triangulator.cut(mesh.points, mesh.polygon(i), cut);
    std::vector<std::uint32_t> corners;
    corners.reserve(3 * cut.size());
    for (const detail::Corners& triangle : cut) corners.insert(corners.end(), triangle.begin(), triangle.end());
    return corners;
}

std::string extension(const std::string& name) {
    const std::size_t dot = name.find_last_of("./\\");
    std::string text = dot == std::string::npos || name[dot] != '.' ? "" : name.substr(dot);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    return text;
}

Format format_by_name(const std::string& name) {
    const std::string kind = extension(name);
    if (kind == ".stl") return Format::Stl;
    if (kind == ".obj") return Format::Obj;
    if (kind == ".ply") return Format::Ply;
    return Format::Other;
}

Format format_of(std::string_view bytes, const std::string& name) {
    if (const Format format = format_by_name(name); format != Format::Other) return format;
    if (bytes.starts_with("ply\n") || bytes.starts_with("ply\r")) return Format::Ply;
    if (starts_like_obj(bytes)) return Format::Obj;
    return starts_like_stl(bytes) ? Format::Stl : Format::Other;
}

Result<Mesh> parse_mesh(std::string_view bytes, const std::string& name) {
    switch (format_of(bytes, name)) {
        case Format::Stl:
            return parse_stl(bytes, name);
        case Format::Obj:
            return parse_obj(bytes, name);
        case Format::Ply:
            return parse_ply(bytes, name);
        case Format::Other:
            break;
    }
    return Fault{FaultKind::Damaged, name + (bytes.empty() ? ": the file is empty"
                                                           : ": not a known format by its name, and neither STL, OBJ "
                                                             "nor PLY by what it holds")};
}

Result<Bytes> Bytes::of(const std::string& path) {
    Bytes bytes;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) {
        Result<std::shared_ptr<const detail::MappedFile>> file = detail::MappedFile::open(path);
        if (!file) return file.fault();
        const std::span<const std::byte> all = (*file)->bytes();
        bytes.view_ = {reinterpret_cast<const char*>(all.data()), all.size()};
        bytes.owner_ = std::move(*file);
        return bytes;
    }
    Result<std::string> text = read_bytes(path);
    if (!text) return text.fault();
    const auto owner = std::make_shared<const std::string>(std::move(*text));
    bytes.view_ = *owner;
    bytes.owner_ = owner;
    return bytes;
}

Result<std::string> read_bytes(const std::string& path) {
    const auto close = [](std::FILE* f) { std::fclose(f); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
    std::string bytes;
    // The size is not asked for beforehand, so that pipes work too.
    std::size_t got = 0;
    while (file) {
        if (bytes.size() == got) bytes.resize(std::max<std::size_t>(1 << 16, 2 * got));
        const std::size_t n = std::fread(bytes.data() + got, 1, bytes.size() - got, file.get());
        got += n;
        if (n == 0) break;
    }
    if (!file || std::ferror(file.get())) return Fault{FaultKind::File, path + ": " + std::strerror(errno)};
    bytes.resize(got);
    return bytes;
}

}  // namespace graze::files
