// Cross-entropy on CUDA. A row of logits is held in registers by a block of 512 threads (a warp,
// where V <= 1024), up to kLongestHeld elements: read once, all loads under way before the first is
// waited for, one exponential an element, and the gradient written over it, 2e bytes an element.
// Longer rows are walked twice, and the second walk's reads come from the caches. The thread that
// has the target among its elements sees to it apart, so that the others compare nothing. The rows'
// losses go to the workspace and are added by one block in a fixed order. A target that is neither
// a word nor ignore_id is not read: the row's loss is NaN. dz may be z: a thread writes only what
// it alone has read.
#include "kernels/cross_entropy.h"

#include "kernels/cuda/long_row.cuh"
#include "kernels/cuda/losses.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

constexpr int kMostHeld = 32;  // elements of a thread
constexpr int64_t kLongestHeld = kLongRowThreads * kMostHeld;

// What all threads of a row know of it.
template <typename T>
struct Row {
  const T* z;
  T* dz;  // or null
  float2* loss;
  int32_t target, V;
  float smoothing;

  __device__ Row(const CrossEntropyArgs<T>& args, float2* losses)
      : z(args.z + blockIdx.x * args.stride),
        dz(args.dz ? args.dz + blockIdx.x * args.stride : nullptr),
        loss(losses + blockIdx.x),
        target(args.targets[blockIdx.x]),
        V(static_cast<int32_t>(args.V)),
        smoothing(args.label_smoothing) {}

  // Whether this thread has the target; `before`: of the first pack, so many elements are in front
  // of the row.
  template <int kThreads>
  __device__ __forceinline__ bool owns_target(int before = 0) const {
    return target >= 0 && target < V &&
           static_cast<uint32_t>(target + before) / cuda::Vec16<T>::kCount % kThreads == threadIdx.x;
  }

  // CE1, of the target's owner: {loss, -log p_t}.
  __device__ __forceinline__ void write_loss(float lse, float mean, float target_logit) const {
    const float counted_mean = smoothing > 0.0f ? mean : 0.0f;  // 0 times a mean of -infinity is
                                                                // NaN
    const float smoothed = fmaf(-smoothing, counted_mean, fmaf(smoothing - 1.0f, target_logit, lse));
    *loss = make_float2(smoothed, lse - target_logit);
  }
  __device__ __forceinline__ void write_loss_of_no_word() const {
    if (threadIdx.x == 0 && (target < 0 || target >= V)) *loss = make_float2(NAN, NAN);
  }
};

// CE3: dz_v = p_v - eps / V, where p_v = exp(z_v - largest) / sum.
struct Gradient {
  float largest, rsum, uniform, confidence;

  template <typename T>
  __device__ Gradient(const Row<T>& row, float max, float sum)
      : largest(max),
        rsum(1.0f / sum),
        uniform(row.smoothing / static_cast<float>(row.V)),
        confidence(1.0f - row.smoothing) {}

  __device__ __forceinline__ float operator()(float exponential) const {
    return fmaf(exponential, rsum, -uniform);
  }
  // Of the target's owner, which has written the others of its pack before: dz_t = p_t - eps / V -
  // (1 - eps)
  template <typename T>
  __device__ __forceinline__ void write_target(const Row<T>& row, float logit) const {
    row.dz[row.target] = cuda::from_float<T>((*this)(expf(logit - largest)) - confidence);
  }
};

// kHeld elements of the row to a thread.
template <int kThreads, int kHeld, typename T, typename Packs>
__global__ void __launch_bounds__(kThreads)
    cross_entropy_held(CrossEntropyArgs<T> args, float2* losses, Packs packs) {
  using Vec16 = cuda::Vec16<T>;
  constexpr int kPacks = kHeld / Vec16::kCount;
  const Row<T> row(args, losses);
  const auto begin = [](int k) { return (k * kThreads + static_cast<int>(threadIdx.x)) * Vec16::kCount; };
  Vec16 held[kPacks];
  const auto write = [&] {
#pragma unroll
    for (int k = 0; k < kPacks; ++k) held[k].store(row.dz + begin(k), row.V - begin(k), packs);
  };
  if (row.target == args.ignore_id) {
    if (threadIdx.x == 0) *row.loss = make_float2(0, 0);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) held[k] = {};
    if (row.dz) write();
    return;
  }
#pragma unroll
  for (int k = 0; k < kPacks; ++k)
    held[k] = Vec16::load(row.z + begin(k), row.V - begin(k), packs, -kInfinity);
  const bool owner = row.template owns_target<kThreads>();
  const float target_logit = owner ? cuda::to_float(row.z[row.target]) : 0.0f;
  float largest = -kInfinity, sum = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      largest = fmaxf(largest, held[k].x[i]);
      if (begin(k) + i < row.V) sum += held[k].x[i];
    }
  }
  largest = cuda::block_max<kThreads>(largest);
  const float mean = cuda::block_sum<kThreads>(sum) / static_cast<float>(row.V);
  float exponentials = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      held[k].x[i] = expf(held[k].x[i] - largest);
      exponentials += held[k].x[i];
    }
  }
  exponentials = cuda::block_sum<kThreads>(exponentials);
  if (owner) row.write_loss(largest + logf(exponentials), mean, target_logit);
  row.write_loss_of_no_word();
  if (!row.dz) return;
  const Gradient gradient(row, largest, exponentials);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) held[k].x[i] = gradient(held[k].x[i]);
  }
  write();
  if (owner) gradient.write_target(row, target_logit);
}

template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads) cross_entropy_walked(CrossEntropyArgs<T> args, float2* losses) {
  using Vec16 = cuda::Vec16<T>;
  const Row<T> row(args, losses);
  const auto load = [&](int64_t begin, int64_t left) {
    return Vec16::load(row.z + begin, left, is_aligned(row.z + begin), -kInfinity);
  };
  const auto store = [&](const Vec16& pack, int64_t begin, int64_t left) {
    pack.store(row.dz + begin, left, is_aligned(row.dz + begin));
  };
  if (row.target == args.ignore_id) {
    if (threadIdx.x == 0) *row.loss = make_float2(0, 0);
    if (!row.dz) return;
    for_each_pack_of_row<kThreads>(row.z, row.V,
                                   [&](int64_t begin, int64_t left) { store({}, begin, left); });
    return;
  }
  const bool owner = row.template owns_target<kThreads>(
      static_cast<int>(reinterpret_cast<uintptr_t>(row.z) % 16 / sizeof(T)));
  const float target_logit = owner ? cuda::to_float(row.z[row.target]) : 0.0f;
  ExponentialSum terms;
  float sum = 0;
  for_each_pack_of_row<kThreads>(row.z, row.V, [&](int64_t begin, int64_t left) {
    const Vec16 pack = load(begin, left);
    terms.add(pack);
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      if (i < left) sum += pack.x[i];
    }
  });
  const ExponentialSum total = terms.of_block<kThreads>();
  const float mean = cuda::block_sum<kThreads>(sum) / static_cast<float>(row.V);
  if (owner) row.write_loss(total.largest + logf(total.sum), mean, target_logit);
  row.write_loss_of_no_word();
  if (!row.dz) return;
  const Gradient gradient(row, total.largest, total.sum);
  for_each_pack_of_row<kThreads>(row.z, row.V, [&](int64_t begin, int64_t left) {
    Vec16 pack = load(begin, left);
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) pack.x[i] = gradient(expf(pack.x[i] - total.largest));
    store(pack, begin, left);
  });
  if (owner) gradient.write_target(row, target_logit);
}

template <int kThreads, int kHeld, typename T>
void launch_held(const CrossEntropyArgs<T>& args, float2* losses) {
  constexpr int64_t kCount = cuda::Vec16<T>::kCount;
  const auto start = [&](auto packs) {
    cuda::launch(cross_entropy_held<kThreads, kHeld, T, decltype(packs)>, dim3(static_cast<unsigned>(args.N)),
                 dim3(kThreads), 0, cuda::stream(), args, losses, packs);
  };
  const bool padded = (args.V + kCount - 1) / kCount * kCount <= args.stride;
  if (padded && cuda::rows_are_aligned(args.z, args.stride) && cuda::rows_are_aligned(args.dz, args.stride)) {
    start(cuda::Padded());
  } else {
    start(cuda::Unaligned());
  }
}

template <typename T>
void launch_rows(const CrossEntropyArgs<T>& args, float2* losses) {
  constexpr int64_t kThreads = kLongRowThreads;
  if (args.V <= kLongestShort) return launch_held<32, kLongestShort / 32>(args, losses);
  if (args.V <= 8 * kThreads) return launch_held<kThreads, 8>(args, losses);
  if (args.V <= 16 * kThreads) return launch_held<kThreads, 16>(args, losses);
  if (args.V <= kLongestHeld) return launch_held<kThreads, kMostHeld>(args, losses);
  cuda::launch(cross_entropy_walked<kThreads, T>, dim3(static_cast<unsigned>(args.N)), dim3(kThreads), 0,
               cuda::stream(), args, losses);
}

}  // namespace

template <typename T>
void cross_entropy(Cuda, const CrossEntropyArgs<T>& args) {
  XF_CHECK(!args.bias && !args.dbias, "cross_entropy: on CUDA the bias belongs to the products");
  float2* const losses = room_for_losses(args.N);
  launch_rows(args, losses);
  add_losses(args.N, losses, args.loss);
}

XF_INSTANTIATE(cross_entropy, CrossEntropyArgs);

}  // namespace xf::kernels
