// The kernels that the machine's tests run.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace xf::sim {

// good[i] = 1 where all of thread i's expectations of the intrinsics hold; threads of one block of
// 96.
void run_intrinsics(int* good, cudaStream_t stream);
// count += 1 and greatest = max(number) over all threads of `blocks` blocks of 64; total += 0.5
// each.
void run_atomics(int* count, int* greatest, double* total, unsigned blocks);
// d [16, 8] = a [16, 16] b [16, 8] + c, by mma; a and b in shared memory, read by ldmatrix.
void run_mma(const uint16_t* a, const uint16_t* b, const float* c, float* d);
// Warp and block reductions of x [blocks, 128]: out[block] = {sum, max, sum again by shuffles}.
void run_reductions(const float* x, float* out, unsigned blocks);
// x[i] = x[i] * factor + term, i < n.
void run_scale(float* x, int n, float factor, float term, cudaStream_t stream);
// out[block] = order in which the blocks ran; threads[thread] the same of the threads of the last
// block. next: i32, 0.
void run_order(int* out, int* threads, int* next, unsigned blocks);
void run_nothing(dim3 grid, dim3 block, size_t shared_bytes);
// Touches the last byte of `bytes` of dynamic shared memory.
void run_dynamic_shared(size_t bytes, float* out);

}  // namespace xf::sim
