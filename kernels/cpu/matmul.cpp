// Products on the CPU: oneDNN's sgemm for f32, turned round where that is faster, and for f64,
// which only gradient checks use, a loop over rows of c.
#include "kernels/matmul.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

template <typename T>
void clear(const MatmulArgs<T>& args) {
  for (int64_t m = 0; m < args.M; ++m) std::fill_n(args.c + m * args.c_stride, args.N, T{0});
}

// c_m += a_mk * op(b)_k:, over contiguous rows of b; or, where b is transposed, one dot product per
// element.
void accumulate_row(const MatmulArgs<double>& args, int64_t m) {
  double* const c = args.c + m * args.c_stride;
  const auto a = [&](int64_t k) {
    return args.transpose_a ? args.a[k * args.a_stride + m] : args.a[m * args.a_stride + k];
  };
  if (args.transpose_b) {
    for (int64_t n = 0; n < args.N; ++n) {
      const double* const b = args.b + n * args.b_stride;
      double sum = 0;
      for (int64_t k = 0; k < args.K; ++k) sum += a(k) * b[k];
      c[n] += sum;
    }
    return;
  }
  for (int64_t k = 0; k < args.K; ++k) {
    const double factor = a(k);
    const double* const b = args.b + k * args.b_stride;
#pragma omp simd
    for (int64_t n = 0; n < args.N; ++n) c[n] += factor * b[n];
  }
}

void multiply(const MatmulArgs<float>& args) {
  const dnnl_status_t status = dnnl_sgemm(args.transpose_a ? 'T' : 'N', args.transpose_b ? 'T' : 'N', args.M,
                                          args.N, args.K, 1.0f, args.a, args.a_stride, args.b, args.b_stride,
                                          args.accumulate ? 1.0f : 0.0f, args.c, args.c_stride);
  if (status == dnnl_out_of_memory) fail(ErrorKind::resources, "matmul: oneDNN is out of memory");
  XF_CHECK(status == dnnl_success, "matmul: oneDNN refused [{}, {}] x [{}, {}], status {}", args.M, args.K,
           args.K, args.N, static_cast<int>(status));
}

// The gradient of a wide layer's weights, C = A^T B, where A [K, M] is wider than B [K, N]. oneDNN
// is faster with the two exchanged: 2048 x 512 x 4096 on one Emerald Rapids core at 108 GFLOP/s,
// and at 144 as C^T = B^T A with a pass over C behind it, which needs many terms to hide in.
constexpr int64_t kWide = 1024, kManyTerms = 2048;

bool is_faster_turned(const MatmulArgs<float>& args) {
  return args.transpose_a && !args.transpose_b && args.M >= kWide && args.M > args.N && args.K >= kManyTerms;
}

// c [M, N] = or += turned^T, turned [N, M], in tiles of one cache line.
void turn(const float* turned, const MatmulArgs<float>& args) {
  constexpr int64_t kTile = 16;
  const int64_t tiles = (args.M + kTile - 1) / kTile;
  for_each_row(tiles, kTile * args.N, [&](int64_t tile) {
    const int64_t m_begin = tile * kTile, m_end = std::min(args.M, m_begin + kTile);
    for (int64_t n_begin = 0; n_begin < args.N; n_begin += kTile) {
      const int64_t n_end = std::min(args.N, n_begin + kTile);
      for (int64_t m = m_begin; m < m_end; ++m) {
        float* const c = args.c + m * args.c_stride;
#pragma omp simd
        for (int64_t n = n_begin; n < n_end; ++n)
          c[n] = (args.accumulate ? c[n] : 0) + turned[n * args.M + m];
      }
    }
  });
}

void multiply_turned(const MatmulArgs<float>& args) {
  thread_local std::vector<float> scratch;
  scratch.resize(std::max(scratch.size(), static_cast<size_t>(args.M * args.N)));
  multiply({args.b, args.a, scratch.data(), args.N, args.M, args.K, args.b_stride, args.a_stride, args.M,
            true, false, false});
  turn(scratch.data(), args);
}

}  // namespace

template <>
void matmul(Cpu<kLevel>, const MatmulArgs<float>& args) {
  if (args.K == 0) {
    if (!args.accumulate) clear(args);
    return;
  }
  is_faster_turned(args) ? multiply_turned(args) : multiply(args);
}

template <>
void matmul(Cpu<kLevel>, const MatmulArgs<double>& args) {
  if (!args.accumulate) clear(args);
  for_each_row(args.M, args.N * args.K, [&](int64_t m) { accumulate_row(args, m); });
}

}  // namespace xf::kernels
