// The end of a loss over rows: what each row has added, {smoothed, unsmoothed}, lies in the
// workspace, and one block adds it up in a fixed order.
#pragma once

#include "core/cuda.h"
#include "kernels/cuda/reduce.cuh"

namespace xf::kernels {

// loss [2] += the sum of losses [N]: thread t takes rows t, t + kThreads, ...
template <int kThreads>
__global__ void __launch_bounds__(kThreads) sum_losses(int64_t N, const float2* losses, float* loss) {
  float2 sum = make_float2(0, 0);
#pragma unroll 8
  for (int64_t n = threadIdx.x; n < N; n += kThreads) {
    const float2 row = losses[n];
    sum.x += row.x;
    sum.y += row.y;
  }
  sum.x = cuda::block_sum<kThreads>(sum.x);
  sum.y = cuda::block_sum<kThreads>(sum.y);
  if (threadIdx.x > 0) return;
  loss[0] += sum.x;
  loss[1] += sum.y;
}

inline float2* room_for_losses(int64_t N) {
  return static_cast<float2*>(cuda::workspace(N * static_cast<int64_t>(sizeof(float2))));
}

inline void add_losses(int64_t N, const float2* losses, float* loss) {
  constexpr int kThreads = 256;
  cuda::launch(sum_losses<kThreads>, dim3(1), dim3(kThreads), 0, cuda::stream(), N, losses, loss);
}

}  // namespace xf::kernels
