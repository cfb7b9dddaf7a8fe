// Muon on CUDA: products of cuBLASLt, all matrices of a shape in one launch (f32), and between them
// passes over memory. For each matrix the workspace holds X, the next X, X X^T and its square, one
// behind the other. Five iterations: 20 launches and three about them, however many matrices there
// are.
#include <algorithm>
#include <cmath>

#include "kernels/cuda/parameter_update.cuh"
#include "kernels/cuda/product.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/muon.h"

namespace xf::kernels {

namespace {

constexpr int kThreads = 256;
constexpr int64_t kElementsOfBlock = 1024;  // of one matrix

// One matrix's part of the workspace, and of all of them the places in it.
struct Layout {
  int64_t size, k, apart;  // elements of a matrix; its smaller side; from one matrix's part to the
                           // next

  explicit Layout(const MuonArgs<float>& args)
      : size(args.rows * args.columns),
        k(std::min(args.rows, args.columns)),
        apart(muon_workspace(args.rows, args.columns)) {}
  int64_t gram() const { return 2 * size; }
  int64_t gram_gram() const { return 2 * size + k * k; }
  __host__ __device__ int64_t blocks() const { return (size + kElementsOfBlock - 1) / kElementsOfBlock; }
};

// The matrices of one launch, blockIdx.y.
struct Matrices {
  MuonArgs<float> args;
  Layout layout;
  const int32_t* begins;
  float* x;  // of the first

  __device__ float* own_x() const { return x + blockIdx.y * layout.apart; }
  // Where there will be the next X: until then the blocks' norms, whose squares may be beyond a
  // float.
  __device__ float* norms() const { return own_x() + layout.size; }
  __device__ GradientScale scale() const {
    return gradient_scale(args.norm_squared, args.step[3], args.clip_norm);
  }
};

// body(i) for this thread's elements of the block's.
template <typename Body>
__device__ __forceinline__ void for_each_element(int64_t size, const Body& body) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kElementsOfBlock;
  const int64_t last = first + kElementsOfBlock < size ? first + kElementsOfBlock : size;
#pragma unroll 4
  for (int64_t i = first + threadIdx.x; i < last; i += kThreads) body(i);
}

// MU1, MU2, and U of MU3 in place of X.
__global__ void __launch_bounds__(kThreads) take_momentum(Matrices of) {
  const GradientScale scale = of.scale();
  const float momentum = of.args.options.momentum, factor = (1 - momentum) * scale.factor;
  float *const x = of.own_x(), *const m = of.args.m + of.begins[blockIdx.y],
               *const g = of.args.g + of.begins[blockIdx.y];
  double sum = 0;
  for_each_element(of.layout.size, [&](int64_t i) {
    const float gradient = factor * g[i];
    g[i] = 0;
    float u = 0;
    if (scale.finite) {
      const float mu = momentum * m[i] + gradient;
      m[i] = mu;
      u = momentum * mu + gradient;
    }
    x[i] = u;
    sum += static_cast<double>(u) * static_cast<double>(u);
  });
  sum = cuda::block_sum<kThreads>(sum);
  if (threadIdx.x == 0) of.norms()[blockIdx.x] = static_cast<float>(sqrt(sum));
}

// MU3
__global__ void __launch_bounds__(kThreads) normalise(Matrices of) {
  XF_SHARED(float, factor);
  if (threadIdx.x == 0) {
    double sum = 0;
    for (int64_t block = 0; block < of.layout.blocks(); ++block) {
      const double norm = of.norms()[block];
      sum += norm * norm;
    }
    factor = sum > 0 ? static_cast<float>(1 / sqrt(sum)) : 0.0f;
  }
  __syncthreads();
  float* const x = of.own_x();
  for_each_element(of.layout.size, [&](int64_t i) { x[i] *= factor; });
}

// next = a X, gram = b gram + c gram^2: what is left of MU4 is next += gram X.
__global__ void __launch_bounds__(kThreads)
    combine(Matrices of, float* next, float* gram, const float* gram_gram) {
  constexpr MuonPolynomial f;
  constexpr float a = static_cast<float>(f.a), b = static_cast<float>(f.b), c = static_cast<float>(f.c);
  const int64_t at = blockIdx.y * of.layout.apart;
  const float* const x = of.own_x();
  for_each_element(of.layout.size, [&](int64_t i) { next[at + i] = a * x[i]; });
  for_each_element(of.layout.k * of.layout.k,
                   [&](int64_t i) { gram[at + i] = b * gram[at + i] + c * gram_gram[at + i]; });
}

// MU5
__global__ void __launch_bounds__(kThreads) descend(Matrices of, float root) {
  if (!of.scale().finite) return;
  const float rate = of.args.step[0], along = rate * root, decay = rate * of.args.options.weight_decay;
  const int64_t begin = of.begins[blockIdx.y];
  const float* const x = of.own_x();
  for_each_element(of.layout.size, [&](int64_t i) {
    const float p = of.args.p[begin + i] - (along * x[i] + decay * of.args.p[begin + i]);
    of.args.p[begin + i] = p;
    if (of.args.rounded) of.args.rounded[begin + i] = cuda::from_float<bf16>(p);
  });
}

// Products of `count` matrices; c [M, N] written, or accumulated.
struct Products {
  int64_t count, apart;

  void operator()(const float* a, bool transpose_a, const float* b, bool transpose_b, bool accumulate,
                  int64_t M, int64_t N, int64_t K, float* c) const {
    multiply(MatmulArgs<float>{.a = a,
                               .b = b,
                               .c = c,
                               .M = M,
                               .N = N,
                               .K = K,
                               .a_stride = transpose_a ? M : K,
                               .b_stride = transpose_b ? K : N,
                               .c_stride = N,
                               .transpose_a = transpose_a,
                               .transpose_b = transpose_b,
                               .accumulate = accumulate},
             Epilogue<float>{}, {.count = count, .a_stride = apart, .b_stride = apart, .c_stride = apart});
  }
};

void update(const MuonArgs<float>& args, int64_t first, int64_t count) {
  const Layout layout(args);
  const int64_t R = args.rows, C = args.columns, k = layout.k;
  const bool tall = R > C;
  Matrices of{.args = args, .layout = layout, .begins = args.begins + first, .x = args.workspace};
  float *next = args.workspace + layout.size, *const gram = args.workspace + layout.gram(),
        *const gram_gram = args.workspace + layout.gram_gram();
  const dim3 grid(static_cast<unsigned>(layout.blocks()), static_cast<unsigned>(count));
  const auto launch = [&](auto kernel, auto... more) {
    cuda::launch(kernel, grid, dim3(kThreads), 0, cuda::stream(), of, more...);
  };
  const Products products{count, layout.apart};
  launch(take_momentum);
  launch(normalise);
  for (int iteration = 0; iteration < kMuonIterations; ++iteration) {
    products(of.x, tall, of.x, !tall, false, k, k, std::max(R, C), gram);
    products(gram, false, gram, false, false, k, k, k, gram_gram);
    launch(combine, next, gram, static_cast<const float*>(gram_gram));
    if (tall) {
      products(of.x, false, gram, false, true, R, C, C, next);
    } else {
      products(gram, false, of.x, false, true, R, C, R, next);
    }
    std::swap(of.x, next);
  }
  launch(descend, static_cast<float>(kMuonRms * std::sqrt(static_cast<double>(std::max(R, C)))));
}

}  // namespace

template <typename T>
void muon(Cuda, const MuonArgs<T>& args) {
  if constexpr (std::is_same_v<T, float>) {
    constexpr int64_t kMostOfGrid = 65535;
    const int64_t at_a_time = std::min(args.at_a_time, kMostOfGrid);
    for (int64_t first = 0; first < args.matrices; first += at_a_time)
      update(args, first, std::min(at_a_time, args.matrices - first));
  } else {
    refuse_bf16("muon");
  }
}

XF_INSTANTIATE(muon, MuonArgs);

}  // namespace xf::kernels
