// SPDX-License-Identifier: Apache-2.0
#include "zip.hpp"

#include <zlib.h>

#include <cstdint>

namespace graze::files {

namespace {

constexpr std::uint64_t most_bytes = 0xfffffffe;  // the last number stands for "see zip64"
constexpr std::size_t most_entries = 65'534, longest_name = 65'535;

/// Appends numbers, low byte first.
struct LowByteFirst {
    std::string& out;

    LowByteFirst& u16(std::uint64_t v) {
        for (int i = 0; i < 2; ++i) out += static_cast<char>(v >> 8 * i & 0xff);
        return *this;
    }
    LowByteFirst& u32(std::uint64_t v) { return u16(v).u16(v >> 16); }
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

/// A file in an archive, as the directory describes it.
struct PackedFile {
    std::string_view name;
    std::string_view data;  ///< shorter than `packed` in an archive that was cut off
    bool encrypted, deflated, stored;
    std::uint32_t packed, size, checksum;
};

PackedFile file_at(const Numbers& all, std::size_t entry, std::string_view name) {
    const std::uint32_t flags = all.u16(entry + 8), method = all.u16(entry + 10), packed = all.u32(entry + 20),
                        local = all.u32(entry + 42);
    const std::size_t start = local + local_size + all.u16(local + 26) + all.u16(local + 28);
    const std::string_view data = all.u32(local) == local_mark ? all.piece(start, packed) : std::string_view();
    return {name,
            data,
            /*encrypted*/ (flags & 1) != 0,
            /*deflated*/ method == 8,
            /*stored*/ method == 0,
            packed,
            all.u32(entry + 24),
            all.u32(entry + 16)};
}

/// Calls `take` with the files of the directory in order, until it returns false. False for a damaged directory.
template <class F>
bool for_each_file(std::string_view archive, F&& take) {
    const Numbers all{archive};
    // A comment of up to 65,535 bytes may follow the end of the directory.
    if (archive.size() < end_size) return false;
    std::size_t end = archive.size() - end_size;
    for (std::size_t tried = 0; all.u32(end) != end_mark; --end)
        if (end == 0 || ++tried > 65'535) return false;
    std::size_t at = all.u32(end + 16);
    for (std::uint32_t i = 0; i < all.u16(end + 10); ++i) {
        const std::uint32_t length = all.u16(at + 28);
        const std::string_view name = all.piece(at + entry_size, length);
        if (all.u32(at) != entry_mark || name.size() != length) return false;
        if (!take(file_at(all, at, name))) return true;
        at += entry_size + length + all.u16(at + 30) + all.u16(at + 32);
    }
    return true;
}

/// Inflates piece by piece. False when the data is damaged, or `take` wants no more.
bool inflate_to(std::string_view packed, const Piece& take) {
    std::string piece(std::size_t{1} << 16, '\0');
    z_stream stream{};
    // A negative number means raw deflate, without a zlib header.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    int state = Z_OK;
    while (state == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        state = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = piece.size() - stream.avail_out;
        if (got > 0 && !take(std::string_view(piece).substr(0, got))) break;
        if (got == 0 && stream.avail_in == 0) break;
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END;
}

/// Unpacks a file as a whole.
bool unpacked(const PackedFile& file, std::string& out) {
    if (file.encrypted || file.data.size() != file.packed) return false;
    if (file.stored) {
        out = file.data;
    } else {
        // Deflate makes nothing more than 1032 times smaller.
        if (!file.deflated || file.size > 1100ull * file.packed + 64) return false;
        out.reserve(file.size);
        const auto append = [&](std::string_view piece) {
            out += piece;
            return out.size() <= file.size;
        };
        if (!inflate_to(file.data, append)) return false;
    }
    if (out.size() != file.size) return false;
    return crc32(0, reinterpret_cast<const Bytef*>(out.data()), file.size) == file.checksum;
}

}  // namespace

Result<std::vector<ZipEntry>> from_zip(std::string_view archive, const std::function<bool(std::string_view)>& wanted) {
    std::vector<ZipEntry> entries;
    std::uint64_t total = 0;
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    bool good = true;
    const bool whole = for_each_file(archive, [&](const PackedFile& file) {
        if (!wanted(file.name)) return true;
        total += file.size;
        if (total > most) return false;
        ZipEntry& entry = entries.emplace_back();
        entry.name = file.name;
        good = unpacked(file, entry.contents);
        return good;
    });
    if (total > most) return Fault{FaultKind::TooMany, "the files are larger than 1 GiB"};
    if (!good || !whole) return Fault{FaultKind::Damaged, "this is not a zip archive, or it is damaged"};
    return entries;
}

void unpack(std::string_view archive, std::string_view ending,
            const std::function<Piece(const std::string& name)>& start) {
    for_each_file(archive, [&](const PackedFile& file) {
        if (!file.name.ends_with(ending)) return true;
        const Piece take = start(std::string(file.name));
        bool more = true;
        const auto take_more = [&](std::string_view piece) { return more = take(piece); };
        if (file.stored)
            take_more(file.data);
        else
            inflate_to(file.data, take_more);
        return more;
    });
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
        LowByteFirst{common}
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
            .u16(0);                                               // no extra fields
        LowByteFirst{directory}.u32(entry_mark).u16(3 << 8 | 20);  // made on Unix, for the modes
        directory += common;
        LowByteFirst{directory}.u16(0).u16(0).u16(0);  // no comment, disk 0, not known to be text
        LowByteFirst{directory}.u32(folder ? 040755u << 16 | 0x10 : 0100644u << 16).u32(archive.size());
        directory += entry.name;
        LowByteFirst{archive}.u32(local_mark);
        ((archive += common) += entry.name) += data;
    }
    if (archive.size() + directory.size() > most_bytes) return too_large;
    const std::size_t start = archive.size(), count = entries.size();
    archive += directory;
    LowByteFirst{archive}.u32(end_mark).u16(0).u16(0).u16(count).u16(count).u32(directory.size()).u32(start).u16(0);
    return archive;
}

}  // namespace graze::files
