// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graze/batch.hpp"

/// Batches of placements on an NVIDIA GPU: the component `graze::cuda`, present where graze was built with CUDA. Its
/// answers are those of the CPU, to the last contact.
namespace graze::gpu {

/// Name of the GPU in use. A fault says why there is none.
Result<std::string> device_name();

/// A model in the memory of the GPU. Copies share it.
class Model {
public:
    /// Builds a tree for the GPU and copies it there. A fault when no GPU can be used, when its memory is full, or when
    /// the model has more than 2^24 − 1 triangles.
    static Result<Model> make(const graze::Model& model);

    /// The model that this one was made from.
    const graze::Model& host() const;
    /// Memory in bytes on the GPU.
    std::size_t bytes() const;

    struct Impl;
    const Impl& impl() const { return *impl_; }

private:
    explicit Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<const Impl> impl_;
};

/// Whether A and B meet in each placement: answers[i] becomes 1 if they have a point in common, 0 if not. A fault names
/// the first invalid placement.
///
/// Placements stream to the GPU in pieces. Packed rows of 12 floats in memory from `PinnedMemory` are fastest. The rare
/// pairs of triangles that integers of 256 bits do not decide are left to the CPU.
Result<void> intersects(const Model& a, const Model& b, const Poses& poses, std::span<std::uint8_t> answers);

/// The number of contacts in each placement.
Result<void> count_contacts(const Model& a, const Model& b, const Poses& poses, std::span<std::uint32_t> counts);

/// All contacts of all placements. `found` is overwritten and keeps its memory. It is empty after a fault.
Result<void> collide(const Model& a, const Model& b, const Poses& poses, BatchContacts& found);

/// Placements in the memory of the GPU: 12 numbers each, as in `PoseLayout::Rows`.
struct DevicePoses {
    const void* rows = nullptr;
    std::size_t size = 0;
    bool floats = true;  ///< floats or doubles
};

/// Whether A and B meet in each placement, with placements and answers in the memory of the GPU. `stream` is a
/// `cudaStream_t`; work queued there before is waited for. The answers are complete on return.
Result<void> intersects(const Model& a, const Model& b, const DevicePoses& poses, std::uint8_t* answers,
                        void* stream = nullptr);
/// Whether A and B meet in each placement, with placements in the memory of the GPU and answers in that of the host.
Result<void> intersects(const Model& a, const Model& b, const DevicePoses& poses, std::span<std::uint8_t> answers,
                        void* stream = nullptr);
/// The number of contacts in each placement, with placements and counts in the memory of the GPU.
Result<void> count_contacts(const Model& a, const Model& b, const DevicePoses& poses, std::uint32_t* counts,
                            void* stream = nullptr);

/// How the child of a joint moves against its parent: not at all, by an angle in radians, or by a length.
enum class JointMotion : std::uint8_t { Fixed, Turns, Slides };

/// A joint of a robot, which is a tree of links.
struct Joint {
    JointMotion motion = JointMotion::Fixed;
    std::uint32_t parent = 0, child = 0;  ///< links
    Pose parent_from_joint;               ///< placement at the value 0
    Vec3 axis{1, 0, 0};                   ///< unit vector in the joint's frame
    /// Which value of a configuration moves the joint, by `multiplier` times the value plus `offset`.
    std::uint32_t value = 0;
    double multiplier = 1, offset = 0;
};

/// A body that may collide: a link of a robot, or an object around it.
struct RobotBody {
    Model model;                        ///< in the link's frame, or in that of the robot's root
    std::optional<std::uint32_t> link;  ///< none for an object around the robot
    /// Number of the world that an object is part of. An object without a number is part of every world.
    std::optional<std::uint32_t> world;
};

/// A robot and what is around it. Joints above a link come before those below it. The link that is no joint's child is
/// the root, which does not move.
struct RobotParts {
    std::uint32_t link_count = 1;
    std::uint32_t value_count = 0;  ///< values of a configuration
    std::vector<Joint> joints;
    std::vector<RobotBody> bodies;
    std::vector<std::array<std::uint32_t, 2>> pairs;  ///< bodies to check against each other, as indices
};

/// A robot in the memory of the GPU. Copies share it.
///
/// Two bodies collide when they have a point in common, or when part of one lies inside the other, which is closed
/// (graze/solid.hpp). Answers are those of `intersects` and `relation_from` for the placements of the links, which are
/// computed with the same rounding on the GPU and on the CPU. Configurations for which the GPU cannot rule out that one
/// body lies inside another are left to the CPU, and so are those with values beyond 2^20.
class Robot {
public:
    /// A fault when no GPU can be used, or when the parts do not make a robot that it can take.
    static Result<Robot> make(const RobotParts& parts);

    /// In place of a pair when there is none.
    static constexpr std::uint32_t none = ~0u;

    /// Whether any pair collides in each configuration: pairs[i] becomes the number of one that does, whichever is
    /// found first, or `none`. `values` has the values of one configuration after the other. `worlds` has the number of
    /// each configuration's world, and may be empty when no object has one. A fault names a configuration with a value
    /// that is not finite. Returns how many configurations were left to the CPU.
    Result<std::size_t> any_pair(std::span<const double> values, std::span<std::uint32_t> pairs,
                                 std::span<const std::uint32_t> worlds = {}) const;
    /// Which pairs collide in each configuration. Each has `words()` numbers in `bits`: pair p is bit p % 32 of number
    /// p / 32. `inside`, of the same size or empty, receives those of them whose surfaces do not meet.
    Result<std::size_t> all_pairs(std::span<const double> values, std::span<std::uint32_t> bits,
                                  std::span<std::uint32_t> inside = {},
                                  std::span<const std::uint32_t> worlds = {}) const;
    std::size_t words() const;

    struct Impl;
    const Impl& impl() const { return *impl_; }

private:
    explicit Robot(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<const Impl> impl_;
};

/// Memory of the host that the GPU reads and writes at the full speed of the bus.
class PinnedMemory {
public:
    /// A fault when there is no GPU or not as much memory.
    static Result<PinnedMemory> make(std::size_t bytes);
    PinnedMemory(PinnedMemory&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
    PinnedMemory& operator=(PinnedMemory&&) = delete;
    ~PinnedMemory();

    /// The memory as objects of a type.
    template <class T>
    std::span<T> as() const {
        return {static_cast<T*>(data_), bytes_ / sizeof(T)};
    }

private:
    PinnedMemory(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    void* data_;
    std::size_t bytes_;
};

}  // namespace graze::gpu
