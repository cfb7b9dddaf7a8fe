// R-Drop's loss on the CPU: a pair's two rows stay in the second-level cache for their four passes,
// and the gradient is written over them. Their exponentials wait unrounded in memory of the thread.
#include "kernels/r_drop.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

// Of a row of logits, the bias among them.
template <typename A>
struct Softmax {
  A* terms;  // [V], times scale: the probabilities
  A scale, lse, mean;
};

// terms_v = exp(z_v + bias_v - largest)
template <typename T>
Softmax<Acc<T>> softmax(const T* z, const T* bias, int64_t V, Acc<T>* terms) {
  using A = Acc<T>;
  A largest = -std::numeric_limits<A>::infinity(), total = 0, sum = 0;
#pragma omp simd reduction(max : largest) reduction(+ : total)
  for (int64_t v = 0; v < V; ++v) {
    terms[v] = bias ? widen(z[v]) + widen(bias[v]) : widen(z[v]);
    largest = terms[v] > largest ? terms[v] : largest;
    total += terms[v];
  }
#pragma omp simd reduction(+ : sum)
  for (int64_t v = 0; v < V; ++v) {
    terms[v] = vector_exp(terms[v] - largest);
    sum += terms[v];
  }
  return {terms, A{1} / sum, largest + std::log(sum), total / static_cast<A>(V)};
}

// What the factor p counts of x: nothing where it is 0, as of a word that cannot come, though x be
// infinite or, of one that cannot come in either row, NaN.
template <bool kAllFinite, typename A>
A counted(A p, A x) {
  if constexpr (kAllFinite) return x;
  return p == 0 ? A{0} : x;
}

// SD1: <d>_p and <d>_q of d = first - second.
template <bool kAllFinite, typename T>
std::pair<Acc<T>, Acc<T>> mean_differences(const T* first, const T* second, int64_t V,
                                           const Softmax<Acc<T>> p, const Softmax<Acc<T>> q) {
  Acc<T> p_sum = 0, q_sum = 0;
#pragma omp simd reduction(+ : p_sum, q_sum)
  for (int64_t v = 0; v < V; ++v) {
    const Acc<T> d = widen(first[v]) - widen(second[v]);
    p_sum += p.terms[v] * counted<kAllFinite>(p.terms[v], d);
    q_sum += q.terms[v] * counted<kAllFinite>(q.terms[v], d);
  }
  return {p_sum * p.scale, q_sum * q.scale};
}

// SD2 of a row with the probability p and the other's q, d turned to this row; and its
// cross-entropy's, the target apart.
template <bool kAllFinite, typename A>
A gradient(A p, A q, A d, A mean, A divergence, A uniform) {
  return p - uniform +
         divergence * counted<kAllFinite>(divergence, p * counted<kAllFinite>(p, d - mean) + p - q);
}

// SD3, SD4, CE1, CE3 of pair n: partial += {loss, -log p_t - log q_t, dbias [V] if asked for}.
// kAllFinite: no logit is infinite.
template <bool kAllFinite, typename T>
void finish_pair(const RDropArgs<T>& args, int64_t n, const Softmax<Acc<T>> p, const Softmax<Acc<T>> q,
                 Acc<T>* partial) {
  using A = Acc<T>;
  const int64_t V = args.V, target = args.targets[n];
  const T *const first = args.z + n * args.stride, *const second = first + args.N * args.stride;
  T *const dfirst = args.dz + n * args.stride, *const dsecond = dfirst + args.N * args.stride;
  const auto [p_mean, q_mean] = mean_differences<kAllFinite>(first, second, V, p, q);
  const A weight = static_cast<A>(args.options.divergence),
          smoothing = static_cast<A>(args.options.label_smoothing), confidence = A{1} - smoothing;
  const A target_bias = args.bias ? widen(args.bias[target]) : A{0},
          target_logits = widen(first[target]) + widen(second[target]) + 2 * target_bias;
  partial[0] += p.lse + q.lse - confidence * target_logits -
                smoothing * counted<kAllFinite>(smoothing, p.mean + q.mean) +
                weight * counted<kAllFinite>(weight, p_mean - q_mean);
  partial[1] += p.lse + q.lse - target_logits;
  const A uniform = smoothing / static_cast<A>(V);
  const auto gradients = [=](A d, A p_term, A q_term) {
    const A pv = p_term * p.scale, qv = q_term * q.scale;
    return std::pair(gradient<kAllFinite>(pv, qv, d, p_mean, weight, uniform),
                     gradient<kAllFinite>(qv, pv, -d, -q_mean, weight, uniform));
  };
  const auto [dp_target, dq_target] =
      gradients(widen(first[target]) - widen(second[target]), p.terms[target], q.terms[target]);
  A* const dbias = args.dbias ? partial + 2 : nullptr;
#pragma omp simd
  for (int64_t v = 0; v < V; ++v) {
    const A d = widen(first[v]) - widen(second[v]);
    const auto [dp, dq] = gradients(d, p.terms[v], q.terms[v]);
    store(dp, dfirst + v);
    store(dq, dsecond + v);
    if (dbias) dbias[v] += dp + dq;
  }
  store(dp_target - confidence, dfirst + target);
  store(dq_target - confidence, dsecond + target);
  if (dbias) dbias[target] -= 2 * confidence;
}

template <typename T>
void pair(const RDropArgs<T>& args, int64_t n, Acc<T>* partial) {
  using A = Acc<T>;
  const int64_t V = args.V, target = args.targets[n];
  const T *const first = args.z + n * args.stride, *const second = first + args.N * args.stride;
  if (target == args.options.ignore_id) {
    fill_zero(args.dz + n * args.stride, V);
    fill_zero(args.dz + (n + args.N) * args.stride, V);
    return;
  }
  XF_CHECK(target >= 0 && target < V, "r_drop: target {} of pair {} is outside of the {} logits", target, n,
           V);
  thread_local std::vector<A> scratch;
  if (static_cast<int64_t>(scratch.size()) < 2 * V) scratch.resize(static_cast<size_t>(2 * V));
  const Softmax<A> p = softmax(first, args.bias, V, scratch.data()),
                   q = softmax(second, args.bias, V, scratch.data() + V);
  if (std::isfinite(p.mean) && std::isfinite(q.mean)) {
    finish_pair<true>(args, n, p, q, partial);
  } else {
    finish_pair<false>(args, n, p, q, partial);
  }
}

}  // namespace

template <typename T, CpuLevel L>
void r_drop(Cpu<L>, const RDropArgs<T>& args) {
  using A = Acc<T>;
  const int64_t width = 2 + (args.dbias ? args.V : 0);
  const A* const sums =
      column_sums<A>(args.N, 2 * args.V, width, [&](int64_t n, A* partial) { pair(args, n, partial); });
  add_to(sums, 2, args.loss);
  if (args.dbias) add_to(sums + 2, args.V, args.dbias);
}

XF_INSTANTIATE(r_drop, RDropArgs);

}  // namespace xf::kernels
