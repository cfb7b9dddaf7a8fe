#include "tests/sim/machine/machine_kernels.h"

#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/reduce.cuh"

namespace xf::sim {

namespace {

using cuda::kFullWarp;

__device__ bool shuffles_are_right(int lane) {
  bool good = __shfl_sync(kFullWarp, lane, 7) == 7;
  good &= __shfl_sync(kFullWarp, lane, 3, 8) == (lane & ~7) + 3;
  good &= __shfl_up_sync(kFullWarp, lane, 1) == (lane > 0 ? lane - 1 : 0);
  good &= __shfl_down_sync(kFullWarp, lane, 4, 16) == (lane % 16 + 4 < 16 ? lane + 4 : lane);
  good &= __shfl_xor_sync(kFullWarp, lane, 5) == (lane ^ 5);
  good &= __shfl_xor_sync(kFullWarp, 0.5 * lane, 16) == 0.5 * (lane ^ 16);
  good &= __ballot_sync(kFullWarp, lane % 3 == 0) == 0x49249249u;
  good &= __any_sync(kFullWarp, lane == 31) == 1 && __any_sync(kFullWarp, 0) == 0;
  good &= __all_sync(kFullWarp, lane < 31) == 0 && __all_sync(kFullWarp, 1) == 1;
  if (lane < 16) {  // two halves of a warp, each on its own
    good &= __shfl_xor_sync(0x0000ffffu, lane, 1) == (lane ^ 1);
  } else {
    good &= __shfl_xor_sync(0xffff0000u, lane, 2) == (lane ^ 2);
  }
  return good;
}

__device__ bool arithmetic_is_right() {
  bool good =
      __popc(0xF0u) == 4 && __ffs(8) == 4 && __ffs(0) == 0 && __clz(1) == 31 && __brev(1u) == 0x80000000u;
  good &= __umulhi(0x80000000u, 6u) == 3 && __float_as_uint(1.0f) == 0x3f800000u &&
          __uint_as_float(0x40000000u) == 2;
  good &= min(3, 4) == 3 && max(3u, 4u) == 4 && rsqrtf(4.0f) == 0.5f && __saturatef(1.5f) == 1;
  // Half way between two bf16, 1 + 2^-8 goes to the even 1 and 1 + 3 * 2^-8 to the even 1 + 2^-6.
  const float2 even = cuda::unpack_bf16x2(cuda::pack_bf16x2(1.0f + 0x1p-8f, 1.0f + 0x3p-8f));
  return good && even.x == 1.0f && even.y == 1.0f + 0x1p-6f;
}

__global__ void intrinsics(int* good) {
  XF_SHARED(float[96], t);
  const int i = static_cast<int>(threadIdx.x);
  bool all = shuffles_are_right(i % 32) && arithmetic_is_right();
  t[i] = 2.0f * static_cast<float>(i);
  __syncthreads();
  all &= t[95 - i] == 2.0f * static_cast<float>(95 - i);
  all &= __syncthreads_or(i == 50) != 0 && __syncthreads_or(0) == 0;
  all &= __syncthreads_and(i < 95) == 0 && __syncthreads_and(1) != 0;
  all &= __syncthreads_count(i % 2) == 48;
  all &= blockDim.x == 96 && gridDim.x == 1 && warpSize == 32;
  good[i] = all ? 1 : 0;
}

__global__ void atomics(int* count, int* greatest, double* total) {
  atomicAdd(count, 1);
  atomicMax(greatest, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
  atomicAdd(total, 0.5);
}

// Rows of a and b padded to 24 elements (48 bytes), so that a mistake in a stride shows.
__global__ void mma(const uint16_t* a, const uint16_t* b, const float* c, float* d) {
  XF_SHARED(uint16_t[16 * 24], a_tile);
  XF_SHARED(uint16_t[16 * 24], b_tile);
  const unsigned lane = threadIdx.x;
  for (unsigned i = lane; i < 16 * 24; i += 32) a_tile[i] = b_tile[i] = 0;
  __syncwarp();
  for (unsigned i = lane; i < 256; i += 32) a_tile[i / 16 * 24 + i % 16] = a[i];
  for (unsigned i = lane; i < 128; i += 32) b_tile[i / 8 * 24 + i % 8] = b[i];
  __syncwarp();
  uint32_t af[4], bf[4];
  cuda::load_matrix_x4(af, a_tile + lane % 16 * 24 + lane / 16 * 8);
  cuda::load_matrix_x4_transposed(bf, b_tile + lane % 16 * 24 + lane / 16 * 8);
  const unsigned row = lane / 4, column = lane % 4 * 2;
  float cf[4], df[4];
  for (unsigned e = 0; e < 4; ++e) cf[e] = c[(row + e / 2 * 8) * 8 + column + e % 2];
  const uint32_t b_pair[2] = {bf[0], bf[1]};
  cuda::mma_16x8x16(df, af, b_pair, cf);
  for (unsigned e = 0; e < 4; ++e) d[(row + e / 2 * 8) * 8 + column + e % 2] = df[e];
}

__global__ void reductions(const float* x, float* out) {
  const float value = x[blockIdx.x * 128 + threadIdx.x];
  const float sum = cuda::block_sum<128>(value), greatest = cuda::block_max<128>(value);
  float step = value;
  for (int offset = 16; offset > 0; offset /= 2) step += __shfl_xor_sync(kFullWarp, step, offset);
  XF_SHARED(float[4], partial);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = step;
  __syncthreads();
  if (threadIdx.x > 0) return;
  out[3 * blockIdx.x] = sum;
  out[3 * blockIdx.x + 1] = greatest;
  out[3 * blockIdx.x + 2] = partial[0] + partial[1] + partial[2] + partial[3];
}

__global__ void scale(float* x, int n, float factor, float term) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] = x[i] * factor + term;
}

__global__ void order(int* out, int* threads, int* next) {
  const int mine = atomicAdd(next, 1);
  if (threadIdx.x == 0) out[blockIdx.x] = mine;
  threads[threadIdx.x] = mine;
}

__global__ void nothing() {}

__global__ void dynamic_shared(int bytes, float* out) {
  XF_DYNAMIC_SHARED(data);
  if (threadIdx.x > 0) return;
  data[bytes - 1] = 1;
  out[0] = reinterpret_cast<uintptr_t>(data) % 128 == 0 ? data[bytes - 1] : 0;
}

}  // namespace

void run_intrinsics(int* good, cudaStream_t stream) { cuda::launch(intrinsics, 1, 96, 0, stream, good); }
void run_atomics(int* count, int* greatest, double* total, unsigned blocks) {
  cuda::launch(atomics, blocks, 64, 0, nullptr, count, greatest, total);
}
void run_mma(const uint16_t* a, const uint16_t* b, const float* c, float* d) {
  cuda::launch(mma, 1, 32, 0, nullptr, a, b, c, d);
}
void run_reductions(const float* x, float* out, unsigned blocks) {
  cuda::launch(reductions, blocks, 128, 0, nullptr, x, out);
}
void run_scale(float* x, int n, float factor, float term, cudaStream_t stream) {
  cuda::launch(scale, static_cast<unsigned>((n + 127) / 128), 128, 0, stream, x, n, factor, term);
}
void run_order(int* out, int* threads, int* next, unsigned blocks) {
  cuda::launch(order, blocks, 32, 0, nullptr, out, threads, next);
}
void run_nothing(dim3 grid, dim3 block, size_t shared_bytes) {
  cuda::launch(nothing, grid, block, shared_bytes, nullptr);
}
void run_dynamic_shared(size_t bytes, float* out) {
  cuda::launch(dynamic_shared, 1, 32, bytes, nullptr, static_cast<int>(bytes), out);
}

}  // namespace xf::sim
