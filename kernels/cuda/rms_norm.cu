// Root-mean-square normalisation on CUDA, bound by memory. e bytes to an element, rows of D:
// forward 2De, backward 3De for dx and 2De once more for dgamma, whose sums over the rows are those
// of rows.cuh.
//   up to 1024 columns     a warp per row, four rows to a block, few enough that a block of
//                          finished rows makes room for the
//                          next
//   up to four packs each  a block of 256 threads per row: 8192 columns of bf16, 4096 of f32
//   longer rows            such a block as well, which reads the row again, out of the cache
// But for the last, a row stays in registers from its one read to its one write: pack k of 16 bytes
// in thread k % threads, all loads of a thread under way before the first is waited for. Each
// thread writes the elements that it read, after the whole row was read: y may be x, dx may be dy.
// dgamma is summed first, because dx may overwrite dy.
#include "kernels/rms_norm.h"

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

constexpr int kWarpRows = 4;        // of a block of warps
constexpr int kBlockThreads = 256;  // of a row that has a block

// A row's place: its threads' packs of T, kPacks to a thread.
template <typename T, int kThreads, int kPacks>
struct HeldRow {
  using Vec16 = cuda::Vec16<T>;
  static constexpr bool kOfWarp = kThreads == 32;
  static constexpr int kBlock = kOfWarp ? kWarpRows * 32 : kThreads;

  static __device__ __forceinline__ int64_t row() {
    return kOfWarp ? int64_t{blockIdx.x} * kWarpRows + threadIdx.x / 32 : int64_t{blockIdx.x};
  }
  static __device__ __forceinline__ int64_t column(int k) {
    const int thread = static_cast<int>(threadIdx.x) % kThreads;
    return (k * kThreads + thread) * Vec16::kCount;
  }
  // Beyond D: 0.
  template <typename Alignment>
  static __device__ __forceinline__ void load(const T* from, int64_t D, Alignment alignment,
                                              Vec16 (&x)[kPacks]) {
#pragma unroll
    for (int k = 0; k < kPacks; ++k) x[k] = Vec16::load(from + column(k), D - column(k), alignment);
  }
  static __device__ __forceinline__ float sum(float of_thread) {
    if constexpr (kOfWarp) return cuda::warp_sum(of_thread);
    return cuda::block_sum<kThreads>(of_thread);
  }
};

template <typename T>
__device__ __forceinline__ float squares_of(const cuda::Vec16<T>& x) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) sum = fmaf(x.x[i], x.x[i], sum);
  return sum;
}

template <typename T>
__device__ __forceinline__ void normalise(const cuda::Vec16<T>& gamma, float rstd, cuda::Vec16<T>& x) {
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) x.x[i] = gamma.x[i] * (x.x[i] * rstd);
}

// x <- xhat, dy <- g; the sum of their products.
template <typename T>
__device__ __forceinline__ float centre(const cuda::Vec16<T>& gamma, float rstd, cuda::Vec16<T>& x,
                                        cuda::Vec16<T>& dy) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) {
    x.x[i] *= rstd;
    dy.x[i] *= gamma.x[i];
    sum = fmaf(dy.x[i], x.x[i], sum);
  }
  return sum;
}
// g <- dx (RM4)
template <typename T>
__device__ __forceinline__ void gradient(float rstd, float g_xhat_mean, const cuda::Vec16<T>& xhat,
                                         cuda::Vec16<T>& g) {
#pragma unroll
  for (int i = 0; i < g.kCount; ++i) g.x[i] = rstd * fmaf(-xhat.x[i], g_xhat_mean, g.x[i]);
}

template <typename T, int kThreads, int kPacks, typename Alignment>
__global__ void __launch_bounds__(HeldRow<T, kThreads, kPacks>::kBlock)
    rms_norm_forward_held(const RmsNormForwardArgs<T> args, const Alignment alignment) {
  using Row = HeldRow<T, kThreads, kPacks>;
  const int64_t n = Row::row(), D = args.D;
  if (n >= args.N) return;
  cuda::Vec16<T> x[kPacks];
  Row::load(args.x + n * D, D, alignment, x);
  float squares = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) squares += squares_of(x[k]);
  const float rstd = rstd_of(Row::sum(squares), D, args.eps);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t column = Row::column(k);
    normalise(cuda::Vec16<T>::load(args.gamma + column, D - column, alignment), rstd, x[k]);
    x[k].store(args.y + n * D + column, D - column, alignment);
  }
  if (threadIdx.x % kThreads == 0) args.rstd[n] = rstd;
}

template <typename T, typename Alignment>
__global__ void __launch_bounds__(kBlockThreads)
    rms_norm_forward_walked(const RmsNormForwardArgs<T> args, const Alignment alignment) {
  using Vec16 = cuda::Vec16<T>;
  const int64_t n = blockIdx.x, D = args.D;
  const auto for_each_pack = [&](const auto& body) {
    for (int64_t column = threadIdx.x * Vec16::kCount; column < D; column += kBlockThreads * Vec16::kCount)
      body(column, Vec16::load(args.x + n * D + column, D - column, alignment));
  };
  float squares = 0;
  for_each_pack([&](int64_t, const Vec16& x) { squares += squares_of(x); });
  const float rstd = rstd_of(cuda::block_sum<kBlockThreads>(squares), D, args.eps);
  for_each_pack([&](int64_t column, Vec16 x) {
    normalise(Vec16::load(args.gamma + column, D - column, alignment), rstd, x);
    x.store(args.y + n * D + column, D - column, alignment);
  });
  if (threadIdx.x == 0) args.rstd[n] = rstd;
}

template <typename T, int kThreads, int kPacks, typename Alignment>
__global__ void __launch_bounds__(HeldRow<T, kThreads, kPacks>::kBlock)
    rms_norm_backward_held(const RmsNormBackwardArgs<T> args, const Alignment alignment) {
  using Row = HeldRow<T, kThreads, kPacks>;
  const int64_t n = Row::row(), D = args.D;
  if (n >= args.N) return;
  cuda::Vec16<T> x[kPacks], dy[kPacks];
  Row::load(args.x + n * D, D, alignment, x);
  Row::load(args.dy + n * D, D, alignment, dy);
  const float rstd = args.rstd[n];
  float g_xhat_sum = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t column = Row::column(k);
    g_xhat_sum += centre(cuda::Vec16<T>::load(args.gamma + column, D - column, alignment), rstd, x[k], dy[k]);
  }
  const float g_xhat_mean = Row::sum(g_xhat_sum) / static_cast<float>(D);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    gradient(rstd, g_xhat_mean, x[k], dy[k]);
    dy[k].store(args.dx + n * D + Row::column(k), D - Row::column(k), alignment);
  }
}

template <typename T, typename Alignment>
__global__ void __launch_bounds__(kBlockThreads)
    rms_norm_backward_walked(const RmsNormBackwardArgs<T> args, const Alignment alignment) {
  using Vec16 = cuda::Vec16<T>;
  const int64_t n = blockIdx.x, D = args.D;
  const float rstd = args.rstd[n];
  // body(column, xhat, g, the sum of their products)
  const auto for_each_pack = [&](const auto& body) {
    for (int64_t column = threadIdx.x * Vec16::kCount; column < D; column += kBlockThreads * Vec16::kCount) {
      const int64_t left = D - column;
      Vec16 x = Vec16::load(args.x + n * D + column, left, alignment),
            dy = Vec16::load(args.dy + n * D + column, left, alignment);
      const float sum = centre(Vec16::load(args.gamma + column, left, alignment), rstd, x, dy);
      body(column, x, dy, sum);
    }
  };
  float g_xhat_sum = 0;
  for_each_pack([&](int64_t, const Vec16&, const Vec16&, float sum) { g_xhat_sum += sum; });
  const float g_xhat_mean = cuda::block_sum<kBlockThreads>(g_xhat_sum) / static_cast<float>(D);
  for_each_pack([&](int64_t column, const Vec16& xhat, Vec16 g, float) {
    gradient(rstd, g_xhat_mean, xhat, g);
    g.store(args.dx + n * D + column, D - column, alignment);
  });
}

// The terms of dgamma (RM1).
template <typename T>
struct DyXhat {
  static constexpr int kUnrolled = 4;
  Matrix<const T> dy, x;
  const float* rstd;
  struct Read {
    cuda::Vec16<T> dy, x;
    float rstd;
  };
  bool rows_aligned(int64_t width) const { return all_aligned(width, dy, x); }
  template <typename Alignment>
  __device__ Read read(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    return {dy.load(row, column, left, alignment), x.load(row, column, left, alignment),
            left > 0 ? rstd[row] : 0.0f};
  }
  template <typename Alignment>
  __device__ cuda::Vec16<T> terms(const Read& read, int64_t, int64_t, int64_t, Alignment) const {
    auto terms = read.dy;
#pragma unroll
    for (int i = 0; i < terms.kCount; ++i) terms.x[i] = cuda::product(terms.x[i], read.x.x[i] * read.rstd);
    return terms;
  }
};

template <int kThreads, int kPacks>
struct Held {};
struct Walked {};

// f(Held<threads, packs>()) with the fewest threads and packs that hold a row of D, or f(Walked()).
template <typename T, typename F>
void with_row(int64_t D, const F& f) {
  constexpr int64_t kCount = cuda::Vec16<T>::kCount, kWarp = 32 * kCount, kBlock = kBlockThreads * kCount;
  if (D <= kWarp) return f(Held<32, 1>());
  if (D <= 2 * kWarp) return f(Held<32, 2>());
  if (D <= 4 * kWarp) return f(Held<32, 4>());
  if (D <= kBlock) return f(Held<kBlockThreads, 1>());
  if (D <= 2 * kBlock) return f(Held<kBlockThreads, 2>());
  if (D <= 4 * kBlock) return f(Held<kBlockThreads, 4>());
  f(Walked());
}

template <int kThreads, int kPacks>
unsigned blocks_for(int64_t rows, Held<kThreads, kPacks>) {
  return static_cast<unsigned>(kThreads == 32 ? (rows + kWarpRows - 1) / kWarpRows : rows);
}

template <typename T, int kThreads, int kPacks, typename Alignment>
void launch(const RmsNormForwardArgs<T>& args, Held<kThreads, kPacks> held, Alignment alignment) {
  cuda::launch(rms_norm_forward_held<T, kThreads, kPacks, Alignment>, blocks_for(args.N, held),
               HeldRow<T, kThreads, kPacks>::kBlock, 0, cuda::stream(), args, alignment);
}
template <typename T, typename Alignment>
void launch(const RmsNormForwardArgs<T>& args, Walked, Alignment alignment) {
  cuda::launch(rms_norm_forward_walked<T, Alignment>, static_cast<unsigned>(args.N), kBlockThreads, 0,
               cuda::stream(), args, alignment);
}
template <typename T, int kThreads, int kPacks, typename Alignment>
void launch(const RmsNormBackwardArgs<T>& args, Held<kThreads, kPacks> held, Alignment alignment) {
  cuda::launch(rms_norm_backward_held<T, kThreads, kPacks, Alignment>, blocks_for(args.N, held),
               HeldRow<T, kThreads, kPacks>::kBlock, 0, cuda::stream(), args, alignment);
}
template <typename T, typename Alignment>
void launch(const RmsNormBackwardArgs<T>& args, Walked, Alignment alignment) {
  cuda::launch(rms_norm_backward_walked<T, Alignment>, static_cast<unsigned>(args.N), kBlockThreads, 0,
               cuda::stream(), args, alignment);
}

}  // namespace

template <typename T>
void rms_norm_forward(Cuda, const RmsNormForwardArgs<T>& args) {
  const int64_t D = args.D;
  cuda::dispatch_alignment(all_aligned(D, args.x, args.gamma, args.y), [&](auto alignment) {
    with_row<T>(D, [&](auto row) { launch(args, row, alignment); });
  });
}

template <typename T>
void rms_norm_backward(Cuda, const RmsNormBackwardArgs<T>& args) {
  const int64_t D = args.D;
  column_sums<T>(args.N, D, args.dgamma, DyXhat<T>{{args.dy, D}, {args.x, D}, args.rstd});
  cuda::dispatch_alignment(all_aligned(D, args.dy, args.x, args.gamma, args.dx), [&](auto alignment) {
    with_row<T>(D, [&](auto row) { launch(args, row, alignment); });
  });
}

XF_INSTANTIATE(rms_norm_forward, RmsNormForwardArgs);
XF_INSTANTIATE(rms_norm_backward, RmsNormBackwardArgs);

}  // namespace xf::kernels
