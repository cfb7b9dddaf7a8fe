#include "kernels/matmul.h"

#include "kernels/checks.h"

namespace xf::kernels {

void matmul(const Tensor& a, Transpose transpose_a, const Tensor& b, Transpose transpose_b,
            Accumulate accumulate, Out c) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  const int64_t M = ta ? a.width() : a.rows(), K = ta ? a.rows() : a.width();
  const int64_t N = tb ? b.rows() : b.width(), Kb = tb ? b.width() : b.rows();
  XF_CHECK(K == Kb, "matmul: op(a) is [{}, {}], so op(b) must have {} rows, got {}", M, K, K, Kb);
  XF_CHECK(c.rows() == M && c.width() == N, "matmul: c must be [{}, {}], got {}", M, N,
           c.shape().to_string());
  check_same_dtype("matmul", {&a, &b, &c});
  check_same_device("matmul", {&a, &b, &c});
  if (M == 0 || N == 0) return;
  dispatch(c, [&]<typename T>(auto backend) {
    matmul(backend, MatmulArgs<T>{.a = a.data<T>(),
                                  .b = b.data<T>(),
                                  .c = c.data<T>(),
                                  .M = M,
                                  .N = N,
                                  .K = K,
                                  .a_stride = a.row_stride(),
                                  .b_stride = b.row_stride(),
                                  .c_stride = c.row_stride(),
                                  .transpose_a = ta,
                                  .transpose_b = tb,
                                  .accumulate = accumulate == Accumulate::yes});
  });
}

}  // namespace xf::kernels
