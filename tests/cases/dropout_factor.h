// One element of a dropout mask, word by word from the definition in kernels/dropout.h.
#pragma once

#include <vector>

#include "kernels/dropout.h"

namespace xf::tests {

// Site 3 of update 11, whose first row is token `first_row` of the update.
inline kernels::Dropout test_dropout(float p, int32_t first_row = 0) {
  return {.p = p,
          .seed = 0x123456789abcdefull,
          .site = 3,
          .counter = Tensor::from(std::vector<int32_t>{11, first_row})};
}

// The same, for an op on `device`: the counter lies there.
inline kernels::Dropout dropout_on(Device device, kernels::Dropout dropout) {
  if (dropout.counter.defined()) dropout.counter = dropout.counter.to(device);
  return dropout;
}

// 0 or 1/(1-p), the latter rounded to f32 as every backend receives it. The dropout's counter is on the CPU.
inline double dropout_factor(const kernels::Dropout& dropout, int64_t row, int64_t column) {
  if (dropout.p == 0) return 1;
  const int32_t* counter = dropout.counter.data<int32_t>();
  const Philox words =
      Philox::at(static_cast<uint32_t>(column / 4), static_cast<uint32_t>(counter[1] + row), dropout.site,
                 static_cast<uint32_t>(counter[0]), static_cast<uint32_t>(dropout.seed),
                 static_cast<uint32_t>(dropout.seed >> 32));
  const bool kept = words.x[column % 4] >= static_cast<double>(dropout.p) * 0x1p32;
  return kept ? static_cast<double>(1.0f / (1.0f - dropout.p)) : 0;
}

}  // namespace xf::tests
