#include "core/side_stream.h"

#if XF_CUDA
#include "core/cuda.h"
#endif

namespace xf {

namespace {

// What the work on the side stream reads.
thread_local std::vector<Tensor> kept;

}  // namespace

void run_on_side_stream(Device device, std::vector<Tensor> reads, const std::function<void()>& work) {
  join_side_stream(device);
  if (device.sizes_of() == DeviceType::cuda) kept = std::move(reads);
#if XF_CUDA
  if (device.type == DeviceType::cuda) return cuda::run_on_side_stream(work);
#endif
  work();
}

void join_side_stream([[maybe_unused]] Device device) noexcept {
#if XF_CUDA
  if (device.type == DeviceType::cuda) cuda::join_side_stream();
#endif
  kept.clear();
}

}  // namespace xf
