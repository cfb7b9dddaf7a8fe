// The steps of multi-head attention on a padded layout, each a node of the tape, on the CPU in f32
// or f64.
#pragma once

#include "kernels/matmul.h"
#include "nn/forward_context.h"

namespace xf::nn::quirks {

// Each head's columns apart. x [B, S, D] -> [B, H, S, D / H].   dx = join_heads(dy)
Variable split_heads(Tape& tape, const Variable& x, int64_t H);
// The heads side by side. x [B, H, S, Dh] -> [B, S, H * Dh].    dx = split_heads(dy)
Variable join_heads(Tape& tape, const Variable& x);

// C = A op(B), matrix by matrix. a [B, H, M, K], b [B, H, K, N] or, transposed, [B, H, N, K] -> [B,
// H, M, N] dA = dC op(B)^T  (MM2), dB = A^T dC  (MM3), or its transpose
Variable products(Tape& tape, const Variable& a, const Variable& b, kernels::Transpose transpose_b);

}  // namespace xf::nn::quirks
