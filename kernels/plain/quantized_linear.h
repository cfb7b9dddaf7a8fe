// Affine maps in eight bits, one loop per equation: docs/derivations/quantized_linear.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace xf::kernels::plain {

// A row's numbers, which are f32's, and its scale: of weights and activations alike. The factor is
// f32's too: it decides which way a number between two steps is rounded.
inline double quantize_row(int64_t K,
                           const double* row,   // [K]
                           int64_t* rounded) {  // [K], written
  double largest = 0;
  bool finite = true;
  for (int64_t k = 0; k < K; ++k) {
    finite = finite && std::isfinite(row[k]);
    largest = std::max(largest, std::abs(row[k]));
  }
  const bool shows = finite && largest >= 0x1p-119;
  const double factor = shows ? 127.0f / static_cast<float>(largest) : 0;
  for (int64_t k = 0; k < K; ++k) rounded[k] = shows ? std::lrint(row[k] * factor) : 0;  // QL2
  if (!finite) return std::numeric_limits<double>::quiet_NaN();
  return shows ? largest / 127 : 0;  // QL1
}

// Of one row and one output.
inline double quantized_product(int64_t K,
                                const int64_t* p,  // [K]
                                double t,
                                const int64_t* q,  // [K]
                                double s, double bias) {
  int64_t sum = 0;
  for (int64_t k = 0; k < K; ++k) sum += p[k] * q[k];
  return s * t * static_cast<double>(sum) + bias;  // QL3
}

}  // namespace xf::kernels::plain
