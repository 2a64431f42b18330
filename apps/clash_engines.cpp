// SPDX-License-Identifier: Apache-2.0
#include "clash_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <thread>

#include "checks/json.hpp"
#include "checks/shards.hpp"
#include "files/mesh_file.hpp"
#include "files/write.hpp"
#include "terminal.hpp"
#if defined(__unix__) || defined(__APPLE__)
#define GRAZE_POSIX 1
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#else
#define GRAZE_POSIX 0
#endif

namespace graze::apps {

namespace {

namespace fs = std::filesystem;

/// Shows how many shards are done and how long the rest will take.
class ShardProgress {
public:
    ShardProgress(const checks::Plan& plan, const std::vector<std::size_t>& shards, const Output& output)
        : plan_(plan), total_(shards.size()), visible_(output.progress() && is_terminal(stderr)) {
        for (const std::size_t shard : shards) left_ += plan.shards[shard].cost;
    }
    ~ShardProgress() {
        if (visible_) std::fputs("\r\x1b[K", stderr);
    }
    ShardProgress(const ShardProgress&) = delete;
    ShardProgress& operator=(const ShardProgress&) = delete;

    void finish(std::size_t shard) {
        ++count_;
        done_ += plan_.shards[shard].cost;
        left_ -= plan_.shards[shard].cost;
        if (!visible_) return;
        const double ms = done_ > 0 ? timer_.ms() * std::max(left_, 0.0) / done_ : 0;
        fmt::print(stderr, "\r{} of {} shards done, about {} left\x1b[K", count_, total_, duration(ms));
        std::fflush(stderr);
    }

private:
    const checks::Plan& plan_;
    std::size_t total_, count_ = 0;
    double left_ = 0, done_ = 0;
    bool visible_;
    Timer timer_;
};

unsigned job_count(const EngineSettings& settings) {
    return settings.jobs > 0 ? settings.jobs : std::max(1u, std::thread::hardware_concurrency());
}

/// The running program, so that workers are of the same version.
std::string own_program() {
    std::error_code unknown;
    const fs::path path = fs::read_symlink("/proc/self/exe", unknown);
    return unknown ? "graze" : path.string();
}

/// The word as a shell takes it for one.
std::string shell_word(const std::string& word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// The command that works on a shard, whose number follows.
std::vector<std::string> shard_command(const EngineSettings& settings, std::uint64_t megabytes) {
    std::vector<std::string> words{own_program(), "clash", "shard", "-q", "--threads", "1"};
    if (megabytes > 0) words.insert(words.end(), {"--memory", std::to_string(megabytes)});
    std::error_code unknown;
    const fs::path folder = fs::absolute(settings.folder, unknown);
    words.push_back(unknown ? settings.folder : folder.string());
    return words;
}

std::string shell_command(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
    return out;
}

#if GRAZE_POSIX

/// Starts a program. Both of its outputs go to the end of a file.
Result<pid_t> start(const std::vector<std::string>& words, const std::string& log) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) return Fault{FaultKind::File, fmt::format("cannot start a process: {}", std::strerror(errno))};
    if (child > 0) return child;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would wait for it
#endif
    const int null = open("/dev/null", O_RDONLY), to = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (null >= 0) dup2(null, 0);
    if (to >= 0)
        for (const int standard : {1, 2}) dup2(to, standard);
    execvp(arguments[0], arguments.data());
    _exit(127);
}

/// Runs a command of the shell and returns what it prints. Its complaints go to standard error.
Result<std::string> output_of(const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return Fault{FaultKind::File, fmt::format("cannot start a process: {}", std::strerror(errno))};
    std::string out;
    char piece[4096];
    for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, pipe)) > 0;) out.append(piece, n);
    const int status = pclose(pipe);
    if (status != 0) return Fault{FaultKind::File, fmt::format("{} failed", command.substr(0, command.find(' ')))};
    while (out.ends_with('\n')) out.pop_back();
    return out;
}

#endif

/// The jobs that Slurm was given.
struct SlurmJobs {
    std::string shards, merge;  ///< their numbers; empty when there are none
};

std::string slurm_path(const std::string& folder) { return folder + "/slurm.json"; }

SlurmJobs slurm_jobs(const std::string& folder) {
    const Result<std::string> text = files::read_bytes(slurm_path(folder));
    if (!text.ok()) return {};
    const checks::Json json = checks::Json::parse(*text, nullptr, false);
    const auto word = [&](const char* key) {
        const auto at = json.is_object() ? json.find(key) : json.end();
        return at != json.end() && at->is_string() ? at->get<std::string>() : "";
    };
    return {word("shards"), word("merge")};
}

/// A script for an array of `tasks` jobs. Job k works on shards k, k + tasks, k + 2 tasks and so on.
std::string slurm_script(const std::vector<std::size_t>& shards, std::size_t tasks, const std::string& command) {
    return fmt::format(R"(#!/bin/sh
i=0
code=0
for shard in {}; do
    if [ $((i % {})) -eq "$SLURM_ARRAY_TASK_ID" ]; then
        try=1
        until {} "$shard"; do
            if [ $try -ge {} ]; then code=2; break; fi
            try=$((try + 1))
        done
    fi
    i=$((i + 1))
done
exit $code
)",
                       fmt::join(shards, " "), tasks, command, attempts);
}

}  // namespace

std::string log_path(const std::string& folder, std::size_t shard) { return fmt::format("{}/logs/{}", folder, shard); }

#if GRAZE_POSIX

Result<void> run_locally(const checks::Plan& plan, const std::vector<std::size_t>& shards,
                         const EngineSettings& settings) {
    struct Job {
        std::size_t shard = 0;
        unsigned attempt = 1;
    };
    const unsigned jobs = job_count(settings);
    const std::uint64_t share = std::max<std::uint64_t>(checks::half_of_memory() / 1'000'000 / jobs, 1);
    const std::vector<std::string> command = shard_command(settings, settings.memory > 0 ? settings.memory : share);
    // The costliest come first, so that none of them is left alone at the end.
    std::vector<std::size_t> order = shards;
    std::ranges::sort(order, std::greater(), [&](std::size_t shard) { return plan.shards[shard].cost; });
    std::deque<Job> waiting;
    for (const std::size_t shard : order) {
        waiting.push_back({shard});
        std::error_code ignored;
        fs::remove(log_path(plan.folder, shard), ignored);
    }
    std::map<pid_t, Job> running;
    ShardProgress progress(plan, shards, settings.output);
    while (!waiting.empty() || !running.empty()) {
        while (!waiting.empty() && running.size() < jobs) {
            const Job job = waiting.front();
            std::vector<std::string> words = command;
            words.push_back(std::to_string(job.shard));
            const Result<pid_t> child = start(words, log_path(plan.folder, job.shard));
            if (!child.ok() && running.empty()) return child.fault();
            if (!child.ok()) break;  // when another has ended there may be room
            waiting.pop_front();
            running.emplace(*child, job);
        }
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        const auto at = running.find(ended);
        if (at == running.end()) {
            if (ended < 0 && errno != EINTR) return Fault{FaultKind::File, "cannot wait for the workers"};
            continue;
        }
        const Job job = at->second;
        running.erase(at);
        const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!good && job.attempt < attempts)
            waiting.push_front({job.shard, job.attempt + 1});
        else
            progress.finish(job.shard);
    }
    return {};
}

Result<void> run_by_dask(const checks::Plan& plan, const std::vector<std::size_t>& shards,
                         const EngineSettings& settings) {
    // The numbers go through a file: there may be more than a command line holds.
    const std::string list = plan.folder + "/logs/pending";
    if (const Result<void> written = files::write_bytes(list, fmt::format("{}\n", fmt::join(shards, "\n"))); !written)
        return written;
    std::vector<std::string> words{"python3", "-m", "graze._dask", settings.scheduler, list, plan.folder + "/logs"};
    const std::vector<std::string> command = shard_command(settings, settings.memory);
    words.insert(words.end(), command.begin(), command.end());
    if (const Result<std::string> done = output_of(shell_command(words)); !done.ok())
        return Fault{FaultKind::File, "Dask could not be used: python3 -m graze._dask failed"};
    return {};
}

Result<void> submit_to_slurm(const checks::Plan& plan, const std::vector<std::size_t>& shards,
                             const EngineSettings& settings, bool& ended) {
    SlurmJobs jobs = slurm_jobs(plan.folder);
    const auto queued = [&] {
        if (jobs.shards.empty()) return false;
        // Slurm complains of jobs that it has forgotten.
        const Result<std::string> rows =
            output_of(fmt::format("squeue -h -j {},{} 2>/dev/null || true", jobs.shards, jobs.merge));
        return rows.ok() && !rows->empty();
    };
    const Output& output = settings.output;
    if (queued()) {
        note(output,
             fmt::format("jobs {} and {} are still in the queue; nothing was submitted", jobs.shards, jobs.merge));
    } else if (!shards.empty()) {
        // Slurm's own limit of an array is 1,001 by default.
        const std::size_t tasks = std::min<std::size_t>(shards.size(), 1000);
        const std::string script = plan.folder + "/logs/shards.sh", end = plan.folder + "/logs/merge.sh";
        const std::vector<std::string> command = shard_command(settings, settings.memory);
        const std::string merge =
            fmt::format("#!/bin/sh\n{} clash merge -q --save {} {}\n[ $? -le 1 ]\n", shell_word(own_program()),
                        shell_word(command.back() + "/answer.json"), shell_word(command.back()));
        if (const Result<void> written =
                files::write_bytes(script, slurm_script(shards, tasks, shell_command(command)));
            !written)
            return written;
        if (const Result<void> written = files::write_bytes(end, merge); !written) return written;
        const std::string logs = command.back() + "/logs/";
        const std::string memory = settings.memory > 0 ? fmt::format(" --mem={}M", settings.memory) : "";
        Result<std::string> id = output_of(fmt::format(
            "sbatch --parsable --requeue --open-mode=append --job-name=graze-shards --array=0-{}{} --output={} {}",
            tasks - 1, memory, shell_word(logs + "task-%a"), shell_word(script)));
        if (!id.ok()) return id.fault();
        jobs.shards = id->substr(0, id->find(';'));
        id = output_of(
            fmt::format("sbatch --parsable --requeue --job-name=graze-merge --dependency=afterany:{} --output={} {}",
                        jobs.shards, shell_word(logs + "merge"), shell_word(end)));
        if (!id.ok()) return id.fault();
        jobs.merge = id->substr(0, id->find(';'));
        const checks::Json json{{"shards", jobs.shards}, {"merge", jobs.merge}};
        if (const Result<void> written = files::write_bytes(slurm_path(plan.folder), json.dump() + "\n"); !written)
            return written;
        if (output.text())
            print(fmt::format("Submitted {} as job {}, and the merge as job {}; the answer will be {}/answer.json\n",
                              counted(shards.size(), "shard"), jobs.shards, jobs.merge, plan.folder));
    }
    if (!settings.watch) return {};
    ShardProgress progress(plan, shards, output);
    std::vector<std::size_t> left = shards;
    while (queued()) {
        std::erase_if(left, [&](std::size_t shard) {
            std::error_code unknown;
            const bool done = fs::exists(checks::result_path(plan, shard), unknown);
            if (done) progress.finish(shard);
            return done;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    ended = true;
    return {};
}

#else

Result<void> run_locally(const checks::Plan& plan, const std::vector<std::size_t>& shards,
                         const EngineSettings& settings) {
    ShardProgress progress(plan, shards, settings.output);
    for (const std::size_t shard : shards) {
        const Result<void> done = checks::run_shard(plan, shard, {.memory = settings.memory * 1'000'000});
        if (!done) static_cast<void>(files::write_bytes(log_path(plan.folder, shard), done.fault().message + "\n"));
        progress.finish(shard);
    }
    return {};
}

Result<void> run_by_dask(const checks::Plan&, const std::vector<std::size_t>&, const EngineSettings&) {
    return Fault{FaultKind::File, "--engine dask: this system cannot start it"};
}

Result<void> submit_to_slurm(const checks::Plan&, const std::vector<std::size_t>&, const EngineSettings&, bool&) {
    return Fault{FaultKind::File, "--engine slurm: this system has no Slurm"};
}

#endif

}  // namespace graze::apps
