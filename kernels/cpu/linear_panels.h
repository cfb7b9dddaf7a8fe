// Affine maps of a few rows in f32, on the calling thread: the piece of linear.cpp that other ops
// build on.
#pragma once

#include "kernels/cpu/element.h"
#include "kernels/linear.h"

namespace xf::kernels {

// Two registers of outputs.
constexpr int64_t kPanel = 2 * kRegisterBytes / sizeof(float);

// Whether K is a whole number of registers, which linear_panels() wants.
bool fits_panels(int64_t K);

// y = x W^T + bias as in LinearForwardArgs, kPanel outputs at a time: their weights are transposed
// into the first-level cache, where all rows find them. A row's result does not depend on the other
// rows.
void linear_panels(const LinearForwardArgs<float>&);

}  // namespace xf::kernels
