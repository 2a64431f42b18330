// SPDX-License-Identifier: Apache-2.0
#include "snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
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

/// Runs a program without a terminal, for a minute at most. True when it ended well.
bool run_quietly(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        setpgid(0, 0);
        const int nothing = open("/dev/null", O_RDWR);
        for (const int stream : {0, 1, 2}) dup2(nothing, stream);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    for (int tenths = 0; tenths < 600; ++tenths) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    // The browser has children of its own.
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    return false;
}

bool is_png(const std::string& bytes) { return bytes.starts_with("\x89PNG\r\n"); }

}  // namespace

Pictures take_pictures(const report::Document& page, std::size_t most) {
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
    detail::parallel_for(
        clashes.size(), 2,
        [&](std::size_t i) {
            const std::string picture = fmt::format("{}/{}.png", folder.path(), i);
            std::vector<std::string> words = {browser,
                                              "--headless",
                                              "--hide-scrollbars",
                                              "--use-angle=swiftshader",
                                              "--enable-unsafe-swiftshader",
                                              "--window-size=800,600",
                                              "--virtual-time-budget=5000",
                                              fmt::format("--user-data-dir={}/{}", folder.path(), i),
                                              "--screenshot=" + picture};
            // Chromium refuses to run as root with its sandbox. The page comes from this program alone.
            if (geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");
            words.push_back(fmt::format("file://{}#clash={}&snapshot=1", file, clashes[i]->id));
            if (!run_quietly(words)) return;
            Result<std::string> bytes = files::read_bytes(picture);
            const std::lock_guard lock(mutex);
            if (bytes && is_png(*bytes)) out.of[clashes[i]->id] = std::move(*bytes);
        },
        detail::LoopWork::Waits);
    if (out.of.size() < clashes.size())
        out.notes.push_back(
            fmt::format("{} snapshots are missing: {} made none", clashes.size() - out.of.size(), browser));
    return out;
}

#else

Pictures take_pictures(const report::Document&, std::size_t) {
    return {{}, {"there are no snapshots: this build of graze cannot make them"}};
}

#endif

}  // namespace graze::apps
