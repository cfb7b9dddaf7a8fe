// Attention of long sentences in tiles of 64 queries by 64 keys, after Dao 2023, arXiv:2307.08691:
// forward keeps a running maximum and sum per query, backward rebuilds the probabilities from lse.
// The forward pass is parallel over (sentence, head, query tile); the backward pass over (sentence,
// key head), so that every sum is added up by one thread, in order. Equation numbers:
// docs/derivations/attention.md.
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

// AT9. What forward keeps per query of a tile: running maximum and sum, and how much the last step
// shrank what came before.
template <typename T>
struct RunningSoftmax {
  alignas(64) T maximum[kTile], sum[kTile], shrink[kTile];
};

// Takes in a tile of scores [keys, ld], which becomes exp(s - maximum). The first tile holds key 0,
// which every query sees, so that no maximum stays -inf.
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
                 const RunningSoftmax<Acc<T>>& running, const Acc<T>* sums) {
  using A = Acc<T>;
  for (int64_t i = 0; i < queries; ++i) {
    const int64_t token = task.sentence.q_begin + task.query + i;
    const A sum = running.sum[i], inverse = task.sentence.keys > 0 ? A{1} / sum : A{0};
    T* const o = args.o + token * args.o_stride + task.head * args.Dh;
    for (int64_t d = 0; d < args.Dh; ++d) store(sums[i * args.Dh + d] * inverse, o + d);
    // -inf without keys
    args.lse[task.head * args.Tq + token] = running.maximum[i] + std::log(sum);
  }
}

template <typename T>
void forward_tile(const AttentionForwardArgs<T>& args, const TileTask& task) {
  using A = Acc<T>;
  const Sentence& s = task.sentence;
  const int64_t Dh = args.Dh, queries = std::min(kTile, s.queries - task.query), ld = padded(queries);
  A* const queries_t = thread_scratch<A>(2 * kTile * Dh + 2 * kScores + widened_size<T>(kTile, Dh));
  A *const o = queries_t + kTile * Dh, *const p = o + kTile * Dh, *const factors = p + kScores,
           *const wide_keys = factors + kScores;
  RunningSoftmax<A> running;
  std::fill_n(running.maximum, kTile, -std::numeric_limits<A>::infinity());
  std::fill_n(running.sum, kTile, A{0});
  std::fill_n(o, queries * Dh, A{0});
  transpose(args.q + (s.q_begin + task.query) * args.q_stride + task.head * Dh, args.q_stride, queries, Dh,
            queries_t, ld);
  const int64_t end = args.shape.causal ? std::min(task.query + queries, s.keys) : s.keys;
  const int64_t key_column = task.head / args.group * Dh;  // AT11
  for (int64_t key = 0; key < end; key += kTile) {
    const int64_t keys = std::min(kTile, end - key);
    const MatrixView<T> k{args.k + (s.k_begin + key) * args.k_stride + key_column, args.k_stride};
    const MatrixView<A> dropped{p, ld};
    product(widened(k, keys, Dh, wide_keys), queries_t, ld, keys, ld, Dh, false, p, ld);
    take_in<A>(p, keys, ld, args.shape.causal, task.query - key, args.shape.scale, running);
    if (args.dropout.active()) drop_tile(args.dropout, task, key, keys, factors, p, ld);
    for (int64_t i = 0; i < queries; ++i) {
#pragma omp simd
      for (int64_t d = 0; d < Dh; ++d) o[i * Dh + d] *= running.shrink[i];
    }
    product(transposed(dropped), args.v + (s.k_begin + key) * args.v_stride + key_column, args.v_stride,
            queries, Dh, keys, true, o, Dh);
  }
  finish_tile(args, task, queries, running, o);
}

// Rows of an output that products of several tiles are added to: the output itself, or, where it
// would round every partial sum, scratch.
template <typename T>
struct Sums {
  Acc<T>* data;
  int64_t row;
  Acc<T>* at(int64_t i) const { return data + i * row; }
};

// Zeros; `scratch` [rows, columns] is not touched where sums are kept in place.
template <typename T>
Sums<T> begin_sums(T* out, int64_t out_row, int64_t rows, int64_t columns, [[maybe_unused]] Acc<T>* scratch) {
  Sums<T> sums;
  if constexpr (kComputesInPlace<T>) {
    sums = {out, out_row};
  } else {
    sums = {scratch, columns};
  }
  for (int64_t i = 0; i < rows; ++i) std::fill_n(sums.at(i), columns, Acc<T>{0});
  return sums;
}

template <typename T>
void finish_sums(const Sums<T>& sums, T* out, int64_t out_row, int64_t rows, int64_t columns) {
  if constexpr (kComputesInPlace<T>) return;
  for (int64_t i = 0; i < rows; ++i) {
    T* const to = out + i * out_row;
#pragma omp simd
    for (int64_t d = 0; d < columns; ++d) store(sums.at(i)[d], to + d);
  }
}

// One sentence and query head in backward: pointers to its first query and key, the sums of dq, the
// row terms, and the thread's tiles.
template <typename T>
struct HeadBackward {
  using A = Acc<T>;
  const AttentionBackwardArgs<T>& args;
  Sentence sentence;
  int64_t head;
  A *rows_t, *p, *ds, *factors, *delta;
  Sums<T> dq_sums;

  int64_t column() const { return head * args.Dh; }
  int64_t key_column() const { return head / args.group * args.Dh; }  // AT11
  const T* query(int64_t i) const { return args.q + (sentence.q_begin + i) * args.q_stride + column(); }
  const T* grad_o(int64_t i) const {
    return args.grad_o + (sentence.q_begin + i) * args.grad_o_stride + column();
  }
  const T* o(int64_t i) const { return args.o + (sentence.q_begin + i) * args.o_stride + column(); }
  T* dq(int64_t i) const { return args.dq + (sentence.q_begin + i) * args.dq_stride + column(); }
  const T* key(int64_t j) const { return args.k + (sentence.k_begin + j) * args.k_stride + key_column(); }
  const T* value(int64_t j) const { return args.v + (sentence.k_begin + j) * args.v_stride + key_column(); }
  T* dk(int64_t j) const { return args.dk + (sentence.k_begin + j) * args.dk_stride + key_column(); }
  T* dv(int64_t j) const { return args.dv + (sentence.k_begin + j) * args.dv_stride + key_column(); }
};

// delta_i = do_i . o_i, AT5.
template <typename T>
void row_terms(const HeadBackward<T>& head) {
  for (int64_t i = 0; i < head.sentence.queries; ++i) {
    Acc<T> sum = 0;
    for (int64_t d = 0; d < head.args.Dh; ++d) sum += widen(head.grad_o(i)[d]) * widen(head.o(i)[d]);
    head.delta[i] = sum;
  }
}

// ds, over dp, and the dropped probabilities, over the scores, of one tile [keys, ld]; AT5.
template <typename T>
void score_gradients(const HeadBackward<T>& head, int64_t query, int64_t queries, int64_t key, int64_t keys,
                     int64_t ld) {
  using A = Acc<T>;
  const auto& args = head.args;
  const Sentence& s = head.sentence;
  const A scale = args.shape.scale;
  alignas(64) A lse[kTile] = {}, delta[kTile] = {};
  std::copy_n(args.lse + head.head * args.Tq + s.q_begin + query, queries, lse);
  std::copy_n(head.delta + query, queries, delta);
  A* const factors = args.dropout.active() ? head.factors : nullptr;
  if (factors) probability_factors(args.dropout, s.q_begin + query, head.head, key, keys, factors, ld);
  for (int64_t column = 0; column < ld; column += kLanes<A>) {
    const BandMask<A> mask(args.shape.causal, column, query - key, keys);
    const Lanes<A> row_lse = load_lanes(lse + column), row_delta = load_lanes(delta + column);
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t at = j * ld + column;
      const Lanes<A> factor = factors ? load_lanes(factors + at) : Lanes<A>{} + A{1};
      // AT10
      const Lanes<A> p = vector_exp(mask.apply(scale * load_lanes(head.p + at) - row_lse, j));
      store_lanes<A>(scale * p * (load_lanes(head.ds + at) * factor - row_delta), head.ds + at);
      store_lanes<A>(p * factor, head.p + at);
    }
  }
}

// One tile's keys and values as first factors, and where its sums go.
template <typename T>
struct KeyTile {
  int64_t first, keys;
  MatrixView<Acc<T>> k, v;
  Sums<T> dk, dv;
};

template <typename T>
void backward_tile(const HeadBackward<T>& head, const KeyTile<T>& tile, int64_t query) {
  const auto& args = head.args;
  const int64_t Dh = args.Dh, queries = std::min(kTile, head.sentence.queries - query), ld = padded(queries);
  const auto [key, keys] = std::pair(tile.first, tile.keys);
  transpose(head.query(query), args.q_stride, queries, Dh, head.rows_t, ld);
  product(tile.k, head.rows_t, ld, keys, ld, Dh, false, head.p, ld);
  transpose(head.grad_o(query), args.grad_o_stride, queries, Dh, head.rows_t, ld);
  product(tile.v, head.rows_t, ld, keys, ld, Dh, false, head.ds, ld);
  score_gradients(head, query, queries, key, keys, ld);
  const MatrixView<Acc<T>> ds{head.ds, ld}, dropped{head.p, ld};
  product(transposed(ds), tile.k.data, tile.k.row, queries, Dh, keys, true, head.dq_sums.at(query),
          head.dq_sums.row);
  product(ds, head.query(query), args.q_stride, keys, Dh, queries, true, tile.dk.at(0), tile.dk.row);
  product(dropped, head.grad_o(query), args.grad_o_stride, keys, Dh, queries, true, tile.dv.at(0),
          tile.dv.row);
}

// The query heads of a key head. They share the thread's tiles; row terms and, where they are not
// kept in place, sums of dq are each head's own, one head's after the other's in `rows`.
template <typename T>
std::vector<HeadBackward<T>> begin_heads(const AttentionBackwardArgs<T>& args, const Sentence& s,
                                         int64_t key_head, Acc<T>* tiles, Acc<T>* rows) {
  const int64_t wide = widened_size<T>(s.queries, args.Dh);
  Acc<T>*const p = tiles + kTile * args.Dh, *const ds = p + kScores, *const factors = ds + kScores;
  std::vector<HeadBackward<T>> heads;
  for (int64_t g = 0; g < args.group; ++g) {
    Acc<T>*const delta = rows + g * (s.queries + wide), *const sums = delta + s.queries;
    HeadBackward<T> head{args, s, key_head * args.group + g, tiles, p, ds, factors, delta, {}};
    head.dq_sums = begin_sums(head.dq(0), args.dq_stride, s.queries, args.Dh, sums);
    row_terms(head);
    heads.push_back(head);
  }
  return heads;
}

template <typename T>
void backward_key_head(const AttentionBackwardArgs<T>& args, const Sentence& s, int64_t key_head) {
  using A = Acc<T>;
  const int64_t Dh = args.Dh, wide = widened_size<T>(kTile, Dh);
  A* const tiles = thread_scratch<A>(kTile * Dh + 3 * kScores + 4 * wide +
                                     args.group * (s.queries + widened_size<T>(s.queries, Dh)));
  A* const key_tiles = tiles + kTile * Dh + 3 * kScores;
  const auto heads = begin_heads(args, s, key_head, tiles, key_tiles + 4 * wide);
  const HeadBackward<T>& any = heads.front();  // they have their keys in common
  for (int64_t key = 0; key < s.keys; key += kTile) {
    const int64_t keys = std::min(kTile, s.keys - key);
    const MatrixView<T> k{any.key(key), args.k_stride}, v{any.value(key), args.v_stride};
    const KeyTile<T> tile{.first = key,
                          .keys = keys,
                          .k = widened(k, keys, Dh, key_tiles),
                          .v = widened(v, keys, Dh, key_tiles + wide),
                          .dk = begin_sums(any.dk(key), args.dk_stride, keys, Dh, key_tiles + 2 * wide),
                          .dv = begin_sums(any.dv(key), args.dv_stride, keys, Dh, key_tiles + 3 * wide)};
    for (const HeadBackward<T>& head : heads) {  // AT12
      // Tiles are square: earlier queries see none of these keys.
      for (int64_t query = args.shape.causal ? key : 0; query < s.queries; query += kTile)
        backward_tile(head, tile, query);
    }
    finish_sums(tile.dk, any.dk(key), args.dk_stride, keys, Dh);
    finish_sums(tile.dv, any.dv(key), args.dv_stride, keys, Dh);
  }
  for (const HeadBackward<T>& head : heads)
    finish_sums(head.dq_sums, head.dq(0), args.dq_stride, s.queries, Dh);
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
  parallel_for(args.B * args.H / args.group, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      backward_key_head(args, sentence_at(args.query_offsets, args.key_offsets, t % args.B), t / args.B);
    }
  });
}

template void attention_forward_long(const AttentionForwardArgs<float>&);
template void attention_forward_long(const AttentionForwardArgs<double>&);
template void attention_forward_long(const AttentionForwardArgs<bf16>&);
template void attention_backward_long(const AttentionBackwardArgs<float>&);
template void attention_backward_long(const AttentionBackwardArgs<double>&);
template void attention_backward_long(const AttentionBackwardArgs<bf16>&);

}  // namespace xf::kernels
