#include "kernels/softmax.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void softmax_forward(const Tensor& s, const SoftmaxMask& mask, Out p) {
  XF_CHECK(s.rank() == 4, "softmax: s must be [B, H, Sq, Sk], got {}", s.shape().to_string());
  const int64_t B = s.dim(0), H = s.dim(1), Sq = s.dim(2), Sk = s.dim(3);
  check_contiguous(s, "softmax: s");
  check_contiguous(p, "softmax: p");
  check_shape(p, s.shape(), "softmax: p");
  if (mask.lengths.defined()) {
    check_shape(mask.lengths, {B}, "softmax: lengths");
    check_dtype(mask.lengths, DType::i32, "softmax: lengths");
  }
  if (mask.mask.defined()) {
    check_shape(mask.mask, {B, Sq, Sk}, "softmax: mask");
    check_dtype(mask.mask, DType::i32, "softmax: mask");
    check_contiguous(mask.mask, "softmax: mask");
  }
  check_same_dtype("softmax", {&s, &p});
  check_same_device("softmax", {&s, &p, &mask.lengths, &mask.mask});
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
  check_contiguous(dp, "softmax_backward: dp");
  check_contiguous(p, "softmax_backward: p");
  check_contiguous(ds, "softmax_backward: ds");
  check_shape(p, dp.shape(), "softmax_backward: p");
  check_shape(ds, dp.shape(), "softmax_backward: ds");
  check_same_dtype("softmax_backward", {&dp, &p, &ds});
  check_same_device("softmax_backward", {&dp, &p, &ds});
  if (dp.numel() == 0) return;
  dispatch(dp, [&]<typename T>(auto backend) {
    softmax_backward(
        backend,
        SoftmaxBackwardArgs<T>{
            .dp = dp.data<T>(), .p = p.data<T>(), .ds = ds.data<T>(), .N = dp.rows(), .D = dp.width()});
  });
}

}  // namespace xf::kernels
