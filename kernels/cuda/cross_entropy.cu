// Cross-entropy on CUDA. A block of 512 threads takes a row (a warp, where V <= 1024), twice: maximum, sum of
// the exponentials and sum of the logits in one walk; then the gradient, over the logits. Bytes: 2e an
// element from memory; the second walk's reads come from the caches (40 KB a row at V = 10000, f32). The
// rows' losses go to the workspace and are added by one block in a fixed order; dbias by column_sums.cuh,
// from the gradient in the L2 cache. A target that is neither a word nor ignore_id is not read: the row's
// loss is NaN. dz may be z: a thread writes only what it alone has read.
#include "kernels/cross_entropy.h"

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/long_row.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

constexpr int kSumThreads = 256;

// A row of z + bias.
template <typename T>
struct Logits {
  const T *z, *bias;

  // Elements that are not there are -infinity.
  __device__ __forceinline__ cuda::Pack<T> load(int64_t begin, int64_t left) const {
    auto pack = cuda::Pack<T>::load(z + begin, left, is_aligned(z + begin), -kInfinity);
    if (bias) {
      const auto shift = cuda::Pack<T>::load(bias + begin, left, is_aligned(bias + begin));
#pragma unroll
      for (int i = 0; i < pack.kCount; ++i) pack.x[i] += shift.x[i];
    }
    return pack;
  }
};

template <int kThreads, typename T>
__device__ __forceinline__ void write_zero_row(const T* z, int64_t V, T* dz) {
  for_each_pack_of_row<kThreads>(z, V, [&](int64_t begin, int64_t left) {
    cuda::Pack<T>{}.store(dz + begin, left, is_aligned(dz + begin));
  });
}

// CE3: dz_v = p_v - eps / V - (1 - eps) [v = target]
template <int kThreads, typename T>
__device__ __forceinline__ void write_gradient(const Logits<T>& logits, const ExponentialSum& total,
                                               int32_t target, float smoothing, int64_t V, T* dz) {
  const float rsum = 1.0f / total.sum, uniform = smoothing / static_cast<float>(V);
  for_each_pack_of_row<kThreads>(logits.z, V, [&](int64_t begin, int64_t left) {
    auto pack = logits.load(begin, left);
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) {
      pack.x[i] = expf(pack.x[i] - total.largest) * rsum - uniform;
      if (begin + i == target) pack.x[i] -= 1.0f - smoothing;
    }
    pack.store(dz + begin, left, is_aligned(dz + begin));
  });
}

// CE1: losses [N] written: {loss, -log p_t} of each row.
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads) cross_entropy_row(CrossEntropyArgs<T> args, float2* losses) {
  const int64_t n = blockIdx.x, V = args.V;
  const int32_t target = args.targets[n];
  const Logits<T> logits{args.z + n * V, args.bias};
  T* const dz = args.dz ? args.dz + n * V : nullptr;
  if (target == args.options.ignore_id) {
    if (threadIdx.x == 0) losses[n] = make_float2(0, 0);
    if (dz) write_zero_row<kThreads>(logits.z, V, dz);
    return;
  }
  ExponentialSum terms;
  float sum = 0, target_logit = 0;
  bool has_target = false;
  for_each_pack_of_row<kThreads>(logits.z, V, [&](int64_t begin, int64_t left) {
    const auto pack = logits.load(begin, left);
    terms.add(pack);
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) {
      if (i < left) sum += pack.x[i];
      if (begin + i == target && i < left) target_logit = pack.x[i], has_target = true;
    }
  });
  const ExponentialSum total = terms.of_block<kThreads>();
  const float lse = total.largest + logf(total.sum), smoothing = args.options.label_smoothing;
  const float mean = cuda::block_sum<kThreads>(sum) / static_cast<float>(V);
  if (has_target) {
    losses[n] = make_float2(lse - (1.0f - smoothing) * target_logit - smoothing * mean, lse - target_logit);
  } else if (threadIdx.x == 0 && (target < 0 || target >= V)) {
    losses[n] = make_float2(NAN, NAN);
  }
  if (dz) write_gradient<kThreads>(logits, total, target, smoothing, V, dz);
}

// loss [2] += the sum of losses [N]: thread t takes rows t, t + 256, ...
__global__ void __launch_bounds__(kSumThreads) sum_losses(int64_t N, const float2* losses, float* loss) {
  float2 sum = make_float2(0, 0);
  for (int64_t n = threadIdx.x; n < N; n += kSumThreads) {
    const float2 row = losses[n];
    sum.x += row.x;
    sum.y += row.y;
  }
  sum.x = cuda::block_sum<kSumThreads>(sum.x);
  sum.y = cuda::block_sum<kSumThreads>(sum.y);
  if (threadIdx.x > 0) return;
  loss[0] += sum.x;
  loss[1] += sum.y;
}

}  // namespace

template <typename T>
void cross_entropy(Cuda, const CrossEntropyArgs<T>& args) {
  auto* const losses = static_cast<float2*>(cuda::workspace(args.N * static_cast<int64_t>(sizeof(float2))));
  with_row_threads(args.V, [&](auto threads) {
    cuda::launch(cross_entropy_row<threads, T>, dim3(static_cast<unsigned>(args.N)), dim3(threads), 0,
                 cuda::stream(), args, losses);
  });
  cuda::launch(sum_losses, dim3(1), dim3(kSumThreads), 0, cuda::stream(), args.N, losses, args.loss);
  if (args.dbias) column_sums<T>(args.N, args.V, args.dbias, Elements<T>{{args.dz, args.V}});
}

template void cross_entropy(Cuda, const CrossEntropyArgs<float>&);
template void cross_entropy(Cuda, const CrossEntropyArgs<bf16>&);

}  // namespace xf::kernels
