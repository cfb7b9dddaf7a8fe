// Attention of long sentences in tiles of 64 queries by 64 keys, after Dao 2023, arXiv:2307.08691: forward
// keeps a running maximum and sum per query, backward rebuilds the probabilities from lse. The forward pass
// is parallel over (sentence, head, query tile); the backward pass over (sentence, head), so that every sum
// is added up by one thread, in order. Equation numbers: docs/derivations/attention.md.
#include "core/parallel.h"
#include "kernels/cpu/attention_tile.h"

namespace xf::kernels {

namespace {

constexpr int64_t kTile = 64;
constexpr int64_t kScores = kTile * kTile;

struct TileTask {
  Sentence sentence;
  int64_t head, query;  // the tile's first query
};

template <typename Args>
std::vector<TileTask> forward_tasks(const Args& args) {
  std::vector<TileTask> tasks;
  for (int64_t h = 0; h < args.H; ++h) {
    for (int64_t b = 0; b < args.B; ++b) {
      const Sentence s = sentence_at(args.query_offsets, args.key_offsets, b);
      for (int64_t i = 0; i < s.queries; i += kTile) tasks.push_back({s, h, i});
    }
  }
  return tasks;
}

// Keys that any query before `end` may attend.
int64_t keys_before(const Sentence& s, bool causal, int64_t end) {
  return causal ? std::min(end, s.keys) : s.keys;
}

template <typename T>
void drop_tile(const DropoutArgs& dropout, const TileTask& task, int64_t queries, int64_t key, int64_t keys,
               T* factors, T* p) {
  probability_factors(dropout, task.sentence.q_begin + task.query, queries, task.head, key, keys, factors,
                      kTile);
  for (int64_t i = 0; i < queries; ++i) {
#pragma omp simd
    for (int64_t j = 0; j < keys; ++j) p[i * kTile + j] *= factors[i * kTile + j];
  }
}

// The running maximum m and sum l of one query take in a row of scores, which becomes exp(s - m); the output
// so far shrinks by the change of m.
template <typename T>
void online_softmax_row(T* s, int64_t visible, T scale, T* m, T* l, T* o, int64_t Dh) {
  if (visible <= 0) return std::fill_n(s, kTile, T{0}), void();
  const T maximum = row_maximum(s, visible, kTile, scale, *m);
  const T sum = exponentiate_row(s, visible, kTile, scale, maximum);
  const T shrink = std::exp(*m - maximum);  // exp(-inf) = 0 the first time
  for (int64_t d = 0; d < Dh; ++d) o[d] *= shrink;
  *l = *l * shrink + sum;
  *m = maximum;
}

template <typename T>
void finish_query(const AttentionForwardArgs<T>& args, int64_t token, int64_t head, T m, T l, const T* sum) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  T* const o = args.o + token * args.o_stride + head * args.Dh;
  const T inverse = l > 0 ? T{1} / l : T{0};
  for (int64_t d = 0; d < args.Dh; ++d) o[d] = sum[d] * inverse;
  args.lse[head * args.Tq + token] = l > 0 ? m + std::log(l) : -kInfinity;
}

template <typename T>
void forward_tile(const AttentionForwardArgs<T>& args, const TileTask& task) {
  const Sentence& s = task.sentence;
  const int64_t Dh = args.Dh, column = task.head * Dh, queries = std::min(kTile, s.queries - task.query);
  T* const keys_t = thread_scratch<T>(2 * kTile * Dh + 2 * kScores);
  T *const o = keys_t + kTile * Dh, *const p = o + kTile * Dh, *const factors = p + kScores;
  T m[kTile], l[kTile];
  std::fill_n(m, kTile, -std::numeric_limits<T>::infinity());
  std::fill_n(l, kTile, T{0});
  std::fill_n(o, kTile * Dh, T{0});
  const int64_t token = s.q_begin + task.query, end = keys_before(s, args.shape.causal, task.query + queries);
  for (int64_t key = 0; key < end; key += kTile) {
    const int64_t keys = std::min(kTile, end - key);
    transpose(args.k + (s.k_begin + key) * args.k_stride + column, args.k_stride, keys, Dh, keys_t, kTile);
    product<T>({args.q + token * args.q_stride + column, args.q_stride}, keys_t, kTile, queries, kTile, Dh,
               false, p, kTile);
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t visible = std::min(keys, visible_keys(args.shape.causal, task.query + i, s.keys) - key);
      online_softmax_row(p + i * kTile, visible, static_cast<T>(args.shape.scale), m + i, l + i, o + i * Dh,
                         Dh);
    }
    if (args.dropout.active()) drop_tile(args.dropout, task, queries, key, keys, factors, p);
    product<T>({p, kTile}, args.v + (s.k_begin + key) * args.v_stride + column, args.v_stride, queries, Dh,
               keys, true, o, Dh);
  }
  for (int64_t i = 0; i < queries; ++i) finish_query(args, token + i, task.head, m[i], l[i], o + i * Dh);
}

// One sentence and head in backward: pointers to its first query and key, the row terms, and the thread's
// tiles.
template <typename T>
struct HeadBackward {
  const AttentionBackwardArgs<T>& args;
  Sentence sentence;
  int64_t head;
  T *keys_t, *values_t, *p, *ds, *factors, *delta;

  int64_t column() const { return head * args.Dh; }
  const T* query(int64_t i) const { return args.q + (sentence.q_begin + i) * args.q_stride + column(); }
  const T* grad_o(int64_t i) const {
    return args.grad_o + (sentence.q_begin + i) * args.grad_o_stride + column();
  }
  const T* o(int64_t i) const { return args.o + (sentence.q_begin + i) * args.o_stride + column(); }
  T* dq(int64_t i) const { return args.dq + (sentence.q_begin + i) * args.dq_stride + column(); }
  const T* key(int64_t j) const { return args.k + (sentence.k_begin + j) * args.k_stride + column(); }
  const T* value(int64_t j) const { return args.v + (sentence.k_begin + j) * args.v_stride + column(); }
  T* dk(int64_t j) const { return args.dk + (sentence.k_begin + j) * args.dk_stride + column(); }
  T* dv(int64_t j) const { return args.dv + (sentence.k_begin + j) * args.dv_stride + column(); }
};

// Gradients start at zero, and delta_i = do_i . o_i, eq. (5).
template <typename T>
void begin_head(const HeadBackward<T>& head) {
  const int64_t Dh = head.args.Dh;
  for (int64_t i = 0; i < head.sentence.queries; ++i) {
    std::fill_n(head.dq(i), Dh, T{0});
    T sum = 0;
    for (int64_t d = 0; d < Dh; ++d) sum += head.grad_o(i)[d] * head.o(i)[d];
    head.delta[i] = sum;
  }
  for (int64_t j = 0; j < head.sentence.keys; ++j) {
    std::fill_n(head.dk(j), Dh, T{0});
    std::fill_n(head.dv(j), Dh, T{0});
  }
}

// ds (over dp) and the dropped probabilities (over the scores) of one tile, eq. (5).
template <typename T>
void score_gradients(const HeadBackward<T>& head, int64_t query, int64_t queries, int64_t key, int64_t keys) {
  const auto& args = head.args;
  const T scale = static_cast<T>(args.shape.scale);
  const bool drop = args.dropout.active();
  if (drop) {
    probability_factors(args.dropout, head.sentence.q_begin + query, queries, head.head, key, keys,
                        head.factors, kTile);
  }
  for (int64_t i = 0; i < queries; ++i) {
    T *const p = head.p + i * kTile, *const ds = head.ds + i * kTile;
    const T *const factors = head.factors + i * kTile, delta = head.delta[query + i];
    const int64_t visible =
        std::min(keys, visible_keys(args.shape.causal, query + i, head.sentence.keys) - key);
    exponentiate_row(p, visible, kTile, scale,
                     args.lse[head.head * args.Tq + head.sentence.q_begin + query + i]);
#pragma omp simd
    for (int64_t j = 0; j < kTile; ++j) {
      const T factor = drop ? factors[j] : T{1};
      ds[j] = scale * p[j] * (ds[j] * factor - delta);
      p[j] *= factor;
    }
  }
}

template <typename T>
void backward_tile(const HeadBackward<T>& head, int64_t query, int64_t key, int64_t keys) {
  const auto& args = head.args;
  const int64_t Dh = args.Dh, queries = std::min(kTile, head.sentence.queries - query);
  product<T>({head.query(query), args.q_stride}, head.keys_t, kTile, queries, kTile, Dh, false, head.p,
             kTile);
  product<T>({head.grad_o(query), args.grad_o_stride}, head.values_t, kTile, queries, kTile, Dh, false,
             head.ds, kTile);
  score_gradients(head, query, queries, key, keys);
  const MatrixView<T> ds{head.ds, kTile}, dropped{head.p, kTile};
  product(ds, head.key(key), args.k_stride, queries, Dh, keys, true, head.dq(query), args.dq_stride);
  product(transposed(ds), head.query(query), args.q_stride, keys, Dh, queries, true, head.dk(key),
          args.dk_stride);
  product(transposed(dropped), head.grad_o(query), args.grad_o_stride, keys, Dh, queries, true, head.dv(key),
          args.dv_stride);
}

template <typename T>
void backward_head(const AttentionBackwardArgs<T>& args, const Sentence& s, int64_t h) {
  const int64_t Dh = args.Dh;
  T* const keys_t = thread_scratch<T>(2 * kTile * Dh + 3 * kScores + s.queries);
  T *const values_t = keys_t + kTile * Dh, *const p = values_t + kTile * Dh, *const ds = p + kScores;
  T* const factors = ds + kScores;
  std::fill_n(factors, kScores, T{0});
  const HeadBackward<T> head{args, s, h, keys_t, values_t, p, ds, factors, factors + kScores};
  begin_head(head);
  for (int64_t key = 0; key < s.keys; key += kTile) {
    const int64_t keys = std::min(kTile, s.keys - key);
    transpose(head.key(key), args.k_stride, keys, Dh, keys_t, kTile);
    transpose(head.value(key), args.v_stride, keys, Dh, values_t, kTile);
    const int64_t first =
        args.shape.causal ? key : 0;  // tiles are square: earlier queries see none of these keys
    for (int64_t query = first; query < s.queries; query += kTile) backward_tile(head, query, key, keys);
  }
}

}  // namespace

template <typename T>
void attention_forward_long(const AttentionForwardArgs<T>& args) {
  const std::vector<TileTask> tasks = forward_tasks(args);
  parallel_for(static_cast<int64_t>(tasks.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) forward_tile(args, tasks[static_cast<size_t>(t)]);
  });
}

template <typename T>
void attention_backward_long(const AttentionBackwardArgs<T>& args) {
  parallel_for(args.B * args.H, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      backward_head(args, sentence_at(args.query_offsets, args.key_offsets, t % args.B), t / args.B);
    }
  });
}

template void attention_forward_long(const AttentionForwardArgs<float>&);
template void attention_forward_long(const AttentionForwardArgs<double>&);
template void attention_backward_long(const AttentionBackwardArgs<float>&);
template void attention_backward_long(const AttentionBackwardArgs<double>&);

}  // namespace xf::kernels
