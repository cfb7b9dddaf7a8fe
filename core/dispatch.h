// From a tensor's device and dtype to a backend tag and a type: the one place that knows which backends a
// build has.
//
//   dispatch(x, [&]<typename T>(auto backend) { layer_norm_forward(backend, LayerNormForwardArgs<T>{...});
//   });
#pragma once

#include "core/tensor.h"

namespace xf {

struct Cpu {};

// Runs f<T>(backend) for a floating point tensor; does nothing on Device::meta().
template <typename F>
void dispatch(const Tensor& x, F&& f) {
  switch (x.device().type) {
    case DeviceType::meta: return;
    case DeviceType::cuda: fail(ErrorKind::usage, "this build has no CUDA backend; use --device cpu");
    case DeviceType::cpu: break;
  }
  switch (x.dtype()) {
    case DType::f32: return f.template operator()<float>(Cpu{});
    case DType::f64: return f.template operator()<double>(Cpu{});
    default:
      fail(ErrorKind::failure, "the cpu backend computes in f32 and f64, not in {}", name_of(x.dtype()));
  }
}

}  // namespace xf
