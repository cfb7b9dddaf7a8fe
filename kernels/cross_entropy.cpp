#include "kernels/cross_entropy.h"

#include <algorithm>

#include "core/dispatch.h"
#include "kernels/elementwise.h"
#include "kernels/linear.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

// One chunk of rows; bias, dz and dbias may be undefined.
void cross_entropy_rows(const Tensor& z, const Tensor& bias, const Tensor& targets,
                        const CrossEntropy& options, Out loss, Out dz, Out dbias) {
  if (z.numel() == 0) return;
  dispatch(z, [&]<typename T>(auto backend) {
    cross_entropy(backend, CrossEntropyArgs<T>{.z = z.data<T>(),
                                               .bias = data_or_null<T>(bias),
                                               .dz = data_or_null<T>(dz),
                                               .dbias = data_or_null<Acc<T>>(dbias),
                                               .targets = targets.data<int32_t>(),
                                               .loss = loss.data<Acc<T>>(),
                                               .N = z.rows(),
                                               .V = z.width(),
                                               .stride = z.row_stride(),
                                               .label_smoothing = options.label_smoothing,
                                               .ignore_id = options.ignore_id});
  });
}

void check_smoothing(const char* op, const CrossEntropy& options) {
  XF_CHECK(options.label_smoothing >= 0 && options.label_smoothing < 1,
           "{}: label smoothing must be in [0, 1), got {}", op, options.label_smoothing);
}

void check_projection(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& targets,
                      const CrossEntropy& options, Out logits, Out loss, const ProjectionGradients& gradients,
                      const PaddedProjection& padded, int64_t readings) {
  const auto& [dx, dw, dbias] = gradients;
  const Shape chunk = logits_chunk(x.rows(), w.rows(), x.device());
  check_arguments(
      signature_of("projection_cross_entropy"),
      {&x, &w, &bias, &targets, &logits, &loss, &dx, &dw, &dbias, &padded.w, &padded.bias},
      {{"R", chunk[0]}, {"L", chunk[1]}, {"Vp", padded_vocabulary(w.rows(), w.dtype(), w.device())}});
  check_smoothing("projection_cross_entropy", options);
  XF_CHECK(!dx.defined() || (dw.defined() && dbias.defined() >= bias.defined()),
           "projection_cross_entropy: dx needs dw, and dbias where there is a bias");
  XF_CHECK(!padded.w.defined() || padded.bias.defined() >= bias.defined(),
           "projection_cross_entropy: padded.w needs padded.bias where there is a bias");
  XF_CHECK(readings == 1 || (dx.defined() && x.rows() % readings == 0),
           "projection_cross_entropy: {} readings need gradients and a row each of every token, got {} rows",
           readings, x.rows());
}

// The copy of a matrix with rows of zeros behind it; a vector's elements are rows.
void pad_rows(const Tensor& from, Out padded) {
  const auto as_rows = [](const Tensor& x) { return x.rank() == 1 ? x.reshape({x.numel(), 1}) : x; };
  const Tensor rows = as_rows(from), all = as_rows(padded);
  copy(rows, all.slice_rows(0, rows.rows()));
  fill_zero(all.slice_rows(rows.rows(), all.rows()));
}

}  // namespace

void cross_entropy(const Tensor& z, const Tensor& targets, const CrossEntropy& options, Out loss, Out dz) {
  check_arguments(signature_of("cross_entropy"), {&z, &targets, &loss, &dz});
  check_smoothing("cross_entropy", options);
  cross_entropy_rows(z, {}, targets, options, loss, dz, {});
}

Shape logits_chunk(int64_t N, int64_t V, Device device) {
  constexpr int64_t kOfCpu = 512, kOfCuda = 2048, kMultiple = 64;
  if (device.sizes_of() != DeviceType::cuda) return {std::min(N, kOfCpu), V};
  return {std::min(N, kOfCuda), (V + kMultiple - 1) / kMultiple * kMultiple};
}

int64_t padded_vocabulary(int64_t V, DType dtype, Device device) {
  const int64_t multiple = device.sizes_of() == DeviceType::cuda ? 16 / size_of(dtype) : 1;
  return (V + multiple - 1) / multiple * multiple;
}

void projection_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& targets,
                              const CrossEntropy& options, Out logits, Out loss,
                              const ProjectionGradients& gradients, const PaddedProjection& padded,
                              const RepeatedLoss* repeated) {
  const int64_t readings = repeated ? repeated->readings() : 1;
  check_projection(x, w, bias, targets, options, logits, loss, gradients, padded, readings);
  if (x.device().type == DeviceType::meta) return;
  const auto& [dx, dw, dbias] = gradients;
  const bool in_products = x.device().type == DeviceType::cuda;
  // Of the bias and its gradient: the products' share, and the loss's.
  const Tensor none, with_bias = dx.defined() && bias.defined() ? dbias : none;
  const Tensor &product_bias = in_products ? bias : none, &product_dbias = in_products ? with_bias : none;
  const Tensor &loss_bias = in_products ? none : bias, &loss_dbias = in_products ? none : with_bias;
  const bool pads = in_products && padded.w.defined();
  if (pads) pad_rows(w, padded.w);
  if (pads && bias.defined()) pad_rows(bias, padded.bias);
  const Tensor &factor = pads ? padded.w : w,
               &factor_bias = pads && bias.defined() ? padded.bias : product_bias;
  const int64_t tokens = x.rows() / readings, chunk = logits.rows() / readings;
  for (int64_t begin = 0; begin < tokens; begin += chunk) {
    const int64_t count = std::min(tokens - begin, chunk);
    const auto rows_of_reading = [&](const Tensor& rows, int64_t k) {
      return rows.defined() ? rows.slice_rows(k * tokens + begin, k * tokens + begin + count) : none;
    };
    const Tensor z = logits.slice_rows(0, readings * count).slice_columns(0, w.rows());
    const auto z_of_reading = [&](int64_t k) { return z.slice_rows(k * count, (k + 1) * count); };
    const auto z_of_products = [&](int64_t k) {
      return logits.slice_rows(k * count, (k + 1) * count).slice_columns(0, factor.rows());
    };
    for (int64_t k = 0; k < readings; ++k)
      linear_forward(rows_of_reading(x, k), factor, factor_bias, z_of_products(k));
    if (repeated) {
      repeated->add(z, loss_bias, rows_of_reading(targets, 0), options, loss, z, loss_dbias);
    } else {
      cross_entropy_rows(z, loss_bias, rows_of_reading(targets, 0), options, loss, dx.defined() ? z : none,
                         loss_dbias);
    }
    if (!dx.defined()) continue;
    for (int64_t k = 0; k < readings; ++k) {
      linear_backward_input(z_of_products(k), factor, Accumulate::no, rows_of_reading(dx, k));
      linear_backward_weight(z_of_reading(k), rows_of_reading(x, k), Accumulate::yes, dw, product_dbias);
    }
  }
}

}  // namespace xf::kernels
