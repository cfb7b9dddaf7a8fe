#include "core/memory.h"

#include <cstdlib>
#include <cstring>

#include "core/error.h"
#if XF_CUDA
#include "core/cuda.h"
#endif

namespace xf::memory {

namespace {

constexpr size_t kAlignment = 64;  // a cache line, and an AVX-512 register

std::shared_ptr<void> allocate_on_heap(int64_t bytes) {
  const size_t rounded = (static_cast<size_t>(bytes) / kAlignment + 1) * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  if (!memory) fail(ErrorKind::resources, "out of memory: {} bytes for one tensor", bytes);
  return {memory, std::free};
}

void copy_on_host(const Rows& to, const Rows& from, int64_t width, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(static_cast<char*>(to.data) + r * to.pitch,
                static_cast<const char*>(from.data) + r * from.pitch, static_cast<size_t>(width));
  }
}

}  // namespace

std::shared_ptr<void> allocate(Device device, int64_t bytes) {
  switch (device.type) {
    case DeviceType::meta: return nullptr;
    case DeviceType::cpu: return allocate_on_heap(bytes);
    case DeviceType::cuda: break;
  }
#if XF_CUDA
  return cuda::allocate(device, bytes);
#else
  fail(ErrorKind::usage, "this build has no CUDA backend; use --device cpu");
#endif
}

void copy(const Rows& to, const Rows& from, int64_t width, int64_t rows) {
  if (width == 0 || rows == 0) return;
  if (to.device.type == DeviceType::meta || from.device.type == DeviceType::meta) return;
  if (to.device == Device::cpu() && from.device == Device::cpu()) return copy_on_host(to, from, width, rows);
#if XF_CUDA
  cuda::copy(to, from, width, rows);
#endif
}

void zero(void* data, Device device, int64_t bytes) {
  if (bytes == 0 || device.type == DeviceType::meta) return;
  if (device.type == DeviceType::cpu) {
    std::memset(data, 0, static_cast<size_t>(bytes));
    return;
  }
#if XF_CUDA
  cuda::zero(data, bytes);
#endif
}

}  // namespace xf::memory
