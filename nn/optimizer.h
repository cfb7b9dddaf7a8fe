// Adam over a registry's flat memory: the gradient's norm, then one pass (kernels/adam.h).
#pragma once

#include "core/upload.h"
#include "kernels/adam.h"
#include "nn/registry.h"

namespace xf::nn {

class Adam {
 public:
  Adam(const Registry& registry, const kernels::AdamOptions& options, float clip_norm);

  // One update from the accumulated, unscaled gradients; zeroes them. update counts from 1 and may not skip:
  // the bias corrections are those of the number of updates.
  void update(int64_t update, double learning_rate, int64_t tokens) {
    prepare(update, learning_rate, tokens);
    apply();
  }
  // Its two halves: the numbers that differ from update to update, brought to the device; and the work there,
  // which a graph can replay.
  void prepare(int64_t update, double learning_rate, int64_t tokens);
  void apply();

  // f64 [1]: of the last update's unscaled gradient. NaN or infinite: that update changed nothing.
  const Tensor& norm_squared() const { return norm_squared_; }

  // Moments [P], flat, in the registry's layout: with the parameters and the update's number, all of Adam's
  // state.
  const Tensor& first_moment() const { return m_; }
  const Tensor& second_moment() const { return v_; }

 private:
  const Registry& registry_;
  kernels::AdamOptions options_;
  float clip_norm_;
  Tensor m_, v_;
  Tensor norm_squared_;
  Tensor step_;  // f32 [4]
  Upload step_upload_;
};

}  // namespace xf::nn
