// SPDX-License-Identifier: Apache-2.0
#include "gltf_file.hpp"

#include <algorithm>
#include <cmath>

#include "binary.hpp"
#include "inside.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

constexpr std::endian little = std::endian::little;

[[noreturn]] void damaged(const std::string& what) { throw Fault{FaultKind::Damaged, what}; }

/// Extensions that change what triangles there are, and that this reader knows.
constexpr std::array<std::string_view, 2> known_extensions = {"KHR_mesh_quantization", "EXT_mesh_gpu_instancing"};
/// Extensions that compress. A file may have the same numbers uncompressed as well.
constexpr std::array<std::string_view, 3> packing_extensions = {"KHR_draco_mesh_compression", "EXT_meshopt_compression",
                                                                "KHR_meshopt_compression"};
/// How the names of extensions begin that change no triangle: materials, textures, lights, data on things.
constexpr std::array<std::string_view, 26> harmless_extensions = {"KHR_materials_",
                                                                  "KHR_texture_",
                                                                  "KHR_lights_",
                                                                  "KHR_xmp",
                                                                  "KHR_animation_",
                                                                  "KHR_audio",
                                                                  "KHR_node_",
                                                                  "KHR_physics_",
                                                                  "KHR_implicit_",
                                                                  "KHR_technique",
                                                                  "KHR_interactivity",
                                                                  "EXT_texture_",
                                                                  "EXT_lights_",
                                                                  "EXT_materials_",
                                                                  "EXT_mesh_features",
                                                                  "EXT_mesh_manifold",
                                                                  "EXT_structural_",
                                                                  "EXT_instance_features",
                                                                  "MSFT_texture_dds",
                                                                  "MSFT_packing_",
                                                                  "FB_ngon_encoding",
                                                                  "ADOBE_materials_",
                                                                  "AGI_",
                                                                  "CESIUM_primitive_outline",
                                                                  "VRM",
                                                                  "MSFT_lod"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& all) {
    return std::find(all.begin(), all.end(), name) != all.end();
}
bool is_harmless(std::string_view name) {
    return std::any_of(harmless_extensions.begin(), harmless_extensions.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

std::size_t bytes_of(unsigned type) {
    switch (type) {
        case GltfFile::Byte:
        case GltfFile::UByte:
            return 1;
        case GltfFile::Short:
        case GltfFile::UShort:
            return 2;
        default:
            return 4;
    }
}

double number_at(const char* at, unsigned type) {
    switch (type) {
        case GltfFile::Byte:
            return load<std::int8_t>(at, little);
        case GltfFile::UByte:
            return load<std::uint8_t>(at, little);
        case GltfFile::Short:
            return load<std::int16_t>(at, little);
        case GltfFile::UShort:
            return load<std::uint16_t>(at, little);
        case GltfFile::UInt:
            return load<std::uint32_t>(at, little);
        default:
            return load<float>(at, little);
    }
}

/// The number that an integer stands for, as the format defines it: from -1 or 0 to 1.
double fraction(double x, unsigned type) {
    switch (type) {
        case GltfFile::Byte:
            return std::max(x / 127, -1.0);
        case GltfFile::UByte:
            return x / 255;
        case GltfFile::Short:
            return std::max(x / 32767, -1.0);
        case GltfFile::UShort:
            return x / 65535;
        default:
            return x;
    }
}

std::uint64_t required(const GltfJson& object, const char* key, const std::string& where) {
    const GltfJson* value = member(object, key);
    if (!value) damaged(where + " has no '" + key + "'");
    return whole(*value, key);
}

/// Decodes base64 up to the padding.
std::string base64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string out;
    out.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : text) {
        const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (digit < 0) damaged("a buffer in the document is not base64");
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        out += static_cast<char>(bits >> have & 0xff);
    }
    return out;
}

}  // namespace

const GltfJson* member(const GltfJson& object, const char* key) {
    const auto at = object.is_object() ? object.find(key) : object.end();
    return at == object.end() ? nullptr : &*at;
}

std::uint64_t whole(const GltfJson& value, const char* what) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    // Some programs write 3 as 3.0.
    const double x = value.is_number() ? value.get<double>() : -1;
    if (!(x >= 0 && x < 0x1p53 && x == std::floor(x))) damaged("'" + std::string(what) + "' is not a whole number");
    return static_cast<std::uint64_t>(x);
}

std::uint64_t whole(const GltfJson& object, const char* key, std::uint64_t otherwise) {
    const GltfJson* value = member(object, key);
    return value ? whole(*value, key) : otherwise;
}

double GltfNumbers::step() const {
    if (type_ == GltfFile::Float) return 0;
    return normalised_ ? fraction(1, type_) : 1;
}

double GltfNumbers::at(std::size_t i, unsigned k) const {
    const char* element = data_ ? data_ + i * stride_ : nullptr;
    if (!sparse_.empty())
        if (const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), i);
            found != sparse_.end() && *found == i)
            element = replaced_ + static_cast<std::size_t>(found - sparse_.begin()) * element_;
    if (!element) return 0;
    const double x = number_at(element + k * bytes_of(type_), type_);
    return normalised_ ? fraction(x, type_) : x;
}

GltfFile::GltfFile(std::string_view bytes, const std::string& path, std::span<const std::string> allowed)
    : path_(path), allowed_(allowed), json_(bytes), bytes_(bytes.size()) {
    if (bytes.starts_with("glTF")) read_container(bytes);
    try {
        root_ = GltfJson::parse(json_);
    } catch (const GltfJson::parse_error& error) {
        damaged("its JSON is damaged at byte " + std::to_string(error.byte));
    } catch (const GltfJson::exception&) {
        damaged("its JSON has a number that is out of range");
    }
    const GltfJson* asset = member(root_, "asset");
    const GltfJson* version = asset ? member(*asset, "version") : nullptr;
    if (!version || !version->is_string()) damaged("this is not glTF: it states no version");
    const std::string& number = version->get_ref<const std::string&>();
    if (!number.starts_with("2.")) damaged("glTF of version " + in_quotes(number) + " is not supported, only 2.0 is");
}

void GltfFile::read_container(std::string_view bytes) {
    const auto word = [&](std::size_t at) { return std::size_t{load<std::uint32_t>(bytes.data() + at, little)}; };
    if (bytes.size() < 20) damaged("the file is cut off");
    if (word(4) != 2) damaged("GLB of version " + std::to_string(word(4)) + " is not supported, only 2 is");
    if (word(8) > bytes.size())
        damaged("the file is cut off: it has " + std::to_string(bytes.size()) + " bytes of " + std::to_string(word(8)));
    bytes = bytes.substr(0, word(8));
    std::size_t at = 12;
    for (int chunk = 0; chunk < 2 && bytes.size() >= at + 8; ++chunk) {
        const std::size_t size = word(at);
        if (size > bytes.size() - at - 8) damaged("a chunk is longer than the file");
        const std::string_view kind = bytes.substr(at + 4, 4), data = bytes.substr(at + 8, size);
        if (chunk == 0 && kind != "JSON") damaged("its first chunk is not JSON");
        if (chunk == 0)
            json_ = data;
        else if (kind == std::string_view("BIN\0", 4))
            binary_ = data;
        at += 8 + size;
    }
}

const GltfJson& GltfFile::entry(const char* list, std::uint64_t index) const {
    const GltfJson* all = member(root_, list);
    const std::size_t count = all && all->is_array() ? all->size() : 0;
    if (index >= count)
        throw Fault{FaultKind::BadIndex,
                    "it names entry " + std::to_string(index) + " of the " + std::to_string(count) + " " + list};
    return (*all)[index];
}

std::string GltfFile::check_extensions() const {
    const auto each = [&](const char* list, const auto& take) {
        if (const GltfJson* all = member(root_, list); all && all->is_array())
            for (const GltfJson& one : *all)
                if (one.is_string()) take(one.get_ref<const std::string&>());
    };
    each("extensionsRequired", [](const std::string& name) {
        if (is_one_of(name, known_extensions) || is_harmless(name)) return;
        const bool packs = is_one_of(name, packing_extensions);
        damaged("it requires the extension " + in_quotes(name) + ", which is not supported" +
                (packs ? ": export it without compression" : ""));
    });
    std::string others;
    each("extensionsUsed", [&](const std::string& name) {
        if (is_one_of(name, known_extensions) || is_one_of(name, packing_extensions) || is_harmless(name)) return;
        others += (others.empty() ? "" : ", ") + in_quotes(name);
    });
    return others;
}

std::string_view GltfFile::buffer(std::uint64_t index) {
    if (const auto known = buffers_.find(index); known != buffers_.end()) return known->second;
    const GltfJson& json = entry("buffers", index);
    const std::string where = "buffer " + std::to_string(index);
    const std::uint64_t size = required(json, "byteLength", where);
    const GltfJson* uri = member(json, "uri");
    std::string_view data;
    if (!uri) {
        if (const GltfJson* extensions = member(json, "extensions"))
            for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"})
                if (member(*extensions, name))
                    damaged("it is compressed with " + std::string(name) +
                            ", which is not supported: export it without compression");
        if (index != 0 || binary_.data() == nullptr) damaged(where + " has no data");
        data = binary_;
    } else if (!uri->is_string()) {
        damaged(where + " has a 'uri' that is not a text");
    } else if (const std::string& text = uri->get_ref<const std::string&>(); text.starts_with("data:")) {
        const std::size_t comma = text.find(',');
        if (comma == text.npos || !std::string_view(text).substr(0, comma).ends_with(";base64"))
            damaged(where + " is not base64");
        decoded_.push_back(base64(std::string_view(text).substr(comma + 1)));
        data = decoded_.back();
    } else {
        const std::size_t colon = text.find(':');
        if (colon != text.npos && colon > 1 && text.find('/') > colon)
            throw Fault{FaultKind::File, where + " is " + in_quotes(text) + ", which is not a file beside it"};
        const Result<std::string> file = resolve_reference(path_, percent_decoded(text), allowed_);
        if (!file) throw Fault{file.fault().kind, file.fault().message.substr(path_.size() + 2)};
        Result<Bytes> bytes = Bytes::of(*file);
        if (!bytes) throw Fault{FaultKind::File, where + " is not there: " + bytes.fault().message};
        mapped_.push_back(std::move(*bytes));
        data = mapped_.back().view();
    }
    if (size > data.size())
        damaged(where + " has " + std::to_string(data.size()) + " bytes of " + std::to_string(size));
    bytes_ += size;
    return buffers_[index] = data.substr(0, size);
}

std::string_view GltfFile::view(std::uint64_t index) {
    const GltfJson& json = entry("bufferViews", index);
    const std::string where = "buffer view " + std::to_string(index);
    const std::string_view data = buffer(required(json, "buffer", where));
    const std::uint64_t offset = whole(json, "byteOffset", 0), size = required(json, "byteLength", where);
    if (offset > data.size() || size > data.size() - offset) damaged(where + " is beyond its buffer");
    return data.substr(offset, size);
}

const char* GltfFile::elements(std::uint64_t index, std::uint64_t offset, std::uint64_t count, std::size_t size,
                               std::size_t stride) {
    const std::string_view data = view(index);
    // The last element needs only its own bytes.
    if (offset > data.size() || data.size() - offset < size || (data.size() - offset - size) / stride < count - 1)
        damaged("an accessor is beyond buffer view " + std::to_string(index));
    return data.data() + offset;
}

GltfNumbers GltfFile::accessor(std::uint64_t index, const char* kind, std::initializer_list<unsigned> types) {
    const GltfJson& json = entry("accessors", index);
    const std::string where = "accessor " + std::to_string(index);
    GltfNumbers out;
    const std::uint64_t type = required(json, "componentType", where);
    if (std::find(types.begin(), types.end(), type) == types.end())
        damaged(where + " has numbers of type " + std::to_string(type) + ", which do not fit its use");
    out.type_ = static_cast<unsigned>(type);
    if (const GltfJson* own = member(json, "type"); !own || *own != kind) damaged(where + " is not of type " + kind);
    if (const GltfJson* flag = member(json, "normalized")) out.normalised_ = *flag == true;
    const std::string_view name = kind;
    out.element_ = bytes_of(out.type_) * (name == "SCALAR" ? 1 : static_cast<std::size_t>(name.back() - '0'));
    out.count_ = required(json, "count", where);
    if (out.count_ == 0) return out;
    if (out.count_ > 0xffffffff) throw Fault{FaultKind::TooMany, where + " has more elements than 32 bits can number"};
    if (const GltfJson* own = member(json, "bufferView")) {
        const std::uint64_t number = whole(*own, "bufferView");
        out.stride_ = whole(entry("bufferViews", number), "byteStride", out.element_);
        if (out.stride_ < out.element_)
            damaged("buffer view " + std::to_string(number) + " has a 'byteStride' that is too small");
        out.data_ = elements(number, whole(json, "byteOffset", 0), out.count_, out.element_, out.stride_);
    }
    if (const GltfJson* sparse = member(json, "sparse")) read_sparse(*sparse, out);
    return out;
}

void GltfFile::read_sparse(const GltfJson& sparse, GltfNumbers& out) {
    const GltfJson *indices = member(sparse, "indices"), *values = member(sparse, "values");
    const std::uint64_t count = required(sparse, "count", "a sparse accessor");
    if (!indices || !values) damaged("a sparse accessor has no indices or no values");
    if (count == 0) return;
    const std::uint64_t type = required(*indices, "componentType", "a sparse accessor");
    if (type != UByte && type != UShort && type != UInt) damaged("a sparse accessor has indices of a bad type");
    const std::size_t size = bytes_of(static_cast<unsigned>(type));
    const char* at = elements(required(*indices, "bufferView", "a sparse accessor"), whole(*indices, "byteOffset", 0),
                              count, size, size);
    out.replaced_ = elements(required(*values, "bufferView", "a sparse accessor"), whole(*values, "byteOffset", 0),
                             count, out.element_, out.element_);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto one = static_cast<std::uint64_t>(number_at(at + i * size, static_cast<unsigned>(type)));
        if (one >= out.count_ || (i > 0 && one <= out.sparse_.back()))
            throw Fault{FaultKind::BadIndex, "a sparse accessor replaces elements that do not exist or out of order"};
        out.sparse_.push_back(one);
    }
}

}  // namespace graze::files
