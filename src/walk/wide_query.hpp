// SPDX-License-Identifier: Apache-2.0
// One query over two wide trees, prepared for the kernels.
#pragma once

#include <cstdint>

#include "graze/query.hpp"
#include "model/model_data.hpp"
#include "walk/search.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// What the kernels may rely on.
enum class WideKind : std::uint8_t {
    Oriented,  ///< a rigid placement, any trees
    Aligned,   ///< a rigid placement of trees that are both aligned: all axes are the same (AABB paper, section 3)
    Affine,    ///< any placement that `fits_float` lets through, any trees
};

/// One query over two wide trees, as the kernels see it.
struct WideQuery {
    /// What opening a node of X against a partner Y of the other tree needs: `x_from_y` and the
    /// bounds of errors, in units of X.
    struct Side {
        const WideTree* x;
        alignas(32) double column[4][4];  ///< x_from_y, by columns
        alignas(16) float axes[3][4];     ///< its matrix R by columns; / axis_unit unless aligned
        float map[3][3];                  ///< R by columns · Y's unit / X's
        double inv_unit;                  ///< 1 / X's unit
        float ratio;                      ///< σ · Y's unit / X's; σ = 1, or a power of two ≥ ‖R‖ if affine
        float slack;                      ///< margin, and all errors made in double
        float rounding;                   ///< the latter
        float slack_partner;              ///< relative to |Y's extents|₁: off-orthonormal pose
        double length;                    ///< a gap along the axes of a step, times this, is one in A's lengths or less
        // Affine only, by columns: R / (σ · axis_unit), and R⁻ᵀ · σ / axis_unit.
        alignas(32) double generator[3][4], dual[3][4];
    };

    Side side[2];  ///< opening A, opening B
    WideKind kind;
    const Geometry *a, *b;
    const Affine* a_from_b;
    double margin;
    double largest_skew = 0;  ///< rigid only: the margin and `Side::length` allow for poses this far off orthonormal
    bool first;               ///< the caller stops at the first contact: look where it is likeliest
    Sink sink;
    QueryStats stats;

    /// Prepares a search between two models that are not empty. Returns how far apart the roots are, in A's lengths:
    /// where that is positive there is no contact, and most members are left unset.
    ///
    /// The skew of a pose is the largest entry of |RᵀR − I|. The margin and `Side::length` allow for this pose's skew
    /// and for `least_skew`: a front passes the largest skew that the axes it kept were made with.
    double set_up(const Search& search, double least_skew = 0);

    /// Decides one pair by the exact triangles and reports it. Stop when the sink says so.
    Step decide(std::uint32_t ia, std::uint32_t ib);
    /// Reports a pair that certainly meets.
    Step report(std::uint32_t ia, std::uint32_t ib) {
        return sink.report({{ia, ib}, {a->polygon(ia), b->polygon(ib)}});
    }
};

}  // namespace graze::detail
