// Loops over rows, and sums over rows whose bits do not depend on the number of threads: rows are
// cut into blocks of a constant size, one thread adds up a block, and the blocks' partial sums are
// added in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/element.h"

namespace xf::kernels {

// Rows in a block: few enough to feed many threads, enough that the partial sums are a small part
// of the traffic.
constexpr int64_t kRowBlock = 64;

// Elements below which starting the threads costs more than it saves.
constexpr int64_t kSerialElements = 16384;

inline int64_t row_grain(int64_t D) {
  return std::max<int64_t>(1, kSerialElements / std::max<int64_t>(D, 1));
}

// body(n) for each row, in parallel. Rows must be independent.
template <typename Body>
void for_each_row(int64_t N, int64_t D, const Body& body) {
  parallel_for(N, row_grain(D), [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) body(n);
  });
}

// How many rows of D are a run: where rows are widened, as many as the first-level cache holds with
// room to spare. What waits for itself in a row (the last additions of its sum, a root) then waits
// beside that of other rows, where a body does one step of a run's rows before the next. Else one:
// loads of the next row go beside what is computed of this one.
template <typename T>
inline int64_t rows_of_run(int64_t D) {
  constexpr int64_t kElements = 1024;
  return kComputesInPlace<T> ? 1 : std::clamp<int64_t>(kElements / std::max<int64_t>(D, 1), 1, kRowBlock);
}

// body(first, count) for the runs of rows of T, in parallel. Rows must be independent.
template <typename T, typename Body>
void for_each_run(int64_t N, int64_t D, const Body& body) {
  const int64_t rows = rows_of_run<T>(D);
  parallel_for(N, row_grain(D), [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += rows) body(first, std::min(rows, end - first));
  });
}

// Sums over all rows of what body(first, count, partial) adds for a run of at most `rows` to
// partial [width], D elements of work per row. The result is scratch of the calling thread, valid
// until its next call.
template <typename A, typename Body>
const A* column_sums_of_runs(int64_t N, int64_t D, int64_t rows, int64_t width, const Body& body) {
  thread_local std::vector<A> scratch;
  const int64_t blocks = std::max<int64_t>(1, (N + kRowBlock - 1) / kRowBlock);
  scratch.resize(
      static_cast<size_t>(std::max<int64_t>(blocks * width, static_cast<int64_t>(scratch.size()))));
  A* const partials = scratch.data();
  parallel_for(blocks, std::max<int64_t>(1, row_grain(D) / kRowBlock), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      A* const partial = partials + block * width;
      std::fill_n(partial, width, A{0});
      const int64_t last = std::min(N, (block + 1) * kRowBlock);
      for (int64_t first = block * kRowBlock; first < last; first += rows)
        body(first, std::min(rows, last - first), partial);
    }
  });
  parallel_for(width, std::max<int64_t>(1, kSerialElements / blocks), [&](int64_t begin, int64_t end) {
    for (int64_t block = 1; block < blocks; ++block) {
      const A* const partial = partials + block * width;
#pragma omp simd
      for (int64_t i = begin; i < end; ++i) partials[i] += partial[i];
    }
  });
  return partials;
}

// The same of body(n, partial) for each row.
template <typename A, typename Body>
const A* column_sums(int64_t N, int64_t D, int64_t width, const Body& body) {
  return column_sums_of_runs<A>(N, D, 1, width, [&](int64_t n, int64_t, A* partial) { body(n, partial); });
}

// y += x
template <typename X, typename Y>
void add_to(const X* x, int64_t n, Y* y) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) store(widen(y[i]) + static_cast<Acc<Y>>(x[i]), y + i);
}

}  // namespace xf::kernels
