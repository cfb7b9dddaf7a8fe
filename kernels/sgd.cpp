#include "kernels/sgd.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void sgd(const SgdOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared, Out p,
         Out m, Out g, Out rounded) {
  check_arguments(signature_of("sgd"), {&step, &norm_squared, &p, &m, &g, &rounded});
  dispatch(p, [&]<typename T>(auto backend) {
    sgd(backend, SgdArgs<T>{.options = options,
                            .step = step.data<float>(),
                            .clip_norm = clip_norm,
                            .norm_squared = norm_squared.data<double>(),
                            .p = p.data<T>(),
                            .m = m.data<T>(),
                            .g = g.data<T>(),
                            .rounded = data_or_null<bf16>(rounded),
                            .P = p.numel()});
  });
}

}  // namespace xf::kernels
