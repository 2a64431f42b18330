// SPDX-License-Identifier: Apache-2.0
// A query over two wide trees, prepared for the kernels.
#pragma once

#include <cstdint>

#include "graze/query.hpp"
#include "model/model_data.hpp"
#include "walk/search.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// The kinds of placement and tree for which the kernels are compiled.
enum class WideKind : std::uint8_t {
    Oriented,  ///< a rigid placement, any trees
    Aligned,   ///< a rigid placement of two aligned trees: all boxes share one orientation (AABB paper, section 3)
    Affine,    ///< any placement that `fits_float` accepts, any trees
};

/// A query over two wide trees as the kernels see it.
struct WideQuery {
    /// Numbers for opening a node of X against a partner Y of the other tree: `x_from_y` and error bounds, in units
    /// of X.
    struct Side {
        const WideTree* x;
        alignas(32) double column[4][4];     ///< x_from_y, by columns
        alignas(16) float axes[3][4];        ///< columns of its matrix R; divided by axis_unit unless aligned
        alignas(32) float rows[3][3][wide];  ///< entries of R / (2^16 · axis_unit) in all lanes
        alignas(32) float ratios[wide];      ///< `ratio` in all lanes
        float map[3][3];                     ///< columns of R times Y's unit over X's
        double inv_unit;                     ///< 1 over X's unit
        float ratio;          ///< σ · Y's unit / X's; σ = 1, or for affine placements a power of two ≥ ‖R‖
        float slack;          ///< the margin and all errors made in double
        float rounding;       ///< all errors made in double
        float slack_partner;  ///< relative to |Y's extents|₁: the error of a pose that is off orthonormal
        double length;        ///< times a gap along the axes of a step: a lower bound in A's lengths

        /// Sets what `WideSpread` is placed by, from `axes` and `ratio`.
        void set_lanes() {
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    for (float& lane : rows[i][j]) lane = axes[j][i] * 0x1p-16f;
            for (float& lane : ratios) lane = ratio;
        }

        // Columns for affine placements only: R / (σ · axis_unit), and R⁻ᵀ · σ / axis_unit.
        alignas(32) double generator[3][4], dual[3][4];
    };

    Side side[2];  ///< for opening A, for opening B
    WideKind kind;
    const Geometry *a, *b;
    const Affine* a_from_b;
    double margin;
    double largest_skew = 0;  ///< rigid only: the margin and `Side::length` allow for poses this far off orthonormal
    bool first;               ///< the caller stops at the first contact, so the likeliest places come first
    Sink sink;
    QueryStats stats;

    /// Prepares a search between two models that are not empty. Returns how far apart the roots are, in A's lengths. If
    /// that is positive there is no contact, and most members are left unset.
    ///
    /// The skew of a pose is the largest entry of |RᵀR − I|. The margin and `Side::length` allow for this pose's skew
    /// and for `least_skew`: a front passes the largest skew under which its axes were made.
    double set_up(const Search& search, double least_skew = 0);
    /// Prepares a search for a distance, however far the models are apart. False when they are too far for float32.
    bool set_up_far(const Search& search);

    /// Bounds the rounding of mapped vertices and centres in both directions, in A's lengths.
    static double rounding(const Search& search);

    /// Decides one pair by the exact triangles and reports it if it meets. Returns Stop when the sink says so.
    Step decide(std::uint32_t ia, std::uint32_t ib);
    /// Reports n pairs that certainly meet.
    Step report(const std::uint32_t* ia, const std::uint32_t* ib, std::size_t n);
    /// Reports a pair that certainly meets.
    Step report(std::uint32_t ia, std::uint32_t ib) {
        return sink.report({{ia, ib}, {a->polygon(ia), b->polygon(ib)}});
    }

private:
    void make_sides(const Search& search, double least_skew);
};

}  // namespace graze::detail
