// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

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
/// the first placement that is none.
///
/// Placements stream to the GPU in pieces. Packed rows of 12 floats in memory from `PinnedMemory` are fastest. The rare
/// pairs of triangles that integers of 256 bits do not decide are left to the CPU.
Result<Done> intersects(const Model& a, const Model& b, const Poses& poses, std::span<std::uint8_t> answers);

/// The number of contacts in each placement.
Result<Done> count_contacts(const Model& a, const Model& b, const Poses& poses, std::span<std::uint32_t> counts);

/// All contacts of all placements. `found` is overwritten and keeps its memory. It is empty after a fault.
Result<Done> collide(const Model& a, const Model& b, const Poses& poses, BatchContacts& found);

/// Placements in the memory of the GPU: 12 numbers each, as in `PoseLayout::Rows`.
struct DevicePoses {
    const void* rows = nullptr;
    std::size_t size = 0;
    bool floats = true;  ///< floats or doubles
};

/// Whether A and B meet in each placement, with placements and answers in the memory of the GPU. `stream` is a
/// `cudaStream_t`; work queued there before is waited for. The answers are complete on return.
Result<Done> intersects(const Model& a, const Model& b, const DevicePoses& poses, std::uint8_t* answers,
                        void* stream = nullptr);
/// The number of contacts in each placement, with placements and counts in the memory of the GPU.
Result<Done> count_contacts(const Model& a, const Model& b, const DevicePoses& poses, std::uint32_t* counts,
                            void* stream = nullptr);

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
