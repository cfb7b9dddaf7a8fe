// General matrix product, C = op(A) op(B) or C += op(A) op(B)  (MM1), with op the identity or the
// transpose.
//   op(A) [M, K], op(B) [K, N], C [M, N]; each may be a view of some columns of a wider matrix.
//   C is of A's and B's type, or of their accumulator's (the gradient of a bf16 weight is f32).
// f32 and bf16, summed in f32: oneDNN on the CPU, whose sum over K depends on the thread count, the
// shape, the library version and, for bf16, the instructions that it may use, and on nothing else.
// f64: a plain loop, for gradient checks. CUDA: cuBLASLt (kernels/cuda/product.h says what its sums
// depend on); f32 without TF32 unless round_products_to_tf32() says so, bf16 summed in f32.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

enum class Transpose { no, yes };
enum class Accumulate { no, yes };  // no: C is written; yes: C is accumulated

void matmul(const Tensor& a, Transpose transpose_a, const Tensor& b, Transpose transpose_b,
            Accumulate accumulate, Out c);

template <typename T, typename C = T>
struct MatmulArgs {
  const T *a, *b;
  C* c;
  int64_t M, N, K, a_stride, b_stride, c_stride;
  bool transpose_a, transpose_b, accumulate;
};
template <typename T, typename C, CpuLevel L>
void matmul(Cpu<L>, const MatmulArgs<T, C>&);
template <typename T, typename C>
void matmul(Cuda, const MatmulArgs<T, C>&);

// Whether the device multiplies bf16 faster than f32: on the CPU, with AMX or the AVX512_BF16 of
// AMD's processors and Intel's Cooper Lake. Where it does not, products of bf16 are computed all
// the same, more slowly than those of f32.
bool has_fast_bf16_products(Device device);
template <CpuLevel L>
bool has_fast_bf16_products(Cpu<L>);

// Whether products of f32 on CUDA may round their operands to TF32, ten bits of mantissa, for
// tensor cores: about eight times as many operations a second on an H100's data sheet. Of the whole
// process; before graphs are recorded, which keep what they were recorded with. The CPU computes in
// f32 either way.
void round_products_to_tf32(bool tf32);
bool products_are_tf32();

}  // namespace xf::kernels
