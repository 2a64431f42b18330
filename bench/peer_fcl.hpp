// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "graze/graze.hpp"

namespace graze::bench {

enum class FclBoxes {
    Oriented,          ///< OBB
    Aligned,           ///< AABB
    OrientedAndSwept,  ///< OBBRSS: oriented boxes for contacts, swept rectangles for distances
    Spheres,           ///< kIOS: an intersection of spheres, and an oriented box
};

/// A soup of triangles in FCL's tree of boxes, double precision. FCL's headers stay out
/// of this one: they are compiled in a single file, with the flags that Debian's library has.
class FclModel {
public:
    explicit FclModel(const SoupView& soup, FclBoxes boxes = FclBoxes::Oriented);
    ~FclModel();
    FclModel(FclModel&&) noexcept;

    /// Time of FCL's own build, without the conversion of the soup to FCL's types.
    const Span& build_time() const { return build_time_; }

    struct Impl;
    const Impl& impl() const { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
    Span build_time_;
};

/// FCL's queries, with the request and the result kept between calls so that memory is reused.
///
/// Contact points and normals are not asked for: FCL then runs its boolean triangle test, its
/// fastest path, and still lists both triangles of each contact. Trees of aligned boxes are copied,
/// mapped and fitted anew in each query: FCL knows no other way.
class FclQuery {
public:
    FclQuery();
    ~FclQuery();

    bool first(const FclModel& a, const FclModel& b, const Pose& a_from_b);
    /// The number of contacts, without a limit.
    std::size_t all(const FclModel& a, const FclModel& b, const Pose& a_from_b);
    /// The contacts of the last query; apart from `all`, so that the copy is not part of its time.
    std::vector<TrianglePair> pairs() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Many objects in FCL's DynamicAABBTreeCollisionManager. A pair of boxes that overlap is asked for one contact.
class FclScene {
public:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;

    FclScene();
    ~FclScene();

    /// Objects are numbered as they come; the model must outlive them.
    void add(const FclModel& model, const Pose& world_from_object);
    void move(std::uint32_t object, const Pose& world_from_object);
    /// The pairs that touch, in no order, the lower number first.
    const std::vector<Pair>& update();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze::bench
