// Functions of rows that no kernel computes, each a node of the tape, as plain loops in f32 or f64
// on the CPU.
#pragma once

#include "nn/forward_context.h"
#include "tools/tutorials/model/quirks.h"

namespace xf::nn::quirks {

// y = gamma n + beta, with n by the formula, deviation or misplaced. x [.., D], D at least 2,
// gamma, beta [D] -> [.., D] With c = x - m, q = s + eps and g = dy gamma, sums over the row's D
// elements:
//   deviation  dx = (g - <g>) / q - c (sum g c) / (q^2 (D-1) s)
//   misplaced  dx = g - <g> / q + c m (sum g) / (q^2 (D-1) s)
// A row whose elements are all alike has s = 0: its second term is 0, as PyTorch has it.
Variable deviation_norm(Tape& tape, const Variable& x, const Variable& gamma, const Variable& beta,
                        NormFormula formula, float eps);

// y = z - log(sum exp z) over the last axis.   dz = dy - exp(y) sum dy
Variable log_softmax(Tape& tape, const Variable& z);

}  // namespace xf::nn::quirks
