#include "tools/setup/compute_device.h"

#include "core/error.h"
#include "core/processor.h"
#include "kernels/matmul.h"
#include "tools/config/build_info.h"

namespace xf::tools {

namespace {

bool computes_in(const ComputeOptions& options, std::string_view precision) {
  return !options.precision.empty() && options.precision == precision;
}

}  // namespace

Device set_up_device(const ComputeOptions& options) {
  const Device device = choose_device(options.device).device;
  const bool tf32 = computes_in(options, "tf32");
  if (tf32 && device.type != DeviceType::cuda)
    fail(ErrorKind::usage, "--precision tf32 is for products on a GPU; on the CPU take float32 or bfloat16");
  kernels::round_products_to_tf32(tf32);
  return device;
}

DType chosen_dtype(const ComputeOptions& options) {
  if (computes_in(options, "auto")) {
    const Device device = choose_device(options.device).device;
    return kernels::has_fast_bf16_products(device) ? DType::bf16 : DType::f32;
  }
  return computes_in(options, "bfloat16") ? DType::bf16 : DType::f32;
}

ChosenPrecision chosen_precision(const ComputeOptions& options) {
  if (!computes_in(options, "auto")) return {options.precision, ""};
  if (chosen_dtype(options) == DType::bf16) return {"bfloat16", "precision auto: bfloat16"};
  return {"float32", "precision auto: float32 (this processor multiplies bfloat16 no faster)"};
}

namespace {

std::string kernels_of(Device device) {
  if (device != Device::cpu()) return description_of(device);
  return fmt::format("{}, {} kernels, {} products", description_of(device), name_of(cpu_level()),
                     product_instructions());
}

}  // namespace

std::string arithmetic(const ComputeOptions& options) {
  return fmt::format("{}, {}", kernels_of(choose_device(options.device).device),
                     chosen_precision(options).name);
}

std::string device_line(const ComputeOptions& options) {
  const auto [device, why_not_cuda] = choose_device(options.device);
  std::string line = kernels_of(device);
  if (!why_not_cuda.empty()) line += fmt::format(" ({})", why_not_cuda);
  if (computes_in(options, "tf32")) return line + " · tf32 products";
  if (chosen_dtype(options) == DType::f32) return line;
  line += " · bfloat16";
  if (!kernels::has_fast_bf16_products(device)) {
    line += " (slower than float32: this processor has no AMX, nor a fast AVX512_BF16)";
  }
  return line;
}

}  // namespace xf::tools
