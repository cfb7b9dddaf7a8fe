// From a tensor's device and dtype to a backend tag and a type: the one place that knows which
// backends a build has.
//
//   dispatch(x, [&]<typename T>(auto backend) { layer_norm_forward(backend,
//   LayerNormForwardArgs<T>{...}); });
#pragma once

#include "core/backend.h"
#include "core/error.h"
#include "core/tensor.h"

namespace xf {

// f(Cpu<...>{}) at the level of this process.
template <typename F>
decltype(auto) dispatch_cpu(F&& f) {
#if XF_AVX512_LEVEL
  if (cpu_level() == CpuLevel::avx512) return f(Cpu<CpuLevel::avx512>{});
#endif
  return f(Cpu<CpuLevel::baseline>{});
}

// Runs f<T>(backend) for a floating point tensor; does nothing on Device::meta(). Whether a build
// has the CUDA backend (XF_CUDA) and which levels of the CPU is what differs between builds.
template <typename F>
void dispatch(const Tensor& x, F&& f) {
  const auto refuse = [&] {
    fail(ErrorKind::failure, "{} does not compute in {}", name_of(x.device()), name_of(x.dtype()));
  };
  switch (x.device().type) {
    case DeviceType::meta: return;
    case DeviceType::cpu:
      return dispatch_cpu([&](auto cpu) {
        switch (x.dtype()) {
          case DType::f32: return f.template operator()<float>(cpu);
          case DType::f64: return f.template operator()<double>(cpu);
          case DType::bf16: return f.template operator()<bf16>(cpu);
          default: return refuse();
        }
      });
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
    case DeviceType::cpu: return dispatch_cpu(f);
    case DeviceType::cuda:
#if XF_CUDA
      return f(Cuda{});
#else
      fail(ErrorKind::failure, "this build does not compute on {}", name_of(x.device()));
#endif
  }
}

}  // namespace xf
