// SPDX-License-Identifier: Apache-2.0
// Queries with and without a front, turn by turn.
#include <algorithm>

#include "bench/fronts.hpp"

namespace graze::bench {

std::size_t Side::operator()(const Affine& a_from_b, QueryStats* stats) {
    const QuerySettings options{
        .stats = stats, .scratch = &scratch_, .front = how_ == How::Fronted ? &front_ : nullptr};
    if (ask_ == Ask::First) return intersects(a_, b_, a_from_b, options);
    if (how_ == How::Full) {
        QueryStats unused;
        collide_full(a_, b_, a_from_b, contacts_, stats ? *stats : unused);
    } else {
        collide(a_, b_, a_from_b, contacts_, options);
    }
    return contacts_.size();
}

std::vector<TrianglePair> Side::sorted_pairs() const {
    std::vector<TrianglePair> out(contacts_.size());
    std::ranges::transform(contacts_, out.begin(), &Contact::triangles);
    std::ranges::sort(out);
    return out;
}

namespace {

/// Times by side and part, a number for each round.
using Samples = std::vector<std::vector<std::vector<double>>>;

/// The parts' medians together: a disturbance spoils a part once, not the whole.
double summed(const std::vector<std::vector<double>>& parts) {
    double sum = 0;
    for (const auto& rounds : parts) sum += median(rounds);
    return sum;
}

}  // namespace

std::vector<Figures> compare(std::vector<Side>& sides, const std::vector<Affine>& frames, Ask ask, const Effort& effort,
                             Span& total) {
    const std::size_t n = frames.size(), parts = std::max<std::size_t>(1, n / 250);
    std::vector<Figures> out(sides.size());
    std::vector<TrianglePair> right;
    for (const Affine& frame : frames)
        for (std::size_t s = 0; s < sides.size(); ++s) {
            Figures& f = out[s];
            const bool hit = sides[s](frame, &f.stats) != 0;
            f.hits += hit;
            f.pairs += static_cast<double>(sides[s].front().size()) / static_cast<double>(n);
            f.bytes = std::max(f.bytes, sides[s].front().bytes());
            const auto pairs = ask == Ask::All ? sides[s].sorted_pairs() : std::vector<TrianglePair>(hit);
            if (s == 0) right = pairs;
            f.wrong += pairs != right;
        }

    Samples wall(sides.size(), std::vector<std::vector<double>>(parts)), cpu = wall;
    const auto begin = Clock::now();
    for (std::size_t round = 0; static_cast<int>(round) < effort.least ||
                                (static_cast<int>(round) < effort.most && seconds_since(begin) < effort.seconds);
         ++round)
        for (std::size_t part = 0; part < parts; ++part)
            for (std::size_t i = 0; i < sides.size(); ++i) {
                const std::size_t s = (i + part + round) % sides.size();
                const Stopwatch watch;
                for (std::size_t k = part * n / parts; k < (part + 1) * n / parts; ++k) sides[s](frames[k]);
                const Span span = watch.elapsed();
                wall[s][part].push_back(span.wall);
                cpu[s][part].push_back(span.cpu);
                total += span;
            }
    for (std::size_t s = 0; s < sides.size(); ++s) {
        out[s].wall_us = summed(wall[s]) / static_cast<double>(n) * 1e6;
        out[s].cpu_us = summed(cpu[s]) / static_cast<double>(n) * 1e6;
    }
    return out;
}

}  // namespace graze::bench
