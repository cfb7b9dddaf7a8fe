// Masked softmax on the CPU. The end of a row that does not fill a register costs one element what
// a register costs, so short rows are computed several at a time, as one array: what each of its
// elements needs of its own row, the maximum or one over the sum, is written out beside it. Longer
// rows, which their ends cost little, are computed one at a time.
#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

template <typename A>
constexpr A kInfinity = std::numeric_limits<A>::infinity();

constexpr int64_t kBlock = kRegisterBytes / sizeof(float);  // elements
constexpr int64_t kLongestShort = 64;                       // elements of a row that is computed
                                                            // with others,
constexpr int64_t kLongestRagged = 128;  // and of one with a costly end that attends to all keys
constexpr int64_t kRunElements = 1024;   // of such rows, so that they stay in the first-level cache

int64_t padded(int64_t n) { return (n + kBlock - 1) / kBlock * kBlock; }

// The keys that a row may attend.
template <typename T>
struct Keys {
  int64_t visible;      // no key from here on
  const int32_t* mask;  // of the row; nullptr: all ones

  Keys(const SoftmaxForwardArgs<T>& args, int64_t row) {
    const int64_t b = row / (args.H * args.Sq), i = row % args.Sq;
    visible = args.lengths ? std::clamp<int64_t>(args.lengths[b], 0, args.Sk) : args.Sk;
    if (args.causal) visible = std::min(visible, i + 1);
    mask = args.mask ? args.mask + (b * args.Sq + i) * args.Sk : nullptr;
  }
};

// What SM1 subtracts, and what it multiplies by. A row without a key has no maximum, and the sum of
// its terms is 0; so has a row of NaN, but its sum is NaN and stays visible.
template <typename A>
A shift_of(A maximum) {
  return maximum == -kInfinity<A> ? A{0} : maximum;
}
template <typename A>
A inverse_of(A sum) {
  return sum == 0 ? A{0} : A{1} / sum;
}

// Compiled once each: a row must have the same sum, to the last bit, however it is computed and
// padded.
template <typename A>
[[gnu::noinline]] A sum_of_short(const A* terms, int64_t n) {
  A sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < n; ++j) sum += terms[j];
  return sum;
}

// In four registers: one alone waits for each addition.
template <typename A>
[[gnu::noinline]] A sum_of_long(const A* terms, int64_t n) {
  constexpr int64_t kLanes = 4 * kBlock;
  A lanes[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
#pragma omp simd
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += terms[j + lane];
  }
  return sum_of_short(lanes, kLanes) + sum_of_short(terms + j, n - j);
}

template <typename A>
A sum_of(const A* terms, int64_t n) {
  return n > kLongestRagged ? sum_of_long(terms, n) : sum_of_short(terms, n);
}

// SM1 of one row. terms [Sk]: where the exponentials wait for their sum; p itself, or scratch where
// p would round them.
template <bool kMasked, typename T>
void forward_row(const T* s, const Keys<T>& keys, int64_t Sk, Acc<T>* terms, T* p) {
  using A = Acc<T>;
  const int64_t visible = keys.visible;
  const int32_t* const mask = keys.mask;
  A maximum = -kInfinity<A>;
#pragma omp simd reduction(max : maximum)
  for (int64_t j = 0; j < visible; ++j) {
    const A score = widen(s[j]), seen = !kMasked || mask[j] != 0 ? score : -kInfinity<A>;
    terms[j] = seen;
    maximum = std::max(maximum, seen);
  }
  const A shift = shift_of(maximum);
#pragma omp simd
  for (int64_t j = 0; j < visible; ++j) terms[j] = vector_exp(terms[j] - shift);
  const A inverse = inverse_of(sum_of(terms, visible));
#pragma omp simd
  for (int64_t j = 0; j < visible; ++j) store(terms[j] * inverse, p + j);
  fill_zero(p + visible, Sk - visible);
}

// numbers [count * width, and up to a block behind it] written: value(r) for each element of row r.
template <typename A, typename Value>
void write_for_rows(int64_t count, int64_t width, const Value& value, A* numbers) {
  for (int64_t r = 0; r < count; ++r) {
    const A number = value(r);
    A* const row = numbers + r * width;
#pragma omp simd
    // the next row writes over what is too much
    for (int64_t j = 0; j < padded(width); ++j) row[j] = number;
  }
}

// The largest score of the keys that a row of `width` may attend; the others become -infinity.
template <bool kMasked, typename A>
A hide_keys(const int32_t* mask, int64_t visible, int64_t width, A* scores) {
  const int64_t whole = visible / kBlock * kBlock;
  A maximum = -kInfinity<A>;
#pragma omp simd reduction(max : maximum)
  for (int64_t j = 0; j < whole; ++j) {
    const A score = scores[j], seen = !kMasked || mask[j] != 0 ? score : -kInfinity<A>;
    if (kMasked) scores[j] = seen;
    maximum = std::max(maximum, seen);
  }
  if (whole < width) {  // a whole block as well: what is in it of the next row is written as it was
    const auto left = static_cast<int32_t>(visible - whole), of_row = static_cast<int32_t>(width - whole);
    A* const rest = scores + whole;
    int32_t attends[kBlock];
#pragma omp simd
    for (int32_t j = 0; j < kBlock; ++j) {
      attends[j] = 0;
      if (j < left) attends[j] = kMasked ? mask[whole + j] : 1;
    }
#pragma omp simd reduction(max : maximum)
    for (int32_t j = 0; j < kBlock; ++j) {
      const A score = rest[j], seen = attends[j] != 0 ? score : -kInfinity<A>;
      rest[j] = j < of_row ? seen : score;
      maximum = std::max(maximum, seen);
    }
    if (whole + kBlock < width) std::fill(rest + kBlock, scores + width, -kInfinity<A>);
  }
  return maximum;
}

// Elements of scratch for an array of a run of rows.
int64_t room_of_run(int64_t rows, int64_t width) { return padded(rows * width) + kBlock; }

// SM1 of `count` rows from `first` on. terms, numbers [room_of_run()]: scratch.
template <typename T>
void forward_run(const SoftmaxForwardArgs<T>& args, int64_t first, int64_t count, Acc<T>* terms,
                 Acc<T>* numbers) {
  using A = Acc<T>;
  const int64_t Sk = args.Sk, size = count * Sk;
  const T* const s = args.s + first * Sk;
  T* const p = args.p + first * Sk;
#pragma omp simd
  for (int64_t j = 0; j < size; ++j) terms[j] = widen(s[j]);
  std::fill_n(terms + size, kBlock, A{0});
  int64_t visible[kRowBlock];
  const auto shift = [&](int64_t r) {
    const Keys<T> keys(args, first + r);
    visible[r] = keys.visible;
    return shift_of(keys.mask ? hide_keys<true>(keys.mask, keys.visible, Sk, terms + r * Sk)
                              : hide_keys<false>(keys.mask, keys.visible, Sk, terms + r * Sk));
  };
  write_for_rows(count, Sk, shift, numbers);
#pragma omp simd
  for (int64_t j = 0; j < padded(size); ++j) terms[j] = vector_exp(terms[j] - numbers[j]);
  const auto inverse = [&](int64_t r) { return inverse_of(sum_of(terms + r * Sk, visible[r])); };
  write_for_rows(count, Sk, inverse, numbers);
#pragma omp simd
  for (int64_t j = 0; j < size; ++j) store(terms[j] * numbers[j], p + j);
}

// sum_k p_k dp_k of SM3
template <typename T>
Acc<T> product_of(const T* dp, const T* p, int64_t D) {
  Acc<T> delta = 0;
#pragma omp simd reduction(+ : delta)
  for (int64_t j = 0; j < D; ++j) delta += widen(p[j]) * widen(dp[j]);
  return delta;
}

template <typename T>
void backward_row(const T* dp, const T* p, int64_t D, T* ds) {
  const Acc<T> delta = product_of(dp, p, D);
#pragma omp simd
  for (int64_t j = 0; j < D; ++j) store(widen(p[j]) * (widen(dp[j]) - delta), ds + j);
}

// SM3 of `count` rows. numbers [room_of_run()]: scratch.
template <typename T>
void backward_run(const T* dp, const T* p, int64_t count, int64_t D, Acc<T>* numbers, T* ds) {
  write_for_rows(
      count, D, [&](int64_t r) { return product_of(dp + r * D, p + r * D, D); }, numbers);
#pragma omp simd
  for (int64_t j = 0; j < count * D; ++j) store(widen(p[j]) * (widen(dp[j]) - numbers[j]), ds + j);
}

// body(first, count) for runs of short rows, in parallel.
template <typename Body>
void for_each_short_run(int64_t N, int64_t width, const Body& body) {
  const int64_t rows = std::min(kRunElements / width, kRowBlock);
  parallel_for(N, row_grain(width), [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += rows) body(first, std::min(rows, end - first));
  });
}

}  // namespace

template <typename T, CpuLevel L>
void softmax_forward(Cpu<L>, const SoftmaxForwardArgs<T>& args) {
  using A = Acc<T>;
  const int64_t rows = args.B * args.H * args.Sq, Sk = args.Sk;
  const bool ragged = Sk % kBlock != 0 && !args.causal && !args.mask;
  if (Sk <= (ragged ? kLongestRagged : kLongestShort)) {
    for_each_short_run(rows, Sk, [&](int64_t first, int64_t count) {
      const int64_t room = room_of_run(count, Sk);
      A* const scratch = thread_scratch<A, Scratch::row>(2 * room);
      forward_run(args, first, count, scratch, scratch + room);
    });
    return;
  }
  for_each_row(rows, Sk, [&](int64_t row) {
    const Keys<T> keys(args, row);
    const T* const s = args.s + row * Sk;
    T* const p = args.p + row * Sk;
    A* const terms = unrounded(p, Sk);
    if (keys.mask) {
      forward_row<true>(s, keys, Sk, terms, p);
    } else {
      forward_row<false>(s, keys, Sk, terms, p);
    }
  });
}

template <typename T, CpuLevel L>
void softmax_backward(Cpu<L>, const SoftmaxBackwardArgs<T>& args) {
  // Without exponentials a row's end costs less: rows that end with a register are left alone, and
  // of elements that need no widening all but the shortest.
  constexpr int64_t kRegister = kRegisterBytes / sizeof(T),
                    kLongest = kLongestShort / (kComputesInPlace<T> ? 2 : 1);
  const int64_t D = args.D;
  if (D <= kLongest && D % kRegister != 0) {
    for_each_short_run(args.N, D, [&](int64_t first, int64_t count) {
      Acc<T>* const numbers = thread_scratch<Acc<T>, Scratch::row>(room_of_run(count, D));
      backward_run(args.dp + first * D, args.p + first * D, count, D, numbers, args.ds + first * D);
    });
    return;
  }
  for_each_row(args.N, D,
               [&](int64_t row) { backward_row(args.dp + row * D, args.p + row * D, D, args.ds + row * D); });
}

XF_INSTANTIATE(softmax_forward, SoftmaxForwardArgs);
XF_INSTANTIATE(softmax_backward, SoftmaxBackwardArgs);

}  // namespace xf::kernels
