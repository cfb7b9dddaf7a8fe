// The machine against what CUDA's manuals say of threads, warps, shared memory, launches and tensor
// cores.
#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "core/dtype.h"
#include "core/error.h"
#include "tests/sim/block.h"
#include "tests/sim/machine/machine_kernels.h"
#include "tests/sim/machine/support.h"
#include "tests/support/catch.h"

namespace xf::sim {

namespace {

void (*const kSchedules[])(Settings&) = {[](Settings& s) { s.schedule = Schedule::forward; },
                                         [](Settings& s) { s.schedule = Schedule::reverse; },
                                         [](Settings& s) {
                                           s.schedule = Schedule::random;
                                           s.seed = 1;
                                         },
                                         [](Settings& s) {
                                           s.schedule = Schedule::random;
                                           s.seed = 2;
                                         }};

// Small integers: products and sums of them are exact in bf16 and f32.
std::vector<uint16_t> small_integers(size_t count, int step) {
  std::vector<uint16_t> out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = bf16(static_cast<float>(static_cast<int>(i) * step % 17 - 8)).bits;
  return out;
}

float value(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

std::string what_of(void (*run)()) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Machine: shuffles, votes, counting barriers and intrinsics do what CUDA's manual says", "[unit]") {
  for (const auto schedule : kSchedules) {
    const WithSettings settings(schedule);
    const DeviceArray<int> good(96);
    run_intrinsics(good.data(), nullptr);
    const std::vector<int> values = good.values();
    CHECK(std::count(values.begin(), values.end(), 1) == 96);
  }
}

TEST_CASE("Machine: atomics of all threads count", "[unit]") {
  for (const auto schedule : kSchedules) {
    const WithSettings settings(schedule);
    const DeviceArray<int> counts(std::vector<int>{0, 0});
    const DeviceArray<double> total(std::vector<double>{0});
    run_atomics(counts.data(), counts.data() + 1, total.data(), 500);
    CHECK(counts.values() == std::vector<int>{500 * 64, 500 * 64 - 1});
    CHECK(total.values()[0] == 500 * 32);
  }
}

TEST_CASE("Machine: mma on fragments from ldmatrix is a matrix product", "[unit]") {
  const auto a = small_integers(256, 5), b = small_integers(128, 7);
  std::vector<float> c(128);
  std::iota(c.begin(), c.end(), -3.0f);
  const DeviceArray<uint16_t> da(a), db(b);
  const DeviceArray<float> dc(c), dd(128);
  run_mma(da.data(), db.data(), dc.data(), dd.data());
  const std::vector<float> d = dd.values();
  for (size_t i = 0; i < 16; ++i) {
    for (size_t j = 0; j < 8; ++j) {
      float want = c[8 * i + j];
      for (size_t k = 0; k < 16; ++k) want += value(a[16 * i + k]) * value(b[8 * k + j]);
      CHECK(d[8 * i + j] == want);
    }
  }
}

TEST_CASE("Machine: a reduction in one meeting has the bits of five shuffles, under every schedule",
          "[unit]") {
  constexpr unsigned kBlocks = 20;
  std::vector<float> x(kBlocks * 128);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i % 977 + 1);
  const DeviceArray<float> dx(x);
  for (const auto schedule : kSchedules) {
    const WithSettings settings(schedule);
    const DeviceArray<float> out(3 * kBlocks);
    run_reductions(dx.data(), out.data(), kBlocks);
    const std::vector<float> values = out.values();
    for (size_t block = 0; block < kBlocks; ++block) {
      CHECK(values[3 * block] == values[3 * block + 2]);
      CHECK(values[3 * block + 1] ==
            *std::max_element(x.begin() + 128 * block, x.begin() + 128 * (block + 1)));
    }
  }
}

TEST_CASE("Machine: schedules run blocks and threads in different orders, one seed always in the same",
          "[unit]") {
  const auto order = [](void (*schedule)(Settings&)) {
    const WithSettings settings(schedule);
    statistics.launches = 0;  // of a random order, the number of the launch is a part
    const DeviceArray<int> blocks(8), threads(32), next(std::vector<int>{0});
    run_order(blocks.data(), threads.data(), next.data(), 8);
    std::vector<int> both = blocks.values();
    const std::vector<int> tail = threads.values();
    both.insert(both.end(), tail.begin(), tail.end());
    return both;
  };
  const auto forward = order(kSchedules[0]), reverse = order(kSchedules[1]);
  CHECK(forward[0] == 0);
  CHECK(forward[7] == 7 * 32);
  CHECK(reverse[7] == 31);  // the last block's thread 0 is its last
  CHECK(order(kSchedules[2]) != order(kSchedules[3]));
  CHECK(order(kSchedules[2]) == order(kSchedules[2]));
}

TEST_CASE("Machine: launches that a GPU would refuse are refused, and the kernel is named", "[unit]") {
  run_nothing(0, 128, 0);  // an empty grid does nothing
  run_nothing(dim3(1, 65535, 1), 32, 0);
  const std::string too_wide = what_of([] { run_nothing(1, 2048, 0); });
  CHECK(too_wide.find("nothing") != std::string::npos);
  CHECK(too_wide.find("cudaErrorInvalidConfiguration") != std::string::npos);
  CHECK_FALSE(what_of([] { run_nothing(dim3(1, 65536, 1), 32, 0); }).empty());
  CHECK_FALSE(what_of([] { run_nothing(1, 0, 0); }).empty());
  // no whole warps: the project's own rule
  CHECK_FALSE(what_of([] { run_nothing(1, 100, 0); }).empty());
  CHECK(cudaGetLastError() == cudaSuccess);  // told once
}

TEST_CASE("Machine: a block has 227 KiB of shared memory and not a byte more", "[unit]") {
  const DeviceArray<float> out(1);
  run_dynamic_shared(100, out.data());
  CHECK(out.values()[0] == 1);
  run_dynamic_shared(227 << 10, out.data());
  CHECK(out.values()[0] == 1);
  CHECK_THROWS_AS(run_dynamic_shared((227 << 10) + 1, out.data()), Error);
}

TEST_CASE("Machine: schedules are parsed, and nonsense is refused", "[unit]") {
  uint64_t seed = 0;
  CHECK(parse_schedule("reverse", seed) == Schedule::reverse);
  CHECK(parse_schedule("random:7", seed) == Schedule::random);
  CHECK(seed == 7);
  CHECK_THROWS_AS(parse_schedule("sideways", seed), Error);
  CHECK_THROWS_AS(parse_schedule("random:x", seed), Error);
}

}  // namespace xf::sim
