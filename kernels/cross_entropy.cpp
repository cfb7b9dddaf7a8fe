#include "kernels/cross_entropy.h"

#include <algorithm>

#include "kernels/checks.h"
#include "kernels/divergence.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"

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
                                               .options = options});
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

void projection_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& targets,
                              const CrossEntropy& options, Out logits, Out loss,
                              const ProjectionGradients& gradients) {
  const auto& [dx, dw, dbias, divergence_weight, ddivergence] = gradients;
  const int64_t N = x.rows(), D = x.width(), V = w.rows();
  check_shape(x, {N, D}, "projection_cross_entropy: x");
  check_shape(w, {V, D}, "projection_cross_entropy: w");
  check_shape(logits, {std::min(N, kLossChunk), V}, "projection_cross_entropy: logits");
  check_contiguous(logits, "projection_cross_entropy: logits");
  check_loss("projection_cross_entropy", targets, N, options, loss, x.dtype());
  if (bias.defined()) check_shape(bias, {V}, "projection_cross_entropy: bias");
  if (dx.defined()) {
    check_shape(dx, x.shape(), "projection_cross_entropy: dx");
    check_shape(dw, w.shape(), "projection_cross_entropy: dw");
    if (bias.defined()) check_shape(dbias, {V}, "projection_cross_entropy: dbias");
  }
  check_accumulates("projection_cross_entropy", x.dtype(), {&dw, &dbias});
  check_same_dtype("projection_cross_entropy", {&x, &w, &bias, &logits, &dx});
  check_same_device("projection_cross_entropy", {&x, &w, &bias, &targets, &logits, &loss, &dx, &dw, &dbias});
  const bool pairs = divergence_weight != 0;
  if (pairs) {
    XF_CHECK(dx.defined() && N % 2 == 0,
             "projection_cross_entropy: pairs need gradients and two rows each, got {} rows", N);
    check_shape(ddivergence, logits.shape(), "projection_cross_entropy: ddivergence");
  }
  if (x.device().type == DeviceType::meta) return;
  const int64_t passes = pairs ? 2 : 1, tokens = N / passes, chunk = kLossChunk / passes;
  for (int64_t begin = 0; begin < tokens; begin += chunk) {
    const int64_t count = std::min(tokens - begin, chunk);
    const auto rows_of_pass = [&](const Tensor& rows, int64_t pass) {
      return rows.slice_rows(pass * tokens + begin, pass * tokens + begin + count);
    };
    const auto z_of_pass = [&](int64_t pass) { return logits.slice_rows(pass * count, (pass + 1) * count); };
    for (int64_t pass = 0; pass < passes; ++pass)
      matmul(rows_of_pass(x, pass), Transpose::no, w, Transpose::yes, Accumulate::no, z_of_pass(pass));
    const Tensor z = logits.slice_rows(0, passes * count);
    const Tensor dz_of_pairs = pairs ? ddivergence.slice_rows(0, passes * count) : Tensor();
    if (pairs) {
      divergence(z, bias, rows_of_pass(targets, 0),
                 {.weight = divergence_weight, .ignore_id = options.ignore_id}, loss.slice_rows(0, 1),
                 dz_of_pairs);
    }
    for (int64_t pass = 0; pass < passes; ++pass) {
      cross_entropy_rows(z_of_pass(pass), bias, rows_of_pass(targets, pass), options, loss,
                         dx.defined() ? z_of_pass(pass) : Tensor(),
                         bias.defined() && dx.defined() ? dbias : Tensor());
    }
    if (!dx.defined()) continue;
    if (pairs) {
      add_in_place(dz_of_pairs, z);
      if (bias.defined()) sum_rows(dz_of_pairs, dbias);
    }
    for (int64_t pass = 0; pass < passes; ++pass) {
      matmul(z_of_pass(pass), Transpose::no, w, Transpose::no, Accumulate::no, rows_of_pass(dx, pass));
      matmul(z_of_pass(pass), Transpose::yes, rows_of_pass(x, pass), Transpose::no, Accumulate::yes, dw);
    }
  }
}

}  // namespace xf::kernels
