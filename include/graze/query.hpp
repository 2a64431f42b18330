// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "graze/model.hpp"

namespace graze {

/// Indices into A's and B's soups, as the caller numbered them.
struct TrianglePair {
    std::uint32_t a = 0, b = 0;
    friend auto operator<=>(const TrianglePair&, const TrianglePair&) = default;
};

/// Two triangles that meet, and the polygons that they came from.
struct Contact {
    TrianglePair triangles;
    TrianglePair polygons;
    friend auto operator<=>(const Contact&, const Contact&) = default;
};

/// What a query did: the papers' N_v and N_p, and how far the triangle tests had to go.
struct QueryStats {
    std::uint64_t box_tests = 0;       ///< pairs of boxes tested
    std::uint64_t triangle_tests = 0;  ///< pairs of triangles tested
    std::uint64_t double_tests = 0;    ///< of those, undecided by the float filter
    std::uint64_t exact_tests = 0;     ///< of those, undecided by the double filter
    std::uint64_t kept = 0;            ///< pairs that a front knew to be apart: no test at all
    std::uint64_t axis_tests = 0;      ///< pairs tested on the axis that a front kept for them, and apart

    QueryStats& operator+=(const QueryStats& o) {
        box_tests += o.box_tests;
        triangle_tests += o.triangle_tests;
        double_tests += o.double_tests;
        exact_tests += o.exact_tests;
        kept += o.kept;
        axis_tests += o.axis_tests;
        return *this;
    }
};

/// Working memory that queries reuse: one a thread, no allocation once warm. Holds no results and
/// never changes an answer.
class Scratch {
public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&&) noexcept;
    Scratch& operator=(Scratch&&) noexcept;

    struct Impl;
    Impl& impl() { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

class Front;

/// What a query takes besides models and placement. None of it changes an answer but the margin.
struct QuerySettings {
    /// Pairs of triangles no further apart than this (computed in double) are reported too.
    /// Finite and not negative.
    double margin = 0;
    QueryStats* stats = nullptr;  ///< added to when given
    Scratch* scratch = nullptr;   ///< reused when given
    Front* front = nullptr;       ///< where the last query between the two ended (graze/front.hpp)
};

/// Whether an iteration goes on.
enum class Step : std::uint8_t { Continue, Stop };

/// Do A and B (placed in A's frame by `a_from_b`: a `Pose`, or any `Affine`) have a point in common?
/// Stops at the first.
bool intersects(const Model& a, const Model& b, const Affine& a_from_b, const QuerySettings& options = {});

/// All pairs of triangles that meet, in no particular order, each once.
std::vector<Contact> collide(const Model& a, const Model& b, const Affine& a_from_b, const QuerySettings& options = {});
/// The same into a vector of the caller's (cleared first), so that its memory is reused.
void collide(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
             const QuerySettings& options = {});

namespace detail {
using ContactSink = Step (*)(void* context, const Contact&);
bool for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, ContactSink sink, void* context,
                      const QuerySettings& options);
}  // namespace detail

/// Calls `f(contact)` for each contact as it is found, until f returns `Step::Stop`. True when
/// all were visited. f runs in the calling thread and must not throw.
template <class F>
    requires std::same_as<std::invoke_result_t<F&, const Contact&>, Step>
bool for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, F&& f, const QuerySettings& options = {}) {
    using Fn = std::remove_reference_t<F>;
    return detail::for_each_contact(
        a, b, a_from_b, [](void* c, const Contact& contact) { return (*static_cast<Fn*>(c))(contact); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))), options);
}

/// The placement of B in A's frame when both are placed in the world; what the queries below run on.
Result<Pose> relative(const Pose& world_from_a, const Pose& world_from_b);
Result<Affine> relative(const Affine& world_from_a, const Affine& world_from_b);

/// The same queries with two placements in the world. The fault is that of `relative`: matrices at
/// the edge of the tolerance or range whose product lies beyond it.
Result<bool> intersects(const Model& a, const Affine& world_from_a, const Model& b, const Affine& world_from_b,
                        const QuerySettings& options = {});
Result<std::vector<Contact>> collide(const Model& a, const Affine& world_from_a, const Model& b,
                                     const Affine& world_from_b, const QuerySettings& options = {});

}  // namespace graze
