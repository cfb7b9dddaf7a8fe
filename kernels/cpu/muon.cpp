// Muon on the CPU: a matrix to a thread, bound by its products, 15 of about 2 k^2 max(rows,
// columns) operations with k the smaller side. A thread that has a matrix to itself multiplies
// alone, so that its bits are the same at any number of threads; a single matrix is multiplied by
// all.
#include "kernels/muon.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/element.h"
#include "kernels/cpu/parameter_blocks.h"
#include "kernels/matmul.h"

namespace xf::kernels {

namespace {

template <typename T>
struct Workspace {
  T *x, *next;          // [rows, columns]
  T *gram, *gram_gram;  // [k, k], k the smaller side

  Workspace(T* begin, int64_t size, int64_t k)
      : x(begin), next(begin + size), gram(begin + 2 * size), gram_gram(begin + 2 * size + k * k) {}
};

// c [M, N] written, or accumulated.
template <typename T>
void multiply(const T* a, Transpose transpose_a, const T* b, Transpose transpose_b, Accumulate accumulate,
              int64_t M, int64_t N, int64_t K, T* c) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  matmul(Cpu<kLevel>{}, MatmulArgs<T>{.a = a,
                                      .b = b,
                                      .c = c,
                                      .M = M,
                                      .N = N,
                                      .K = K,
                                      .a_stride = ta ? M : K,
                                      .b_stride = tb ? K : N,
                                      .c_stride = N,
                                      .transpose_a = ta,
                                      .transpose_b = tb,
                                      .accumulate = accumulate == Accumulate::yes});
}

// MU4, once: w.x. A tall matrix is multiplied from the right, X (X^T X) = (X X^T) X, so that the
// square matrices have its smaller side.
template <typename T>
void iterate(int64_t rows, int64_t columns, Workspace<T>& w) {
  constexpr MuonPolynomial f;
  constexpr auto a = static_cast<T>(f.a), b = static_cast<T>(f.b), c = static_cast<T>(f.c);
  const bool tall = rows > columns;
  const int64_t k = std::min(rows, columns), size = rows * columns;
  multiply(w.x, tall ? Transpose::yes : Transpose::no, w.x, tall ? Transpose::no : Transpose::yes,
           Accumulate::no, k, k, std::max(rows, columns), w.gram);
  multiply(w.gram, Transpose::no, w.gram, Transpose::no, Accumulate::no, k, k, k, w.gram_gram);
#pragma omp simd
  for (int64_t i = 0; i < k * k; ++i) w.gram[i] = b * w.gram[i] + c * w.gram_gram[i];
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) w.next[i] = a * w.x[i];
  if (tall) {
    multiply(w.x, Transpose::no, w.gram, Transpose::no, Accumulate::yes, rows, columns, columns, w.next);
  } else {
    multiply(w.gram, Transpose::no, w.x, Transpose::no, Accumulate::yes, rows, columns, rows, w.next);
  }
  std::swap(w.x, w.next);
}

// MU1, MU2, MU3: w.x.
template <typename T>
void begin_iteration(const MuonArgs<T>& args, int64_t begin, T scale, const Workspace<T>& w) {
  const int64_t size = args.rows * args.columns;
  const T momentum = args.options.momentum;
  T *const m = args.m + begin, *const g = args.g + begin;
  double squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < size; ++i) {
    const T gradient = (T{1} - momentum) * scale * g[i];
    m[i] = momentum * m[i] + gradient;
    w.x[i] = momentum * m[i] + gradient;
    squares += static_cast<double>(w.x[i]) * static_cast<double>(w.x[i]);
    g[i] = T{0};
  }
  const auto factor = static_cast<T>(squares > 0 ? 1 / std::sqrt(squares) : 0.0);
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) w.x[i] *= factor;
}

// MU5
template <typename T>
void descend(const MuonArgs<T>& args, int64_t begin, const T* x) {
  const int64_t size = args.rows * args.columns;
  const double rate = args.step[0];
  const auto along =
      static_cast<T>(rate * kMuonRms * std::sqrt(static_cast<double>(std::max(args.rows, args.columns))));
  const auto decay = static_cast<T>(rate * args.options.weight_decay);
  T* const p = args.p + begin;
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) p[i] -= along * x[i] + decay * p[i];
  round_block(p, 0, size, args.rounded ? args.rounded + begin : nullptr);
}

}  // namespace

template <typename T, CpuLevel L>
void muon(Cpu<L>, const MuonArgs<T>& args) {
  const int64_t size = args.rows * args.columns, k = std::min(args.rows, args.columns);
  const double norm = std::sqrt(*args.norm_squared) * static_cast<double>(args.step[3]);
  const auto scale = static_cast<T>(gradient_scale(norm, args.step[3], args.clip_norm));
  for (int64_t first = 0; first < args.matrices; first += args.at_a_time) {
    const int64_t count = std::min(args.at_a_time, args.matrices - first);
    parallel_for(count, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        const int64_t begin = args.begins[first + i];
        if (!std::isfinite(norm)) {
          std::fill_n(args.g + begin, size, T{0});
          continue;
        }
        Workspace<T> w(args.workspace + i * muon_workspace(args.rows, args.columns), size, k);
        begin_iteration(args, begin, scale, w);
        for (int iteration = 0; iteration < kMuonIterations; ++iteration) iterate(args.rows, args.columns, w);
        descend(args, begin, w.x);
      }
    });
  }
}

template <>
void muon(Cpu<kLevel>, const MuonArgs<bf16>&) {
  refuse_bf16("muon");
}

template void muon(Cpu<kLevel>, const MuonArgs<float>&);
template void muon(Cpu<kLevel>, const MuonArgs<double>&);

}  // namespace xf::kernels
