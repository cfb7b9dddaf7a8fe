#include "core/upload.h"

#include "core/memory.h"
#if XF_CUDA
#include "core/cuda.h"
#endif

namespace xf {

Upload::Upload(Device device, int64_t bytes) : device_(device), bytes_(bytes) {
  for (Buffer& buffer : buffers_) {
#if XF_CUDA
    if (device.type == DeviceType::cuda) {
      buffer = {cuda::allocate_page_locked(bytes), cuda::make_event()};
      continue;
    }
#endif
    buffer.memory = memory::allocate(Device::cpu(), bytes);
  }
}

void* Upload::buffer() {
  Buffer& buffer = buffers_[next_];
#if XF_CUDA
  if (buffer.sent) cuda::wait_for(buffer.sent.get());
#endif
  return buffer.memory.get();
}

void Upload::send(void* to) {
  Buffer& buffer = buffers_[next_];
  memory::copy({to, bytes_, device_}, {buffer.memory.get(), bytes_, Device::cpu()}, bytes_, 1);
#if XF_CUDA
  if (buffer.sent) cuda::mark(buffer.sent.get());
#endif
  next_ = 1 - next_;
}

}  // namespace xf
