// From a tensor's device and dtype to a backend tag and a type: the one place that knows which backends a
// build has.
//
//   dispatch(x, [&]<typename T>(auto backend) { layer_norm_forward(backend, LayerNormForwardArgs<T>{...});
//   });
#pragma once

#include "core/tensor.h"

namespace xf {

struct Cpu {};
struct Cuda {};

// Runs f<T>(backend) for a floating point tensor; does nothing on Device::meta(). Whether a build has the
// CUDA backend is the one thing that differs between builds (XF_CUDA).
template <typename F>
void dispatch(const Tensor& x, F&& f) {
  const auto refuse = [&] {
    fail(ErrorKind::failure, "{} does not compute in {}", name_of(x.device()), name_of(x.dtype()));
  };
  switch (x.device().type) {
    case DeviceType::meta: return;
    case DeviceType::cpu:
      switch (x.dtype()) {
        case DType::f32: return f.template operator()<float>(Cpu{});
        case DType::f64: return f.template operator()<double>(Cpu{});
        case DType::bf16: return f.template operator()<bf16>(Cpu{});
        default: return refuse();
      }
    case DeviceType::cuda:
#if XF_CUDA
      switch (x.dtype()) {
        case DType::f32: return f.template operator()<float>(Cuda{});
        case DType::bf16: return f.template operator()<bf16>(Cuda{});
        default: return refuse();
      }
#else
      return refuse();
#endif
  }
}

// Runs f(backend) where the tensor lies, whatever its type; does nothing on Device::meta().
template <typename F>
void dispatch_device(const Tensor& x, F&& f) {
  switch (x.device().type) {
    case DeviceType::meta: return;
    case DeviceType::cpu: return f(Cpu{});
    case DeviceType::cuda:
#if XF_CUDA
      return f(Cuda{});
#else
      fail(ErrorKind::failure, "this build does not compute on {}", name_of(x.device()));
#endif
  }
}

}  // namespace xf
