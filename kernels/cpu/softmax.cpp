#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/level.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

// p_j <- exp(s_j - max) / sum over the keys j < visible with mask_j != 0 (mask nullptr: all of them), else 0  (SM1).
// `terms` [Sk]: where the exponentials wait for their sum; p itself, or scratch where p would round them.
template <typename T>
void softmax_row(const T* s, const int32_t* mask, int64_t visible, int64_t Sk, Acc<T>* terms, T* p) {
  using A = Acc<T>;
  constexpr A kInfinity = std::numeric_limits<A>::infinity();
  A maximum = -kInfinity;
#pragma omp simd reduction(max : maximum)
  for (int64_t j = 0; j < visible; ++j) {
    const A masked = !mask || mask[j] != 0 ? widen(s[j]) : -kInfinity;
    terms[j] = masked;
    maximum = std::max(maximum, masked);
  }
  if (visible == 0 || maximum == -kInfinity) {  // no key, or all scores are NaN, which max() does not see
    const bool bad = std::any_of(terms, terms + visible, [](A value) { return std::isnan(value); });
    std::fill_n(p, Sk, static_cast<T>(bad ? std::numeric_limits<A>::quiet_NaN() : A{0}));
    return;
  }
  A sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < visible; ++j) {
    const A e = vector_exp(terms[j] - maximum);
    terms[j] = e;
    sum += e;
  }
  const A inverse = A{1} / sum;
#pragma omp simd
  for (int64_t j = 0; j < visible; ++j) store(terms[j] * inverse, p + j);
  fill_zero(p + visible, Sk - visible);
}

}  // namespace

template <typename T, CpuLevel L>
void softmax_forward(Cpu<L>, const SoftmaxForwardArgs<T>& args) {
  for_each_row(args.B * args.H * args.Sq, args.Sk, [&](int64_t row) {
    const int64_t b = row / (args.H * args.Sq), i = row % args.Sq;
    int64_t visible = args.lengths ? std::clamp<int64_t>(args.lengths[b], 0, args.Sk) : args.Sk;
    if (args.causal) visible = std::min(visible, i + 1);
    const int32_t* const mask = args.mask ? args.mask + (b * args.Sq + i) * args.Sk : nullptr;
    T* const p = args.p + row * args.Sk;
    softmax_row(args.s + row * args.Sk, mask, visible, args.Sk, unrounded(p, args.Sk), p);
  });
}

template <typename T, CpuLevel L>
void softmax_backward(Cpu<L>, const SoftmaxBackwardArgs<T>& args) {
  for_each_row(args.N, args.D, [&](int64_t row) {
    const T *const dp = args.dp + row * args.D, *const p = args.p + row * args.D;
    T* const ds = args.ds + row * args.D;
    Acc<T> delta = 0;  // SM3
#pragma omp simd reduction(+ : delta)
    for (int64_t j = 0; j < args.D; ++j) delta += widen(p[j]) * widen(dp[j]);
#pragma omp simd
    for (int64_t j = 0; j < args.D; ++j) store(widen(p[j]) * (widen(dp[j]) - delta), ds + j);
  });
}

template void softmax_forward(Cpu<kLevel>, const SoftmaxForwardArgs<float>&);
template void softmax_forward(Cpu<kLevel>, const SoftmaxForwardArgs<double>&);
template void softmax_forward(Cpu<kLevel>, const SoftmaxForwardArgs<bf16>&);
template void softmax_backward(Cpu<kLevel>, const SoftmaxBackwardArgs<float>&);
template void softmax_backward(Cpu<kLevel>, const SoftmaxBackwardArgs<double>&);
template void softmax_backward(Cpu<kLevel>, const SoftmaxBackwardArgs<bf16>&);

}  // namespace xf::kernels
