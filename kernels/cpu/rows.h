// Loops over rows, and sums over rows whose bits do not depend on the number of threads: rows are cut into
// blocks of a constant size, one thread adds up a block, and the blocks' partial sums are added in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/element.h"

namespace xf::kernels {

// Rows in a block: few enough to feed many threads, enough that the partial sums are a small part of the
// traffic.
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

// sum_n of what body(n, partial) adds to partial [width], D elements of work per row. The result is scratch
// of the calling thread, valid until its next call.
template <typename A, typename Body>
const A* column_sums(int64_t N, int64_t D, int64_t width, const Body& body) {
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
      for (int64_t n = block * kRowBlock; n < last; ++n) body(n, partial);
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

// y += x
template <typename X, typename Y>
void add_to(const X* x, int64_t n, Y* y) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) store(widen(y[i]) + static_cast<Acc<Y>>(x[i]), y + i);
}

}  // namespace xf::kernels
