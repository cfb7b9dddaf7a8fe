// R-Drop's loss on CUDA. A block of 512 threads takes a pair of rows (a warp, where V <= 1024),
// three times: maxima, sums and sums of exponentials; the differences' means under both; the
// gradients. The second and third walk read from the caches. The thread that has the target among
// its elements sees to it apart. The pairs' losses go to the workspace and are added by one block
// in a fixed order. A target that is neither a word nor ignore_id is not read: the pair's loss is
// NaN. dz may be z: a thread writes only what it alone has read.
#include "kernels/r_drop.h"

#include "kernels/cuda/long_row.cuh"
#include "kernels/cuda/losses.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

// Of a row of logits.
struct Softmax {
  float largest, scale, lse, mean;

  __device__ Softmax(const ExponentialSum& terms, float mean_of_row)
      : largest(terms.largest),
        scale(1.0f / terms.sum),
        lse(terms.largest + logf(terms.sum)),
        mean(mean_of_row) {}
  __device__ __forceinline__ float operator()(float z) const { return expf(z - largest) * scale; }
};

// What the factor p counts of x: nothing where it is 0, as of a word that cannot come, though x be
// infinite or, of one that cannot come in either row, NaN.
__device__ __forceinline__ float counted(float p, float x) { return p == 0.0f ? 0.0f : x; }

// An element's gradients in both rows, the target apart.
struct Gradients {
  Softmax p, q;
  float p_mean, q_mean, divergence, uniform;

  // SD2, SD3, CE3
  __device__ __forceinline__ float2 operator()(float first, float second) const {
    const float pv = p(first), qv = q(second), d = first - second;
    return make_float2(
        pv - uniform + divergence * counted(divergence, pv * counted(pv, d - p_mean) + pv - qv),
        qv - uniform + divergence * counted(divergence, qv * counted(qv, q_mean - d) + qv - pv));
  }
};

// The two rows of a pair. Elements that are not there are -infinity.
template <typename T>
struct Pair {
  using Vec16 = cuda::Vec16<T>;
  const T *first, *second;
  T *dfirst, *dsecond;
  int64_t V;

  struct Logits {
    Vec16 first, second;
  };
  // body(begin, left, logits) for this thread's packs.
  template <int kThreads, typename Body>
  __device__ __forceinline__ void for_each_pack(const Body& body) const {
    for_each_pack_of_row<kThreads>(first, V, [&](int64_t begin, int64_t left) {
      body(begin, left,
           Logits{Vec16::load(first + begin, left, is_aligned(first + begin), -kInfinity),
                  Vec16::load(second + begin, left, is_aligned(second + begin), -kInfinity)});
    });
  }
  __device__ __forceinline__ void write(int64_t begin, int64_t left, const Vec16& dp, const Vec16& dq) const {
    dp.store(dfirst + begin, left, is_aligned(dfirst + begin));
    dq.store(dsecond + begin, left, is_aligned(dsecond + begin));
  }
};

// SD1, SD4, CE1: losses [N] written, {smoothed and divergence, unsmoothed}.
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads) pairs_of_rows(RDropArgs<T> args, float2* losses) {
  using Vec16 = cuda::Vec16<T>;
  using Logits = typename Pair<T>::Logits;
  const int64_t n = blockIdx.x, V = args.V, in_first = n * args.stride,
                in_second = (n + args.N) * args.stride;
  const Pair<T> pair{args.z + in_first, args.z + in_second, args.dz + in_first, args.dz + in_second, V};
  const int32_t target = args.targets[n];
  if (target == args.options.ignore_id) {
    if (threadIdx.x == 0) losses[n] = make_float2(0, 0);
    for_each_pack_of_row<kThreads>(pair.first, V,
                                   [&](int64_t begin, int64_t left) { pair.write(begin, left, {}, {}); });
    return;
  }
  const bool is_word = target >= 0 && target < V, owner = is_word && owns<kThreads>(pair.first, target);
  const float first_target = owner ? cuda::to_float(pair.first[target]) : 0.0f,
              second_target = owner ? cuda::to_float(pair.second[target]) : 0.0f;

  ExponentialSum first, second;
  float first_total = 0, second_total = 0;
  pair.template for_each_pack<kThreads>([&](int64_t, int64_t left, const Logits& logits) {
    first.add(logits.first);
    second.add(logits.second);
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      first_total += i < left ? logits.first.x[i] : 0.0f;
      second_total += i < left ? logits.second.x[i] : 0.0f;
    }
  });
  const ExponentialSum first_sum = first.template of_block<kThreads>(),
                       second_sum = second.template of_block<kThreads>();
  const auto size = static_cast<float>(V);
  const Softmax p(first_sum, cuda::block_sum<kThreads>(first_total) / size),
      q(second_sum, cuda::block_sum<kThreads>(second_total) / size);

  float p_mean = 0, q_mean = 0;
  pair.template for_each_pack<kThreads>([&](int64_t, int64_t, const Logits& logits) {
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      const float d = logits.first.x[i] - logits.second.x[i];
      const float pv = p(logits.first.x[i]), qv = q(logits.second.x[i]);
      p_mean += pv * counted(pv, d);
      q_mean += qv * counted(qv, d);
    }
  });
  p_mean = cuda::block_sum<kThreads>(p_mean);
  q_mean = cuda::block_sum<kThreads>(q_mean);

  const float smoothing = args.options.label_smoothing, confidence = 1.0f - smoothing,
              divergence = args.options.divergence;
  if (owner) {
    const float both = p.lse + q.lse, logits = first_target + second_target;
    losses[n] = make_float2(both - confidence * logits - smoothing * counted(smoothing, p.mean + q.mean) +
                                divergence * counted(divergence, p_mean - q_mean),
                            both - logits);
  }
  if (!is_word && threadIdx.x == 0) losses[n] = make_float2(NAN, NAN);

  const Gradients gradients{p, q, p_mean, q_mean, divergence, smoothing / size};
  pair.template for_each_pack<kThreads>([&](int64_t begin, int64_t left, const Logits& logits) {
    Vec16 dp, dq;
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      const float2 both = gradients(logits.first.x[i], logits.second.x[i]);
      dp.x[i] = both.x;
      dq.x[i] = both.y;
    }
    pair.write(begin, left, dp, dq);
  });
  if (!owner) return;
  const float2 both = gradients(first_target, second_target);
  pair.dfirst[target] = cuda::from_float<T>(both.x - confidence);
  pair.dsecond[target] = cuda::from_float<T>(both.y - confidence);
}

}  // namespace

template <typename T>
void r_drop(Cuda, const RDropArgs<T>& args) {
  XF_CHECK(!args.bias && !args.dbias, "r_drop: on CUDA the bias belongs to the products");
  float2* const losses = room_for_losses(args.N);
  with_row_threads(args.V, [&](auto threads) {
    cuda::launch(pairs_of_rows<threads, T>, dim3(static_cast<unsigned>(args.N)), dim3(threads), 0,
                 cuda::stream(), args, losses);
  });
  add_losses(args.N, losses, args.loss);
}

XF_INSTANTIATE(r_drop, RDropArgs);

}  // namespace xf::kernels
