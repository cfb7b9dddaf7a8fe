#include "bench/roofline.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "bench/sampler.h"
#include "core/arena.h"
#include "core/parallel.h"
#include "core/philox.h"
#include "kernels/matmul.h"

namespace xf::bench {

namespace {

// (1) for the kernels of one step; N, K, M, S as in docs/notation.md.
class Kernels {
 public:
  Kernels(const StepSize& size, const Machine& machine) : size_(size), machine_(machine) {}

  // x [N, K] times W [M, K]: forward, dx, dW, which read and write three matrices of the same sizes.
  double product(int64_t N, int64_t K, int64_t M) const {
    const double n = static_cast<double>(N), k = static_cast<double>(K), m = static_cast<double>(M);
    return 3 * bound((n * k + k * m + n * m) * size_.element_bytes, 2 * n * k * m);
  }
  // Forward q, k, v, o; backward q, dO, dq for queries and k, v, dk, dv for keys.
  double attention(int64_t queries, int64_t keys, double length) const {
    const double rows = 5 * static_cast<double>(queries) + 6 * static_cast<double>(keys);
    const double flops = 3.5 * 4 * static_cast<double>(queries * size_.dim) * length;
    return bound(rows * static_cast<double>(size_.dim) * size_.element_bytes, flops);
  }
  // `passes` over [rows, width].
  double passes(double passes, int64_t rows, int64_t width) const {
    return bound(passes * static_cast<double>(rows * width) * size_.element_bytes, 0);
  }
  double parameters(double bytes_each) const {
    return bound(bytes_each * static_cast<double>(size_.parameters), 0);
  }

 private:
  double bound(double bytes, double flops) const {
    return std::max(bytes / machine_.copy_rate, flops / machine_.gemm_rate);
  }
  StepSize size_;
  Machine machine_;
};

double best_seconds(int repetitions, const std::function<void()>& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    const double start = now();
    run();
    best = std::min(best, now() - start);
  }
  return best;
}

// Past the caches: a plain store first reads the line that it will overwrite.
void copy_streaming(char* to, const char* from, int64_t bytes) {
#if defined(__AVX__)
  constexpr int64_t kVector = sizeof(__m256i);
  for (int64_t i = 0; i < bytes / kVector; ++i) {
    const auto* source = reinterpret_cast<const __m256i*>(from) + i;
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to) + i, _mm256_load_si256(source));
  }
  _mm_sfence();
#else
  std::memcpy(to, from, static_cast<size_t>(bytes));
#endif
}

Tensor random_matrix(int64_t rows, int64_t columns) {
  Tensor matrix = Tensor::empty({rows, columns}, DType::f32);
  PhiloxSequence random(1, static_cast<uint64_t>(rows * columns));
  float* values = matrix.data<float>();
  for (int64_t i = 0; i < matrix.numel(); ++i) values[i] = random.uniform() - 0.5f;
  return matrix;
}

// FLOP/s of y = x W^T, dx = dy W and dW = dy^T x, for x [N, K], W [M, K].
std::vector<double> product_rates(int64_t N, int64_t K, int64_t M) {
  using kernels::Accumulate, kernels::matmul, kernels::Transpose;
  const Tensor x = random_matrix(N, K), w = random_matrix(M, K), y = random_matrix(N, M);
  const Tensor dx = random_matrix(N, K), dw = random_matrix(M, K), dy = random_matrix(N, M);
  const double flops = 2 * static_cast<double>(N) * static_cast<double>(K) * static_cast<double>(M);
  constexpr int kRepetitions = 7;
  const auto rate = [&](const std::function<void()>& run) { return flops / best_seconds(kRepetitions, run); };
  return {rate([&] { matmul(x, Transpose::no, w, Transpose::yes, Accumulate::no, y); }),
          rate([&] { matmul(dy, Transpose::no, w, Transpose::no, Accumulate::no, dx); }),
          rate([&] { matmul(dy, Transpose::yes, x, Transpose::no, Accumulate::no, dw); })};
}

}  // namespace

double step_flops(const StepSize& size) {
  const auto d = static_cast<double>(size.dim), f = static_cast<double>(size.feed_forward);
  const auto L = static_cast<double>(size.layers), V = static_cast<double>(size.target_vocabulary);
  const auto Ns = static_cast<double>(size.source_tokens), Nt = static_cast<double>(size.target_tokens);
  const double encoder = L * Ns * (8 * d * d + 4 * d * f);
  const double decoder = L * Nt * (12 * d * d + 4 * d * f) + L * Ns * 4 * d * d;
  const double logits = 2 * Nt * d * V;
  const double attention = 4 * d * L * ((Ns + Nt) * size.source_length + Nt * size.target_length);
  return 3 * (encoder + decoder + logits) + 3.5 * attention;
}

StepFloor step_floor(const StepSize& size, const Machine& machine) {
  const Kernels of(size, machine);
  const int64_t d = size.dim, f = size.feed_forward, L = size.layers;
  const int64_t Ns = size.source_tokens, Nt = size.target_tokens;
  const auto layers = static_cast<double>(L);
  const auto stack = [&](int64_t N) {
    return of.product(N, d, 3 * d) + of.product(N, d, d) + of.product(N, d, f) + of.product(N, f, d);
  };
  const double cross =
      2 * of.product(Nt, d, d);  // queries and output; keys and values of all layers are one product
  StepFloor floor;
  floor.gemm = layers * (stack(Ns) + stack(Nt) + cross) + of.product(Ns, d, 2 * L * d);
  floor.logits = of.product(Nt, d, size.target_vocabulary);
  floor.attention =
      layers * (of.attention(Ns, Ns, size.source_length) + of.attention(Nt, Nt, size.target_length) +
                of.attention(Nt, Ns, size.source_length));
  floor.norms = layers * (2 * of.passes(3 + 4, Ns, d) + 3 * of.passes(3 + 4, Nt, d));
  floor.cross_entropy = of.passes(2, Nt, size.target_vocabulary);
  floor.adam = of.parameters(28);
  floor.rest = of.passes(4, Ns + Nt, d) + of.parameters(size.element_bytes);
  return floor;
}

double measure_copy_rate() {
  constexpr int64_t kBytes = 256ll << 20, kLine = 64;  // eight times a large third-level cache
  constexpr int kRepetitions = 12;
  Arena arena(Device::cpu(), 2 * kBytes);
  const Tensor from = arena.allocate({kBytes / 4}, DType::f32), to = arena.allocate({kBytes / 4}, DType::f32);
  const auto each_piece = [&](const auto& body) {
    parallel_for(kBytes / kLine, kBytes / kLine / thread_count(), [&](int64_t begin, int64_t end) {
      body(static_cast<char*>(to.raw()) + begin * kLine, static_cast<char*>(from.raw()) + begin * kLine,
           (end - begin) * kLine);
    });
  };
  // First touched, and so placed, by the thread that will copy it.
  each_piece([](char* target, char* source, int64_t bytes) {
    std::memset(target, 1, static_cast<size_t>(bytes));
    std::memset(source, 2, static_cast<size_t>(bytes));
  });
  const double seconds = best_seconds(kRepetitions, [&] { each_piece(copy_streaming); });
  return 2.0 * static_cast<double>(kBytes) / seconds;
}

double measure_gemm_rate() {
  struct Shape3 {
    int64_t N, K, M;
  };
  std::vector<double> rates;
  for (const auto& [N, K, M] : {Shape3{4096, 128, 384}, Shape3{4096, 128, 256}, Shape3{512, 128, 10000},
                                Shape3{4096, 512, 512}, Shape3{4096, 512, 2048}}) {
    for (const double rate : product_rates(N, K, M)) rates.push_back(rate);
  }
  std::nth_element(rates.begin(), rates.begin() + static_cast<int64_t>(rates.size()) / 2, rates.end());
  return rates[rates.size() / 2];
}

}  // namespace xf::bench
