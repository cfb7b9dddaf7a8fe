// Adam and the gradient's norm on CUDA, bound by memory.
//   sum_of_squares: 4 bytes a parameter. A block of 256 threads adds up 16384 squares in f64 (64 to
//   a thread, in flight four packs at a time), a second kernel the blocks' sums. adam: 32 bytes a
//   parameter (p, m, v, g in and out), 34 with the rounded copy, in one launch
//   (parameter_update.cuh).
#include "kernels/adam.h"

#include "kernels/cuda/parameter_update.cuh"
#include "kernels/cuda/reduce.cuh"

namespace xf::kernels {

namespace {

constexpr int kThreads = 256;
constexpr int64_t kSquaresOfBlock = 16384;
constexpr int kPacksInFlight = 4;
constexpr int64_t kStep = kThreads * Floats::kCount;

// partials [blocks] written.
template <typename Alignment>
__global__ void __launch_bounds__(kThreads)
    sum_squares_of_block(const float* g, int64_t P, Alignment alignment, double* partials) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kSquaresOfBlock;
  const int64_t last = first + kSquaresOfBlock < P ? first + kSquaresOfBlock : P;
  double sum = 0;
  for (int64_t i = first + threadIdx.x * Floats::kCount; i < last; i += kPacksInFlight * kStep) {
    Floats pack[kPacksInFlight];
#pragma unroll
    for (int k = 0; k < kPacksInFlight; ++k)
      pack[k] = Floats::load(g + i + k * kStep, last - i - k * kStep, alignment);
#pragma unroll
    for (int k = 0; k < kPacksInFlight; ++k) {
#pragma unroll
      for (int j = 0; j < Floats::kCount; ++j)
        sum += static_cast<double>(pack[k].x[j]) * static_cast<double>(pack[k].x[j]);
    }
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

struct AdamRule {
  static constexpr int kMoments = 2;
  struct Update {
    bool finite;
    float scale, beta1, beta2, step_size, v_scale, eps, decay, l2;
  };
  AdamOptions options;
  const float* step;
  const double* norm_squared;
  float clip_norm;

  __device__ Update prepare() const {
    const double learning_rate = step[0], correction1 = step[1], correction2 = step[2];
    const double decay = options.weight_decay;
    const GradientScale scale = gradient_scale(norm_squared, step[3], clip_norm);
    return {.finite = scale.finite,
            .scale = scale.factor,
            .beta1 = options.beta1,
            .beta2 = options.beta2,
            .step_size = static_cast<float>(learning_rate / correction1),
            .v_scale = static_cast<float>(1 / sqrt(correction2)),
            .eps = options.eps,
            .decay = static_cast<float>(options.decoupled ? learning_rate * decay : 0.0),
            .l2 = static_cast<float>(options.decoupled ? 0.0 : decay)};
  }

  // AD1, AD2, AD3, AD4
  static __device__ __forceinline__ void apply(const Update& u, const Floats& g, Floats& p, Floats* moments) {
    Floats &m = moments[0], &v = moments[1];
#pragma unroll
    for (int j = 0; j < Floats::kCount; ++j) {
      const float gradient = fmaf(u.scale, g.x[j], u.l2 * p.x[j]);
      m.x[j] = fmaf(u.beta1, m.x[j], (1.0f - u.beta1) * gradient);
      v.x[j] = fmaf(u.beta2, v.x[j], (1.0f - u.beta2) * gradient * gradient);
      const float step = u.step_size * m.x[j] / fmaf(sqrtf(v.x[j]), u.v_scale, u.eps);
      p.x[j] -= fmaf(u.decay, p.x[j], step);
    }
  }
};

}  // namespace

template <typename T>
void sum_of_squares(Cuda, const SumOfSquaresArgs<T>& args) {
  if constexpr (std::is_same_v<T, float>) {
    const int64_t blocks = (args.P + kSquaresOfBlock - 1) / kSquaresOfBlock;
    auto* const partials =
        static_cast<double*>(cuda::workspace(blocks * static_cast<int64_t>(sizeof(double))));
    const bool all = args.P % Floats::kCount == 0 && cuda::rows_are_aligned(args.g, 0);
    cuda::dispatch_alignment(all, [&](auto alignment) {
      cuda::launch(sum_squares_of_block<decltype(alignment)>, dim3(static_cast<unsigned>(blocks)),
                   dim3(kThreads), 0, cuda::stream(), args.g, args.P, alignment, partials);
    });
    cuda::launch(sum_blocks, dim3(1), dim3(kThreads), 0, cuda::stream(), blocks, partials, args.sum);
  } else {
    refuse_bf16("sum_of_squares");
  }
}

template <typename T>
void adam(Cuda, const AdamArgs<T>& args) {
  if constexpr (std::is_same_v<T, float>) {
    launch_update(AdamRule{args.options, args.step, args.norm_squared, args.clip_norm},
                  {args.p, args.g, {args.m, args.v}, args.rounded, args.P});
  } else {
    refuse_bf16("adam");
  }
}

XF_INSTANTIATE(sum_of_squares, SumOfSquaresArgs);
XF_INSTANTIATE(adam, AdamArgs);

}  // namespace xf::kernels
