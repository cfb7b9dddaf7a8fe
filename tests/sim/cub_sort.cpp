#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "tests/sim/include/cub/device/device_radix_sort.cuh"
#include "tests/sim/memory.h"
#include "tests/sim/observer.h"
#include "tests/sim/stream.h"

namespace xf::sim {

namespace {

struct Sort {
  void* scratch;
  const int32_t *keys, *values;
  int32_t *sorted_keys, *sorted_values;
  size_t count;
  int begin_bit, end_bit;
};

size_t scratch_for(size_t count) { return 256 + 2 * count * sizeof(int32_t); }

// The bits that decide, in an order that unsigned comparison knows: the sign bit counts the other
// way round.
uint32_t digits(const Sort& sort, int32_t key) {
  const uint32_t bits = static_cast<uint32_t>(key) ^ 0x80000000u;
  const uint32_t upper = sort.end_bit == 32 ? bits : bits & ((1u << sort.end_bit) - 1);
  return upper >> sort.begin_bit;
}

void run(const Sort& sort) {
  std::memset(sort.scratch, 0xFF, scratch_for(sort.count));  // whoever kept something there loses
                                                             // it
  std::vector<size_t> order(sort.count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return digits(sort, sort.keys[a]) < digits(sort, sort.keys[b]);
  });
  for (size_t i = 0; i < sort.count; ++i) {
    sort.sorted_keys[i] = sort.keys[order[i]];
    sort.sorted_values[i] = sort.values[order[i]];
  }
  observe(sort.keys, sort.count * sizeof(int32_t), Access::read, {});
  observe(sort.values, sort.count * sizeof(int32_t), Access::read, {});
  observe(sort.sorted_keys, sort.count * sizeof(int32_t), Access::write, {});
  observe(sort.sorted_values, sort.count * sizeof(int32_t), Access::write, {});
}

}  // namespace

}  // namespace xf::sim

cudaError_t cub::DeviceRadixSort::SortPairs(void* scratch, size_t& scratch_bytes, const int32_t* keys,
                                            int32_t* sorted_keys, const int32_t* values,
                                            int32_t* sorted_values, int count, int begin_bit, int end_bit,
                                            cudaStream_t stream) {
  using namespace xf::sim;
  if (count < 0 || begin_bit < 0 || end_bit > 32 || begin_bit >= end_bit)
    return set_last_error(cudaErrorInvalidValue);
  const auto n = static_cast<size_t>(count);
  if (!scratch) {
    scratch_bytes = scratch_for(n);
    return cudaSuccess;
  }
  if (scratch_bytes < scratch_for(n)) return set_last_error(cudaErrorInvalidValue);
  for (const void* array : {static_cast<const void*>(keys), static_cast<const void*>(values),
                            static_cast<const void*>(sorted_keys), static_cast<const void*>(sorted_values)}) {
    if (!memory::is_device(array, n * sizeof(int32_t))) {
      xf::fail(xf::ErrorKind::failure, "sim: SortPairs: an array is not inside one live allocation");
    }
  }
  if (!memory::is_device(scratch, scratch_bytes))
    xf::fail(xf::ErrorKind::failure, "sim: SortPairs: bad scratch");
  const What what{cudaGraphNodeTypeKernel, address_of_name("cub::DeviceRadixSort")};
  return push(stream, what, [=] {
    run({scratch, keys, values, sorted_keys, sorted_values, n, begin_bit, end_bit});
  });
}
