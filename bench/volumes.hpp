// SPDX-License-Identifier: Apache-2.0
// The parts of bench_volumes.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "graze/study.hpp"

namespace graze::bench {

/// A kind of tree that is compared.
struct Kind {
    const char* name;
    study::TreeSettings settings;
};
/// The wide trees first, of oriented boxes foremost: what the others are measured against.
const std::vector<Kind>& kinds();

/// One group of scenarios, which `--only` names, appends its rows.
using Rows = std::vector<Row>;
void run_refit(const Options& options, Rows& rows);
void run_two_threads(const Options& options, Rows& rows);
void run_build(const Options& options, Rows& rows);
void run_random_first(const Options& options, Rows& rows);
void run_random_all(const Options& options, Rows& rows);
void run_deformed(const Options& options, Rows& rows);
void run_affine(const Options& options, Rows& rows);
void run_rays(const Options& options, Rows& rows);
void run_spheres(const Options& options, Rows& rows);
void run_splits(const Options& options, Rows& rows);
void run_tightness(const Options& options, Rows& rows);

}  // namespace graze::bench
