#include "kernels/quantized_linear.h"

#include "kernels/checks.h"

namespace xf::kernels {

QuantizedWeights quantize_weights(const Tensor& w) {
  check_dtype(w, DType::f32, "quantize_weights: w");
  if (w.device() != Device::cpu())
    fail(ErrorKind::usage, "quantize_weights: int8 weights are for the CPU, and these are on {}",
         name_of(w.device()));
  const int64_t M = w.rows(), K = w.width();
  XF_CHECK(K <= kMostQuantizedInputs, "quantize_weights: w has {} columns; at most {}", K,
           kMostQuantizedInputs);
  const int64_t strips = (M + kStrip - 1) / kStrip, quads = (K + kQuad - 1) / kQuad;
  const QuantizedWeights to{.quads = Tensor::zeros({strips, quads * kStrip}, DType::i32),
                            .scales = Tensor::zeros({strips * kStrip}, DType::f32),
                            .offsets = Tensor::zeros({strips * kStrip}, DType::i32),
                            .M = M,
                            .K = K};
  dispatch_cpu([&](auto backend) {
    quantize_weights(backend, QuantizeWeightsArgs{.w = w.data<float>(),
                                                  .quads = to.quads.data<int32_t>(),
                                                  .scales = to.scales.data<float>(),
                                                  .offsets = to.offsets.data<int32_t>(),
                                                  .M = M,
                                                  .K = K,
                                                  .w_stride = w.row_stride()});
  });
  return to;
}

QuantizedLinearArgs quantized_linear_args(const Tensor& x, const QuantizedWeights& w, const Tensor& bias,
                                          Relu relu, Out y) {
  XF_CHECK(w.defined(), "quantized_linear: the weights are not there");
  XF_CHECK(x.width() == w.K, "quantized_linear: x has {} columns, and w takes {}", x.width(), w.K);
  check_dtype(x, DType::f32, "quantized_linear: x");
  if (bias.defined()) {
    check_shape(bias, {w.M}, "quantized_linear: bias");
    check_dtype(bias, DType::f32, "quantized_linear: bias");
  }
  if (y.defined()) {
    check_shape(y, {x.rows(), w.M}, "quantized_linear: y");
    check_dtype(y, DType::f32, "quantized_linear: y");
  }
  check_same_device("quantized_linear", {&x, &w.quads, &bias, &y});
  return {.x = x.data<float>(),
          .quads = w.quads.data<int32_t>(),
          .scales = w.scales.data<float>(),
          .offsets = w.offsets.data<int32_t>(),
          .bias = data_or_null<float>(bias),
          .y = data_or_null<float>(y),
          .N = x.rows(),
          .K = w.K,
          .M = w.M,
          .x_stride = x.row_stride(),
          .y_stride = y.defined() ? y.row_stride() : w.M,
          .relu = relu == Relu::yes};
}

void quantized_linear_forward(const Tensor& x, const QuantizedWeights& w, const Tensor& bias, Relu relu,
                              Out y) {
  XF_CHECK(y.defined(), "quantized_linear: y is not there");
  const QuantizedLinearArgs args = quantized_linear_args(x, w, bias, relu, y);
  if (args.N == 0 || args.M == 0) return;
  dispatch_cpu([&](auto backend) { quantized_linear_forward(backend, args); });
}

}  // namespace xf::kernels
