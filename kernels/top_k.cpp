#include "kernels/top_k.h"

#include <algorithm>

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

// K out of V per row.
void check_choice(int64_t V, const Tensor& banned, Out ids) {
  const int64_t K = ids.width(), M = banned.defined() ? banned.numel() : 0;
  XF_CHECK(K >= 1 && K <= V - M, "top_k: K must be in 1..{} ({} ids less {} banned), got {}", V - M, V, M, K);
}

template <typename T>
TopKArgs<T> choice_args(const T* z, int64_t V, int64_t z_stride, const Tensor& banned, Normalise normalise,
                        Out scores, Out ids) {
  return {.z = z,
          .banned = data_or_null<int32_t>(banned),
          .scores = scores.data<Acc<T>>(),
          .ids = ids.data<int32_t>(),
          .N = ids.rows(),
          .V = V,
          .M = banned.defined() ? banned.numel() : 0,
          .K = ids.width(),
          .z_stride = z_stride,
          .normalise = normalise == Normalise::yes};
}

bool project_at_once(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& banned,
                     Normalise normalise, Out scores, Out ids) {
  bool done = false;
  dispatch(x, [&]<typename T>(auto backend) {
    const LinearForwardArgs<T> projection{.x = x.data<T>(),
                                          .w = w.data<T>(),
                                          .bias = bias.data<T>(),
                                          .y = nullptr,
                                          .N = x.rows(),
                                          .K = x.width(),
                                          .M = w.rows(),
                                          .x_stride = x.row_stride(),
                                          .w_stride = w.row_stride(),
                                          .y_stride = w.rows(),
                                          .relu = false};
    done = projection_top_k_at_once(
        backend, projection, choice_args<T>(nullptr, w.rows(), w.rows(), banned, normalise, scores, ids));
  });
  return done;
}

bool project_at_once(const Tensor& x, const QuantizedWeights& w, const Tensor& bias, const Tensor& banned,
                     Normalise normalise, Out scores, Out ids) {
  const QuantizedLinearArgs projection = quantized_linear_args(x, w, bias, Relu::no, Tensor());
  return dispatch_cpu([&](auto backend) {
    return projection_top_k_at_once(backend, projection,
                                    choice_args<float>(nullptr, w.M, w.M, banned, normalise, scores, ids));
  });
}

// Rows of x [N, D] through logits of at most kTopKChunk of them: project(x, z). In chunks of one
// size, so that none is of so few rows that products go another way (kernels/cpu/linear.cpp), with
// other last bits.
template <typename Project>
void choose_by_chunks(const Tensor& x, const Tensor& banned, Normalise normalise, Out logits, Out scores,
                      Out ids, const Project& project) {
  const int64_t N = x.rows(), chunks = (N + kTopKChunk - 1) / kTopKChunk;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const int64_t begin = chunk * N / chunks, end = (chunk + 1) * N / chunks;
    const Tensor z = logits.slice_rows(0, end - begin);
    project(x.slice_rows(begin, end), z);
    log_softmax_top_k(z, banned, normalise, scores.slice_rows(begin, end), ids.slice_rows(begin, end));
  }
}

}  // namespace

void log_softmax_top_k(const Tensor& z, const Tensor& banned, Normalise normalise, Out scores, Out ids) {
  check_arguments(signature_of("log_softmax_top_k"), {&z, &banned, &scores, &ids});
  check_choice(z.width(), banned, ids);
  if (z.rows() == 0) return;
  dispatch(z, [&]<typename T>(auto backend) {
    log_softmax_top_k(backend,
                      choice_args<T>(z.data<T>(), z.width(), z.row_stride(), banned, normalise, scores, ids));
  });
}

void projection_top_k(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& banned,
                      Normalise normalise, Out logits, Out scores, Out ids) {
  const int64_t N = x.rows();
  check_arguments(signature_of("projection_top_k"), {&x, &w, &bias, &banned, &logits, &scores, &ids},
                  {{"R", std::min(N, kTopKChunk)}});
  check_choice(w.rows(), banned, ids);
  if (N == 0 || project_at_once(x, w, bias, banned, normalise, scores, ids)) return;
  choose_by_chunks(x, banned, normalise, logits, scores, ids,
                   [&](const Tensor& rows, Out z) { linear_forward(rows, w, bias, z); });
}

void projection_top_k(const Tensor& x, const QuantizedWeights& w, const Tensor& bias, const Tensor& banned,
                      Normalise normalise, Out logits, Out scores, Out ids) {
  const int64_t N = x.rows();
  check_arguments(signature_of("projection_top_k"), {&x, nullptr, &bias, &banned, &logits, &scores, &ids},
                  {{"R", std::min(N, kTopKChunk)}, {"V", w.M}});
  check_choice(w.M, banned, ids);
  if (N == 0 || project_at_once(x, w, bias, banned, normalise, scores, ids)) return;
  choose_by_chunks(x, banned, normalise, logits, scores, ids,
                   [&](const Tensor& rows, Out z) { quantized_linear_forward(rows, w, bias, Relu::no, z); });
}

}  // namespace xf::kernels
