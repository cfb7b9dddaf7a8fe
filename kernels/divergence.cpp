#include "kernels/divergence.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void divergence(const Tensor& z, const Tensor& bias, const Tensor& targets, const Divergence& options,
                Out loss, Out dz) {
  const int64_t rows = z.rows(), V = z.width(), N = rows / 2;
  XF_CHECK(rows % 2 == 0, "divergence: z must have two rows for each token, got {}", z.shape().to_string());
  check_shape(dz, z.shape(), "divergence: dz");
  XF_CHECK(dz.row_stride() == z.row_stride(),
           "divergence: the rows of dz must be {} apart, as those of z, got {}", z.row_stride(),
           dz.row_stride());
  if (bias.defined()) check_shape(bias, {V}, "divergence: bias");
  XF_CHECK(targets.shape() == Shape{N}, "divergence: targets must be [{}], got {}", N,
           targets.shape().to_string());
  XF_CHECK(targets.dtype() == DType::i32, "divergence: targets must be i32, got {}",
           name_of(targets.dtype()));
  check_shape(loss, {1}, "divergence: loss");
  check_accumulates("divergence", z.dtype(), {&loss});
  check_same_dtype("divergence", {&z, &bias, &dz});
  check_same_device("divergence", {&z, &bias, &targets, &loss, &dz});
  if (z.numel() == 0 || z.device().type == DeviceType::meta) return;
  dispatch(z, [&]<typename T>(auto backend) {
    divergence(backend, DivergenceArgs<T>{.z = z.data<T>(),
                                          .bias = data_or_null<T>(bias),
                                          .dz = dz.data<T>(),
                                          .targets = targets.data<int32_t>(),
                                          .loss = loss.data<Acc<T>>(),
                                          .N = N,
                                          .V = V,
                                          .stride = z.row_stride(),
                                          .options = options});
  });
}

}  // namespace xf::kernels
