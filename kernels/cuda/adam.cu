// Adam and the gradient's norm on CUDA, bound by memory. A parameter is an f32 master, and so are its moments
// and its gradient; bf16 is only what adam rounds for the products.
//   sum_of_squares: 4 bytes a parameter. A block of 256 threads adds up 16384 squares in f64 (64 to a thread,
//   in flight four packs at a time), a second kernel the blocks' sums. adam: 32 bytes a parameter (p, m, v, g
//   in and out), 34 with the rounded copy, in one launch. A thread takes eight parameters: two packs of each
//   array, one of rounded. One thread of a block computes what all parameters share.
#include "kernels/adam.h"

#include <cmath>

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/reduce.cuh"

namespace xf::kernels {

namespace {

using Floats = cuda::Pack<float>;

constexpr int kThreads = 256;
constexpr int64_t kSquaresOfBlock = 16384;
constexpr int64_t kOfThread = 8;       // parameters
constexpr int64_t kMostBlocks = 1024;  // about two waves of four to a multiprocessor on the largest GPU

// partials [blocks] written.
__global__ void __launch_bounds__(kThreads)
    sum_squares_of_block(const float* g, int64_t P, bool aligned, double* partials) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kSquaresOfBlock;
  const int64_t last = first + kSquaresOfBlock < P ? first + kSquaresOfBlock : P;
  double sum = 0;
#pragma unroll 4
  for (int64_t i = first + threadIdx.x * Floats::kCount; i < last; i += kThreads * Floats::kCount) {
    const Floats pack = Floats::load(g + i, last - i, aligned);
#pragma unroll
    for (int j = 0; j < Floats::kCount; ++j)
      sum += static_cast<double>(pack.x[j]) * static_cast<double>(pack.x[j]);
  }
  sum = cuda::block_sum<kThreads>(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) sum_blocks(int64_t blocks, const double* partials, double* sum) {
  double total = 0;
  for (int64_t block = threadIdx.x; block < blocks; block += kThreads) total += partials[block];
  total = cuda::block_sum<kThreads>(total);
  if (threadIdx.x == 0) *sum = total;
}

// Everything of an update that all parameters share.
struct Update {
  bool finite;
  float scale, beta1, beta2, step_size, v_scale, eps, decay, l2;
};

__device__ Update prepare(const AdamArgs<float>& args) {
  const AdamOptions& options = args.options;
  const double learning_rate = args.step[0], correction1 = args.step[1], correction2 = args.step[2];
  const double norm = sqrt(*args.norm_squared) * static_cast<double>(args.step[3]);
  const double clip_norm = args.clip_norm, decay = options.weight_decay;
  const double clip = clip_norm > 0 && norm > clip_norm ? clip_norm / norm : 1.0;
  return {.finite = std::isfinite(norm),
          .scale = static_cast<float>(args.step[3] * clip),
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .step_size = static_cast<float>(learning_rate / correction1),
          .v_scale = static_cast<float>(1 / sqrt(correction2)),
          .eps = options.eps,
          .decay = static_cast<float>(options.decoupled ? learning_rate * decay : 0.0),
          .l2 = static_cast<float>(options.decoupled ? 0.0 : decay)};
}

// AD1, AD2, AD3, AD4: p, m, v of four parameters; g is not changed.
__device__ __forceinline__ void update_pack(const Update& u, const Floats& g, Floats& p, Floats& m,
                                            Floats& v) {
#pragma unroll
  for (int j = 0; j < Floats::kCount; ++j) {
    const float gradient = u.scale * g.x[j] + u.l2 * p.x[j];
    m.x[j] = u.beta1 * m.x[j] + (1.0f - u.beta1) * gradient;
    v.x[j] = u.beta2 * v.x[j] + (1.0f - u.beta2) * gradient * gradient;
    p.x[j] -= u.step_size * m.x[j] / (sqrtf(v.x[j]) * u.v_scale + u.eps) + u.decay * p.x[j];
  }
}

__global__ void __launch_bounds__(kThreads)
    adam_kernel(AdamArgs<float> args, bool aligned, bool rounded_aligned) {
  XF_SHARED(Update, update);
  if (threadIdx.x == 0) update = prepare(args);
  __syncthreads();
  const Update u = update;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads * kOfThread;
  for (int64_t i = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kOfThread; i < args.P;
       i += step) {
    cuda::Pack<bf16> rounded;
#pragma unroll
    for (int half = 0; half < kOfThread; half += Floats::kCount) {
      const int64_t at = i + half, left = args.P - at;
      const Floats g = Floats::load(args.g + at, left, aligned);
      Floats{}.store(args.g + at, left, aligned);
      if (!u.finite) continue;
      Floats p = Floats::load(args.p + at, left, aligned), m = Floats::load(args.m + at, left, aligned),
             v = Floats::load(args.v + at, left, aligned);
      update_pack(u, g, p, m, v);
      p.store(args.p + at, left, aligned);
      m.store(args.m + at, left, aligned);
      v.store(args.v + at, left, aligned);
#pragma unroll
      for (int j = 0; j < Floats::kCount; ++j) rounded.x[half + j] = p.x[j];
    }
    if (args.rounded && u.finite) rounded.store(args.rounded + i, args.P - i, rounded_aligned);
  }
}

[[noreturn]] void refuse(const char* op) {
  fail(ErrorKind::failure, "{}: parameters and their gradients must be f32 on CUDA, got bf16", op);
}

}  // namespace

template <typename T>
void sum_of_squares(Cuda, const SumOfSquaresArgs<T>& args) {
  if constexpr (std::is_same_v<T, float>) {
    const int64_t blocks = (args.P + kSquaresOfBlock - 1) / kSquaresOfBlock;
    auto* const partials =
        static_cast<double*>(cuda::workspace(blocks * static_cast<int64_t>(sizeof(double))));
    cuda::launch(sum_squares_of_block, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, cuda::stream(),
                 args.g, args.P, cuda::rows_are_aligned(args.g, 0), partials);
    cuda::launch(sum_blocks, dim3(1), dim3(kThreads), 0, cuda::stream(), blocks, partials, args.sum);
  } else {
    refuse("sum_of_squares");
  }
}

template <typename T>
void adam(Cuda, const AdamArgs<T>& args) {
  if constexpr (std::is_same_v<T, float>) {
    const int64_t tiles = (args.P + kThreads * kOfThread - 1) / (kThreads * kOfThread);
    const bool aligned = cuda::rows_are_aligned(args.p, 0) && cuda::rows_are_aligned(args.m, 0) &&
                         cuda::rows_are_aligned(args.v, 0) && cuda::rows_are_aligned(args.g, 0);
    cuda::launch(adam_kernel, dim3(static_cast<unsigned>(std::min(tiles, kMostBlocks))), dim3(kThreads), 0,
                 cuda::stream(), args, aligned, cuda::rows_are_aligned(args.rounded, 0));
  } else {
    refuse("adam");
  }
}

template void sum_of_squares(Cuda, const SumOfSquaresArgs<float>&);
template void sum_of_squares(Cuda, const SumOfSquaresArgs<bf16>&);
template void adam(Cuda, const AdamArgs<float>&);
template void adam(Cuda, const AdamArgs<bf16>&);

}  // namespace xf::kernels
