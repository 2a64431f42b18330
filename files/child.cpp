// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "assembly_wire.hpp"

#ifdef __has_feature
#define GRAZE_HAS(x) __has_feature(x)
#else
#define GRAZE_HAS(x) 0
#endif

namespace graze::files {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || GRAZE_HAS(address_sanitizer) || \
    GRAZE_HAS(thread_sanitizer) || GRAZE_HAS(memory_sanitizer)
constexpr bool limits_memory = false;
#else
constexpr bool limits_memory = true;
#endif

/// Memory allowed per byte of a file. Packed formats unfold to many times their size, and become trees of text before
/// they become meshes.
constexpr std::size_t memory_of_a_byte = 256;
/// Bytes of a file per second of computing allowed. This stops readers that never end, not slow ones: the slowest (IFC
/// with many openings) take a tenth of it.
constexpr std::size_t bytes_of_a_second = 10'000;

/// Limits of this process if it is a child.
struct Allowance {
    rlim_t memory = 0, seconds = 0;
    bool is_child = false;
    bool is_program = false;
} allowance;

/// The address space in use, in bytes; 0 when the system does not say.
std::size_t address_space() {
    unsigned long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Sets the soft limit, which can be raised again, to at most the hard one.
template <class Kind>
void limit(Kind what, rlim_t most) {
    rlimit now{};
    if (getrlimit(what, &now) != 0) return;
    now.rlim_cur = now.rlim_max == RLIM_INFINITY ? most : std::min(most, now.rlim_max);
    setrlimit(what, &now);
}

void set_limits() {
    // A program such as Node.js reserves far more addresses than it uses.
    if (allowance.is_program) limit(RLIMIT_AS, RLIM_INFINITY);
    if (allowance.memory > 0) limit(allowance.is_program ? RLIMIT_DATA : RLIMIT_AS, allowance.memory);
    limit(RLIMIT_CPU, allowance.seconds);
    // A generous limit by the clock as well: a child that waits for ever uses no computing time.
    alarm(static_cast<unsigned>(std::min<rlim_t>(60 + 10 * allowance.seconds, 1'000'000)));
}

/// Cuts the child off from its parent: no signal handlers, no output, no core dump of the parent's memory.
void settle_in() {
    for (int s = 1; s < 32; ++s) {
        struct sigaction now{};
        const bool needed = s == SIGSEGV || s == SIGBUS || s == SIGFPE || s == SIGILL || s == SIGABRT || s == SIGXCPU ||
                            s == SIGALRM || s == SIGPIPE;
        if (sigaction(s, nullptr, &now) == 0 && (needed || now.sa_handler != SIG_IGN)) std::signal(s, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (const int null = open("/dev/null", O_RDWR); null >= 0)
        for (int standard = 0; standard < 3; ++standard) dup2(null, standard);
    const rlimit no_dump{0, 0};
    setrlimit(RLIMIT_CORE, &no_dump);
}

/// Writes to a pipe or reads from it through a buffer.
class PipeEnd {
public:
    explicit PipeEnd(int descriptor) : descriptor_(descriptor) {}

    bool put(const void* bytes, std::size_t count) {
        const char* from = static_cast<const char*>(bytes);
        if (used_ + count > buffer_.size() && !flush()) return false;
        if (count > buffer_.size()) return write_all(from, count);
        if (count > 0) std::memcpy(buffer_.data() + used_, from, count);
        used_ += count;
        return true;
    }
    bool flush() { return write_all(buffer_.data(), std::exchange(used_, 0)); }

    bool get(void* bytes, std::size_t count) {
        for (char* to = static_cast<char*>(bytes); count > 0;) {
            std::size_t n = std::min(count, used_ - at_);
            if (n > 0) {
                std::memcpy(to, buffer_.data() + at_, n);
                at_ += n;
            } else if (count >= buffer_.size()) {
                n = read_some(to, count);
                if (n == 0) return false;
            } else {
                at_ = 0;
                used_ = read_some(buffer_.data(), buffer_.size());
                if (used_ == 0) return false;
            }
            to += n;
            count -= n;
        }
        return true;
    }

private:
    bool write_all(const char* from, std::size_t count) {
        while (count > 0) {
            const ssize_t n = write(descriptor_, from, count);
            if (n < 0 && errno != EINTR) return false;
            from += std::max<ssize_t>(n, 0);
            count -= static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        }
        return true;
    }
    /// Returns 0 at the end and on errors.
    std::size_t read_some(char* to, std::size_t count) {
        ssize_t n = 0;
        do n = read(descriptor_, to, count);
        while (n < 0 && errno == EINTR);
        return static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    }

    int descriptor_;
    std::size_t at_ = 0, used_ = 0;
    std::array<char, 1 << 16> buffer_;
};

std::string ending(int status, const std::string& by) {
    if (WIFEXITED(status)) return by + " ended with exit code " + std::to_string(WEXITSTATUS(status));
    switch (const int signal = WTERMSIG(status); signal) {
        case SIGSEGV:
        case SIGBUS:
            return by + " ended with a segmentation fault";
        case SIGABRT:
        case SIGILL:
        case SIGTRAP:
            return by + " aborted";
        case SIGFPE:
            return by + " divided by zero";
        case SIGXCPU:
        case SIGALRM:
            return by + " did not come to an end";
        default:
            return by + " was ended by signal " + std::to_string(signal);
    }
}

/// Sends what was read. True when all of it was taken.
bool sent(const Result<Assembly>& read, int descriptor) {
    PipeEnd out(descriptor);
    return send(read, [&](const void* bytes, std::size_t count) { return out.put(bytes, count); }) && out.flush();
}

/// Runs `work` in a child and returns what it sends to the descriptor that it gets. `answered` becomes true when that
/// is all of an assembly or of a fault.
Result<Assembly> from_child(const std::string& path, const std::string& by, const std::function<bool(int)>& work,
                            bool* answered = nullptr) {
    const auto system_fault = [&](int error) {
        return Fault{FaultKind::File, path + ": cannot start a process to read it: " + std::strerror(error)};
    };
    // Children start one after the other, so that none keeps the writing end of another's pipe open.
    static std::mutex starting;
    int ends[2];
    pid_t child = -1;
    {
        const std::lock_guard lock(starting);
        if (pipe(ends) != 0) return system_fault(errno);
        for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
        child = fork();
        if (child == 0) {
            settle_in();
            _exit(work(ends[1]) ? 0 : 1);
        }
        close(ends[1]);
    }
    if (child < 0) {
        const int error = errno;
        close(ends[0]);
        return system_fault(error);
    }
    PipeEnd in(ends[0]);
    std::optional<Result<Assembly>> out = receive([&](void* bytes, std::size_t count) { return in.get(bytes, count); });
    close(ends[0]);
    // A child that sends nonsense would go on running.
    if (!out) kill(child, SIGKILL);
    int status = 0;
    pid_t ended = -1;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (answered != nullptr) *answered = out.has_value();
    if (out) return std::move(*out);
    // A program that waits for all its children may have reaped this one already.
    const std::string how =
        ended == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 0) ? ending(status, by) : by + " failed";
    return Fault{FaultKind::Damaged, path + ": " + how + " while reading it"};
}

}  // namespace

void allow_for(std::size_t file_bytes) {
    if (!allowance.is_child) return;
    if (allowance.memory > 0) allowance.memory += memory_of_a_byte * file_bytes;
    allowance.seconds += file_bytes / bytes_of_a_second;
    set_limits();
}

Result<Assembly> in_child(const std::string& path, const std::string& by, const std::function<Result<Assembly>()>& read,
                          const ChildLimits& limits) {
    return from_child(path, by, [&](int out_descriptor) {
        const std::size_t had = limits_memory ? address_space() : 0;
        allowance = {had == 0 ? 0 : had + limits.bytes, limits.seconds, true, false};
        set_limits();
        return sent(read(), out_descriptor);
    });
}

Result<Assembly> in_program(const std::string& path, const std::string& by, const std::vector<std::string>& command,
                            const std::string& missing, const ChildLimits& limits) {
    // All memory is allocated before the limits are set: this process may have more than the program will.
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const Result<Assembly> not_there = Fault{FaultKind::File, missing};
    const Result<Assembly> not_open = Fault{FaultKind::File, ": the file cannot be opened"};
    // A fault of this process names the file already.
    bool answered = false;
    Result<Assembly> out = from_child(
        path, by,
        [&](int out_descriptor) {
            const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
            struct stat facts{};
            if (file < 0 || fstat(file, &facts) != 0) return sent(not_open, out_descriptor);
            unsetenv("NODE_OPTIONS");
            // A copy from 10 on, so that the fault below still has a way out.
            const int kept = fcntl(out_descriptor, F_DUPFD_CLOEXEC, 10);
            dup2(file, 0);
            dup2(kept, 3);
            allowance = {limits.bytes, limits.seconds, true, true};
            allow_for(static_cast<std::size_t>(facts.st_size));
            execvp(words[0], words.data());
            return sent(not_there, kept);
        },
        &answered);
    if (!out && answered) return Fault{out.fault().kind, path + out.fault().message};
    return out;
}

}  // namespace graze::files

#else

namespace graze::files {

void allow_for(std::size_t) {}

Result<Assembly> in_child(const std::string&, const std::string&, const std::function<Result<Assembly>()>& read,
                          const ChildLimits&) {
    return read();
}

Result<Assembly> in_program(const std::string& path, const std::string&, const std::vector<std::string>&,
                            const std::string&, const ChildLimits&) {
    return Fault{FaultKind::File, path + ": this system cannot run the program that reads it"};
}

}  // namespace graze::files

#endif
