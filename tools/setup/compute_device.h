// From ComputeOptions to the device and the type that a program computes in.
#pragma once

#include <string>

#include "core/device.h"
#include "core/dtype.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// --device, ready for --precision: whether its f32 products are in TF32. Error usage: there are no
// such products on it.
Device set_up_device(const ComputeOptions& options);
DType chosen_dtype(const ComputeOptions& options);
// What decides about the last bits besides the number of threads: device, kernels and precision.
std::string arithmetic(const ComputeOptions& options);
// "bfloat16" for --precision auto where that is faster, with what to say of it; else the precision
// as it stands.
struct ChosenPrecision {
  std::string name, note;
};
ChosenPrecision chosen_precision(const ComputeOptions& options);
// Device and precision for the log, with the reason where `auto` had to take the CPU, and where
// bfloat16 will be slow.
std::string device_line(const ComputeOptions& options);

}  // namespace xf::tools
