// SPDX-License-Identifier: Apache-2.0
#include "write.hpp"

#include <charconv>
#include <cmath>

#include "base/output_file.hpp"
#include "binary.hpp"

namespace graze::files {

namespace {

void append(std::string& out, double x) {
    std::array<char, 32> text;
    out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr);
}

void append_point(std::string& out, const Vec3& p) {
    out += "v";
    for (int d = 0; d < 3; ++d) {
        out += ' ';
        append(out, p[d]);
    }
    out += '\n';
}

/// The name without control characters, backslashes and `#`, so that OBJ reads it as one line; `otherwise` for a blank
/// name.
std::string plain(const std::string& name, const char* otherwise) {
    std::string out;
    for (const char c : name) out += static_cast<unsigned char>(c) < ' ' || c == '\\' || c == '#' ? '_' : c;
    return out.find_first_not_of(' ') == std::string::npos ? otherwise : out;
}

bool fits(const Vec3& p) { return fits_float(p.x) && fits_float(p.y) && fits_float(p.z); }

}  // namespace

Assembly single(Mesh mesh) {
    Assembly out;
    out.parts.push_back({mesh.name, mesh.name, 0, Affine()});
    out.meshes.push_back(std::move(mesh));
    return out;
}

Result<std::string> to_stl(const Assembly& assembly) {
    const Result<Mesh> mesh = merged(assembly);
    if (!mesh) return mesh.fault();
    const std::vector<std::uint32_t> corners = triangles(*mesh);
    std::string out = "binary STL";
    out.reserve(84 + corners.size() / 3 * 50);
    out.resize(80, '\0');
    store(out, static_cast<std::uint32_t>(corners.size() / 3));
    for (std::size_t i = 0; i < corners.size(); i += 3) {
        const Vec3 &a = mesh->points[corners[i]], &b = mesh->points[corners[i + 1]], &c = mesh->points[corners[i + 2]];
        if (!fits(a) || !fits(b) || !fits(c))
            return Fault{FaultKind::OutOfRange,
                         "triangle " + std::to_string(i / 3) + ": a coordinate is beyond single precision"};
        // A triangle without area, or whose size is out of range, gets the normal 0, which the format allows.
        const Vec3 n = cross(b - a, c - a);
        const double size = length(n);
        const bool good = size > 0 && std::isfinite(size);
        for (int d = 0; d < 3; ++d) store(out, good ? static_cast<float>(n[d] / size) : 0.0f);
        for (const Vec3* p : {&a, &b, &c})
            for (int d = 0; d < 3; ++d) store(out, static_cast<float>((*p)[d]));
        store(out, std::uint16_t{0});
    }
    return out;
}

Result<std::string> to_obj(const Assembly& assembly, std::span<const Curve> curves) {
    std::string out = "# graze\n";
    std::uint64_t first = 1;
    for (const Part& part : assembly.parts) {
        const Mesh& mesh = assembly.meshes[part.mesh];
        out += "o " + plain(part.name, "part") + "\n";
        for (const Vec3& p : mesh.points) append_point(out, part.world_from_mesh(p));
        for (std::size_t i = 0; i < mesh.polygon_count(); ++i) {
            out += 'f';
            for (const std::uint32_t c : mesh.polygon(i)) out.append(" ").append(std::to_string(first + c));
            out += '\n';
        }
        first += mesh.points.size();
    }
    for (const Curve& curve : curves) {
        if (curve.points.size() < 2) continue;
        out += "o " + plain(curve.name, "curve") + "\n";
        for (const Vec3& p : curve.points) append_point(out, p);
        out += 'l';
        for (std::size_t i = 0; i < curve.points.size() + curve.closed; ++i)
            out.append(" ").append(std::to_string(first + i % curve.points.size()));
        out += '\n';
        first += curve.points.size();
    }
    return out;
}

Result<std::string> to_ply(const Assembly& assembly, std::span<const Curve> curves) {
    const Result<Mesh> mesh = merged(assembly);
    if (!mesh) return mesh.fault();
    std::uint64_t points = mesh->points.size(), edges = 0, largest = 3;
    for (const Curve& curve : curves) {
        if (curve.points.size() < 2) continue;
        points += curve.points.size();
        edges += curve.points.size() - 1 + curve.closed;
    }
    // Readers take indices as signed numbers.
    if (points > 0x7fffffff) return Fault{FaultKind::TooMany, "more points than a PLY file can number"};
    for (std::size_t i = 0; i < mesh->polygon_count(); ++i)
        largest = std::max<std::uint64_t>(largest, mesh->polygon(i).size());
    const bool small = largest < 256;
    std::string out = "ply\nformat binary_little_endian 1.0\ncomment graze\nelement vertex " + std::to_string(points) +
                      "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
                      std::to_string(mesh->polygon_count()) + "\nproperty list " + (small ? "uchar" : "uint") +
                      " int vertex_indices\n";
    if (edges > 0) out += "element edge " + std::to_string(edges) + "\nproperty int vertex1\nproperty int vertex2\n";
    out += "end_header\n";
    const auto store_point = [&](const Vec3& p) {
        for (int d = 0; d < 3; ++d) store(out, p[d]);
    };
    for (const Vec3& p : mesh->points) store_point(p);
    for (const Curve& curve : curves)
        if (curve.points.size() > 1)
            for (const Vec3& p : curve.points) store_point(p);
    for (std::size_t i = 0; i < mesh->polygon_count(); ++i) {
        const std::span<const std::uint32_t> polygon = mesh->polygon(i);
        if (small)
            store(out, static_cast<std::uint8_t>(polygon.size()));
        else
            store(out, static_cast<std::uint32_t>(polygon.size()));
        for (const std::uint32_t c : polygon) store(out, c);
    }
    std::uint64_t first = mesh->points.size();
    for (const Curve& curve : curves) {
        const std::size_t n = curve.points.size();
        if (n < 2) continue;
        for (std::size_t i = 0; i + 1 < n + curve.closed; ++i) {
            store(out, static_cast<std::uint32_t>(first + i));
            store(out, static_cast<std::uint32_t>(first + (i + 1) % n));
        }
        first += n;
    }
    return out;
}

Result<void> check_written_format(const std::string& path) {
    for (const char* one : {".stl", ".obj", ".ply", ".glb"})
        if (extension(path) == one) return {};
    return Fault{FaultKind::File, path + ": only .stl, .obj, .ply and .glb are written"};
}

Result<void> write_assembly(const std::string& path, const Assembly& assembly, std::span<const Curve> curves) {
    if (const Result<void> known = check_written_format(path); !known) return known;
    const auto bytes = [&]() -> Result<std::string> {
        const std::string kind = extension(path);
        if (kind == ".obj") return to_obj(assembly, curves);
        if (kind == ".ply") return to_ply(assembly, curves);
        if (kind == ".glb") return to_glb(assembly, curves);
        if (!curves.empty()) return Fault{FaultKind::File, "STL cannot hold curves; .obj, .ply and .glb can"};
        return to_stl(assembly);
    }();
    if (!bytes) return Fault{bytes.fault().kind, path + ": " + bytes.fault().message};
    return write_bytes(path, *bytes);
}

Result<void> write_bytes(const std::string& path, std::string_view bytes) {
    return write_pieces(path, [&](const TextSink& to) { to(bytes); });
}

Result<void> write_pieces(const std::string& path, const std::function<void(const TextSink&)>& produce) {
    return detail::write_file(path, [&](const detail::ByteSink& to) {
        produce([&](std::string_view piece) { to(std::as_bytes(std::span(piece))); });
    });
}

}  // namespace graze::files
