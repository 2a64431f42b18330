// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#define GRAZE_POSIX 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#define GRAZE_POSIX 0
#endif

namespace graze::detail {

namespace {

Fault file_fault(const std::string& path, const std::string& what) { return {FaultKind::File, path + ": " + what}; }
Fault system_fault(const std::string& path, int error) {
    return file_fault(path, std::generic_category().message(error));
}

}  // namespace

#if GRAZE_POSIX

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return system_fault(path, errno);
    struct stat status;
    std::shared_ptr<MappedFile> file(new MappedFile);
    int error = 0;
    bool regular = true;
    if (::fstat(descriptor, &status) != 0) {
        error = errno;
    } else if (!S_ISREG(status.st_mode)) {
        regular = false;
    } else if (status.st_size > 0) {
        const auto size = static_cast<std::size_t>(status.st_size);
        void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (at == MAP_FAILED)
            error = errno;
        else
            file->bytes_ = {static_cast<const std::byte*>(at), size};
    }
    ::close(descriptor);
    if (error != 0) return system_fault(path, error);
    if (!regular) return file_fault(path, "is not a file");
    return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

#else

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    std::FILE* in = std::fopen(path.c_str(), "rb");
    if (!in) return system_fault(path, errno);
    std::shared_ptr<MappedFile> file(new MappedFile);
    std::size_t size = 0, got = 0;
    do {
        file->read_.resize(2 * file->read_.size() + 1024);
        got = std::fread(file->read_[0].bytes + size, 1, file->read_.size() * sizeof(Block) - size, in);
        size += got;
    } while (got > 0);
    const bool failed = std::ferror(in) != 0;
    std::fclose(in);
    if (failed) return file_fault(path, "cannot be read");
    file->bytes_ = {file->read_[0].bytes, size};
    return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() = default;

#endif

}  // namespace graze::detail
