// The software CUB against std::stable_sort.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>

#include "tests/sim/machine/support.h"
#include "tests/support/catch.h"

namespace xf::sim {

TEST_CASE("CUB: pairs are sorted by signed keys, equal ones in their order", "[unit]") {
  constexpr int kCount = 500;
  std::vector<int32_t> keys(kCount), values(kCount), order(kCount);
  for (int i = 0; i < kCount; ++i) keys[static_cast<size_t>(i)] = i * 7919 % 41 - 20;
  std::iota(values.begin(), values.end(), 1000);
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int32_t i) { return keys[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  const DeviceArray<int32_t> k(keys), v(values), sorted_k(kCount), sorted_v(kCount);
  size_t bytes = 0;
  REQUIRE(cub::DeviceRadixSort::SortPairs(nullptr, bytes, nullptr, nullptr, nullptr, nullptr, kCount) ==
          cudaSuccess);
  const DeviceArray<char> scratch(bytes);
  REQUIRE(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, k.data(), sorted_k.data(), v.data(),
                                          sorted_v.data(), kCount) == cudaSuccess);
  const std::vector<int32_t> out_k = sorted_k.values(), out_v = sorted_v.values();
  for (size_t i = 0; i < kCount; ++i) {
    CHECK(out_k[i] == key(order[i]));
    CHECK(out_v[i] == order[i] + 1000);
  }
}

}  // namespace xf::sim
