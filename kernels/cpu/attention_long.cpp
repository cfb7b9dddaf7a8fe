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

// What forward keeps per query of a tile: running maximum and sum, and how much the last step shrank what
// came before.
template <typename T>
struct RunningSoftmax {
  alignas(64) T maximum[kTile], sum[kTile], shrink[kTile];
};

// Takes in a tile of scores [keys, ld], which becomes exp(s - maximum). The first tile holds key 0, which
// every query sees, so that no maximum stays -inf.
template <typename T>
void take_in(T* s, int64_t keys, int64_t ld, bool causal, int64_t offset, T scale,
             RunningSoftmax<T>& running) {
  for (int64_t column = 0; column < ld; column += kLanes<T>) {
    const Lanes<T> before = load_lanes(running.maximum + column);
    const BandSums<T> band =
        exponentiate_band(s + column, keys, ld, BandMask<T>(causal, column, offset, keys), scale, before);
    const Lanes<T> shrink = vector_exp(before - band.maximum);  // exp(-inf) = 0 the first time
    store_lanes<T>(shrink, running.shrink + column);
    store_lanes<T>(load_lanes(running.sum + column) * shrink + band.sum, running.sum + column);
    store_lanes<T>(band.maximum, running.maximum + column);
  }
}

template <typename T>
void drop_tile(const DropoutArgs& dropout, const TileTask& task, int64_t key, int64_t keys, T* factors, T* p,
               int64_t ld) {
  probability_factors(dropout, task.sentence.q_begin + task.query, task.head, key, keys, factors, ld);
#pragma omp simd
  for (int64_t i = 0; i < keys * ld; ++i) p[i] *= factors[i];
}

// o = sum of the dropped exponentials times v, over the sum of all; lse = maximum + log(sum).
template <typename T>
void finish_tile(const AttentionForwardArgs<T>& args, const TileTask& task, int64_t queries,
                 const RunningSoftmax<T>& running, const T* sums) {
  for (int64_t i = 0; i < queries; ++i) {
    const int64_t token = task.sentence.q_begin + task.query + i;
    const T sum = running.sum[i], inverse = task.sentence.keys > 0 ? T{1} / sum : T{0};
    T* const o = args.o + token * args.o_stride + task.head * args.Dh;
    for (int64_t d = 0; d < args.Dh; ++d) o[d] = sums[i * args.Dh + d] * inverse;
    args.lse[task.head * args.Tq + token] = running.maximum[i] + std::log(sum);  // -inf without keys
  }
}

template <typename T>
void forward_tile(const AttentionForwardArgs<T>& args, const TileTask& task) {
  const Sentence& s = task.sentence;
  const int64_t Dh = args.Dh, queries = std::min(kTile, s.queries - task.query), ld = padded(queries);
  T* const queries_t = thread_scratch<T>(2 * kTile * Dh + 2 * kScores);
  T *const o = queries_t + kTile * Dh, *const p = o + kTile * Dh, *const factors = p + kScores;
  RunningSoftmax<T> running;
  std::fill_n(running.maximum, kTile, -std::numeric_limits<T>::infinity());
  std::fill_n(running.sum, kTile, T{0});
  std::fill_n(o, queries * Dh, T{0});
  transpose(args.q + (s.q_begin + task.query) * args.q_stride + task.head * Dh, args.q_stride, queries, Dh,
            queries_t, ld);
  const int64_t end = args.shape.causal ? std::min(task.query + queries, s.keys) : s.keys;
  for (int64_t key = 0; key < end; key += kTile) {
    const int64_t keys = std::min(kTile, end - key);
    const MatrixView<T> k{args.k + (s.k_begin + key) * args.k_stride + task.head * Dh, args.k_stride},
        dropped{p, ld};
    product(k, queries_t, ld, keys, ld, Dh, false, p, ld);
    take_in(p, keys, ld, args.shape.causal, task.query - key, static_cast<T>(args.shape.scale), running);
    if (args.dropout.active()) drop_tile(args.dropout, task, key, keys, factors, p, ld);
    for (int64_t i = 0; i < queries; ++i) {
#pragma omp simd
      for (int64_t d = 0; d < Dh; ++d) o[i * Dh + d] *= running.shrink[i];
    }
    product(transposed(dropped), args.v + (s.k_begin + key) * args.v_stride + task.head * Dh, args.v_stride,
            queries, Dh, keys, true, o, Dh);
  }
  finish_tile(args, task, queries, running, o);
}

// One sentence and head in backward: pointers to its first query and key, the row terms, and the thread's
// tiles.
template <typename T>
struct HeadBackward {
  const AttentionBackwardArgs<T>& args;
  Sentence sentence;
  int64_t head;
  T *rows_t, *p, *ds, *factors, *delta;

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

// ds, over dp, and the dropped probabilities, over the scores, of one tile [keys, ld]; eq. (5).
template <typename T>
void score_gradients(const HeadBackward<T>& head, int64_t query, int64_t queries, int64_t key, int64_t keys,
                     int64_t ld) {
  const auto& args = head.args;
  const Sentence& s = head.sentence;
  const T scale = static_cast<T>(args.shape.scale);
  alignas(64) T lse[kTile] = {}, delta[kTile] = {};
  std::copy_n(args.lse + head.head * args.Tq + s.q_begin + query, queries, lse);
  std::copy_n(head.delta + query, queries, delta);
  T* const factors = args.dropout.active() ? head.factors : nullptr;
  if (factors) probability_factors(args.dropout, s.q_begin + query, head.head, key, keys, factors, ld);
  for (int64_t column = 0; column < ld; column += kLanes<T>) {
    const BandMask<T> mask(args.shape.causal, column, query - key, keys);
    const Lanes<T> row_lse = load_lanes(lse + column), row_delta = load_lanes(delta + column);
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t at = j * ld + column;
      const Lanes<T> factor = factors ? load_lanes(factors + at) : Lanes<T>{} + T{1};
      const Lanes<T> p = vector_exp(mask.apply(scale * load_lanes(head.p + at) - row_lse, j));
      store_lanes<T>(scale * p * (load_lanes(head.ds + at) * factor - row_delta), head.ds + at);
      store_lanes<T>(p * factor, head.p + at);
    }
  }
}

template <typename T>
void backward_tile(const HeadBackward<T>& head, int64_t query, int64_t key, int64_t keys) {
  const auto& args = head.args;
  const int64_t Dh = args.Dh, queries = std::min(kTile, head.sentence.queries - query), ld = padded(queries);
  const MatrixView<T> k{head.key(key), args.k_stride}, v{head.value(key), args.v_stride};
  transpose(head.query(query), args.q_stride, queries, Dh, head.rows_t, ld);
  product(k, head.rows_t, ld, keys, ld, Dh, false, head.p, ld);
  transpose(head.grad_o(query), args.grad_o_stride, queries, Dh, head.rows_t, ld);
  product(v, head.rows_t, ld, keys, ld, Dh, false, head.ds, ld);
  score_gradients(head, query, queries, key, keys, ld);
  const MatrixView<T> ds{head.ds, ld}, dropped{head.p, ld};
  product(transposed(ds), k.data, k.row, queries, Dh, keys, true, head.dq(query), args.dq_stride);
  product(ds, head.query(query), args.q_stride, keys, Dh, queries, true, head.dk(key), args.dk_stride);
  product(dropped, head.grad_o(query), args.grad_o_stride, keys, Dh, queries, true, head.dv(key),
          args.dv_stride);
}

template <typename T>
void backward_head(const AttentionBackwardArgs<T>& args, const Sentence& s, int64_t h) {
  T* const rows_t = thread_scratch<T>(kTile * args.Dh + 3 * kScores + s.queries);
  T *const p = rows_t + kTile * args.Dh, *const ds = p + kScores, *const factors = ds + kScores;
  const HeadBackward<T> head{args, s, h, rows_t, p, ds, factors, factors + kScores};
  begin_head(head);
  for (int64_t key = 0; key < s.keys; key += kTile) {
    const int64_t first =
        args.shape.causal ? key : 0;  // tiles are square: earlier queries see none of these keys
    for (int64_t query = first; query < s.queries; query += kTile) {
      backward_tile(head, query, key, std::min(kTile, s.keys - key));
    }
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
