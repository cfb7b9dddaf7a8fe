#include "kernels/attention.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

void check_heads(const char* op, const Tensor& q, const Tensor& k, int64_t heads) {
  XF_CHECK(q.rank() == 2 && k.rank() == 2, "{}: q and k must be [T, D], got {} and {}", op,
           q.shape().to_string(), k.shape().to_string());
  XF_CHECK(heads >= 1 && q.width() > 0 && q.width() % heads == 0, "{}: {} heads do not divide the width {}",
           op, heads, q.width());
  const int64_t Dh = q.width() / heads;
  XF_CHECK(k.width() > 0 && k.width() % Dh == 0 && q.width() % k.width() == 0,
           "{}: k must be as wide as q, {}, or as some heads of {} whose number divides {}, got {}", op,
           q.width(), Dh, heads, k.width());
}

void check_offsets(const char* op, const Tensor& query_offsets) {
  XF_CHECK(query_offsets.rank() == 1 && query_offsets.numel() >= 1, "{}: query_offsets must be [B+1], got {}",
           op, query_offsets.shape().to_string());
}

}  // namespace

void attention_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& query_offsets,
                       const Tensor& key_offsets, const AttentionShape& shape, const Dropout& dropout, Out o,
                       Out lse) {
  check_heads("attention", q, k, shape.heads);
  check_offsets("attention", query_offsets);
  XF_CHECK(lse.defined() == shape.is_long(),
           "attention: lse belongs to the long path (more than {} keys), and only to it; got max_keys {}",
           kShortKeys, shape.max_keys);
  check_arguments(signature_of("attention_forward"),
                  {&q, &k, &v, &query_offsets, &key_offsets, &dropout.counter, &o, &lse},
                  {{"H", shape.heads}});
  if (q.rows() == 0) return;
  dispatch(q, [&]<typename T>(auto backend) {
    attention_forward(backend, AttentionForwardArgs<T>{.q = q.data<T>(),
                                                       .k = k.data<T>(),
                                                       .v = v.data<T>(),
                                                       .o = o.data<T>(),
                                                       .lse = data_or_null<Acc<T>>(lse),
                                                       .query_offsets = query_offsets.data<int32_t>(),
                                                       .key_offsets = key_offsets.data<int32_t>(),
                                                       .B = query_offsets.numel() - 1,
                                                       .H = shape.heads,
                                                       .group = q.width() / k.width(),
                                                       .Dh = q.width() / shape.heads,
                                                       .Tq = q.rows(),
                                                       .Tk = k.rows(),
                                                       .q_stride = q.row_stride(),
                                                       .k_stride = k.row_stride(),
                                                       .v_stride = v.row_stride(),
                                                       .o_stride = o.row_stride(),
                                                       .shape = shape,
                                                       .dropout = dropout_args(dropout)});
  });
}

void attention_backward(const Tensor& grad_o, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& o, const Tensor& lse, const Tensor& query_offsets,
                        const Tensor& key_offsets, const AttentionShape& shape, const Dropout& dropout,
                        Out dq, Out dk, Out dv) {
  check_heads("attention_backward", q, k, shape.heads);
  check_offsets("attention_backward", query_offsets);
  XF_CHECK(!shape.is_long() || (o.defined() && lse.defined()),
           "attention_backward: the long path reads o and lse");
  const Tensor *const long_o = shape.is_long() ? &o : nullptr, *const long_lse =
                                                                   shape.is_long() ? &lse : nullptr;
  check_arguments(
      signature_of("attention_backward"),
      {&grad_o, &q, &k, &v, long_o, long_lse, &query_offsets, &key_offsets, &dropout.counter, &dq, &dk, &dv},
      {{"H", shape.heads}});
  if (q.rows() + k.rows() == 0) return;
  dispatch(q, [&]<typename T>(auto backend) {
    attention_backward(backend, AttentionBackwardArgs<T>{.grad_o = grad_o.data<T>(),
                                                         .q = q.data<T>(),
                                                         .k = k.data<T>(),
                                                         .v = v.data<T>(),
                                                         .o = data_or_null<T>(o),
                                                         .lse = data_or_null<Acc<T>>(lse),
                                                         .dq = dq.data<T>(),
                                                         .dk = dk.data<T>(),
                                                         .dv = dv.data<T>(),
                                                         .query_offsets = query_offsets.data<int32_t>(),
                                                         .key_offsets = key_offsets.data<int32_t>(),
                                                         .B = query_offsets.numel() - 1,
                                                         .H = shape.heads,
                                                         .group = q.width() / k.width(),
                                                         .Dh = q.width() / shape.heads,
                                                         .Tq = q.rows(),
                                                         .Tk = k.rows(),
                                                         .grad_o_stride = grad_o.row_stride(),
                                                         .q_stride = q.row_stride(),
                                                         .k_stride = k.row_stride(),
                                                         .v_stride = v.row_stride(),
                                                         .o_stride = o.row_stride(),
                                                         .dq_stride = dq.row_stride(),
                                                         .dk_stride = dk.row_stride(),
                                                         .dv_stride = dv.row_stride(),
                                                         .shape = shape,
                                                         .dropout = dropout_args(dropout)});
  });
}

void attention_weights(const Tensor& q, const Tensor& k, const Tensor& query_offsets,
                       const Tensor& key_offsets, const AttentionShape& shape, Out p) {
  check_heads("attention_weights", q, k, shape.heads);
  check_offsets("attention_weights", query_offsets);
  const int64_t B = query_offsets.numel() - 1;
  check_arguments(signature_of("attention_weights"), {&q, &k, &query_offsets, &key_offsets, &p},
                  {{"B", B}, {"H", shape.heads}});
  if (p.numel() == 0) return;
  dispatch(q, [&]<typename T>(auto backend) {
    attention_weights(backend, AttentionWeightsArgs<T>{.q = q.data<T>(),
                                                       .k = k.data<T>(),
                                                       .p = p.data<T>(),
                                                       .query_offsets = query_offsets.data<int32_t>(),
                                                       .key_offsets = key_offsets.data<int32_t>(),
                                                       .B = B,
                                                       .H = shape.heads,
                                                       .group = q.width() / k.width(),
                                                       .Dh = q.width() / shape.heads,
                                                       .Sq = p.dim(2),
                                                       .Sk = p.dim(3),
                                                       .Tq = q.rows(),
                                                       .Tk = k.rows(),
                                                       .q_stride = q.row_stride(),
                                                       .k_stride = k.row_stride(),
                                                       .shape = shape});
  });
}

void attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& rows,
                    const Tensor& lengths, int64_t heads, float scale, Out o) {
  check_heads("attention_step", q, k, heads);
  check_arguments(signature_of("attention_step"), {&q, &k, &v, &rows, &lengths, &o}, {{"H", heads}});
  if (q.rows() == 0) return;
  dispatch(q, [&]<typename T>(auto backend) {
    attention_step(backend, AttentionStepArgs<T>{.q = q.data<T>(),
                                                 .k = k.data<T>(),
                                                 .v = v.data<T>(),
                                                 .o = o.data<T>(),
                                                 .rows = rows.data<int32_t>(),
                                                 .lengths = lengths.data<int32_t>(),
                                                 .R = q.rows(),
                                                 .S = rows.width(),
                                                 .H = heads,
                                                 .group = q.width() / k.width(),
                                                 .Dh = q.width() / heads,
                                                 .q_stride = q.row_stride(),
                                                 .k_stride = k.row_stride(),
                                                 .v_stride = v.row_stride(),
                                                 .o_stride = o.row_stride(),
                                                 .scale = scale});
  });
}

}  // namespace xf::kernels
