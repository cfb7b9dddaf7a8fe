#include "kernels/softmax.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void softmax_forward(const Tensor& s, const SoftmaxMask& mask, Out p) {
  check_arguments(signature_of("softmax_forward"), {&s, &mask.lengths, &mask.mask, &p});
  const int64_t B = s.dim(0), H = s.dim(1), Sq = s.dim(2), Sk = s.dim(3);
  if (s.numel() == 0) return;
  dispatch(s, [&]<typename T>(auto backend) {
    softmax_forward(backend, SoftmaxForwardArgs<T>{.s = s.data<T>(),
                                                   .p = p.data<T>(),
                                                   .B = B,
                                                   .H = H,
                                                   .Sq = Sq,
                                                   .Sk = Sk,
                                                   .lengths = data_or_null<int32_t>(mask.lengths),
                                                   .mask = data_or_null<int32_t>(mask.mask),
                                                   .causal = mask.causal});
  });
}

void softmax_backward(const Tensor& dp, const Tensor& p, Out ds) {
  check_arguments(signature_of("softmax_backward"), {&dp, &p, &ds});
  if (dp.numel() == 0) return;
  dispatch(dp, [&]<typename T>(auto backend) {
    softmax_backward(
        backend,
        SoftmaxBackwardArgs<T>{
            .dp = dp.data<T>(), .p = p.data<T>(), .ds = ds.data<T>(), .N = dp.rows(), .D = dp.width()});
  });
}

}  // namespace xf::kernels
