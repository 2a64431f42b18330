// SPDX-License-Identifier: Apache-2.0
#include "snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>

#include "base/parallel.hpp"
#include "files/mesh_file.hpp"

#if defined(GRAZE_REPORT) && !defined(_WIN32)
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "files/temporary_folder.hpp"
#endif

namespace graze::apps {

#if defined(GRAZE_REPORT) && !defined(_WIN32)

namespace {

/// The first of the names that is a program in PATH; empty when none is.
std::string program_in_path(std::initializer_list<const char*> names) {
    const char* path = std::getenv("PATH");
    for (const char* name : names) {
        std::string_view left = path != nullptr ? path : "";
        while (!left.empty()) {
            const std::size_t end = std::min(left.find(':'), left.size());
            const std::string file = std::string(left.substr(0, end)) + "/" + name;
            if (access(file.c_str(), X_OK) == 0) return file;
            left.remove_prefix(std::min(end + 1, left.size()));
        }
    }
    return {};
}

/// Runs a program without a terminal, for so many seconds at most, with a file for what it prints. True when it ended
/// well.
bool run_quietly(const std::vector<std::string>& words, const std::string& output, std::size_t seconds) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        setpgid(0, 0);
        const int nothing = open("/dev/null", O_RDWR), file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        for (const int stream : {0, 2}) dup2(nothing, stream);
        dup2(file, 1);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    for (std::size_t tenths = 0; tenths < 10 * seconds; ++tenths) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    // The browser has children of its own.
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    return false;
}

/// The picture of a clash in what a browser printed, where it is in hexadecimal digits. Empty when there is none.
std::string picture_in(std::string_view printed, const std::string& id) {
    const std::string start = fmt::format("<pre id=\"{}\">", id);
    const std::size_t at = printed.find(start);
    if (at == printed.npos) return {};
    std::string_view digits = printed.substr(at + start.size());
    digits = digits.substr(0, digits.find('<'));
    std::string out;
    for (; digits.size() >= 2; digits.remove_prefix(2)) {
        unsigned byte = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
        if (error != std::errc() || stop != digits.data() + 2) return {};
        out += static_cast<char>(byte);
    }
    return out.starts_with("\x89PNG\r\n") ? out : "";
}

constexpr std::size_t at_a_time = 20;  ///< pictures that one run of the browser draws

}  // namespace

Pictures take_pictures(const report::Document& page, std::size_t most, const checks::Progress& progress) {
    Pictures out;
    const std::string browser = program_in_path({"chromium", "chromium-browser", "google-chrome"});
    if (browser.empty()) {
        out.notes.push_back("there are no snapshots: neither chromium nor google-chrome is in PATH");
        return out;
    }
    std::vector<const report::Clash*> clashes;
    for (const report::Clash& clash : page.clashes)
        if (clash.state != checks::State::Resolved && !clash.harmless) clashes.push_back(&clash);
    std::ranges::sort(clashes, {}, [](const report::Clash* c) { return std::pair(-c->severity, c->id); });
    if (clashes.size() > most) {
        out.notes.push_back(fmt::format("the {} gravest of {} clashes have snapshots", most, clashes.size()));
        clashes.resize(most);
    }
    const files::TemporaryFolder folder;
    const std::string file = folder.at("page.html");
    if (folder.path().empty() || !report::write(page, file)) {
        out.notes.push_back("there are no snapshots: the folder for temporary files cannot be written");
        return out;
    }
    std::mutex mutex;
    std::size_t done = 0;
    detail::parallel_for(
        (clashes.size() + at_a_time - 1) / at_a_time, 2,
        [&](std::size_t run) {
            std::vector<std::string> ids;
            for (std::size_t i = run * at_a_time; i < std::min((run + 1) * at_a_time, clashes.size()); ++i)
                ids.push_back(clashes[i]->id);
            const std::string printed = fmt::format("{}/{}.html", folder.path(), run);
            std::vector<std::string> words = {browser,
                                              "--headless",
                                              "--use-angle=swiftshader",
                                              "--enable-unsafe-swiftshader",
                                              "--virtual-time-budget=5000",
                                              fmt::format("--user-data-dir={}/{}", folder.path(), run),
                                              "--dump-dom"};
            // Chromium refuses to run as root with its sandbox. The page comes from this program alone.
            if (geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");
            words.push_back(fmt::format("file://{}#snapshots={}", file, fmt::join(ids, ",")));
            const bool drawn = run_quietly(words, printed, 60 + 10 * ids.size());
            const Result<std::string> bytes = files::read_bytes(printed);
            const std::lock_guard lock(mutex);
            for (const std::string& id : ids)
                if (std::string picture = drawn && bytes ? picture_in(*bytes, id) : ""; !picture.empty())
                    out.of[id] = std::move(picture);
            if (progress) progress(done += ids.size(), clashes.size());
        },
        detail::LoopWork::Waits);
    if (out.of.size() < clashes.size())
        out.notes.push_back(
            fmt::format("{} snapshots are missing: {} made none", clashes.size() - out.of.size(), browser));
    return out;
}

#else

Pictures take_pictures(const report::Document&, std::size_t, const checks::Progress&) {
    return {{}, {"there are no snapshots: this build of graze cannot make them"}};
}

#endif

}  // namespace graze::apps
