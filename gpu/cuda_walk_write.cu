// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_launch.cuh"

namespace graze::gpu {

template cudaError_t walk_chunk<Find::Write>(Job<float>, const State&, const Workspace&, cudaStream_t,
                                             const std::uint32_t*);
template cudaError_t walk_chunk<Find::Write>(Job<double>, const State&, const Workspace&, cudaStream_t,
                                             const std::uint32_t*);

}  // namespace graze::gpu
