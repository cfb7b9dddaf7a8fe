#include "core/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

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

// The number that a file of the kernel's begins with, behind the word `key` if there is one;
// nothing for "max".
std::optional<int64_t> number_in(const std::string& path, const std::string& key = "") {
  std::ifstream file(path);
  for (std::string word; !key.empty() && word != key && file >> word;) continue;
  int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> left_in_control_group() {
  std::ifstream file("/proc/self/cgroup");  // version 2: one line, "0::/path"
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("0::")) return std::nullopt;
  const std::string folder = "/sys/fs/cgroup" + line.substr(3);
  const auto limit = number_in(folder + "/memory.max"), held = number_in(folder + "/memory.current");
  return limit && held ? std::optional(*limit - *held) : std::nullopt;
}

std::optional<int64_t> available_to_host() {
  constexpr int64_t kKibibyte = 1024;
  const auto machine = number_in("/proc/meminfo", "MemAvailable:"), group = left_in_control_group();
  if (!machine) return group;
  return std::min(*machine * kKibibyte, group.value_or(std::numeric_limits<int64_t>::max()));
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

std::optional<int64_t> available(Device device) {
  switch (device.type) {
    case DeviceType::meta: return std::nullopt;
    case DeviceType::cpu: return available_to_host();
    case DeviceType::cuda: break;
  }
#if XF_CUDA
  return cuda::available(device);
#else
  return std::nullopt;
#endif
}

}  // namespace xf::memory
