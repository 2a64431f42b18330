// SPDX-License-Identifier: Apache-2.0
#include "wide_walk/run.hpp"

#include "walk/pair_search.hpp"
#include "wide_walk/float_range.hpp"
#include "wide_walk/wide_nearest.hpp"
#include "wide_walk/wide_rays.hpp"
#include "wide_walk/wide_regions.hpp"
#include "wide_walk/wide_self.hpp"

namespace graze::detail {

bool goes_wide(const Search& s) {
    return s.a.is_wide() && s.b.is_wide() && fits_float(s.a.wide, s.b.wide, s.a_from_b, s.margin);
}

bool run(const Search& search, Scratch::Impl& scratch, QueryStats& stats) {
    return goes_wide(search) ? wide_search(search, scratch.wide, stats) : pair_search(search, scratch.pairs, stats);
}

bool run(const SelfSearch& search, Scratch::Impl& scratch, QueryStats& stats) {
    const Affine same;
    if (goes_wide({search.model, search.model, same, {}, false, 0}))
        return wide_self_search(search, scratch.self.leaves, scratch.wide, stats);
    return self_search(search, scratch.pairs, stats);
}

bool run(const ModelData& model, RegionQuery& query, Scratch::Impl& scratch) {
    if (!model.is_wide()) return region_search(model, scratch.region, scratch.tasks, query);
    scratch.region.place(query.slabs, query.box, query.region_from_model, wide_frame(model.wide));
    return wide_for_each_in_region(model.wide, scratch.region, scratch.tasks, query);
}

void run(const ModelData& model, RaySearch& search) {
    if (!model.is_wide() || !wide_cast(model.wide, search)) ray_search(model, search);
}

void run(const ModelData& model, NearestSearch<PointTriangles>& search) {
    if (!model.is_wide() || !wide_nearest(model.wide, search)) nearest_triangle(model, search);
}

}  // namespace graze::detail
