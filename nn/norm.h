// Layer normalisation, alone and behind a residual connection with dropout; each forward is one
// node on the tape.
#pragma once

#include "nn/forward_context.h"

namespace xf::nn {

constexpr float kLayerNormEps = 1e-5f;

class Norm {
 public:
  // `epsilon` is added to the variance.
  Norm(ParameterStore& store, const std::string& name, int64_t dim, float epsilon = kLayerNormEps);

  // y = layer_norm(x)   [T, D] -> [T, D]
  Variable forward(ForwardContext& context, const Variable& x) const;

  // sum = x + dropout(s),  y = layer_norm(sum).  Post-norm reads y alone; pre-norm carries both on.
  struct Sum {
    Variable sum, y;
  };
  Sum forward_residual(ForwardContext& context, const Variable& x, const Variable& s,
                       const kernels::Dropout& dropout) const;

 private:
  std::string name_;
  float epsilon_;
  const Parameter& gamma_;
  const Parameter& beta_;
};

}  // namespace xf::nn
