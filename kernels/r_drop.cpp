#include "kernels/r_drop.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void r_drop(const Tensor& z, const Tensor& bias, const Tensor& targets, const RDrop& options, Out loss,
            Out dz, Out dbias) {
  const int64_t rows = z.rows(), V = z.width(), N = rows / 2;
  XF_CHECK(rows % 2 == 0, "r_drop: z must have two rows for each token, got {}", z.shape().to_string());
  check_shape(dz, z.shape(), "r_drop: dz");
  XF_CHECK(dz.row_stride() == z.row_stride(),
           "r_drop: the rows of dz must be {} apart, as those of z, got {}", z.row_stride(), dz.row_stride());
  if (bias.defined()) check_shape(bias, {V}, "r_drop: bias");
  if (dbias.defined()) check_shape(dbias, {V}, "r_drop: dbias");
  XF_CHECK(targets.shape() == Shape{N}, "r_drop: targets must be [{}], got {}", N,
           targets.shape().to_string());
  XF_CHECK(targets.dtype() == DType::i32, "r_drop: targets must be i32, got {}", name_of(targets.dtype()));
  XF_CHECK(options.label_smoothing >= 0 && options.label_smoothing < 1,
           "r_drop: label smoothing must be in [0, 1), got {}", options.label_smoothing);
  check_shape(loss, {2}, "r_drop: loss");
  check_accumulates("r_drop", z.dtype(), {&loss, &dbias});
  check_same_dtype("r_drop", {&z, &bias, &dz});
  check_same_device("r_drop", {&z, &bias, &targets, &loss, &dz, &dbias});
  if (z.numel() == 0 || z.device().type == DeviceType::meta) return;
  dispatch(z, [&]<typename T>(auto backend) {
    r_drop(backend, RDropArgs<T>{.z = z.data<T>(),
                                 .bias = data_or_null<T>(bias),
                                 .dz = dz.data<T>(),
                                 .dbias = data_or_null<Acc<T>>(dbias),
                                 .targets = targets.data<int32_t>(),
                                 .loss = loss.data<Acc<T>>(),
                                 .N = N,
                                 .V = V,
                                 .stride = z.row_stride(),
                                 .options = options});
  });
}

void RDropLoss::add(const Tensor& z, const Tensor& bias, const Tensor& targets, const CrossEntropy& options,
                    Out loss, Out dz, Out dbias) const {
  const RDrop both{divergence_, options.label_smoothing, options.ignore_id};
  r_drop(z, bias, targets, both, loss, dz, dbias);
}

}  // namespace xf::kernels
