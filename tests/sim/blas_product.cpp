// The product itself: f32 sums over k in order, one matrix at a time, in tiles that the compiler
// keeps in registers.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/dtype.h"
#include "tests/sim/blas.h"
#include "tests/sim/observer.h"

namespace xf::sim::blas {

namespace {

constexpr int64_t kRows = 32, kColumns = 4;  // of a tile of d

// TF32 keeps ten bits of the mantissa.
float to_tf32(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::isfinite(x) ? std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu) : x;
}

// op(a) as columns of `padded` floats, the rows beyond the last zero: element (i, p) at p * padded
// + i.
std::vector<float> unpack(const void* matrix, const Layout& layout, bool transpose, bool tf32, int64_t rows,
                          int64_t columns, int64_t padded) {
  std::vector<float> out(static_cast<size_t>(padded * columns));
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      const float x = load(matrix, layout.type, transpose ? i * layout.ld + j : j * layout.ld + i);
      out[static_cast<size_t>(j * padded + i)] = tf32 ? to_tf32(x) : x;
    }
  }
  return out;
}

// d[i0 .. i0 + 32, j0 .. j0 + 4] of a product over k; b is [k, n] with columns of k.
void tile(const float* a, int64_t padded, const float* const (&b)[kColumns], int64_t k,
          float (&sum)[kColumns][kRows]) {
  for (auto& column : sum) std::fill_n(column, kRows, 0.0f);
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < kColumns; ++j) {
      const float factor = b[j][p];
#pragma omp simd
      for (int64_t i = 0; i < kRows; ++i) sum[j][i] += a[p * padded + i] * factor;
    }
  }
}

}  // namespace

// In the terms of a caller whose rows lie one after another, which is the transpose: C [n, m], k.
std::string name_of(const Product& product) {
  const auto e = product.operation.epilogue;
  std::string epilogue = has_bias(e) ? " + bias" : has_bias_gradient(e) ? " + bias gradient" : "";
  if (e & 2) epilogue += " + relu";
  const std::string batch = product.d_layout.batch > 1 ? fmt::format("{} of ", product.d_layout.batch) : "";
  return fmt::format("cublasLtMatmul {}{}x{}x{}{}{}", batch, product.n(), product.m(), product.k(),
                     product.beta != 0 ? " +=" : "", epilogue);
}

float load(const void* matrix, cudaDataType type, int64_t index) {
  if (type == CUDA_R_32F) {
    observe(static_cast<const float*>(matrix) + index, sizeof(float), Access::read, {});
    return static_cast<const float*>(matrix)[index];
  }
  observe(static_cast<const uint16_t*>(matrix) + index, sizeof(uint16_t), Access::read, {});
  return std::bit_cast<float>(static_cast<uint32_t>(static_cast<const uint16_t*>(matrix)[index]) << 16);
}

void store(void* matrix, cudaDataType type, int64_t index, float value) {
  if (type == CUDA_R_32F) {
    static_cast<float*>(matrix)[index] = value;
    observe(static_cast<float*>(matrix) + index, sizeof(float), Access::write, {});
  } else {
    static_cast<uint16_t*>(matrix)[index] = bf16(value).bits;
    observe(static_cast<uint16_t*>(matrix) + index, sizeof(uint16_t), Access::write, {});
  }
}

void multiply(const Product& x) {
  const int64_t m = x.m(), n = x.n(), k = x.k(), padded = (m + kRows - 1) / kRows * kRows;
  const bool tf32 = x.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const std::vector<float> a =
      unpack(x.a, x.a_layout, x.operation.transpose_a == CUBLAS_OP_T, tf32, m, k, padded);
  const std::vector<float> b = unpack(x.b, x.b_layout, x.operation.transpose_b == CUBLAS_OP_T, tf32, k, n, k);
  std::vector<float> d(static_cast<size_t>(m * n));
  float sum[kColumns][kRows];
  for (int64_t j0 = 0; j0 < n; j0 += kColumns) {
    const float* columns[kColumns];
    for (int64_t j = 0; j < kColumns; ++j) columns[j] = b.data() + std::min(j0 + j, n - 1) * k;
    for (int64_t i0 = 0; i0 < m; i0 += kRows) {
      tile(a.data() + i0, padded, columns, k, sum);
      for (int64_t j = j0; j < std::min(j0 + kColumns, n); ++j) {
        for (int64_t i = i0; i < std::min(i0 + kRows, m); ++i) {
          float value = x.alpha * sum[j - j0][i - i0];
          if (x.beta != 0) value += x.beta * load(x.c, x.c_layout.type, j * x.c_layout.ld + i);
          d[static_cast<size_t>(j * m + i)] = value;
        }
      }
    }
  }
  apply_epilogue(x, d);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) {
      store(x.d, x.d_layout.type, j * x.d_layout.ld + i, d[static_cast<size_t>(j * m + i)]);
    }
  }
}

}  // namespace xf::sim::blas
