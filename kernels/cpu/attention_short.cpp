// Attention of short sentences: all scores of one sentence and head fit into the first-level cache, so a
// softmax row is whole, and backward recomputes the probabilities from q, k, v. One thread works a sentence,
// head by head; threads get equal numbers of tokens. Equation numbers: docs/derivations/attention.md.
#include "core/parallel.h"
#include "kernels/cpu/attention_tile.h"

namespace xf::kernels {

namespace {

constexpr int64_t kTokenGrain = 128;  // query and key tokens that are worth a thread

// body(sentence) for each sentence with a query or a key, cut where the tokens are equal in number.
template <typename Args, typename Body>
void for_each_sentence(const Args& args, const Body& body) {
  const int32_t *const q = args.query_offsets, *const k = args.key_offsets;
  const auto start = [&](int64_t b) { return int64_t{q[b]} + k[b]; };
  parallel_for(start(args.B), kTokenGrain, [&](int64_t begin, int64_t end) {
    int64_t low = 0, high = args.B;  // the first sentence that starts at `begin` or later
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (start(middle) < begin) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (int64_t b = low; b < args.B && start(b) < end; ++b) {
      if (start(b + 1) > start(b)) body(sentence_at(q, k, b));
    }
  });
}

// p [queries, ld] = softmax(scale * q k^T), masked; eq. (1), (2). keys_t: scratch [Dh, ld].
template <typename T>
void probabilities(const T* q, int64_t q_row, const T* k, int64_t k_row, const Sentence& s, int64_t Dh,
                   const AttentionShape& shape, T* keys_t, T* p, int64_t ld) {
  transpose(k, k_row, s.keys, Dh, keys_t, ld);
  product<T>({q, q_row}, keys_t, ld, s.queries, ld, Dh, false, p, ld);
  for (int64_t i = 0; i < s.queries; ++i) {
    softmax_row(p + i * ld, visible_keys(shape.causal, i, s.keys), ld, static_cast<T>(shape.scale));
  }
}

template <typename T>
void forward_sentence(const AttentionForwardArgs<T>& args, const Sentence& s) {
  const int64_t ld = padded<T>(s.keys), tile = s.queries * ld;
  T* const keys_t = thread_scratch<T>(args.Dh * ld + 2 * tile);
  T *const p = keys_t + args.Dh * ld, *const factors = p + tile;
  for (int64_t h = 0; h < args.H; ++h) {
    const int64_t column = h * args.Dh;
    probabilities(args.q + s.q_begin * args.q_stride + column, args.q_stride,
                  args.k + s.k_begin * args.k_stride + column, args.k_stride, s, args.Dh, args.shape, keys_t,
                  p, ld);
    if (args.dropout.active() && s.keys > 0) {  // (3)
      probability_factors(args.dropout, s.q_begin, s.queries, h, 0, s.keys, factors, ld);
      for (int64_t i = 0; i < s.queries; ++i) {
#pragma omp simd
        for (int64_t j = 0; j < s.keys; ++j) p[i * ld + j] *= factors[i * ld + j];
      }
    }
    product<T>({p, ld}, args.v + s.k_begin * args.v_stride + column, args.v_stride, s.queries, args.Dh,
               s.keys, false, args.o + s.q_begin * args.o_stride + column, args.o_stride);  // (4)
  }
}

// From p and dp of row i to ds (over dp), and to the dropped probabilities (over p); eq. (5).
template <typename T>
void score_gradient_row(T* p, T* dp, const T* factors, int64_t ld, T scale) {
  T delta = 0;
  for (int64_t begin = 0; begin < ld; begin += kLanes<T>) {
#pragma omp simd reduction(+ : delta)
    for (int64_t j = begin; j < begin + kLanes<T>; ++j) {
      const T d = factors ? dp[j] * factors[j] : dp[j];
      dp[j] = d;
      delta += p[j] * d;
    }
  }
  for (int64_t begin = 0; begin < ld; begin += kLanes<T>) {
#pragma omp simd
    for (int64_t j = begin; j < begin + kLanes<T>; ++j) {
      dp[j] = scale * p[j] * (dp[j] - delta);
      if (factors) p[j] *= factors[j];
    }
  }
}

template <typename T>
void backward_sentence(const AttentionBackwardArgs<T>& args, const Sentence& s) {
  const int64_t ld = padded<T>(s.keys), Dh = args.Dh, tile = s.queries * ld;
  const T scale = static_cast<T>(args.shape.scale);
  T* const rows_t = thread_scratch<T>(Dh * ld + 3 * tile);
  T *const p = rows_t + Dh * ld, *const ds = p + tile, *const factors = ds + tile;
  const bool drop = args.dropout.active() && s.keys > 0;
  if (drop) std::fill_n(factors, tile, T{0});
  for (int64_t h = 0; h < args.H; ++h) {
    const int64_t column = h * Dh;
    const T* const q = args.q + s.q_begin * args.q_stride + column;
    const T* const k = args.k + s.k_begin * args.k_stride + column;
    const T* const v = args.v + s.k_begin * args.v_stride + column;
    const T* const grad_o = args.grad_o + s.q_begin * args.grad_o_stride + column;
    probabilities(q, args.q_stride, k, args.k_stride, s, Dh, args.shape, rows_t, p, ld);
    transpose(v, args.v_stride, s.keys, Dh, rows_t, ld);
    product<T>({grad_o, args.grad_o_stride}, rows_t, ld, s.queries, ld, Dh, false, ds, ld);
    if (drop) probability_factors(args.dropout, s.q_begin, s.queries, h, 0, s.keys, factors, ld);
    for (int64_t i = 0; i < s.queries; ++i) {
      score_gradient_row(p + i * ld, ds + i * ld, drop ? factors + i * ld : nullptr, ld, scale);
    }
    const MatrixView<T> score_gradients{ds, ld}, dropped{p, ld};
    product(score_gradients, k, args.k_stride, s.queries, Dh, s.keys, false,
            args.dq + s.q_begin * args.dq_stride + column, args.dq_stride);  // (6)
    product(transposed(score_gradients), q, args.q_stride, s.keys, Dh, s.queries, false,
            args.dk + s.k_begin * args.dk_stride + column, args.dk_stride);  // (6)
    product(transposed(dropped), grad_o, args.grad_o_stride, s.keys, Dh, s.queries, false,
            args.dv + s.k_begin * args.dv_stride + column, args.dv_stride);  // (6)
  }
}

}  // namespace

template <typename T>
void attention_forward_short(const AttentionForwardArgs<T>& args) {
  for_each_sentence(args, [&](const Sentence& s) { forward_sentence(args, s); });
}

template <typename T>
void attention_backward_short(const AttentionBackwardArgs<T>& args) {
  for_each_sentence(args, [&](const Sentence& s) { backward_sentence(args, s); });
}

template void attention_forward_short(const AttentionForwardArgs<float>&);
template void attention_forward_short(const AttentionForwardArgs<double>&);
template void attention_backward_short(const AttentionBackwardArgs<float>&);
template void attention_backward_short(const AttentionBackwardArgs<double>&);

}  // namespace xf::kernels
