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

/// Reads numbers, low byte first. Past the end there are zeros.
struct Numbers {
    std::string_view bytes;

    std::uint32_t u16(std::size_t at) const { return byte(at) | byte(at + 1) << 8; }
    std::uint32_t u32(std::size_t at) const { return u16(at) | u16(at + 2) << 16; }
    std::string_view piece(std::size_t at, std::size_t size) const {
        return at <= bytes.size() ? bytes.substr(at, size) : std::string_view();
    }

private:
    std::uint32_t byte(std::size_t at) const { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0; }
};

constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22;

/// Inflates to exactly `size` bytes.
bool inflated(std::string_view packed, std::size_t size, std::string& out) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
    // zlib wants a place to write to even when there is nothing to write.
    out.resize(size + 1);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const bool ended = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    const bool good = ended && stream.total_out == size;
    inflateEnd(&stream);
    out.resize(size);
    return good;
}

/// Reads the file of an entry of the directory.
bool read_entry(const Numbers& all, std::size_t entry, std::string& out) {
    const std::uint32_t flags = all.u16(entry + 8), method = all.u16(entry + 10), packed = all.u32(entry + 20),
                        size = all.u32(entry + 24), local = all.u32(entry + 42);
    const bool encrypted = (flags & 1) != 0;
    if (encrypted || all.u32(local) != local_mark) return false;
    const std::size_t start = local + local_size + all.u16(local + 26) + all.u16(local + 28);
    const std::string_view data = all.piece(start, packed);
    if (data.size() != packed) return false;
    // Deflate makes nothing more than 1032 times smaller.
    if (method == 8 && (size > 1100ull * packed + 64 || !inflated(data, size, out))) return false;
    if (method == 0) out = data;
    if (out.size() != size || (method != 0 && method != 8)) return false;
    return crc32(0, reinterpret_cast<const Bytef*>(out.data()), size) == all.u32(entry + 16);
}

}  // namespace

Result<std::vector<ZipEntry>> from_zip(std::string_view archive, const std::function<bool(std::string_view)>& wanted) {
    const Numbers all{archive};
    const Fault damaged{FaultKind::Damaged, "this is not a zip archive, or it is damaged"};
    // A comment of up to 65,535 bytes may follow the end of the directory.
    if (archive.size() < end_size) return damaged;
    std::size_t end = archive.size() - end_size;
    for (std::size_t tried = 0; all.u32(end) != end_mark; --end)
        if (end == 0 || ++tried > 65'535) return damaged;
    std::vector<ZipEntry> entries;
    std::size_t at = all.u32(end + 16);
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < all.u16(end + 10); ++i) {
        const std::uint32_t length = all.u16(at + 28);
        const std::string_view name = all.piece(at + entry_size, length);
        if (all.u32(at) != entry_mark || name.size() != length) return damaged;
        if (wanted(name)) {
            total += all.u32(at + 24);
            if (total > std::uint64_t{1} << 30) return Fault{FaultKind::TooMany, "the files are larger than 1 GiB"};
            ZipEntry& entry = entries.emplace_back();
            entry.name = name;
            if (!read_entry(all, at, entry.contents)) return damaged;
        }
        at += entry_size + length + all.u16(at + 30) + all.u16(at + 32);
    }
    return entries;
}

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
        Bytes{directory}.u32(entry_mark).u16(3 << 8 | 20);  // made on Unix, for the modes
        directory += common;
        Bytes{directory}.u16(0).u16(0).u16(0);  // no comment, disk 0, not known to be text
        Bytes{directory}.u32(folder ? 040755u << 16 | 0x10 : 0100644u << 16).u32(archive.size());
        directory += entry.name;
        Bytes{archive}.u32(local_mark);
        ((archive += common) += entry.name) += data;
    }
    if (archive.size() + directory.size() > most_bytes) return too_large;
    const std::size_t start = archive.size(), count = entries.size();
    archive += directory;
    Bytes{archive}.u32(end_mark).u16(0).u16(0).u16(count).u16(count).u32(directory.size()).u32(start).u16(0);
    return archive;
}

}  // namespace graze::checks
