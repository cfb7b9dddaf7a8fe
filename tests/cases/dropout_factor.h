// Dropouts for tests, and their factors.
#pragma once

#include <vector>

#include "kernels/plain/dropout.h"

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

using kernels::plain::dropout_factor;

// Those of N rows of D. The dropout's counter is on the CPU.
inline std::vector<double> dropout_factors(const kernels::Dropout& dropout, int64_t N, int64_t D) {
  std::vector<double> factors(static_cast<size_t>(N * D), 1.0);
  kernels::plain::dropout(N, D, dropout, factors.data(), factors.data());
  return factors;
}

}  // namespace xf::tests
