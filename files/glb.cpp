// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "binary.hpp"
#include "write.hpp"

namespace graze::files {

namespace {

constexpr std::uint32_t none = 0xffffffff;
// Constants of glTF: component types, targets of buffer views, modes of primitives.
constexpr int float_type = 5126, uint_type = 5125, vertices = 34962, indices = 34963, line_strip = 3, triangle_list = 4;

template <class T>
std::string number(T x) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

/// A JSON string. Bytes that are not UTF-8 become question marks.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t n = c < 0x80                ? 1
                              : c >= 0xc2 && c < 0xe0 ? 2
                              : c >= 0xe0 && c < 0xf0 ? 3
                              : c >= 0xf0 && c < 0xf5 ? 4
                                                      : 0;
        bool good = n > 0 && i + n <= text.size();
        for (std::size_t k = 1; good && k < n; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
        // Surrogates and overlong forms are not UTF-8.
        if (good && n > 2) {
            const auto d = static_cast<unsigned char>(text[i + 1]);
            good = !(c == 0xe0 && d < 0xa0) && !(c == 0xed && d > 0x9f) && !(c == 0xf0 && d < 0x90) &&
                   !(c == 0xf4 && d > 0x8f);
        }
        if (!good) {
            out += '?';
            ++i;
        } else if (c == '"' || c == '\\') {
            out.append("\\").append(1, text[i++]);
        } else if (c < 0x20) {
            constexpr const char* digits = "0123456789abcdef";
            out.append("\\u00").append(1, digits[c >> 4]).append(1, digits[c & 15]);
            ++i;
        } else {
            out.append(text.substr(i, n));
            i += n;
        }
    }
    return out + "\"";
}

/// A JSON array that is filled piece by piece.
class List {
public:
    std::uint32_t add(const std::string& item) {
        text_.append(count_ ? ",\n" : "\n").append(item);
        return count_++;
    }
    bool empty() const { return count_ == 0; }
    const std::string& text() const { return text_; }
    std::uint32_t size() const { return count_; }

private:
    std::string text_;
    std::uint32_t count_ = 0;
};

class GlbWriter {
public:
    GlbWriter(const Assembly& assembly, std::span<const Curve> curves) : assembly_(assembly), curves_(curves) {}

    Result<std::string> write() {
        std::vector<std::uint32_t> mesh_number(assembly_.meshes.size(), none);
        for (const Part& part : assembly_.parts) {
            const Mesh& mesh = assembly_.meshes[part.mesh];
            if (mesh.corners.empty()) continue;
            std::string transform = matrix(part.world_from_mesh);
            std::uint32_t number = mesh_number[part.mesh];
            if (transform.empty()) {
                // glTF has no transforms that shear: such a placement is applied to the points.
                Mesh placed = mesh;
                for (Vec3& p : placed.points) p = part.world_from_mesh(p);
                if (!add_mesh(placed, number)) return fault_;
            } else if (number == none) {
                if (!add_mesh(mesh, number)) return fault_;
                mesh_number[part.mesh] = number;
            }
            if (transform == identity) transform.clear();
            if (!transform.empty()) transform = ",\"matrix\":" + transform;
            children_.push_back(
                nodes_.add("{\"name\":" + quoted(part.name) + ",\"mesh\":" + std::to_string(number) + transform + "}"));
        }
        for (const Curve& curve : curves_)
            if (curve.points.size() > 1 && !add_curve(curve)) return fault_;
        return finish();
    }

private:
    static constexpr std::string_view identity = "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]";

    /// The matrix by columns. Empty when it is not a product of translation, rotation and scale, whose columns are at
    /// right angles, or when a number is beyond single precision.
    static std::string matrix(const Affine& a) {
        const Mat3 m = transpose(a.linear());
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < i; ++j)
                if (std::abs(dot(m.row[i], m.row[j])) > 1e-6 * length(m.row[i]) * length(m.row[j])) return "";
        std::string out = "[";
        for (int c = 0; c < 4; ++c)
            for (int r = 0; r < 4; ++r) {
                const double x = r == 3 ? c == 3 : c == 3 ? a.translation()[r] : m.row[c][r];
                if (!fits_float(x)) return "";
                out.append(c + r ? "," : "").append(number(x == 0 ? 0.0 : x));
            }
        return out + "]";
    }

    bool add_mesh(const Mesh& mesh, std::uint32_t& number) {
        std::uint32_t positions = 0;
        if (!add_points(mesh.points, mesh.name, positions)) return false;
        const std::vector<std::uint32_t> corners = triangles(mesh);
        const std::uint32_t view = add_view(4 * corners.size(), indices);
        for (const std::uint32_t c : corners) store(binary_, c);
        const std::uint32_t index = accessors_.add(
            "{\"bufferView\":" + std::to_string(view) + ",\"componentType\":" + std::to_string(uint_type) +
            ",\"count\":" + std::to_string(corners.size()) + ",\"type\":\"SCALAR\"}");
        number =
            add_primitive(mesh.name, positions, ",\"indices\":" + std::to_string(index), mesh.colour, triangle_list);
        return true;
    }

    bool add_curve(const Curve& curve) {
        std::vector<Vec3> points = curve.points;
        if (curve.closed) points.push_back(points.front());
        std::uint32_t positions = 0;
        if (!add_points(points, curve.name, positions)) return false;
        const std::uint32_t mesh = add_primitive(curve.name, positions, "", curve.colour, line_strip);
        children_.push_back(nodes_.add("{\"name\":" + quoted(curve.name) + ",\"mesh\":" + std::to_string(mesh) + "}"));
        return true;
    }

    std::uint32_t add_view(std::uint64_t bytes, int target) {
        return views_.add("{\"buffer\":0,\"byteOffset\":" + std::to_string(binary_.size()) +
                          ",\"byteLength\":" + std::to_string(bytes) + ",\"target\":" + std::to_string(target) + "}");
    }

    bool add_points(std::span<const Vec3> points, const std::string& name, std::uint32_t& accessor) {
        if (12 * points.size() + binary_.size() > 0xf0000000u) {
            fault_ = {FaultKind::TooMany, "more data than the 4 GB that a GLB file can hold"};
            return false;
        }
        const std::uint32_t view = add_view(12 * points.size(), vertices);
        constexpr float inf = std::numeric_limits<float>::infinity();
        std::array<float, 3> low{inf, inf, inf}, high{-inf, -inf, -inf};
        for (const Vec3& p : points)
            for (int d = 0; d < 3; ++d) {
                if (!fits_float(p[d])) {
                    fault_ = {FaultKind::OutOfRange, quoted(name) + ": a coordinate is beyond single precision"};
                    return false;
                }
                const auto x = static_cast<float>(p[d]);
                low[d] = std::min(low[d], x);
                high[d] = std::max(high[d], x);
                store(binary_, x);
            }
        const auto corner = [](const std::array<float, 3>& c) {
            return "[" + number(c[0]) + "," + number(c[1]) + "," + number(c[2]) + "]";
        };
        accessor = accessors_.add("{\"bufferView\":" + std::to_string(view) + ",\"componentType\":" +
                                  std::to_string(float_type) + ",\"count\":" + std::to_string(points.size()) +
                                  ",\"type\":\"VEC3\",\"min\":" + corner(low) + ",\"max\":" + corner(high) + "}");
        return true;
    }

    std::uint32_t add_primitive(const std::string& name, std::uint32_t positions, const std::string& index,
                                const std::optional<Colour>& colour, int mode) {
        std::string material;
        if (colour) {
            const auto [at, fresh] = colours_.emplace(*colour, materials_.size());
            if (fresh) {
                std::string factor;
                for (const float x : *colour)
                    factor.append(factor.empty() ? "" : ",").append(number(std::clamp(x, 0.f, 1.f)));
                materials_.add("{\"pbrMetallicRoughness\":{\"baseColorFactor\":[" + factor +
                               "],\"metallicFactor\":0,\"roughnessFactor\":0.8}" +
                               ((*colour)[3] < 1 ? ",\"alphaMode\":\"BLEND\"" : "") + ",\"doubleSided\":true}");
            }
            material = ",\"material\":" + std::to_string(at->second);
        }
        return meshes_.add("{\"name\":" + quoted(name) +
                           ",\"primitives\":[{\"attributes\":{\"POSITION\":" + std::to_string(positions) + "}" + index +
                           material + ",\"mode\":" + std::to_string(mode) + "}]}");
    }

    Result<std::string> finish() {
        std::string children;
        for (const std::uint32_t c : children_) children.append(children.empty() ? "" : ",").append(std::to_string(c));
        // glTF does not allow empty arrays, so they are left out.
        if (!children.empty()) children = ",\"children\":[" + children + "]";
        const std::uint32_t root =
            nodes_.add("{\"name\":\"z up\",\"matrix\":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1]" + children + "}");
        std::string json =
            "{\"asset\":{\"version\":\"2.0\",\"generator\":\"graze\"},\"scene\":0,\"scenes\":[{\"nodes\":[" +
            std::to_string(root) + "]}]";
        const auto list = [&](const char* name, const List& items) {
            if (!items.empty()) json.append(",\n\"").append(name).append("\":[").append(items.text()).append("]");
        };
        list("nodes", nodes_);
        list("meshes", meshes_);
        list("materials", materials_);
        list("accessors", accessors_);
        list("bufferViews", views_);
        if (!binary_.empty()) json += ",\n\"buffers\":[{\"byteLength\":" + std::to_string(binary_.size()) + "}]";
        json += "}";
        json.append((4 - json.size() % 4) % 4, ' ');
        // The binary chunk consists of words of four bytes.
        const std::uint64_t all = 12 + 8 + json.size() + (binary_.empty() ? 0 : 8 + binary_.size());
        if (all > 0xffffffffu) return Fault{FaultKind::TooMany, "more data than the 4 GB that a GLB file can hold"};
        std::string out = "glTF";
        out.reserve(all);
        store(out, std::uint32_t{2});
        store(out, static_cast<std::uint32_t>(all));
        store(out, static_cast<std::uint32_t>(json.size()));
        out += "JSON" + json;
        if (!binary_.empty()) {
            store(out, static_cast<std::uint32_t>(binary_.size()));
            out.append("BIN\0", 4).append(binary_);
        }
        return out;
    }

    const Assembly& assembly_;
    std::span<const Curve> curves_;
    List nodes_, meshes_, materials_, accessors_, views_;
    std::vector<std::uint32_t> children_;
    std::map<Colour, std::uint32_t> colours_;
    std::string binary_;
    Fault fault_{};
};

}  // namespace

Result<std::string> to_glb(const Assembly& assembly, std::span<const Curve> curves) {
    return GlbWriter(assembly, curves).write();
}

}  // namespace graze::files
