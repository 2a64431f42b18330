// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graze/batch.hpp"
#include "graze/robot.hpp"

/// Batches of placements and of robot configurations on an NVIDIA GPU: the component `graze::cuda`, present where graze
/// was built with CUDA. Its answers are those of the CPU, to the last contact.
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

private:
    friend struct Access;
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
    bool floats = true;  ///< true for floats, false for doubles
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

/// A robot in the memory of the GPU. Copies share it.
///
/// Answers are those of the robot on the CPU: links are placed with the same rounding there and here. Configurations
/// for which the GPU cannot rule out that one body lies inside another are left to the CPU, and so are those with
/// values beyond 2^20.
class Robot {
public:
    /// Copies a robot's joints, bodies and pairs to the GPU. A fault when no GPU can be used, or when the robot exceeds
    /// the GPU's limits.
    static Result<Robot> make(const graze::Robot& robot);

    /// The robot that this one was made from.
    const graze::Robot& host() const;

    /// In place of a pair when no pair collides.
    static constexpr std::uint32_t none = graze::Robot::none;

    /// pairs[i] becomes the number of a pair that collides in configuration i, whichever is found first, or `none`.
    /// `values` has the values of one configuration after the other. `worlds` has the number of each configuration's
    /// world, and may be empty when no object has one. A fault names a configuration with a value that is not finite.
    /// Returns how many configurations were left to the CPU.
    Result<std::size_t> any_pair(std::span<const double> values, std::span<std::uint32_t> pairs,
                                 std::span<const std::uint32_t> worlds = {}) const;
    /// Which pairs collide in each configuration. Each has `words()` numbers in `bits`: pair p is bit p % 32 of number
    /// p / 32. `inside`, of the same size or empty, receives those of them whose surfaces do not meet. Returns how many
    /// configurations were left to the CPU.
    Result<std::size_t> all_pairs(std::span<const double> values, std::span<std::uint32_t> bits,
                                  std::span<std::uint32_t> inside = {},
                                  std::span<const std::uint32_t> worlds = {}) const;
    /// Numbers of 32 bits that hold one bit per pair.
    std::size_t words() const { return host().words(); }

    struct Impl;

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
