// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>

#include "data.hpp"
#include "page.hpp"

namespace graze::report {

namespace {

void write_page(const Document& document, const Limits& limits, const Sink& to) {
    for (const std::string_view piece : page()) {
        if (piece == data_mark)
            write_data(document, limits, to);
        else
            to(piece);
    }
}

}  // namespace

std::string html(const Document& document, const Limits& limits) {
    std::string out;
    write_page(document, limits, [&](std::string_view piece) { out += piece; });
    return out;
}

Result<Done> write(const Document& document, const std::string& path, const Limits& limits) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return Fault{FaultKind::File, path + ": cannot be written"};
    bool whole = true;
    write_page(document, limits, [&](std::string_view piece) {
        whole = whole && std::fwrite(piece.data(), 1, piece.size(), file) == piece.size();
    });
    if (std::fclose(file) != 0 || !whole) return Fault{FaultKind::File, path + ": writing ended early"};
    return Done{};
}

}  // namespace graze::report
