// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "binary.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// A header. Its text is a Python dictionary with these three keys.
struct Header {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::size_t>> shape;
};

/// Reads the dictionary of a header: only what NumPy writes, in any order of the keys.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : rest_(text) {}

    Result<Header> read() {
        Header out;
        if (!take('{')) return expected("{");
        while (!take('}')) {
            const std::optional<std::string_view> key = quoted();
            if (!key || !take(':')) return expected("a key and a colon");
            if (const Result<void> set = value(*key, out); !set) return set.fault();
            if (!take(',') && !next_is('}')) return expected("a comma or }");
        }
        skip_blanks();
        if (!rest_.empty()) return expected("nothing more");
        if (!out.descr || !out.fortran_order || !out.shape)
            return damaged("the header has no " + std::string(!out.descr           ? "descr"
                                                              : !out.fortran_order ? "fortran_order"
                                                                                   : "shape"));
        return out;
    }

private:
    static Fault damaged(const std::string& what) { return {FaultKind::Damaged, what}; }
    Fault expected(const char* what) const {
        const std::string_view found = rest_.substr(0, std::min<std::size_t>(20, rest_.find_last_not_of(" \n") + 1));
        return damaged("in the header, " + std::string(what) + " is expected instead of " +
                       (found.empty() ? "its end" : in_quotes(found)));
    }

    void skip_blanks() {
        while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
    }
    bool next_is(char c) {
        skip_blanks();
        return !rest_.empty() && rest_[0] == c;
    }
    bool take(char c) {
        if (!next_is(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool take_word(std::string_view word) {
        skip_blanks();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    std::optional<std::string_view> quoted() {
        const char mark = next_is('"') ? '"' : '\'';
        if (!take(mark)) return {};
        const std::size_t end = rest_.find(mark);
        if (end == std::string_view::npos) return {};
        const std::string_view text = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return text;
    }

    Result<void> value(std::string_view key, Header& out) {
        if (key == "descr" && !out.descr) {
            if (next_is('[') || next_is('(')) return damaged("the array has fields, not plain numbers");
            const std::optional<std::string_view> type = quoted();
            if (!type) return expected("a type in quotes");
            out.descr = std::string(*type);
        } else if (key == "fortran_order" && !out.fortran_order) {
            out.fortran_order = take_word("True");
            if (!*out.fortran_order && !take_word("False")) return expected("True or False");
        } else if (key == "shape" && !out.shape) {
            return lengths(out.shape.emplace());
        } else {
            return damaged("the header has the key " + in_quotes(key) + ", which is unknown or repeated");
        }
        return {};
    }

    /// `()`, `(3,)`, `(3, 4)` or `(3, 4, )`.
    Result<void> lengths(std::vector<std::size_t>& shape) {
        if (!take('(')) return expected("(");
        while (!take(')')) {
            skip_blanks();
            std::uint64_t length = 0;
            const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
            if (error != std::errc()) return expected("a length");
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            shape.push_back(length);
            const bool more = take(',');
            if (!more && (shape.size() == 1 || !next_is(')'))) return expected("a comma");
            if (shape.size() > 32) return damaged("the array has more than 32 dimensions");
        }
        return {};
    }

    std::string_view rest_;
};

/// The size of the data in bytes. Nothing when it is beyond 64 bits.
std::optional<std::uint64_t> size_of(const std::vector<std::size_t>& shape, std::uint64_t item) {
    std::uint64_t size = item;
    for (const std::size_t length : shape)
        if (__builtin_mul_overflow(size, length, &size)) return {};
    return size;
}

/// Calls `f(i)` with the place of each number in Fortran order, as the last index changes fastest.
template <class F>
void in_fortran_order(const std::vector<std::size_t>& shape, std::size_t count, F&& f) {
    std::vector<std::size_t> at(shape.size(), 0), stride(shape.size(), 1);
    for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
    std::size_t place = 0;
    for (std::size_t n = 0; n < count; ++n) {
        f(place);
        for (std::size_t d = shape.size(); d-- > 0;) {
            place += stride[d];
            if (++at[d] < shape[d]) break;
            place -= stride[d] * shape[d];
            at[d] = 0;
        }
    }
}

template <class T>
void append(std::string_view data, std::endian order, bool fortran, NpyArray& out) {
    const std::size_t count = data.size() / sizeof(T);
    out.numbers.reserve(count);
    const auto add = [&](std::size_t i) { out.numbers.push_back(load<T>(data.data() + i * sizeof(T), order)); };
    if (fortran)
        in_fortran_order(out.shape, count, add);
    else
        for (std::size_t i = 0; i < count; ++i) add(i);
}

Result<NpyArray> parse(std::string_view bytes) {
    const auto damaged = [](const std::string& what) { return Fault{FaultKind::Damaged, what}; };
    if (!starts_like_npy(bytes)) return damaged("this is not a NumPy file");
    if (bytes.size() < 10) return damaged("the file ends in its header");
    const auto major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
    if (major < 1 || major > 3 || minor != 0)
        return damaged("the format " + std::to_string(major) + "." + std::to_string(minor) + " is unknown");
    const std::size_t prefix = major == 1 ? 10 : 12;
    if (bytes.size() < prefix) return damaged("the file ends in its header");
    const char* at = bytes.data() + magic.size() + 2;
    const std::size_t length =
        major == 1 ? load<std::uint16_t>(at, std::endian::little) : load<std::uint32_t>(at, std::endian::little);
    if (bytes.size() - prefix < length) return damaged("the file ends in its header");
    Result<Header> header = HeaderReader(bytes.substr(prefix, length)).read();
    if (!header) return header.fault();
    const std::string& type = *header->descr;
    if (type != "<f4" && type != "<f8" && type != ">f4" && type != ">f8")
        return damaged("the numbers are of type " + in_quotes(type) + ", not float32 or float64");
    NpyArray out;
    out.shape = std::move(*header->shape);
    const std::uint64_t item = type[2] == '4' ? 4 : 8;
    const std::optional<std::uint64_t> size = size_of(out.shape, item);
    const std::string_view data = bytes.substr(prefix + length);
    if (!size || *size != data.size())
        return damaged("an array of shape " + shape_text(out.shape) + " takes " +
                       (size ? std::to_string(*size) : "more than 2^64") + " bytes, the file has " +
                       std::to_string(data.size()));
    const std::endian order = type[0] == '<' ? std::endian::little : std::endian::big;
    if (item == 4)
        append<float>(data, order, *header->fortran_order, out);
    else
        append<double>(data, order, *header->fortran_order, out);
    return out;
}

}  // namespace

bool starts_like_npy(std::string_view bytes) { return bytes.starts_with(magic); }

std::string shape_text(const std::vector<std::size_t>& shape) {
    std::string out = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
    return out + (shape.size() == 1 ? ",)" : ")");
}

Result<NpyArray> parse_npy(std::string_view bytes, const std::string& name) {
    Result<NpyArray> array = parse(bytes);
    if (!array) return Fault{array.fault().kind, name + ": " + array.fault().message};
    return array;
}

}  // namespace graze::files
