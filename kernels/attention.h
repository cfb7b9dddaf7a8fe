// Scaled dot-product attention over packed sentences. Vaswani et al. 2017, arXiv:1706.03762,
// section 3.2.1; long path: Dao 2023, arXiv:2307.08691.
//   s_ij = scale * q_i . k_j  (AT1),  p_i = softmax over the keys of the query's sentence (j <= i
//   when causal)  (AT2),
//   pd = dropout(p)  (AT3),  o_i = sum_j pd_ij v_j  (AT4),    for each sentence and head
//   q [Tq, D], k, v [Tk, Dk]  in; D = H * Dh, head h is columns h*Dh .. (h+1)*Dh-1, read in place:
//   each may be a
//                             view of some columns of a fused projection
//                             Dk = Hk * Dh, Hk divides H: the first H / Hk query heads share key
//                             head 0, the next ones key head 1, ... (AT11), grouped queries;
//                             Ainslie et al. 2023, arXiv:2305.13245
//   query_offsets, key_offsets i32 [B+1]  in; the same tensor for self-attention
//   o [Tq, D]                 written
// A query without keys gets o = 0. Causal counts positions within the sentence, from its start on
// both sides. Rows past the last sentence are spare: their outputs and gradients are 0.
// Two paths, by AttentionShape::max_keys: short (<= kShortKeys) keeps a sentence's scores on chip
// and recomputes them from q, k, v in backward; long works in tiles and keeps lse.
#pragma once

#include "kernels/dropout.h"

namespace xf::kernels {

constexpr int64_t kShortKeys = 64;

struct AttentionShape {
  int64_t heads = 1;
  // No sentence on the key side is longer: in training of any batch (--max-length), so that all
  // take one path; else of this one.
  int64_t max_keys = 0;
  bool causal = false;
  float scale = 1;  // 1 / sqrt(Dh) in every model here
  bool is_long() const { return max_keys > kShortKeys; }
};

//   lse [H, Tq] written, Acc<T>  (AT9, AT10): log-sum-exp of the scaled scores, -inf for a query
//   without keys; long path only,
//               undefined otherwise
void attention_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& query_offsets,
                       const Tensor& key_offsets, const AttentionShape& shape, const Dropout& dropout, Out o,
                       Out lse);

// ds of the softmax (AT5), then dq, dk, dv (AT6, AT7, AT8).   derivation: docs/derivations/attention.md
//   dq [Tq, D], dk, dv [Tk, Dk] written (views allowed), summed over the query heads of a key head
//   (AT12); o and lse are read by the long path only
void attention_backward(const Tensor& grad_o, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& o, const Tensor& lse, const Tensor& query_offsets,
                        const Tensor& key_offsets, const AttentionShape& shape, const Dropout& dropout,
                        Out dq, Out dk, Out dv);

// The probabilities themselves, before dropout, for explanation:  p [B, H, Sq, Sk] written, zero
// beyond a sentence.
void attention_weights(const Tensor& q, const Tensor& k, const Tensor& query_offsets,
                       const Tensor& key_offsets, const AttentionShape& shape, Out p);

// One query per hypothesis against a cache, for step-by-step decoding. No dropout, no gradient.
//   q [R, D] in, o [R, D] written; k, v [C, Dk] the cache's rows
//   rows i32 [R, S], lengths i32 [R]: key j of hypothesis r is row rows[r, j] of the cache, for j <
//   lengths[r]
// A table of rows makes a beam reorder a copy of small integers; the cached keys stay where they
// are.
void attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& rows,
                    const Tensor& lengths, int64_t heads, float scale, Out o);

template <typename T>
struct AttentionForwardArgs {
  const T *q, *k, *v;
  T* o;
  Acc<T>* lse;
  const int32_t *query_offsets, *key_offsets;
  int64_t B, H, group, Dh, Tq, Tk, q_stride, k_stride, v_stride, o_stride;  // group: H / Hk
  AttentionShape shape;
  DropoutArgs dropout;
};
template <typename T>
struct AttentionBackwardArgs {
  const T *grad_o, *q, *k, *v, *o;
  const Acc<T>* lse;
  T *dq, *dk, *dv;
  const int32_t *query_offsets, *key_offsets;
  int64_t B, H, group, Dh, Tq, Tk, grad_o_stride, q_stride, k_stride, v_stride, o_stride, dq_stride,
      dk_stride, dv_stride;
  AttentionShape shape;
  DropoutArgs dropout;
};
template <typename T>
struct AttentionWeightsArgs {
  const T *q, *k;
  T* p;
  const int32_t *query_offsets, *key_offsets;
  int64_t B, H, group, Dh, Sq, Sk, Tq, Tk, q_stride, k_stride;
  AttentionShape shape;
};
template <typename T>
struct AttentionStepArgs {
  const T *q, *k, *v;
  T* o;
  const int32_t *rows, *lengths;
  int64_t R, S, H, group, Dh, q_stride, k_stride, v_stride, o_stride;
  float scale;
};
XF_BACKENDS(attention_forward, AttentionForwardArgs);
XF_BACKENDS(attention_backward, AttentionBackwardArgs);
XF_BACKENDS(attention_weights, AttentionWeightsArgs);
XF_BACKENDS(attention_step, AttentionStepArgs);

}  // namespace xf::kernels
