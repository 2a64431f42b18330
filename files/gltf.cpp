// SPDX-License-Identifier: Apache-2.0
#include "gltf.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "conventions.hpp"
#include "gltf_file.hpp"
#include "placing.hpp"
#include "rounding.hpp"
#include "text.hpp"
#include "welder.hpp"

namespace graze::files {

namespace {

/// The modes of a primitive.
enum Mode : std::uint64_t { Points, Lines, LineLoop, LineStrip, Triangles, Strip, Fan };

std::string name_of(const GltfJson& object) {
    const GltfJson* name = member(object, "name");
    return name && name->is_string() ? one_line(name->get<std::string>()) : "";
}

/// How much rounding may have changed a list of numbers, taken as a vector.
double rounding(std::span<const double> numbers) {
    double sum = 0;
    for (const double x : numbers) sum += placement_rounding(x) * placement_rounding(x);
    return std::sqrt(sum);
}

/// A translation, a rotation as a quaternion and a scale, applied from the last to the first.
Place place_of(const Vec3& translation, const std::array<double, 4>& rotation, const Vec3& scale) {
    const Result<Pose> turn = Pose::from_quaternion(rotation, {});
    if (!turn) throw Fault{FaultKind::Damaged, "a rotation is not a quaternion"};
    Place out{turn->rotation(), translation};
    for (Vec3& row : out.linear.row) row = {row.x * scale.x, row.y * scale.y, row.z * scale.z};
    out.off = rounding(std::array{translation.x, translation.y, translation.z});
    // A quaternion that is off by d turns by 2 d.
    const double most = std::max({std::abs(scale.x), std::abs(scale.y), std::abs(scale.z)});
    out.off_per_length = 2 * most * rounding(rotation) + rounding(std::array{scale.x, scale.y, scale.z});
    return out;
}

Place place_of(const GltfJson& node) {
    const GltfJson *matrix = member(node, "matrix"), *translation = member(node, "translation"),
                   *rotation = member(node, "rotation"), *scale = member(node, "scale");
    const auto vector = [](const GltfJson* list, const char* what, const Vec3& otherwise) {
        if (!list) return otherwise;
        const std::array<double, 3> v = numbers<3>(*list, what);
        return Vec3{v[0], v[1], v[2]};
    };
    if (!matrix)
        return place_of(vector(translation, "a translation", {}),
                        rotation ? numbers<4>(*rotation, "a rotation") : std::array<double, 4>{0, 0, 0, 1},
                        vector(scale, "a scale", {1, 1, 1}));
    if (translation || rotation || scale)
        throw Fault{FaultKind::Damaged, "a node has both a matrix and a translation, rotation or scale"};
    const std::array<double, 16> m = numbers<16>(*matrix, "a matrix");  // by columns
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
        throw Fault{FaultKind::Damaged, "the last row of a matrix is not 0 0 0 1"};
    return {{{Vec3{m[0], m[4], m[8]}, Vec3{m[1], m[5], m[9]}, Vec3{m[2], m[6], m[10]}}},
            {m[12], m[13], m[14]},
            rounding(std::span(m).last(4)),
            rounding(std::span(m).first(12))};
}

class GltfReader {
public:
    GltfReader(std::string_view bytes, const std::string& path, const ReadOptions& options)
        : file_(bytes, path, options.allowed_folders), path_(path), options_(options) {}

    Assembly read() {
        out_.conventions = {"glTF", 1, 'y'};
        if (const std::string unknown = file_.check_extensions(); !unknown.empty())
            note("it uses extensions that are not known here and are left out: " + one_line(unknown));
        walk();
        place_parts(out_, places_, length_factor(out_.conventions, options_), path_);
        for (const Mesh& mesh : out_.meshes)
            for (const Vec3& p : mesh.points)
                for (int d = 0; d < 3; ++d)
                    if (!(std::abs(p[d]) <= max_coordinate))
                        throw Fault{FaultKind::OutOfRange,
                                    "mesh " + in_quotes(mesh.name) + ": a transform takes a coordinate beyond 2^1000"};
        if (loose_ > 0) note(std::to_string(loose_) + " points and lines are skipped");
        if (hidden_ > 0) note("nodes that are hidden are read as well: " + std::to_string(hidden_));
        if (skinned_) note("skins are skipped: meshes are in their rest pose");
        if (morphed_) note("morph targets are skipped: meshes have their base shape");
        return std::move(out_);
    }

private:
    /// The nodes that a scene starts with.
    std::vector<std::uint64_t> roots() {
        const GltfJson *scenes = member(file_.root(), "scenes"), *nodes = member(file_.root(), "nodes");
        if (scenes && scenes->is_array() && !scenes->empty()) {
            const std::uint64_t number = whole(file_.root(), "scene", 0);
            const GltfJson& scene = file_.entry("scenes", number);
            if (scenes->size() > 1)
                note("it has " + std::to_string(scenes->size()) + " scenes: only scene " + std::to_string(number) +
                     " " + in_quotes(name_of(scene)) + " is read");
            return list_of(scene, "nodes");
        }
        // Without scenes, all nodes count that are not below another one.
        const std::size_t count = nodes && nodes->is_array() ? nodes->size() : 0;
        std::vector<bool> below(count);
        for (std::size_t i = 0; i < count; ++i)
            for (const std::uint64_t child : list_of((*nodes)[i], "children"))
                if (child < count) below[child] = true;
        std::vector<std::uint64_t> out;
        for (std::size_t i = 0; i < count; ++i)
            if (!below[i]) out.push_back(i);
        return out;
    }

    static std::vector<std::uint64_t> list_of(const GltfJson& object, const char* key) {
        std::vector<std::uint64_t> out;
        const GltfJson* list = member(object, key);
        if (!list) return out;
        if (!list->is_array()) throw Fault{FaultKind::Damaged, "'" + std::string(key) + "' is not a list"};
        for (const GltfJson& one : *list) out.push_back(whole(one, key));
        return out;
    }

    /// Visits all nodes below the roots, parents first.
    void walk() {
        struct Level {
            std::vector<std::uint64_t> nodes;
            Place world;
            std::size_t path_size = 0, next = 0;
        };
        constexpr std::size_t deepest = 1000, longest = 4000;
        std::vector<bool> seen;
        std::string path;
        const Place turn{to_z_up(turned_axis(out_.conventions, options_)), {}};
        std::vector<Level> levels;
        levels.push_back({roots(), turn});
        while (!levels.empty()) {
            Level& level = levels.back();
            path.resize(level.path_size);
            if (level.next == level.nodes.size()) {
                levels.pop_back();
                continue;
            }
            const std::uint64_t number = level.nodes[level.next++];
            const GltfJson& node = file_.entry("nodes", number);
            const std::string name = name_of_node(node, number);
            const std::string label = "node " + (name.empty() ? std::to_string(number) : in_quotes(name));
            if (seen.size() <= number) seen.resize(number + 1);
            if (seen[number]) throw Fault{FaultKind::Damaged, label + " is in the scene more than once"};
            seen[number] = true;
            if (!name.empty()) path.append(path.empty() ? "" : "/").append(name);
            if (levels.size() > deepest || path.size() > longest)
                throw Fault{FaultKind::TooMany, label + " is nested too deep"};
            const Place world = level.world * place_of(node);
            if (!world.finite()) throw Fault{FaultKind::NotFinite, label + ": its transform is not finite"};
            if (is_hidden(node)) ++hidden_;
            if (member(node, "mesh")) add_parts(node, world, name, path);
            if (std::vector<std::uint64_t> children = list_of(node, "children"); !children.empty())
                levels.push_back({std::move(children), world, path.size()});
        }
    }

    static bool is_hidden(const GltfJson& node) {
        const GltfJson* extensions = member(node, "extensions");
        const GltfJson* visibility = extensions ? member(*extensions, "KHR_node_visibility") : nullptr;
        const GltfJson* visible = visibility ? member(*visibility, "visible") : nullptr;
        return visible && *visible == false;
    }

    /// The name of the node or else of its mesh. A node that has a mesh always gets a name.
    std::string name_of_node(const GltfJson& node, std::uint64_t number) const {
        std::string name = name_of(node);
        if (!name.empty() || !member(node, "mesh")) return name;
        name = name_of(file_.entry("meshes", whole(node, "mesh", 0)));
        return name.empty() ? "node " + std::to_string(number) : name;
    }

    void add_parts(const GltfJson& node, const Place& world, const std::string& name, const std::string& path) {
        const std::uint32_t mesh = mesh_of(whole(node, "mesh", 0));
        skinned_ = skinned_ || member(node, "skin");
        if (out_.meshes[mesh].corners.empty()) return;
        const auto add = [&](const Place& place) {
            if (!place.finite())
                throw Fault{FaultKind::NotFinite, "node " + in_quotes(name) + ": an instance is not finite"};
            spend(64 + path.size());
            // Such a part gets points of its own.
            if (!Affine::from_matrix(place.linear, {})) spend(out_.meshes[mesh].corners.size());
            out_.parts.push_back({name, path, mesh, Affine()});
            places_.push_back(place);
        };
        const GltfJson* extensions = member(node, "extensions");
        const GltfJson* instancing = extensions ? member(*extensions, "EXT_mesh_gpu_instancing") : nullptr;
        if (!instancing) return add(world);
        const GltfJson* attributes = member(*instancing, "attributes");
        if (!attributes) throw Fault{FaultKind::Damaged, "node " + in_quotes(name) + " has instances without places"};
        const auto numbers_of = [&](const char* key, const char* kind, std::initializer_list<unsigned> types) {
            std::optional<GltfNumbers> out;
            if (member(*attributes, key)) out = file_.accessor(whole(*attributes, key, 0), kind, types);
            return out;
        };
        const auto translation = numbers_of("TRANSLATION", "VEC3", {GltfFile::Float});
        const auto rotation = numbers_of("ROTATION", "VEC4", {GltfFile::Float, GltfFile::Byte, GltfFile::Short});
        const auto scale = numbers_of("SCALE", "VEC3", {GltfFile::Float});
        const std::optional<GltfNumbers>& any = translation ? translation : rotation ? rotation : scale;
        if (!any) throw Fault{FaultKind::Damaged, "node " + in_quotes(name) + " has instances without places"};
        for (const auto* one : {&translation, &rotation, &scale})
            if (*one && (*one)->size() != any->size())
                throw Fault{FaultKind::Damaged, "node " + in_quotes(name) + " has instances whose counts differ"};
        for (std::size_t i = 0; i < any->size(); ++i) {
            std::array<double, 4> turn{0, 0, 0, 1};
            for (unsigned k = 0; rotation && k < 4; ++k) turn[k] = rotation->at(i, k);
            Place place = place_of(translation ? vector_at(*translation, i) : Vec3{}, turn,
                                   scale ? vector_at(*scale, i) : Vec3{1, 1, 1});
            // Four integers, each off by half a step, turn by as much as two steps. Half turns are exact.
            const bool exact = std::ranges::all_of(turn, [](double x) { return x == 0 || std::abs(x) == 1; });
            if (rotation && !exact) place.off_per_length += 2 * stretch(place.linear) * rotation->step();
            add(world * place);
        }
    }

    static Vec3 vector_at(const GltfNumbers& numbers, std::size_t i) {
        return {numbers.at(i, 0), numbers.at(i, 1), numbers.at(i, 2)};
    }

    /// The number in `out_` of a mesh of the file. Meshes of the same triangles and colour are one: some programs write
    /// a mesh per part.
    std::uint32_t mesh_of(std::uint64_t number) {
        if (const auto known = meshes_.find(number); known != meshes_.end()) return known->second;
        const GltfJson& json = file_.entry("meshes", number);
        const GltfJson* primitives = member(json, "primitives");
        if (!primitives || !primitives->is_array())
            throw Fault{FaultKind::Damaged, "mesh " + in_quotes(name_of(json)) + " has no primitives"};
        Shape shape;
        for (const GltfJson& primitive : *primitives) add_primitive(primitive, name_of(json), shape);
        const auto [at, fresh] = shapes_.emplace(shape, out_.meshes.size());
        if (fresh) {
            Mesh mesh;
            mesh.name = name_of(json);
            mesh.colour = shape.colour;
            read_triangles(shape, mesh);
            out_.meshes.push_back(std::move(mesh));
        }
        return meshes_[number] = at->second;
    }

    /// Tells meshes apart: the accessors of corners and points, and the mode of each list of triangles.
    struct Shape {
        struct Part {
            std::uint64_t points = 0, mode = 0;
            std::optional<std::uint64_t> corners;
            auto operator<=>(const Part&) const = default;
        };
        std::vector<Part> parts;
        std::optional<Colour> colour;
        auto operator<=>(const Shape&) const = default;
    };

    void add_primitive(const GltfJson& json, const std::string& name, Shape& shape) {
        const auto damaged = [&](const std::string& what) {
            return Fault{FaultKind::Damaged, "mesh " + in_quotes(name) + ": " + what};
        };
        const GltfJson* attributes = member(json, "attributes");
        // A primitive without positions is drawn by none but an extension.
        if (!attributes || !member(*attributes, "POSITION")) throw damaged("a primitive has no positions");
        Shape::Part part;
        part.points = whole(*attributes, "POSITION", 0);
        part.mode = whole(json, "mode", Triangles);
        if (member(json, "indices")) part.corners = whole(json, "indices", 0);
        if (part.mode > Fan) throw damaged("a primitive has the mode " + std::to_string(part.mode));
        if (part.mode < Triangles) {
            const std::uint64_t n = whole(file_.entry("accessors", part.corners.value_or(part.points)), "count", 0);
            loose_ += part.mode == Lines ? n / 2 : n - (part.mode == LineStrip && n > 0 ? 1 : 0);
            return;
        }
        const GltfJson* extensions = member(json, "extensions");
        if (extensions && member(*extensions, "KHR_draco_mesh_compression") &&
            !member(file_.entry("accessors", part.points), "bufferView"))
            throw damaged(
                "it is compressed with KHR_draco_mesh_compression, which is not supported: export it without "
                "compression");
        if (member(json, "targets")) morphed_ = true;
        if (!shape.colour && member(json, "material")) shape.colour = colour_of(whole(json, "material", 0));
        shape.parts.push_back(part);
    }

    std::optional<Colour> colour_of(std::uint64_t material) const {
        const GltfJson* physical = member(file_.entry("materials", material), "pbrMetallicRoughness");
        const GltfJson* factor = physical ? member(*physical, "baseColorFactor") : nullptr;
        if (!factor) return Colour{1, 1, 1, 1};
        const std::array<double, 4> numbers4 = numbers<4>(*factor, "a colour");
        Colour out;
        for (std::size_t i = 0; i < 4; ++i) {
            if (!(numbers4[i] >= 0 && numbers4[i] <= 1)) return std::nullopt;
            out[i] = static_cast<float>(numbers4[i]);
        }
        return out;
    }

    /// Appends the triangles of all parts. Points with equal bits become one: the file splits them by normals.
    void read_triangles(const Shape& shape, Mesh& mesh) {
        Welder welder(64);
        bool single = false;
        for (const Shape::Part& part : shape.parts) {
            using enum GltfFile::Type;
            const GltfNumbers points = file_.accessor(part.points, "VEC3", {Float, Byte, UByte, Short, UShort});
            single = single || points.step() == 0;
            mesh.error = std::max(mesh.error, 0.5 * points.step());
            std::optional<GltfNumbers> corners;
            if (part.corners) corners = file_.accessor(*part.corners, "SCALAR", {UByte, UShort, UInt});
            spend(points.sparse_size() + (corners ? corners->sparse_size() : 0));
            const std::size_t count = corners ? corners->size() : points.size();
            if (part.mode == Triangles && count % 3 != 0)
                throw Fault{FaultKind::Damaged, "mesh " + in_quotes(mesh.name) + ": " + std::to_string(count) +
                                                    " corners are not triples of triangles"};
            constexpr std::uint32_t none = 0xffffffff;
            // The number of each point in the mesh, where corners come back to them. Many meshes may share one long
            // list of points, each using few.
            std::vector<std::uint32_t> numbers(corners && points.size() / 4 <= count ? points.size() : 0, none);
            std::vector<std::uint32_t> one;
            const auto add = [&](std::size_t i) {
                const auto where = [&] {
                    return "mesh " + in_quotes(mesh.name) + ", face " + std::to_string(mesh.corners.size() / 3) + ": ";
                };
                const std::size_t v = corners ? static_cast<std::size_t>(corners->at(i, 0)) : i;
                if (v >= points.size())
                    throw Fault{FaultKind::BadIndex, where() + "a corner names vertex " + std::to_string(v) + " of " +
                                                         std::to_string(points.size())};
                if (v < numbers.size() && numbers[v] != none) return mesh.corners.push_back(numbers[v]);
                const Vec3 p = vector_at(points, v);
                if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
                    throw Fault{FaultKind::NotFinite, where() + "a coordinate is not finite"};
                one.clear();
                welder.weld(std::array{p}, one);
                if (v < numbers.size()) numbers[v] = one[0];
                mesh.corners.push_back(one[0]);
            };
            const std::size_t step = part.mode == Triangles ? 3 : 1;
            spend(3 * (count / step));
            for (std::size_t i = 0; i + 2 < count; i += step) {
                if (mesh.corners.size() > none - 4)
                    throw Fault{FaultKind::TooMany,
                                "mesh " + in_quotes(mesh.name) + " has more corners than 32 bits can number"};
                const bool odd = part.mode == Strip && i % 2 == 1;
                add(part.mode == Fan ? 0 : i);
                add(i + (odd ? 2 : 1));
                add(i + (odd ? 1 : 2));
            }
        }
        mesh.points = std::move(welder.points);
        if (single) mesh.error = std::max(mesh.error, single_rounding(largest_coordinate(mesh.points)));
    }

    /// Counts what is read. A file that names the same numbers over and over would fill all memory.
    void spend(std::size_t count) {
        spent_ += count;
        if (spent_ > (std::size_t{1} << 24) + 16 * file_.bytes())
            throw Fault{FaultKind::TooMany, "it unfolds to far more than its bytes hold"};
    }

    void note(const std::string& what) { out_.notes.push_back(path_ + ": " + what); }

    GltfFile file_;
    const std::string& path_;
    const ReadOptions& options_;
    std::map<std::uint64_t, std::uint32_t> meshes_;  // the file's meshes, by their numbers
    std::map<Shape, std::uint32_t> shapes_;
    Assembly out_;
    std::vector<Place> places_;  // one per part
    std::uint64_t loose_ = 0, hidden_ = 0;
    std::size_t spent_ = 0;
    bool skinned_ = false, morphed_ = false;
};

}  // namespace

bool is_gltf_name(const std::string& path) {
    const std::string kind = extension(path);
    return kind == ".gltf" || kind == ".glb" || kind == ".vrm";
}

Result<Assembly> parse_gltf(std::string_view bytes, const std::string& path, const ReadOptions& options) {
    try {
        return GltfReader(bytes, path, options).read();
    } catch (const Fault& fault) {
        return Fault{fault.kind, path + ": " + fault.message};
    } catch (const std::exception& error) {
        return Fault{FaultKind::Damaged, path + ": " + one_line(error.what())};
    }
}

}  // namespace graze::files
