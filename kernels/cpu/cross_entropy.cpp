// Cross-entropy on the CPU: a row of logits (40 KB at V = 10000) comes from memory once and stays
// in the second-level cache for three passes: maximum and sum; exponentials and their sum;
// gradient. The exponentials wait in dz (bf16: beside it, unrounded) for the third pass, which
// costs half of computing them again.
#include "kernels/cross_entropy.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

// A row of logits as its loops read it, by value: GCC keeps pointers that it sees through a
// reference in memory, and gathers.
template <typename T, bool kHasBias>
struct Logits {
  const T *z, *bias;
  int64_t V;
  Acc<T> operator[](int64_t v) const {
    if constexpr (kHasBias) return widen(z[v]) + widen(bias[v]);
    return widen(z[v]);
  }
};

template <typename A>
struct Statistics {
  A largest, mean;
};

template <typename T, bool kHasBias>
Statistics<Acc<T>> statistics(const Logits<T, kHasBias> z) {
  using A = Acc<T>;
  A largest = -std::numeric_limits<A>::infinity(), sum = 0;
#pragma omp simd reduction(max : largest) reduction(+ : sum)
  for (int64_t v = 0; v < z.V; ++v) {
    largest = z[v] > largest ? z[v] : largest;
    sum += z[v];
  }
  return {largest, sum / static_cast<A>(z.V)};
}

// sum_v exp(z_v - largest);  the terms are written to `terms` [V], which may be z, unless it is
// null.
template <typename T, bool kHasBias>
Acc<T> sum_exponentials(const Logits<T, kHasBias> z, Acc<T> largest, Acc<T>* terms) {
  Acc<T> sum = 0;
  if (terms) {
#pragma omp simd reduction(+ : sum)
    for (int64_t v = 0; v < z.V; ++v) {
      const Acc<T> term = vector_exp(z[v] - largest);
      terms[v] = term;
      sum += term;
    }
  } else {
#pragma omp simd reduction(+ : sum)
    for (int64_t v = 0; v < z.V; ++v) sum += vector_exp(z[v] - largest);
  }
  return sum;
}

// CE3: dz_v = p_v - eps / V, the target apart, where p_v = terms_v rsum; terms [V], which may be
// dz, holds the exponentials. dbias [V], optional, += dz.
template <typename T>
void write_gradient(const Acc<T>* terms, int64_t V, Acc<T> rsum, Acc<T> uniform, T* dz, Acc<T>* dbias) {
  if (dbias) {
#pragma omp simd
    for (int64_t v = 0; v < V; ++v) {
      const Acc<T> gradient = terms[v] * rsum - uniform;
      store(gradient, dz + v);
      dbias[v] += gradient;
    }
  } else {
#pragma omp simd
    for (int64_t v = 0; v < V; ++v) store(terms[v] * rsum - uniform, dz + v);
  }
}

// CE1: partial = {loss, -log p_t, dbias [V] if asked for}
template <typename T, bool kHasBias>
void cross_entropy_row(const CrossEntropyArgs<T>& args, int64_t n, Acc<T>* partial) {
  using A = Acc<T>;
  const int64_t V = args.V;
  const int32_t target = args.targets[n];
  T* const dz = args.dz ? args.dz + n * args.stride : nullptr;
  if (target == args.ignore_id) {
    if (dz) fill_zero(dz, V);
    return;
  }
  XF_CHECK(target >= 0 && target < V, "cross_entropy: target {} of row {} is outside of the {} logits",
           target, n, V);
  const Logits<T, kHasBias> z{args.z + n * args.stride, args.bias, V};
  const A smoothing = static_cast<A>(args.label_smoothing), confidence = A{1} - smoothing;
  const A target_logit = z[target];
  const auto [largest, mean] = statistics(z);
  A* const terms = dz ? unrounded(dz, V) : nullptr;
  const A sum = sum_exponentials(z, largest, terms), lse = largest + std::log(sum);
  const A counted_mean = smoothing > 0 ? mean : A{0};  // 0 times a mean of -infinity is NaN
  partial[0] += lse - confidence * target_logit - smoothing * counted_mean;
  partial[1] += lse - target_logit;
  if (!dz) return;
  A* const dbias = args.dbias ? partial + 2 : nullptr;
  const A rsum = A{1} / sum, uniform = smoothing / static_cast<A>(V);
  const A target_gradient = terms[target] * rsum - uniform - confidence;
  write_gradient(terms, V, rsum, uniform, dz, dbias);
  store(target_gradient, dz + target);
  if (dbias) dbias[target] -= confidence;
}

}  // namespace

template <typename T, CpuLevel L>
void cross_entropy(Cpu<L>, const CrossEntropyArgs<T>& args) {
  using A = Acc<T>;
  const int64_t V = args.V;
  const int64_t width = 2 + (args.dbias ? V : 0);
  const A* sums = column_sums<A>(args.N, V, width, [&](int64_t n, A* partial) {
    if (args.bias) {
      cross_entropy_row<T, true>(args, n, partial);
    } else {
      cross_entropy_row<T, false>(args, n, partial);
    }
  });
  add_to(sums, 2, args.loss);
  if (args.dbias) add_to(sums + 2, V, args.dbias);
}

XF_INSTANTIATE(cross_entropy, CrossEntropyArgs);

}  // namespace xf::kernels
