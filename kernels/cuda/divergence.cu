// Divergence on CUDA. A block of 512 threads takes a pair of rows (a warp, where V <= 1024), three times: maxima and sums of
// exponentials; the differences' means under both; the gradients. The second and third walk read from the caches. The pairs'
// divergences go to the workspace and are added by one block in a fixed order.
#include "kernels/divergence.h"

#include "kernels/cuda/long_row.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

constexpr int kSumThreads = 256;

// The two rows of a pair.
template <typename T>
struct Pair {
  using Pack = cuda::Pack<T>;
  const T *first, *second, *bias;

  struct Logits {
    Pack first, second;
  };
  // Without the bias. Elements that are not there are -infinity.
  __device__ __forceinline__ Logits load(int64_t begin, int64_t left) const {
    return {Pack::load(first + begin, left, is_aligned(first + begin), -kInfinity),
            Pack::load(second + begin, left, is_aligned(second + begin), -kInfinity)};
  }
  __device__ __forceinline__ Pack load_bias(int64_t begin, int64_t left) const {
    return bias ? Pack::load(bias + begin, left, is_aligned(bias + begin)) : Pack{};
  }
};

// An element's probabilities in both rows, and its logits' difference.
struct Element {
  float p, q, d;
};

// Whose terms sum to 1 / scale.
struct Softmax {
  float largest, scale;
  __device__ __forceinline__ float operator()(float z) const { return expf(z - largest) * scale; }
};

// body(begin, left, elements) for this thread's packs.
template <int kThreads, typename T, typename Body>
__device__ __forceinline__ void for_each_pack_of_pair(const Pair<T>& pair, const Softmax& p, const Softmax& q,
                                                      int64_t V, const Body& body) {
  for_each_pack_of_row<kThreads>(pair.first, V, [&](int64_t begin, int64_t left) {
    const auto logits = pair.load(begin, left);
    const auto bias = pair.load_bias(begin, left);
    Element elements[cuda::Pack<T>::kCount];
#pragma unroll
    for (int i = 0; i < cuda::Pack<T>::kCount; ++i) {
      const float first = logits.first.x[i], second = logits.second.x[i];
      const bool there = i < left;
      elements[i] = {there ? p(first + bias.x[i]) : 0, there ? q(second + bias.x[i]) : 0,
                     there ? first - second : 0};
    }
    body(begin, left, elements);
  });
}

// SD1, SD2, SD3: divergences [N] written.
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads) diverge(DivergenceArgs<T> args, float* divergences) {
  using Pack = cuda::Pack<T>;
  const int64_t n = blockIdx.x, V = args.V;
  T *const dfirst = args.dz + n * args.stride, *const dsecond = args.dz + (n + args.N) * args.stride;
  const Pair<T> pair{args.z + n * args.stride, args.z + (n + args.N) * args.stride, args.bias};
  if (args.targets[n] == args.options.ignore_id) {
    if (threadIdx.x == 0) divergences[n] = 0;
    for_each_pack_of_row<kThreads>(pair.first, V, [&](int64_t begin, int64_t left) {
      Pack{}.store(dfirst + begin, left, is_aligned(dfirst + begin));
      Pack{}.store(dsecond + begin, left, is_aligned(dsecond + begin));
    });
    return;
  }
  ExponentialSum first, second;
  for_each_pack_of_row<kThreads>(pair.first, V, [&](int64_t begin, int64_t left) {
    auto logits = pair.load(begin, left);
    const auto bias = pair.load_bias(begin, left);
#pragma unroll
    for (int i = 0; i < Pack::kCount; ++i) {
      logits.first.x[i] += bias.x[i];
      logits.second.x[i] += bias.x[i];
    }
    first.add(logits.first);
    second.add(logits.second);
  });
  const ExponentialSum first_sum = first.template of_block<kThreads>(),
                       second_sum = second.template of_block<kThreads>();
  const Softmax p{first_sum.largest, 1.0f / first_sum.sum}, q{second_sum.largest, 1.0f / second_sum.sum};
  float p_mean = 0, q_mean = 0;
  for_each_pack_of_pair<kThreads>(pair, p, q, V, [&](int64_t, int64_t, const Element* elements) {
#pragma unroll
    for (int i = 0; i < Pack::kCount; ++i) {
      p_mean += elements[i].p * elements[i].d;
      q_mean += elements[i].q * elements[i].d;
    }
  });
  p_mean = cuda::block_sum<kThreads>(p_mean);
  q_mean = cuda::block_sum<kThreads>(q_mean);
  if (threadIdx.x == 0) divergences[n] = p_mean - q_mean;
  const float weight = args.options.weight;
  for_each_pack_of_pair<kThreads>(pair, p, q, V, [&](int64_t begin, int64_t left, const Element* elements) {
    Pack dz_first, dz_second;
#pragma unroll
    for (int i = 0; i < Pack::kCount; ++i) {
      const auto [pv, qv, d] = elements[i];
      dz_first.x[i] = weight * (pv * (d - p_mean) + pv - qv);
      dz_second.x[i] = weight * (qv * (q_mean - d) + qv - pv);
    }
    dz_first.store(dfirst + begin, left, is_aligned(dfirst + begin));
    dz_second.store(dsecond + begin, left, is_aligned(dsecond + begin));
  });
}

// loss += weight * the sum of divergences [N]: thread t takes pairs t, t + 256, ...
__global__ void __launch_bounds__(kSumThreads)
    sum_divergences(int64_t N, float weight, const float* divergences, float* loss) {
  float sum = 0;
  for (int64_t n = threadIdx.x; n < N; n += kSumThreads) sum += divergences[n];
  sum = cuda::block_sum<kSumThreads>(sum);
  if (threadIdx.x == 0) *loss += weight * sum;
}

}  // namespace

template <typename T>
void divergence(Cuda, const DivergenceArgs<T>& args) {
  auto* const divergences =
      static_cast<float*>(cuda::workspace(args.N * static_cast<int64_t>(sizeof(float))));
  with_row_threads(args.V, [&](auto threads) {
    cuda::launch(diverge<threads, T>, dim3(static_cast<unsigned>(args.N)), dim3(threads), 0, cuda::stream(),
                 args, divergences);
  });
  cuda::launch(sum_divergences, dim3(1), dim3(kSumThreads), 0, cuda::stream(), args.N, args.options.weight,
               divergences, args.loss);
}

template void divergence(Cuda, const DivergenceArgs<float>&);
template void divergence(Cuda, const DivergenceArgs<bf16>&);

}  // namespace xf::kernels
