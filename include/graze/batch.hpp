// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "graze/distance.hpp"
#include "graze/query.hpp"
#include "graze/ray.hpp"

namespace graze {

/// How placements lie in the memory behind a `Poses`.
enum class PoseLayout : std::uint8_t {
    Poses,        ///< objects of type `Pose`
    Affines,      ///< objects of type `Affine`
    Rows,         ///< 12 numbers per placement: m00 m01 m02 tx, m10 … They are used bit for bit.
    Matrices,     ///< 16 numbers per placement: a 4×4 matrix by rows. The last row must be 0 0 0 1.
    Quaternions,  ///< 7 numbers per placement: a translation x y z, then a quaternion x y z w of any length but zero
};

/// A view of the caller's placements of B in A's frame. Nothing is copied: the memory must live as long as the view.
///
/// Floats widen to double exactly, so a placement given in floats is decided as exactly as any other. Numbers are
/// checked when they are read.
class Poses {
public:
    /// A container of poses.
    template <std::convertible_to<std::span<const Pose>> R>
    Poses(const R& poses) : Poses(std::span<const Pose>(poses)) {}
    Poses(std::span<const Pose> poses) : Poses(poses.data(), poses.size(), sizeof(Pose), PoseLayout::Poses, false) {}
    /// A container of affine placements.
    template <std::convertible_to<std::span<const Affine>> R>
    Poses(const R& placements) : Poses(std::span<const Affine>(placements)) {}
    Poses(std::span<const Affine> placements)
        : Poses(placements.data(), placements.size(), sizeof(Affine), PoseLayout::Affines, false) {}

    /// The placements that follow one another in `numbers`, in a layout of numbers. Each begins `stride` numbers
    /// after the one before it; 0 means that they are tightly packed. A fault when the last placement is cut off or the
    /// stride is shorter than a placement.
    static Result<Poses> from_numbers(std::span<const double> numbers, PoseLayout layout, std::size_t stride = 0);
    static Result<Poses> from_numbers(std::span<const float> numbers, PoseLayout layout, std::size_t stride = 0);

    /// Number of placements.
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// Placement i. A fault for numbers that `Affine::from_rows`, `Affine::from_matrix4` or `Pose::from_quaternion`
    /// refuses. Never a fault for objects.
    Result<Affine> operator[](std::size_t i) const;
    /// The placements from `first` on, at most `count` of them.
    Poses part(std::size_t first, std::size_t count) const;

    /// The layout of the placements.
    PoseLayout layout() const { return layout_; }
    /// True when the numbers are floats, false when they are doubles.
    bool has_floats() const { return floats_; }
    /// The first number of the first placement, or the first object.
    const void* data() const { return data_; }
    /// Bytes from one placement to the next.
    std::size_t stride_bytes() const { return stride_; }

private:
    Poses(const void* data, std::size_t size, std::size_t stride_bytes, PoseLayout layout, bool floats)
        : data_(data), size_(size), stride_(stride_bytes), layout_(layout), floats_(floats) {}
    template <class T>
    static Result<Poses> of_numbers(std::span<const T> numbers, PoseLayout layout, std::size_t stride);

    const void* data_;
    std::size_t size_, stride_;
    PoseLayout layout_;
    bool floats_;
};

/// Settings of a batch that lists or counts pairs of triangles. Only `max_contacts` changes what is listed.
struct ContactBatchSettings {
    std::size_t max_contacts = 0;  ///< most pairs per placement; 0 means no limit
    unsigned threads = 0;          ///< 0 means one per core
    QueryStats* stats = nullptr;   ///< receives the work done, added to what it holds
    /// Given a front (graze/front.hpp), the batch is one motion and is answered in order on one thread.
    Front* front = nullptr;
    /// Called several times per second in the calling thread. The first `done` placements have their answers then.
    /// `Step::Stop` ends the batch early. It must not throw.
    std::function<Step(std::size_t done)> progress = {};
};

/// Settings of any other batch of placements. They never change an answer. They convert to `ContactBatchSettings`.
struct BatchSettings {
    unsigned threads = 0;         ///< 0 means one per core
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    /// Given a front (graze/front.hpp), the batch is one motion and is answered in order on one thread.
    Front* front = nullptr;
    /// Called several times per second in the calling thread. The first `done` placements have their answers then.
    /// `Step::Stop` ends the batch early. It must not throw.
    std::function<Step(std::size_t done)> progress = {};

    operator ContactBatchSettings() const {
        return {.threads = threads, .stats = stats, .front = front, .progress = progress};
    }
};

/// Whether A and B meet in each placement: answers[i] becomes 1 if they have a point in common, 0 if not. Each answer
/// is that of the query for one placement. `answers` must be as long as `poses`.
///
/// A batch runs on threads and does not allocate per placement. The triangles that met last are tried first, so a batch
/// is fastest when neighbours in the list are neighbours in space. A fault names the first invalid placement; answers
/// are then incomplete.
Result<void> intersects(const Model& a, const Model& b, const Poses& poses, std::span<std::uint8_t> answers,
                        const BatchSettings& settings = {});
/// Whether a point of A and a point of B are no further apart than `length` in each placement, as `within` decides it
/// for one. answers[i] becomes 1 or 0.
Result<void> within(const Model& a, const Model& b, const Poses& poses, double length, std::span<std::uint8_t> answers,
                    const BatchSettings& settings = {});

/// The number of contacts of each placement, up to `max_contacts`. `counts` must be as long as `poses`. A number beyond
/// 2^32 − 1 is counted as 2^32 − 1.
Result<void> count_contacts(const Model& a, const Model& b, const Poses& poses, std::span<std::uint32_t> counts,
                            const ContactBatchSettings& settings = {});
/// The number of pairs of triangles that are no further apart than `length` in each placement, counted as
/// `count_contacts` does.
Result<void> count_within(const Model& a, const Model& b, const Poses& poses, double length,
                          std::span<std::uint32_t> counts, const ContactBatchSettings& settings = {});

/// The contacts of a batch, placement by placement.
struct BatchContacts {
    std::vector<Contact> contacts;
    std::vector<std::size_t> offsets;  ///< one more than there are placements, the first 0

    /// Number of placements.
    std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
    /// The contacts of placement i, in no particular order.
    std::span<const Contact> operator[](std::size_t i) const {
        return std::span(contacts).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
};

/// All contacts of all placements. `found` is overwritten and keeps its memory. It is empty after a fault or a stop.
Result<void> collide(const Model& a, const Model& b, const Poses& poses, BatchContacts& found,
                     const ContactBatchSettings& settings = {});
/// All pairs of triangles no further apart than `length`, of all placements. `found` is filled as by `collide`.
Result<void> collide_within(const Model& a, const Model& b, const Poses& poses, double length, BatchContacts& found,
                            const ContactBatchSettings& settings = {});

/// The order in which `first_collision` visits placements.
enum class PoseOrder : std::uint8_t {
    /// One after the other. The answer is the smallest index that collides. Later placements are not visited, but for
    /// those that other threads had begun.
    Given,
    /// The last placement, the one in the middle, those at the quarters, and so on (van der Corput 1935). A run of
    /// collisions that is a k-th of the list is found within 4k visits. The answer is the first in this order.
    Bisection,
};

/// The first placement in which A and B meet. Nothing when they meet in none, or when `progress` stopped the batch;
/// `done` counts in the order of the visits. Which one is first depends on the order and on nothing else. If an invalid
/// placement precedes the first collision, the fault names it.
Result<std::optional<std::size_t>> first_collision(const Model& a, const Model& b, const Poses& poses,
                                                   PoseOrder order = PoseOrder::Given,
                                                   const BatchSettings& settings = {});
/// The first placement in which a point of A and a point of B are no further apart than `length`, found as
/// `first_collision` finds it.
Result<std::optional<std::size_t>> first_within(const Model& a, const Model& b, const Poses& poses, double length,
                                                PoseOrder order = PoseOrder::Given, const BatchSettings& settings = {});

/// Settings of a batch of distances. The defaults give the exact answers.
struct DistanceBatchSettings {
    /// Models further apart than this count as infinitely far. A small value makes the batch faster.
    double max_distance = std::numeric_limits<double>::infinity();
    /// A placement is done when a pair of triangles no further apart than this is known; that pair is returned.
    double stop_below = 0;
    /// A returned distance d may exceed the least one by `relative_error` · d + `absolute_error`.
    double relative_error = 0, absolute_error = 0;
    unsigned threads = 0;         ///< 0 means one per core
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    /// Given a front (graze/front.hpp), the batch is one motion and is answered in order on one thread.
    Front* front = nullptr;
    /// Called several times per second in the calling thread. The first `done` placements have their answers then.
    /// `Step::Stop` ends the batch early. It must not throw.
    std::function<Step(std::size_t done)> progress = {};
};

/// The distance of A and B in each placement, as `distance` gives it for one. `answers` must be as long as `poses`. A
/// fault names the first invalid placement; answers are then incomplete.
Result<void> distances(const Model& a, const Model& b, const Poses& poses, std::span<ClosestTriangles> answers,
                       const DistanceBatchSettings& settings = {});

/// A view of the caller's rays. Nothing is copied: the memory must live as long as the view.
class Rays {
public:
    /// A container of rays.
    template <std::convertible_to<std::span<const Ray>> R>
    Rays(const R& rays) : Rays(std::span<const Ray>(rays)) {}
    Rays(std::span<const Ray> rays) : rays_(rays.data()), size_(rays.size()) {}

    /// Rays from one origin and one direction each, in floats or doubles, all with the same range of t. A single origin
    /// goes with many directions, and a single direction with many origins. Numbers are checked when they are read. A
    /// fault when both are several but not equally many, or when coordinates are not a multiple of three.
    static Result<Rays> from_directions(const PointView& origins, const PointView& directions, double t_min = 0,
                                        double t_max = std::numeric_limits<double>::infinity());

    /// Number of rays.
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// Ray i. A fault when its numbers are invalid, as `Ray::from_direction` decides. Never a fault for objects.
    Result<Ray> operator[](std::size_t i) const;

private:
    Rays() = default;

    const Ray* rays_ = nullptr;
    std::size_t size_ = 0;
    PointView origins_, directions_;
    double t_min_ = 0, t_max_ = 0;
};

/// Settings of a batch of rays. They never change an answer.
struct RayBatchSettings {
    unsigned threads = 0;         ///< 0 means one per core
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    /// Called several times per second in the calling thread. The first `done` rays have their answers then.
    /// `Step::Stop` ends the batch early. It must not throw.
    std::function<Step(std::size_t done)> progress = {};
};

// The answers for many rays are those of `nearest_hit`, `any_hit` and `all_hits` for each. A batch runs on threads. A
// fault names the first invalid ray; answers are then incomplete.

/// The nearest hit of each ray, or nothing. `hits` must be as long as `rays`.
Result<void> nearest_hits(const Model& model, const Rays& rays, std::span<std::optional<RayHit>> hits,
                          const RayBatchSettings& settings = {});

/// Whether each ray hits a triangle: answers[i] becomes 1 or 0. `answers` must be as long as `rays`.
Result<void> any_hits(const Model& model, const Rays& rays, std::span<std::uint8_t> answers,
                      const RayBatchSettings& settings = {});

/// The hits of a batch, ray by ray.
struct BatchHits {
    std::vector<RayHit> hits;
    std::vector<std::size_t> offsets;  ///< one more than there are rays, the first 0

    /// Number of rays.
    std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
    /// The hits of ray i, in ascending order of t.
    std::span<const RayHit> operator[](std::size_t i) const {
        return std::span(hits).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
};

/// All hits of all rays. `found` is overwritten and keeps its memory. It is empty after a fault or a stop.
Result<void> all_hits(const Model& model, const Rays& rays, BatchHits& found, const RayBatchSettings& settings = {});

}  // namespace graze
