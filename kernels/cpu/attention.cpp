// Attention on the CPU: offsets are looked over once, then the path is chosen. Also the
// probabilities alone.
#include "kernels/attention.h"

#include "core/parallel.h"
#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

// Offsets come from outside and index memory, so they are worth B comparisons. max_length 0: not
// limited.
void check_sentences(const char* what, const int32_t* offsets, int64_t B, int64_t tokens,
                     int64_t max_length) {
  XF_CHECK(offsets[0] == 0 && offsets[B] <= tokens, "attention: {} must run from 0 to at most {}, got {}..{}",
           what, tokens, offsets[0], offsets[B]);
  for (int64_t b = 0; b < B; ++b) {
    const int64_t length = int64_t{offsets[b + 1]} - offsets[b];
    XF_CHECK(length >= 0, "attention: {} must not decrease, got {} after {}", what, offsets[b + 1],
             offsets[b]);
    XF_CHECK(max_length == 0 || length <= max_length, "attention: sentence {} has {} keys, max_keys is {}", b,
             length, max_length);
  }
}

template <typename T>
void clear_rows(T* x, int64_t begin, int64_t end, int64_t D, int64_t stride) {
  for (int64_t n = begin; n < end; ++n) fill_zero(x + n * stride, D);
}

}  // namespace

template <typename T, CpuLevel L>
void attention_forward(Cpu<L>, const AttentionForwardArgs<T>& args) {
  check_sentences("query_offsets", args.query_offsets, args.B, args.Tq, 0);
  check_sentences("key_offsets", args.key_offsets, args.B, args.Tk, args.shape.max_keys);
  const int64_t used = args.query_offsets[args.B];
  clear_rows(args.o, used, args.Tq, args.H * args.Dh, args.o_stride);
  if (!args.shape.is_long()) return attention_forward_short(args);
  for (int64_t h = 0; h < args.H; ++h) {
    std::fill(args.lse + h * args.Tq + used, args.lse + (h + 1) * args.Tq,
              -std::numeric_limits<Acc<T>>::infinity());
  }
  attention_forward_long(args);
}

template <typename T, CpuLevel L>
void attention_backward(Cpu<L>, const AttentionBackwardArgs<T>& args) {
  check_sentences("query_offsets", args.query_offsets, args.B, args.Tq, 0);
  check_sentences("key_offsets", args.key_offsets, args.B, args.Tk, args.shape.max_keys);
  const int64_t D = args.H * args.Dh, Dk = D / args.group;
  clear_rows(args.dq, args.query_offsets[args.B], args.Tq, D, args.dq_stride);
  clear_rows(args.dk, args.key_offsets[args.B], args.Tk, Dk, args.dk_stride);
  clear_rows(args.dv, args.key_offsets[args.B], args.Tk, Dk, args.dv_stride);
  return args.shape.is_long() ? attention_backward_long(args) : attention_backward_short(args);
}

template <typename T, CpuLevel L>
void attention_weights(Cpu<L>, const AttentionWeightsArgs<T>& args) {
  check_sentences("query_offsets", args.query_offsets, args.B, args.Tq, 0);
  check_sentences("key_offsets", args.key_offsets, args.B, args.Tk, 0);
  using A = Acc<T>;
  parallel_for(args.B * args.H, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t h = t % args.H;
      const Sentence s = sentence_at(args.query_offsets, args.key_offsets, t / args.H);
      XF_CHECK(s.queries <= args.Sq && s.keys <= args.Sk,
               "attention_weights: p has room for [{}, {}], sentence {} needs [{}, {}]", args.Sq, args.Sk,
               t / args.H, s.queries, s.keys);
      T* const p = args.p + t * args.Sq * args.Sk;
      fill_zero(p, args.Sq * args.Sk);
      const int64_t ld = padded(s.queries);
      A* const queries_t = thread_scratch<A>((args.Dh + s.keys) * ld + widened_size<T>(s.keys, args.Dh));
      A *const scores = queries_t + args.Dh * ld, *const keys = scores + s.keys * ld;
      transpose(args.q + s.q_begin * args.q_stride + h * args.Dh, args.q_stride, s.queries, args.Dh,
                queries_t, ld);
      const MatrixView<T> k{args.k + s.k_begin * args.k_stride + h / args.group * args.Dh, args.k_stride};
      product(widened(k, s.keys, args.Dh, keys), queries_t, ld, s.keys, ld, args.Dh, false, scores, ld);
      softmax_tile<A>(scores, s.keys, ld, args.shape.causal, args.shape.scale, nullptr);
      for (int64_t i = 0; i < s.queries; ++i) {
        for (int64_t j = 0; j < s.keys; ++j) store(scores[j * ld + i], p + i * args.Sk + j);
      }
    }
  });
}

XF_INSTANTIATE(attention_forward, AttentionForwardArgs);
XF_INSTANTIATE(attention_backward, AttentionBackwardArgs);
XF_INSTANTIATE(attention_weights, AttentionWeightsArgs);

}  // namespace xf::kernels
