#include "nn/optimizer.h"

#include <array>
#include <cmath>
#include <cstring>

namespace xf::nn {

Adam::Adam(const Registry& registry, const kernels::AdamOptions& options, float clip_norm)
    : registry_(registry),
      options_(options),
      clip_norm_(clip_norm),
      m_(Tensor::zeros(registry.masters().shape(), registry.masters().dtype(), registry.device())),
      v_(Tensor::zeros(registry.masters().shape(), registry.masters().dtype(), registry.device())),
      norm_squared_(Tensor::zeros({1}, DType::f64, registry.device())),
      step_(Tensor::zeros({4}, DType::f32, registry.device())),
      step_upload_(registry.device(), step_.bytes()) {}

void Adam::prepare(int64_t update, double learning_rate, int64_t tokens) {
  const auto t = static_cast<double>(update);
  const std::array step{static_cast<float>(learning_rate),
                        static_cast<float>(1 - std::pow(double{options_.beta1}, t)),
                        static_cast<float>(1 - std::pow(double{options_.beta2}, t)),
                        static_cast<float>(1.0 / static_cast<double>(tokens))};
  std::memcpy(step_upload_.buffer(), step.data(), sizeof step);
  step_upload_.send(step_.raw());
}

void Adam::apply() {
  kernels::sum_of_squares(registry_.gradients(), norm_squared_);
  kernels::adam(options_, step_, clip_norm_, norm_squared_, registry_.masters(), m_, v_,
                registry_.gradients(), registry_.dtype() == DType::bf16 ? registry_.values() : Tensor());
}

}  // namespace xf::nn
