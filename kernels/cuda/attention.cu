// Attention on CUDA: the choice of the path, the probabilities alone, and the decoding step.
#include "core/cuda.h"
#include "kernels/cuda/attention_rows.cuh"
#include "kernels/cuda/reduce.cuh"

namespace xf::kernels {

using attention::from_float;
using attention::kWarp;
using attention::to_float;

namespace {

constexpr int kWarps = 4;  // of a block: small enough that few rows still spread over the
                           // multiprocessors

unsigned blocks_for(int64_t warps) { return static_cast<unsigned>((warps + kWarps - 1) / kWarps); }
__device__ __forceinline__ int64_t warp_index() {
  return static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarp;
}

// Maximum of scores, and sum of exp(score - maximum), over one or many keys.
struct SoftmaxSums {
  float maximum = -INFINITY, sum = 0;
  __device__ __forceinline__ void add(float score) {
    const float larger = fmaxf(maximum, score);
    sum = sum * expf(maximum - larger) + expf(score - larger);
    maximum = larger;
  }
  // The sums over all lanes of a warp; a lane may have none, or a NaN.
  __device__ __forceinline__ SoftmaxSums over_warp() const {
    const float largest = cuda::warp_max(maximum);
    return {largest, cuda::warp_sum(sum != 0 ? sum * expf(maximum - largest) : 0.0f)};
  }
};

template <typename T>
__device__ __forceinline__ float dot(const T* a, const T* b, int64_t width) {
  float sum = 0;
  for (int64_t d = 0; d < width; ++d) sum = fmaf(to_float(a[d]), to_float(b[d]), sum);
  return sum;
}

// A warp writes one row of p, a lane every 32nd key: the softmax's sums first, then the scores
// again with them, so that a row of any length needs no memory of its own. Not made for speed: it
// explains, one batch at a time. Reads q once and k twice per row, writes p once.
template <typename T>
__global__ void __launch_bounds__(kWarps* kWarp)
    attention_weights_warp_per_row(const AttentionWeightsArgs<T> args) {
  const int64_t row = warp_index(), task = row / args.Sq, i = row % args.Sq;
  if (task >= args.B * args.H) return;
  const attention::Sentence s = attention::sentence_at(args.query_offsets, args.key_offsets, task / args.H);
  const int h = static_cast<int>(task % args.H), key_head = h / static_cast<int>(args.group);  // AT11
  const int64_t visible = i >= s.queries ? 0 : args.shape.causal ? min(i + 1, int64_t{s.keys}) : s.keys;
  const T* const q = args.q + (s.q_begin + i) * args.q_stride + h * args.Dh;
  const T* const k = args.k + s.k_begin * args.k_stride + key_head * args.Dh;
  const auto score = [&](int64_t j) { return args.shape.scale * dot(q, k + j * args.k_stride, args.Dh); };
  SoftmaxSums sums;
  for (int64_t j = attention::lane_index(); j < visible; j += kWarp) sums.add(score(j));
  sums = sums.over_warp();
  for (int64_t j = attention::lane_index(); j < args.Sk; j += kWarp) {
    const float p = j < visible ? expf(score(j) - sums.maximum) / sums.sum : 0.0f;
    args.p[row * args.Sk + j] = from_float<T>(p);
  }
}

// One query of attention_step against its keys. A warp takes one hypothesis and head, 32 keys at a
// time: each lane scores one key, then the warp adds their values up, a lane every 32nd column,
// with a running maximum as on the long path. Reads every key and value once; in decoding that is
// the whole work.
template <typename T>
__global__ void __launch_bounds__(kWarps* kWarp)
    attention_step_warp_per_head(const AttentionStepArgs<T> args) {
  constexpr int kColumns = 4;  // of a lane: heads of up to 128
  const int64_t task = warp_index(), r = task / args.H;
  if (r >= args.R) return;
  const int h = static_cast<int>(task % args.H), key_head = h / static_cast<int>(args.group);  // AT11
  const int64_t column = h * args.Dh, key_column = key_head * args.Dh;
  const int lane = attention::lane_index();
  const int keys = args.lengths[r];
  const T* const q = args.q + r * args.q_stride + column;
  const int32_t* const rows = args.rows + r * args.S;
  SoftmaxSums total;
  float o[kColumns] = {};
  for (int first = 0; first < keys; first += kWarp) {
    const bool mine = first + lane < keys;
    const int64_t key = mine ? rows[first + lane] : 0;
    const float score =
        mine ? args.scale * dot(q, args.k + key * args.k_stride + key_column, args.Dh) : -INFINITY;
    const float maximum = fmaxf(total.maximum, cuda::warp_max(score)), shrink = expf(total.maximum - maximum);
    const float p = expf(score - maximum);
    total = {maximum, total.sum * shrink + cuda::warp_sum(p)};
#pragma unroll
    for (int c = 0; c < kColumns; ++c) o[c] *= shrink;
    for (int j = 0; j < min(kWarp, keys - first); ++j) {
      const float weight = __shfl_sync(cuda::kFullWarp, p, j);
      const int64_t row = __shfl_sync(cuda::kFullWarp, key, j);
      const T* const v = args.v + row * args.v_stride + key_column;
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        if (lane + c * kWarp < args.Dh) o[c] = fmaf(weight, to_float(v[lane + c * kWarp]), o[c]);
      }
    }
  }
  const float inverse = keys > 0 ? 1 / total.sum : 0.0f;
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int d = lane + c * kWarp;
    if (d < args.Dh) args.o[r * args.o_stride + column + d] = from_float<T>(o[c] * inverse);
  }
}

}  // namespace

template <typename T>
void attention_forward(Cuda, const AttentionForwardArgs<T>& args) {
  args.shape.is_long() ? attention::forward_long(args) : attention::forward_short(args);
}

template <typename T>
void attention_backward(Cuda, const AttentionBackwardArgs<T>& args) {
  args.shape.is_long() ? attention::backward_long(args) : attention::backward_short(args);
}

template <typename T>
void attention_weights(Cuda, const AttentionWeightsArgs<T>& args) {
  cuda::launch(attention_weights_warp_per_row<T>, dim3(blocks_for(args.B * args.H * args.Sq)),
               dim3(kWarps * kWarp), 0, cuda::stream(), args);
}

template <typename T>
void attention_step(Cuda, const AttentionStepArgs<T>& args) {
  attention::check_head_width(args.Dh);
  cuda::launch(attention_step_warp_per_head<T>, dim3(blocks_for(args.R * args.H)), dim3(kWarps * kWarp), 0,
               cuda::stream(), args);
}

XF_INSTANTIATE(attention_forward, AttentionForwardArgs);
XF_INSTANTIATE(attention_backward, AttentionBackwardArgs);
XF_INSTANTIATE(attention_weights, AttentionWeightsArgs);
XF_INSTANTIATE(attention_step, AttentionStepArgs);

}  // namespace xf::kernels
