// SPDX-License-Identifier: Apache-2.0
// How the walks of a chunk are launched. Each way to walk is compiled in a file of its own, because it takes minutes.
#pragma once

#include "gpu/cuda_batch.cuh"
#include "gpu/cuda_walk.cuh"

namespace graze::gpu {

/// Launches a walk on as many warps as the GPU runs at a time, or as there is work for.
template <Find find, Kind kind, class Real>
cudaError_t launch(const Job<Real>& job, const std::uint32_t* poses, const Workspace& w, cudaStream_t stream) {
    const auto kernel = walk<find, kind, Real>;
    const std::size_t stack = sizeof(Entry) * (job.frames.a.depth + job.frames.b.depth);
    // Deep trees have fewer threads per block, so that their stacks find room.
    const std::size_t room = static_cast<std::size_t>(w.shared_memory) - 1024;
    const std::size_t threads = std::min<std::size_t>(most_threads, room / stack / 32 * 32);
    // Asked once per kernel and size: both calls take microseconds.
    static thread_local std::size_t known = 0;
    static thread_local int per_processor = 0;
    if (known != stack) {
        if (const auto e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(threads * stack));
            e != cudaSuccess)
            return e;
        if (const auto e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel,
                                                                         static_cast<int>(threads), threads * stack);
            e != cudaSuccess)
            return e;
        known = stack;
    }
    prepare<kind><<<std::min(static_cast<unsigned>(w.processors) * 8, (job.poses + 127) / 128), 128, 0, stream>>>(
        Launch<Real>{job, poses});
    const std::uint64_t items = static_cast<std::uint64_t>(job.poses) * job.parts;
    const auto blocks = static_cast<unsigned>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(w.processors) * static_cast<unsigned>(per_processor),
                                (items + threads - 1) / threads));
    kernel<<<blocks, static_cast<unsigned>(threads), threads * stack, stream>>>(Launch<Real>{job, poses});
    return cudaGetLastError();
}

template <Find find, class Real>
cudaError_t walk_chunk(Job<Real> job, const State& s, const Workspace& w, cudaStream_t stream,
                       const std::uint32_t* poses) {
    job.hit = s.hit, job.counts = s.counts, job.left = s.left, job.next = s.next;
    job.prepared = s.prepared;
    job.general = {s.general, s.general_length};
    job.ties = {s.ties, s.ties_length};
    job.beyond = {s.beyond, s.beyond_length};
    if (const auto e = launch<find, Kind::Rigid>(job, poses, w, stream); e != cudaSuccess) return e;
    job.parts = 1;
    job.list = s.general, job.next = s.next + 1;
    if (const auto e = launch<find, Kind::General>(job, s.general_length, w, stream); e != cudaSuccess) return e;
    job.list = s.ties, job.next = s.next + 2;
    return launch<find, Kind::Exact>(job, s.ties_length, w, stream);
}

}  // namespace graze::gpu
