// SPDX-License-Identifier: Apache-2.0
#include "mesh_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace graze::files {

namespace {

std::string extension(const std::string& name) {
    const std::size_t dot = name.find_last_of("./\\");
    std::string text = dot == std::string::npos || name[dot] != '.' ? "" : name.substr(dot);
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return text;
}

bool starts_like_obj(std::string_view bytes) {
    const std::size_t start = bytes.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return false;
    const std::string_view rest = bytes.substr(start);
    for (std::string_view word : {"#", "v ", "v\t", "o ", "g ", "mtllib "})
        if (rest.starts_with(word)) return true;
    return false;
}

}  // namespace

Result<Mesh> parse_mesh(std::string_view bytes, const std::string& name) {
    const std::string kind = extension(name);
    if (kind == ".stl") return parse_stl(bytes, name);
    if (kind == ".obj" || starts_like_obj(bytes)) return parse_obj(bytes, name);
    return parse_stl(bytes, name);
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

Result<Mesh> read_mesh(const std::string& path) {
    const Result<std::string> bytes = read_bytes(path);
    if (!bytes) return bytes.fault();
    return parse_mesh(*bytes, path);
}

}  // namespace graze::files
