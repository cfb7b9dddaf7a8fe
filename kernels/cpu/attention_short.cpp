// Attention of short sentences: all scores of one sentence and head fit into the first-level cache,
// so a softmax row is whole, and backward recomputes the probabilities from q, k, v. One thread
// works a sentence, head by head; threads get equal numbers of tokens. Equation numbers:
// docs/derivations/attention.md.
#include "core/parallel.h"
#include "kernels/cpu/attention_tile.h"

namespace xf::kernels {

namespace {

constexpr int64_t kTokenGrain = 128;  // query and key tokens that are worth a thread

// body(sentence, the one after it) for each sentence with a query or a key, cut where the tokens
// are equal in number. There is always one after it: the last has no tokens.
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
      if (start(b + 1) == start(b)) continue;
      body(sentence_at(q, k, b), b + 1 < args.B ? sentence_at(q, k, b + 1) : Sentence{});
    }
  });
}

// Brings `count` rows from `first` on, `columns` wide, into the second-level cache. A head's part
// of a row is two lines, and the next one lies a whole row further: the processor does not foresee
// that, and waits for each.
template <typename T>
void prefetch_rows(MatrixView<T> in, int64_t first, int64_t count, int64_t columns) {
  constexpr int64_t kLine = 64 / sizeof(T);
  constexpr int kForReading = 0, kSecondLevel = 2;
  for (int64_t r = first; r < first + count; ++r) {
    for (int64_t c = 0; c < columns; c += kLine)
      __builtin_prefetch(in.data + r * in.row + c, kForReading, kSecondLevel);
  }
}

// p [keys, ld] = softmax(scale * k q^T), masked, times `factors` if there are any; AT1, AT2, AT3.
// queries_t: scratch [Dh, ld].
template <typename T>
void probabilities(MatrixView<T> q, MatrixView<Acc<T>> k, const Sentence& s, int64_t Dh,
                   const AttentionShape& shape, const Acc<T>* factors, Acc<T>* queries_t, Acc<T>* p,
                   int64_t ld) {
  transpose(q.data, q.row, s.queries, Dh, queries_t, ld);
  product(k, queries_t, ld, s.keys, ld, Dh, false, p, ld);
  softmax_tile<Acc<T>>(p, s.keys, ld, shape.causal, shape.scale, factors);
}

template <typename T>
void forward_sentence(const AttentionForwardArgs<T>& args, const Sentence& s, const Sentence& next) {
  using A = Acc<T>;
  const int64_t ld = padded(s.queries), Dh = args.Dh, wide = widened_size<T>(s.keys, Dh);
  A* const queries_t = thread_scratch<A>((Dh + s.keys + factor_rows(s.keys)) * ld + wide);
  A *const p = queries_t + Dh * ld, *const keys = p + s.keys * ld,
           *const factors = args.dropout.active() ? keys + wide : nullptr;
  for (int64_t h = 0; h < args.H; ++h) {
    const int64_t key_column = h / args.group * Dh;  // AT11
    const MatrixView<T> q{args.q + s.q_begin * args.q_stride + h * Dh, args.q_stride};
    const MatrixView<T> k{args.k + s.k_begin * args.k_stride + key_column, args.k_stride};
    const MatrixView<T> v{args.v + s.k_begin * args.v_stride + key_column, args.v_stride};
    const MatrixView<A> dropped{p, ld};
    prefetch_rows(q, next.q_begin - s.q_begin, next.queries, Dh);
    prefetch_rows(k, next.k_begin - s.k_begin, next.keys, Dh);
    prefetch_rows(v, next.k_begin - s.k_begin, next.keys, Dh);
    if (factors) probability_factors(args.dropout, s.q_begin, h, 0, s.keys, factors, ld);
    probabilities(q, widened(k, s.keys, Dh, keys), s, Dh, args.shape, factors, queries_t, p, ld);
    product(transposed(dropped), v.data, v.row, s.queries, Dh, s.keys, false,
            args.o + s.q_begin * args.o_stride + h * Dh, args.o_stride);  // AT4
  }
}

// From p and the gradient of the dropped p to ds, in its place, and to the dropped p, in p's; AT5.
// One band.
template <typename T>
void score_gradient_band(T* p, T* dp, const T* factors, int64_t keys, int64_t ld, T scale) {
  Lanes<T> delta{};
  for (int64_t j = 0; j < keys; ++j) {
    Lanes<T> gradient = load_lanes(dp + j * ld);
    if (factors) gradient *= load_lanes(factors + j * ld);
    store_lanes<T>(gradient, dp + j * ld);
    delta += load_lanes(p + j * ld) * gradient;
  }
  for (int64_t j = 0; j < keys; ++j) {
    const Lanes<T> kept = load_lanes(p + j * ld);
    store_lanes<T>(scale * kept * (load_lanes(dp + j * ld) - delta), dp + j * ld);
    if (factors) store_lanes<T>(kept * load_lanes(factors + j * ld), p + j * ld);
  }
}

template <typename T>
void backward_sentence(const AttentionBackwardArgs<T>& args, const Sentence& s, const Sentence& next) {
  using A = Acc<T>;
  const int64_t ld = padded(s.queries), Dh = args.Dh, tile = s.keys * ld, wide = widened_size<T>(s.keys, Dh);
  A* const rows_t = thread_scratch<A>((Dh + factor_rows(s.keys)) * ld + 2 * tile + 2 * wide);
  A *const p = rows_t + Dh * ld, *const ds = p + tile, *const keys = ds + tile, *const values = keys + wide,
           *const factors = args.dropout.active() ? values + wide : nullptr;
  for (int64_t h = 0; h < args.H; ++h) {
    const int64_t key_column = h / args.group * Dh;  // AT11
    const MatrixView<T> q{args.q + s.q_begin * args.q_stride + h * Dh, args.q_stride};
    const MatrixView<T> k{args.k + s.k_begin * args.k_stride + key_column, args.k_stride};
    const MatrixView<T> v{args.v + s.k_begin * args.v_stride + key_column, args.v_stride};
    const MatrixView<T> grad_o{args.grad_o + s.q_begin * args.grad_o_stride + h * Dh, args.grad_o_stride};
    prefetch_rows(q, next.q_begin - s.q_begin, next.queries, Dh);
    prefetch_rows(k, next.k_begin - s.k_begin, next.keys, Dh);
    prefetch_rows(v, next.k_begin - s.k_begin, next.keys, Dh);
    prefetch_rows(grad_o, next.q_begin - s.q_begin, next.queries, Dh);
    const MatrixView<A> wide_k = widened(k, s.keys, Dh, keys);
    probabilities<T>(q, wide_k, s, Dh, args.shape, nullptr, rows_t, p, ld);
    transpose(grad_o.data, grad_o.row, s.queries, Dh, rows_t, ld);
    product(widened(v, s.keys, Dh, values), rows_t, ld, s.keys, ld, Dh, false, ds, ld);
    if (factors) probability_factors(args.dropout, s.q_begin, h, 0, s.keys, factors, ld);
    for (int64_t i = 0; i < ld; i += kLanes<A>) {
      score_gradient_band<A>(p + i, ds + i, factors ? factors + i : nullptr, s.keys, ld, args.shape.scale);
    }
    const MatrixView<A> score_gradients{ds, ld}, dropped{p, ld};
    product(transposed(score_gradients), wide_k.data, wide_k.row, s.queries, Dh, s.keys, false,
            args.dq + s.q_begin * args.dq_stride + h * Dh, args.dq_stride);  // AT6
    // Written by the first query head of a key head, added to by the others (AT12): constants, so
    // that the usual case, where there are no others, has a product without the choice.
    const auto give = [&](MatrixView<A> a, MatrixView<T> b, T* c, int64_t c_row) {
      if (h % args.group == 0) return product(a, b.data, b.row, s.keys, Dh, s.queries, false, c, c_row);
      product(a, b.data, b.row, s.keys, Dh, s.queries, true, c, c_row);
    };
    give(score_gradients, q, args.dk + s.k_begin * args.dk_stride + key_column, args.dk_stride);  // AT7
    give(dropped, grad_o, args.dv + s.k_begin * args.dv_stride + key_column, args.dv_stride);     // AT8
  }
}

}  // namespace

template <typename T>
void attention_forward_short(const AttentionForwardArgs<T>& args) {
  for_each_sentence(args, [&](const Sentence& s, const Sentence& next) { forward_sentence(args, s, next); });
}

template <typename T>
void attention_backward_short(const AttentionBackwardArgs<T>& args) {
  for_each_sentence(args, [&](const Sentence& s, const Sentence& next) { backward_sentence(args, s, next); });
}

template void attention_forward_short(const AttentionForwardArgs<float>&);
template void attention_forward_short(const AttentionForwardArgs<double>&);
template void attention_forward_short(const AttentionForwardArgs<bf16>&);
template void attention_backward_short(const AttentionBackwardArgs<float>&);
template void attention_backward_short(const AttentionBackwardArgs<double>&);
template void attention_backward_short(const AttentionBackwardArgs<bf16>&);

}  // namespace xf::kernels
