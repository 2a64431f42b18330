// SPDX-License-Identifier: Apache-2.0
#include "zip.hpp"

#include <zlib.h>

#include <cstdint>

namespace graze::checks {

namespace {

constexpr std::uint64_t most_bytes = 0xfffffffe;  // the last number stands for "see zip64"
constexpr std::size_t most_entries = 65'534, longest_name = 65'535;

/// Appends numbers, low byte first.
struct Bytes {
    std::string& out;

    Bytes& u16(std::uint64_t v) {
        for (int i = 0; i < 2; ++i) out += static_cast<char>(v >> 8 * i & 0xff);
        return *this;
    }
    Bytes& u32(std::uint64_t v) { return u16(v).u16(v >> 16); }
};

/// Deflates texts one after the other, without zlib's own header.
class Deflater {
public:
    Deflater() {
        ok_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    bool operator()(const std::string& text, std::string& out) {
        const uLong bound = deflateBound(&stream_, text.size());
        if (!ok_ || bound > most_bytes || deflateReset(&stream_) != Z_OK) return false;
        out.resize(bound);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        stream_.avail_in = static_cast<uInt>(text.size());
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(bound);
        if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return false;
        out.resize(stream_.total_out);
        return true;
    }

private:
    z_stream stream_{};
    bool ok_ = false;
};

}  // namespace

Result<std::string> to_zip(const std::vector<ZipEntry>& entries) {
    if (entries.size() > most_entries) return Fault{FaultKind::TooMany, "a zip archive holds at most 65,534 entries"};
    const Fault too_large{FaultKind::TooMany, "a zip archive holds at most 4 GiB"};
    Deflater deflater;
    std::string archive, directory, packed;
    for (const ZipEntry& entry : entries) {
        const bool folder = entry.name.ends_with('/');
        if (entry.name.size() > longest_name) return Fault{FaultKind::TooMany, "a name in a zip archive is too long"};
        if (entry.contents.size() > most_bytes || archive.size() > most_bytes) return too_large;
        if (!deflater(entry.contents, packed)) return too_large;
        const bool stored = packed.size() >= entry.contents.size();
        const std::string& data = stored ? entry.contents : packed;

        // The fields that a local header and its entry in the directory share.
        std::string common;
        Bytes{common}
            .u16(20)       // to unpack: folders, deflate
            .u16(1 << 11)  // the name is UTF-8
            .u16(stored ? 0 : 8)
            .u16(0)           // midnight,
            .u16(1 << 5 | 1)  // 1980-01-01
            .u32(crc32(0, reinterpret_cast<const Bytef*>(entry.contents.data()),
                       static_cast<uInt>(entry.contents.size())))
            .u32(data.size())
            .u32(entry.contents.size())
            .u16(entry.name.size())
            .u16(0);                                        // no extra fields
        Bytes{directory}.u32(0x02014b50).u16(3 << 8 | 20);  // made on Unix, for the modes
        directory += common;
        Bytes{directory}.u16(0).u16(0).u16(0);  // no comment, disk 0, not known to be text
        Bytes{directory}.u32(folder ? 040755u << 16 | 0x10 : 0100644u << 16).u32(archive.size());
        directory += entry.name;
        Bytes{archive}.u32(0x04034b50);
        ((archive += common) += entry.name) += data;
    }
    if (archive.size() + directory.size() > most_bytes) return too_large;
    const std::size_t start = archive.size(), count = entries.size();
    archive += directory;
    Bytes{archive}.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count).u32(directory.size()).u32(start).u16(0);
    return archive;
}

}  // namespace graze::checks
