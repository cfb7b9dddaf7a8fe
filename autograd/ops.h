// Primitive differentiable operations, one node each: what other models are built from, and what
// the hand-derived blocks of nn/ are compared with (tests/nn/). Shapes and equations are those of
// the kernels' contracts.
#pragma once

#include "autograd/tape.h"
#include "kernels/activation.h"
#include "kernels/attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/dropout.h"
#include "kernels/embedding.h"
#include "kernels/softmax.h"

namespace xf::autograd {

// op(a) op(b).  C = A B: dA = dC B^T  (MM2), dB = A^T dC  (MM3), and their transposes.
Variable matmul(Tape&, const Variable& a, kernels::Transpose transpose_a, const Variable& b,
                kernels::Transpose transpose_b);
// a + b, of one shape.  da = db = dc
Variable add(Tape&, const Variable& a, const Variable& b);
// alpha x.  dx = alpha dy
Variable scale(Tape&, const Variable& x, float alpha);
// x where mask (i32, shaped like x) is not 0, else value.  dx = dy where mask is not 0, else 0
Variable masked_fill(Tape&, const Variable& x, const Tensor& mask, float value);
// y_n = x_m of m = rows_n. Both ways: rows i32 [N] of x [M, D], and places i32 [M] where each of
// x's rows is in y; -1: none.
Variable gather_rows(Tape&, const Variable& x, const Tensor& rows, const Tensor& places);
// x [N, D] + bias [D] on every row.  dbias = sum_n dy
Variable add_bias(Tape&, const Variable& x, const Variable& bias);
// f(x + bias)
Variable bias_activation(Tape&, const Variable& x, const Variable& bias, kernels::Activation activation);
// f(gate) up
Variable gated_activation(Tape&, const Variable& gate, const Variable& up, kernels::Activation activation);
Variable dropout(Tape&, const Variable& x, const kernels::Dropout& dropout);
// Over the last axis of s [B, H, Sq, Sk].
Variable softmax(Tape&, const Variable& s, const kernels::SoftmaxMask& mask);
// x [N, D]
Variable layer_norm(Tape&, const Variable& x, const Variable& gamma, const Variable& beta, float eps);
// x [N, D]
Variable rms_norm(Tape&, const Variable& x, const Variable& gamma, float eps);
// x [T, D] turned by its tokens' positions (kernels/rotary.h).
Variable rotary(Tape&, const Variable& x, const Tensor& positions, const Tensor& table);
// Packed sentences (kernels/attention.h).
Variable attention(Tape&, const Variable& q, const Variable& k, const Variable& v,
                   const Tensor& query_offsets, const Tensor& key_offsets,
                   const kernels::AttentionShape& shape, const kernels::Dropout& dropout);
// table [V, D] read at ids, scaled, plus positions.
Variable embedding(Tape&, const Tensor& ids, const Tensor& positions, const Tensor& order,
                   const Variable& table, const Tensor& position_table, float scale,
                   const kernels::Dropout& dropout);
// The smoothed loss [1], a sum over the rows of logits z [N, V].  dz = (p - q) dloss
Variable cross_entropy(Tape&, const Variable& z, const Tensor& targets, const kernels::CrossEntropy& options);
// The same elements in another shape; x has no gaps.
Variable reshape(Tape&, const Variable& x, Shape shape);

}  // namespace xf::autograd
