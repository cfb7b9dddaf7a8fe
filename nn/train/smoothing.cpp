#include "nn/train/smoothing.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "kernels/elementwise.h"

namespace xf::nn {

Smoothing::Smoothing(const ParameterStore& store, double share, Collective& ranks)
    : store_(store),
      share_(share),
      ranks_(ranks),
      mean_(Tensor::zeros(store.masters().shape(), store.masters().dtype(), store.device())),
      step_(Tensor::zeros({1}, store.masters().dtype(), store.device())),
      step_upload_(store.device(), step_.bytes()) {
  XF_CHECK(share > 0 && share < 1, "smoothing: the share must be between 0 and 1, got {}", share);
}

void Smoothing::begin() const { mean_.copy_from(store_.masters()); }

void Smoothing::prepare(int64_t update) {
  const double step = std::max(share_, 9 / (10 + static_cast<double>(update)));
  const auto rounded = static_cast<float>(step);
  const void* const value = step_.dtype() == DType::f64 ? static_cast<const void*>(&step) : &rounded;
  std::memcpy(step_upload_.buffer(), value, static_cast<size_t>(step_.bytes()));
  step_upload_.send(step_.raw());
}

void Smoothing::apply() const { kernels::move_towards(store_.masters(), step_, mean_); }

void Smoothing::exchange() const {
  const Tensor weights = Tensor::empty(mean_.shape(), mean_.dtype(), mean_.device());
  weights.copy_from(store_.masters());
  store_.masters().copy_from(mean_);
  mean_.copy_from(weights);
  store_.round_masters();
  if (store_.keeps_piece()) ranks_.all_gather(store_.values());
}

SmoothedWeights::~SmoothedWeights() noexcept(false) {
  if (!smoothing_ || smoothing_->ranks().broken()) return;
  try {
    smoothing_->exchange();
  } catch (const Error&) {
    if (std::uncaught_exceptions() == exceptions_) throw;
  }
}

}  // namespace xf::nn
