#include "nn/optimizer.h"

#include <array>
#include <cmath>
#include <cstring>

namespace xf::nn {

Optimizer::Optimizer(const Registry& registry, float clip_norm, int64_t step)
    : registry_(registry),
      clip_norm_(clip_norm),
      norm_squared_(Tensor::zeros({1}, DType::f64, registry.device())),
      step_(Tensor::zeros({step}, DType::f32, registry.device())),
      step_upload_(registry.device(), step_.bytes()) {}

Tensor Optimizer::zero_moment() const {
  return Tensor::zeros(registry_.masters().shape(), registry_.masters().dtype(), registry_.device());
}

void Optimizer::send(std::span<const float> step) {
  std::memcpy(step_upload_.buffer(), step.data(), step.size_bytes());
  step_upload_.send(step_.raw());
}

Adam::Adam(const Registry& registry, const kernels::AdamOptions& options, float clip_norm)
    : Optimizer(registry, clip_norm, 4), options_(options), m_(zero_moment()), v_(zero_moment()) {}

void Adam::prepare(int64_t update, double learning_rate, int64_t tokens) {
  const auto t = static_cast<double>(update);
  send(std::array{static_cast<float>(learning_rate),
                  static_cast<float>(1 - std::pow(double{options_.beta1}, t)),
                  static_cast<float>(1 - std::pow(double{options_.beta2}, t)),
                  static_cast<float>(1.0 / static_cast<double>(tokens))});
}

void Adam::apply() {
  kernels::sum_of_squares(registry_.gradients(), norm_squared_);
  kernels::adam(options_, step_, clip_norm_, norm_squared_, registry_.masters(), m_, v_,
                registry_.gradients(), rounded());
}

Sgd::Sgd(const Registry& registry, const kernels::SgdOptions& options, float clip_norm)
    : Optimizer(registry, clip_norm, 2), options_(options), m_(zero_moment()) {}

void Sgd::prepare(int64_t, double learning_rate, int64_t tokens) {
  send(std::array{static_cast<float>(learning_rate), static_cast<float>(1.0 / static_cast<double>(tokens))});
}

void Sgd::apply() {
  kernels::sum_of_squares(registry_.gradients(), norm_squared_);
  kernels::sgd(options_, step_, clip_norm_, norm_squared_, registry_.masters(), m_, registry_.gradients(),
               rounded());
}

std::unique_ptr<Optimizer> make_optimizer(const Registry& registry, const OptimizerOptions& options,
                                          float clip_norm) {
  if (const auto* sgd = std::get_if<kernels::SgdOptions>(&options))
    return std::make_unique<Sgd>(registry, *sgd, clip_norm);
  return std::make_unique<Adam>(registry, std::get<kernels::AdamOptions>(options), clip_norm);
}

}  // namespace xf::nn
