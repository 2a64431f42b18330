// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "data.hpp"
#include "files/write.hpp"
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

Result<void> write(const Document& document, const std::string& path, const Limits& limits) {
    return files::write_pieces(path, [&](const Sink& to) { write_page(document, limits, to); });
}

}  // namespace graze::report
