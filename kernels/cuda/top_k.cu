// The k best of a row on CUDA. A block of 512 threads takes a row (a warp, where V <= 1024). Each
// thread finds the best of its own elements in the walk that sums the exponentials; then, k times,
// the block takes the best of the threads' bests, and the thread that had it looks for its next.
// Bytes: e an element; the k looks are V / 512 elements each, from the caches. An element's order
// is one 64-bit number: logit above, id below, so that ties go to the smaller id and a maximum is
// the same whatever the order of comparing. A NaN counts as -infinity (its row's scores are NaN).
#include "kernels/top_k.h"

#include "core/cuda.h"
#include "kernels/cuda/long_row.cuh"

namespace xf::kernels {

namespace {

constexpr uint64_t kNone = 0, kAll = ~uint64_t{0};  // below and above every key

// Rises with the logit, falls with the id.
__device__ __forceinline__ uint64_t key_of(float logit, int64_t id) {
  const float value = logit == logit ? (logit == 0.0f ? 0.0f : logit) : -kInfinity;  // one zero
  const uint32_t bits = __float_as_uint(value);
  const uint32_t rising = bits >> 31 ? ~bits : bits | 0x80000000u;
  return uint64_t{rising} << 32 | static_cast<uint32_t>(~id);
}
__device__ __forceinline__ int32_t id_of(uint64_t key) {
  return static_cast<int32_t>(~static_cast<uint32_t>(key));
}
__device__ __forceinline__ float logit_of(uint64_t key) {
  const auto rising = static_cast<uint32_t>(key >> 32);
  return __uint_as_float(rising >> 31 ? rising & 0x7fffffffu : ~rising);
}

// The keys that may come out.
struct Choice {
  const int32_t* banned;
  int64_t M;

  // The larger of `best` and the best of the pack's keys that are below `limit`.
  template <typename T>
  __device__ __forceinline__ uint64_t best_of(const cuda::Vec16<T>& pack, int64_t begin, int64_t left,
                                              uint64_t limit, uint64_t best) const {
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) {
      const uint64_t key = key_of(pack.x[i], begin + i);
      if (i < left && key > best && key < limit && !is_banned(begin + i)) best = key;
    }
    return best;
  }

 private:
  __device__ __forceinline__ bool is_banned(int64_t id) const {
    for (int64_t m = 0; m < M; ++m) {
      if (banned[m] == id) return true;
    }
    return false;
  }
};

template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads, 2) top_k_of_row(TopKArgs<T> args) {
  const int64_t n = blockIdx.x;
  const T* const z = args.z + n * args.z_stride;
  const Choice choice{args.banned, args.M};
  const auto load = [&](int64_t begin, int64_t left) {
    return cuda::Vec16<T>::load(z + begin, left, is_aligned(z + begin), -kInfinity);
  };
  ExponentialSum terms;
  uint64_t best = kNone;
  for_each_pack_of_row<kThreads>(z, args.V, [&](int64_t begin, int64_t left) {
    const auto pack = load(begin, left);
    terms.add(pack);
    best = choice.best_of(pack, begin, left, kAll, best);
  });
  const ExponentialSum total = terms.of_block<kThreads>();
  // TK1, TK2
  const float lse = total.largest + logf(total.sum);
  const float normaliser = args.normalise || lse != lse ? lse : 0;
  for (int64_t k = 0; k < args.K; ++k) {
    const uint64_t top = cuda::block_max<kThreads>(best);
    if (threadIdx.x == 0) {
      args.scores[n * args.K + k] = logit_of(top) - normaliser;
      args.ids[n * args.K + k] = id_of(top);
    }
    if (best != top) continue;
    best = kNone;
    for_each_pack_of_row<kThreads>(z, args.V, [&](int64_t begin, int64_t left) {
      best = choice.best_of(load(begin, left), begin, left, top, best);
    });
  }
}

}  // namespace

template <typename T>
void log_softmax_top_k(Cuda, const TopKArgs<T>& args) {
  with_row_threads(args.V, [&](auto threads) {
    cuda::launch(top_k_of_row<threads, T>, dim3(static_cast<unsigned>(args.N)), dim3(threads), 0,
                 cuda::stream(), args);
  });
}

XF_INSTANTIATE(log_softmax_top_k, TopKArgs);

}  // namespace xf::kernels
