// The k best of a row: a sorted list of the best so far, and blocks that are passed over whole when
// their largest logit does not reach the worst of the list, which after the first few hundred
// columns is nearly always. A row is looked at kColumns at a time, while they are in a near cache:
// by the k best, then, where scores are normalised, by the sum of exponentials, which is brought to
// a new maximum where the columns hold one.
#include "kernels/top_k.h"

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/element.h"
#include "kernels/cpu/linear_panels.h"
#include "kernels/cpu/quantized_rows.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

constexpr int64_t kBlock = 64;
constexpr int64_t kColumns = 16 * kPanel;

// Rows whose logits of kColumns columns stay in the second-level cache, and enough of them for a
// thread to read all weights.
constexpr int64_t kMostRows = 264, kLeastRows = 24;

// What some columns of a row have shown so far: the best, and sum_v exp(z_v - maximum).
template <typename T>
struct RowSoFar {
  Acc<T>* values;  // best first; equal values in the order in which they came, that is, of their
                   // ids
  int32_t* ids;
  int64_t count = 0;
  bool has_nan = false;
  Acc<T> maximum = -std::numeric_limits<Acc<T>>::infinity(), sum = 0;
};

// Whether any of a whole block exceeds the threshold, or is NaN.
template <typename T>
bool any_above(const T* block, Acc<T> threshold) {
  auto below = load_lanes(block) <= threshold;
  for (int64_t i = kLanes<Acc<T>>; i < kBlock; i += kLanes<Acc<T>>)
    below &= load_lanes(block + i) <= threshold;
  return any(~below);
}

template <typename T>
void offer(const TopKArgs<T>& args, Acc<T> logit, int32_t id, RowSoFar<T>& row) {
  row.has_nan |= std::isnan(logit);
  if (row.count == args.K && !(logit > row.values[row.count - 1])) return;
  if (std::find(args.banned, args.banned + args.M, id) != args.banned + args.M) return;
  if (row.count < args.K) ++row.count;
  int64_t place = row.count - 1;
  for (; place > 0 && logit > row.values[place - 1]; --place) {
    row.values[place] = row.values[place - 1];
    row.ids[place] = row.ids[place - 1];
  }
  row.values[place] = logit;
  row.ids[place] = id;
}

// TK2: n logits, those of the ids from `first` on.
template <typename T>
void find_best(const TopKArgs<T>& args, const T* z, int64_t first, int64_t n, RowSoFar<T>& row) {
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, n);
    if (row.count == args.K && end - begin == kBlock && !any_above(z + begin, row.values[row.count - 1]))
      continue;
    for (int64_t i = begin; i < end; ++i) offer(args, widen(z[i]), static_cast<int32_t>(first + i), row);
  }
}

template <typename T>
void add_exponentials(const T* z, int64_t n, RowSoFar<T>& row) {
  using A = Acc<T>;
  const int64_t whole = n / kLanes<A> * kLanes<A>;
  Lanes<A> maxima = Lanes<A>{} + row.maximum, sums{};
  for (int64_t i = 0; i < whole; i += kLanes<A>) {
    const Lanes<A> values = load_lanes(z + i);
    maxima = values > maxima ? values : maxima;
  }
  A maximum = maximum_of<A>(maxima);
  for (int64_t i = whole; i < n; ++i) maximum = std::max(maximum, widen(z[i]));
  const A base = std::isinf(maximum) ? A{0} : maximum;  // nothing but -infinity so far
  for (int64_t i = 0; i < whole; i += kLanes<A>) sums += vector_exp(load_lanes(z + i) - base);
  A sum = sum_of<A>(sums);
  for (int64_t i = whole; i < n; ++i) sum += vector_exp(widen(z[i]) - base);
  if (row.sum != 0) sum += row.sum * vector_exp(row.maximum - maximum);
  row.sum = sum;
  row.maximum = maximum;
}

template <typename T>
void see_columns(const TopKArgs<T>& args, const T* z, int64_t first, int64_t n, RowSoFar<T>& row) {
  find_best(args, z, first, n, row);
  if (args.normalise) add_exponentials(z, n, row);
}

template <typename T>
void finish(const TopKArgs<T>& args, const RowSoFar<T>& row) {
  Acc<T> normaliser = row.has_nan ? std::numeric_limits<Acc<T>>::quiet_NaN() : Acc<T>{0};
  if (args.normalise) normaliser = row.maximum + std::log(row.sum);  // TK1
  for (int64_t k = 0; k < row.count; ++k) row.values[k] -= normaliser;
}

template <typename T>
RowSoFar<T> nothing_yet(const TopKArgs<T>& args, int64_t n) {
  return {args.scores + n * args.K, args.ids + n * args.K};
}

// Rows begin .. end-1, at most kMostRows: project(first, n, z) writes the logits of n ids from
// `first` on, rows kColumns apart.
template <typename Project>
void choose_rows(const TopKArgs<float>& args, int64_t begin, int64_t end, const Project& project) {
  thread_local std::vector<float> logits;
  logits.resize(static_cast<size_t>(kMostRows * kColumns));
  std::vector<RowSoFar<float>> rows;
  for (int64_t n = begin; n < end; ++n) rows.push_back(nothing_yet(args, n));
  for (int64_t first = 0; first < args.V; first += kColumns) {
    const int64_t columns = std::min(kColumns, args.V - first);
    project(first, columns, logits.data());
    for (int64_t n = 0; n < end - begin; ++n)
      see_columns(args, logits.data() + n * kColumns, first, columns, rows[static_cast<size_t>(n)]);
  }
  for (const RowSoFar<float>& row : rows) finish(args, row);
}

void project_rows(const LinearForwardArgs<float>& projection, const TopKArgs<float>& args, int64_t begin,
                  int64_t end) {
  choose_rows(args, begin, end, [&](int64_t first, int64_t columns, float* z) {
    LinearForwardArgs<float> part = projection;
    part.x += begin * part.x_stride;
    part.N = end - begin;
    part.w += first * part.w_stride;
    part.bias += first;
    part.M = columns;
    part.y = z;
    part.y_stride = kColumns;
    linear_panels(part);
  });
}

void project_rows(const QuantizedLinearArgs& projection, const TopKArgs<float>& args, int64_t begin,
                  int64_t end) {
  static_assert(kColumns % kStrip == 0);
  QuantizedLinearArgs of_rows = projection;
  of_rows.x += begin * of_rows.x_stride;
  of_rows.N = end - begin;
  thread_local QuantizedRows rows;
  quantize_rows(of_rows, rows);
  choose_rows(args, begin, end, [&](int64_t first, int64_t columns, float* z) {
    QuantizedLinearArgs part = strips_of(of_rows, first / kStrip, (first + columns + kStrip - 1) / kStrip);
    part.y = z;
    part.y_stride = kColumns;
    multiply_rows(rows, part);
  });
}

// Whether there are rows enough for each thread to read all weights; if so, they are chosen from.
template <typename Projection>
bool project_by_rows(const Projection& projection, const TopKArgs<float>& args) {
  if (args.N < kLeastRows * thread_count()) return false;
  parallel_for(args.N, kLeastRows, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; n += kMostRows)
      project_rows(projection, args, n, std::min(n + kMostRows, end));
  });
  return true;
}

}  // namespace

template <typename T, CpuLevel L>
void log_softmax_top_k(Cpu<L>, const TopKArgs<T>& args) {
  for_each_row(args.N, args.V, [&](int64_t n) {
    const T* const z = args.z + n * args.z_stride;
    RowSoFar<T> row = nothing_yet(args, n);
    for (int64_t first = 0; first < args.V; first += kColumns)
      see_columns(args, z + first, first, std::min(kColumns, args.V - first), row);
    finish(args, row);
  });
}

template <>
bool projection_top_k_at_once(Cpu<kLevel>, const LinearForwardArgs<float>& projection,
                              const TopKArgs<float>& args) {
  return fits_panels(projection.K) && project_by_rows(projection, args);
}

template <>
bool projection_top_k_at_once(Cpu<kLevel>, const QuantizedLinearArgs& projection,
                              const TopKArgs<float>& args) {
  return project_by_rows(projection, args);
}

XF_INSTANTIATE(log_softmax_top_k, TopKArgs);

}  // namespace xf::kernels
