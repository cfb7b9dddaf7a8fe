#include "core/beside.h"

#if XF_CUDA
#include "core/cuda.h"
#endif

namespace xf {

namespace {

// What the work beside reads.
thread_local std::vector<Tensor> kept;

}  // namespace

void beside(Device device, std::vector<Tensor> reads, const std::function<void()>& work) {
  join(device);
  if (device.sizes_of() == DeviceType::cuda) kept = std::move(reads);
#if XF_CUDA
  if (device.type == DeviceType::cuda) return cuda::beside(work);
#endif
  work();
}

void join([[maybe_unused]] Device device) noexcept {
#if XF_CUDA
  if (device.type == DeviceType::cuda) cuda::join();
#endif
  kept.clear();
}

}  // namespace xf
