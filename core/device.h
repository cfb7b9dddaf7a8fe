// Where memory lives and kernels run.
#pragma once

#include <cstdint>
#include <string>

// A function that kernels call as well.
#if defined(__CUDACC__)
#define XF_HOST_DEVICE __host__ __device__
#else
#define XF_HOST_DEVICE
#endif

namespace xf {

// `meta` has sizes and no memory: a step "run" on it allocates and launches nothing, and so
// measures what the same step will need (nn/train/memory_plan.h, --print-model).
enum class DeviceType : uint8_t { cpu, cuda, meta };

struct Device {
  DeviceType type = DeviceType::cpu;
  int index = 0;

  static Device cpu() { return {}; }
  static Device cuda(int index = 0) { return {DeviceType::cuda, index}; }
  // The sizes that tensors would have on devices of that type.
  static Device meta(DeviceType of = DeviceType::cpu) { return {DeviceType::meta, static_cast<int>(of)}; }
  DeviceType sizes_of() const { return type == DeviceType::meta ? static_cast<DeviceType>(index) : type; }
  friend bool operator==(const Device&, const Device&) = default;
};

// "auto", "cpu", "cuda" or "cuda:N" (from --device). auto takes the first CUDA device where one can
// be used, else the CPU, and says why in `why_not_cuda`; a build without CUDA has something to say
// only where the NVIDIA driver has left `driver_node`. Error usage, in words for a user: any other
// word, a device that cannot be used.
struct DeviceChoice {
  Device device;
  std::string why_not_cuda;
};
DeviceChoice choose_device(const std::string& spec, const std::string& driver_node = "/dev/nvidiactl");

inline std::string name_of(Device device) {
  switch (device.type) {
    case DeviceType::cpu: return "cpu";
    case DeviceType::cuda: return "cuda:" + std::to_string(device.index);
    default: return "meta";
  }
}

// For a log: "cpu", or "cuda:0, NVIDIA H100".
std::string description_of(Device device);

}  // namespace xf
