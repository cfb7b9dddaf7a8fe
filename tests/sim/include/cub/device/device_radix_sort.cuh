// CUB's radix sort as far as the project uses it: the same interface and result (stable, by the
// keys' bits begin_bit to end_bit, signed keys in their order), computed by the host, in the
// stream's order.
#pragma once

#include <cstdint>

#include "cuda_runtime_api.h"

namespace cub {

struct DeviceRadixSort {
  // With scratch null only says how much of it is needed. Nothing may overlap.
  static cudaError_t SortPairs(void* scratch, size_t& scratch_bytes, const int32_t* keys,
                               int32_t* sorted_keys, const int32_t* values, int32_t* sorted_values, int count,
                               int begin_bit = 0, int end_bit = 32, cudaStream_t stream = nullptr);
};

}  // namespace cub
