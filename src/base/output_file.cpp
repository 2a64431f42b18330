// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.hpp"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#define GRAZE_POSIX 1
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#define GRAZE_POSIX 0
#endif

namespace graze::detail {

namespace {

namespace fs = std::filesystem;

struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

/// A name that nobody can guess, in the folder of the target, so that renaming does not leave the file system.
fs::path unused_name(const fs::path& target) {
    std::random_device random;
    std::string name = ".graze-";
    for (int i = 0; i < 16; ++i) name += "0123456789abcdef"[random() & 15];
    return target.parent_path() / (name + ".tmp");
}

/// The end of a chain of symbolic links, which need not exist. Sets `error` when they form a loop.
fs::path without_links(fs::path path, int& error) {
    std::error_code code;
    for (int links = 0; fs::is_symlink(fs::symlink_status(path, code)); ++links) {
        const fs::path to = fs::read_symlink(path, code);
        if (links == 40 || code) {
            error = ELOOP;
            break;
        }
        path = path.parent_path() / to;  // `to` alone when it is absolute
    }
    return path;
}

#if GRAZE_POSIX

/// A stream for what is written to and never replaced; null for a plain file or none, unless `error` is set.
File open_in_place(const std::string& path, int& error) {
    struct stat target, standard;
    if (::stat(path.c_str(), &target) != 0) return nullptr;
    int descriptor = -1;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        if (descriptor < 0 && ::fstat(stream, &standard) == 0 && standard.st_dev == target.st_dev &&
            standard.st_ino == target.st_ino)
            descriptor = ::fcntl(stream, F_DUPFD_CLOEXEC, 0);  // shares the position with the stream
    if (descriptor < 0) {
        if (S_ISREG(target.st_mode)) {
            if (::access(path.c_str(), W_OK) != 0) error = errno;
            return nullptr;
        }
        descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    File file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb"));
    if (!file) error = errno;
    return file;
}

/// Creates a file with the permissions and owner of `like` where that exists, and as the user's mask gives otherwise.
File create(const fs::path& path, const fs::path& like, int& error) {
    struct stat old;
    const bool replaces = ::stat(like.c_str(), &old) == 0;
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, replaces ? 0600 : 0666);
    File file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb"));
    if (!file) {
        error = errno;
    } else if (replaces) {
        // Only root may give files away; for others the owner is the user already, or cannot be kept.
        if (::fchown(descriptor, old.st_uid, old.st_gid) != 0) errno = 0;
        if (::fchmod(descriptor, old.st_mode & 0777) != 0) error = errno;
    }
    return file;
}

bool sync(std::FILE* file) { return ::fsync(fileno(file)) == 0; }

#else

File open_in_place(const std::string&, int&) { return nullptr; }

File create(const fs::path& path, const fs::path&, int& error) {
    File file(std::fopen(path.string().c_str(), "wbx"));
    if (!file) error = errno;
    return file;
}

bool sync(std::FILE*) { return true; }

#endif

/// Sends everything to the stream and closes it. Returns the error, or 0.
int fill(File file, bool on_disk, const std::function<void(const ByteSink&)>& produce) {
    int error = 0;
    produce([&](std::span<const std::byte> piece) {
        if (error == 0 && std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) error = errno;
    });
    if (error == 0 && (std::fflush(file.get()) != 0 || (on_disk && !sync(file.get())))) error = errno;
    if (std::fclose(file.release()) != 0 && error == 0) error = errno;
    return error;
}

}  // namespace

Result<void> write_file(const std::string& path, const std::function<void(const ByteSink&)>& produce) {
    const auto outcome = [&](int error) -> Result<void> {
        if (error == 0) return {};
        return Fault{FaultKind::File, path + ": " + std::generic_category().message(error)};
    };
    int error = 0;
    if (File file = open_in_place(path, error)) return outcome(fill(std::move(file), false, produce));
    if (error != 0) return outcome(error);
    const fs::path target = without_links(path, error), beside = unused_name(target);
    std::error_code code;
    if (fs::is_directory(target, code)) return outcome(EISDIR);
    if (error != 0) return outcome(error);
    File file = create(beside, target, error);
    if (!file) return outcome(error);
    if (error == 0) error = fill(std::move(file), true, produce);
    if (error == 0) {
        fs::rename(beside, target, code);
        error = code.value();
    }
    if (error != 0) fs::remove(beside, code);
    return outcome(error);
}

}  // namespace graze::detail
