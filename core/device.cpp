#include "core/device.h"

#include <charconv>
#include <filesystem>

#include "core/error.h"
#if XF_CUDA
#include "core/cuda.h"
#endif

namespace xf {

namespace {

// What stands between this process and a CUDA device; empty: nothing.
std::string cuda_obstacle([[maybe_unused]] int index) {
#if XF_CUDA
  return cuda::obstacle(index);
#else
  return "this build has no CUDA backend; cmake --preset cuda makes one";
#endif
}

int cuda_index(const std::string& spec) {
  if (spec == "cuda") return 0;
  int index = -1;
  const std::string_view digits = std::string_view(spec).substr(spec.rfind(':') + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (!spec.starts_with("cuda:") || error != std::errc() || end != digits.data() + digits.size() ||
      index < 0) {
    fail(ErrorKind::usage, "device: '{}' is none of auto, cpu, cuda, cuda:N", spec);
  }
  return index;
}

}  // namespace

DeviceChoice choose_device(const std::string& spec, const std::string& driver_node) {
  if (spec == "cpu") return {};
  const bool automatic = spec == "auto";
  if (automatic && !XF_CUDA && !std::filesystem::exists(driver_node)) return {};
  const int index = automatic ? 0 : cuda_index(spec);
  const std::string obstacle = cuda_obstacle(index);
  if (obstacle.empty()) return {Device::cuda(index), ""};
  if (!automatic) fail(ErrorKind::usage, "device: {}: {}; use --device cpu", spec, obstacle);
  return {Device::cpu(), obstacle};
}

std::string description_of(Device device) {
#if XF_CUDA
  if (device.type == DeviceType::cuda) return name_of(device) + ", " + cuda::product_name(device.index);
#endif
  return name_of(device);
}

}  // namespace xf
