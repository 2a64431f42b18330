// SPDX-License-Identifier: Apache-2.0
// The JSON answers of the command. Lists that may have millions of entries are written entry by entry instead of being
// held as one document.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "checks/encode.hpp"

namespace graze::checks {

/// A JSON value whose members keep their order. Numbers read back bit for bit; NaN and infinity become null.
using Json = nlohmann::ordered_json;

/// A string. Bytes that are not UTF-8 become U+FFFD.
inline Json json_text(std::string_view text) { return as_utf8(text); }

inline Json json_array(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

/// Writes an object with one line per member and one line per entry of a list, so that two runs can be compared line
/// by line.
class JsonLines {
public:
    void add(const char* key, const Json& value) { begin(key) += value.dump(); }

    /// A member that is a list: `entry_of` makes the JSON value of each item.
    template <class Items, class F>
    void add_list(const char* key, const Items& items, F&& entry_of) {
        begin(key) += '[';
        bool first = true;
        for (const auto& item : items) {
            out_ += first ? "\n  " : ",\n  ";
            out_ += entry_of(item).dump();
            first = false;
        }
        out_ += first ? "]" : "\n ]";
    }

    /// The whole object, with a line break at its end.
    std::string take() && { return std::move(out_ += "}\n"); }

private:
    std::string& begin(const char* key) {
        if (out_.size() > 1) out_ += ",\n ";
        return (out_ += Json(key).dump()) += ':';
    }
    std::string out_ = "{";
};

}  // namespace graze::checks
