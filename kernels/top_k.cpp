#include "kernels/top_k.h"

#include "kernels/checks.h"

namespace xf::kernels {

void log_softmax_top_k(const Tensor& z, const Tensor& banned, Out scores, Out ids) {
  const int64_t N = z.rows(), V = z.width(), K = ids.width(), M = banned.defined() ? banned.numel() : 0;
  XF_CHECK(K >= 1 && K <= V - M, "top_k: K must be in 1..{} ({} ids less {} banned), got {}", V - M, V, M, K);
  check_shape(scores, {N, K}, "top_k: scores");
  check_shape(ids, {N, K}, "top_k: ids");
  check_dtype(scores, accumulator_of(z.dtype()), "top_k: scores");
  check_dtype(ids, DType::i32, "top_k: ids");
  check_contiguous(scores, "top_k: scores");
  check_contiguous(ids, "top_k: ids");
  if (banned.defined()) check_dtype(banned, DType::i32, "top_k: banned");
  check_same_device("top_k", {&z, &banned, &scores, &ids});
  if (N == 0) return;
  dispatch(z, [&]<typename T>(auto backend) {
    log_softmax_top_k(backend, TopKArgs<T>{.z = z.data<T>(),
                                           .banned = data_or_null<int32_t>(banned),
                                           .scores = scores.data<Acc<T>>(),
                                           .ids = ids.data<int32_t>(),
                                           .N = N,
                                           .V = V,
                                           .M = M,
                                           .K = K,
                                           .z_stride = z.row_stride()});
  });
}

}  // namespace xf::kernels
