#include "kernels/quantized_linear.h"

#include <algorithm>

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

// Output m's weights into its strip.
void pack_output(const int8_t* values, int64_t m, const QuantizedWeights& to) {
  int32_t* const lane = to.quads.data<int32_t>() + m / kStrip * quads_of(to.K) * kStrip + m % kStrip;
  int32_t sum = 0;
  for (int64_t q = 0; q < quads_of(to.K); ++q) {
    uint32_t quad = 0;
    for (int64_t k = q * kQuad; k < std::min(to.K, (q + 1) * kQuad); ++k) {
      sum += values[k];
      quad |= static_cast<uint32_t>(static_cast<uint8_t>(values[k])) << 8 * (k % kQuad);
    }
    lane[q * kStrip] = static_cast<int32_t>(quad);
  }
  to.offsets.data<int32_t>()[m] = -128 * sum;
}

}  // namespace

void round_weights(const Tensor& w, Out values, Out scales) {
  const int64_t M = w.rows(), K = w.width();
  check_arguments(signature_of("round_weights"), {&w, &values, &scales});
  XF_CHECK(w.device() == Device::cpu(), "round_weights: weights are rounded on the cpu, and w is on {}",
           name_of(w.device()));
  dispatch_cpu([&](auto backend) {
    round_weights(backend, RoundWeightsArgs{.w = w.data<float>(),
                                            .values = values.data<int8_t>(),
                                            .scales = scales.data<float>(),
                                            .M = M,
                                            .K = K,
                                            .w_stride = w.row_stride()});
  });
}

QuantizedWeights quantized_weights(int64_t M, int64_t K) {
  XF_CHECK(K <= kMostQuantizedInputs, "quantized_weights: a row of {} weights; at most {}", K,
           kMostQuantizedInputs);
  return {.quads = Tensor::zeros({strips_of(M), quads_of(K) * kStrip}, DType::i32),
          .scales = Tensor::zeros({strips_of(M) * kStrip}, DType::f32),
          .offsets = Tensor::zeros({strips_of(M) * kStrip}, DType::i32),
          .M = M,
          .K = K};
}

void pack_weights(const Tensor& values, const Tensor& scales, const QuantizedWeights& to) {
  check_arguments(signature_of("pack_weights"), {&values, &scales, &to.quads}, {{"M", to.M}, {"K", to.K}});
  to.scales.slice_rows(0, to.M).copy_from(scales);
  for (int64_t m = 0; m < to.M; ++m) pack_output(values.data<int8_t>() + m * values.row_stride(), m, to);
}

QuantizedLinearArgs quantized_linear_args(const Tensor& x, const QuantizedWeights& w, const Tensor& bias,
                                          Relu relu, Out y) {
  XF_CHECK(w.defined(), "quantized_linear: the weights are missing");
  check_arguments(signature_of("quantized_linear_forward"), {&x, &w.quads, &bias, &y},
                  {{"M", w.M}, {"K", w.K}});
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
  XF_CHECK(y.defined(), "quantized_linear: y is missing");
  const QuantizedLinearArgs args = quantized_linear_args(x, w, bias, relu, y);
  if (args.N == 0 || args.M == 0) return;
  dispatch_cpu([&](auto backend) { quantized_linear_forward(backend, args); });
}

}  // namespace xf::kernels
