#include "kernels/cross_entropy.h"

#include <algorithm>

#include "core/dispatch.h"
#include "kernels/checks.h"
#include "kernels/elementwise.h"
#include "kernels/linear.h"

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

void check_loss(const char* op, const Tensor& targets, int64_t N, const CrossEntropy& options,
                const Tensor& loss, DType dtype) {
  XF_CHECK(targets.shape() == Shape{N}, "{}: targets must be [{}], got {}", op, N,
           targets.shape().to_string());
  XF_CHECK(targets.dtype() == DType::i32, "{}: targets must be i32, got {}", op, name_of(targets.dtype()));
  XF_CHECK(loss.shape() == Shape{2}, "{}: loss must be [2], got {}", op, loss.shape().to_string());
  XF_CHECK(loss.dtype() == accumulator_of(dtype), "{}: loss must be {}, got {}", op,
           name_of(accumulator_of(dtype)), name_of(loss.dtype()));
  XF_CHECK(options.label_smoothing >= 0 && options.label_smoothing < 1,
           "{}: label smoothing must be in [0, 1), got {}", op, options.label_smoothing);
}

// x [N, D], w [V, D], bias [V] or undefined.
void check_projection(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& logits,
                      const ProjectionGradients& gradients, int64_t readings) {
  const char* const op = "projection_cross_entropy";
  const int64_t N = x.rows(), D = x.width(), V = w.rows();
  check_shape(w, {V, D}, "projection_cross_entropy: w");
  check_shape(logits, logits_chunk(N, V, x.device()), "projection_cross_entropy: logits");
  check_contiguous(logits, "projection_cross_entropy: logits");
  if (bias.defined()) check_shape(bias, {V}, "projection_cross_entropy: bias");
  const auto& [dx, dw, dbias] = gradients;
  if (dx.defined()) {
    check_shape(dx, x.shape(), "projection_cross_entropy: dx");
    check_shape(dw, w.shape(), "projection_cross_entropy: dw");
    if (bias.defined()) check_shape(dbias, {V}, "projection_cross_entropy: dbias");
  }
  check_accumulates(op, x.dtype(), {&dw, &dbias});
  check_same_dtype(op, {&x, &w, &bias, &logits, &dx});
  check_same_device(op, {&x, &w, &bias, &logits, &dx, &dw, &dbias});
  XF_CHECK(readings == 1 || (dx.defined() && N % readings == 0),
           "projection_cross_entropy: {} readings need gradients and a row each of every token, got {} rows",
           readings, N);
}

void check_padded(const Tensor& w, const Tensor& bias, const PaddedProjection& padded) {
  if (!padded.w.defined()) return;
  const int64_t V = padded_vocabulary(w.rows(), w.dtype(), w.device());
  check_shape(padded.w, {V, w.width()}, "projection_cross_entropy: padded.w");
  if (bias.defined()) check_shape(padded.bias, {V}, "projection_cross_entropy: padded.bias");
  check_same_dtype("projection_cross_entropy", {&w, &padded.w, &padded.bias});
  check_same_device("projection_cross_entropy", {&w, &padded.w, &padded.bias});
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
  check_contiguous(z, "cross_entropy: z");
  check_loss("cross_entropy", targets, z.rows(), options, loss, z.dtype());
  if (dz.defined()) {
    check_contiguous(dz, "cross_entropy: dz");
    check_shape(dz, z.shape(), "cross_entropy: dz");
  }
  check_same_dtype("cross_entropy", {&z, &dz});
  check_same_device("cross_entropy", {&z, &targets, &loss, &dz});
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
  check_projection(x, w, bias, logits, gradients, readings);
  check_padded(w, bias, padded);
  check_loss("projection_cross_entropy", targets, x.rows(), options, loss, x.dtype());
  check_same_device("projection_cross_entropy", {&x, &targets, &loss});
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
