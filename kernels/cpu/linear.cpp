// Affine maps of few rows in f32, as a decoding step has them, with bias and relu on the way out.
// oneDNN's sgemm copies the weights into an order of its own in every call, a second trip through
// memory that only many rows pay back. Here they are read once, as they lie.
//
// One row or two: an output is a dot product with contiguous weights, as many at a time as a
// register holds. From twelve rows on: the weights of two registers of outputs are transposed into
// the first-level cache, where all rows find them. Between the two sgemm is faster. What a row's
// sums look like depends on which way they go, and on nothing else.
#include "kernels/cpu/element.h"
#include "kernels/cpu/linear_panels.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/lanes.h"

namespace xf::kernels {

namespace {

constexpr int kWide = kPanel / 2;                 // floats in the widest register of this level
constexpr int kBlockRows = kWide == 16 ? 12 : 6;  // two registers of sums for each leave room for
                                                  // the factors
using Wide = float __attribute__((vector_size(kWide * sizeof(float))));

constexpr int64_t kDotRows = 2, kPanelRows = 12, kMostPanelRows = 1024;

// Multiplications below which starting the threads costs more than it saves.
constexpr int64_t kSerialProducts = 1 << 18;

inline Wide load(const float* from) {
  Wide wide;
  std::memcpy(&wide, from, sizeof wide);
  return wide;
}
inline void store(Wide wide, float* to) { std::memcpy(to, &wide, sizeof wide); }

// Lane l becomes the sum across register l.
template <int kStep = kWide / 2>
inline Wide sums_across(Wide* registers) {
#pragma GCC unroll 16
  for (int i = 0; i < kStep; ++i) {
    exchange_blocks<kStep>(registers[i], registers[i + kStep], std::make_integer_sequence<int, kWide>());
    registers[i] += registers[i + kStep];
  }
  if constexpr (kStep > 1) return sums_across<kStep / 2>(registers);
  return registers[0];
}

inline float activated(float y, bool relu) { return relu && y < 0 ? 0 : y; }  // NaN stays NaN
inline Wide activated(Wide y, bool relu) { return relu ? (y < 0 ? Wide{} : y) : y; }

// Outputs m to m + kWide - 1 of row n.
void dot_products(const LinearForwardArgs<float>& args, int64_t n, int64_t m) {
  const float *const x = args.x + n * args.x_stride, *const w = args.w + m * args.w_stride;
  Wide sums[kWide] = {};
  for (int64_t k = 0; k < args.K; k += kWide) {
    const Wide factors = load(x + k);
#pragma GCC unroll 16
    for (int i = 0; i < kWide; ++i) sums[i] += factors * load(w + i * args.w_stride + k);
  }
  store(activated(sums_across(sums) + load(args.bias + m), args.relu), args.y + n * args.y_stride + m);
}

// One output of row n.
void dot_product(const LinearForwardArgs<float>& args, int64_t n, int64_t m) {
  const float *const x = args.x + n * args.x_stride, *const w = args.w + m * args.w_stride;
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = 0; k < args.K; ++k) sum += x[k] * w[k];
  args.y[n * args.y_stride + m] = activated(sum + args.bias[m], args.relu);
}

void dot_rows(const LinearForwardArgs<float>& args) {
  const int64_t whole = args.M / kWide * kWide;
  for (int64_t m = 0; m < whole; m += kWide) {
    for (int64_t n = 0; n < args.N; ++n) dot_products(args, n, m);
  }
  for (int64_t m = whole; m < args.M; ++m) {
    for (int64_t n = 0; n < args.N; ++n) dot_product(args, n, m);
  }
}

// Up to kPanel outputs, from m on: their weights as [K, kPanel], zero where there is no output.
struct Panel {
  int64_t m, outputs;
  const Wide* weights;
  Wide bias[2];
};

Panel make_panel(const LinearForwardArgs<float>& args, int64_t m) {
  thread_local std::vector<Wide> memory;
  if (static_cast<int64_t>(memory.size()) < 2 * args.K) memory.resize(static_cast<size_t>(2 * args.K));
  Panel panel{m, std::min(kPanel, args.M - m), memory.data(), {}};
  std::memcpy(panel.bias, args.bias + m, static_cast<size_t>(panel.outputs) * sizeof(float));
  for (int64_t half = 0; half < 2; ++half) {
    const float* const w = args.w + (m + half * kWide) * args.w_stride;
    const int64_t filled = panel.outputs - half * kWide;
    for (int64_t k = 0; k < args.K; k += kWide) {
      Wide square[kWide];
#pragma GCC unroll 16
      for (int i = 0; i < kWide; ++i) square[i] = i < filled ? load(w + i * args.w_stride + k) : Wide{};
      transpose_square(square);
#pragma GCC unroll 16
      for (int i = 0; i < kWide; ++i) memory[static_cast<size_t>(2 * (k + i) + half)] = square[i];
    }
  }
  return panel;
}

template <int kRows>
inline void panel_block(const LinearForwardArgs<float>& args, const Panel& panel, int64_t n) {
  const float* const x = args.x + n * args.x_stride;
  Wide sums[kRows][2];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    sums[r][0] = panel.bias[0];
    sums[r][1] = panel.bias[1];
  }
  for (int64_t k = 0; k < args.K; ++k) {
    const Wide first = panel.weights[2 * k], second = panel.weights[2 * k + 1];
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const float factor = x[r * args.x_stride + k];
      sums[r][0] += factor * first;
      sums[r][1] += factor * second;
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    float* const y = args.y + (n + r) * args.y_stride + panel.m;
    const Wide results[2] = {activated(sums[r][0], args.relu), activated(sums[r][1], args.relu)};
    if (panel.outputs == kPanel) {
      std::memcpy(y, results, sizeof results);
    } else {
      std::memcpy(y, results, static_cast<size_t>(panel.outputs) * sizeof(float));
    }
  }
}

}  // namespace

bool fits_panels(int64_t K) { return K % kWide == 0; }

void linear_panels(const LinearForwardArgs<float>& args) {
  for (int64_t m = 0; m < args.M; m += kPanel) {
    const Panel panel = make_panel(args, m);
    int64_t n = 0;
    for (; n + kBlockRows <= args.N; n += kBlockRows) panel_block<kBlockRows>(args, panel, n);
    for (; n + 4 <= args.N; n += 4) panel_block<4>(args, panel, n);
    for (; n < args.N; ++n) panel_block<1>(args, panel, n);
  }
}

template <>
bool linear_forward_at_once(Cpu<kLevel>, const LinearForwardArgs<double>&) {
  return false;
}
template <>
bool linear_forward_at_once(Cpu<kLevel>, const LinearForwardArgs<float>& args) {
  const bool few = args.N <= kDotRows, many = args.N >= kPanelRows && args.N <= kMostPanelRows;
  if (!(few || many) || !fits_panels(args.K)) return false;
  const int64_t unit = few ? kWide : kPanel;
  const int64_t grain = std::max<int64_t>(1, kSerialProducts / (args.N * args.K * unit));
  parallel_for((args.M + unit - 1) / unit, grain, [&](int64_t begin, int64_t end) {
    LinearForwardArgs<float> part = args;
    part.w += begin * unit * args.w_stride;
    part.bias += begin * unit;
    part.y += begin * unit;
    part.M = std::min(end * unit, args.M) - begin * unit;
    few ? dot_rows(part) : linear_panels(part);
  });
  return true;
}

}  // namespace xf::kernels
