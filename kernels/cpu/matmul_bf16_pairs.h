// Products of bf16 by AVX512_BF16's own instruction (matmul_bf16_pairs.cpp), without a library.
#pragma once

#include "kernels/matmul.h"

namespace xf::kernels {

// Whether this level has the function below.
#ifdef __AVX512BW__
constexpr bool kMultipliesPairs = true;
#else
constexpr bool kMultipliesPairs = false;
#endif

// C = op(A) op(B), or C += op(A) op(B), or, with a bias [N], which else is null, C = op(A) op(B) +
// bias. Sums in f32, in an order that depends on nothing but K; rounds once. The processor must
// have AVX512_BF16.
template <typename C>
void multiply_pairs(const MatmulArgs<bf16, C>& args, const bf16* bias);

}  // namespace xf::kernels
