// The twins of what kernels/cuda/portable.cuh writes as PTX.
#pragma once

#include <cstdint>

#include "tests/sim/copy_async.h"
#include "tests/sim/include/vector_types.h"
#include "tests/sim/site.h"

namespace xf::sim {

// 16 bytes at once; the address must be a multiple of 16, as the device demands. Inline in a
// kernel, so that the sanitisers see the access at the kernel's line.
void check_alignment(const void* address, Site site);

// mma.sync.m16n8k16, bf16 in, f32 out; ldmatrix.x4 with and without .trans. Fragment layouts:
// tensor_core.cpp.
void mma_16x8x16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], const float (&c)[4],
                 Site site);
void load_matrix_x4(uint32_t (&r)[4], const void* row, bool transposed, Site site);

}  // namespace xf::sim
