// A decoding step's attention on the CPU. Keys come a register of scores at a time: their products
// with the query are kept as registers over the head's width, and transposing the square of them
// turns the sums across each register into sums between registers. Values are added up in
// registers, which go to memory once.
#include <limits>

#include "core/parallel.h"
#include "kernels/attention.h"
#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

// One head of one hypothesis: where its keys and values lie in the cache.
template <typename T>
struct StepHead {
  const T *q, *k, *v;
  int64_t k_stride, v_stride;
  const int32_t* rows;
  int64_t keys, width;
  Acc<T> scale;
};

// scale * q . k_j for the keys from `first` on; lanes past the last key repeat it.
template <typename T>
Lanes<Acc<T>> step_scores(const StepHead<T>& head, int64_t first) {
  constexpr int n = kLanes<Acc<T>>;
  const T* k[n];
  for (int64_t l = 0; l < n; ++l)
    k[l] = head.k + head.rows[std::min(first + l, head.keys - 1)] * head.k_stride;
  Lanes<Acc<T>> sums[n] = {};
  int64_t d = 0;
  for (; d + n <= head.width; d += n) {
    const Lanes<Acc<T>> q = load_lanes(head.q + d);
#pragma GCC unroll 8
    for (int l = 0; l < n; ++l) sums[l] += q * load_lanes(k[l] + d);
  }
  transpose_square(sums);
  Lanes<Acc<T>> scores = sums[0];
#pragma GCC unroll 8
  for (int l = 1; l < n; ++l) scores += sums[l];
  for (; d < head.width; ++d) {
    for (int l = 0; l < n; ++l) scores[l] += widen(head.q[d]) * widen(k[l][d]);
  }
  return scores * head.scale;
}

// o = inverse * sum_j p_j v_j, kVectors registers of its columns from d on.
template <int kVectors, typename T>
void step_values(const StepHead<T>& head, const Acc<T>* p, Acc<T> inverse, int64_t d, T* o) {
  constexpr int n = kLanes<Acc<T>>;
  Lanes<Acc<T>> sums[kVectors] = {};
  for (int64_t j = 0; j < head.keys; ++j) {
    const T* const v = head.v + head.rows[j] * head.v_stride + d;
#pragma GCC unroll 4
    for (int i = 0; i < kVectors; ++i) sums[i] += p[j] * load_lanes(v + i * n);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kVectors; ++i) store_lanes(Lanes<Acc<T>>(sums[i] * inverse), o + d + i * n);
}

// p: scratch for the keys, rounded up to a register. There is at least one key.
template <typename T>
void step_head(const StepHead<T>& head, Acc<T>* p, T* o) {
  using A = Acc<T>;
  constexpr int n = kLanes<A>;
  constexpr A kInfinity = std::numeric_limits<A>::infinity();
  Lanes<A> maxima = Lanes<A>{} - kInfinity, sums{};
  for (int64_t j = 0; j < head.keys; j += n) {
    const Lanes<A> scores = step_scores(head, j);
    maxima = scores > maxima ? scores : maxima;
    store_lanes(scores, p + j);
  }
  const A maximum = maximum_of<A>(maxima);
  std::fill(p + head.keys, p + (head.keys + n - 1) / n * n, -kInfinity);
  for (int64_t j = 0; j < head.keys; j += n) {
    const Lanes<A> e = vector_exp(load_lanes(p + j) - maximum);
    store_lanes(e, p + j);
    sums += e;
  }
  const A inverse = A{1} / sum_of<A>(sums);
  int64_t d = 0;
  for (; d + 4 * n <= head.width; d += 4 * n) step_values<4>(head, p, inverse, d, o);
  for (; d + n <= head.width; d += n) step_values<1>(head, p, inverse, d, o);
  for (; d < head.width; ++d) {
    A sum = 0;
    for (int64_t j = 0; j < head.keys; ++j) sum += p[j] * widen(head.v[head.rows[j] * head.v_stride + d]);
    store(sum * inverse, o + d);
  }
}

}  // namespace

template <typename T, CpuLevel L>
void attention_step(Cpu<L>, const AttentionStepArgs<T>& args) {
  const int64_t D = args.H * args.Dh;
  parallel_for(args.R, row_grain(args.S * D), [&](int64_t begin, int64_t end) {
    Acc<T>* const p = thread_scratch<Acc<T>>(args.S + kLanes<Acc<T>>);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t keys = args.lengths[r];
      XF_CHECK(0 <= keys && keys <= args.S, "attention_step: lengths[{}] must be in 0..{}, got {}", r, args.S,
               keys);
      T* const o = args.o + r * args.o_stride;
      if (keys == 0) fill_zero(o, D);
      for (int64_t h = 0; keys > 0 && h < args.H; ++h) {
        const int64_t key_column = h / args.group * args.Dh;  // AT11
        step_head({.q = args.q + r * args.q_stride + h * args.Dh,
                   .k = args.k + key_column,
                   .v = args.v + key_column,
                   .k_stride = args.k_stride,
                   .v_stride = args.v_stride,
                   .rows = args.rows + r * args.S,
                   .keys = keys,
                   .width = args.Dh,
                   .scale = static_cast<Acc<T>>(args.scale)},
                  p, o + h * args.Dh);
      }
    }
  });
}

XF_INSTANTIATE(attention_step, AttentionStepArgs);

}  // namespace xf::kernels
