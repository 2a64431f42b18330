// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

namespace graze::apps {

void add_device(CLI::App& command, DeviceArguments& arguments) {
    command
        .add_option("--device", arguments.asked,
                    "Where poses are checked: cpu, gpu, or auto for the GPU if there is one")
        ->type_name("NAME")
        ->check(CLI::IsMember({"cpu", "gpu", "auto"}).description(""));
}

Result<Device> choose_device(const DeviceArguments& arguments) {
    if (arguments.asked == "gpu")
        return Fault{FaultKind::BadObject, "--device gpu: this graze was built without GPU support"};
    return Device::Cpu;
}

void tell_device(const DeviceArguments& arguments, Device device, const Output& output) {
    if (!arguments.asked.empty() || output.verbose)
        note(output, device == Device::Cpu ? "poses are checked on the CPU" : "poses are checked on the GPU");
}

std::vector<std::uint8_t> Batch::meets() const {
    std::vector<std::uint8_t> out(a_from_b.size());
    // Poses that exist are valid, so there is no fault.
    intersects(a, b, a_from_b, out, {.threads = threads}).value();
    return out;
}

bool Batch::any_meets() const {
    return first_index(a, b, a_from_b, PoseOrder::Bisection, {.threads = threads}).value().has_value();
}

}  // namespace graze::apps
