// What this machine can do, measured: the ceilings that every row is compared with.
#pragma once

#include "bench/roofline.h"
#include "core/device.h"
#include "core/dtype.h"

namespace xf::bench {

// Copies arrays far larger than the caches, at its best of several. On the CPU on huge pages and past the
// caches (non-temporal stores).
double measure_copy_rate(Device device);

// The product (kernels/matmul.h) in a type: FLOP/s. On the CPU at the shapes of a tiny and a base model,
// forward and both backward transposes: the median over shapes, each at its best of several; best, because
// neighbours only ever slow a run down. On CUDA one large square, on random data.
double measure_gemm_rate(Device device, DType dtype);

// Both. In f32 where the device has no product in the type.
Machine measure_machine(Device device, DType dtype);

// The larger of each ceiling. Neighbours only lower them, so they are measured before and after what is
// timed.
Machine better_of(const Machine& a, const Machine& b);

}  // namespace xf::bench
