// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graze/query.hpp"
#include "model_data.hpp"
#include "wide_tree.hpp"

namespace graze::detail {

/// Working memory of the walk: pairs still to open and pairs of leaves still to test.
struct WideScratch {
    std::vector<std::uint32_t> pairs[2];       ///< a stack; references into A and B
    std::array<std::uint32_t, 128> leaves[2];  ///< a batch of 32, what 8 steps add to it, one vector

    /// Room for n pairs and for a vector stored past them.
    void reserve(std::size_t n) {
        if (pairs[0].size() < n + 16)
            for (auto& p : pairs) p.resize(2 * n + 16);
    }
};

/// Where contacts go: all into a vector, or each to a function.
struct Sink {
    std::vector<Contact>* all = nullptr;
    ContactSink each = nullptr;
    void* context = nullptr;

    Step report(const Contact& contact) const {
        if (all == nullptr) return each(context, contact);
        all->push_back(contact);
        return Step::Continue;
    }
};

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
        float slack_partner;              ///< relative to |Y's extents|₁: off-orthonormal pose
        // Affine only, by columns: R / (σ · axis_unit), and R⁻ᵀ · σ / axis_unit.
        alignas(32) double generator[3][4], dual[3][4];
    };

    Side side[2];  ///< opening A, opening B
    WideKind kind;
    const Geometry *a, *b;
    const Affine* a_from_b;
    double margin;
    bool first;  ///< the caller stops at the first contact: look where it is likeliest
    Sink sink;
    QueryStats stats;

    /// Decides one pair by the exact triangles and reports it. Stop when the sink says so.
    Step decide(std::uint32_t ia, std::uint32_t ib);
    /// Reports a pair that certainly meets.
    Step report(std::uint32_t ia, std::uint32_t ib) {
        return sink.report({{ia, ib}, {a->polygon(ia), b->polygon(ib)}});
    }
};

/// All contacts of two wide trees to the sink; false when it stopped. The sizes must fit
/// (`fits_float`).
bool wide_for_each_contact(const ModelData& a, const ModelData& b, const Affine& a_from_b, const Sink& sink, bool first,
                           double margin, WideScratch& scratch, QueryStats& stats);

}  // namespace graze::detail
