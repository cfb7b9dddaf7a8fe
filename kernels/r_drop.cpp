#include "kernels/r_drop.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void r_drop(const Tensor& z, const Tensor& bias, const Tensor& targets, const RDrop& options, Out loss,
            Out dz, Out dbias) {
  const int64_t rows = z.rows(), V = z.width(), N = rows / 2;
  XF_CHECK(rows % 2 == 0, "r_drop: z must have two rows for each token, got {}", z.shape().to_string());
  check_arguments(signature_of("r_drop"), {&z, &bias, &targets, &loss, &dz, &dbias});
  XF_CHECK(dz.row_stride() == z.row_stride(),
           "r_drop: the rows of dz must be {} apart, as those of z, got {}", z.row_stride(), dz.row_stride());
  XF_CHECK(options.label_smoothing >= 0 && options.label_smoothing < 1,
           "r_drop: label smoothing must be in [0, 1), got {}", options.label_smoothing);
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
