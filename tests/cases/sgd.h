// One update of sgd by its plain kernel. Its sizes are those of Adam.
#pragma once

#include <vector>

#include "kernels/plain/sgd.h"
#include "tests/cases/adam.h"

namespace xf::tests {

struct SgdState {
  std::vector<double> p, m;
};

// An update by a gradient `g` summed over `tokens` tokens.
inline void sgd_reference(const kernels::SgdOptions& options, double learning_rate, double tokens,
                          double clip_norm, const std::vector<double>& g, SgdState& state) {
  kernels::plain::sgd(static_cast<int64_t>(g.size()), options, learning_rate, tokens, clip_norm, g.data(),
                      state.p.data(), state.m.data());
}

}  // namespace xf::tests
