// Dropout inside a kernel: a pack of elements, multiplied by 0 or 1/(1-p) (DR1, DR2, DR3). A counter gives the words of four
// columns, so a pack of 4 floats needs one, a pack of 8 bf16 two.
#pragma once

#include "kernels/cuda/elements.cuh"
#include "kernels/dropout.h"

namespace xf::kernels {

// column: of x[0]; a multiple of 4. Does nothing where dropout is off.
template <typename T>
__device__ __forceinline__ void drop(const DropoutArgs& dropout, int64_t row, int64_t column,
                                     cuda::Pack<T>& pack) {
  if (!dropout.active()) return;
#pragma unroll
  for (int i = 0; i < cuda::Pack<T>::kCount; i += 4) {
    const Philox words = dropout.words(static_cast<uint32_t>((column + i) / 4), static_cast<uint32_t>(row));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float factor = words.x[j] >= dropout.threshold ? dropout.scale : 0.0f;
      pack.x[i + j] = cuda::product(pack.x[i + j], factor);
    }
  }
}

}  // namespace xf::kernels
