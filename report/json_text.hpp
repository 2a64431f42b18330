// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "files/text.hpp"
#include "graze/math.hpp"

namespace graze::report {

/// A JSON text that grows. It is written as the arrays beside it are filled.
class JsonText {
protected:
    /// Appends a comma and the text.
    template <class... Args>
    void add(fmt::format_string<Args...> format, Args&&... args) {
        json_ += ',';
        raw(format, std::forward<Args>(args)...);
    }
    template <class... Args>
    void raw(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(json_), format, std::forward<Args>(args)...);
    }

    /// A number as JSON has it. JSON has no infinity and no NaN: the first becomes the largest number, the second null.
    static std::string number(std::floating_point auto x) {
        if (std::isnan(x)) return "null";
        constexpr auto most = std::numeric_limits<decltype(x)>::max();
        return fmt::format("{}", std::clamp(x, -most, most));
    }
    static std::string numbers(const Vec3& v) {
        return fmt::format("[{},{},{}]", number(v.x), number(v.y), number(v.z));
    }

    /// Adds a member, unless its text is empty.
    void add_text(const char* key, const std::string& text) {
        if (!text.empty()) files::append_json(json_ += fmt::format(",\"{}\":", key), text);
    }
    /// Adds a member, unless it is zero.
    void add_number(const char* key, double x) {
        if (x != 0) json_ += fmt::format(",\"{}\":{}", key, number(x));
    }

    /// Calls `each` for each item, with commas between them.
    template <class Items, class F>
    void list(Items&& items, F&& each) {
        bool first = true;
        for (auto& item : items) {
            if (!first) json_ += ',';
            first = false;
            each(item);
        }
    }

    std::string json_;
};

}  // namespace graze::report
