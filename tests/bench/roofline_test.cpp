// Expected values were worked out by hand, outside this code, from the formulas in
// bench/roofline.h: the table of floors that the project's speed goals are set against.
#include "bench/roofline.h"

#include "bench/interleaved_timer.h"
#include "tests/support/catch.h"

namespace xf::bench {
namespace {

StepSize base_step() {
  return {.dim = 512,
          .feed_forward = 2048,
          .layers = 6,
          .target_vocabulary = 7900,
          .parameters = 55'260'000,
          .source_tokens = 4096,
          .target_tokens = 4096,
          .source_length = 32,
          .target_length = 32,
          .element_bytes = 2};
}

StepSize tiny_step() {
  return {.dim = 128,
          .feed_forward = 256,
          .layers = 4,
          .target_vocabulary = 10'000,
          .parameters = 2'620'000,
          .source_tokens = 4088,
          .target_tokens = 4088,
          .source_length = 14,
          .target_length = 14,
          .element_bytes = 4};
}

TEST_CASE("Roofline: the FLOPs of a base and a tiny step are the published counts", "[unit]") {
  CHECK(step_flops(base_step()) == Approx(1199e9).epsilon(0.001));
  CHECK(step_flops(tiny_step()) == Approx(64.8e9).epsilon(0.001));
}

TEST_CASE("Roofline: components of the base step's floor in bf16 at 3.0 TB/s and 798 TFLOP/s", "[unit]") {
  const StepFloor floor = step_floor(base_step(), {.copy_rate = 3.0e12, .gemm_rate = 798e12});
  // The table has two decimals, and was worked out for a vocabulary of "7.9k".
  const auto milliseconds = [](double seconds) { return Approx(seconds).margin(0.006e-3); };
  CHECK(floor.gemm == milliseconds(1.38e-3));
  CHECK(floor.logits == milliseconds(0.13e-3));
  CHECK(floor.attention == milliseconds(0.28e-3));
  CHECK(floor.norms == milliseconds(0.29e-3));
  CHECK(floor.cross_entropy == milliseconds(0.04e-3));
  CHECK(floor.adam == milliseconds(0.52e-3));
  CHECK(floor.rest == milliseconds(0.05e-3));
  CHECK(floor.total() == milliseconds(2.68e-3));
}

TEST_CASE("Roofline: on a slow processor the products decide, 5.62 s for base and 0.31 s for tiny",
          "[unit]") {
  const Machine machine{.copy_rate = 80e9, .gemm_rate = 215e9};
  StepSize base = base_step();
  base.element_bytes = 4;
  CHECK(step_floor(base, machine).total() == Approx(5.62).epsilon(0.002));
  const StepFloor tiny = step_floor(tiny_step(), machine);
  CHECK(tiny.total() == Approx(0.31).epsilon(0.005));
  CHECK(tiny.gemm + tiny.logits > 0.9 * tiny.total());
}

TEST_CASE("Roofline: a machine twice as fast in both respects halves the floor", "[unit]") {
  const double slow = step_floor(tiny_step(), {.copy_rate = 40e9, .gemm_rate = 100e9}).total();
  const double fast = step_floor(tiny_step(), {.copy_rate = 80e9, .gemm_rate = 200e9}).total();
  CHECK(fast == Approx(slow / 2));
}

TEST_CASE("Roofline: a kernel's floor is the slower of its bytes and its FLOPs", "[unit]") {
  const Machine machine{.copy_rate = 10, .gemm_rate = 100};
  CHECK(kernel_floor(20, 100, machine) == Approx(2));
  CHECK(kernel_floor(20, 400, machine) == Approx(4));
}

TEST_CASE("Roofline: a step's bytes are those of its floor where computing costs nothing", "[unit]") {
  // Adam alone moves 28 bytes per parameter, and the two passes over the logits 2 Nt V e.
  const double bytes = step_bytes(tiny_step());
  CHECK(bytes > 28 * 2'620'000.0 + 2 * 4088.0 * 10'000 * 4);
  CHECK(step_floor(tiny_step(), {.copy_rate = 1e9, .gemm_rate = 1e30}).total() == Approx(bytes / 1e9));
}

TEST_CASE("Interleaved timer: samples of two runs are taken together", "[unit]") {
  Samples samples{{1, 3}, 1};
  samples.add({{2}, 1});
  CHECK(samples.seconds == std::vector<double>{1, 2, 3});
  CHECK(samples.disturbed == 2);
}

TEST_CASE("Interleaved timer: quantiles are linear between neighbours", "[unit]") {
  const Samples samples{{1, 2, 3, 4, 10}, 0};
  CHECK(samples.quantile(0) == 1);
  CHECK(samples.quantile(0.5) == 3);
  CHECK(samples.quantile(0.9) == Approx(4 + 0.6 * 6));
  CHECK(samples.quantile(1) == 10);
}

TEST_CASE("Interleaved timer: runs the warm-ups, then as many samples as asked", "[unit]") {
  int runs = 0;
  const Samples samples = sample({.warm_ups = 2, .samples = 5, .attempts = 2}, [&] { ++runs; });
  CHECK(samples.seconds.size() == 5);
  CHECK(runs >= 7);
  CHECK(runs <= 12);
  CHECK(peak_resident_bytes() > 1e6);
}

}  // namespace
}  // namespace xf::bench
