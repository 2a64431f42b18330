// SPDX-License-Identifier: Apache-2.0
// The walk as CUDA kernels.
#pragma once

#include <cuda_runtime.h>

#include "gpu/walk.hpp"

namespace graze::gpu {

inline constexpr int most_threads = 128;  ///< per block

/// Blocks that a multiprocessor is to run at a time: its registers are shared among so many.
template <Kind kind>
inline constexpr int least_blocks = kind == Kind::Rigid     ? 5
                                    : kind == Kind::General ? 4
                                                            : 2;

/// The lanes of a warp of the GPU.
template <class Lane>
struct DeviceWarp {
    Lane lane;
    std::uint8_t* places;

    template <class F>
    __device__ __forceinline__ void each(const F& f) {
        f(lane, static_cast<int>(threadIdx.x & 31));
    }
    template <class F>
    __device__ __forceinline__ std::uint32_t ballot(const F& f) const {
        return __ballot_sync(~0u, f(lane));
    }
    template <class T>
    __device__ __forceinline__ T from(T Lane::* member, const Lane& own, int source) const {
        return __shfl_sync(~0u, own.*member, source);
    }
    __device__ __forceinline__ std::uint32_t take(std::uint32_t* counter, std::uint32_t n) const {
        std::uint32_t first = 0;
        if ((threadIdx.x & 31) == 0) first = atomicAdd(counter, n);
        return __shfl_sync(~0u, first, 0);
    }
    __device__ __forceinline__ const Entry& entry_of(int source, int k, int i) const {
        return (&Lane::entry(i))[source - k];
    }
    __device__ __forceinline__ std::uint8_t* slots() const { return places; }
    __device__ __forceinline__ void sync() const { __syncwarp(); }
};

/// A job whose number of poses may be known only on the GPU.
template <class Real>
struct Launch {
    Job<Real> job;
    const std::uint32_t* poses;  ///< replaces `job.poses` unless null
};

template <Kind kind, class Real>
__global__ void prepare(const Launch<Real> launch) {
    const std::uint32_t poses = launch.poses ? *launch.poses : launch.job.poses;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < poses; i += gridDim.x * blockDim.x)
        Walk<Find::Any, kind, Real>{launch.job}.prepare(i);
}

/// Shared memory is the stacks of all threads.
template <Find find, Kind kind, class Real>
__global__ void __launch_bounds__(most_threads, least_blocks<kind>) walk(const Launch<Real> launch) {
    __shared__ std::uint8_t slots[most_threads / 32][128];
    using Walk = gpu::Walk<find, kind, Real>;
    Job<Real> job = launch.job;
    if (launch.poses) job.poses = *launch.poses;
    DeviceWarp<typename Walk::Lane> warp;
    warp.lane.state = LaneState::Idle;
    warp.places = slots[threadIdx.x / 32];
    Walk{job}.run(warp);
}

}  // namespace graze::gpu
