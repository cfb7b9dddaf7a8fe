#include "kernels/dropout.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void dropout(const Tensor& x, const Dropout& dropout, Out y) {
  check_arguments(signature_of("dropout"), {&x, &dropout.counter, &y});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    kernels::dropout(backend, DropoutApplyArgs<T>{.x = x.data<T>(),
                                                  .y = y.data<T>(),
                                                  .N = x.rows(),
                                                  .D = x.width(),
                                                  .x_stride = x.row_stride(),
                                                  .y_stride = y.row_stride(),
                                                  .dropout = dropout_args(dropout)});
  });
}

}  // namespace xf::kernels
