// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "graze/model.hpp"

namespace graze {

/// A triangle (or polygon) of A and one of B, by the caller's indices.
struct TrianglePair {
    std::uint32_t a = 0, b = 0;
    friend auto operator<=>(const TrianglePair&, const TrianglePair&) = default;
};

/// Two triangles that meet, and the polygons that they were cut from.
struct Contact {
    TrianglePair triangles;
    TrianglePair polygons;
    friend auto operator<=>(const Contact&, const Contact&) = default;
};

/// The work that queries did: the papers' N_v and N_p, and how far the triangle tests had to go.
struct QueryStats {
    std::uint64_t box_tests = 0;       ///< pairs of volumes tested
    std::uint64_t triangle_tests = 0;  ///< pairs of triangles tested
    std::uint64_t double_tests = 0;    ///< triangle tests that the float filter left undecided
    std::uint64_t exact_tests = 0;     ///< triangle tests that the double filter left undecided
    std::uint64_t kept = 0;            ///< pairs that a front still knew to be apart, so that no test was made
    std::uint64_t axis_tests = 0;      ///< pairs found apart on the axis that a front had kept for them

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

/// Working memory for queries. Reuse one per thread, and queries stop allocating once it is warm. It holds no results
/// and never changes an answer.
class Scratch {
public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&&) noexcept;
    Scratch& operator=(Scratch&&) noexcept;

    struct Impl;

private:
    friend struct detail::Access;
    std::unique_ptr<Impl> impl_;
};

class Front;

/// Settings of a query between two models that ends at the first pair of triangles. They never change the answer.
struct IntersectSettings {
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;   ///< working memory to reuse
    Front* front = nullptr;       ///< where the last query between these two models ended (graze/front.hpp)
    /// A pair of triangles that is tried first, unless there is a front. It receives the pair that was found, if any.
    /// Any pair will do at the beginning. Queries whose placements are close together become several times faster.
    TrianglePair* witness = nullptr;
};

/// Settings of a query between two models that lists pairs of triangles. Only `max_contacts` changes what is listed.
struct ContactSettings {
    std::size_t max_contacts = 0;  ///< the query ends after so many pairs, whichever they are; 0 means no limit
    QueryStats* stats = nullptr;   ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;    ///< working memory to reuse
    Front* front = nullptr;        ///< where the last query between these two models ended (graze/front.hpp)
};

/// Settings of any other query between two models. They never change an answer. They convert to `IntersectSettings` and
/// `ContactSettings`.
struct QuerySettings {
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;   ///< working memory to reuse
    Front* front = nullptr;       ///< where the last query between these two models ended (graze/front.hpp)

    operator IntersectSettings() const { return {.stats = stats, .scratch = scratch, .front = front}; }
    operator ContactSettings() const { return {.stats = stats, .scratch = scratch, .front = front}; }
};

/// Whether an iteration goes on.
enum class Step : std::uint8_t { Continue, Stop };

/// True when A and B have a point in common. `a_from_b` places B in A's frame: a `Pose`, or any `Affine`. Stops at the
/// first contact found.
bool intersects(const Model& a, const Model& b, const Affine& a_from_b, const IntersectSettings& settings = {});

/// All pairs of triangles that meet, each once, in no particular order.
std::vector<Contact> collide(const Model& a, const Model& b, const Affine& a_from_b,
                             const ContactSettings& settings = {});
/// Writes the contacts to a vector of the caller's, which is cleared first and keeps its memory.
void collide(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
             const ContactSettings& settings = {});

namespace detail {
using ContactSink = Step (*)(void* context, const Contact&);
bool for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, double margin, ContactSink sink,
                      void* context, const QuerySettings& settings);
}  // namespace detail

/// Calls `f(contact)` for each contact as it is found, until f returns `Step::Stop`. Returns true when every contact
/// was visited. f runs in the calling thread and must not throw.
template <class F>
    requires std::same_as<std::invoke_result_t<F&, const Contact&>, Step>
bool for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, F&& f,
                      const QuerySettings& settings = {}) {
    using Fn = std::remove_reference_t<F>;
    return detail::for_each_contact(
        a, b, a_from_b, 0, [](void* c, const Contact& contact) { return (*static_cast<Fn*>(c))(contact); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))), settings);
}

}  // namespace graze
