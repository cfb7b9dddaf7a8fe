// The line that is at fault, or that the machine must name, ends with "// name of the bug".
#include "tests/sim/machine/planted_bugs.h"

#include <cstring>

#include "kernels/cuda/reduce.cuh"

namespace xf::planted {

namespace {

using namespace xf::cuda;

// ---- none: two that are right

__global__ void right_sum(const float* x, float* y) {
  const float sum = block_sum<128>(x[threadIdx.x]);
  y[threadIdx.x] = block_sum<128>(sum);
}

__global__ void right_atomic(const float* x, float* y) {
  y[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&y[threadIdx.x / 32], x[threadIdx.x]);
}

// ---- memory that is not ordered

__global__ void missing_barrier(const float* x, float* y) {
  XF_SHARED(float[128], t);
  const unsigned i = threadIdx.x;
  t[i] = x[i];
  y[i] = t[127 - i];  // missing_barrier
}

__global__ void buffer_used_again(const float* x, float* y) {
  XF_SHARED(float[4], t);
  const unsigned i = threadIdx.x;
  float all = 0;
  for (int round = 1; round <= 2; ++round) {
    const float sum = warp_sum(x[i] * static_cast<float>(round));
    if (i % 32 == 0) t[i / 32] = sum;  // buffer_used_again
    __syncthreads();
    for (float part : t) all += part;
  }
  y[i] = all;
}

__global__ void missing_syncwarp(const float* x, float* y) {
  XF_SHARED(float[32], t);
  const unsigned i = threadIdx.x;
  t[i] = x[i];
  y[i] = t[i ^ 1];  // missing_syncwarp
}

__global__ void shuffle_is_no_fence(const float* x, float* y) {
  XF_SHARED(float[32], t);
  const unsigned i = threadIdx.x;
  t[i] = x[i];
  const float one = __shfl_sync(kFullWarp, 1.0f, 0);
  y[i] = one * t[i ^ 1];  // shuffle_is_no_fence
}

__global__ void sum_without_atomic(const float* x, float* y) {
  y[0] += x[threadIdx.x];  // sum_without_atomic
}

__global__ void blocks_share_a_place(const float* x, float* y) {
  if (threadIdx.x == 0) y[0] = x[blockIdx.x];  // blocks_share_a_place
}

__global__ void atomic_and_plain(const float* x, float* y) {
  if (threadIdx.x == 0) y[0] = 0;  // atomic_and_plain
  atomicAdd(y, x[threadIdx.x]);
}

__global__ void copy_without_wait(const float* x, float* y) {
  XF_SHARED(float[512], t);
  const unsigned i = threadIdx.x;
  copy_async_16(t + 4 * i, x + i / 4 * 4);
  copy_async_commit();
  __syncthreads();
  y[i] = t[4 * i];  // copy_without_wait
}

__global__ void copy_without_barrier(const float* x, float* y) {
  XF_SHARED(float[512], t);
  const unsigned i = threadIdx.x;
  copy_async_16(t + 4 * i, x + i / 4 * 4);
  copy_async_commit();
  copy_async_wait<0>();
  y[i] = t[511 - 4 * i];  // copy_without_barrier
}

__global__ void wait_for_too_few(const float* x, float* y) {
  XF_SHARED(float[256], t);
  const unsigned i = threadIdx.x % 32;
  copy_async_16(t + 4 * i, x + 4 * i);
  copy_async_commit();
  copy_async_16(t + 128 + 4 * i, x + 4 * i);
  copy_async_commit();
  copy_async_wait<1>();
  __syncwarp();
  y[i] = t[128 + 4 * i];  // wait_for_too_few
}

// ---- memory that is not there

__global__ void shared_write_past_end(const float* x, float* y) {
  XF_SHARED(float[100], t);
  const unsigned i = threadIdx.x;
  t[i] = x[i];  // shared_write_past_end
  __syncthreads();
  y[i] = t[i];
}

__global__ void shared_read_past_end(const float* x, float* y) {
  XF_SHARED(float[128], t);
  const unsigned i = threadIdx.x;
  t[i] = x[i];
  __syncthreads();
  y[i] = t[i + 1];  // shared_read_past_end
}

__global__ void dynamic_past_end(const float* x, float* y) {
  XF_DYNAMIC_SHARED(bytes);
  float* t = reinterpret_cast<float*>(bytes);
  const unsigned i = threadIdx.x;
  t[i] = x[i];  // dynamic_past_end
  __syncthreads();
  y[i] = t[i];
}

__global__ void write_past_end(const float* x, float* y) {
  y[threadIdx.x + 1] = x[threadIdx.x];  // write_past_end
}

__global__ void read_past_end(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x + 129];  // read_past_end
}

__global__ void read_after_free(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // read_after_free
}

__global__ void read_from_host(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // read_from_host
}

__global__ void shared_not_written(const float* x, float* y) {
  XF_SHARED(float[128], t);
  const unsigned i = threadIdx.x;
  if (i < 64) t[i] = x[i];
  __syncthreads();
  y[i] = t[127 - i];  // shared_not_written
}

__global__ void global_not_written(const float* x, float* y) {
  y[threadIdx.x] += x[threadIdx.x];  // global_not_written
}

// ---- addresses

__global__ void misaligned_load(const float* x, float* y) {
  const unsigned i = threadIdx.x % 16;
  const uint4 v = load_16(x + 4 * i + 1);  // misaligned_load
  y[i] = __uint_as_float(v.x);
}

__global__ void misaligned_cast(const float* x, float* y) {
  const unsigned i = threadIdx.x % 16;
  y[i] = reinterpret_cast<const float4*>(x + 4 * i + 1)->x;  // misaligned_cast
}

__global__ void misaligned_copy(const float* x, float* y) {
  XF_SHARED(float[160], t);
  const unsigned i = threadIdx.x % 32;
  copy_async_16(t + 4 * i, x + 4 * i + 2);  // misaligned_copy
  copy_async_commit();
  copy_async_wait<0>();
  y[i] = t[4 * i];
}

__global__ void misaligned_matrix(const float*, float* y) {
  XF_SHARED(uint16_t[520], t);
  for (unsigned i = threadIdx.x; i < 520; i += 32) t[i] = 0;
  __syncwarp();
  uint32_t r[4];
  load_matrix_x4(r, t + 8 * threadIdx.x + 1);  // misaligned_matrix
  y[threadIdx.x] = __uint_as_float(r[0]);
}

__global__ void too_much_shared(const float* x, float* y) {
  XF_SHARED(float[13000], t);  // too_much_shared
  t[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = t[threadIdx.x];
}

// ---- threads that do not meet

__global__ void barrier_in_branch(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  if (i < 70) __syncthreads();  // barrier_in_branch
  y[i] = x[i];
}

__global__ void barrier_in_both_branches(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  if (i < 70) {
    __syncthreads();
  } else {
    __syncthreads();  // barrier_in_both_branches
  }
  y[i] = x[i];
}

__global__ void early_exit(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  if (i >= 100) return;
  __syncthreads();  // early_exit
  y[i] = x[i];
}

__global__ void barrier_in_loop(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  for (unsigned k = 0; k <= i / 64; ++k) __syncthreads();  // barrier_in_loop
  y[i] = x[i];
}

__global__ void shuffle_in_branch(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  float v = x[i];
  if (i % 32 < 16) v += __shfl_xor_sync(kFullWarp, v, 8);  // shuffle_in_branch
  y[i] = v;
}

__global__ void shuffles_in_both_branches(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  float v = x[i];
  if (i % 32 < 16) {
    v += __shfl_xor_sync(kFullWarp, v, 8);
  } else {
    v += __shfl_down_sync(kFullWarp, v, 8);  // shuffles_in_both_branches
  }
  y[i] = v;
}

__global__ void reductions_in_both_branches(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  if (i % 32 < 16) {
    y[i] = warp_sum(x[i]);
  } else {
    y[i] = warp_sum(2 * x[i]);  // reductions_in_both_branches
  }
}

__global__ void shuffle_from_outside(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  float v = x[i];
  if (i % 32 < 16) v += __shfl_xor_sync(0x0000ffffu, v, 16);  // shuffle_from_outside
  y[i] = v;
}

__global__ void shuffle_not_in_mask(const float* x, float* y) {
  y[threadIdx.x] = __shfl_sync(0x0000ffffu, x[threadIdx.x], 0);  // shuffle_not_in_mask
}

__global__ void shuffle_against_barrier(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  float v = x[i];
  if (i % 32 == 5) __syncthreads();
  v += __shfl_xor_sync(kFullWarp, v, 1);  // shuffle_against_barrier
  if (i % 32 != 5) __syncthreads();
  y[i] = v;
}

__global__ void ballot_after_exit(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  if (i % 32 == 31) return;
  y[i] = static_cast<float>(__ballot_sync(kFullWarp, x[i] > 0));  // ballot_after_exit
}

#define XF_BUG(name, ...) \
  { #name, name, __VA_ARGS__ }
const PlantedBug kBugs[] = {XF_BUG(right_sum, 1, 128, 0),
                            XF_BUG(right_atomic, 1, 128, 0),
                            XF_BUG(missing_barrier, 1, 128, 0),
                            XF_BUG(buffer_used_again, 1, 128, 0),
                            XF_BUG(missing_syncwarp, 1, 32, 0),
                            XF_BUG(shuffle_is_no_fence, 1, 32, 0),
                            XF_BUG(sum_without_atomic, 1, 128, 0),
                            XF_BUG(blocks_share_a_place, 2, 128, 0),
                            XF_BUG(atomic_and_plain, 1, 128, 0),
                            XF_BUG(copy_without_wait, 1, 128, 0),
                            XF_BUG(copy_without_barrier, 1, 128, 0),
                            XF_BUG(wait_for_too_few, 1, 32, 0),
                            XF_BUG(shared_write_past_end, 1, 128, 0),
                            XF_BUG(shared_read_past_end, 1, 128, 0),
                            XF_BUG(dynamic_past_end, 1, 128, 400),
                            XF_BUG(write_past_end, 1, 128, 0),
                            XF_BUG(read_past_end, 1, 128, 0),
                            XF_BUG(read_after_free, 1, 128, 0),
                            XF_BUG(read_from_host, 1, 128, 0),
                            XF_BUG(shared_not_written, 1, 128, 0),
                            XF_BUG(global_not_written, 1, 128, 0),
                            XF_BUG(misaligned_load, 1, 32, 0),
                            XF_BUG(misaligned_cast, 1, 32, 0),
                            XF_BUG(misaligned_copy, 1, 32, 0),
                            XF_BUG(misaligned_matrix, 1, 32, 0),
                            XF_BUG(too_much_shared, 1, 128, 0),
                            XF_BUG(barrier_in_branch, 1, 128, 0),
                            XF_BUG(barrier_in_both_branches, 1, 128, 0),
                            XF_BUG(early_exit, 1, 128, 0),
                            XF_BUG(barrier_in_loop, 1, 128, 0),
                            XF_BUG(shuffle_in_branch, 1, 128, 0),
                            XF_BUG(shuffles_in_both_branches, 1, 128, 0),
                            XF_BUG(reductions_in_both_branches, 1, 128, 0),
                            XF_BUG(shuffle_from_outside, 1, 128, 0),
                            XF_BUG(shuffle_not_in_mask, 1, 128, 0),
                            XF_BUG(shuffle_against_barrier, 1, 128, 0),
                            XF_BUG(ballot_after_exit, 1, 128, 0)};

}  // namespace

const PlantedBug* find_planted_bug(const char* name) {
  for (const PlantedBug& bug : kBugs) {
    if (std::strcmp(bug.name, name) == 0) return &bug;
  }
  return nullptr;
}

void run_planted_bug(const PlantedBug& bug, const float* x, float* y) {
  launch(bug.kernel, dim3(static_cast<unsigned>(bug.grid)), dim3(static_cast<unsigned>(bug.block)),
         bug.shared_bytes, nullptr, x, y);
}

}  // namespace xf::planted
