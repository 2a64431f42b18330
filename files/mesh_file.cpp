// SPDX-License-Identifier: Apache-2.0
#include "mesh_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>

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

bool starts_like_ply(std::string_view bytes) { return bytes.starts_with("ply\n") || bytes.starts_with("ply\r"); }

struct Reader {
    Format format;
    std::string_view name, extension;
    bool (*recognises)(std::string_view bytes);  ///< true when the content can be nothing else
    Result<Mesh> (*parse)(std::string_view bytes, const std::string& name);
};

constexpr Reader readers[] = {
    {Format::Stl, "STL", ".stl", starts_like_stl, parse_stl},
    {Format::Obj, "OBJ", ".obj", starts_like_obj,
     [](std::string_view bytes, const std::string& name) { return parse_obj(bytes, name); }},
    {Format::Ply, "PLY", ".ply", starts_like_ply, parse_ply},
};

const Reader* reader_of(Format format) {
    const Reader* found = std::ranges::find(readers, format, &Reader::format);
    return found == std::end(readers) ? nullptr : found;
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
    const Reader* found = std::ranges::find(readers, extension(name), &Reader::extension);
    return found == std::end(readers) ? Format::Other : found->format;
}

Format format_of(std::string_view bytes, const std::string& name) {
    if (const Format format = format_by_name(name); format != Format::Other) return format;
    const auto fits = [&](const Reader& reader) { return reader.recognises(bytes); };
    const Reader* found = std::ranges::find_if(readers, fits);
    return found == std::end(readers) ? Format::Other : found->format;
}

std::string_view name(Format format) {
    const Reader* reader = reader_of(format);
    return reader ? reader->name : "";
}

std::string built_in_formats() {
    std::string out;
    for (const Reader& reader : readers) out.append(reader.name).append(&reader == std::end(readers) - 1 ? "" : ", ");
    return out + " and glTF";
}

Result<Mesh> parse_mesh(std::string_view bytes, const std::string& name) {
    if (const Reader* reader = reader_of(format_of(bytes, name))) {
        Result<Mesh> mesh = reader->parse(bytes, name);
        if (mesh || reader->recognises(bytes)) return mesh;
        const auto fits = [&](const Reader& other) { return other.recognises(bytes); };
        const Reader* content = std::ranges::find_if(readers, fits);
        if (content == std::end(readers)) return mesh;
        const auto text = [](std::string_view word) { return std::string(word); };
        return Fault{FaultKind::Damaged, name + ": the extension says " + text(reader->name) + ", and the content is " +
                                             text(content->name) + ": rename the file to " + text(content->extension)};
    }
    if (bytes.empty()) return Fault{FaultKind::Damaged, name + ": the file is empty"};
    return Fault{FaultKind::Damaged,
                 name + ": not a known format by its extension, and its content is none of " + built_in_formats()};
}

Result<Bytes> Bytes::of(const std::string& path) {
    Bytes bytes;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) {
        Result<std::shared_ptr<const detail::MappedFile>> file = detail::MappedFile::open(path);
        if (!file.ok()) return file.fault();
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
    // The size is not known beforehand, since a pipe has none.
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
