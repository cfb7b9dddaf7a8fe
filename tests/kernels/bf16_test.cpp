// What bf16 on the CPU promises beyond the reference, which every [device] test compares it with:
// rounding in registers is the scalar's, and our own kernels give the same bits at any number of
// threads.
#include <cstdlib>
#include <fstream>

#include "kernels/attention.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/linear.h"
#include "kernels/matmul.h"
#include "kernels/residual_norm.h"
#include "tests/support/batch.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

const Target kBf16{Device::cpu(), DType::bf16};

Dropout some_dropout() { return {0.3f, 5, 1, Tensor::from(std::vector<int32_t>{2, 0})}; }

// Ordinary numbers, ties, both zeros, denormals, infinities, NaNs of both signs with low and high
// payloads.
std::vector<float> awkward_floats() {
  std::vector<float> floats;
  for (const uint32_t high : {0x0000u, 0x0001u, 0x3f80u, 0x3f81u, 0x7f7fu, 0x7f80u, 0x7fc0u, 0x4049u}) {
    for (const uint32_t low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      for (const uint32_t sign : {0u, 0x80000000u})
        floats.push_back(std::bit_cast<float>(sign | high << 16 | low));
    }
  }
  return floats;
}

// A line of /proc/cpuinfo, "flags" for one, with a space at both ends of its value; empty if there
// is none.
std::string processor_line(const std::string& name) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name)) return line.substr(line.find(':') + 1) + " ";
  }
  return "";
}

}  // namespace

TEST_CASE("bf16: AMX multiplies it faster than f32, AVX512_BF16 does on AMD and Cooper Lake, or is asked for",
          "[unit]") {
  const char* const asked = std::getenv("ONEDNN_MAX_CPU_ISA");
  const std::string limit = asked ? asked : "", flags = processor_line("flags");
  const bool intel = processor_line("vendor_id") == " GenuineIntel ";
  const bool cooper_lake = processor_line("model\t") == " 85 ";
  const bool pairs = flags.find(" avx512_bf16 ") != std::string::npos;
  bool fast = flags.find(" amx_bf16 ") != std::string::npos || (pairs && (!intel || cooper_lake));
  if (limit == "AVX2" || limit == "AVX512_CORE") fast = false;
  if (limit == "AVX512_CORE_BF16") fast = pairs;
  CHECK(has_fast_bf16_products(Device::cpu()) == fast);
}

TEST_CASE("bf16: registers and vectorised loops round as the scalar does", "[unit]") {
  const std::vector<float> floats = awkward_floats();
  REQUIRE(floats.size() % kLanes<float> == 0);
  std::vector<bf16> by_register(floats.size()), by_loop(floats.size());
  for (size_t i = 0; i < floats.size(); i += kLanes<float>)
    store_lanes(load_lanes(floats.data() + i), by_register.data() + i);
#pragma omp simd
  for (size_t i = 0; i < floats.size(); ++i) store(floats[i], by_loop.data() + i);
  for (size_t i = 0; i < floats.size(); ++i) {
    CHECK(by_register[i].bits == bf16(floats[i]).bits);
    CHECK(by_loop[i].bits == bf16(floats[i]).bits);
    const Lanes<float> back = load_lanes(by_register.data() + i / kLanes<float> * kLanes<float>);
    CHECK(std::bit_cast<uint32_t>(back[i % kLanes<float>]) == uint32_t{by_register[i].bits} << 16);
  }
}

TEST_CASE("bf16: a NaN goes through a layer with any activation, and stays in its row", "[unit]") {
  // oneDNN's own relu makes it 0, and training would go on with a broken weight.
  for (const Activation activation : kActivations) {
    std::vector<double> values = random_values(20 * 32, 1);
    values[5] = std::nan("");
    const Tensor pre = keeps_input(activation) ? kBf16.poisoned({20, 48}) : Tensor();
    const Tensor a = kBf16.poisoned({20, 48});
    linear_activation_forward(kBf16.tensor(values, {20, 32}), kBf16.random({48, 32}, 2),
                              kBf16.random({48}, 3), activation, {}, pre, a);
    const auto results = as_doubles(a);
    for (size_t i = 0; i < results.size(); ++i) CHECK(std::isnan(results[i]) == (i < 48));
  }
}

TEST_CASE("bf16: norms give the same bits at any number of threads", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Tensor x = kBf16.random({300, 130}, 1), s = kBf16.random({300, 130}, 2),
                 gamma = kBf16.random({130}, 3), sum = kBf16.poisoned({300, 130}),
                 y = kBf16.poisoned({300, 130}), mean = kBf16.poisoned_sums({300}),
                 rstd = kBf16.poisoned_sums({300});
    residual_norm_forward(x, s, some_dropout(), gamma, gamma, 1e-5f, sum, y, mean, rstd);
    const Tensor dx = kBf16.poisoned({300, 130}), ds = kBf16.poisoned({300, 130}),
                 dgamma = Tensor::zeros({130}, DType::f32), dbeta = Tensor::zeros({130}, DType::f32);
    residual_norm_backward(y, Tensor(), sum, gamma, mean, rstd, some_dropout(), dx, ds, dgamma, dbeta);
    return std::vector<Tensor>{sum, y, mean, rstd, dx, ds, dgamma, dbeta};
  }));
}

TEST_CASE("bf16: cross-entropy and embedding give the same bits at any number of threads", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    Ids ids(300);
    for (int32_t i = 0; i < 300; ++i) ids[static_cast<size_t>(i)] = i / 3 % 131;
    const Tensor z = kBf16.random({300, 131}, 1, -4, 4), loss = Tensor::zeros({2}, DType::f32);
    cross_entropy(z, Tensor::from(ids), {.label_smoothing = 0.1f}, loss, z);
    const Tensor dtable = Tensor::zeros({131, 131}, DType::f32);
    embedding_backward(z, Tensor::from(ids), order_by_id(ids), 3, some_dropout(), dtable);
    return std::vector<Tensor>{z, loss, dtable};
  }));
}

TEST_CASE("bf16: attention gives the same bits at any number of threads", "[unit]") {
  for (const int64_t max_keys : {64, 256}) {  // short and long
    CHECK(same_bits_at_any_thread_count([=] {
      const Tensor offsets = Tensor::from(std::vector<int32_t>{0, 33, 64, 64, 127, 190});
      const Tensor qkv = kBf16.random({200, 96}, 1), o = kBf16.poisoned({200, 32}),
                   dqkv = kBf16.poisoned({200, 96});
      const AttentionShape shape{.heads = 2, .max_keys = max_keys, .causal = true, .scale = 0.25f};
      const Tensor lse = shape.is_long() ? kBf16.poisoned_sums({2, 200}) : Tensor();
      const auto part = [](const Tensor& all, int64_t i) { return all.slice_columns(32 * i, 32 * i + 32); };
      attention_forward(part(qkv, 0), part(qkv, 1), part(qkv, 2), offsets, offsets, shape, some_dropout(), o,
                        lse);
      attention_backward(o, part(qkv, 0), part(qkv, 1), part(qkv, 2), o, lse, offsets, offsets, shape,
                         some_dropout(), part(dqkv, 0), part(dqkv, 1), part(dqkv, 2));
      return std::vector<Tensor>{o, dqkv};
    }));
  }
}
