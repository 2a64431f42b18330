// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#ifdef GRAZE_CUDA
#include "graze/gpu.hpp"
#endif

namespace graze::apps {

namespace {

#ifdef GRAZE_CUDA
/// Fewer poses take the CPU less time than it takes to start a GPU.
constexpr std::size_t worth_starting = 1'000'000;

Result<std::string> gpu_name() { return gpu::device_name(); }

Result<void> meets_on_gpu(const Batch& batch, std::span<std::uint8_t> out) {
    const Result<gpu::Model> a = gpu::Model::make(batch.a), b = gpu::Model::make(batch.b);
    if (!a) return a.fault();
    if (!b) return b.fault();
    return gpu::intersects(*a, *b, batch.a_from_b, out);
}
#else
constexpr std::size_t worth_starting = ~std::size_t{0};

Result<std::string> gpu_name() { return Fault{FaultKind::Device, "this graze was built without GPU support"}; }

Result<void> meets_on_gpu(const Batch&, std::span<std::uint8_t>) { return gpu_name().fault(); }
#endif

}  // namespace

void add_device(CLI::App& command, DeviceArguments& arguments) {
    command
        .add_option("--device", arguments.asked,
                    "Where poses are checked: cpu, gpu, or auto for the GPU if there is one and many poses")
        ->type_name("NAME")
        ->check(CLI::IsMember({"cpu", "gpu", "auto"}).description(""));
}

Result<Device> choose_device(const DeviceArguments& arguments, std::size_t poses) {
    if (arguments.asked == "gpu") {
        const Result<std::string> name = gpu_name();
        if (!name.ok()) return Fault{FaultKind::Device, "--device gpu: " + name.fault().message};
        return Device::Gpu;
    }
    const bool gpu = arguments.asked != "cpu" && poses >= worth_starting && gpu_name().ok();
    return gpu ? Device::Gpu : Device::Cpu;
}

void tell_device(const DeviceArguments& arguments, Device device, const Output& output) {
    if (arguments.asked.empty() && !output.verbose) return;
    note(output,
         device == Device::Cpu ? "poses are checked on the CPU" : "poses are checked on the GPU, " + *gpu_name());
}

Result<std::vector<std::uint8_t>> Batch::meets() const {
    std::vector<std::uint8_t> out(a_from_b.size());
    const Result<void> done =
        device == Device::Gpu ? meets_on_gpu(*this, out) : intersects(a, b, a_from_b, out, {.threads = threads});
    if (!done) return done.fault();
    return out;
}

bool Batch::any_meets() const {
    return first_collision(a, b, a_from_b, PoseOrder::Bisection, {.threads = threads}).value().has_value();
}

}  // namespace graze::apps
