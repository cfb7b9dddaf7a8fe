// Stable sort of keys with their positions: keys, each with its reason, and the definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/philox.h"

namespace xf::tests {

struct SortCase {
  const char* reason;
  std::vector<int32_t> keys;
};

// `count` keys in [0, bound), the same on every machine.
inline std::vector<int32_t> random_keys(int64_t count, int32_t bound, uint64_t seed) {
  PhiloxSequence sequence(seed, 0);
  std::vector<int32_t> keys(static_cast<size_t>(count));
  for (int32_t& key : keys) key = static_cast<int32_t>(static_cast<double>(sequence.uniform()) * bound);
  return keys;
}

inline std::vector<SortCase> sort_cases() {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  return {
      {"smallest", {5}},
      {"negative keys come first, and the extremes stand at the ends", {0, kMost, -1, kLeast, 1, -1}},
      {"all alike: the order is that of arrival", std::vector<int32_t>(129, 7)},
      {"a batch of ids, many of them alike", random_keys(4099, 300, 1)},
      {"more than one digit", random_keys(1000, 1 << 30, 2)},
      {"more keys than any batch has tokens", random_keys(70001, 10000, 3)},
  };
}

struct SortReference {
  std::vector<int32_t> sorted, order;
};

inline SortReference sort_reference(const std::vector<int32_t>& keys) {
  SortReference result;
  result.order.resize(keys.size());
  std::iota(result.order.begin(), result.order.end(), 0);
  std::sort(result.order.begin(), result.order.end(), [&](int32_t a, int32_t b) {
    return keys[static_cast<size_t>(a)] != keys[static_cast<size_t>(b)]
               ? keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]
               : a < b;
  });
  for (const int32_t from : result.order) result.sorted.push_back(keys[static_cast<size_t>(from)]);
  return result;
}

}  // namespace xf::tests
