// CUB's radix sort, the one algorithm here that is not our own: a good one is a thousand lines, and
// the engine sorts a few thousand keys per update. Stable, and its result does not depend on how
// its blocks were scheduled.
//
// CUB sorts pairs, so the positions 0 .. N-1 are written out first: 4 N bytes, one thread each, 256
// threads a block because nothing is shared and 8 warps hide the start of a store well enough. CUB
// itself reads and writes 8 N bytes for each of its 4 digits of 8 bits. (The software GPU has a
// twin of the CUB call: tests/sim/include/cub.)
#include "kernels/sort.h"

#include <cub/device/device_radix_sort.cuh>

#include "core/cuda.h"
#include "kernels/cuda/portable.cuh"

namespace xf::kernels {

namespace {

constexpr int64_t kThreads = 256;

__global__ void __launch_bounds__(kThreads) count_up(int32_t* positions, int64_t N) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < N) positions[i] = static_cast<int32_t>(i);
}

}  // namespace

void sort(Cuda, const SortArgs& args) {
  const cudaStream_t stream = cuda::stream();
  const auto sort_pairs = [&](void* scratch, size_t& scratch_bytes, const int32_t* positions) {
    cuda::check(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, args.keys, args.sorted, positions,
                                                args.order, static_cast<int32_t>(args.N), 0, 32, stream),
                "cub::DeviceRadixSort");
  };
  size_t scratch_bytes = 0;
  sort_pairs(nullptr, scratch_bytes, nullptr);
  const int64_t position_bytes = (args.N * static_cast<int64_t>(sizeof(int32_t)) + 255) / 256 * 256;
  auto* const memory =
      static_cast<char*>(cuda::workspace(position_bytes + static_cast<int64_t>(scratch_bytes)));
  auto* const positions = reinterpret_cast<int32_t*>(memory);
  cuda::launch(count_up, dim3(static_cast<unsigned>((args.N + kThreads - 1) / kThreads)), dim3(kThreads), 0,
               stream, positions, args.N);
  sort_pairs(memory + position_bytes, scratch_bytes, positions);
}

}  // namespace xf::kernels
