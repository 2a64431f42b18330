// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checks/json.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace graze::apps {

/// The answers about several files, and the files that could not be read.
template <class T>
struct FileAnswers {
    std::vector<T> answers;
    std::vector<checks::LeftOut> left_out;  ///< files that could not be read, and products of files
    std::size_t unread = 0;                 ///< number of these files

    /// Complains about each file, and returns true, when no file could be read, or with `strict` any could not.
    bool failed(bool strict) const {
        if (unread == 0 || !(answers.empty() || strict)) return false;
        for (const checks::LeftOut& one : left_out)
            if (one.product.empty()) complain(one.reason);
        return true;
    }
    /// The line of JSON behind the answers; empty when nothing is left out.
    std::string left_out_line() const {
        if (left_out.empty()) return "";
        checks::Json list = checks::Json::array();
        for (const checks::LeftOut& one : left_out) list.push_back(entry_of(one));
        return checks::Json{{"left_out", std::move(list)}}.dump() + "\n";
    }
};

/// Calls `read(path)` for each file: a `Result` of an answer, which has a list `left_out`. With `strict` the first
/// fault ends it.
template <class T, class F>
FileAnswers<T> answers_of(const std::vector<std::string>& paths, bool strict, bool show_progress, F&& read) {
    FileAnswers<T> out;
    ProgressBar bar(paths.size(), show_progress && paths.size() > 1);
    for (const std::string& path : paths) {
        bar.show(out.answers.size() + out.unread);
        Result<T> one = read(path);
        if (one) {
            out.left_out.insert(out.left_out.end(), one->left_out.begin(), one->left_out.end());
            out.answers.push_back(std::move(*one));
            continue;
        }
        ++out.unread;
        out.left_out.push_back({path, "", "", one.fault().message});
        if (strict) break;
    }
    return out;
}

}  // namespace graze::apps
