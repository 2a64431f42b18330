// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace graze::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Elapsed time and, beside it, the time that the processor spent on this thread. On a machine that
/// is busy otherwise they differ, and elapsed times then mislead: a short pass mostly runs between
/// two interruptions and a long one never does, so the slower side looks slower than it is.
struct Span {
    double wall = 0, cpu = 0;

    Span& operator+=(const Span& o) {
        wall += o.wall;
        cpu += o.cpu;
        return *this;
    }
    double seconds(bool by_cpu) const { return by_cpu ? cpu : wall; }
};

class Stopwatch {
public:
    Span elapsed() const { return {seconds_since(wall_), thread_seconds() - cpu_}; }

private:
    static double thread_seconds() {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    Clock::time_point wall_ = Clock::now();
    double cpu_ = thread_seconds();
};

inline double median(std::vector<double> v) {
    if (v.empty()) return 0;
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    if (v.size() % 2) return *middle;
    return (*middle + *std::max_element(v.begin(), middle)) / 2;
}

/// How long a measurement goes on: rounds are added while there is time left, within limits.
struct Effort {
    double seconds = 30;
    int least = 3, most = 15;  ///< rounds
    bool by_cpu = false;       ///< report processor time instead of elapsed time
};

/// Medians, in microseconds a query, and the answers to all queries of the pool.
struct Timing {
    double ours_us = 0, peer_us = 0;
    int rounds = 0;
    Span total;  ///< time of all timed passes
    std::vector<std::uint32_t> ours_answers, peer_answers;
};

/// Our side makes this many passes in the time of one of the peer's. It is much the quicker, so
/// that a disturbance of the same length spoils more of its pass; more passes make up for that.
inline constexpr std::size_t slices = 4;

/// Times `ours(i)` and `peer(i)` for all i below `queries`, turn by turn. Neither sees a query
/// again before it has answered all the others: a processor's branch predictor learns short
/// pools by heart. Who goes first changes from slice to slice, and where the peer's slices begin
/// from round to round.
template <class Ours, class Peer>
Timing interleave(std::size_t queries, const Effort& effort, Ours&& ours, Peer&& peer) {
    Timing out;
    out.ours_answers.resize(queries);
    out.peer_answers.resize(queries);
    std::vector<double> ours_samples, peer_samples;

    const auto run = [&](auto& f, std::vector<std::uint32_t>& answers, std::size_t from, std::size_t to) {
        const Stopwatch watch;
        for (std::size_t i = from; i < to; ++i) answers[i] = static_cast<std::uint32_t>(f(i));
        const Span span = watch.elapsed();
        out.total += span;
        return span.seconds(effort.by_cpu);
    };
    run(ours, out.ours_answers, 0, queries);
    run(peer, out.peer_answers, 0, std::min<std::size_t>(queries, queries / 20 + 1));

    const auto begin = Clock::now();
    while (out.rounds < effort.least || (out.rounds < effort.most && seconds_since(begin) < effort.seconds)) {
        double peer_total = 0;
        for (std::size_t s = 0; s < slices; ++s) {
            const std::size_t slice = (s + static_cast<std::size_t>(out.rounds)) % slices;
            const auto ours_turn = [&] { ours_samples.push_back(run(ours, out.ours_answers, 0, queries)); };
            if (s % 2 == 0) ours_turn();
            peer_total += run(peer, out.peer_answers, queries * slice / slices, queries * (slice + 1) / slices);
            if (s % 2 == 1) ours_turn();
        }
        peer_samples.push_back(peer_total);
        ++out.rounds;
    }
    out.ours_us = median(ours_samples) / static_cast<double>(queries) * 1e6;
    out.peer_us = median(peer_samples) / static_cast<double>(queries) * 1e6;
    return out;
}

/// Any number of sides, turn by turn: `turn(side)` does one side's work, the same amount each time. Returns the
/// medians of what a turn took, elapsed and processor time each by itself. `tidy(side)` comes after it, untimed.
template <class Turn, class Tidy>
std::vector<Span> take_turns(std::size_t sides, const Effort& effort, Span& total, Turn&& turn, Tidy&& tidy) {
    std::vector<std::vector<double>> wall(sides), cpu(sides);
    for (std::size_t s = 0; s < sides; ++s) turn(s), tidy(s);
    const auto begin = Clock::now();
    for (int round = 0; round < effort.least || (round < effort.most && seconds_since(begin) < effort.seconds); ++round)
        for (std::size_t i = 0; i < sides; ++i) {
            const std::size_t s = round % 2 == 0 ? i : sides - 1 - i;
            const Stopwatch watch;
            turn(s);
            const Span span = watch.elapsed();
            tidy(s);
            wall[s].push_back(span.wall);
            cpu[s].push_back(span.cpu);
            total += span;
        }
    std::vector<Span> out(sides);
    for (std::size_t s = 0; s < sides; ++s) out[s] = {median(wall[s]), median(cpu[s])};
    return out;
}

template <class Turn>
std::vector<Span> take_turns(std::size_t sides, const Effort& effort, Span& total, Turn&& turn) {
    return take_turns(sides, effort, total, turn, [](std::size_t) {});
}

/// Reads more memory than a processor's caches hold.
class Eviction {
public:
    void operator()() {
        for (std::size_t i = 0; i < memory_.size(); i += 8) sum_ = sum_ + memory_[i]++;
    }

private:
    std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>((96 << 20) / sizeof(std::uint64_t));
    volatile std::uint64_t sum_ = 0;
};

/// Times `ours(i)` and `peer(i)` turn by turn, each query by itself and with cold caches.
template <class Ours, class Peer>
Timing interleave_cold(std::size_t queries, const Effort& effort, Ours&& ours, Peer&& peer) {
    Timing out;
    out.rounds = 1;
    Eviction evict;
    std::vector<double> ours_samples, peer_samples;
    const auto run = [&](auto& f, std::size_t i, std::vector<std::uint32_t>& answers, std::vector<double>& samples) {
        evict();
        (void)Stopwatch().elapsed();  // the clock itself is not to be cold
        const Stopwatch watch;
        answers.push_back(static_cast<std::uint32_t>(f(i)));
        const Span span = watch.elapsed();
        out.total += span;
        samples.push_back(span.seconds(effort.by_cpu));
    };
    for (std::size_t i = 0; i < queries; ++i) {
        if (i % 2 == 0) run(ours, i, out.ours_answers, ours_samples);
        run(peer, i, out.peer_answers, peer_samples);
        if (i % 2 == 1) run(ours, i, out.ours_answers, ours_samples);
    }
    out.ours_us = median(ours_samples) * 1e6;
    out.peer_us = median(peer_samples) * 1e6;
    return out;
}

/// Our side alone, for a profiler.
template <class Ours>
Timing alone(std::size_t queries, const Effort& effort, Ours&& ours) {
    return interleave(queries, {effort.seconds, 4 * effort.least, 1000, effort.by_cpu}, ours,
                      [](std::size_t) { return 0u; });
}

}  // namespace graze::bench
