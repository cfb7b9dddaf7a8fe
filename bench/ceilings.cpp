#include "bench/ceilings.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/device_clock.h"
#include "bench/inputs.h"
#include "bench/interleaved_timer.h"
#include "core/parallel.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"

namespace xf::bench {

namespace {

// Of several executions, after one that does not count.
double seconds_of(Device device, int repetitions, Counted counted, const std::function<void()>& work) {
  work();
  const auto clock = make_clock(device, work);
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) seconds.push_back(clock->time());
  return Samples::of(std::move(seconds)).quantile(counted == Counted::best ? 0 : 0.5);
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

constexpr int64_t kCopied = 256ll << 20;  // bytes: eight times a large third-level cache, five
                                          // times an L2
constexpr int kCopies = 12;

// Bytes/s. Strip by strip over the arrays, so that no strip is in a cache when its turn comes. A
// strip takes a fraction of a millisecond, which many survive undisturbed on a busy machine: of the
// best the fastest tenth counts.
double host_copy_rate(const Tensor& from, const Tensor& to, Counted counted) {
  constexpr int64_t kStrip = 8ll << 20, kLine = 64;
  const auto in_strip = [&](int64_t strip, const auto& body) {
    parallel_for(kStrip / kLine, kStrip / kLine / thread_count(), [&](int64_t begin, int64_t end) {
      const int64_t offset = strip + begin * kLine;
      body(static_cast<char*>(to.raw()) + offset, static_cast<char*>(from.raw()) + offset,
           (end - begin) * kLine);
    });
  };
  // First touched, and so placed, by the thread that will copy it.
  for (int64_t strip = 0; strip < kCopied; strip += kStrip) {
    in_strip(strip, [](char* target, char* source, int64_t bytes) {
      std::memset(target, 1, static_cast<size_t>(bytes));
      std::memset(source, 2, static_cast<size_t>(bytes));
    });
  }
  Samples strips;
  for (int i = 0; i < kCopies; ++i) {
    for (int64_t strip = 0; strip < kCopied; strip += kStrip) {
      const double start = now();
      in_strip(strip, copy_streaming);
      strips.add({{now() - start}, 0});
    }
  }
  return 2.0 * static_cast<double>(kStrip) / strips.quantile(counted == Counted::best ? 0.1 : 0.5);
}

// FLOP/s of y = x W^T, dx = dy W and dW = dy^T x, for x [N, K], W [M, K].
std::vector<double> product_rates(const tests::Target& target, Counted counted, int64_t N, int64_t K,
                                  int64_t M) {
  using kernels::Accumulate, kernels::matmul, kernels::Transpose;
  constexpr int kRepetitions = 7;
  Arena arena(target.device);
  Inputs in(target, arena);
  const Tensor x = in.random({N, K}), w = in.random({M, K}), y = in.random({N, M});
  const Tensor dx = in.random({N, K}), dw = in.random({M, K}), dy = in.random({N, M});
  const double flops = 2 * static_cast<double>(N) * static_cast<double>(K) * static_cast<double>(M);
  const auto rate = [&](const std::function<void()>& run) {
    return flops / seconds_of(target.device, kRepetitions, counted, run);
  };
  return {rate([&] { matmul(x, Transpose::no, w, Transpose::yes, Accumulate::no, y); }),
          rate([&] { matmul(dy, Transpose::no, w, Transpose::no, Accumulate::no, dx); }),
          rate([&] { matmul(dy, Transpose::yes, x, Transpose::no, Accumulate::no, dw); })};
}

struct Sizes {
  int64_t N, K, M;
};

}  // namespace

double measure_copy_rate(Device device, Counted counted) {
  Arena arena(device, 2 * kCopied);
  const Tensor from = arena.allocate({kCopied / 4}, DType::f32),
               to = arena.allocate({kCopied / 4}, DType::f32);
  if (device.type == DeviceType::cpu) return host_copy_rate(from, to, counted);
  from.fill_zero();
  return 2.0 * static_cast<double>(kCopied) /
         seconds_of(device, kCopies, counted, [&] { kernels::copy(from, to); });
}

double measure_gemm_rate(Device device, DType dtype, Counted counted) {
  const tests::Target target{device, dtype};
  std::vector<Sizes> shapes = {
      {4096, 128, 384}, {4096, 128, 256}, {512, 128, 10000}, {4096, 512, 512}, {4096, 512, 2048}};
  if (device.type == DeviceType::cuda) shapes = {{8192, 8192, 8192}};
  std::vector<double> rates;
  for (const auto& [N, K, M] : shapes) {
    for (const double rate : product_rates(target, counted, N, K, M)) rates.push_back(rate);
  }
  std::nth_element(rates.begin(), rates.begin() + static_cast<int64_t>(rates.size()) / 2, rates.end());
  return rates[rates.size() / 2];
}

Machine measure_machine(Device device, DType dtype, Counted counted) {
  Machine machine{measure_copy_rate(device, counted), 0};
  try {
    machine.gemm_rate = measure_gemm_rate(device, dtype == DType::i32 ? DType::f32 : dtype, counted);
  } catch (const Error&) {
    machine.gemm_rate = measure_gemm_rate(device, DType::f32, counted);
  }
  return machine;
}

Machine better_of(const Machine& a, const Machine& b) {
  return {std::max(a.copy_rate, b.copy_rate), std::max(a.gemm_rate, b.gemm_rate)};
}

}  // namespace xf::bench
