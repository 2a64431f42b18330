// SPDX-License-Identifier: Apache-2.0
#include "kept_inputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "checks/parts.hpp"

namespace graze::apps {

namespace {

namespace fs = std::filesystem;

/// True for options with the check `in_a_folder`, which is that of files to write.
bool names_an_output(CLI::Option& option) {
    try {
        return option.get_validator("in_a_folder") != nullptr;
    } catch (const CLI::OptionNotFound&) {
        return false;
    }
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return fs::equivalent(a, b, ignored);
}

/// The file among those that a path stands for which `output` would overwrite; empty when there is none.
std::string overwritten(const std::string& input, const std::string& output) {
    if (same_file(input, output)) return input;
    std::error_code ignored;
    if (!fs::is_directory(input, ignored)) return "";
    for (const std::string& file : checks::files_of(std::vector{input}))
        if (same_file(file, output)) return file;
    return "";
}

}  // namespace

Result<void> check_outputs(const CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty()) return {};
    if (!chosen[0]->get_subcommands().empty()) return check_outputs(*chosen[0]);
    const std::vector<CLI::Option*> options = chosen[0]->get_options();
    for (CLI::Option* to : options) {
        if (to->count() == 0 || !names_an_output(*to)) continue;
        for (const std::string& output : to->results()) {
            std::error_code ignored;
            if (!fs::exists(output, ignored)) continue;
            for (CLI::Option* from : options) {
                if (from->count() == 0 || names_an_output(*from)) continue;
                for (const std::string& input : from->results())
                    if (const std::string file = overwritten(input, output); !file.empty())
                        return Fault{FaultKind::File, fmt::format("{} {}: this would overwrite {}, which is read",
                                                                  to->get_name(), output, file)};
            }
        }
    }
    return {};
}

}  // namespace graze::apps
