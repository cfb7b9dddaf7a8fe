// Divergence on the CPU: a pair's two rows stay in the second-level cache for their four passes. Their exponentials wait
// unrounded in memory of the thread.
#include "kernels/divergence.h"

#include <limits>

#include "kernels/cpu/level.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

// terms_v = exp(z_v + bias_v - largest);  returns 1 / their sum.
template <typename T>
Acc<T> exponentials(const T* z, const T* bias, int64_t V, Acc<T>* terms) {
  using A = Acc<T>;
  A largest = -std::numeric_limits<A>::infinity(), sum = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t v = 0; v < V; ++v) {
    terms[v] = bias ? widen(z[v]) + widen(bias[v]) : widen(z[v]);
    largest = terms[v] > largest ? terms[v] : largest;
  }
#pragma omp simd reduction(+ : sum)
  for (int64_t v = 0; v < V; ++v) {
    terms[v] = vector_exp(terms[v] - largest);
    sum += terms[v];
  }
  return A{1} / sum;
}

// SD1, SD2, SD3 of pair n.  Returns J_n.
template <typename T>
Acc<T> diverge(const DivergenceArgs<T>& args, int64_t n) {
  using A = Acc<T>;
  const int64_t V = args.V;
  const T *const first = args.z + n * args.stride, *const second = args.z + (n + args.N) * args.stride;
  thread_local std::vector<A> scratch;
  if (static_cast<int64_t>(scratch.size()) < 2 * V) scratch.resize(static_cast<size_t>(2 * V));
  A *const p = scratch.data(), *const q = p + V;
  const A p_scale = exponentials(first, args.bias, V, p), q_scale = exponentials(second, args.bias, V, q);
  A p_sum = 0, q_sum = 0;
#pragma omp simd reduction(+ : p_sum, q_sum)
  for (int64_t v = 0; v < V; ++v) {
    const A d = widen(first[v]) - widen(second[v]);
    p_sum += p[v] * d;
    q_sum += q[v] * d;
  }
  const A p_mean = p_sum * p_scale, q_mean = q_sum * q_scale, weight = static_cast<A>(args.options.weight);
  T *const dfirst = args.dz + n * args.stride, *const dsecond = args.dz + (n + args.N) * args.stride;
#pragma omp simd
  for (int64_t v = 0; v < V; ++v) {
    const A d = widen(first[v]) - widen(second[v]), pv = p[v] * p_scale, qv = q[v] * q_scale;
    store(weight * (pv * (d - p_mean) + pv - qv), dfirst + v);
    store(weight * (qv * (q_mean - d) + qv - pv), dsecond + v);
  }
  return p_mean - q_mean;
}

}  // namespace

template <typename T, CpuLevel L>
void divergence(Cpu<L>, const DivergenceArgs<T>& args) {
  using A = Acc<T>;
  const A* const sum = column_sums<A>(args.N, 2 * args.V, 1, [&](int64_t n, A* partial) {
    if (args.targets[n] != args.options.ignore_id) {
      *partial += diverge(args, n);
    } else {
      fill_zero(args.dz + n * args.stride, args.V);
      fill_zero(args.dz + (n + args.N) * args.stride, args.V);
    }
  });
  *args.loss += static_cast<A>(args.options.weight) * *sum;
}

template void divergence(Cpu<kLevel>, const DivergenceArgs<float>&);
template void divergence(Cpu<kLevel>, const DivergenceArgs<double>&);
template void divergence(Cpu<kLevel>, const DivergenceArgs<bf16>&);

}  // namespace xf::kernels
