// What this machine can do, measured: the ceilings that every row is compared with.
#pragma once

#include "bench/roofline.h"
#include "core/device.h"
#include "core/dtype.h"

namespace xf::bench {

// Which of several executions counts: the best, because neighbours only ever slow one down; or the
// median, beside what is slowed down by the same neighbours in its turn.
enum class Counted { best, median };

// Bytes/s, read and written. Copies arrays far larger than the caches; on the CPU on huge pages and
// past the caches (non-temporal stores).
double measure_copy_rate(Device device, Counted counted);

// The product (kernels/matmul.h) in a type: FLOP/s. On the CPU at the shapes of a tiny and a base
// model, forward and both backward transposes: the median over shapes. On CUDA one large square, on
// random data.
double measure_gemm_rate(Device device, DType dtype, Counted counted);

// Both. In f32 where the device has no product in the type.
Machine measure_machine(Device device, DType dtype, Counted counted = Counted::best);

// The larger of each ceiling. Neighbours only lower them, so they are measured before and after
// what is timed.
Machine better_of(const Machine& a, const Machine& b);

}  // namespace xf::bench
