// SPDX-License-Identifier: Apache-2.0
// Runs the real command on files and looks at what it prints and returns.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "temporary_folder.hpp"

namespace graze {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Outcome {
    int code = -1;
    std::string out, err;

    std::vector<Json> lines() const {
        std::vector<Json> all;
        std::istringstream in(out);
        for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
        return all;
    }
};

using test::read_all;

class Cli : public test::InTemporaryFolder {
protected:
    /// Arguments as the shell takes them.
    Outcome run(const std::string& arguments) const {
        const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
        const std::string line =
            GRAZE_COMMAND " " + arguments + " >'" + out.string() + "' 2>'" + err.string() + "' </dev/null";
        const int status = std::system(line.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_all(out), read_all(err)};
    }

    /// Exit code 2, nothing on stdout and one line on stderr that starts so.
    void expect_complaint(const std::string& arguments, const std::string& start) const {
        const Outcome o = run(arguments);
        EXPECT_EQ(o.code, 2) << arguments;
        EXPECT_EQ(o.out, "") << arguments;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
        EXPECT_TRUE(o.err.starts_with("graze: " + start)) << o.err;
    }
};

}  // namespace graze
