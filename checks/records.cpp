// SPDX-License-Identifier: Apache-2.0
#include "checks/records.hpp"

#include <fmt/format.h>

#include <cstring>

#include "checks/encode.hpp"
#include "files/mesh_file.hpp"

namespace graze::checks {

namespace {

constexpr std::string_view head = "graze records 4\n";
constexpr std::size_t digits = 32;

void append_size(std::string& out, std::size_t size) {
    for (int i = 0; i < 4; ++i) out += static_cast<char>(size >> 8 * i & 0xff);
}

std::size_t size_at(std::string_view bytes) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    return size;
}

}  // namespace

std::string digest_of(std::string_view bytes) {
    Hash hash;
    hash.add(bytes);
    return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

void RecordWriter::add(const Json& value) {
    const std::vector<std::uint8_t> cbor = Json::to_cbor(value);
    append_size(bytes_, cbor.size());
    bytes_.append(reinterpret_cast<const char*>(cbor.data()), cbor.size());
}

std::string RecordWriter::take() && { return std::string(head) + bytes_ + digest_of(bytes_); }

Result<void> read_records(const std::string& path, const std::function<void(Json&&)>& take) {
    const Result<files::Bytes> file = files::Bytes::of(path);
    if (!file) return file.fault();
    const auto damaged = [&](const char* what) { return Fault{FaultKind::Damaged, fmt::format("{}: {}", path, what)}; };
    std::string_view bytes = file->view();
    if (!bytes.starts_with(head.substr(0, head.find(' ')))) return damaged("is damaged or not a file of a plan");
    if (!bytes.starts_with(head)) return damaged("is of another version of graze");
    bytes.remove_prefix(head.size());
    if (bytes.size() < digits) return damaged("is cut off");
    const std::string_view digest = bytes.substr(bytes.size() - digits);
    bytes.remove_suffix(digits);
    if (digest_of(bytes) != digest) return damaged("fails its checksum: it is damaged or cut off");
    try {
        while (!bytes.empty()) {
            const std::size_t size = bytes.size() < 4 ? bytes.size() : size_at(bytes);
            if (bytes.size() < 4 || size > bytes.size() - 4) return damaged("has a value that is cut off");
            take(Json::from_cbor(bytes.substr(4, size)));
            bytes.remove_prefix(4 + size);
        }
    } catch (const std::exception&) {
        return damaged("holds values that graze does not write");
    }
    return {};
}

}  // namespace graze::checks
