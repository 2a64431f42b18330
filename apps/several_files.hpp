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
    std::vector<std::string> reasons;               ///< one line per file that could not be read
    checks::Json left_out = checks::Json::array();  ///< the same files in JSON

    /// Complains about each file, and returns true, when no file could be read, or with `strict` any could not.
    bool failed(bool strict) const {
        if (reasons.empty() || !(answers.empty() || strict)) return false;
        for (const std::string& reason : reasons) complain(reason);
        return true;
    }
    /// The line of JSON behind the answers; empty when all files could be read.
    std::string left_out_line() const {
        return reasons.empty() ? "" : checks::Json{{"left_out", left_out}}.dump() + "\n";
    }
    void tell(Faults& faults) const {
        for (const std::string& reason : reasons) faults.leave_out(reason);
    }
};

/// Calls `read(path)` for each file: a `Result` of an answer. With `strict` the first fault ends it.
template <class T, class F>
FileAnswers<T> answers_of(const std::vector<std::string>& paths, bool strict, bool show_progress, F&& read) {
    FileAnswers<T> out;
    ProgressBar bar(paths.size(), show_progress && paths.size() > 1);
    for (const std::string& path : paths) {
        bar.show(out.answers.size() + out.reasons.size());
        Result<T> one = read(path);
        if (one) {
            out.answers.push_back(std::move(*one));
            continue;
        }
        out.reasons.push_back(one.fault().message);
        out.left_out.push_back({{"file", checks::json_text(path)}, {"reason", checks::json_text(one.fault().message)}});
        if (strict) break;
    }
    return out;
}

}  // namespace graze::apps
