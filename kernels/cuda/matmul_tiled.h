// C = A B^T written by hand, to read and to measure beside cuBLASLt (kernels/matmul.h, which everything else
// uses): the forward product of a linear layer, A [M, K] activations, B [N, K] weights, C [M, N].
// Any sizes, strides and alignments; rows of whole 16 bytes are the fast path.
#pragma once

#include "kernels/matmul.h"

namespace xf::kernels {

// T is float or bf16 (summed in f32). args: transpose_b without transpose_a; C is written, not accumulated.
template <typename T>
void matmul_tiled(const MatmulArgs<T>& args);

}  // namespace xf::kernels
