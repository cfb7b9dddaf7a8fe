// Dropout. Srivastava et al. 2014, JMLR 15:1929. Inverted form: kept elements are multiplied by
// 1/(1-p), so that inference does nothing. No mask is stored: element (row, column) of site s in
// update u is kept iff
//     word[column % 4] >= p * 2^32  (DR1),   word = Philox4x32-10(counter = {column / 4, row, s, u}, key = seed)
// Row is the token's number within the whole update, over all its micro-batches, so that packed,
// padded, split and accumulated batches drop the same elements. Attention probabilities: row =
// query token, column = head * 2^16 + key position in its sentence.
#pragma once

#include <cmath>

#include "core/backend.h"
#include "core/philox.h"
#include "core/tensor.h"

namespace xf::kernels {

// What a layer passes. A site is one place in the model; no two share a number.
struct Dropout {
  float p = 0;  // probability to drop, in [0, 1); 0 switches dropout off
  uint64_t seed = 0;
  uint32_t site = 0;
  // i32 [2]: {update, number of the first row}; on the op's device, so that a captured graph can
  // replay.
  Tensor counter;
};

// What a backend receives.
struct DropoutArgs {
  uint32_t threshold = 0;  // 0: off
  float scale = 1;
  uint32_t key0 = 0, key1 = 0, site = 0;
  const int32_t* counter = nullptr;

  XF_HOST_DEVICE bool active() const { return threshold != 0; }
  // The random words of columns 4*quad .. 4*quad+3 in local row `row`.
  XF_HOST_DEVICE Philox words(uint32_t quad, uint32_t row) const {
    return Philox::at(quad, static_cast<uint32_t>(counter[1]) + row, site, static_cast<uint32_t>(counter[0]),
                      key0, key1);
  }
};

inline DropoutArgs dropout_args(const Dropout& dropout) {
  XF_CHECK(dropout.p >= 0 && dropout.p < 1, "dropout: p must be in [0, 1), got {}", dropout.p);
  DropoutArgs args;
  if (dropout.p == 0) return args;
  args.threshold = static_cast<uint32_t>(std::lround(static_cast<double>(dropout.p) * 4294967296.0));
  args.scale = 1.0f / (1.0f - dropout.p);
  args.key0 = static_cast<uint32_t>(dropout.seed);
  args.key1 = static_cast<uint32_t>(dropout.seed >> 32);
  args.site = dropout.site;
  args.counter = dropout.counter.data<int32_t>();
  return args;
}

// y = m x  (DR2). x, y [N, D], y written, may be x. The backward pass is the same call on dy: dx =
// m dy  (DR3).
void dropout(const Tensor& x, const Dropout& dropout, Out y);

template <typename T>
struct DropoutApplyArgs {
  const T* x;
  T* y;
  int64_t N, D, x_stride, y_stride;
  DropoutArgs dropout;
};
XF_BACKENDS(dropout, DropoutApplyArgs);

}  // namespace xf::kernels
