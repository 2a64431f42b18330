// SPDX-License-Identifier: Apache-2.0
// Where batches of poses are answered: on this machine's cores, or on a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "options.hpp"

namespace graze::apps {

enum class Device : std::uint8_t { Cpu, Gpu };

struct DeviceArguments {
    std::string asked;  ///< cpu, gpu or auto; empty when it was not given, which means auto
};

/// Adds --device.
void add_device(CLI::App& command, DeviceArguments& arguments);
/// The device to use for so many poses. A fault when a GPU is asked for and there is none. Unasked, a GPU is used only
/// for so many poses that its start is worth while.
Result<Device> choose_device(const DeviceArguments& arguments, std::size_t poses);
/// Says which device is used, if --device was given or with -v.
void tell_device(const DeviceArguments& arguments, Device device, const Output& output);

/// One question about two models in many poses.
struct Batch {
    Device device;
    const Model &a, &b;
    std::span<const Pose> a_from_b;
    unsigned threads = 0;

    /// Per pose, whether the surfaces meet. A fault when the GPU fails.
    Result<std::vector<std::uint8_t>> meets() const;
    /// Whether the surfaces meet in any pose, by the CPU: it stops at the first.
    bool any_meets() const;
};

}  // namespace graze::apps
