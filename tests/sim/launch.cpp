#include "tests/sim/launch.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/sim/settings.h"
#include "tests/sim/stream.h"

namespace xf::sim {

namespace {

constexpr size_t kSharedByDefault = 48 << 10;

std::map<const void*, size_t> allowed_shared;  // by cudaFuncSetAttribute

// The place in the grid of the i-th block to run. Every order is possible on a GPU.
class BlockOrder {
 public:
  explicit BlockOrder(uint64_t blocks) : blocks_(blocks) {
    if (settings().schedule != Schedule::random) return;
    uint64_t state = settings().seed * 0x9E3779B97F4A7C15u + statistics.launches;
    order_.resize(blocks);
    std::iota(order_.begin(), order_.end(), 0u);
    for (uint64_t i = blocks; i > 1; --i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(order_[i - 1], order_[(state >> 33) % i]);
    }
  }
  uint64_t operator[](uint64_t i) const {
    switch (settings().schedule) {
      case Schedule::forward: return i;
      case Schedule::reverse: return blocks_ - 1 - i;
      default: return order_[i];
    }
  }

 private:
  uint64_t blocks_;
  std::vector<uint32_t> order_;
};

void run(const Launch& launch) {
  ++statistics.launches;
  const dim3 size = launch.grid.grid;
  grid_size = size;
  block_size = launch.grid.block;
  const uint64_t blocks = uint64_t{size.x} * size.y * size.z;
  const BlockOrder order(blocks);
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t at = order[i];
    const uint3 index{static_cast<uint32_t>(at % size.x), static_cast<uint32_t>(at / size.x % size.y),
                      static_cast<uint32_t>(at / size.x / size.y)};
    block().run(launch.grid, index, (settings().seed + 1) * 0xD1B54A32D192ED03u + at);
  }
}

}  // namespace

cudaError_t allow_shared_memory(const void* kernel, int bytes) {
  if (bytes < 0 || static_cast<size_t>(bytes) > settings().shared) return cudaErrorInvalidValue;
  allowed_shared[kernel] = static_cast<size_t>(bytes);
  return cudaSuccess;
}

cudaError_t check_launch(const void* kernel, dim3 grid, dim3 block, size_t shared_bytes) {
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  const auto allowed = allowed_shared.find(kernel);
  const size_t most_shared = allowed == allowed_shared.end() ? kSharedByDefault : allowed->second;
  const bool good = threads > 0 && threads <= 1024 && block.z <= 64 && threads % kWarp == 0 && grid.x > 0 &&
                    grid.x <= 0x7fffffffu && grid.y > 0 && grid.y <= 65535 && grid.z > 0 && grid.z <= 65535;
  if (good && shared_bytes <= std::max(most_shared, kSharedByDefault)) return cudaSuccess;
  return set_last_error(good ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration);
}

cudaError_t enqueue_launch(cudaStream_t stream, Launch launch) {
  const What what{cudaGraphNodeTypeKernel, launch.grid.kernel};
  return push(stream, what, [launch = std::move(launch)] { run(launch); });
}

}  // namespace xf::sim
