// Elementary functions that GCC vectorises inside `omp simd` loops: branch-free and inline. libm's
// expf is neither, and vectorising it would need -ffast-math, which breaks the NaN checks. In f64
// they are libm's: gradient checks need accuracy, not speed.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/lanes.h"

namespace xf::kernels {

// e^x within 2 ulp. 0 below -87.33, where the result would be denormal; infinity above 88.37; NaN
// stays NaN. x = n ln 2 + r with |r| <= ln(2)/2; ln 2 in two parts so that r is exact (Cody, Waite
// 1980); e^r by its Taylor series to r^7, whose remainder is 3e-9. Real is float and Bits uint32_t,
// or a register of each.
template <typename Real, typename Bits>
inline Real exp_of(Real x) {
  constexpr float kLowest = -87.33f, kHighest = 88.37f, kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves an integer in the low bits
  const Real bounded = x < kLowest ? kLowest : x;
  const Real inside = bounded > kHighest ? kHighest : bounded;
  const Real shifted = inside * kLog2E + kRound;
  const Real n = shifted - kRound;
  const Real r = (inside - n * kLn2High) - n * kLn2Low;
  Real series = r * (1.0f / 5040.0f) + 1.0f / 720.0f;
  series = series * r + 1.0f / 120.0f;
  series = series * r + 1.0f / 24.0f;
  series = series * r + 1.0f / 6.0f;
  series = series * r + 0.5f;
  series = series * r + 1.0f;
  series = series * r + 1.0f;
  const Real power = std::bit_cast<Real>((std::bit_cast<Bits>(shifted) << 23) + 0x3f800000u);
  const Real product = series * power;
  const Real result = x > kHighest ? std::numeric_limits<float>::infinity() : product;
  return x < kLowest ? 0.0f : result;
}
inline float vector_exp(float x) { return exp_of<float, uint32_t>(x); }
inline double vector_exp(double x) { return std::exp(x); }
inline Lanes<float> vector_exp(Lanes<float> x) {
  using Bits = uint32_t __attribute__((vector_size(sizeof(Lanes<float>))));
  return exp_of<Lanes<float>, Bits>(x);
}
inline Lanes<double> vector_exp(Lanes<double> x) {
  for (int l = 0; l < kLanes<double>; ++l) x[l] = std::exp(x[l]);
  return x;
}

// The standard normal distribution's Phi(z) and its density phi(z) = exp(-z^2/2) / sqrt(2 pi).
template <typename T>
struct Normal {
  T cumulative, density;
};
// Abramowitz, Stegun 1964, formula 7.1.26 with x = |z|/sqrt(2): absolute error of Phi 7.5e-8.
inline Normal<float> vector_normal(float z) {
  const float x = std::abs(z) * 0.70710678f;
  const float t = 1.0f / (1.0f + 0.3275911f * x);
  const float gauss = vector_exp(-0.5f * z * z);
  const float polynomial =
      ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
  const float tail = 0.5f * polynomial * gauss;
  return {z < 0 ? tail : 1.0f - tail, 0.39894228f * gauss};
}
inline Normal<double> vector_normal(double z) {
  return {0.5 * std::erfc(-z * 0.70710678118654752440), 0.39894228040143267794 * std::exp(-0.5 * z * z)};
}

// 1 / (1 + e^-z).
template <typename T>
inline T vector_sigmoid(T z) {
  return T{1} / (T{1} + vector_exp(-z));
}

}  // namespace xf::kernels
