// Affine maps in eight bits: rows are rounded into a buffer of the calling thread, and multiplied
// tile by tile, some rows by some strips of packed weights, whose sums stay in registers for all of
// K. What multiplies a tile depends on the processor (quantized_linear_quads.cpp,
// quantized_linear_pairs.cpp); the sums do not, and what follows them is one product and one fused
// multiply-add everywhere.
#include "kernels/quantized_linear.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "kernels/cpu/quantized_rows.h"

namespace xf::kernels {

namespace {

// Multiplications below which starting the threads costs more than it saves.
constexpr int64_t kSerialProducts = 1 << 19;

// Rows for each thread from which on they, and not the outputs, are divided: a thread then rounds
// its own.
constexpr int64_t kOwnRows = 16;

// Bytes of rows that stay in the second-level cache beside a tile's weights and results.
constexpr int64_t kBlockBytes = 1 << 17;

constexpr uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
constexpr float kLeast = 0x1p-119f;  // the scale of a smaller maximum would be denormal
constexpr float kSteps = 127;

// Adding it leaves an f32 of magnitude up to 2^22 rounded to a whole number, whose lowest byte is
// the sum's.
constexpr float kRounder = 0x1.8p23f;

// QL1, QL2: n numbers, rounded, each with `zero` added. Returns the scale. The largest magnitude is
// that of the largest bits, and NaN's exceed infinity's.
float quantize_row(const float* row, int64_t n, uint32_t zero, uint8_t* to) {
  uint32_t bits = 0;
#pragma omp simd reduction(max : bits)
  for (int64_t i = 0; i < n; ++i) bits = std::max(bits, std::bit_cast<uint32_t>(row[i]) & kMagnitude);
  const bool finite = bits < kInfinity;
  const float largest = std::bit_cast<float>(bits);
  const bool shows = finite && largest >= kLeast;
  const float factor = shows ? kSteps / largest : 0;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i)
    to[i] = static_cast<uint8_t>(std::bit_cast<uint32_t>(std::fma(row[i], factor, kRounder)) + zero);
  if (!finite) return std::numeric_limits<float>::quiet_NaN();
  return shows ? largest / kSteps : 0;
}

const QuantizedTiles& tiles() {
  static const QuantizedTiles& best = quad_tiles() ? *quad_tiles() : pair_tiles();
  return best;
}

// `count` rows, from `row` on, and all strips.
void multiply_band(const QuantizedRows& rows, const QuantizedLinearArgs& args, int64_t row, int count) {
  const int64_t strips = strips_of(args.M);
  int64_t s = 0;
  for (; s + tiles().strips[count] <= strips; s += tiles().strips[count])
    tiles().wide[count](rows, args, row, s);
  for (; s < strips; ++s) tiles().narrow[count](rows, args, row, s);
}

// `count` largest tiles of rows, and all strips; the weights of a tile stay in the first-level
// cache for all of them.
void multiply_whole(const QuantizedRows& rows, const QuantizedLinearArgs& args, int64_t count) {
  const int most = tiles().rows, width = tiles().strips[most];
  const int64_t strips = strips_of(args.M), end = count * most;
  int64_t s = 0;
  for (; s + width <= strips; s += width) {
    for (int64_t n = 0; n < end; n += most) tiles().wide[most](rows, args, n, s);
  }
  for (; s < strips; ++s) {
    for (int64_t n = 0; n < end; n += most) tiles().narrow[most](rows, args, n, s);
  }
}

QuantizedLinearArgs rows_of(const QuantizedLinearArgs& args, int64_t begin, int64_t end) {
  QuantizedLinearArgs part = args;
  part.x += begin * args.x_stride;
  part.y += begin * args.y_stride;
  part.N = end - begin;
  return part;
}

// Each thread its rows, and all outputs.
void divide_rows(const QuantizedLinearArgs& args) {
  const int64_t block = std::max<int64_t>(
      kMostTileRows, kBlockBytes / std::max<int64_t>(args.K, 1) / kMostTileRows * kMostTileRows);
  parallel_for(args.N, kOwnRows, [&](int64_t begin, int64_t end) {
    thread_local QuantizedRows rows;
    for (int64_t n = begin; n < end; n += block) {
      const QuantizedLinearArgs part = rows_of(args, n, std::min(n + block, end));
      quantize_rows(part, rows);
      multiply_rows(rows, part);
    }
  });
}

// Each thread its outputs, and all rows.
void divide_outputs(const QuantizedLinearArgs& args) {
  thread_local QuantizedRows memory;
  QuantizedRows& rows = memory;  // this thread's in the others too
  quantize_rows(args, rows);
  const int64_t grain =
      std::max<int64_t>(kMostTileStrips, kSerialProducts / std::max<int64_t>(args.N * args.K * kStrip, 1));
  parallel_for(strips_of(args.M), grain,
               [&](int64_t begin, int64_t end) { multiply_rows(rows, strips_of(args, begin, end)); });
}

}  // namespace

void quantize_rows(const QuantizedLinearArgs& args, QuantizedRows& to) {
  to.N = args.N;
  to.stride = quads_of(args.K) * kQuad;
  const auto fit = [](auto& memory, int64_t n) {
    if (static_cast<int64_t>(memory.size()) < n) memory.resize(static_cast<size_t>(n));
  };
  fit(to.values, to.N * to.stride);
  fit(to.scales, to.N);
  for (int64_t n = 0; n < to.N; ++n) {
    to.scales[static_cast<size_t>(n)] =
        quantize_row(args.x + n * args.x_stride, args.K, 128, to.values.data() + n * to.stride);
  }
}

void multiply_rows(const QuantizedRows& rows, const QuantizedLinearArgs& args) {
  const int64_t whole = rows.N / tiles().rows;
  multiply_whole(rows, args, whole);
  const int64_t done = whole * tiles().rows;
  if (done < rows.N) multiply_band(rows, args, done, static_cast<int>(rows.N - done));
}

QuantizedLinearArgs strips_of(const QuantizedLinearArgs& args, int64_t begin, int64_t end) {
  const int64_t first = begin * kStrip;
  QuantizedLinearArgs part = args;
  part.quads += first * quads_of(args.K);
  part.scales += first;
  part.offsets += first;
  if (part.bias) part.bias += first;
  if (part.y) part.y += first;
  part.M = std::min(end * kStrip, args.M) - first;
  return part;
}

template <>
void round_weights(Cpu<kLevel>, const RoundWeightsArgs& args) {
  parallel_for(args.M, kSerialProducts / std::max<int64_t>(args.K, 1), [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m)
      args.scales[m] = quantize_row(args.w + m * args.w_stride, args.K, 0,
                                    reinterpret_cast<uint8_t*>(args.values + m * args.K));
  });
}

template <>
void quantized_linear_forward(Cpu<kLevel>, const QuantizedLinearArgs& args) {
  args.N >= kOwnRows* thread_count() ? divide_rows(args) : divide_outputs(args);
}

}  // namespace xf::kernels
