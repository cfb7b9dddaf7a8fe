#include "nn/train/r_drop.h"

#include "kernels/r_drop.h"

namespace xf::nn {

// Of the paper's sum half is minimised, and its weight of J is alpha / 2.
TrainingMethod r_drop(double alpha, int64_t begins_after) {
  if (alpha == 0) return {};
  return {std::make_shared<kernels::RDropLoss>(static_cast<float>(alpha / 2)), begins_after};
}

}  // namespace xf::nn
