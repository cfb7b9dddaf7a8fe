#include "kernels/matmul.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void matmul(const Tensor& a, Transpose transpose_a, const Tensor& b, Transpose transpose_b,
            Accumulate accumulate, Out c) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  const int64_t M = ta ? a.width() : a.rows(), K = ta ? a.rows() : a.width();
  const int64_t N = tb ? b.rows() : b.width(), Kb = tb ? b.width() : b.rows();
  XF_CHECK(K == Kb, "matmul: op(a) is [{}, {}], so op(b) must have {} rows, got {}", M, K, K, Kb);
  check_arguments(signature_of("matmul"), {&a, &b, &c}, {{"M", M}, {"N", N}});
  if (M == 0 || N == 0) return;
  dispatch(a, [&]<typename T>(auto backend) {
    const auto multiply_into = [&]<typename C>(C* elements) {
      matmul(backend, MatmulArgs<T, C>{.a = a.data<T>(),
                                       .b = b.data<T>(),
                                       .c = elements,
                                       .M = M,
                                       .N = N,
                                       .K = K,
                                       .a_stride = a.row_stride(),
                                       .b_stride = b.row_stride(),
                                       .c_stride = c.row_stride(),
                                       .transpose_a = ta,
                                       .transpose_b = tb,
                                       .accumulate = accumulate == Accumulate::yes});
    };
    if (c.dtype() == a.dtype()) {
      multiply_into(c.data<T>());
    } else {
      multiply_into(c.data<Acc<T>>());
    }
  });
}

namespace {
bool tf32_products = false;
}
void round_products_to_tf32(bool tf32) { tf32_products = tf32; }
bool products_are_tf32() { return tf32_products; }

bool has_fast_bf16_products(Device device) {
  return device.type != DeviceType::cpu || dispatch_cpu([](auto cpu) { return has_fast_bf16_products(cpu); });
}

}  // namespace xf::kernels
