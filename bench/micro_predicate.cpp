// SPDX-License-Identifier: Apache-2.0
// Time of the triangle predicate by family of pairs, and its ratio to that of a plain hit. Pairs that
// meet and pairs that do not are timed apart; "exact" is the share that the integers had to decide.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "../tests/triangle_families.hpp"
#include "exact/predicate.hpp"

namespace {

using graze::test::Random;
using graze::test::TriangleTwo;

// As many as a branch predictor does not learn.
constexpr std::size_t pair_count = 8192;

struct Set {
    std::string name;
    std::vector<TriangleTwo> pairs;
    double exact_share = 0;
    std::vector<double> ns;
};

Set make_set(const graze::test::Family& family, bool hits) {
    Set set{std::string(family.name) + (hits ? " hit" : " miss"), {}, 0, {}};
    Random random(1);
    // A family without enough of one kind is left out.
    for (std::size_t tries = 0; tries < 64 * pair_count && set.pairs.size() < pair_count; ++tries) {
        const TriangleTwo p = family.make(random);
        bool used_exact = false;
        if (graze::detail::meet(p.s, p.t, used_exact) != hits) continue;
        set.exact_share += used_exact;
        set.pairs.push_back(p);
    }
    set.exact_share /= static_cast<double>(set.pairs.size());
    return set;
}

/// By processor time, which other programs on the machine disturb less.
template <class F>
double time_ns(const std::vector<TriangleTwo>& pairs, F f) {
    std::uint64_t sum = 0;
    const std::clock_t start = std::clock();
    for (const TriangleTwo& p : pairs) sum += f(p);
    const std::clock_t stop = std::clock();
    // Keeps the calls: the sum is at most one a pair for meet, three for meeting.
    if (sum > 3 * pairs.size()) std::abort();
    return static_cast<double>(stop - start) * (1e9 / CLOCKS_PER_SEC) / static_cast<double>(pairs.size());
}

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

}  // namespace

int main() {
    std::vector<Set> sets;
    for (const auto& family : graze::test::families)
        for (const bool hits : {true, false})
            if (Set set = make_set(family, hits); set.pairs.size() == pair_count) sets.push_back(std::move(set));

    for (int round = 0; round < 21; ++round)
        for (Set& set : sets)
            set.ns.push_back(time_ns(set.pairs, [](const TriangleTwo& p) { return graze::meet(p.s, p.t); }));

    const double plain = median(sets.front().ns);
    std::printf("%-24s %10s %10s %8s\n", "pairs", "ns", "of a hit", "exact");
    for (const Set& set : sets) {
        const double ns = median(set.ns);
        std::printf("%-24s %10.1f %9.2fx %7.1f%%\n", set.name.c_str(), ns, ns / plain, 100 * set.exact_share);
    }
}
